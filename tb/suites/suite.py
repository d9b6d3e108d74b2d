#!/usr/bin/env python3
# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""Kernels in the languages of their users, compiled for each architecture without a GPU, and run on the unit.

Leaves the PTX, the manifests and the reports in a folder. Exit code 0: each kernel does as open.toml says, which lists those that
are not right yet, with the reason; 1: one does not; 2: bad use.
"""

import argparse
import collections
import concurrent.futures
import importlib
import json
import os
import pathlib
import re
import subprocess
import sys
import time
import tomllib

import case
import measured

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
LANGUAGES = ("cuda", "triton", "cute", "tilelang")
MAX_CYCLES = 20_000_000
# What exit codes of `muster run` say of a kernel whose manifest expects that it completes (sim/README.md, Exit codes).
STATES = {0: "right", 1: "wrong", 2: "refused", 3: "deadlock", 4: "mismatch", 5: "fault", 6: "timeout"}


def compile_all(names, architectures, folder, pattern):
    """Writes the manifests. Yields (label, manifest or None, what the compiler said)."""
    for language in names:
        module = importlib.import_module(f"in_{language}")
        for one in module.CASES:
            for architecture in one.architectures:
                label = f"{language}.{one.name}.{architecture}"
                if architecture not in architectures or not re.search(pattern, label):
                    continue
                try:
                    yield label, case.write(one, architecture, folder), ""
                except Exception as error:  # a compiler may raise whatever it likes
                    yield label, None, " ".join(f"{type(error).__name__}: {error}".split())[:300]


def run(muster, label, manifest, options):
    """Returns the row of a kernel: state, seconds, and why if it is not right."""
    begun = time.monotonic()
    result = subprocess.run([muster, "run", manifest, "--max-cycles", str(MAX_CYCLES), "--report", manifest.with_suffix(".report.json"), *options],
                            capture_output=True, text=True, check=False)
    row = {"kernel": label, "state": STATES.get(result.returncode, f"exit code {result.returncode}"), "seconds": round(time.monotonic() - begun, 2)}
    if result.returncode == 2:
        row["by"] = sorted({re.sub(r".*the instruction (\S+) is not supported.*", r"\1", line) if "is not supported" in line else line[-160:]
                            for line in result.stderr.splitlines()})
    elif result.returncode:
        row["why"] = (result.stdout + result.stderr).strip().splitlines()[:12]
    return row


def table(rows):
    """Counts by language and architecture, as text."""
    counts = collections.defaultdict(collections.Counter)
    for row in rows:
        language, _, architecture = row["kernel"].split(".")
        counts[language, architecture][row["state"]] += 1
        counts["all", ""][row["state"]] += 1
    lines = [f"{'language':10}{'for':10}{'kernels':>8}{'right':>8}  others"]
    for (language, architecture), states in counts.items():
        others = ", ".join(f"{number} {state}" for state, number in states.items() if state != "right")
        lines.append(f"{language:10}{architecture:10}{sum(states.values()):8}{states['right']:8}  {others}")
    return "\n".join(lines)


def surprises(rows, known):
    """What differs from open.toml, a sentence each."""
    for row in rows:
        expected = known.get(row["kernel"], {}).get("state", "right")
        if row["state"] != expected:
            yield f"{row['kernel']} is {row['state']}, and open.toml says {expected}" if row["kernel"] in known else f"{row['kernel']} is {row['state']}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("languages", nargs="*", metavar="LANGUAGE", help=f"of {', '.join(LANGUAGES)}; all without it")
    parser.add_argument("--architecture", action="append", choices=case.ARCHITECTURES, help="only this one; may be repeated")
    parser.add_argument("--only", default="", metavar="REGEX", help="only kernels of which the name has it: triton.softmax.sm_80")
    parser.add_argument("--muster", type=pathlib.Path, default=ROOT / "build/sim/app/muster", help="the program (build/sim/app/muster)")
    parser.add_argument("--folder", type=pathlib.Path, default=ROOT / "build/suites/kernels", help="where the files go (build/suites/kernels)")
    parser.add_argument("--json", type=pathlib.Path, default=ROOT / "build/suites/suites.json", help="the rows, for programs (build/suites/suites.json)")
    parser.add_argument("--file", action="store_true", help="file what came of all kernels in measured.json, and in the table of the page")
    parser.add_argument("--run", nargs=argparse.REMAINDER, default=[], metavar="OPTION", help="further options of muster run, last on the line")
    args = parser.parse_args()
    wrong = [name for name in args.languages if name not in LANGUAGES]
    if wrong:
        parser.error(f"there is no language {wrong[0]}: there are {', '.join(LANGUAGES)}")
    if args.file and (args.languages or args.architecture or args.only or args.run):
        parser.error("--file is of all kernels, as they are: it does not go with a choice of them, nor with --run")
    args.folder.mkdir(parents=True, exist_ok=True)
    known = tomllib.loads((HERE / "open.toml").read_text())
    rows = []
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        pending = []
        for label, manifest, error in compile_all(args.languages or LANGUAGES, args.architecture or case.ARCHITECTURES, args.folder, args.only):
            if manifest is None:
                rows.append({"kernel": label, "state": "not compiled", "seconds": 0, "why": [error]})
                print(f"{label:48} not compiled: {error}", flush=True)
            else:
                pending.append(pool.submit(run, args.muster, label, manifest, args.run))
        for done in concurrent.futures.as_completed(pending):
            row = done.result()
            rows.append(row)
            print(f"{row['kernel']:48} {row['state']:9} {row['seconds']:7.2f} s  {', '.join(row.get('by', row.get('why', [])[:1]))[:200]}", flush=True)
    rows.sort(key=lambda row: row["kernel"])
    args.json.write_text(json.dumps(rows, indent=1) + "\n")
    print(table(rows))
    if args.file:
        measured.file(rows, args.folder)
        measured.main([])
    found = list(surprises(rows, known))
    for sentence in found:
        print(sentence)
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
