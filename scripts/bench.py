#!/usr/bin/env python3
# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""Measures the unit and its simulation: tables for people, build/bench.json for programs.

Cycles are read off the pins under lockstep (tb/bench); area and frequency come from
scripts/synth.py; the speed of simulation from the regression's recorded stimulus.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build"
LARGEST = "full"  # the configuration whose syncs stand beside NVIDIA's
SHOWN_SIZES = [1, 2, 4, 8, 16, 32, 64]


def output(*command):
    done = subprocess.run(list(map(str, command)), cwd=ROOT, stdin=subprocess.DEVNULL, text=True,
                          stdout=subprocess.PIPE)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}: exit code {done.returncode}")
    return json.loads(done.stdout)


def synthesize(seeds):
    results = BUILD / "synth.json"
    print("Area and clock frequency (iCE40 HX8K)", flush=True)
    subprocess.run([ROOT / "scripts/synth.py", "--seeds", seeds, "--json", results], check=True)
    return json.loads(results.read_text())


def measure(name, area):
    """The figures of one configuration."""
    figures = output("build/tb/bench/muster_bench", "--config", name)
    figures |= area
    figures |= output("build/tb/bench/speed_bench", "--config", name)
    mhz, latency = figures["fmax_mhz"], figures["release_latency_cycles"]
    figures["release_ns"] = round(1000 * latency / mhz, 1) if mhz else None
    return figures


def print_configs(configs):
    columns = [("release_latency_cycles", "release", "{}"), ("gather_cycles", "gather", "{}"),
               ("arrivals_per_cycle", "arrivals", "{:.2f}"), ("release_ns", "release", "{:.1f}"),
               ("lockstep_khz", "lockstep", "{:.0f}"), ("unchecked_khz", "unchecked", "{:.0f}"),
               ("lockstep_ratio", "ratio", "{:.2f}")]
    units = ["cycles", "cycles", "per cycle", "ns", "kHz", "kHz", ""]
    print("\nLatency, throughput, speed of simulation")
    print(" " * 12 + "".join(f"{title:>11}" for _, title, _ in columns))
    print(" " * 12 + "".join(f"{unit:>11}" for unit in units))
    for name, figures in configs.items():
        cells = [form.format(figures[key]) if figures[key] is not None else "-"
                 for key, _, form in columns]
        print(f"{name:12}" + "".join(f"{cell:>11}" for cell in cells))


def print_sizes(fast, slow):
    def row(title, values):
        print(f"  {title:58}" + "".join(f"{value:>5}" for value in values))
    print("\nOne barrier of all warps of a CTA, in cycles")
    row("warps", SHOWN_SIZES)
    row(f"Muster ({LARGEST}): first arrival accepted to release", [fast[str(n)] for n in SHOWN_SIZES])
    row("Muster at half a warp per cycle, memory drain included", [slow[str(n)] for n in SHOWN_SIZES])
    row("NVIDIA Turing, 20+2W: a whole instruction, so more than that", [20 + 2 * n for n in SHOWN_SIZES])


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--seeds", default="1-3", help="of nextpnr (default 1-3)")
    parser.add_argument("--json", type=pathlib.Path, default=BUILD / "bench.json")
    args = parser.parse_args()

    subprocess.run([ROOT / "scripts/build.sh", "muster_bench", "speed_bench"], check=True)
    area = synthesize(args.seeds)
    configs = {name: measure(name, figures) for name, figures in area.items()}
    sizes = output("build/tb/bench/muster_bench", "--config", LARGEST, "--sizes")
    print_configs(configs)
    print_sizes(sizes["sync_all_cycles"], sizes["sync_all_half_rate_cycles"])
    args.json.write_text(json.dumps({"configs": configs, **sizes}, indent=2) + "\n")
    print(f"\nAll of it is in {os.path.relpath(args.json, ROOT)}")


if __name__ == "__main__":
    main()
