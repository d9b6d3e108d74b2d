# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""What the targets have left in a build folder: tests (JUnit), regressions, mutants, proofs, measurements, history."""

import dataclasses
import json
import pathlib
import subprocess
import xml.etree.ElementTree as ElementTree

ROOT = pathlib.Path(__file__).resolve().parent.parent
# The files of CTest by the target that writes them.
SUITES = {"test": "make test", "regress": "make regress", "mutant": "make mutants", "proof": "make formal"}


class Unreadable(Exception):
    """A file is not what it should be."""


@dataclasses.dataclass
class Test:
    name: str
    state: str  # passed, failed, skipped
    seconds: float
    output: str


@dataclasses.dataclass
class Suite:
    target: str
    time: str  # when it began
    seconds: float
    tests: list
    stale: bool = False  # sources have changed since

    def count(self, state):
        return sum(test.state == state for test in self.tests)


def loaded(path):
    """The content of a JSON file; None: there is none."""
    if not path.exists():
        return None
    try:
        return json.loads(path.read_text())
    except (ValueError, OSError) as problem:
        raise Unreadable(f"{path}: it is not JSON ({problem}); run its target again, or remove it.") from problem


def suite_of(path, target):
    """The tests of a JUnit file; None: there is none."""
    if not path.exists():
        return None
    try:
        root = ElementTree.parse(path).getroot()
        tests = []
        for case in root.iter("testcase"):
            failed = case.find("failure") is not None or case.get("status") == "fail"
            skipped = case.find("skipped") is not None or case.get("status") in ("notrun", "disabled")
            state = "failed" if failed else "skipped" if skipped else "passed"
            tests.append(Test(case.get("name"), state, float(case.get("time", 0)), case.findtext("system-out") or ""))
        return Suite(target, root.get("timestamp", ""), float(root.get("time", 0)), tests)
    except (ElementTree.ParseError, ValueError, OSError) as problem:
        raise Unreadable(f"{path}: it is not JUnit ({problem}); run {target} again, or remove it.") from problem


def git(*arguments):
    try:
        done = subprocess.run(["git", *arguments], cwd=ROOT, text=True, capture_output=True)
    except OSError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def commit():
    """(the commit, its title, whether the files are others), as far as git knows."""
    return git("rev-parse", "--short=12", "HEAD"), git("log", "-1", "--format=%s"), bool(git("status", "--porcelain"))


def newest_source():
    """When a source was changed last, as far as git lists them."""
    files = (ROOT / name for name in git("ls-files").splitlines())
    return max((path.stat().st_mtime for path in files if path.is_file()), default=0)


class Results:
    """All of a build folder."""

    def __init__(self, build):
        self.build = build
        found = {name: suite_of(build / f"{name}.xml", target) for name, target in SUITES.items()}
        self.suites = {name: suite for name, suite in found.items() if suite}
        newest = newest_source()
        for name, suite in self.suites.items():
            suite.stale = (build / f"{name}.xml").stat().st_mtime < newest
        self.configs = {}     # of the regressions: counts, longest waits, cover points
        self.mismatches = []
        for path in sorted(build.glob("regress*.json")):
            part = loaded(path)
            self.configs |= part["configs"]
            self.mismatches += [one for one in part["mismatches"] if one["what"]]
        self.mutate = loaded(build / "mutate.json")
        self.proofs = loaded(build / "formal.json")
        self.bench = loaded(build / "bench.json")
        self.kernels = loaded(build / "run.json")

    def tests(self):
        return [test for suite in self.suites.values() for test in suite.tests]


def history(build, results):
    """The rows of the runs so far, kept in BUILD/history.jsonl; this one is added if it is of these sources."""
    path = build / "history.jsonl"
    try:
        rows = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
    except ValueError as problem:
        raise Unreadable(f"{path}: a line is not JSON ({problem}); remove that line.") from problem
    suite = results.suites.get("test")
    if suite is None or suite.stale:
        return rows
    now = {"commit": commit()[0], "time": suite.time, "tests": len(suite.tests), "failed": suite.count("failed"),
           "seconds": suite.seconds,
           "khz": {name: one["cycles"] / one["seconds"] / 1000 for name, one in results.configs.items() if one.get("seconds")}}
    rows = [row for row in rows if (row["commit"], row["time"]) != (now["commit"], now["time"])] + [now]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return rows
