#!/usr/bin/env python3
# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""Tests of scripts/mutation/mutations.py and scripts/mutation/mutate.py: what is made of a small module, and of the RTL; which are tried.

  mutations.py CASE   runs one case
  mutations.py --list the names of all cases but those that need Yosys
"""

import argparse
import concurrent.futures
import contextlib
import io
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest.mock

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts/common"))
import root  # noqa: E402, F401, finds the scripts
import aig  # noqa: E402
import equivalent  # noqa: E402
import mutate  # noqa: E402
import mutations  # noqa: E402
import mutations_cpp  # noqa: E402
import subjects  # noqa: E402
import systemverilog  # noqa: E402

CASES = {}
SKIPPED = 77
WITH_YOSYS = {}
MODULE = """\
module example
  import some_pkg::*;
#(
  parameter int unsigned Width = 4 + 2
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic [Width-1:0] a_i,
  output logic             b_o
);
  localparam int unsigned Half = half(Width);
  logic [Half:0] count_q;
  logic some, more;

  function automatic int unsigned half(int unsigned of);
    return of / 2 + 1;
  endfunction

  assign some = a_i[0] && !more;  // a comment (with brackets
  if (Width > 3) begin : g_wide
    always_comb begin
      more = '0;
      for (int i = 0; i < 3; i++) begin
        if (a_i[i] == 1'b1) more = 1'b1;
      end
    end
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) count_q <= '0;
    else begin
      unique case (state)
        Idle:    count_q <= count_q + 2'd1;
        default: ;
      endcase
    end
  end
  muster_first #(.Width (Width + 1)) u_first (.clk_i, .bits_i (a_i), .any_o (b_o));
  `MUSTER_ASSERT(Never, !(some && more), "both")
endmodule
"""


SUMS = """\
module sums #(
  parameter int unsigned Width = 2
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             on_i,
  input  logic [Width-1:0] a_i,
  output logic [Width-1:0] b_o,
  output logic             c_o,
  output logic             d_o
);
  logic [Width-1:0] count_q;
  logic             seen_q, last_q, both_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      count_q <= '0;
      seen_q  <= 1'b0;
      both_q  <= 1'b1;
      last_q  <= 1'b0;
    end else begin
      if (on_i && (on_i || a_i[0])) count_q <= count_q + a_i;
      seen_q <= on_i;
      both_q <= !seen_q;
      last_q <= seen_q;
    end
  end

  assign b_o = count_q;
  assign c_o = seen_q || (both_q && last_q);  // these two are never high together
  always_comb begin
    d_o = a_i[0];
    for (int i = 0; i < Width; i++) d_o = d_o || a_i[i];
  end
endmodule
"""


PROGRAM = """\
#include <cassert>
#include <cstdio>

namespace muster::small {
namespace {

constexpr unsigned kMany = 2 + 3;

bool IsOdd(unsigned n) { return n % 2 == 1; }

template <typename Number>
Number Larger(Number a, Number b) {
  return a > b ? a : b;
}

bool Known(unsigned n) {
  const bool odd = !IsOdd(n);
  return odd;
}

unsigned Sum(const unsigned (&numbers)[kMany]) {
  unsigned sum = 0;
  for (const unsigned number : numbers) {
    assert(number < 100);
    if (number == 3) continue;  // it is not counted
    if (IsOdd(number) && number > 4) {
      sum += number;
    } else {
      sum |= 0x40;
    }
  }
  return sum;
}

}  // namespace

void Show() {
  const unsigned numbers[kMany] = {1, 3, 5, 7, 6};
  std::printf("%u %u %d%d", Sum(numbers), Larger(2U, 5U), Known(4), Known(5));
}

unsigned Weight(unsigned n) {
  switch (n) {
    case 5:
      n += 20;
      break;
    default: {
      n += 7;
      break;
    }
  }
  return n;
}

bool IsLarge(const unsigned* n) { return n && *n > 4; }

}  // namespace muster::small

int main() {
  muster::small::Show();
  std::printf(" %u %u", muster::small::Weight(5), muster::small::Weight(9));
  const unsigned four = 4, five = 5;
  std::printf(" %d%d%d", muster::small::IsLarge(&four), muster::small::IsLarge(&five), muster::small::IsLarge(nullptr));
}
"""


# A module with another one inside, which does not look at one of its inputs.
AROUND = """\
module around (
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic       a_i,
  input  logic       c_i,
  input  logic [1:0] at_i,
  output logic       b_o
);
  logic b;
  muster_mem_1r1w #(.Depth(4), .Width(1)) u_memory (
    .clk_i, .we_i (a_i && (a_i || c_i)), .waddr_i (at_i), .wdata_i (c_i), .raddr_i (at_i), .rdata_o (b)
  );
  assign b_o = b && !(c_i && !c_i);
endmodule
"""


def case(function):
    """Makes a function a case of this name."""
    CASES[function.__name__] = function
    return function


def needs_yosys(function):
    """Makes a function a case that Yosys takes part in."""
    WITH_YOSYS[function.__name__] = function
    return function


def expect(holds, what):
    """Says what does not hold, and ends."""
    if not holds:
        sys.exit(what)


def instrumented():
    written, mutants = mutations.instrument({"small.sv": MODULE})
    return written["small.sv"], mutants


def resolved(text, number):
    """The text in which this number is selected, without blanks: of `(s == 3 ? a : b)` one is left."""
    select = re.compile(r"\(muster_mutant_pkg::selected == (\d+) \? ")
    while match := select.search(text):
        at = match.end()
        parts = []
        for end in ":)":
            depth, start = 0, at
            while depth or text[at] != end or text[at:at + 2] == "::" or text[at - 1:at + 1] == "::":
                depth += (text[at] in "([{") - (text[at] in ")]}")
                at += 1
            parts.append(text[start:at])
            at += 1
        text = text[:match.start()] + "(" + parts[int(match[1]) != number] + ")" + text[at:]
    text = re.sub(r"if \(muster_mutant_pkg::selected != (\d+)\)",
                  lambda match: "if (0)" if int(match[1]) == number else "if (1)", text)
    return text


def plain(text):
    """The text without brackets and conditions that always hold."""
    return re.sub(r"//[^\n]*|if \(1\)|begin|end\b|[()\s]", "", text)


@case
def nothing_selected():
    """Without brackets and conditions that always hold, the text is what it was."""
    text, mutants = instrumented()
    expect(len(mutants) > 20, f"only {len(mutants)} mutants")
    expect(plain(resolved(text, 0)) == plain(MODULE), resolved(text, 0))


@case
def each_changes_something():
    """Each number selects another text; what it becomes is in it."""
    text, mutants = instrumented()
    original = resolved(text, 0)
    seen = {original}
    for mutant in mutants:
        changed = resolved(text, mutant["number"])
        expect(changed != original, f"{mutant} changes nothing")
        if mutant["after"] != "nothing":
            expect(mutant["after"].replace(" ", "") in re.sub(r"//[^\n]*|\s", "", changed), f"{mutant}:\n{changed}")
        seen.add(changed)
    expect(len(seen) == len(mutants) + 1, "two mutants are the same")


@case
def sample_alone():
    """A text with two of them has these two, under the same numbers, and no other."""
    text, mutants = instrumented()
    wanted = {3, len(mutants)}
    few, _ = mutations.instrument({"small.sv": MODULE}, only=wanted)
    found = {int(number) for number in re.findall(r"muster_mutant_pkg::selected [=!]= (\d+)", few["small.sv"])}
    expect(found == wanted, f"{found} are in the text, and not {wanted}")
    for number in (0, *wanted):
        expect(plain(resolved(few["small.sv"], number)) == plain(resolved(text, number)), f"number {number} is another mutant")


@case
def kinds():
    """There is each kind of mutant, with the line that it is in."""
    _, mutants = instrumented()
    found = {(mutant["kind"], mutant["line"], mutant["before"]) for mutant in mutants}
    for wanted in (("operator", 19, "a_i[0] && !more"), ("operand", 19, "a_i[0] && !more"), ("operator", 19, "!more"),
                   ("constant", 22, "'0"), ("condition", 24, "a_i[i] == 1'b1"), ("index", 24, "i"),
                   ("assignment", 24, "more = 1'b1"), ("assignment", 29, "count_q <= '0"), ("case item", 32, "Idle:"),
                   ("connection", 37, "a_i")):
        expect(wanted in found, f"{wanted} is not among {sorted(found)}")


@case
def constants_stay():
    """Parameters, dimensions, generate blocks, bounds of loops, assertions, and functions of constants are left alone."""
    text, mutants = instrumented()
    lines = {mutant["line"] for mutant in mutants}
    expect(not lines & {4, 8, 12, 13, 17, 20, 23, 38}, f"mutants in lines {sorted(lines)}")
    for line in ("= 4 + 2", "[Half:0]", "of / 2 + 1", "if (Width > 3)", "i < 3; i++", "(.Width (Width + 1))"):
        expect(line in text, f"{line!r} has changed:\n{text}")


@case
def other_syntax():
    """What it cannot read it names, with the file and the line."""
    try:
        mutations.instrument({"odd.sv": "module odd;\n  assign a = b <-> <;\nendmodule\n"})
    except systemverilog.SyntaxProblem as problem:
        expect(str(problem).startswith("odd.sv:2: "), str(problem))
    else:
        sys.exit("it read what is no SystemVerilog")


@case
def choosing():
    """Without a sample all are chosen; a sample is the same for the same seed; the parts are the whole, none twice."""
    mutants = [{"name": f"m{number}", "number": number} for number in range(1, 101)]
    expect(mutate.choose(mutants, None, 1, (1, 1)) == mutants, "the whole is not all")
    sample = mutate.choose(mutants, 10, 1, (1, 1))
    expect(len(sample) == 10 and sample == mutate.choose(mutants[:], 10, 1, (1, 1)), str(sample))
    expect(sample != mutate.choose(mutants, 10, 2, (1, 1)), "the seed does not matter")
    for number in (None, 10):
        parts = [mutant["number"] for part in range(1, 5) for mutant in mutate.choose(mutants, number, 1, (part, 4))]
        whole = [mutant["number"] for mutant in mutate.choose(mutants, number, 1, (1, 1))]
        expect(sorted(parts) == whole, f"the parts are {parts}, the whole {whole}")


@case
def after_others():
    """What whole runs of other configurations have caught is left out, and what they have proven is known; one that there has not been is named."""
    with tempfile.TemporaryDirectory() as folder, unittest.mock.patch.object(mutate, "WORK", pathlib.Path(folder)):
        (mutate.WORK / "unit").mkdir()
        for config, row in (("small", {"name": "a", "caught by": "a test"}), ("large", {"name": "b", "differs": None})):
            mutate.Results(mutate.WORK / f"unit/{config}.whole.1of1.jsonl", "programs").add(row)
        for configs, found in (([], (set(), set())), (["small"], ({"a"}, set())), (["small", "large"], ({"a"}, {"b"}))):
            expect(mutate.elsewhere(argparse.Namespace(of="unit", after=configs)) == found, f"after {configs} something else is left")
        try:
            mutate.elsewhere(argparse.Namespace(of="unit", after=["full"]))
        except SystemExit as end:
            expect("--after full" in str(end), f"it says {end}")
        else:
            expect(False, "a run that there has not been is taken")


@case
def whole_rtl():
    """It reads each file of rtl/muster.f."""
    listed = [f"rtl/{line}" for line in (ROOT / "rtl/muster.f").read_text().split() if not line.startswith("+")]
    _, mutants = mutations.instrument({path: (ROOT / path).read_text() for path in listed})
    without = set(listed) - {mutant["file"] for mutant in mutants}
    expect(all("_pkg" in path for path in without), f"no mutants in {sorted(without)}")


@case
def whose():
    """Each source of the hardware is mutated in one subject; the scopes have all variants of their tests."""
    for path in subjects.rtl_files():
        of = [name for name, subject in subjects.SUBJECTS.items() if subject.has(path)]
        outside = path in ("rtl/muster_cfg_pkg.sv", "rtl/muster_template.sv")
        expect(len(of) == (0 if outside else 1), f"{path} is mutated in {of}")
    for scope in ("warp", "cluster"):
        lines = (ROOT / f"tb/unit/{scope}.cmake").read_text().count(f"\nmuster_{scope}_unit(")
        found = subjects.variants(scope)
        expect(len(found) == lines > 4 and all("NumWarps" in parameters for _, parameters in found), f"{scope}: {found}")


@case
def stages():
    """Short attempts come first, then proofs in every state, long attempts, proofs from the reset on; each only of what the one before has left.
    A quick run ends with the first; one on a node has no proofs. What another configuration has proven begins with the proofs in every state."""
    class Fake(mutate.Model):
        def __init__(self, tells, quick=False):
            super().__init__("unit", "small", quick)
            self.tells, self.asked = tells, []

        def says(self, what):
            self.asked.append(what)
            return what == self.tells

        def notices(self, _, attempts):
            what = "short" if attempts == self.short else "long"
            return what if self.says(what) else None

        def prove(self, rows, from_reset, _):
            return ({**row, "differs": None if self.says("reset" if from_reset else "state") else "it differs"} for row in rows)
    for tells, options, asked, fate in (("short", {}, ["short"], "caught"), ("state", {}, ["short", "state"], "equivalent"),
                                        ("long", {}, ["short", "state", "long"], "caught"), ("reset", {}, ["short", "state", "long", "reset"], "equivalent"),
                                        ("", {}, ["short", "state", "long", "reset"], "open"), ("", {"proofs": False}, ["short", "long"], "open"),
                                        ("", {"quick": True}, ["short"], "open"), ("state", {"likely": {"m"}}, ["state"], "equivalent"),
                                        ("short", {"likely": {"m"}}, ["state", "short"], "caught"), ("short", {"likely": {"n"}}, ["short"], "caught")):
        model, results, chosen = Fake(tells, options.get("quick", False)), mutate.Results(), [{"name": "m"}]
        for _ in range(2):  # the second time there is nothing left to do
            with contextlib.redirect_stdout(io.StringIO()):
                mutate.settle(chosen, model, results, options.get("proofs", True), options.get("likely", ()))
        row = results.of(chosen[0])
        expect(model.asked == asked and mutate.fate(row) == fate, f"{model.asked}, {row}")
        expect((mutate.fate(row, {"m": "it does no harm"}) == "explained") == (fate == "open"), f"a reason makes {row} something else")


@case
def proving():
    """A mutant is equivalent if it is in all circuits that have it, of which there is one at least. A circuit is made with what is left."""
    made = []

    class Circuit:
        def __init__(self, equal, different):
            self.equal, self.mutants = equal, {*equal, *different}

        def why_different(self, number, _):
            return None if number in self.equal else "it differs"
    circuits = [Circuit({1, 2}, {3}), Circuit({1, 4}, {2}), None]

    class Fake(subjects.Subject):
        def circuit(self, mutants, top, *_):
            made.append(sorted(mutant["number"] for mutant in mutants))
            return circuits[top]
    for tops, numbers, fates, given in ((2, 5, [None, "it differs", "it differs", None, "too odd"], [[1, 2, 3, 4, 5], [1, 2, 4, 5]]), (2, 0, [], []),
                                        (3, 2, ["Yosys takes too long for 2", "it differs"], [[1, 2], [1, 2], [1]])):
        model = mutate.Model("unit", "small", quick=True)
        model.subject = Fake((), None, None, "", lambda _, tops=tops: [(top, {}) for top in range(tops)], unproven="too odd")
        made.clear()
        found = {row["number"]: row["differs"] for row in model.prove([{"number": number + 1} for number in range(numbers)], True, concurrent.futures.ThreadPoolExecutor(1))}
        expect([found[number] for number in sorted(found)] == fates and made == given, f"{found}, with {made}")


@case
def noticed():
    """A mismatch is noticed, and a cover point that a long regression has not hit; a short one need not hit it."""
    def report(mismatches, cycles, points):
        return {"mismatches": mismatches, "configs": {"small": {"cycles": cycles, "missed": points}}}
    late, early, nameless = ({"seed": seed, "cycle": seed * 100, "what": what} for seed, what in ((2, "release"), (1, "fault"), (0, "")))
    expect(mutate.first_mismatch(report([late, nameless, early], 10, [])) == "seed 1, cycle 100: fault", "another mismatch comes first")
    expect(mutate.first_mismatch(report([nameless], 10, [])) is None, "too few commits are noticed")
    expect(mutate.missed(report([], 999_999, ["idle.park"])) is None, "a short run misses a point")
    expect(mutate.missed(report([], 1_000_000, [])) is None, "all points are hit")
    expect(mutate.missed(report([], 1_000_000, ["idle.park", "reuse", "mb.wake"])) == "idle.park is not hit, nor 2 others", "the points are not named")


def check_reasons(of):
    _, mutants = subjects.SUBJECTS[of].texts()
    there = {mutant["name"] for mutant in mutants}
    for when, why, names in mutate.all_reasons(of):
        expect(there.issuperset(names), f"{of} has not all of the mutants {names} any more: {why}")
        expect(len(why.split()) > 5, f"{names}: that is no reason: {why}")
        expect(any(mutate.holds(when, config) for config in subjects.SUBJECTS[of].configs), f"{names}: no configuration has {when}")


@case
def reasons():
    """Each reason is that of a mutant of the RTL that there is, and says what it becomes."""
    for of in json.loads(mutate.REASONS.read_text()).keys() - {"golden"}:
        check_reasons(of)


@case
def cpp_reasons():
    """Each reason is that of a mutant of the golden model that there is."""
    skip_without_clang()
    check_reasons("golden")


@case
def reasons_are_listed():
    """The list of those that stay open has a place, a change and the reason of each."""
    done = subprocess.run([ROOT / "scripts/mutation/mutate.py", "--of", "warp", "--reasons"], capture_output=True, text=True)
    names = {name for _, _, each in mutate.all_reasons("warp") for name in each}
    listed = re.findall(r"^rtl/\S+:\d+: \w+: .* becomes .*  \((\w+)\)\n    \w", done.stdout, re.MULTILINE)
    expect(done.returncode == 0 and set(listed) == names, f"exit code {done.returncode}, listed are {listed} of {names}: {done.stderr}")


@case
def reasons_hold():
    """A reason that holds with some parameters only explains no mutant in a configuration without them."""
    for when, config, held in (("", "full", True), ("NumIssue=1", "small", True), ("NumIssue=1", "full", False), ("NumIssue=1 EnFaults=0", "small", False),
                               ("NumIssue=1 EnFaults=0", "vortex_like", True)):
        expect(mutate.holds(when, config) == held, f"{when or 'nothing'} {'does not hold' if held else 'holds'} in {config}")
    name = next(names[0] for when, _, names in mutate.all_reasons("unit") if when == "NumIssue=1")
    expect(name in mutate.reasons("unit", "small") and name not in mutate.reasons("unit", "full"), f"{name}: its reason does not go by the ports")


@case
def gates():
    """A circuit is evaluated as gates; what depends on itself is said, unless a constant decides it."""
    netlist = aig.Netlist(""".model m
.inputs a b
.outputs x y
.names $true
1
.gate $_AND_ A=a B=b Y=c
.gate $_NOT_ A=c Y=n
.gate $_AND_ A=n B=y Y=y
.gate $_DFF_P_ C=k D=n Q=q
.names q x
1 1
.end
""")
    graph = aig.Graph()
    a = graph.input()
    right = netlist.evaluate(graph, {"a": 1, "b": 1, "q": a})  # n is 0, and so is y
    expect(netlist.ends(right) == ({"x": a, "y": 0}, {"q": 0}), str(right))
    found = netlist.ends(netlist.change(graph, right, {"q": 1}))
    expect(found == ({"x": 1, "y": 0}, {"q": 0}), str(found))
    for loops in (lambda: netlist.evaluate(graph, {"a": a, "b": 1, "q": 0}), lambda: netlist.change(graph, right, {"a": a})):
        try:
            expect(not netlist.ends(loops()), "a loop has a value")
        except aig.Loop as loop:
            expect(str(loop) == "y", f"{loop} is the loop")


def skip_without_clang():
    if not shutil.which("clang++"):
        print("skipped: there is no clang++ here; `make setup` installs it")
        sys.exit(SKIPPED)


def in_cpp():
    """The program with its mutants, and these."""
    skip_without_clang()
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "small/small.cpp"
        source.parent.mkdir()
        source.write_text(PROGRAM)
        written, mutants = mutations_cpp.instrument({"small/small.cpp": PROGRAM}, folder)
    return written["small/small.cpp"], mutants


@case
def cpp_kinds():
    """There is each kind of mutant of C++, with the line that it is in; what is constant, and what macros make, is left alone."""
    text, mutants = in_cpp()
    found = {(mutant["kind"], mutant["line"], mutant["before"], mutant["after"]) for mutant in mutants}
    for wanted in (("operator", 9, "n % 2 == 1", "n % 2 != 1"), ("constant", 9, "2", "3"), ("operator", 13, "a > b", "a >= b"),
                   ("condition", 13, "a > b", "true"), ("operator", 17, "!IsOdd(n)", "static_cast<bool>(IsOdd(n))"),
                   ("result", 18, "odd", "!(odd)"), ("statement", 25, "continue;", "nothing"),
                   ("operand", 26, "IsOdd(number) && number > 4", "number > 4"), ("condition", 26, "IsOdd(number) && number > 4", "false"),
                   ("operator", 27, "sum += number;", "sum -= number;"), ("statement", 29, "sum |= 0x40;", "nothing"),
                   ("operand", 55, "n && *n > 4", "n"), ("constant", 29, "0x40", "65"), ("constant", 29, "0x40", "0")):
        expect(wanted in found, f"{wanted} is not among {sorted(found)}")
    expect(not {7, 24, 60} & {mutant["line"] for mutant in mutants}, "a constant, an assertion, or another namespace has mutants")
    breaks = [line for line, text_of_line in enumerate(PROGRAM.splitlines(), 1) if "break;" in text_of_line]
    mutated = [mutant["line"] for mutant in mutants if mutant["before"] == "break;"]
    expect(len(breaks) == 2 and mutated == breaks[:1], f"of the breaks in lines {breaks} those in lines {mutated} have mutants")
    expect(len(found) == len(mutants), "a mutant is there twice")


@case
def cpp_runs():
    """The program compiles with all of its mutants; with none selected it does what it did, and with almost any other number something else."""
    text, mutants = in_cpp()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)

        def output(number):
            done = subprocess.run([folder / "small"], env={"MUSTER_MUTANT": str(number)}, capture_output=True, text=True, timeout=20)
            return done.stdout if done.returncode == 0 else f"it ends with {done.returncode}"
        (folder / "small.cpp").write_text(text)
        subprocess.run(["g++", "-std=c++17", "-w", "-o", folder / "small", folder / "small.cpp"], check=True)
        right = output(0)
        expect(right == "76 5 10 25 16 010", right)
        same = {(mutant["line"], mutant["before"], mutant["after"]) for mutant in mutants if output(mutant["number"]) == right}
    harmless = {(13, "a > b", "a >= b"), (13, "a > b", "false"), (25, "3", "4"), (25, "continue;", "nothing"), (25, "number == 3", "false"),
                (26, "number > 4", "number >= 4"), (38, "1", "2"), (38, "3", "4"), (39, "2U", "3U")}
    expect(same == harmless, f"these change nothing: {sorted(same)}")


def proven(text, folder, parameters):
    """Of all mutants of a module those that are proven equivalent with these parameters, and the others: (kind, before, after) of each."""
    name = re.search(r"module (\w+)", text)[1]
    _, mutants = mutations.instrument({f"{name}.sv": text})
    written, _ = mutations.instrument({f"{name}.sv": text}, wires=True)
    texts = {equivalent.MEMORY: subjects.read(equivalent.MEMORY), **written, equivalent.INCLUDED: ""}
    circuit = equivalent.build(texts, [equivalent.MEMORY, f"{name}.sv"], name, parameters, pathlib.Path(folder))
    expect(circuit.mutants == {mutant["number"] for mutant in mutants}, f"{circuit.mutants} are in the circuit")
    found = {True: set(), False: set()}
    for mutant in mutants:
        found[circuit.why_different(mutant["number"]) is None].add(tuple(mutant[key] for key in ("kind", "before", "after")))
    return found[True], found[False]


@needs_yosys
def equivalence():
    """Of a module with registers: proven equivalent are the mutants that change nothing that can be seen after a reset, and no others."""
    for width in (2, 3):
        with tempfile.TemporaryDirectory() as folder:
            equal, others = proven(SUMS, folder, {"Width": width})
        expect(equal == {("operand", "on_i && (on_i || a_i[0])", "(on_i)"), ("operand", "on_i || a_i[0]", "(on_i)"), ("constant", "0", "1"),
                         ("operand", "seen_q || (both_q && last_q)", "( seen_q)"), ("constant", "1'b1", "1'd0"),
                         ("assignment", "last_q <= seen_q", "nothing"), ("assignment", "both_q <= 1'b1", "nothing")}, str(sorted(equal)))
        expect({("constant", "'0", "'1"), ("assignment", "count_q <= '0", "nothing")} <= others, f"no mutant of a reset: {sorted(others)}")
        expect(("index", "i", "(i) + 1") in others, f"no mutant of an index: {sorted(others)}")


@needs_yosys
def equivalence_around():
    """A memory is given the same where a mutant is proven to be equivalent, whatever it does with that."""
    with tempfile.TemporaryDirectory() as folder:
        equal, others = proven(AROUND, folder, {})
    expect(equal == {("operand", "a_i && (a_i || c_i)", "(a_i)"), ("operand", "a_i || c_i", "(a_i)"), ("operand", "b && !(c_i && !c_i)", "( b)")},
           str(sorted(equal)))
    expect({kind for kind, *_ in others} >= {"connection", "operator"}, f"no input of the memory is stuck: {sorted(others)}")


def main():
    if sys.argv[1:] == ["--list"]:
        print("\n".join(CASES))
        return
    (CASES | WITH_YOSYS)[sys.argv[1]]()


if __name__ == "__main__":
    main()
