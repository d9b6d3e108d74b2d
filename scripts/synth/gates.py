#!/usr/bin/env python3
# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""Puts the netlist of iCE40 cells of a configuration through the lockstep regression.

The streams, the golden model and the comparison of every output in every cycle are the same as for the
sources; but the netlist that synthesis makes of them is Verilated (scripts/synth/verilog.py --gates).

Then it runs wrong netlists. In each, the contents of one lookup table are complemented; the tables are
spread over the whole netlist. The regression must catch at least three of four. It cannot catch all, since
some have no effect (the highest bit of a time that is never reached).

With --plain it runs the plain Verilog of the configuration instead (scripts/synth/verilog.py), unchanged.
Writes build/gates-CONFIG.json, or build/plain-CONFIG.json.
"""

import argparse
import json
import os
import re
import subprocess
import sys

from root import ROOT
import configs
import ctest
import lock

VERILOG = ROOT / "build" / "verilog"
MUTANTS = 12
MUTANT_CYCLES = 20000
# The last multiplexer of a lookup table, in the words of Yosys's model of it.
LUT = re.compile(r"  assign (\S.*?) = (.* \? \S+\.s1 +\[1\] : \S+\.s1 +\[0\]);")


def run(*command):
    if subprocess.run(list(map(str, command)), cwd=ROOT, stdin=subprocess.DEVNULL).returncode:
        sys.exit(1)


def with_mutants(netlist, choice):
    """Which lookup table is wrong, if any, is read from a file as the simulation begins: one build
    does for all. Signals of the netlist are not traced; there are too many."""
    lines = netlist.read_text().splitlines()
    tables = [n for n, line in enumerate(lines) if LUT.fullmatch(line)]
    for mutant in range(MUTANTS):
        line = tables[(2 * mutant + 1) * len(tables) // (2 * MUTANTS)]
        lines[line] = LUT.sub(rf"  assign \1 = (\2) ^ (wrong_table[0] == 8'd{mutant + 1});", lines[line])
    body = next(n for n, line in enumerate(lines) if line.startswith("  input clk_i;"))
    lines.insert(body, f'  reg [7:0] wrong_table [0:0];\n  initial $readmemh("{choice}", wrong_table);')
    mutated = netlist.with_name(netlist.stem + "_mutants.v")
    mutated.write_text("/* verilator tracing_off */\n" + "\n".join(lines) + "\n")
    return mutated, len(tables)


def caught(build):
    """Whether one seed finds that the netlist is wrong."""
    return subprocess.run([build / "tb/lockstep/regress", "--seed", "1", "--cycles", str(MUTANT_CYCLES)],
                          cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL).returncode != 0


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--config", default="small",
                        choices=configs.NAMES)
    parser.add_argument("--plain", action="store_true", help="the plain Verilog, not the netlist")
    parser.add_argument("--seeds", default="10", help="how many, or which, of 100,000 cycles (default 10)")
    args = parser.parse_args()
    kind = "plain" if args.plain else "gates"
    name = f"muster_{args.config}" + ("" if args.plain else "_gates")
    build = ROOT / "build" / f"{kind}-{args.config}"
    lock.hold(f"build/{kind}-{args.config}")
    build.mkdir(parents=True, exist_ok=True)
    choice = build / "wrong_table.hex"
    choice.write_text("0\n")
    tables = None

    print(f"Synthesis of {args.config}; some minutes", flush=True)
    run("scripts/synth/verilog.py", "--config", args.config, *([] if args.plain else ["--gates"]))
    module = VERILOG / f"{name}.v"
    if not args.plain:
        module, tables = with_mutants(module, choice)
    sources = [ROOT / "rtl/muster_pkg.sv", ROOT / "rtl/muster_cfg_pkg.sv", VERILOG / f"{name}_wrapper.sv", module]
    run("cmake", "-G", "Ninja", "-S", ROOT, "-B", build, f"-DMUSTER_CONFIGS={args.config}",
        f"-DMUSTER_RTL={';'.join(map(str, sources))}", "-DMUSTER_UNIT_OPTIONS=-O1")
    run("ninja", "-C", build, "-j", os.environ.get("JOBS", str(os.cpu_count())), "regress")
    if ctest.regress(build, args.seeds):
        sys.exit(1)
    result = {"config": args.config, "regress": json.loads((build / "regress.json").read_text())}

    if not args.plain:
        found = 0
        for mutant in range(MUTANTS):
            choice.write_text(f"{mutant + 1:x}\n")
            found += caught(build)
            print(f"  {mutant + 1} of {MUTANTS} wrong netlists: {found} caught", file=sys.stderr, flush=True)
        choice.write_text("0\n")
        result |= {"tables": tables, "wrong": MUTANTS, "caught": found}
        print(f"{found} of {MUTANTS} netlists with one wrong table were caught")
    (ROOT / "build" / f"{kind}-{args.config}.json").write_text(json.dumps(result, indent=2) + "\n")
    sys.exit(not args.plain and 4 * found < 3 * MUTANTS)


if __name__ == "__main__":
    main()
