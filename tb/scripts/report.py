#!/usr/bin/env python3
# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""Tests of scripts/pages/report.py, on result files made up here. Looking at the page is skipped where there is no browser.

  report.py CASE   runs one case
  report.py --list the names of all cases
"""

import datetime
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tb"))
from browser import SKIPPED, chromium, pixels, probed  # noqa: E402, after its folder is known

CASES = {}
JUNIT = """<?xml version="1.0" encoding="UTF-8"?>
<testsuite name="" tests="4" failures="{failures}" skipped="1" time="90" timestamp="{time}">
  <testcase name="GoldenSync.Passes" time="1" status="run"><system-out>fine</system-out></testcase>
  <testcase name="regress.small.1" time="80" status="{status}">{failure}<system-out>first line
last &lt;words&gt;</system-out></testcase>
  <testcase name="Idle.Passes" time="1" status="run"/>
  <testcase name="timeline.page" time="0" status="notrun"><skipped message="SKIP_RETURN_CODE=77"/><system-out>skipped: there is no browser here</system-out></testcase>
</testsuite>
"""
# What sticks out of the page, on its right: what may be scrolled on its own does not count.
PROBE = """
addEventListener("load", () => {
  const outside = [...document.querySelectorAll("h1, h2, p, nav a, svg, pre, .wide, details")].filter(element => {
    const box = element.getBoundingClientRect();
    return box.width > 0 && (box.left < -1 || box.right > innerWidth + 1);
  }).map(element => element.outerHTML.slice(0, 80));
  const states = [...document.querySelectorAll("table")].map(table => [table, [...table.querySelectorAll("th")].findIndex(
    head => head.textContent === "state")]).filter(([, column]) => column >= 0).flatMap(
    ([table, column]) => [...table.querySelectorAll("tr")].map(row => row.children[column].getBoundingClientRect().right));
  parent.postMessage({states: states.length, widest: Math.max(...states), inner: innerWidth, wide: document.documentElement.scrollWidth, outside,
    headings: [...document.querySelectorAll("h2")].map(element => element.textContent),
    plots: document.querySelectorAll("svg").length}, "*");
});
"""


def case(function):
    """Makes a function a case of this name."""
    CASES[function.__name__] = function
    return function


def expect(holds, what):
    """Says what does not hold, and ends."""
    if not holds:
        sys.exit(what)


def begun(seconds):
    """A time so many seconds from now, as CTest writes it."""
    return (datetime.datetime.now() + datetime.timedelta(seconds=seconds)).isoformat(timespec="seconds")


def fill(folder, fails=False, time=None):
    """Result files of each kind, in some of which something has failed; `time`: when `make test` began."""
    failure = '<failure message=""/>' if fails else ""
    (folder / "test.xml").write_text(JUNIT.format(failures=int(fails), status="fail" if fails else "run", failure=failure,
                                                    time=time or begun(5)))
    mismatch = {"config": "small", "seed": 3, "cycle": 41, "what": "release.value",
                "report": "the words of the regression"}
    one = {"seeds": 2, "cycles": 5000, "commits": 700, "mb_commits": 90, "seconds": 2.0, "missed": ["reset.in_walk"] if fails else [],
           "cover": {"seldom.hit": 1, "often.hit": 12345, "reset.in_walk": 0 if fails else 7},
           "longest_waits": {"issue": {"cycles": 30, "bound": 40}, "drain": {"cycles": 0, "bound": 0}}}
    (folder / "regress.json").write_text(json.dumps({"passed": not fails, "configs": {"small": one, "large": one},
                                                     "mismatches": [mismatch] if fails else []}))
    mutant = {"number": 1, "file": "rtl/muster.sv", "line": 1, "kind": "operator", "before": "a & b", "after": "a | b", "name": "00112233"}
    (folder / "mutate.json").write_text(json.dumps({"of": "unit", "config": "small", "mutants": [
        {**mutant, "caught by": "seed 1"}, {**mutant, "caught by": None, "differs": None},
        {**mutant, "caught by": None, "differs": "it differs in some state", "name": "44556677"}]}))
    (folder / "formal.json").write_text(json.dumps([
        {"property": "cta.P01", "how": "induction, 2", "seconds": 3.5, "problems": ["abc: FAILED"] if fails else []}]))
    area = {"lut": 1136, "ff": 597, "bram": 16, "fmax_mhz": 102.5}
    none = dict.fromkeys(area)  # what does not fit
    (folder / "bench.json").write_text(json.dumps({
        "commit": "0123456789ab", "time": time or begun(5), "mbarrier": {"small": area, "full": none, "worst_wait_cycles": 9},
        "configs": {"small": {"release_latency_cycles": 4, "release_ns": 39.0, "lockstep_khz": 800, **area},
                    "full": {"release_latency_cycles": 5, "release_ns": None, "lockstep_khz": 200, **none}}}))


def report(folder, code=0):
    """The page of a folder, and what was said on stderr."""
    done = subprocess.run([sys.executable, ROOT / "scripts/pages/report.py", "--build", folder], capture_output=True, text=True)
    expect(done.returncode == code, f"exit code {done.returncode}, not {code}: {done.stdout}{done.stderr}")
    expect("Traceback" not in done.stderr, done.stderr)
    page = folder / "report.html"
    return page.read_text() if page.exists() else "", done.stderr


@case
def passed(folder):
    """Nothing is red where nothing has failed; skipped tests, equivalent and open mutants are counted."""
    fill(folder)
    text, _ = report(folder)
    expect("4 tests, none failed" in text and 'class="verdict good"' in text.replace("'", '"'), "the verdict")
    expect('id="failures"' not in text, "it lists failures")
    expect("<td>there is no browser here</td><td>timeline.page</td>" in text, "the reason of what was skipped")
    expect("1 skipped" in text and "3 tried, 1 caught, 1 equivalent, 0 explained, 1 open" in text and "44556677" in text, "the counts")
    expect(text.index("seldom.hit") < text.index("often.hit"), "the least hit does not come first")


@case
def failures_first(folder):
    """Each failure comes before all else, with its last words and the commands that run it again."""
    fill(folder, fails=True)
    text, _ = report(folder)
    head = text[:text.index('id="runs"')]
    for words in ("regress.small.1", "last &lt;words&gt;", "ctest --test-dir", "small, seed 3, cycle 41: release.value",
                  "the words of the regression", "make formal NAME=cta", "1 of 4 tests failed; 2 other failures"):
        expect(words in head, f"{words!r} is not among the failures")
    expect("last <words>" not in text, "output of a test is taken for HTML")


@case
def not_started(folder):
    """A test that CTest could not start has failed; the command that runs it again finds a name of any form; a shard's part is enough."""
    fill(folder)
    (folder / "regress.json").unlink()
    (folder / "regress").mkdir()
    (folder / "regress/small.1.json").write_text(json.dumps({"passed": False, "configs": {}, "mismatches": [
        {"config": "small", "seed": 9, "cycle": 5, "what": "", "report": "only 3 commits"}]}))
    text = (folder / "test.xml").read_text()
    text = text.replace("SKIP_RETURN_CODE=77", "Unable to find executable").replace("timeline.page", "Sizes.Of/0  # GetParam() = a")
    (folder / "test.xml").write_text(text)
    text, _ = report(folder)
    expect("1 of 4 tests failed; 1 other failures" in text and "not run: Unable to find executable" in text, text[:3000])
    expect("GetParam\\(\\) = a$" in text and "too little has committed" in text and "only 3 commits" in text, text[:3000])


