#!/usr/bin/env python3
# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""Checks what is expected of kernels whose other orders are looked at: that kernels.json has each pair of
sim/kernels/explore, that the lines which it names hold instructions and those marked in the litmus tests accesses, and
that the kinds which they name, those of the report's schema and those of the code are the same."""

import json
import pathlib
import re
import sys

import litmus

HERE = pathlib.Path(__file__).resolve().parent
SIM = HERE.parents[1] / "sim"
PAIRS = SIM / "kernels" / "explore"
sys.path.append(str(PAIRS))
import mend

SCHEMA = json.loads((SIM / "explore" / "explore.schema.json").read_text())
FILES = {"wrong.ptx", "wrong.json"}
KINDS = set(SCHEMA["definitions"]["kind"]["enum"])
RACES = {"data_race", "proxy_race", "source_overwritten", "lifetime"}
NOTE = "collective_order"
BEYOND = ("memory", "late", "launches")
KEYS = {"race", "edge", "why", "sometimes", "doubt", "threads", "arrivals", "zero", "init", "A", "B", "C", "out"}
INSTRUCTION = re.compile(r"\s+(@!?[%\w]+\s+)?[a-z][\w.:]*.*;")
COLLECTIVE = re.compile(r"\s+(@!?[%\w]+\s+)?(shfl|vote|match|redux|elect)\.")
ACCESS = re.compile(r"\s+(@!?[%\w]+\s+)?(ld|st|atom|red|cp|tcgen05\.cp|multimem|suld|sust|sured|tex)\.|\s+(ret|exit);")


def of_schema():
    """Where the schema of the report has other kinds than the code, a sentence."""
    names = re.search(r"kNames\[\] = \{([^}]*)\}", (SIM / "explore" / "suspicions.cpp").read_text())
    if names is None:
        yield "sim/explore/suspicions.cpp has no names of kinds"
        return
    for kind in sorted(KINDS ^ set(re.findall(r'"(\w+)"', names[1]))):
        yield f"{kind} is a kind either only in explore.schema.json or only in suspicions.cpp"


def of_pairs():
    """What is wrong with kernels.json, a sentence each."""
    expected = json.loads((HERE / "kernels.json").read_text())
    folders = {path.parent.name: path.parent for path in PAIRS.glob("*/wrong.json")}
    for name in sorted(expected.keys() ^ folders.keys()):
        yield f"{name} is either only a folder or only in kernels.json"
    for name in sorted(mend.rows().keys() ^ folders.keys()):
        yield f"{name} is either only a folder or only in mended.toml"
    for name in sorted(expected.keys() & folders.keys()):
        what = expected[name]
        missing = FILES - {path.name for path in folders[name].iterdir()}
        if missing:
            yield f"{name} lacks {', '.join(sorted(missing))}"
            continue
        if what.keys() - {"beyond"} != {"kinds", "lines"} or not what["kinds"] or what.get("beyond", "late") not in BEYOND:
            yield f"{name} has not exactly kinds and lines, and what is beyond a written kernel: {' or '.join(BEYOND)}"
            continue
        for kind in sorted(set(what["kinds"]) - KINDS):
            yield f"{name}: there is no kind {kind}"
        text = (folders[name] / "wrong.ptx").read_text().split("\n")
        for line in sorted({line for pair in what["lines"] for line in pair}):
            if not 0 < line <= len(text) or not INSTRUCTION.match(text[line - 1]):
                yield f"{name}: line {line} of wrong.ptx has no instruction"
        if not what["lines"] or any(len(pair) != 2 for pair in what["lines"]):
            yield f"{name}: lines are pairs, and there is at least one"


def of_litmus():
    """What is wrong with the tables of litmus, a sentence each."""
    for name, row in litmus.tests().items():
        if unknown := row.keys() - KEYS:
            yield f"litmus: {name} has {', '.join(sorted(unknown))}, which means nothing"
        text, between, collectives = litmus.kernel(name, row)
        lines = text.split("\n")
        kinds = set(row["race"])
        if not (kinds <= RACES or kinds == {NOTE}):
            yield f"litmus: {name} races as {', '.join(sorted(RACES))}, or as {NOTE} alone"
        if bool(collectives) != (kinds == {NOTE}):
            yield f"litmus: {name} has marked collectives if and only if it races as {NOTE}"
        if len(between) != 2 or not all(ACCESS.match(lines[line - 1]) for line in between):
            yield f"litmus: {name} has two marked accesses"
        if not all(COLLECTIVE.match(lines[line - 1]) for line in collectives):
            yield f"litmus: {name} marks a collective of a warp with +"


def main():
    wrong = [*of_schema(), *of_pairs(), *of_litmus()]
    print("\n".join([*wrong, f"{len(wrong)} complaints"]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
