# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""Circuits as AND gates and inverters: read from Yosys (BLIF with internal cells), put together, and written as AIGER.

A literal is twice the number of a node, plus 1 if it is inverted; 0 is the constant false.
"""


class Loop(Exception):
    """A signal depends on itself in the same cycle."""


class Graph:
    """AND gates, inputs and registers; gates with the same inputs are one."""

    def __init__(self):
        self.inputs, self.registers = [], []  # registers are 0 at first
        self.gates = {}    # literals by their inputs
        self.next = {}     # of each register, by its literal
        self.nodes = 1

    def node(self):
        self.nodes += 1
        return 2 * (self.nodes - 1)

    @staticmethod
    def constant(value):
        return int(value)

    def input(self):
        self.inputs.append(self.node())
        return self.inputs[-1]

    def register(self):
        self.registers.append(self.node())
        return self.registers[-1]

    def both(self, a, b):
        a, b = min(a, b), max(a, b)
        if a == 0 or a == b ^ 1:
            return 0
        if a in (1, b):
            return b
        if (a, b) not in self.gates:
            self.gates[a, b] = self.node()
        return self.gates[a, b]

    def any(self, a, b):
        return self.both(a ^ 1, b ^ 1) ^ 1

    def either(self, which, a, b):
        """a if `which`, b if not."""
        return self.any(self.both(which, a), self.both(which ^ 1, b))

    def differ(self, one, other):
        """Some output, or next state, of the two differs: each (outputs, next states), by their names."""
        found = 0
        for a, b in zip(one, other):
            for name, literal in a.items():
                found = self.any(found, self.either(literal, b[name] ^ 1, b[name]))
        return found

    def aiger(self, output):
        """The bytes of a file in AIGER's binary format, where nodes are numbered in order: inputs, registers, gates; None if the output is constant false."""
        if output == self.constant(False):
            return None
        number = {0: 0}
        for literal in [*self.inputs, *self.registers, *self.gates.values()]:
            number[literal >> 1] = len(number)

        def of(literal):
            return 2 * number[literal >> 1] + (literal & 1)
        text = [f"aig {len(number) - 1} {len(self.inputs)} {len(self.registers)} 1 {len(self.gates)}"]
        text += [f"{of(self.next[literal])}" for literal in self.registers]
        text += [str(of(output))]
        written = bytearray(("\n".join(text) + "\n").encode())
        for inputs, gate in self.gates.items():
            low, high = sorted(map(of, inputs))
            for delta in (of(gate) - high, high - low):
                while delta > 127:
                    written.append(delta & 127 | 128)
                    delta >>= 7
                written.append(delta)
        return bytes(written)


class Netlist:
    """Gates as Yosys writes them (write_blif -icells -gates): each signal by its name."""

    def __init__(self, text):
        self.inputs, self.outputs = [], []
        self.registers = {}  # {signal: the next value}
        self.gates = {}      # {signal: its inputs}: one, which is inverted, or two
        for line in text.replace("\\\n", " ").splitlines():
            kind, *words = line.split() or ["#"]
            if kind in (".inputs", ".outputs"):
                getattr(self, kind[1:]).extend(words)
            elif kind == ".gate":
                self.cell(words[0], dict(word.split("=", 1) for word in words[1:]))
            elif kind == ".names" and len(words) == 2:  # the same signal
                self.gates[words[1]] = (words[0], words[0])
            elif kind not in ("#", ".model", ".names", ".end", "1"):
                raise ValueError(f"this line of the circuit is not known: {line}")
        self.users = {}
        for signal, inputs in self.gates.items():
            for name in inputs:
                self.users.setdefault(name, []).append(signal)

    def cell(self, kind, pins):
        if kind == "$_AND_":
            self.gates[pins["Y"]] = (pins["A"], pins["B"])
        elif kind == "$_NOT_":
            self.gates[pins["Y"]] = (pins["A"],)
        elif kind == "$_DFF_P_":
            self.registers[pins["Q"]] = pins["D"]
        elif kind == "$anyseq":
            self.inputs.append(pins["Y"])
        else:
            raise ValueError(f"the circuit has a cell that is not known: {kind}")

    def value(self, graph, signal, known):
        """The value of a gate as a literal; None: it is not known yet."""
        inputs = [known.get(name) for name in self.gates[signal]]
        if None in inputs:
            return 0 if 0 in inputs else None
        return graph.both(*inputs) if len(inputs) == 2 else inputs[0] ^ 1

    def evaluate(self, graph, leaves):
        """All signals, by their names, as literals of the graph; `leaves`: inputs and states. What depends on itself is not among them."""
        return self.settled(graph, {"$true": 1, "$false": 0, "$undef": 0} | leaves, list(self.gates))

    def change(self, graph, known, leaves):
        """All signals when these inputs are others than in `known`."""
        reached, left = {}, list(leaves)
        while left:
            new = [signal for signal in self.users.get(left.pop(), ()) if signal not in reached]
            reached |= dict.fromkeys(new)
            left += new
        same = {signal: literal for signal, literal in known.items() if signal not in reached}
        return self.settled(graph, same | leaves, list(reached))

    def settled(self, graph, known, left):
        """The known signals, and of these gates those that they decide."""
        while left:
            signal = left.pop()
            if signal not in known and (value := self.value(graph, signal, known)) is not None:
                known[signal] = value
                left += self.users.get(signal, ())
        return known

    def ends(self, known):
        """The outputs and the next states, by their names. Raises Loop."""
        found = {name: known.get(name) for name in self.outputs}, {name: known.get(then) for name, then in self.registers.items()}
        for values in found:
            for name, value in values.items():
                if value is None:
                    raise Loop(name)
        return found
