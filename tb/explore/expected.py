#!/usr/bin/env python3
# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""Checks what is expected of kernels whose other orders are looked at: that kernels.json has each pair of
sim/kernels/explore, and litmus/expected.json each litmus test, that the lines which they name hold instructions,
and that the kinds which they name, those of the report's schema and those of the code are the same."""

import json
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
LITMUS = HERE / "litmus"
SIM = HERE.parents[1] / "sim"
PAIRS = SIM / "kernels" / "explore"
SCHEMA = json.loads((SIM / "explore" / "explore.schema.json").read_text())
FILES = {"wrong.ptx", "wrong.json", "mended.ptx", "mended.json"}
KINDS = set(SCHEMA["definitions"]["kind"]["enum"])
RACES = {"data_race", "proxy_race", "source_overwritten"}
NOTE = "collective_order"
INSTRUCTION = re.compile(r"\s+(@!?[%\w]+\s+)?[a-z][\w.:]*.*;")
COLLECTIVE = re.compile(r"\s+(@!?[%\w]+\s+)?(shfl|vote|match|redux|elect)\.")
ACCESS = re.compile(r"\s+(@!?[%\w]+\s+)?(ld|st|atom|red|cp)\.")


def of_schema():
    """Where the schema of the report has other kinds than the code, a sentence."""
    names = re.search(r"kNames\[\] = \{([^}]*)\}", (SIM / "explore" / "analysis.cpp").read_text())
    if names is None:
        yield "sim/explore/analysis.cpp has no names of kinds"
        return
    for kind in sorted(KINDS ^ set(re.findall(r'"(\w+)"', names[1]))):
        yield f"{kind} is a kind either only in explore.schema.json or only in analysis.cpp"


def of_pairs():
    """What is wrong with kernels.json, a sentence each."""
    expected = json.loads((HERE / "kernels.json").read_text())
    folders = {path.name: path for path in PAIRS.iterdir() if path.is_dir()}
    for name in sorted(expected.keys() ^ folders.keys()):
        yield f"{name} is either only a folder or only in kernels.json"
    for name in sorted(expected.keys() & folders.keys()):
        what = expected[name]
        missing = FILES - {path.name for path in folders[name].iterdir()}
        if missing:
            yield f"{name} lacks {', '.join(sorted(missing))}"
            continue
        if what.keys() != {"bug", "kinds", "lines"} or not what["bug"] or not what["kinds"]:
            yield f"{name} has not exactly a bug, kinds and lines"
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
    """What is wrong with litmus/expected.json, a sentence each."""
    expected = json.loads((LITMUS / "expected.json").read_text())
    for suffix in (".ptx", ".json"):
        files = {path.stem for path in LITMUS.glob(f"*{suffix}")} - {"expected"}
        for name in sorted(expected.keys() ^ files):
            yield f"litmus: {name}{suffix} is either only a file or only in expected.json"
    for name, what in expected.items():
        if not (LITMUS / f"{name}.ptx").is_file():
            continue
        text = (LITMUS / f"{name}.ptx").read_text()
        if ("// A race. " in text) != what["race"] or ("// No race. " in text) == what["race"]:
            yield f"litmus: {name}.ptx and expected.json do not say the same"
        kinds = set(what.get("kinds", []))
        if what["race"] != ("kinds" in what) or not (kinds <= RACES or kinds == {NOTE}):
            yield f"litmus: {name} has kinds if it races, which are {', '.join(sorted(RACES))}, or {NOTE} alone"
        if ("collectives" in what) != (kinds == {NOTE}):
            yield f"litmus: {name} has collectives if and only if its kind is {NOTE}"
        lines = text.split("\n")
        if len(what["between"]) != 2 or not all(ACCESS.match(lines[line - 1]) for line in what["between"]):
            yield f"litmus: {name}: between are two lines with accesses"
        if not all(COLLECTIVE.match(lines[line - 1]) for line in what.get("collectives", [])):
            yield f"litmus: {name}: collectives are lines with collectives of a warp"


def main():
    wrong = [*of_schema(), *of_pairs(), *of_litmus()]
    print("\n".join([*wrong, f"{len(wrong)} complaints"]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
