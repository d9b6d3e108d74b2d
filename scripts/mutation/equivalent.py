# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""Whether a mutant changes nothing: a proof that a circuit with it and the circuit without it are equal.

Yosys makes gates of the whole circuit, once, with a wire for each mutant in question (scripts/mutation/mutations.py). Proven equal
are, in all cycles after a reset and for all inputs, the outputs and what the memories are given. What memories give is any value, the same for both,
and so is what registers hold at power-up. Resets come with a clock edge. There are two proofs: of the logic between registers, in every state; and, where
that fails, of the two circuits from the reset on, by the signals that stay equal (yosys-abc, scorr).
A mutant that differs only for inputs that are not allowed, or in what no memory ever gives, is not proven equivalent.
"""

import re
import subprocess
import threading

import root  # noqa: F401, finds yowasp
import aig
import yowasp

# The circuit, as AND gates, inverters and registers; memories and the wires of mutants are inputs and outputs.
GATES = """\
read_slang --threads 1 --blackboxed-module muster_free --blackboxed-module muster_taken --relax-enum-conversions -Wno-index-oob -D SYNTHESIS -I rtl/common --top {top} {parameters} {files}
hierarchy -top {top}
proc
flatten
opt_expr
opt_clean
memory
opt_dff -nodffe -nosdff
dffunmap
expose -evert t:muster_free t:muster_taken
opt_clean
techmap
aigmap
setundef -undriven -anyseq
setundef -anyseq
opt_clean
write_blif -icells -gates circuit.blif
"""

# What gives a wire any value, and what takes one.
FREE = """\
(* blackbox *)
module muster_free (output logic bit_o);
endmodule
(* blackbox *)
module muster_taken (input logic bit_i);
endmodule
"""

MEMORY = "rtl/common/muster_mem_1r1w.sv"
MEMORY_BODY = """
  localparam int unsigned Taken = 1 + 2 * AddrW + Width;
  logic [Taken-1:0] taken;
  assign taken = {we_i, waddr_i, wdata_i, raddr_i};

  for (genvar i = 0; i < Width; i++) begin : g_free
    muster_free u_free (.bit_o(rdata_o[i]));
  end
  for (genvar i = 0; i < Taken; i++) begin : g_taken
    (* keep *) muster_taken u_taken (.bit_i(taken[i]));
  end

endmodule
"""

INCLUDED = "rtl/common/muster_assert.svh"
RESET = "rst_ni"
ASYNCHRONOUS = f" or negedge {RESET}"
BUILD = 600  # seconds that Yosys may take
LIMIT = 60   # seconds of each proof
EQUAL = re.compile(r"UNSATISFIABLE|Property proved")


def outside(memory):
    """The text of a memory whose contents are outside the circuit."""
    return memory[:memory.index(");\n") + len(");\n")] + MEMORY_BODY


def build(texts, files, top, parameters, folder):
    """The circuit of these texts, by their paths: {path: text}; `files`: those to read, in their order. None: Yosys takes too long for it.
    Raises RuntimeError, with what Yosys said."""
    source = folder / "source"
    for path, text in texts.items():
        if path == MEMORY:
            text = outside(text)
        if path == files[0]:
            text = FREE + text
        (source / path).parent.mkdir(parents=True, exist_ok=True)
        (source / path).write_text(text.replace(ASYNCHRONOUS, ""))
    given = " ".join(f"-G {name}={value}" for name, value in parameters.items())
    (folder / "script.ys").write_text(GATES.format(top=top, parameters=given, files=" ".join(files)))
    made = folder / "circuit.blif"
    made.unlink(missing_ok=True)
    yowasp.ensure_yosys()
    try:
        done = subprocess.run(list(map(str, yowasp.yosys(folder / "script.ys", folder, list(texts)))), cwd=source, timeout=BUILD, text=True,
                              errors="replace", stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    except subprocess.TimeoutExpired:
        return None
    if not made.exists():
        raise RuntimeError(done.stdout[-2000:])
    return Circuit(aig.Netlist(made.read_text()), folder)


class Circuit:
    """A circuit with a wire for each of some mutants."""

    def __init__(self, netlist, folder):
        self.netlist = netlist
        self.folder = folder
        self.switches = {name: int(found[1]) for name in netlist.inputs if (found := re.search(r"u_muster_mutant_(\d+)\.bit_o$", name))}
        self.mutants = set(self.switches.values())
        self.none = dict.fromkeys(self.switches, aig.Graph.constant(False))
        graph = aig.Graph()
        leaves = {name: graph.input() for name in [*self.netlist.inputs, *self.netlist.registers]}
        self.right = graph, self.netlist.evaluate(graph, leaves | self.none)
        self.lock = threading.Lock()  # of that graph

    def chosen(self, number):
        """The wires of this mutant, and their values."""
        return {name: aig.Graph.constant(True) for name, mutant in self.switches.items() if mutant == number}

    def in_every_state(self, number):
        """In AIGER's format: in some state, for some input, outputs or next states differ. None: they never do."""
        graph, right = self.right
        with self.lock:
            wrong = self.netlist.change(graph, right, self.chosen(number))
            return graph.aiger(graph.differ(self.netlist.ends(right), self.netlist.ends(wrong)))

    def from_reset(self, number):
        """In AIGER's format: in some cycle but the first, outputs differ. None: they never do. In the first cycle there is a reset, and registers hold any value."""
        graph = aig.Graph()
        inputs = {name: graph.input() for name in self.netlist.inputs}
        power_up = {name: graph.input() for name in self.netlist.registers}
        later = graph.register()
        graph.next[later] = graph.constant(True)
        if RESET in inputs:
            inputs[RESET] = graph.both(inputs[RESET], later)
        outputs = []
        for wires in (self.none, self.none | self.chosen(number)):
            states = {name: graph.register() for name in power_up}
            now = {name: graph.either(later, state, power_up[name]) for name, state in states.items()}
            out, then = self.netlist.ends(self.netlist.evaluate(graph, inputs | now | wires))
            graph.next |= {states[name]: literal for name, literal in then.items()}
            outputs.append((out, {}))
        return graph.aiger(graph.both(later, graph.differ(*outputs)))

    def proves(self, difference, name, commands):
        """Whether the output of a circuit in AIGER's format is never 1."""
        if difference is None:
            return True
        file = self.folder / f"{name}.aig"
        file.write_bytes(difference)
        try:
            done = subprocess.run(["yosys-abc", "-c", f"read_aiger {file.name}; strash; {commands}"], cwd=self.folder, timeout=LIMIT,
                                  text=True, errors="replace", stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        except subprocess.TimeoutExpired:
            return False
        finally:
            file.unlink()
        return EQUAL.search(done.stdout) is not None

    def why_different(self, number, from_reset=True):
        """Why a mutant is not proven equivalent, as a clause; None: it is. `from_reset`: if the logic differs, the circuits
        from the reset on are compared, which takes longer."""
        try:
            if self.proves(self.in_every_state(number), f"{number}.state", "iprove"):
                return None
            if not from_reset:
                return "it differs in some state"
            if self.proves(self.from_reset(number), f"{number}.reset", "scorr; pdr -T 5"):
                return None
        except aig.Loop as loop:
            return f"with it {loop} depends on itself"
        return "no proof succeeds"
