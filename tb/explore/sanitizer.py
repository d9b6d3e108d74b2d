#!/usr/bin/env python3
# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""Asks NVIDIA's compute-sanitizer about the pairs of sim/kernels/explore, on the machine's GPU, and writes a recording.

Each kernel runs once under each tool, by `muster run --target cuda`. What a tool finds in a wrong kernel is a finding, in a mended
one a false alarm. `--page` and `--check` need no GPU: the table of sim/kernels/explore/README.md is of that recording, and of the one that
on_gpu.py made there.

  sanitizer.py MUSTER FOLDER... --json FILE    FOLDER/NAME/{wrong,mended}.json; FILE grows with each run
  sanitizer.py --page                          writes the table
  sanitizer.py --check                         exit code 1 if the page has another one

--tools NAME... for some of the tools, which come one after the other; --jobs N (12) runs at a time, --time-limit L (15) seconds of a launch.
"""

import argparse
import concurrent.futures
import json
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
RECORDING = HERE / "sanitizer.json"
PAIRS = HERE.parents[1] / "sim/kernels/explore"
sys.path.insert(0, str(PAIRS))
import on_gpu  # noqa: E402

ORDERS = HERE / "h200_on_gpu.json"  # by on_gpu.py of the pairs
PAGE = PAIRS / "README.md"
MARKS = "<!-- sanitizer.py writes this -->\n", "<!-- to here -->\n"
TOOLS = ("racecheck", "synccheck", "memcheck", "initcheck")
SUMMARY = re.compile(r"SUMMARY: (\d+) (?:hazard|error)")
SECONDS = 60  # of one run
DOES_NOT_FIT = 2  # the exit code of muster


def ask(muster, manifest, tool, time_limit):
    """What one tool says of one kernel: how many findings, and the first."""
    command = ["compute-sanitizer", "--tool", tool, "--target-processes", "all", muster, "run", manifest, "--target", "cuda", "--time-limit", str(time_limit)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return {"found": None, "first": f"no end within {SECONDS} s"}
    lines = [line.removeprefix("=========").strip() for line in done.stdout.splitlines() if line.startswith("=========")]
    told = [line for line in lines if line and not line.startswith("COMPUTE-SANITIZER") and "SUMMARY" not in line]
    counts = [int(number) for number in SUMMARY.findall(done.stdout)]
    return {"found": sum(counts) if counts else None, "first": told[0] if told else "", "exit_code": done.returncode}


def record(args):
    manifests = sorted({(path.parent.name, path.stem): path for folder in args.folders
                        for path in folder.glob("*/*.json") if path.stem in ("wrong", "mended")}.items())
    version = subprocess.run(["compute-sanitizer", "--version"], capture_output=True, text=True, check=False).stdout
    gpu = subprocess.run(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"], capture_output=True, text=True, check=False)
    rows = {name: {"mended": {}, "wrong": {}} for (name, _), _ in manifests}
    recording = {"gpu": gpu.stdout.strip(), "sanitizer": " ".join(re.findall(r"Version \S+", version)), "kernels": rows}
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        runs = {pool.submit(ask, args.muster, path, tool, args.time_limit): (name, kind, tool) for tool in args.tools for (name, kind), path in manifests}
        for run in concurrent.futures.as_completed(runs):
            name, kind, tool = runs[run]
            rows[name][kind][tool] = run.result()
            print(f"{name}/{kind} {tool}: {run.result()}", file=sys.stderr, flush=True)
            args.json.write_text(on_gpu.as_rows(recording))


def words(tools):
    """What the tools found, for a cell of the table."""
    if all(row["exit_code"] == DOES_NOT_FIT for row in tools.values()):
        return "does not fit"
    return ", ".join(f"{tool}: {row['found']}" for tool, row in tools.items() if row["found"]) or "nothing"


def rate(result, which):
    """How often a kernel went wrong on the GPU."""
    gpu = result["gpu"]
    return "does not fit" if "not_run" in gpu else f"{gpu[which]['wrong']} of {gpu[which]['runs']}"


def cells(name, orders):
    """How often both kernels of a pair went wrong, as they are and in the order; of several launches there is no order."""
    if name in orders["launches"]:
        kernels = orders["launches"][name]
        return [cell for kind in ("wrong", "mended") for cell in (f"{kernels[kind]['wrong']} of {kernels[kind]['runs']}", "no order")]
    pair = orders["pairs"][name]
    return [rate(pair[kind], which) for kind in ("wrong", "mended") for which in ("as_is", "in_order")]


def table(recording, orders):
    lines = ["| kernel | wrong, as it is | wrong, in the order | mended, as it is | mended, in the order | sanitizer: wrong | sanitizer: mended |\n", f"|{'---|' * 7}\n"]
    names = recording["kernels"]
    for name in names:
        lines.append(f"| {' | '.join([name, *cells(name, orders), *(words(names[name][kind]) for kind in ('wrong', 'mended'))])} |\n")
    ran = [pair["wrong"]["gpu"] for pair in orders["pairs"].values() if "not_run" not in pair["wrong"]["gpu"]]
    more = sum(gpu["in_order"]["wrong"] > gpu["as_is"]["wrong"] for gpu in ran)
    both = sum(gpu["as_is"]["wrong"] == gpu["as_is"]["runs"] for gpu in ran)
    never = sum(not gpu["in_order"]["wrong"] and not gpu["as_is"]["wrong"] for gpu in ran)
    fit = {name: kinds for name, kinds in names.items() if words(kinds["wrong"]) != "does not fit"}
    found, false = (sum(words(kinds[kind]) != "nothing" for kinds in fit.values()) for kind in ("wrong", "mended"))
    often = [f"`{name}` {pair['wrong']['wrong']}" for name, pair in orders["often"].items() if pair["wrong"]["wrong"]]
    return (f"{recording['gpu']}: of {len(ran)} wrong kernels of one launch {both} always go wrong as they are, {more} go wrong more often in the order of `explore`, and {never} "
            f"never did. Those {len(orders['often'])} that no order shows were run 300 times as they are; of these went wrong: {', '.join(often)}. "
            f"compute-sanitizer ({recording['sanitizer']}) finds something in {found} of {len(fit)} wrong kernels, and in {false} mended ones.\n\n" + "".join(lines))


def page():
    """The page as it is, and as it must be."""
    text = PAGE.read_text()
    before, rest = text.split(MARKS[0])
    recordings = (json.loads(file.read_text()) for file in (RECORDING, ORDERS))
    return text, before + MARKS[0] + table(*recordings) + MARKS[1] + rest.split(MARKS[1])[1]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("muster", type=pathlib.Path, nargs="?")
    parser.add_argument("folders", type=pathlib.Path, nargs="*")
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--tools", nargs="+", choices=TOOLS, default=TOOLS)
    parser.add_argument("--jobs", type=int, default=12)
    parser.add_argument("--time-limit", type=float, default=15)
    parser.add_argument("--page", action="store_true")
    parser.add_argument("--check", action="store_true")
    args = parser.parse_args()
    if args.page or args.check:
        old, new = page()
        if args.page:
            PAGE.write_text(new)
        elif old != new:
            sys.exit(f"{PAGE}: its table is not that of the recordings; run {sys.argv[0]} --page")
        return
    if not args.folders or not args.json:
        parser.error("it takes the program, at least one folder, and --json")
    record(args)


if __name__ == "__main__":
    main()
