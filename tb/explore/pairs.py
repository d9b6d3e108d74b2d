#!/usr/bin/env python3
# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""`muster explore` on a pair of sim/kernels/explore: of the wrong kernel it finds what kernels.json
says, with a witness that runs on the unit, and writes a kernel that goes wrong by itself; of the mended one, nothing, in all
orders. Each report must fit its schema.

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
import on_gpu
SCHEMA = json.loads((HERE.parents[1] / "sim" / "explore" / "explore.schema.json").read_text())
DEADLOCK, FINDING = 3, 7


def explore(muster, manifest, folder, *options):
    """What it says of a manifest: its exit code, its report, its text."""
    file = folder / "report.json"
    command = [muster, "explore", str(manifest), "--report", str(file), "--witness", str(folder / "witness.json"),
               *map(str, options)]
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
    expect(schedule["followed"] == schedule["turns"] and (schedule["turns"] > 0 or finding["minimal"]), "the witness is not kept to", run.stdout)
    expect(report["outcome"] == finding["ending"], f"it does not end in {finding['ending']}", run.stdout)


def check_wrong(muster, name, wanted, folder):
    """Some finding is of a kind that is expected; one names a pair of lines; each witness is kept to by a run, to its
    end. Nothing is suspected that is not shown. Returns the report and the text; a kernel of each finding is written, unless there are
    several launches."""
    manifest = PAIRS / name / "wrong.json"
    emit = [] if wanted.get("beyond") == "launches" else ["--emit-ptx", folder / "turns.ptx"]
    code, report, text = explore(muster, manifest, folder, *emit)
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
    return report, text


def goes_wrong(muster, manifest):
    """`muster run` of this manifest does not complete, or says that something is not as expected."""
    run = subprocess.run([muster, "run", str(manifest)], capture_output=True, text=True, check=False)
    return "NOT AS EXPECTED" in run.stdout or json.loads(pathlib.Path(manifest).read_text()).get("outcome")


def check_written(muster, name, wanted, folder, report, text):
    """A kernel that is written goes wrong by itself, under the default seed. Where no order of instructions can bring it
    about, none does, and it is said why: "memory", the memory model alone tells it; "late", what is asynchronous has to be
    late; "launches", there are several launches, and no kernel is written. The order of the wrong kernel does not make the mended one go wrong."""
    beyond = wanted.get("beyond")
    if beyond == "launches":
        run = subprocess.run([muster, "explore", str(PAIRS / name / "wrong.json"), "--emit-ptx", str(folder / "turns.ptx")],
                             capture_output=True, text=True, check=False)
        expect(run.returncode == 2 and "keeps to an order of one launch" in run.stderr, "it is not refused", run.stderr)
        return
    written = [finding["emitted"] for finding in report["findings"]]
    alone = [one for one in written if "unit" in one and one["unit"]["kept"] and goes_wrong(muster, one["manifest"])]
    expect(bool(alone) != bool(beyond), f"{len(alone)} of {len(written)} written kernels go wrong by themselves", text)
    told = {"memory": any("memory model" in one.get("unwritten", "") for one in written),
            "late": any("the GPU decides when" in why for one in written for why in one.get("unforced", [])), None: True}
    expect(told[beyond], "it is not said why", text)
    mend.write(folder)
    mended = folder / name / "mended.json"
    for finding in report["findings"]:
        order = on_gpu.order_of_mended(json.loads(pathlib.Path(finding["witness"]).read_text()),
                                       (PAIRS / name / "wrong.ptx").read_text(), mended.with_suffix(".ptx").read_text())
        (folder / "order.json").write_text(json.dumps(order))
        run = subprocess.run([muster, "explore", str(mended), "--schedule", str(folder / "order.json"), "--emit-ptx",
                              str(folder / "mended.ptx")], capture_output=True, text=True, check=False)
        expect(run.returncode == 0, "no kernel is written", run.stdout + run.stderr)
        expect(not goes_wrong(muster, folder / "mended.json"), "the mended kernel goes wrong in this order", run.stdout)


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
        folder = pathlib.Path(folder)
        check_written(muster, name, wanted, folder, *check_wrong(muster, name, wanted, folder))
    with tempfile.TemporaryDirectory() as folder:
        check_mended(muster, name, pathlib.Path(folder))


if __name__ == "__main__":
    main()
