#!/usr/bin/env python3
# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""Checks the test plan (tb/README.md) against the tests and cover points.

No row of the index without a test, no test without a row; and each cover point that a row names in
backticks is one that the regression counts; and no line is a placeholder. A row names its tests in
backticks: `Suite.Name`, a pattern with *, or a target that runs them (`make regress`). What closes a
feature is there: a test, a target or a cover point.
"""

import argparse
import fnmatch
import json
import pathlib
import re
import subprocess
import sys

from root import ROOT

COLUMNS = ["ID", "stimulus", "what is checked", "test", "cover point"]
FEATURES = ["ID", "feature", "risk", "how it is attacked", "what closes it"]


def rows(text, columns):
    """(line number, cells) of each row of the plan's tables with these columns."""
    inside = False
    for number, line in enumerate(text.split("\n"), 1):
        if not line.startswith("|"):
            inside = False
            continue
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if cells == columns:
            inside = True
        elif inside and not set(line) <= set("|-: "):
            yield number, cells


def quoted(cell):
    return re.findall(r"`([^`]+)`", cell)


def placeholders(text):
    """(line number, line) of each line that is nothing but words in capitals: something was still to be filled in there."""
    return [(number, line) for number, line in enumerate(text.split("\n"), 1) if re.fullmatch(r"\W*[A-Z][A-Z0-9_]+(\W+[A-Z0-9_]+)*\W*", line)]


def ctest_names(build):
    """The tests of a build folder. GoogleTest's are known once their program has been built: without a whole build the others would
    look as if they were not there."""
    again = f"The test plan is that of a whole build, and {build} has none: scripts/run/build.sh makes one; then run this again."
    if not (build / "CTestTestfile.cmake").exists():
        end(again)
    listed = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1"], capture_output=True, text=True)
    names = [test["name"] for test in json.loads(listed.stdout or '{"tests": []}')["tests"]]
    missing = sorted(name.removesuffix("_NOT_BUILT") for name in names if name.endswith("_NOT_BUILT"))
    if missing or not names:
        end(f"{again} {len(missing)} test programs are missing, among them {', '.join(missing[:3])}." if missing else again)
    return names


def end(sentence):
    print(sentence)
    sys.exit(2)


def plain(name):
    """Suite.Name of a parameterised test: Prefix/Suite.Name/3  # GetParam() = ..."""
    name = name.split("  #")[0]
    suite, dot, test = name.partition(".")
    return suite.split("/")[-1] + dot + test.split("/")[0] if "/" in name else name


def check(plan, tests, targets, points):
    """The complaints, a sentence each."""
    wrong = []
    unplanned = {plain(test) for test in tests}
    known = frozenset(unplanned)
    ids = set()
    for number, cells in rows(plan, COLUMNS):
        where = f"tb/README.md:{number}"
        if len(cells) != len(COLUMNS):
            wrong.append(f"{where}: {len(cells)} columns, not {len(COLUMNS)}")
            continue
        row_id, _, _, named, cover = cells
        if row_id in ids:
            wrong.append(f"{where}: {row_id} is there twice")
        ids.add(row_id)
        if not quoted(named):
            wrong.append(f"{where}: {row_id} names no test")
        for name in quoted(named):
            if name.startswith("make "):
                if name.split()[1] not in targets:
                    wrong.append(f"{where}: {row_id} names {name}, and there is no such target")
                continue
            found = set(fnmatch.filter(known, name))
            if not found:
                wrong.append(f"{where}: {row_id} names {name}, and there is no such test")
            unplanned -= found
        if points is not None:
            wrong += [f"{where}: {row_id} names cover point {point}, which nothing counts"
                      for point in quoted(cover) if not fnmatch.filter(points, point)]
    for number, cells in rows(plan, FEATURES):
        if len(cells) != len(FEATURES) or not quoted(cells[-1]):
            wrong.append(f"tb/README.md:{number}: a feature that nothing closes")
            continue
        if cells[0] in ids:
            wrong.append(f"tb/README.md:{number}: {cells[0]} is there twice")
        ids.add(cells[0])
        wrong += [f"tb/README.md:{number}: {cells[0]} names {name}, and there is no such test, target or cover point"
                  for name in quoted(cells[-1])
                  if not (name.removeprefix("make ") in targets if name.startswith("make ") else
                          fnmatch.filter(known, name) or points is None or fnmatch.filter(points, name))]
    wrong += [f"{test} has no row in tb/README.md" for test in sorted(unplanned)]
    wrong += [f"tb/README.md:{number}: {line.strip()} is a placeholder" for number, line in placeholders(plan)]
    if not ids:
        wrong.append("tb/README.md has no table of tests")
    return len(ids), wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--build", default=ROOT / "build", type=pathlib.Path)
    args = parser.parse_args()

    targets = re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    points = None
    if (args.build / "regress.json").exists():
        points = {point for results in args.build.glob("regress*.json")
                  for config in json.loads(results.read_text())["configs"].values() for point in config["cover"]}
    count, wrong = check((ROOT / "tb/README.md").read_text(), ctest_names(args.build), targets, points)

    for sentence in wrong:
        print(sentence)
    print(f"test plan: {count} rows, {len(wrong)} complaints")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
