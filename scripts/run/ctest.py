#!/usr/bin/env python3
# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""Runs tests of a build folder with CTest: all, or those with a label.

CTest shards them, ends the ones that take too long, and writes BUILD/NAME.xml (JUnit), where NAME is the
label, or `test`; `only` if --only leaves out some of all. A second run with the same name in the same folder is refused (exit code 2).
With --cluster the regression and the proofs run on the nodes of a cluster (scripts/run/farm.py), and leave the same files.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree

from root import ROOT
import ctest_farm
import farm
import junit
import lock
from progress import Progress, time_left

LAST_WORDS = 15  # lines of a shard that has left no results


def run(build, label=None, only=None, kind=None, **environment):
    """The exit code of CTest. The environment's entries reach the tests. `kind`: of what is run only on
    request, the configuration of CTest."""
    name = label or ("only" if only else "test")
    begin(build, name)
    command = ["ctest", "--test-dir", ROOT / build, "-j", os.environ.get("JOBS", str(os.cpu_count()))]
    command += ["--label-regex", f"^{label}$"] if label else []
    command += ["--tests-regex", only] if only else []
    command += ["--build-config", kind] if kind else []
    costs = costs_of(build, command)
    command += ["--output-on-failure", "--no-tests=error", "--output-junit", ROOT / build / f"{name}.xml"]
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                          env=os.environ | environment) as process:
        show(process.stdout, costs)
    return process.returncode


def begin(build, name):
    """Takes the folder for a run, and removes what one before has left: a shard that fails would leave it."""
    lock.hold(f"{(ROOT / build).relative_to(ROOT)}/{name}")
    if name in ("test", "regress"):
        for results in [*(ROOT / build).glob("regress*.json"), *(ROOT / build).glob("regress/*.json")]:
            results.unlink()


def costs_of(build, command):
    """{test: seconds} of what the command would run, as far as CTest has kept them of earlier runs; else the mean."""
    listed = json.loads(subprocess.run([*command, "--show-only=json-v1"], capture_output=True, text=True).stdout or '{"tests": []}')
    kept = ROOT / build / "Testing/Temporary/CTestCostData.txt"
    rows = [line.split() for line in kept.read_text().splitlines()] if kept.exists() else []
    known = {row[0]: float(row[2]) for row in rows if len(row) == 3}
    names = [test["name"] for test in listed["tests"]]
    mean = sum(known.values()) / len(known) if known else 1.0
    return {name: known.get(name, mean) + 0.01 for name in names}


def show(lines, costs):
    """What CTest says, with the time left; on a terminal, of the tests that pass only how many they are."""
    progress, failed, whole, begun = Progress(len(costs), "tests"), 0, sum(costs.values()), time.monotonic()
    for line in lines:
        match = re.match(r" *(\d+)/\d+ Test +#\d+: (\S+)", line)
        passed = re.search(r" Passed |\*Skipped|Disabled", line)
        if match:
            failed += not passed
            costs.pop(match[2], None)
            left = time_left(begun, 1 - sum(costs.values()) / whole)
            line = line.rstrip() + left + "\n"
        if sys.stdout.isatty() and (match and passed or re.match(r" *Start +\d+: ", line)):
            if match:
                progress.show(int(match[1]), f", {failed} failed", left)
        else:
            progress.clear()
            print(line, end="", flush=True)


def regress(build, seeds, cycles=None, kind=None, cluster=None):
    """The tests of the regression, and its pages. Returns the exit code; the results are in
    BUILD/regress.json and, of GPCs, BUILD/regress.NAME.json, unless a test failed to write its part."""
    build = ROOT / build
    if cluster:
        begin(build, "regress")
        return ctest_farm.regress(build, seeds, cluster, kind, cycles)
    code = run(build, "regress", kind=kind, MUSTER_SEEDS=seeds, **({"MUSTER_CYCLES": cycles} if cycles else {}))
    show_results(build)
    return code


def show_results(build):
    """The tables of a regression. What has failed comes last, and last of all the first mismatch, or the last words of a shard that has
    left no results."""
    parts = {}  # {program: the files of its shards}
    for part in sorted((build / "regress").glob("*.json")):
        own = build / f"tb/gpc/{part.name.split('.')[0]}_regress"
        parts.setdefault(own if own.exists() else build / "tb/lockstep/regress", []).append(part)
    done = [subprocess.run([program, "--merge", *files], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) for program, files in parts.items()]
    lost = [case for case in ElementTree.parse(build / "regress.xml").iter("testcase") if case.find("failure") is not None and
            not case.get("name").startswith("regress.cover") and not (build / f"regress/{case.get('name').removeprefix('regress.')}.json").exists()]
    for one in [one for one in done if one.returncode == 0]:
        print(f"\n{one.stdout}", end="", flush=True)
    for case in lost:
        last = (case.findtext("system-out") or "").strip().splitlines()[-LAST_WORDS:]
        print(f"\n{case.get('name')} failed, and has left no results. Its last words:", *(f"  {line}" for line in last), sep="\n", flush=True)
    for one in [one for one in done if one.returncode]:
        print(f"\n{one.stdout}", end="", flush=True)


def show_lacking(xml):
    """One line about what was skipped for want of a package."""
    skipped = {case.get("name"): junit.reason(case.findtext("system-out") or "") for case in ElementTree.parse(xml).iter("testcase")
               if case.find("skipped") is not None}
    if line := junit.lacking(skipped):
        print(line)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--build", default="build", help="the folder")
    parser.add_argument("--label", help="only tests with this label")
    parser.add_argument("--kind", help="tests, too, that are run on request only: Mutants, Proofs, Large")
    parser.add_argument("--only", help="only tests whose name this regular expression finds")
    parser.add_argument("--seeds", help="the regression, with so many seeds, or these")
    farm.add_options(parser)
    args = parser.parse_args()
    cluster = args.cluster is not None and farm.cluster_of(args.cluster, args.partition)
    if args.seeds:
        sys.exit(regress(args.build, args.seeds, kind=args.kind, cluster=cluster))
    if cluster:
        if args.label not in ("proof", "proof_mutant"):
            farm.end("On a cluster run the regression (--seeds), and the labels proof and proof_mutant.")
        begin(args.build, args.label)
        sys.exit(ctest_farm.proofs(args.build, args.label, cluster, args.kind, args.only))
    code = run(args.build, args.label, args.only, args.kind)
    xml = ROOT / args.build / f"{args.label or ('only' if args.only else 'test')}.xml"
    if xml.exists():
        show_lacking(xml)
    sys.exit(code)


if __name__ == "__main__":
    main()
