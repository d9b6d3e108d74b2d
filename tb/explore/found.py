#!/usr/bin/env python3
# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""`muster explore` finds what is wrong with a kernel of found/, by a minimal witness, suspects nothing else, and `muster run` keeps to each
schedule that it writes, from the first turn to the last.

  found.py MUSTER NAME
"""

import json
import pathlib
import sys
import tempfile

from pairs import DEADLOCK, FINDING, expect, explore, replays

FOUND = pathlib.Path(__file__).resolve().parent / "found"


def main():
    muster, name = sys.argv[1:]
    manifest = FOUND / f"{name}.json"
    wanted = json.loads((FOUND / "expected.json").read_text())[name]
    with tempfile.TemporaryDirectory() as folder:
        code, report, text = explore(muster, manifest, pathlib.Path(folder))
        code_of_kind = DEADLOCK if wanted["kind"] == "deadlock" else FINDING
        expect(code == code_of_kind and not report["suspicions"], f"the exit code is {code}", text)
        told = {(finding["kind"], *sorted((finding["first"]["line"], finding["second"]["line"]))): finding
                for finding in report["findings"] if "first" in finding}
        found = told.get((wanted["kind"], *wanted["lines"]))
        expect(found is not None, f"not found: {wanted}", text)
        expect(found["minimal"], "its witness has turns that are not needed", text)
        for finding in report["findings"]:
            replays(muster, manifest, finding)


if __name__ == "__main__":
    main()