@case
def nothing(folder):
    """Of an empty folder it says that nothing was run, in red, and what to run."""
    text, _ = report(folder)
    expect("make test was not run" in text and "verdict bad" in text and "make mutate" in text and "make formal" in text, text[-800:])


@case
def features(folder):
    """The state of a feature is that of its tests: failed before passed; what was not run is named."""
    fill(folder)
    text, _ = report(folder)
    row = next(line for line in text.splitlines() if "FT-97<" in line)
    expect("passed" in row and "idle.*" in row, row)
    fill(folder, fails=True)
    (folder / "test.xml").write_text((folder / "test.xml").read_text().replace("regress.small.1", "Idle.Passes"))
    row = next(line for line in report(folder)[0].splitlines() if "FT-97<" in line)
    expect("failed: Idle.*" in row.replace("`", ""), row)


@case
def bad_files(folder):
    """A file that is none of its kind is named, in one sentence; exit code 2."""
    for name in ("test.xml", "regress.json", "mutate.json", "history.jsonl"):
        fill(folder)
        (folder / name).write_text("{ this is <neither")
        _, errors = report(folder, code=2)
        expect(name in errors and errors.count("\n") == 1, f"{name}: {errors}")
        (folder / name).unlink()
    for name in ("regress.json", "mutate.json", "formal.json", "run.json", "bench.json", "history.jsonl"):
        for form in ("3", "[3]", '[{"a": 1}]', '{"a": 1}'):
            fill(folder)
            (folder / name).write_text(form)
            _, errors = report(folder, code=2)
            expect(name in errors and not (folder / "report.html").exists(), f"{name}: {form}: {errors}")
            (folder / name).unlink()
    for cut in ("<testsuite tests='2'><testcase name='a'/></testsuite>", "<html/>", "<testsuite><testcase/></testsuite>"):
        (folder / "test.xml").write_text(cut)
        _, errors = report(folder, code=2)
        expect("test.xml" in errors, f"{cut}: {errors}")
    done = subprocess.run([sys.executable, ROOT / "scripts/pages/report.py", "--build", folder / "no"], capture_output=True, text=True)
    expect(done.returncode == 1 and "make test" in done.stderr, done.stderr)


