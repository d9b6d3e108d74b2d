# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""What the targets have left in a build folder: tests (JUnit), regressions, mutants, proofs, measurements, history."""

import dataclasses
import datetime
import json
import os
import subprocess
import xml.etree.ElementTree as ElementTree

from root import ROOT
import junit
import subjects

# The files of CTest by the target that writes them.
SUITES = {"test": "make test", "regress": "make regress", "mutant": "make mutants", "proof": "make formal",
          "proof_mutant": "make formal MUTANTS=1"}
WRITTEN = ("FIGURES.md", "figures.json")  # by scripts/pages/figures.py from results, and no source of any
# All other files.
FILES = {"regress.json": "make regress", "mutate.json": "make mutate", "mutate.quick.json": "make mutants",
         **{f"mutate.{of}.json": f"make mutate OF={of}" for of in subjects.SUBJECTS if of != "unit"},
         "formal.json": "make formal", "bench.json": "make bench", "run.json": "make run"}


class Unreadable(Exception):
    """A file is not what it should be."""


@dataclasses.dataclass
class Test:
    name: str
    state: str  # passed, failed, skipped
    output: str

    @property
    def reason(self):
        """Why it was skipped."""
        return junit.reason(self.output)


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
        return json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, OSError, RecursionError) as problem:
        raise Unreadable(f"{path}: it is not JSON ({problem}); run its target again, or remove it.") from problem


def test_of(case):
    """A test as CTest or GoogleTest writes it. Not run is a failure, unless the test itself, or whoever disabled it, wanted that."""
    failure = next((case.find(name) for name in ("failure", "error") if case.find(name) is not None), None)
    skipped = case.find("skipped")
    why = skipped.get("message", "") if skipped is not None else ""
    status = case.get("status", "run")
    if failure is not None or status in ("fail", "timeout"):
        state = "failed"
    elif status == "disabled" or why.startswith("SKIP_"):
        state = "skipped"
    else:
        state = "failed" if skipped is not None or status == "notrun" else "passed"
    said = [case.findtext("system-out") or "", f"not run: {why}" if state == "failed" and skipped is not None else ""]
    if failure is not None:
        said += [failure.get("message", ""), failure.text or ""]
    return Test(case.attrib["name"], state, "\n".join(filter(None, said)))


def suite_of(path, target):
    """The tests of a JUnit file; None: there is none."""
    if not path.exists():
        return None
    try:
        root = ElementTree.parse(path).getroot()
        tests = [test_of(case) for case in root.iter("testcase")]
        if root.tag not in ("testsuite", "testsuites") or int(root.get("tests", len(tests))) != len(tests):
            raise ValueError("it ends too early")
        return Suite(target, root.get("timestamp", ""), float(root.get("time", 0)), tests)
    except (ElementTree.ParseError, KeyError, ValueError, OSError) as problem:
        raise Unreadable(f"{path}: it is not JUnit ({problem}); run {target} again, or remove it.") from problem


def newest_source():
    """When a source was changed last."""
    found = 0
    for top in ("rtl", "sim", "tb", "scripts", "constraints"):
        for folder, inside, files in os.walk(ROOT / top):
            inside[:] = [name for name in inside if name != "__pycache__"]
            found = max([found, *(os.stat(os.path.join(folder, name)).st_mtime for name in files if name not in WRITTEN)])
    return found


def begun(path, time):
    """When the run of a result file began, as far as it says so, in seconds."""
    try:
        return datetime.datetime.fromisoformat(time).timestamp()
    except ValueError:
        return path.stat().st_mtime


class Results:
    """All of a build folder."""

    def __init__(self, build):
        found = {name: suite_of(build / f"{name}.xml", target) for name, target in SUITES.items()}
        self.suites = {name: suite for name, suite in found.items() if suite}
        newest = newest_source()
        for name, suite in self.suites.items():
            suite.stale = begun(build / f"{name}.xml", suite.time) < newest
        self.files = [(name, target, path.stat().st_mtime < newest) for name, target in FILES.items() if (path := build / name).exists()]
        self.configs = {}  # of the regressions: counts, longest waits, cover points
        self.mismatches = []
        # A shard that fails leaves its part, and no whole.
        for path in sorted(build.glob("regress*.json")) or sorted(build.glob("regress/*.json")):
            self.take_regression(path)
        self.mutate = [loaded(build / "mutate.json") or loaded(build / "mutate.quick.json"),
                       *(loaded(build / f"mutate.{of}.json") for of in subjects.SUBJECTS if of != "unit")]
        self.proofs = loaded(build / "formal.json") or []
        self.bench = loaded(build / "bench.json")
        self.kernels = loaded(build / "run.json") or []

    def take_regression(self, path):
        part = loaded(path)
        try:
            if path.parent.name != "regress":
                self.configs |= {name: {**one, "cover": dict(one["cover"]), "missed": list(one["missed"])} for name, one in part["configs"].items()}
            self.mismatches += [{**one, "what": one["what"] or "too little has committed"} for one in part["mismatches"]]
        except (KeyError, TypeError, AttributeError) as problem:
            raise Unreadable(f"{path}: it has another form than the regression writes ({problem!r}); remove it.") from problem

    def tests(self):
        return [test for suite in self.suites.values() for test in suite.tests]


def git(*arguments):
    try:
        done = subprocess.run(["git", *arguments], cwd=ROOT, text=True, capture_output=True)
    except OSError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def commit():
    """(the commit, its title, whether the files are others), as far as git knows."""
    return git("rev-parse", "--short=12", "HEAD"), git("log", "-1", "--format=%s"), bool(git("status", "--porcelain"))


def history(build, results):
    """The rows of the runs so far, kept in BUILD/history.jsonl; a run of these sources is added once."""
    path = build / "history.jsonl"
    try:
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []
        times = {row["time"] for row in rows if row["commit"] is not None and
                 (row["khz"] is not None and row["seconds"] >= 0 if "bench" not in row else dict(row["bench"]) is not None)}
    except (ValueError, KeyError, TypeError) as problem:
        raise Unreadable(f"{path}: a line is no row of the history ({problem!r}); remove that line.") from problem
    new = [row for row in (of_bench(results.bench), of_test(results)) if row and row["time"] not in times]
    if new:
        rows += new
        whole = path.with_suffix(".new")
        whole.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        whole.replace(path)
    return rows


def of_test(results):
    """The row of a run of `make test`; None: there is none of these sources."""
    suite = results.suites.get("test")
    if suite is None or suite.stale:
        return None
    of = results.configs.items()
    return {"commit": commit()[0], "time": suite.time, "tests": len(suite.tests), "failed": suite.count("failed"), "seconds": suite.seconds,
            "khz": {name: one["cycles"] / one["seconds"] / 1000 for name, one in of if one.get("seconds")},
            "waits": {name: max(100.0 * wait["cycles"] / wait["bound"] for wait in bounded) for name, one in of
                      if (bounded := [wait for wait in one.get("longest_waits", {}).values() if wait["bound"]])}}


def of_bench(bench):
    """The row of a run of `make bench`; None: there was none, or it does not say when it was."""
    try:
        if not bench or "time" not in bench:
            return None
        return {"commit": bench["commit"], "time": bench["time"],
                "bench": {name: {key: one[key] for key in ("lut", "ff", "bram", "fmax_mhz", "release_ns")} for name, one in bench["configs"].items()}}
    except (KeyError, TypeError, AttributeError) as problem:
        raise Unreadable(f"bench.json: it has another form than make bench writes ({problem!r}); run that again, or remove it.") from problem
