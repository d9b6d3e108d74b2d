#!/usr/bin/env python3
# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""Compares `muster explore` with the verdicts that suites of others state, and keeps the tables of sim/explore/README.md.

  measure.py explore MUSTER NAME FOLDER VERDICTS   explores the manifests that VERDICTS names (lines "path below FOLDER,clean" or
                                                   ",wrong"), a job and at most five seconds each, and files the row NAME
  measure.py check MUSTER NAME FOLDER              `muster check` of each .ptx file in FOLDER, and files the row NAME
  measure.py                                       writes the tables of the page from measured.json
  measure.py --check                               exit code 1 if they are not what the file makes

A kernel is wrong where there is a finding. That results differ between orders is none here: most of these kernels expect nothing.
Nothing of a suite is kept but counts, and the names of kernels with another verdict.
"""

import collections
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
PAGE = HERE.parents[1] / "sim/explore/README.md"
FILE = HERE / "measured.json"
BEGIN, END = "<!-- measured: written by tb/explore/measure.py -->\n", "<!-- end of measured -->\n"
OPTIONS = ["--time", "5", "--jobs", "1"]
PATIENCE = 60  # seconds for a kernel: a run that has begun, and what runs on the unit, go on beyond --time


def refused_by(said):
    """What a kernel was refused for, in a few words."""
    lines = [line for line in said.splitlines() if line.strip()]
    first = re.sub(r"^\S+:\d+:\d+: ", "", lines[0]) if lines else "no reason"
    instruction = re.search(r"instruction (\S+)", first)
    return instruction[1] if instruction else re.sub(r"the function \S+ has no body.*", "a function without a body", first)


def explored(muster, manifest):
    """Whether there is a finding, or None and why not."""
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder) / "report.json"
        command = [muster, "explore", manifest, *OPTIONS, "--report", report]
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            return None, f"no answer in {PATIENCE} s"
        if not report.exists():
            return None, refused_by(done.stderr)
        kinds = {finding["kind"] for finding in json.loads(report.read_text())["findings"]}
    return bool(kinds - {"differing_result"}), ""


def row_of_explore(muster, folder, verdicts):
    row = {"clean": 0, "wrong": 0, "right": 0, "missed": [], "false": [], "unsupported": collections.Counter()}
    begin = time.time()
    for line in filter(None, verdicts.read_text().splitlines()):
        name, verdict = line.rsplit(",", 1)
        row[verdict] += 1
        found, why = explored(muster, folder / name)
        said = None if found is None else "wrong" if found else "clean"
        if said is None:
            row["unsupported"][why] += 1
        elif said == verdict:
            row["right"] += 1
        else:
            row["false" if said == "wrong" else "missed"].append(pathlib.Path(name).with_suffix("").as_posix())
        print(f"{name}: {verdict}, and said: {said or why}", file=sys.stderr, flush=True)
    return {**row, "seconds": round(time.time() - begin)}


def row_of_check(muster, folder):
    row = {"files": 0, "lines": 0, "accepted": 0, "refused": collections.Counter(), "seconds": 0.0}
    for file in sorted(folder.glob("*.ptx")):
        begin = time.time()
        done = subprocess.run([muster, "check", file], capture_output=True, text=True, check=False)
        row["seconds"] = round(row["seconds"] + time.time() - begin, 2)
        row["files"] += 1
        row["lines"] += file.read_text().count("\n")
        if done.returncode == 0:
            row["accepted"] += 1
        else:
            row["refused"][refused_by(done.stdout + done.stderr)] += 1
    return row


def counted(reasons):
    return ", ".join(f"{count} ({reason})" for reason, count in sorted(reasons.items())) or "0"


def tables():
    filed = json.loads(FILE.read_text())
    lines = ["| suite | kernels | with a bug | right | missed | false alarms | not supported | seconds |\n", f"|{'---|' * 8}\n"]
    for name, row in filed["explore"].items():
        cells = [name, row["clean"] + row["wrong"], row["wrong"], row["right"], len(row["missed"]), len(row["false"]),
                 counted(row["unsupported"]), row["seconds"]]
        lines.append(f"| {' | '.join(map(str, cells))} |\n")
    lines += ["\n| `muster check` | files | lines | accepted | refused | seconds |\n", f"|{'---|' * 6}\n"]
    for name, row in filed["check"].items():
        cells = [name, row["files"], f"{row['lines']:,}", row["accepted"], counted(row["refused"]), row["seconds"]]
        lines.append(f"| {' | '.join(map(str, cells))} |\n")
    return "".join(lines)


def page():
    """The page as it is, and as it must be."""
    text = PAGE.read_text()
    before, rest = text.split(BEGIN)
    return text, before + BEGIN + tables() + END + rest.split(END)[1]


def main():
    if sys.argv[1:2] in (["explore"], ["check"]):
        what, muster, name, *paths = sys.argv[1:]
        row = (row_of_explore if what == "explore" else row_of_check)(muster, *map(pathlib.Path, paths))
        filed = json.loads(FILE.read_text()) if FILE.exists() else {"explore": {}, "check": {}}
        filed[what][name] = row
        FILE.write_text(json.dumps(filed, indent=2) + "\n")
        return
    old, new = page()
    if sys.argv[1:] == ["--check"]:
        if old != new:
            sys.exit(f"{PAGE}: its tables are not those of {FILE}; run {sys.argv[0]}")
    elif sys.argv[1:]:
        sys.exit(__doc__)
    else:
        PAGE.write_text(new)


if __name__ == "__main__":
    main()
