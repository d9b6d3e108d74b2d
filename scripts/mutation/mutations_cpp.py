# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""Mutations of C++ from clang's syntax tree: all of them in one text, of which a number selects one at run time, as in mutations.py.

An expression `a && b` becomes `(muster_mutant::selected == 17 ? (a || b) : (a && b))`, a statement `x = y;` becomes
`{ if (muster_mutant::selected != 18) { x = y; } }`. What must be constant, what macros make and declarations are left alone.
"""

import json
import pathlib
import re
import subprocess

from mutations import EITHER_SIDE, LEFT_SIDE, OTHER, give_names
from systemverilog import SyntaxProblem

SELECTED = "muster_mutant::selected"
# Put before each source: which mutant is active.
PROLOGUE = """\
#include <cstdlib>
namespace muster_mutant {
inline const unsigned long selected =
    std::getenv("MUSTER_MUTANT") == nullptr ? 0 : std::strtoul(std::getenv("MUSTER_MUTANT"), nullptr, 10);
}
"""
CONSTANT = {"ConstantExpr", "StaticAssertDecl", "EnumDecl", "CXXDefaultArgExpr", "FieldDecl", "ParmVarDecl", "TemplateArgument"}
NO_STATEMENT_ALONE = {"CompoundStmt", "DeclStmt", "ReturnStmt", "IfStmt", "ForStmt", "WhileStmt", "CXXForRangeStmt", "DoStmt", "SwitchStmt",
                      "CaseStmt", "DefaultStmt", "NullStmt"}
NAMED = {"DeclRefExpr", "MemberExpr", "CallExpr", "CXXMemberCallExpr"}  # whose result may be negated
BLANKS = re.compile(r"(?:\s|//[^\n]*)*")


class Edit:
    """A part of the text that has mutants. `variants`: (kind, what it becomes), which is "nothing" for a statement that is left out."""

    def __init__(self, begin, end, statement):
        self.begin, self.end, self.statement = begin, end, statement
        self.variants = []
        self.logical = False  # it is a bool, and what it becomes may be anything that is true or false


class Mutator:
    """Finds the mutants of a source in its tree."""

    def __init__(self, text, path):
        self.bytes = text.encode()  # clang counts bytes
        self.path = path
        self.edits = {}
        self.last_breaks = set()  # the spans of those that end a switch: without them nothing changes

    def text(self, begin, end):
        return self.bytes[begin:end].decode()

    @staticmethod
    def kids(node):
        return [kid for kid in node.get("inner", []) if kid]

    def span(self, node):
        """Where it is; None: in another file, or made by a macro."""
        begin, end = node.get("range", {}).get("begin", {}), node.get("range", {}).get("end", {})
        if "offset" not in begin or "offset" not in end or "includedFrom" in begin:
            return None
        return begin["offset"], end["offset"] + end["tokLen"]

    def add(self, span, kind, after, statement=False):
        if span is None:
            return
        edit = self.edits.setdefault((*span, statement), Edit(*span, statement))
        if (kind, after) not in edit.variants:
            edit.variants.append((kind, after))

    # -- what becomes of each kind of node -----------------------------------------------------------

    def visit(self, node, local=False):
        kind = node.get("kind")
        begin = node.get("range", {}).get("begin", {})
        if kind in CONSTANT or node.get("constexpr") or "expansionLoc" in begin or "includedFrom" in begin:
            return
        if kind == "VarDecl" and not local and node.get("type", {}).get("qualType", "").startswith("const "):
            return  # perhaps something constant is made of it
        handle = getattr(self, f"of_{kind}", None)
        if handle:
            handle(node, self.span(node))
        # Of a loop over a range the rest is not written by anybody.
        for kid in self.kids(node)[-1:] if kind == "CXXForRangeStmt" else self.kids(node):
            self.visit(kid, kind == "DeclStmt")

    def of_BinaryOperator(self, node, span):
        sign = node["opcode"]
        sides = [self.span(kid) for kid in self.kids(node)]
        if sign not in OTHER or None in sides:
            return
        left, right = (self.text(*side) for side in sides)
        self.add(span, "operator", f"{left} {OTHER[sign]} {right}")
        if sign in EITHER_SIDE | LEFT_SIDE:
            self.add(span, "operand", left)
        if sign in EITHER_SIDE:
            self.add(span, "operand", right)
        if sign in ("&&", "||") and (edit := self.edits.get((*(span or ()), False))):
            edit.logical = True

    def of_UnaryOperator(self, node, span):
        operand = self.span(self.kids(node)[0])
        if node["opcode"] in "!~-" and operand:
            self.add(span, "operator", f"static_cast<bool>({self.text(*operand)})" if node["opcode"] == "!" else self.text(*operand))

    def of_IntegerLiteral(self, _, span):
        match = span and re.fullmatch(r"(0[xX][\da-fA-F']+|0[bB][01']+|[\d']+)([uUlL]*)", self.text(*span))
        if not match:
            return
        value, suffix = int(match[1].replace("'", ""), 0), match[2]
        self.add(span, "constant", f"{value + 1 if match[1].isdigit() else value ^ 1}{suffix}")
        if not match[1].isdigit() and value > 1:  # without its highest bit
            self.add(span, "constant", f"{value ^ 1 << value.bit_length() - 1}{suffix}")

    def of_CXXBoolLiteralExpr(self, node, span):
        self.add(span, "constant", "false" if node["value"] else "true")

    def of_ReturnStmt(self, node, _):
        for value in self.kids(node):
            while value["kind"] in ("ImplicitCastExpr", "ExprWithCleanups", "ParenExpr") and self.kids(value):
                value = self.kids(value)[0]
            span = self.span(value)
            if value["kind"] in NAMED and value.get("type", {}).get("qualType") in ("bool", "const bool") and span:
                self.add(span, "result", f"!({self.text(*span)})")

    def condition(self, node, values):
        span = self.span(node)
        if node["kind"] != "DeclStmt":
            for value in values:
                self.add(span, "condition", value)

    def of_IfStmt(self, node, _):
        kids = self.kids(node)
        if not node.get("hasVar") and not node.get("isConstexpr"):
            at = int(bool(node.get("hasInit")))
            self.condition(kids[at], ("false", "true"))
        for kid in kids[1:]:
            self.statement(kid)

    def of_ConditionalOperator(self, node, _):
        self.condition(self.kids(node)[0], ("false", "true"))

    def of_WhileStmt(self, node, _):
        if not node.get("hasVar"):
            self.condition(self.kids(node)[0], ("false",))
        self.statement(self.kids(node)[-1])

    def of_ForStmt(self, node, _):
        condition = node["inner"][2]
        if condition:
            self.condition(condition, ("false",))
        self.statement(node["inner"][-1])

    def of_CXXForRangeStmt(self, node, _):
        self.statement(self.kids(node)[-1])

    def of_CompoundStmt(self, node, _):
        for kid in self.kids(node):
            self.statement(kid)

    def of_SwitchStmt(self, node, _):
        last = node
        while last["kind"] in ("SwitchStmt", "CompoundStmt", "CaseStmt", "DefaultStmt") and self.kids(last):
            last = self.kids(last)[-1]
        if last["kind"] == "BreakStmt":
            self.last_breaks.add(self.span(last))

    def of_CaseStmt(self, node, _):
        self.statement(self.kids(node)[-1])

    of_DefaultStmt = of_CaseStmt

    def statement(self, node):
        """A statement that may be left out: an expression, break or continue."""
        span = self.span(node)
        if node["kind"] in NO_STATEMENT_ALONE or span is None or span in self.last_breaks or "expansionLoc" in node["range"]["begin"]:
            return
        begin, end = span
        end += len(BLANKS.match(self.bytes[end:].decode())[0].encode())
        if self.bytes[end:end + 1] != b";":
            return
        self.add((begin, end + 1), "statement", "nothing", True)
        if node["kind"] == "CompoundAssignOperator" and (other := OTHER.get(node["opcode"][:-1])):
            left, right = (self.span(kid) for kid in self.kids(node))
            if left and right:
                self.add((begin, end + 1), "operator", f"{self.text(*left)} {other}= {self.text(*right)};", True)

    # -- the text ------------------------------------------------------------------------------------

    def written(self, first):
        """The text with the mutants, which are numbered from here on, and the mutants."""
        mutants = []
        # An edit around another one comes first; of the same part, the statement does.
        edits = sorted(self.edits.values(), key=lambda edit: (edit.begin, -edit.end, not edit.statement))
        number = {}
        for edit in edits:
            for variant in edit.variants:
                number[edit, variant] = first + len(mutants)
                before = " ".join(self.text(edit.begin, edit.end).split())
                mutants.append({"number": number[edit, variant], "file": self.path, "line": self.bytes[:edit.begin].count(b"\n") + 1, "module": "",
                                "kind": variant[0], "before": before, "after": " ".join(variant[1].split())})
        at = 0

        def part(begin, end):
            nonlocal at
            text, here = "", begin
            while at < len(edits) and edits[at].begin < end:
                edit = edits[at]
                if edit.end > end:
                    raise SyntaxProblem(f"{self.path}: {self.text(edit.begin, edit.end)!r} and what is around it overlap")
                at += 1
                text += self.text(here, edit.begin) + wrapped(edit, part(edit.begin, edit.end))
                here = edit.end
            return text + self.text(here, end)

        def wrapped(edit, live):
            if not edit.statement:
                for variant in edit.variants:
                    becomes = f"static_cast<bool>({variant[1]})" if edit.logical else f"({variant[1]})"
                    live = f"({SELECTED} == {number[edit, variant]} ? {becomes} : ({live}))"
                return live
            for variant in edit.variants:
                other = "" if variant[1] == "nothing" else f" else {{ {variant[1]} }}"
                live = f"{{ if ({SELECTED} != {number[edit, variant]}) {{ {live} }}{other} }}"
            return live
        text = part(0, len(self.bytes))
        return PROLOGUE + text, mutants


def trees(path, root):
    """The syntax trees of a source as clang writes them, of the namespace that has the name of its folder."""
    namespace = f"muster::{pathlib.PurePath(path).parent.name}"
    command = ["clang++", "-std=c++17", "-I.", "-fsyntax-only", "-Xclang", "-ast-dump=json", "-Xclang", f"-ast-dump-filter={namespace}", path]
    done = subprocess.run(command, cwd=root, text=True, capture_output=True)
    if done.returncode:
        raise SyntaxProblem(f"{path}: clang cannot read it: {done.stderr[:400]}")
    decoder, at, found = json.JSONDecoder(), 0, []
    while match := re.compile(r"\s*(?=\{)").match(done.stdout, at):
        tree, at = decoder.raw_decode(done.stdout, match.end())
        found.append(tree)
    return found


def instrument(texts, root):
    """Of {path: text}: {path: text with mutants}, and the mutants, numbered from 1 on."""
    written, mutants = {}, []
    for path, text in texts.items():
        mutator = Mutator(text, path)
        for tree in trees(path, root):
            mutator.visit(tree)
        written[path], some = mutator.written(len(mutants) + 1)
        mutants += some
    give_names(mutants)
    return written, mutants
