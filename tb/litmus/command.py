#!/usr/bin/env python3
# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""How `muster litmus` ends, and what it writes: verdicts, reasons, bad input, kernels for run and explore.

  command.py MUSTER CASE   runs one case, in a folder of its own
  command.py --list        the names of all cases
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import time

import jsonschema

ROOT = pathlib.Path(__file__).resolve().parents[2]
TESTS = sorted((ROOT / "sim/kernels/litmus").glob("*.litmus"))
SCHEMA = json.loads((ROOT / "sim/litmus/litmus.schema.json").read_text())
CASES = {}


def case(function):
    """Makes a function a case of this name."""
    CASES[function.__name__] = function
    return function


def run(muster, *arguments, codes=(0,)):
    """Runs muster, which must end with one of the codes. Returns its output and its errors."""
    done = subprocess.run([muster, *map(str, arguments)], capture_output=True, text=True, check=False)
    if done.returncode not in codes:
        sys.exit(f"{' '.join(map(str, arguments))}: exit code {done.returncode}, not {codes}\n{done.stdout}{done.stderr}")
    return done.stdout, done.stderr


def expect(holds, what):
    if not holds:
        sys.exit(what)


def write(folder, question, cells="st.weak x, 1 | ", head=""):
    """Writes a test of two threads, and returns its path."""
    file = folder / "test.litmus"
    file.write_text(f"PTX test\n{head}{{\nx = 0;\n}}\n P0@cta 0,gpu 0 | P1@cta 0,gpu 0 ;\n {cells} ;\n{question}\n")
    return file


@case
def verdicts(muster, folder):
    """All tests that ship are as they say; each answer fits the schema, and has its execution."""
    out, _ = run(muster, "litmus", *TESTS, "--json", folder / "answers.json")
    answers = json.loads((folder / "answers.json").read_text())
    jsonschema.validate(answers, SCHEMA)
    expect(len(answers) == len(TESTS), "an answer is missing")
    for answer in answers:
        expect(f"{answer['file']}: {answer['name']}: {', '.join(answer['verdict'])}\n" in out, f"no heading of {answer['name']}")
        expect(("execution" in answer) == ("allowed" in answer["verdict"]), f"{answer['name']} has no execution of its outcome")
        expect(("race" in answer) == ("race" in answer["verdict"]), f"{answer['name']} has no execution of its race")
        expect(("may_not_end" in answer) == ("may not end" in answer["verdict"]), f"{answer['name']} does not say what does not end")


@case
def codes(muster, folder):
    """0 if the condition is as its quantifier asks or, with a line "Verdict:", as that says; else 1."""
    for question, code in (("exists (x == 1)", 0), ("exists (x == 0)", 1), ("~exists (x == 1)", 1), ("~exists (x == 0)", 0),
                           ("forall (x == 1)", 0), ("forall (x == 0)", 1), ("filter (x == 0)\nforall (x == 7)", 0)):
        run(muster, "litmus", write(folder, question), codes=(code,))
    run(muster, "litmus", write(folder, "exists (x == 0)", head="Verdict: forbidden\n"))
    out, _ = run(muster, "litmus", write(folder, "exists (x == 0)", head="Verdict: forbidden, race\n"), codes=(1,))
    expect("the file says: forbidden, race" in out, "it does not tell what the file says")


@case
def undecided(muster, folder):
    """A loop of more rounds than are tried: 6, and it says so; with more rounds it is decided."""
    file = write(folder, "exists (x == 5)", "LC00: red.relaxed.gpu.add x, 1 ; add r0, r0, 1 ; bne r0, 5, LC00 | ")
    out, _ = run(muster, "litmus", file, codes=(6,))
    expect("test: undecided\n  longer rounds of the loops were not tried" in out, "it does not say what was not tried")
    run(muster, "litmus", file, "--rounds", 4)


@case
def time_limit(muster, folder):
    """A test with more executions than can be seen in a second: 6, soon, and it says so."""
    cells = [" ; ".join([f"st.weak x, {thread}"] + [f"ld.weak r{i}, x" for i in range(9)]) for thread in (1, 2)]
    began = time.monotonic()
    out, _ = run(muster, "litmus", write(folder, "exists (P0:r0 == 9)", " | ".join(cells)), "--time", 1, codes=(6,))
    expect("test: undecided" in out and "not all executions were seen in the time" in out, out)
    expect(time.monotonic() - began < 30, "it took far more than a second")


@case
def bad_input(muster, folder):
    """2, and one sentence with file and line."""
    file = write(folder, "exists (x == 1)", "mbarrier.init x, 1 | ")
    _, errors = run(muster, "litmus", file, codes=(2,))
    expect(errors == f'{file}:6: no such instruction in a litmus test: "mbarrier.init x, 1"\n', errors)
    _, errors = run(muster, "litmus", folder / "none.litmus", codes=(2,))
    expect(errors.count("\n") == 1 and "none.litmus" in errors, errors)
    _, errors = run(muster, "litmus", TESTS[0], TESTS[1], "--emit", folder / "k", codes=(2,))
    expect("give one file" in errors, errors)
    _, errors = run(muster, "litmus", file, "--json", file, codes=(2,))
    expect("test.litmus" in errors, errors)
    surface = ROOT / "sim/kernels/litmus/proxy-surface.litmus"
    _, errors = run(muster, "litmus", surface, "--emit", folder / "k", codes=(2,))
    expect("no kernel can be written" in errors, errors)


@case
def emits(muster, folder):
    """What `muster explore` finds in the kernel of each test is what the model says of the test: a data race or none,
    threads that wait for ever or none, and no outcome that is forbidden."""
    kernels = 0
    for test in TESTS:
        done = subprocess.run([muster, "litmus", test, "--emit", folder / test.stem, "--json", folder / "answer.json"],
                              capture_output=True, text=True, check=False)
        if done.returncode == 2:
            expect("no kernel can be written" in done.stderr, done.stderr)
            continue
        kernels += 1
        verdict = json.loads((folder / "answer.json").read_text())[0]["verdict"]
        run(muster, "explore", folder / f"{test.stem}.json", "--time", 20, "--report", folder / "report.json", codes=(0, 3, 7))
        report = json.loads((folder / "report.json").read_text())
        kinds = {finding["kind"] for finding in report["findings"]}
        expect(("data_race" in kinds) == ("race" in verdict), f"{test.stem}: {verdict}, and explore finds {kinds}")
        expect("wrong_result" not in kinds, f"{test.stem}: explore finds an outcome that is forbidden")
        # What only the memory model lets spin for ever is in no order of events.
        spins = test.stem.startswith("spin") and test.stem != "spin-deadlock"
        expect("deadlock" not in kinds if spins else ("deadlock" in kinds) == ("may not end" in verdict),
               f"{test.stem}: {verdict}, and explore finds {kinds}")
    expect(kernels > 50, f"{kernels} kernels alone were written")


def main():
    if sys.argv[1:] == ["--list"]:
        print("\n".join(CASES))
        return
    with tempfile.TemporaryDirectory() as folder:
        CASES[sys.argv[2]](pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(folder))


if __name__ == "__main__":
    main()
