#!/usr/bin/env python3
# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""Tests of scripts/mutations.py and scripts/mutate.py: what is made of a small module, and of the RTL; which are tried.

  mutations.py CASE   runs one case
  mutations.py --list the names of all cases but those that need Yosys
"""

import pathlib
import re
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
import equivalent  # noqa: E402, after its folder is known
import mutate  # noqa: E402
import mutations  # noqa: E402
import systemverilog  # noqa: E402
import yowasp  # noqa: E402

CASES = {}
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
  output logic             c_o
);
  logic [Width-1:0] count_q;
  logic             seen_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      count_q <= '0;
      seen_q  <= 1'b0;
    end else begin
      if (on_i && (on_i || a_i[0])) count_q <= count_q + a_i;
      seen_q <= on_i;
    end
  end

  assign b_o = count_q;
  assign c_o = seen_q;
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


@case
def nothing_selected():
    """Without brackets and conditions that always hold, the text is what it was."""
    def plain(text):
        text = re.sub(r"//[^\n]*|if \(1\)|begin|end\b|[()\s]", "", text)
        return text
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
def whole_rtl():
    """It reads each file of rtl/muster.f."""
    listed = [line for line in (ROOT / "rtl/muster.f").read_text().split() if line.startswith("rtl/")]
    _, mutants = mutations.instrument({path: (ROOT / path).read_text() for path in listed})
    without = set(listed) - {mutant["file"] for mutant in mutants}
    expect(all("_pkg" in path for path in without), f"no mutants in {sorted(without)}")


@needs_yosys
def equivalence():
    """Of a module with registers: proven equivalent are the mutants that change nothing, and no others."""
    with tempfile.TemporaryDirectory() as folder:
        tree = pathlib.Path(folder)
        written, mutants = mutations.instrument({"sums.sv": SUMS})
        (tree / "rtl/common").mkdir(parents=True)
        (tree / "rtl/common/muster_assert.svh").touch()
        (tree / "sums.sv").write_text(mutations.PACKAGE + written["sums.sv"])
        yowasp.ensure_yosys()
        proven = set()
        for mutant in mutants:
            why = equivalent.why_different(mutant["number"], "sums", [{"Width": "2"}, {"Width": "3"}], tree, ["sums.sv"], tree / "proof")
            expect(why is None or why.startswith("it "), f"{mutant}: {why}")
            if why is None:
                proven.add((mutant["line"], mutant["kind"], mutant["after"]))
    expect(proven == {(19, "constant", "1"), (19, "operand", "(on_i)")}, str(sorted(proven)))
    expect({(16, "constant"), (16, "assignment"), (17, "constant")} <= {(mutant["line"], mutant["kind"]) for mutant in mutants},
           "no mutant of a reset")


def main():
    if sys.argv[1:] == ["--list"]:
        print("\n".join(CASES))
        return
    (CASES | WITH_YOSYS)[sys.argv[1]]()


if __name__ == "__main__":
    main()
