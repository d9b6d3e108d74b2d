# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""Mutations of SystemVerilog from its syntax: all of them in one text, of which a number selects one at run time.

An expression `a & b` becomes `(muster_mutant_pkg::selected == 17 ? (a | b) : a & b)`, a statement `x_q <= '0;`
becomes `begin if (muster_mutant_pkg::selected != 18) x_q <= '0; end`. With 0 selected the text is what it was. For proofs a wire of the
module selects each mutant. It reads as much of the language as rtl/ is written in. What must be constant (parameters, dimensions, conditions of generate blocks, bounds
of loops, functions that these call) is left alone, and so are assertions and the heads of modules.
"""

import hashlib
import re

from systemverilog import OPENS, SyntaxProblem, Tokens, split_gap

SELECTED = "muster_mutant_pkg::selected"
WIRE = "muster_mutant_{number}"
PACKAGE = """// Which mutant is active: in simulation the number in the environment variable MUSTER_MUTANT, in a proof the macro.
// 0, or none: no mutant.
package muster_mutant_pkg;
`ifdef SYNTHESIS
  localparam int unsigned selected = `MUSTER_MUTANT;
`else
  function automatic int unsigned number();
    return $c32("std::getenv(\\"MUSTER_MUTANT\\") == nullptr ? 0 : std::strtoul(std::getenv(\\"MUSTER_MUTANT\\"), nullptr, 10)");
  endfunction
  int unsigned selected = number();
`endif
endpackage
"""

# Binary operators by their precedence, the weakest first, and what each may become.
LEVELS = [["||"], ["&&"], ["|"], ["^", "~^", "^~"], ["&"], ["==", "!=", "===", "!==", "==?", "!=?"],
          ["<", "<=", ">", ">=", "inside"], ["<<", ">>", "<<<", ">>>"], ["+", "-"], ["*", "/", "%"], ["**"]]
OTHER = {"||": "&&", "&&": "||", "|": "&", "&": "|", "^": "|", "==": "!=", "!=": "==", "<": "<=", "<=": "<", ">": ">=",
         ">=": ">", "<<": ">>", ">>": "<<", "+": "-", "-": "+"}
EITHER_SIDE = {"||", "&&", "|", "&"}  # `a && b` also becomes `a`, and `b`
LEFT_SIDE = {"<<", ">>", "+", "-"}    # `a + b` also becomes `a`
UNARY = {"!", "~", "-", "+", "&", "|", "^", "~&", "~|", "~^"}
ASSIGNMENTS = {"=", "<=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="}
TYPES = {"logic", "bit", "int", "byte", "shortint", "longint", "integer", "wire", "string", "void", "signed", "unsigned"}


class Node:
    """An expression: as it was, and with its mutants."""

    def __init__(self, plain, live=None):
        self.plain = plain
        self.live = plain if live is None else live


class Mutator:
    """Reads one file, and writes it with its mutants, which it numbers from `first` on. `only`: with the mutants of these numbers;
    `wires`: for proofs, a wire selects each."""

    def __init__(self, text, path, first, constant=(), only=None, wires=False):
        self.tokens = Tokens(text, path)
        self.path = path
        self.first = first
        self.constant = set(constant)  # functions that must stay constant
        self.called = set()            # functions that constants call
        self.functions = {}            # name: functions that it calls
        self.only = only
        self.wires = wires
        self.mutants = []
        self.fixed = 0                 # above 0: what is read must be constant
        self.assigned = set()          # variables with a value already, in combinational logic
        self.clocked = False
        self.module = ""

    # -- mutants -----------------------------------------------------------------------------------

    def number(self, kind, line, before, after):
        number = self.first + len(self.mutants)
        self.mutants.append({"number": number, "file": self.path, "line": line, "module": self.module, "kind": kind,
                             "before": " ".join(split_gap(before)[1].split()), "after": " ".join(after.split())})
        return number

    def selected(self, number, sign="=="):
        """The condition that this mutant is selected (or not: !=); None: it is left out."""
        if self.only is not None and number not in self.only:
            return None
        if self.wires:
            return ("" if sign == "==" else "!") + WIRE.format(number=number)
        return f"{SELECTED} {sign} {number}"

    def wrap(self, node, line, variants):
        """The expression, or one of these (kind, text) if it is selected."""
        if self.fixed or not variants:
            return node
        gap, live = split_gap(node.live)
        for kind, text in variants:
            condition = self.selected(self.number(kind, line, node.plain, text))
            if condition:
                live = f"({condition} ? {text} : ({live}))"
        return Node(node.plain, gap + live)

    def unless(self, number, statement):
        """The statement, but not if this mutant is selected."""
        condition = self.selected(number, "!=")
        return f"begin if ({condition}) {statement} end" if condition else statement

    # -- expressions -------------------------------------------------------------------------------

    def constant_text(self, text):
        """What must be constant is left alone, and so are the functions that it calls."""
        self.called |= set(re.findall(r"\b([a-z_]\w*)\s*\(", text))
        return text

    def expression(self):
        line = self.tokens.line
        cond = self.binary(0)
        if self.tokens.peek() != "?":
            return cond
        mark = self.tokens.take()
        yes = self.expression()
        colon = self.tokens.take(":")
        no = self.expression()
        plain = cond.plain + mark + yes.plain + colon + no.plain
        node = Node(plain, cond.live + mark + yes.live + colon + no.live)
        if "'{" in plain:
            return node
        return self.wrap(node, line, [("condition", f"({yes.plain})"), ("condition", f"({no.plain})")])

    def binary(self, level):
        if level == len(LEVELS):
            return self.unary()
        line = self.tokens.line
        left = self.binary(level + 1)
        while self.tokens.peek() in LEVELS[level]:
            sign = self.tokens.peek()
            line = self.tokens.line
            op = self.tokens.take()
            if sign == "inside":
                left = self.inside(left, op, line)
                continue
            right = self.binary(level + 1)
            node = Node(left.plain + op + right.plain, left.live + op + right.live)
            variants = []
            if sign in OTHER:
                variants.append(("operator", f"({left.plain} {OTHER[sign]} {right.plain})"))
            if sign in EITHER_SIDE | LEFT_SIDE:
                variants.append(("operand", f"({left.plain})"))
            if sign in EITHER_SIDE:
                variants.append(("operand", f"({right.plain})"))
            left = self.wrap(node, line, variants)
        return left

    def inside(self, left, op, line):
        start = self.tokens.at
        text = self.tokens.balanced()
        names = [item[1] for item in self.tokens.items[start + 1:self.tokens.at - 1]]
        node = Node(left.plain + op + text, left.live + op + text)
        variants = [("operator", f"(!({left.plain}{op}{text}))")]
        if not set(names) & set(OPENS) and len(names) > 1:
            values = " ".join(names).split(",")
            for left_out in range(len(values)):
                rest = ",".join(values[:left_out] + values[left_out + 1:])
                variants.append(("value", f"({left.plain} inside {{{rest}}})"))
        return self.wrap(node, line, variants)

    def unary(self):
        if self.tokens.peek() not in UNARY:
            return self.primary()
        line = self.tokens.line
        sign = self.tokens.peek()
        op = self.tokens.take()
        operand = self.unary()
        node = Node(op + operand.plain, op + operand.live)
        variants = {"!": [("operator", f"(({operand.plain}) != '0)")], "~": [("operator", f"({operand.plain})")],
                    "|": [("operator", f"(&{operand.plain})")], "&": [("operator", f"(|{operand.plain})")],
                    "^": [("operator", f"(|{operand.plain})")]}
        return self.wrap(node, line, variants.get(sign, []))

    def primary(self):
        tokens = self.tokens
        line, kind, text = tokens.line, tokens.kind(), tokens.peek()
        if kind == "number":
            if tokens.peek(1) == "'(":  # a cast to so many bits
                return self.cast(tokens.take())
            return self.literal(line)
        if kind == "string":
            return Node(tokens.take())
        if text == "(":
            start = tokens.at
            size = tokens.balanced()
            if tokens.peek() == "'(":
                return self.cast(size)
            tokens.at = start
            opening = tokens.take()
            inner = self.expression()
            closing = tokens.take(")")
            return self.selects(Node(opening + inner.plain + closing, opening + inner.live + closing))
        if text == "{":
            return self.selects(self.concatenation())
        if text == "'{":
            return self.pattern()
        if kind == "name":
            return self.named()
        raise SyntaxProblem(f"{self.path}:{line}: no expression begins with {text!r}")

    def literal(self, line):
        text = self.tokens.peek()
        node = Node(self.tokens.take())
        sized = re.fullmatch(r"(\d+)\s*'([bdh])([\da-fA-F_]+)", text)
        if text in ("'0", "'1"):
            variants = ["'1" if text == "'0" else "'0"]
        elif sized:
            bits, base = int(sized[1]), {"b": 2, "d": 10, "h": 16}[sized[2]]
            value = int(sized[3].replace("_", ""), base)
            variants = sorted({(value + 1) % 2**bits, value ^ (1 << (bits - 1))} - {value})
            variants = [f"{bits}'d{other}" for other in variants]
        elif text.isdigit():
            variants = [str(int(text) + 1)]
        else:
            variants = []
        return self.wrap(node, line, [("constant", other) for other in variants])

    def cast(self, head):
        opening = self.tokens.take("'(")
        inner = self.expression()
        closing = self.tokens.take(")")
        return self.selects(Node(head + opening + inner.plain + closing, head + opening + inner.live + closing))

    def concatenation(self):
        tokens = self.tokens
        opening = tokens.take("{")
        start = tokens.at
        first = self.constantly(self.expression)
        if tokens.peek() == "{":  # a replication
            inner = self.concatenation()
            closing = tokens.take("}")
            return Node(opening + first.plain + inner.plain + closing, opening + first.plain + inner.live + closing)
        tokens.at = start
        plain = live = opening
        while True:
            item = self.expression()
            comma = tokens.take()
            plain += item.plain + comma
            live += item.live + comma
            if comma.endswith("}"):
                return Node(plain, live)

    def constantly(self, read):
        self.fixed += 1
        try:
            return read()
        finally:
            self.fixed -= 1

    def pattern(self):
        tokens = self.tokens
        plain = live = tokens.take("'{")
        while tokens.peek() != "}":
            if tokens.peek(1) == ":" and tokens.kind() in ("name", "number"):
                key = tokens.take() + tokens.take()
                plain, live = plain + key, live + key
            start = tokens.at
            item = self.constantly(self.expression)
            if tokens.peek() == "{":  # '{4{x}}
                inner = self.concatenation()
                item = Node(item.plain + inner.plain, item.plain + inner.live)
            else:
                tokens.at = start
                item = self.expression()
            comma = tokens.take() if tokens.peek() == "," else ""
            plain, live = plain + item.plain + comma, live + item.live + comma
        closing = tokens.take("}")
        return Node(plain + closing, live + closing)

    def named(self):
        """A name, with what is selected of it; a call; a cast."""
        tokens = self.tokens
        name = tokens.peek()
        node = Node(tokens.take())
        while tokens.peek() == "::":
            head = tokens.take()
            name = tokens.peek()
            head += tokens.take()
            node = Node(node.plain + head, node.live + head)
        if tokens.peek() == "'(":
            return self.cast(node.plain)
        if tokens.peek() == "'{":
            inner = self.pattern()
            return Node(node.plain + inner.plain, node.live + inner.live)
        if tokens.peek() == "(":
            if name in ("$bits", "$clog2", "$size", "$signed", "$unsigned") or name.startswith("`"):
                text = node.plain + tokens.balanced()
                return self.cast(text) if tokens.peek() == "'(" else Node(text)
            return self.selects(self.call(node))
        return self.selects(node)

    def call(self, node):
        tokens = self.tokens
        opening = tokens.take("(")
        plain, live = node.plain + opening, node.live + opening
        while tokens.peek() != ")":
            item = self.expression()
            comma = tokens.take() if tokens.peek() == "," else ""
            plain, live = plain + item.plain + comma, live + item.live + comma
        closing = tokens.take(")")
        return Node(plain + closing, live + closing)

    def selects(self, node):
        tokens = self.tokens
        plain, live = node.plain, node.live
        others = []  # (condition, what is selected under it)
        while tokens.peek() in ("[", "."):
            start = tokens.at
            part = Node(tokens.take() + tokens.take() if tokens.peek() == "." else tokens.balanced())
            words = {item[1] for item in tokens.items[start:tokens.at]}
            other = []
            if "[" in words and not words & {":", "+:", "-:"} and not re.search(r"\bg_\w+$", plain):
                tokens.at = start
                part, *after = self.index()
                other = [(condition, plain + text) for condition, text in after]
            others = [(condition, text + part.plain) for condition, text in others] + other
            plain, live = plain + part.plain, live + part.live
        for condition, text in others:
            gap, live = split_gap(live)
            live = f"{gap}({condition} ? {text} : {live})"
        return Node(plain, live)

    def index(self):
        """`[i]`; and, in a text for proofs, the condition of the next index and that index: so both are constant where `i` is."""
        line = self.tokens.line
        opening = self.tokens.take("[")
        index = self.expression()
        closing = self.tokens.take("]")
        after, others = f"({index.plain}) + 1", []
        if not self.fixed and not re.fullmatch(r"\s*\d+", index.plain):
            if not self.wires:
                index = self.wrap(index, line, [("index", after)])
            elif condition := self.selected(self.number("index", line, index.plain, after)):
                others.append((condition, opening + after + closing))
        return Node(opening + index.plain + closing, opening + index.live + closing), *others

    # -- statements --------------------------------------------------------------------------------

    def condition(self):
        """`(a)` of an if: also never, and always."""
        line = self.tokens.line
        if [self.tokens.peek(ahead) for ahead in range(4)] == ["(", "!", "rst_ni", ")"]:
            return self.tokens.balanced()  # else it is no reset any more
        opening = self.tokens.take("(")
        inner = self.expression()
        inner = self.wrap(inner, line, [("condition", "1'b0"), ("condition", "1'b1")])
        return opening + inner.live + self.tokens.take(")")

    def statement(self):
        tokens = self.tokens
        word = tokens.peek()
        if word == "begin":
            return self.block()
        if word in ("unique", "priority", "unique0"):
            return tokens.take() + self.statement()
        if word == "if":
            return self.if_statement()
        if word in ("case", "casez"):
            return self.case_statement()
        if word == "for":
            text = tokens.take()
            return text + self.constant_text(tokens.balanced()) + self.statement()
        if word == "return":
            text = tokens.take()
            return text + ("" if tokens.peek() == ";" else self.expression().live) + tokens.take(";")
        if word == ";":
            return tokens.take()
        if word in TYPES or word in ("automatic", "static", "localparam", "break", "continue", "void'") or word.startswith(("`", "$")) \
                or (tokens.kind() == "name" and (tokens.kind(1) == "name" or tokens.peek(1) == "::")):
            return self.macro_or_declaration()
        return self.assignment()

    def macro_or_declaration(self):
        tokens = self.tokens
        if not tokens.peek().startswith("`"):
            return self.constant_text(tokens.until(";"))
        text = tokens.take()
        return text + (tokens.balanced() if tokens.peek() == "(" else "") + (tokens.take() if tokens.peek() == ";" else "")

    def block(self):
        tokens = self.tokens
        text = tokens.take("begin") + self.label()
        while tokens.peek() != "end":
            text += self.statement()
        return text + tokens.take("end") + self.label()

    def label(self):
        return self.tokens.take() + self.tokens.take() if self.tokens.peek() == ":" else ""

    def if_statement(self):
        text = self.tokens.take("if") + self.condition() + self.statement()
        if self.tokens.peek() == "else":
            text += self.tokens.take() + self.statement()
        return text

    def case_statement(self):
        tokens = self.tokens
        text = tokens.take()
        opening = tokens.take("(")
        text += opening + self.expression().live + tokens.take(")")
        if tokens.peek() == "inside":
            text += tokens.take()
        while tokens.peek() != "endcase":
            line = tokens.line
            if tokens.peek() == "default":
                label = tokens.take() + (tokens.take() if tokens.peek() == ":" else "")
            else:
                label = tokens.until(":")
            body = self.statement()
            if body.strip() == ";" or self.fixed:
                text += label + body
                continue
            number = self.number("case item", line, label, "nothing")
            text += f"{label} {self.unless(number, f'begin{body} end')}"
        return text + tokens.take("endcase")

    def assignment(self):
        tokens = self.tokens
        line = tokens.line
        if tokens.peek() == "{":
            target = tokens.balanced()
        else:
            target = tokens.take()
            while tokens.peek() in ("[", "."):
                target += tokens.balanced() if tokens.peek() == "[" else tokens.take() + tokens.take()
        if tokens.peek() in ("++", "--"):
            return target + tokens.take() + tokens.take(";")
        if tokens.peek() == "(":
            return self.call(Node(target)).live + tokens.take(";")
        sign = tokens.peek()
        if sign not in ASSIGNMENTS:
            raise SyntaxProblem(f"{self.path}:{line}: no assignment: {target.strip()} {sign}")
        op = tokens.take()
        value = self.expression()
        end = tokens.take(";")
        gap, bare = split_gap(target)
        variables = set(re.findall(r"[A-Za-z_]\w*", re.sub(r"\[.*?\]|\.\w+", "", bare)))
        removable = self.clocked or variables <= self.assigned
        self.assigned |= variables
        text = bare + op + value.live + end
        if self.fixed or not removable:
            return gap + text
        number = self.number("assignment", line, bare + op + value.plain, "nothing")
        return gap + self.unless(number, text)

    # -- modules and packages ------------------------------------------------------------------------

    def file(self):
        text = ""
        while self.tokens.kind() != "end":
            text += self.item()
        return text + self.tokens.items[-1][2]

    def item(self):
        tokens = self.tokens
        word = tokens.peek()
        if word in ("module", "package"):
            return self.design_unit()
        if word == "assign":
            return self.continuous()
        if word in ("always_comb", "always_ff", "always_latch"):
            return self.process()
        if word == "function":
            return self.function()
        if word == "initial":
            return tokens.take() + self.constantly(self.statement)
        if word in ("if", "for", "case"):
            return self.generate()
        if word == "begin":
            return self.generate_block()
        if word.startswith(("`", "$")):
            return self.macro_or_declaration()
        if tokens.kind() == "name" and word not in TYPES and (tokens.peek(1) == "#" or
                                                              (tokens.kind(1) == "name" and tokens.peek(2) == "(")):
            return self.instance()
        return self.constant_text(tokens.until(";"))

    def design_unit(self):
        tokens = self.tokens
        kind = tokens.peek()
        text = tokens.take()
        self.module = tokens.peek()
        text += tokens.take()
        while tokens.peek() != ";":
            if tokens.peek() == "import":
                text += tokens.until(";")
            else:
                text += self.constant_text(tokens.balanced()) if tokens.peek() in OPENS else tokens.take()
        text += tokens.take()
        first, body = len(self.mutants), ""
        while tokens.peek() != f"end{kind}":
            body += self.item()
        return text + self.switches(self.mutants[first:]) + body + tokens.take() + self.label()

    def switches(self, mutants):
        """The wires that select these; what drives them is in scripts/mutation/equivalent.py."""
        wires = [WIRE.format(number=mutant["number"]) for mutant in mutants if self.wires and self.selected(mutant["number"])]
        return "".join(f"\n  logic {wire};\n  (* keep *) muster_free u_{wire} (.bit_o({wire}));" for wire in wires)

    def continuous(self):
        tokens = self.tokens
        text = tokens.take("assign") + tokens.until("=")
        return text + self.expression().live + tokens.take(";")

    def process(self):
        tokens = self.tokens
        self.clocked = tokens.peek() == "always_ff"
        self.assigned = set()
        text = tokens.take()
        if tokens.peek() == "@":
            text += tokens.take() + tokens.balanced()
        text += self.statement()
        self.clocked = False
        return text

    def function(self):
        tokens = self.tokens
        text = tokens.take("function")
        head = tokens.until(";")
        name = re.search(r"(\w+)\s*(\(|;)", head)[1]
        start = tokens.at
        self.fixed += name in self.constant
        self.assigned = set()
        while tokens.peek() != "endfunction":
            text_of = self.statement()
            head += text_of
        self.fixed -= name in self.constant
        words = [item[1] for item in tokens.items[start:tokens.at]]
        self.functions[name] = {word for word, after in zip(words, words[1:]) if after == "("}
        return text + head + tokens.take() + self.label()

    def generate(self):
        tokens = self.tokens
        word = tokens.peek()
        text = tokens.take() + self.constant_text(tokens.balanced())
        if word == "case":
            while tokens.peek() != "endcase":
                text += tokens.until(":") + self.item()
            return text + tokens.take()
        text += self.item()
        if tokens.peek() == "else":
            text += tokens.take() + self.item()
        return text

    def generate_block(self):
        tokens = self.tokens
        text = tokens.take("begin") + self.label()
        while tokens.peek() != "end":
            text += self.item()
        return text + tokens.take() + self.label()

    def instance(self):
        """An input port may also be stuck."""
        tokens = self.tokens
        text = tokens.take()
        if tokens.peek() == "#":
            text += tokens.take() + self.constant_text(tokens.balanced())
        text += tokens.take() + tokens.take("(")
        while tokens.peek() != ")":
            line = tokens.line
            dot = tokens.take(".")
            port = tokens.peek()
            dot += tokens.take()
            text += dot
            if tokens.peek() == "(":
                opening = tokens.take()
                if tokens.peek() == ")" or not port.endswith("_i"):
                    tokens.at -= 1
                    text += tokens.balanced()
                else:
                    text += opening + self.connection(line, self.expression()).live + tokens.take(")")
            elif port.endswith("_i") and not port.endswith("clk_i") and not self.fixed:
                text += f" ({self.connection(line, Node(port)).live})"
            if tokens.peek() == ",":
                text += tokens.take()
        return text + tokens.take(")") + tokens.take(";")

    def connection(self, line, node):
        if "'{" in node.plain or re.fullmatch(r"\s*('[01]|\d+'\w+|\w*clk\w*(\[\w+\])?)", node.plain):
            return node
        return self.wrap(node, line, [("connection", "'0"), ("connection", "'1")])


def closure(called, functions):
    """These functions, and those that they call."""
    known, left = set(), set(called)
    while left:
        name = left.pop()
        known.add(name)
        left |= functions.get(name, set()) - known
    return known


def give_names(mutants):
    """Gives each a name that stays the same when something else changes."""
    seen = {}
    for mutant in mutants:
        what = "|".join(mutant[key] for key in ("file", "kind", "before", "after"))
        seen[what] = seen.get(what, 0) + 1
        mutant["name"] = hashlib.sha256(f"{what}|{seen[what]}".encode()).hexdigest()[:8]


def instrument(texts, paths=None, only=None, wires=False):
    """Of {path: text}: {path: text with mutants}, and the mutants, numbered from 1 on; in these paths only. `only`: the texts
    have the mutants of these numbers; `wires`: for proofs, a wire selects each."""
    called, functions = set(), {}
    for path, text in texts.items():
        mutator = Mutator(text, path, 1)
        mutator.file()
        called |= mutator.called
        functions |= mutator.functions
    constant = closure(called, functions)
    written, mutants = {}, []
    for path in texts if paths is None else paths:
        mutator = Mutator(texts[path], path, len(mutants) + 1, constant, only, wires)
        written[path] = mutator.file()
        mutants += mutator.mutants
    give_names(mutants)
    return written, mutants
