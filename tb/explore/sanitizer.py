#!/usr/bin/env python3
# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""Asks NVIDIA's compute-sanitizer about the pairs of sim/kernels/explore, on the machine's GPU, and prints a recording.

Each kernel runs once under each tool, by `muster run --target cuda`. What a tool finds in a wrong kernel is a finding, in a mended
one a false alarm. `--page` needs no GPU: it writes the table of sim/kernels/explore/README.md from sanitizer.json.

  sanitizer.py MUSTER FOLDER... > sanitizer.json    FOLDER/NAME/{wrong,mended}.json
  sanitizer.py --page                               exit code 1 if the page was another one
"""

import argparse
import collections
import concurrent.futures
import json
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
RECORDING = HERE / "sanitizer.json"
PAGE = HERE.parents[1] / "sim/kernels/explore/README.md"
MARKS = "<!-- sanitizer.py writes this -->\n", "<!-- to here -->\n"
TOOLS = ("racecheck", "synccheck", "memcheck", "initcheck")
SUMMARY = re.compile(r"SUMMARY: (\d+) (?:hazard|error)")
SECONDS = 60  # of one run


def ask(muster, manifest, tool):
    """What one tool says of one kernel: how many findings, and the first."""
    command = ["compute-sanitizer", "--tool", tool, "--target-processes", "all", muster, "run", manifest, "--target", "cuda", "--time-limit", "15"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return {"found": None, "first": f"no end within {SECONDS} s"}
    lines = [line.removeprefix("=========").strip() for line in done.stdout.splitlines() if line.startswith("=========")]
    told = [line for line in lines if line and not line.startswith("COMPUTE-SANITIZER") and "SUMMARY" not in line]
    counts = [int(number) for number in SUMMARY.findall(done.stdout)]
    return {"found": sum(counts) if counts else None, "first": told[0] if told else "", "exit_code": done.returncode}


def record(muster, folders):
    manifests = sorted({(path.parent.name, path.stem): path for folder in folders
                        for path in folder.glob("*/*.json") if path.stem in ("wrong", "mended")}.items())
    with concurrent.futures.ThreadPoolExecutor(12) as pool:
        runs = {(key, tool): pool.submit(ask, muster, path, tool) for key, path in manifests for tool in TOOLS}
        rows = collections.defaultdict(lambda: collections.defaultdict(dict))
        for ((name, kind), tool), run in runs.items():
            rows[name][kind][tool] = run.result()
            print(f"{name}/{kind} {tool}: {run.result()}", file=sys.stderr, flush=True)
    version = subprocess.run(["compute-sanitizer", "--version"], capture_output=True, text=True, check=False).stdout
    gpu = subprocess.run(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"], capture_output=True, text=True, check=False)
    return {"gpu": gpu.stdout.strip(), "sanitizer": " ".join(re.findall(r"Version \S+", version)), "kernels": rows}


def words(tools):
    """What the tools found, for a cell of the table."""
    return ", ".join(f"{tool}: {row['found']}" for tool, row in tools.items() if row["found"]) or "nothing"


def table(recording):
    lines = ["| kernel | in the wrong one | in the mended one |\n", "|---|---|---|\n"]
    for name, kinds in recording["kernels"].items():
        lines.append(f"| {name} | {words(kinds['wrong'])} | {words(kinds['mended'])} |\n")
    found = sum(words(kinds["wrong"]) != "nothing" for kinds in recording["kernels"].values())
    false = sum(words(kinds["mended"]) != "nothing" for kinds in recording["kernels"].values())
    head = (f"{recording['gpu']}, compute-sanitizer {recording['sanitizer']}: something is found in {found} of {len(recording['kernels'])} wrong "
            f"kernels, and in {false} mended ones.\n\n")
    return head + "".join(lines)


def write_page():
    text = PAGE.read_text()
    before, rest = text.split(MARKS[0])
    new = before + MARKS[0] + table(json.loads(RECORDING.read_text())) + MARKS[1] + rest.split(MARKS[1])[1]
    PAGE.write_text(new)
    return new != text


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("muster", type=pathlib.Path, nargs="?")
    parser.add_argument("folders", type=pathlib.Path, nargs="*")
    parser.add_argument("--page", action="store_true")
    args = parser.parse_args()
    if args.page:
        sys.exit(write_page())
    if not args.folders:
        parser.error("it takes the program and at least one folder")
    print(json.dumps(record(args.muster, args.folders), indent=1))


if __name__ == "__main__":
    main()
