#!/usr/bin/env python3
# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""Coverage as pages: the cover points of the regression, and the lines of golden model and front end.

The points of a configuration are written as a text with one point per line, so that genhtml shows how often
each was hit, as it does for the lines of the sources.
"""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys

from root import ROOT
import ctest
import lock

BUILD = ROOT / "build/coverage"  # an instrumented build, and the pages
TESTS = ["golden/golden_test", "unit/ptx_test", "unit/bcu_test"]


def run(*command, **options):
    done = subprocess.run(list(map(str, command)), cwd=ROOT, stdin=subprocess.DEVNULL, text=True,
                          **options)
    if done.returncode:
        sys.exit(f"{done.stdout or ''}exit code {done.returncode} of: {' '.join(map(str, command))}")
    return done.stdout


def quietly(*command, **options):
    return run(*command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **options)


def points(seeds):
    """Runs the regression; returns the file that lcov would have written of its cover points."""
    run("scripts/run/build.sh", "regressions")
    if ctest.regress("build", seeds):
        sys.exit(1)
    texts = BUILD / "points"
    texts.mkdir(exist_ok=True)
    records = []
    reports = sorted((ROOT / "build").glob("regress*.json"))
    configs = [found for report in reports for found in json.loads(report.read_text())["configs"].items()]
    for name, config in configs:
        text = texts / name
        text.write_text("".join(f"{point}\n" for point in config["cover"]))
        lines = [f"DA:{line},{hits}" for line, hits in enumerate(config["cover"].values(), 1)]
        records += ["TN:", f"SF:{text}", *lines, "end_of_record"]
    info = BUILD / "points.info"
    info.write_text("\n".join(records) + "\n")
    return info


def lines():
    """Runs the tests that need no RTL on an instrumented build; returns what lcov writes."""
    build = os.environ | {"BUILD": str(BUILD / "build"), "CMAKE_OPTIONS": "--preset coverage"}
    run("scripts/run/build.sh", *(pathlib.Path(test).name for test in TESTS), env=build)
    quietly("lcov", "--quiet", "--zerocounters", "--directory", BUILD / "build")
    for test in TESTS:
        print(f"coverage {test}", flush=True)
        quietly(BUILD / "build/tb" / test, "--gtest_brief=1")
    info = BUILD / "lines.info"
    quietly("lcov", "--quiet", "--capture", "--directory", BUILD / "build",
            "--include", f"{ROOT}/sim/*", "--output-file", info)
    return info


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--seeds", default="10", help="of the regression")
    args = parser.parse_args()

    run("scripts/run/setup.sh", "build", "coverage")
    lock.hold("build/coverage")
    BUILD.mkdir(parents=True, exist_ok=True)
    infos = [points(args.seeds), lines()]
    pages = BUILD / "html"
    quietly("genhtml", "--quiet", "--title", "Muster", "--prefix", BUILD, "--prefix", ROOT,
            "--output-directory", pages, *infos)
    for info, what in zip(infos, ("cover points (of all configurations)", "lines of sim/")):
        said = quietly("lcov", "--summary", info)
        print(f"{what:38} {re.search(r'lines[.]*: (.*)', said)[1]}")
    print(f"{pages.relative_to(ROOT)}/index.html")


if __name__ == "__main__":
    main()
