#!/usr/bin/env python3
# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""Puts the netlist of iCE40 cells of a configuration through the lockstep regression.

The same streams, the same golden model and the same comparison of every output in every cycle as
for the sources; only what is Verilated is what synthesis made of them (scripts/verilog.py --gates).
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build" / "gates"
VERILOG = ROOT / "build" / "verilog"


def run(*command):
    if subprocess.run(list(map(str, command)), cwd=ROOT, stdin=subprocess.DEVNULL).returncode:
        sys.exit(1)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--config", default="small",
                        choices=json.loads((ROOT / "scripts/configs.json").read_text()))
    parser.add_argument("--seeds", type=int, default=2)
    args = parser.parse_args()
    jobs = os.environ.get("JOBS", str(os.cpu_count()))
    name = f"muster_{args.config}_gates"
    print(f"Synthesis of {args.config} for the iCE40; some minutes", flush=True)
    run("scripts/verilog.py", "--gates", "--config", args.config)
    sources = [ROOT / "rtl/muster_pkg.sv", VERILOG / f"{name}_wrapper.sv", VERILOG / f"{name}.v"]
    run("cmake", "-G", "Ninja", "-S", ROOT, "-B", BUILD, f"-DMUSTER_CONFIGS={args.config}",
        f"-DMUSTER_RTL={';'.join(map(str, sources))}", "-DMUSTER_UNIT_OPTIONS=-O1")
    run("ninja", "-C", BUILD, "-j", jobs, "regress")
    run(BUILD / "tb/lockstep/regress", "--config", args.config, "--seeds", args.seeds, "--jobs", jobs,
        "--junit", BUILD / "regress.xml", "--json", BUILD / "regress.json")


if __name__ == "__main__":
    main()
