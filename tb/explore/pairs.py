#!/usr/bin/env python3
# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""`muster explore` on a pair of sim/kernels/explore: of the wrong kernel it finds what kernels.json
says, with a witness that runs on the unit; of the mended one, nothing, in all orders. Each report must fit its schema.

  pairs.py MUSTER NAME
"""

import json
import pathlib
import subprocess
import sys
import tempfile

import jsonschema

HERE = pathlib.Path(__file__).resolve().parent
PAIRS = HERE.parents[1] / "sim" / "kernels" / "explore"
sys.path.append(str(PAIRS))
import mend
SCHEMA = json.loads((HERE.parents[1] / "sim" / "explore" / "explore.schema.json").read_text())
DEADLOCK, FINDING = 3, 7


def explore(muster, manifest, folder):
    """What it says of a manifest: its exit code, its report, its text."""
    file = folder / "report.json"
    command = [muster, "explore", str(manifest), "--report", str(file), "--witness", str(folder / "witness.json")]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if not file.exists():
        sys.exit(f"{' '.join(command)}\nends with exit code {run.returncode}, without a report:\n{run.stdout}{run.stderr}")
    report = json.loads(file.read_text())
    jsonschema.validate(report, SCHEMA)
    return run.returncode, report, run.stdout


def expect(holds, what, text):
    """Says what does not hold, and ends."""
    if not holds:
        sys.exit(f"{what}\n{text}")


def replays(muster, manifest, finding):
    """`muster run` keeps to the finding's schedule to its end, and ends as the finding says."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "run.json"
        command = [muster, "run", str(manifest), "--schedule", finding["witness"], "--report", str(file)]
        run = subprocess.run(command, capture_output=True, text=True, check=False)
        expect(file.exists(), f"{' '.join(command)}: exit code {run.returncode}", run.stdout + run.stderr)
        report = json.loads(file.read_text())
    schedule = report.get("launches", [report])[0]["schedule"]
    expect(schedule["followed"] == schedule["turns"] > 0, "the witness is not kept to", run.stdout)
    expect(report["outcome"] == finding["ending"], f"it does not end in {finding['ending']}", run.stdout)


def check_wrong(muster, name, wanted, folder):
    """Some finding is of a kind that is expected; one names a pair of lines; each witness is kept to by a run, to its
    end. Nothing is suspected that is not shown."""
    manifest = PAIRS / name / "wrong.json"
    code, report, text = explore(muster, manifest, folder)
    expect(not report["suspicions"], "there are suspicions", text)
    findings = report["findings"]
    kinds = {finding["kind"] for finding in findings}
    expect(kinds & set(wanted["kinds"]), f"none of the kinds {wanted['kinds']} is found, but {sorted(kinds)}", text)
    ends = any(finding["ending"] == "deadlock" for finding in findings)
    expect(code == (DEADLOCK if ends else FINDING), f"the exit code is {code}", text)
    pairs = {tuple(sorted((finding[side]["line"] for side in ("first", "second"))))
             for finding in findings if "first" in finding}
    named = {tuple(sorted(pair)) for pair in wanted["lines"]}
    # A deadlock is told by where threads wait, a fault or a hazard by where it is met: one side of the pair.
    waits = {place["line"] for finding in findings if finding["kind"] == "deadlock" for place in finding["standing"]}
    waits |= {line for line, other in pairs if line == other}
    told = named & pairs or any(line in waits for pair in named for line in pair)
    expect(told, f"no finding names one of the pairs of lines {sorted(named)}, but {sorted(pairs)}, {sorted(waits)}", text)
    for finding in findings:
        replays(muster, manifest, finding)


def check_mended(muster, name, folder):
    """Nothing is found or suspected, and all orders were seen."""
    mend.write(folder)
    code, report, text = explore(muster, folder / name / "mended.json", folder)
    expect(code == 0 and not report["findings"] and not report["suspicions"], f"the exit code is {code}", text)
    expect(report["complete"], "not all orders were seen", text)


def main():
    muster, name = sys.argv[1:]
    wanted = json.loads((HERE / "kernels.json").read_text())[name]
    with tempfile.TemporaryDirectory() as folder:
        check_wrong(muster, name, wanted, pathlib.Path(folder))
    with tempfile.TemporaryDirectory() as folder:
        check_mended(muster, name, pathlib.Path(folder))


if __name__ == "__main__":
    main()
