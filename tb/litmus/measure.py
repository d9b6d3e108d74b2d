#!/usr/bin/env python3
# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""Compares `muster litmus` with the verdicts that suites of others state, and keeps the table of sim/litmus/README.md.

  measure.py MUSTER NAME FOLDER CSV   the tests that the CSV names (lines "path below FOLDER,0 or 1"; 1: the condition is
                                      as its quantifier asks), and files the row NAME in measured.json
  measure.py MUSTER NAME FOLDER CSV --ends
                                      likewise, where 1 says that all threads end
  measure.py MUSTER NAME FOLDER       the tests in the format of the mixed-proxy artifact, with assert and permit
  measure.py --all MUSTER NAME FOLDER every .litmus file: whether it is read and decided
  measure.py                          writes the table of the page from measured.json
  measure.py --check                  exit code 1 if the table is not what the file makes

Nothing of a suite is kept but counts, and the names of tests with another verdict: `disagree` where arguments.toml has a
reason, else `missed`.
"""

import argparse
import collections
import itertools
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
PAGE = HERE.parents[1] / "sim/litmus/README.md"
FILE, ARGUMENTS = HERE / "measured.json", HERE / "arguments.toml"
BEGIN, END = "<!-- measured: written by tb/litmus/measure.py -->\n", "<!-- end of measured -->\n"


def answers(muster, files):
    """What muster says of each file: (answer, "") or (None, the error)."""
    said = {}
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "answers.json"
        for file in files:
            done = subprocess.run([muster, "litmus", file, "--json", out], capture_output=True, text=True, check=False)
            said[file] = (json.loads(out.read_text())[0], "") if done.returncode in (0, 1, 6) else (None, done.stderr.strip())
    return said


def ended(answer):
    return "may not end" not in answer["verdict"]


def listed(folder, csv):
    """(file, name, whether it holds) of each line of a CSV."""
    for line in csv.read_text().splitlines():
        if line.strip():
            name, verdict = line.rsplit(",", 1)
            yield folder / name, pathlib.Path(name).stem, verdict.strip() == "1"


def threads_of(text):
    """((device, block), instructions) of each thread of a mixed-proxy test."""
    for device, block, body in re.findall(r"d(\d+)\.b(\d+)\.t\d+\s*\{(.*?)\}", text, re.S):
        yield (device, block), [line.strip() for line in body.split(";") if line.strip()]


def translated(instruction, filters, thread):
    """An instruction in the syntax of a litmus file; what it says of the value read goes to the filters."""
    match = re.fullmatch(r"(.*?)\s*==\s*(\d+)", instruction)
    if match:
        instruction = match[1]
        filters.append(f"P{thread}:{instruction.split()[1].rstrip(',')} == {match[2]}")
    instruction = re.sub(r"\[(\w+)\]", r"\1", instruction)
    operation, _, operands = instruction.partition(" ")
    operation = re.sub(r"^(su)?(atom|red)\.add\.(.*)$", r"\1\2.\3.add", operation).replace("ldc", "cold")
    if operation in ("ld", "st", "suld", "sust", "tld", "cold"):
        operation += ".weak"
    return f"{operation} {operands}".strip()


def litmus_of(text):
    """(litmus file, whether its condition holds) of each question of a mixed-proxy test without parameters."""
    filters, columns, owner = [], [], {}
    for number, ((device, block), instructions) in enumerate(threads_of(text)):
        columns.append([f"P{number}@cta {block},gpu {device}"] + [translated(i, filters, number) for i in instructions])
        for instruction in instructions:
            match = re.match(r"(?:ld|tld|suld|ldc|atom|suatom)\S*\s+(r\d+)", instruction)
            if match:
                owner[match[1]] = f"P{number}:{match[1]}"
    memory = "".join(f"{name} = 0;\n" for name in re.findall(r"\.(?:global|shared)\s+(\w+)\s*;", text))
    for name, other in re.findall(r"\.(?:global|shared)\s+(\w+)\s+physically\s+aliases\s+(\w+)", text):
        memory += f"{name} @ generic aliases {other};\n"
    for kind, name, other in re.findall(r"\.(tex|surf)ref\s+(\w+)\s+virtually\s+aliases\s+(\w+)", text):
        memory += f"{name} @ {'texture' if kind == 'tex' else 'surface'} aliases {other};\n"
    rows = "".join(" | ".join(cells) + " ;\n" for cells in itertools.zip_longest(*columns, fillvalue=""))
    asked = "filter (" + " /\\ ".join(filters) + ")\n" if filters else ""
    for word, condition, _ in re.findall(r"(assert|permit)\s*\((.*)\)\s*as\s+(\w+)", text):
        condition = re.sub(r"\br\d+\b", lambda found: owner[found[0]], condition.replace("&&", "/\\").replace("||", "\\/"))
        yield f"PTX test\n{{\n{memory}}}\n{rows}{asked}{'forall' if word == 'assert' else 'exists'} ({condition})\n"


def mixed_proxy(folder, scratch):
    """(file, name, True) of each test of the artifact: what it asserts holds always, what it permits can be."""
    for source in sorted(folder.rglob("*.test")):
        text, _, table = source.read_text().partition("$$")
        rows = [[cell.strip() for cell in line.split("|")] for line in table.splitlines() if line.strip()] or [[]]
        for number, row in enumerate(rows):
            whole = re.sub(r"\$(\d+)", lambda found, row=row: row[int(found[1])], text)
            for question, litmus in enumerate(litmus_of(whole)):
                file = scratch / f"{source.stem}-{number}-{question}.litmus"
                file.write_text(litmus)
                yield file, file.stem, True


def reason(name, ends):
    """Why a verdict may differ, or None."""
    for argument in tomllib.loads(ARGUMENTS.read_text())["argument"]:
        if name in argument["tests"] and argument.get("ends", False) in (ends, None):
            return argument["why"]
    return None


def compared(said, tests, ends):
    """The row of the table."""
    row = collections.Counter(right=0, disagree=0, missed=0, unsupported=0)
    differ, seconds = [], 0.0
    for file, name, theirs in tests:
        answer, _ = said[file]
        if answer is None or not (answer["complete"] or "allowed" in answer["verdict"]):
            row["unsupported"] += 1
            continue
        seconds += answer["seconds"]
        ours = ended(answer) if ends else answer["holds"]
        if ours == theirs:
            row["right"] += 1
        else:
            row["disagree" if reason(name, ends) else "missed"] += 1
            differ.append(name)
    return {"tests": len(tests), **row, "seconds": round(seconds, 2), "differ": sorted(differ)}


def file_row(name, row):
    rows = json.loads(FILE.read_text()) if FILE.exists() else {}
    rows[name] = row
    FILE.write_text(json.dumps(rows, indent=2) + "\n")
    print(name, {key: value for key, value in row.items() if key != "differ"}, *row["differ"], sep="\n  ")


def table():
    lines = ["| suite | tests | right | disagree | missed | not supported | seconds |", "|---|---|---|---|---|---|---|"]
    for name, row in json.loads(FILE.read_text()).items():
        cells = [name, *(row[key] for key in ("tests", "right", "disagree", "missed", "unsupported", "seconds"))]
        lines.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join(lines) + "\n"


def page(check):
    text = PAGE.read_text()
    begin, end = text.index(BEGIN) + len(BEGIN), text.index(END)
    if check:
        sys.exit(0 if text[begin:end] == table() else f"{PAGE}: the table is not what {FILE} makes: run tb/litmus/measure.py")
    PAGE.write_text(text[:begin] + table() + text[end:])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--ends", action="store_true")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("arguments", nargs="*", metavar="MUSTER NAME FOLDER [CSV]")
    options = parser.parse_args()
    if not options.arguments:
        return page(options.check)
    if len(options.arguments) not in (3, 4):
        parser.error("MUSTER NAME FOLDER and, unless it is the mixed-proxy artifact's, CSV")
    muster, name, folder, *csv = options.arguments
    folder = pathlib.Path(folder)
    with tempfile.TemporaryDirectory() as scratch:
        if options.all:
            tests = [(file, file.stem, None) for file in sorted(folder.rglob("*.litmus"))]
        elif csv:
            tests = list(listed(folder, pathlib.Path(csv[0])))
        else:
            tests = list(mixed_proxy(folder, pathlib.Path(scratch)))
        said = answers(pathlib.Path(muster).resolve(), [file for file, _, _ in tests])
        if options.all:
            for file, (answer, error) in said.items():
                if answer is None or not (answer["complete"] or "allowed" in answer["verdict"]):
                    print(error or f"{file}: not decided")
            stuck = sum(answer is not None and not ended(answer) for answer, _ in said.values())
            print(f"{name}: {len(tests)} tests, of {stuck} of which threads may not end")
            return None
        file_row(name, compared(said, tests, options.ends))
    return None


if __name__ == "__main__":
    main()