@case
def history(folder):
    """A run is one row, however often the page is written; a second run is a second row, and a plot."""
    fill(folder, time=begun(5))
    report(folder)
    (folder / "regress.json").unlink()
    report(folder)
    rows = [json.loads(row) for row in (folder / "history.jsonl").read_text().splitlines()]
    expect(len(rows) == 2 and rows[0]["bench"]["small"]["lut"] == 1136 and rows[0]["bench"]["full"]["fmax_mhz"] is None, str(rows))
    expect(rows[1]["tests"] == 4 and rows[1]["khz"]["small"] == 2.5 and rows[1]["waits"] == {"small": 75.0, "large": 75.0}, str(rows))
    fill(folder, time=begun(60))
    text, _ = report(folder)
    expect(len((folder / "history.jsonl").read_text().splitlines()) == 4, "a second run is no second row")
    expect('id="trend"' in text, "there is no section for it")


@case
def peers(folder):
    """The figures of other units stand beside ours; where ours are missing, it says so."""
    fill(folder)
    text, _ = report(folder)
    figures = json.loads((ROOT / "scripts/pages/peers.json").read_text())
    for peer in figures["named barriers"]:
        low, high = peer.get("release_cycles", (0, 0))
        cycles, ns = (f"{low}", f"{1000 * low / peer['mhz'][0]:.0f}") if low == high else \
            (f"{low} to {high}", f"{1000 * low / peer['mhz'][0]:.0f} to {1000 * high / peer['mhz'][0]:.0f}")
        shown = [peer["unit"], *([cycles, ns] if high else ["–", "–"]), f"{peer['lut']:,}", f"{peer['ff']:,}", str(peer["bram"])]
        expect("".join(f"<td>{cell}</td>" for cell in shown) in re.sub(r"<td class='number'>", "<td>", text), f"the page lacks {shown}")
    words = figures["mbarriers"][0]
    expect(f"<td>{words['unit']}</td>" in text and "1,333" in text, "the page lacks the mbarrier unit")
    (folder / "bench.json").write_text(json.dumps({"configs": {"small": {"release_latency_cycles": 4}}}))
    expect("no area and no frequency of ours" in report(folder)[0], "it does not say that areas are missing")


@case
def stale(folder):
    """Results that are older than the sources are said to be, and are no row of the history."""
    fill(folder, time="2020-01-02T03:04:05")
    text, _ = report(folder)
    expect("verdict bad" in text and "sources have changed since make test" in text, "it takes them for new ones")
    expect('"tests"' not in (folder / "history.jsonl").read_text(), "they are a row of the history")


@case
def one_file(folder):
    """The page asks for nothing from elsewhere."""
    fill(folder)
    text, _ = report(folder)
    expect(not re.search(r"""(?:src|href)=["'](?!#)|@import|url\((?!#)""", text), "it loads something")


def looked_at(folder, size):
    if not shutil.which("gnuplot"):
        print("skipped: there is no gnuplot here; scripts/run/setup.sh report installs it")
        sys.exit(SKIPPED)
    fill(folder, fails=True, time=begun(5))
    report(folder)
    fill(folder, fails=True, time=begun(60))
    text, _ = report(folder)
    seen = probed(folder, text, size, PROBE)
    expect(seen["inner"] == size[0] and seen["wide"] <= size[0] and not seen["outside"], f"it sticks out: {seen}")
    expect(seen["states"] > 40 and seen["widest"] <= size[0], f"a state cannot be seen without scrolling: {seen}")
    expect(seen["headings"][0] == "Failed" and "Cover points" in seen["headings"], f"headings: {seen}")
    # Waits; areas beside others; of two runs three figures of the tests, and three of the bench.
    expect(seen["plots"] == 8, f"plots: {seen}")
    (folder / "plain.html").write_text(text)
    chromium(folder, folder / "plain.html", size, f"--screenshot={folder / 'shot.png'}")
    colours = {colour for row in pixels(folder / "shot.png") for colour in row}
    expect(len(colours) > 50, f"the picture has {len(colours)} colours")


@case
def desktop(folder):
    """In a browser's window nothing sticks out, and the picture is not empty."""
    looked_at(folder, (1200, 900))


@case
def phone(folder):
    """The same on a phone's screen."""
    looked_at(folder, (390, 844))


def main():
    if sys.argv[1:] == ["--list"]:
        print("\n".join(CASES))
        return
    with tempfile.TemporaryDirectory() as folder:
        CASES[sys.argv[1]](pathlib.Path(folder))


if __name__ == "__main__":
    main()
