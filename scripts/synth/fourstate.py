#!/usr/bin/env python3
# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""Runs the plain Verilog of the small configuration in a simulator of four states.

Registers and memories power up unknown there, and stay unknown until they are written. A valid output of
the unit, and its payload, may never be unknown (tb/fourstate/fourstate.v). The simulator is Icarus Verilog,
which takes the plain Verilog (scripts/synth/verilog.py) but not the sources.
"""

import argparse
import subprocess
import sys

from root import ROOT

BENCH = ROOT / "tb/fourstate/fourstate.v"
CONFIG = "small"  # the widths of the bench's ports are its


def run(*command):
    if subprocess.run(list(map(str, command)), cwd=ROOT, stdin=subprocess.DEVNULL).returncode:
        sys.exit(1)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--seeds", type=int, default=3, help="how many (default 3)")
    parser.add_argument("--cycles", type=int, default=30000, help="of each (default 30000)")
    args = parser.parse_args()
    if subprocess.run([ROOT / "scripts/run/setup.sh", "synth", "fourstate"]).returncode:
        sys.exit(2)
    run("scripts/synth/verilog.py", "--config", CONFIG)
    build = ROOT / "build/fourstate"
    build.mkdir(parents=True, exist_ok=True)
    for seed in range(1, args.seeds + 1):
        program = build / f"seed_{seed}"
        run("iverilog", "-g2012", "-o", program, "-s", "fourstate", f"-Pfourstate.Seed={seed}",
            f"-Pfourstate.Cycles={args.cycles}", BENCH, ROOT / f"build/verilog/muster_{CONFIG}.v")
        run("vvp", "-n", program)


if __name__ == "__main__":
    main()
