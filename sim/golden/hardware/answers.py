#!/usr/bin/env python3
# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""Holds the unit against what a GPU answered to the questions: h200_answers.json, and why answers differ (answers.toml).

A question is answered alike if it ends alike, and what is left in `out` is the same; of one that is `measured`, such as cycles or how often
something is seen, `out` is not compared, and of one that traps neither. README.md has a section on what differs and what was measured.

  answers.py MUSTER            runs the questions on the unit; exit code 1: an answer differs and has no reason, or the page has another section
  answers.py MUSTER --write    writes the section; then the same
"""

import concurrent.futures
import json
import os
import pathlib
import sys
import tempfile
import tomllib

import questions
import verdicts

HERE = pathlib.Path(__file__).resolve().parent
PAGE = HERE / "README.md"
MARKS = "<!-- answers.py writes this -->\n", "<!-- answers.py: to here -->\n"


def load(name):
    return json.loads((HERE / name).read_text())


def unit(muster, names):
    """How each question ends on the unit."""
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        questions.write(pathlib.Path(folder))
        return dict(zip(names, pool.map(lambda name: verdicts.run(muster, pathlib.Path(folder) / f"{name}.json"), names)))


def difference(row, here, there):
    """What differs, in a few words; None: nothing."""
    kind = verdicts.KINDS[there["outcome"].split(":")[0]]
    if here.kind != kind:
        return f"{there['outcome']}, the unit {here.outcome}"
    if kind == "trap" or row.get("measured"):
        return None
    places = [i for i, (ours, theirs) in enumerate(zip(here.out, there["out"], strict=True)) if ours != theirs]
    if not places:
        return None
    at = places[0]
    return f"{len(places)} of {len(here.out)} words, as out[{at}]: {there['out'][at]:#x}, the unit {here.out[at]:#x}"


def cycles(answers):
    """A table of how long 16 atomics of a warp take that follow each other, divided by 16."""
    text = "| atomic in shared memory | at one word | a word for each lane |\n|---|---|---|\n"
    for name in sorted(answers):
        if name.startswith("atom_cycles_") and not name.endswith("_apart"):
            here, apart = (max(answers[one]["out"]) / 16 for one in (name, f"{name}_apart"))
            text += f"| `{name.removeprefix('atom_cycles_').replace('_', '.')}` | {here:.0f} | {apart:.0f} |\n"
    return text


def rates(rows, answers):
    """A table of what was counted in many rounds."""
    text = "| question | what it left in `out` |\n|---|---|\n"
    for name, answer in answers.items():
        if rows[name].get("measured"):
            words = answer["out"] if len(answer["out"]) <= 8 else [sum(answer["out"])]
            told = ", ".join(f"{word:,}" for word in words) + (" in all" if len(answer["out"]) > 8 else "")
            text += f"| `{name}` | {told} |\n"
    return text


def section(rows, recording, differ, reasons):
    text = (f"{len(recording['answers'])} questions were put to an {recording['gpu']}; {len(recording['answers']) - len(differ)} are answered as by the unit. "
            f"The others:\n\n| why | question | what differs |\n|---|---|---|\n")
    for reason in reasons:
        for number, name in enumerate(reason["questions"]):
            text += f"| {reason['why'] if number == 0 else ''} | `{name}` | {differ[name]} |\n"
    text += f"\nCycles of an atomic by all lanes of a warp, which waits for the answer of the one before:\n\n{cycles(recording['answers'])}"
    return text + f"\nCounted in {recording['rounds']:,} rounds:\n\n{rates(rows, recording['often'])}"


def complaints(differ, reasons):
    known = [name for reason in reasons for name in reason["questions"]]
    for name in sorted(set(differ) - set(known)):
        yield f"{name} is answered otherwise ({differ[name]}), and answers.toml has no reason"
    for name in sorted(set(known)):
        if name not in differ or known.count(name) > 1:
            yield f"{name}: answers.toml has a reason too many"


def main():
    muster, options = pathlib.Path(sys.argv[1]), sys.argv[2:]
    rows, recording = questions.table(), load("h200_answers.json")
    reasons = tomllib.loads((HERE / "answers.toml").read_text())["reason"]
    ends = unit(muster, list(recording["answers"]))
    differ = {name: what for name, there in recording["answers"].items() if (what := difference(rows[name], ends[name], there))}
    wrong = list(complaints(differ, reasons))
    if not wrong:
        page = PAGE.read_text()
        before, rest = page.split(MARKS[0])
        new = before + MARKS[0] + section(rows, recording, differ, reasons) + MARKS[1] + rest.split(MARKS[1])[1]
        if options == ["--write"]:
            PAGE.write_text(new)
        elif new != page:
            wrong.append(f"{PAGE.name}: its section is not that of the recording; run answers.py --write")
    print("".join(f"{what}\n" for what in wrong) + f"{len(recording['answers'])} questions, {len(differ)} answered otherwise, {len(wrong)} complaints")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
