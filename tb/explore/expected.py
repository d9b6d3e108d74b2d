#!/usr/bin/env python3
# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""Checks what is expected of kernels whose other orders are looked at: that kernels.json has each pair of
sim/kernels/explore, and names lines of wrong.ptx that hold an instruction."""

import json
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
PAIRS = HERE.parents[1] / "sim" / "kernels" / "explore"
FILES = {"wrong.ptx", "wrong.json", "mended.ptx", "mended.json"}
KINDS = {"data_race", "proxy_race", "source_overwritten", "other_phase", "early_completion", "late_wait",
         "expected_bytes", "shared_barrier", "barrier_count", "diverged_aligned", "lifetime", "unawaited",
         "deadlock", "fault", "wrong_result", "differing_result"}
INSTRUCTION = re.compile(r"\s+(@!?[%\w]+\s+)?[a-z][\w.:]*.*;")


def complaints():
    """The sentences, one for each thing that is wrong."""
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


def main():
    wrong = list(complaints())
    print("\n".join([*wrong, f"{len(wrong)} complaints"]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
