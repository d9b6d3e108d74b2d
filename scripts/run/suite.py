#!/usr/bin/env python3
# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""`muster suite` on the nodes of a cluster (scripts/run/farm.py), a kernel for each task; leaves the same files."""

import argparse
import json
import pathlib
import re
import sys
import time

from root import ROOT
import ctest_farm
import farm

MEMORY = 1000  # megabytes of a kernel


def row_of(outcome):
    """What `muster suite --json` says of a kernel; None: nothing."""
    text = outcome.result()
    return json.loads(text)[0] if text else None


def passed(outcome):
    """A kernel that does not fit the configuration has not failed."""
    row = row_of(outcome)
    return row is not None and (row["passed"] or not row["fits"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folders", type=pathlib.Path, nargs="+", metavar="folder", help="its manifests are run")
    parser.add_argument("--muster", type=pathlib.Path, default=ROOT / "build/sim/app/muster", help="the program (build/sim/app/muster)")
    parser.add_argument("--config", help="the configuration of all")
    parser.add_argument("--json", type=pathlib.Path, required=True)
    parser.add_argument("--junit", type=pathlib.Path, required=True)
    farm.add_options(parser)
    args = parser.parse_args()
    cluster = farm.cluster_of(args.cluster, args.partition)
    files = [path for folder in args.folders for path in folder.rglob("*") if path.is_file()]
    manifests = sorted(str(path) for path in files if path.suffix == ".json")
    if not manifests:
        farm.end("there is no manifest (*.json) to run")
    options = ["--config", args.config] if args.config else []
    tasks = [farm.Task(re.sub(r"[^\w.-]", "-", manifest), (str(args.muster.resolve()), "suite", manifest, *options, "--json", farm.RESULT))
             for manifest in manifests]
    inputs = [args.muster.resolve(), *files]
    begun = time.time()
    run = farm.Farm("run", cluster, MEMORY, "kernels", passed)
    outcomes = run.run(tasks, inputs)
    rows, cases = [], []
    for task in tasks:
        outcome = outcomes[task.name]
        row = row_of(outcome) or {"kernel": pathlib.Path(task.command[2]).stem, "passed": False, "fits": True}
        rows += [row] if "report" in row else []
        print(re.sub(r"\d+ kernels: .*\noperations that .*\n", "", outcome.output), end="")
        cases.append(ctest_farm.case_of(row["kernel"], task, outcome, "" if row["fits"] else outcome.output.splitlines()[0]))
    farm.written(args.json, json.dumps(rows, indent=2) + "\n")
    ctest_farm.junit(args.junit, cases, begun)
    run.forget()
    skipped = sum(not row["fits"] for row in rows)
    good = sum(row["passed"] for row in rows)
    failed = len(tasks) - good - skipped
    print(f"{len(tasks)} kernels: {good} as their manifests say, {failed} not" +
          (f", {skipped} do not fit the configuration" if skipped else ""))
    sys.exit(failed > 0 or not good)


if __name__ == "__main__":
    main()
