#!/usr/bin/env python3
# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""Builds a board's bitstream, as far as free tools of Debian and npm go (rtl/fpga/README.md).

hx8k: synthesis, placement, routing, timing and the bitstream, build/fpga/hx8k/muster.bin; fails if no
seed meets 48 MHz. hx8k-named: the same without mbarriers. ulx3s, arty: synthesis for the device only;
neither Debian nor npm has a placer for them. What the constraints of arty name must be in the netlist.
Writes figures to build/fpga-BOARD.json.
"""

import argparse
import json
import re
import subprocess
import sys

from root import ROOT
import lock
import synth
import yowasp

REQUIRED_MHZ = 48
LIMIT_MINUTES = 60
# The memories of two words. With mbarriers the unit has more memories than the HX8K has block RAMs, which
# are best spent on deeper ones.
REGISTERS = 'setattr -set ram_style "registers" m:*.u_queue.* m:*.u_slots.* m:*.u_latest.*\n'
# A block RAM of an ECP5 answers 5.8 ns after the clock edge, a table of LUTs after 1 ns. Of the memories, those of the unit are
# small enough.
DISTRIBUTED = 'setattr -set ram_style "distributed" m:*u_muster.*\n'
# Top, device, how it is read, and what Yosys is told of it.
BOARDS = {"hx8k": ("muster_hx8k", "ice40", "", REGISTERS),
          "hx8k-named": ("muster_hx8k", "ice40", "-G EnMbarrier=1'b0", ""),
          "ulx3s": ("muster_ulx3s", "ecp5", "", DISTRIBUTED),
          "arty": ("muster_arty_a7", "xc7", "", "")}
SOURCES = ["-f", "rtl/fpga/fpga.f", "rtl/fpga/muster_primitives.sv"]


def synthesize(budget, board):
    """The folder with the netlist, and its counts of cells."""
    top, family, options, hints = BOARDS[board]
    cells = synth.FAMILIES[family]
    files = sorted(str(p.relative_to(ROOT)) for p in (ROOT / "rtl/fpga").iterdir()
                   if p.suffix in (".sv", ".f"))
    source = f"rtl/fpga/{top}.sv"
    script = (synth.read_slang(top, {}, " ".join([options, *SOURCES, source])) +
              f"{hints}{cells['synth']} -top {top}\nwrite_json netlist.json\n" +
              "tee -q -o stat.json stat -json\n")
    folder = synth.run_yosys(budget, "synthesis", budget.folder / "netlist", script, files)
    stat = json.loads((folder / "stat.json").read_text())["modules"][f"\\{top}"]
    return folder, {kind: sum(n for cell, n in stat["num_cells_by_type"].items()
                              if re.fullmatch(cells[kind], cell)) for kind in ("lut", "ff", "bram")}


def unknown_names(constraints, module):
    """Ports, nets, cells and pins that the constraints of Vivado name, and the netlist has not."""
    ports = {name for port, body in module["ports"].items()
             for name in (port, f"{port}[*]", *(f"{port}[{bit}]" for bit in range(len(body["bits"]))))}
    pins = {f"{name}/{pin}" for name, cell in module["cells"].items() for pin in cell["connections"]}
    known = {"ports": ports, "nets": module["netnames"].keys(), "cells": module["cells"].keys(), "pins": pins}
    text = re.sub(r"^#.*", "", constraints.read_text(), flags=re.MULTILINE)
    return [f"{constraints.name}: the netlist has no {kind[:-1]} {name}"
            for kind, names in re.findall(r"get_(ports|nets|cells|pins) \{([^}]*)\}", text) +
            re.findall(r"get_(cells) (\w\S*)\]", text)
            for name in names.split() if name not in known[kind]]


def place_and_route(budget, folder, seed, turn):
    """Frequencies by clock: of the link, from the PLL, and of the unit. Leaves the configuration."""
    report = folder / f"report{seed}.json"
    code, text = budget.run(f"nextpnr, seed {seed} ({turn})", [
        "nextpnr-ice40", "--hx8k", "--package", "ct256", "--freq", str(REQUIRED_MHZ), "--seed", str(seed),
        "--placer-heap-timingweight", "30",  # of 10: the device is nearly full, and paths are long
        "--pcf", "constraints/hx8k.pcf", "--json", folder / "netlist.json",
        "--asc", folder / f"muster{seed}.asc", "--report", report])
    (folder / f"nextpnr{seed}.log").write_text(text)
    if code and not report.exists():
        errors = [line for line in text.splitlines() if line.startswith("ERROR")]
        raise synth.Unfinished(f"nextpnr, seed {seed}: {(errors or ['failed'])[0]}")
    clocks = json.loads(report.read_text())["fmax"]
    return {"link" if name == "clk" else "unit": round(clock["achieved"], 1)
            for name, clock in clocks.items()}


def bitstream(budget, folder, seeds):
    """The first seed that is fast enough, as a bitstream."""
    tried = {}
    for number, seed in enumerate(seeds, 1):
        tried[seed] = place_and_route(budget, folder, seed, f"{number} of at most {len(seeds)}")
        print(f"  {budget.name}: link {tried[seed]['link']} MHz, unit {tried[seed]['unit']} MHz",
              file=sys.stderr, flush=True)
        if min(tried[seed].values()) >= REQUIRED_MHZ:
            break
    else:
        raise synth.Unfinished(f"no seed meets {REQUIRED_MHZ} MHz: {tried}")
    target = budget.folder / "muster.bin"
    code, text = budget.run("icepack", ["icepack", folder / f"muster{seed}.asc", target])
    if code:
        raise synth.Unfinished(f"icepack: {text.strip()}")
    return {"fmax_mhz": tried[seed], "seed": seed, "bitstream": str(target.relative_to(ROOT))}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--board", default="hx8k", choices=BOARDS)
    parser.add_argument("--seeds", default="1-5", type=synth.seed_list, help="of nextpnr (default 1-5)")
    args = parser.parse_args()

    if subprocess.run([ROOT / "scripts/run/setup.sh", "fpga"]).returncode:
        sys.exit(2)
    lock.hold(f"build/fpga/{args.board}")
    yowasp.ensure_yosys()
    top, family, *_ = BOARDS[args.board]
    budget = synth.Budget(top, args.board, LIMIT_MINUTES)
    budget.folder = ROOT / "build" / "fpga" / args.board
    result = {"board": args.board, "family": family, "required_mhz": REQUIRED_MHZ, "lut": None,
              "ff": None, "bram": None, "fmax_mhz": None, "bitstream": None}
    try:
        folder, counts = synthesize(budget, args.board)
        result |= counts
        if family == "xc7":
            netlist = json.loads((folder / "netlist.json").read_text())
            unknown = unknown_names(ROOT / f"constraints/{top.removeprefix('muster_')}.xdc",
                                    netlist["modules"][top])
            if unknown:
                raise synth.Unfinished("; ".join(unknown))
            result["constraints"] = "all names are in the netlist"
        if family == "ice40":
            result |= bitstream(budget, folder, args.seeds)
        else:
            result["reason"] = "neither Debian nor npm has a placer for this device: synthesized only"
    except synth.Unfinished as reason:
        result["reason"] = str(reason)
    (ROOT / "build" / f"fpga-{args.board}.json").write_text(json.dumps(result, indent=2) + "\n")
    print(json.dumps(result, indent=2))
    sys.exit(result["lut"] is None or (family == "ice40" and result["bitstream"] is None) or
             (family == "xc7" and "constraints" not in result))


if __name__ == "__main__":
    main()
