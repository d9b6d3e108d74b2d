#!/usr/bin/env python3
# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""Runs the plain Verilog of the small configuration in a simulator of four states.

Registers and memories power up unknown there, and stay unknown until they are written. A valid output of
the unit, and its payload, may never be unknown (tb/fourstate/fourstate.v). The simulator is Icarus Verilog,
which takes the plain Verilog (scripts/synth/verilog.py) but not the sources. The ports of the bench, the
names of their fields, and what may never be unknown are written here, from the map of the ports.
"""

import argparse
import json
import re
import subprocess
import sys

from root import ROOT

BENCH = ROOT / "tb/fourstate/fourstate.v"
CONFIG = "small"
# Outputs that mean something while another one is not 0: by their names, if not by these.
WITH = {"release_info_o": "release_o", "mb_wake_report_o": "mb_wake_o", "smem_read_place_o": "smem_read_valid_o", "smem_write_place_o": "smem_write_valid_o",
        "smem_write_data_o": "smem_write_valid_o", "smem_held_place_o": "smem_held_valid_o"}
# Of the observation: what is looked at, and while which field is not 0.
OBSERVED = {"commit_o": {"valid": "", "lifecycle": "", "exit": "", "entry_valid": "", "warp[0]": "valid", "entry_cta": "entry_valid",
                         "entry_bar": "entry_valid", "entry_word": "entry_valid"},
            "mb_commit_o": {"valid": ""}, "debug_word_o": {}, "debug_warp_o": {}}


def run(*command):
    if subprocess.run(list(map(str, command)), cwd=ROOT, stdin=subprocess.DEVNULL).returncode:
        sys.exit(1)


def places(name, port):
    """The bits of each field of a port, also of a struct in it: `commit_o.entry_word`."""
    found = {}
    for field in port["fields"]:
        parts = re.findall(r"\[\d+\]|[^.\[\]]+", field["name"])
        for depth in range(1, len(parts) + 1):
            path = "".join(part if part[0] == "[" else f".{part}" for part in parts[:depth])
            high, low = found.get(name + path, (field["msb"], field["lsb"]))
            found[name + path] = max(high, field["msb"]), min(low, field["lsb"])
    return {path: f"{name}[{high}:{low}]" for path, (high, low) in found.items()}


def looks(name, port, ports, bits):
    """(what it is, its bits, while what they are known) of an output."""
    if name in OBSERVED:
        return [(f"{name}.{field}", bits[f"{name}.{field}"], bits.get(f"{name}.{when}", "1"))
                for field, when in OBSERVED[name].items()]
    when = WITH.get(name, re.sub("_o$", "_valid_o", name))
    elements = [path for path in bits if re.fullmatch(rf"{name}\[\d+\]", path)]
    if when in ports and elements:
        return [(path, bits[path], when + path.removeprefix(name)) for path in elements]
    return [(name, name, when if when in ports else "1")]


def pins(ports):
    """What fourstate.v includes."""
    lines = []
    for name, port in ports.items():
        driven = port["direction"] == "input"
        start = "" if not driven or port["fields"] else " = 0"  # what is no valid is unknown at first
        lines.append(f"{'reg' if driven else 'wire'} [{port['width'] - 1}:0] {name}{start};")
    lines.append(f"muster_{CONFIG} u_unit ({', '.join(f'.{name}({name})' for name in ports)});")
    lines.append("task look;\n  begin")
    for name, port in ports.items():
        bits = places(name, port)
        macros = [f"`define {re.sub(r'[^A-Za-z0-9]+', '_', path).strip('_')} {place}" for path, place in bits.items()]
        lines[:0] = macros
        if port["direction"] == "output":
            lines += [f'    known("{what}", {when} != 0 && ^{place} === 1\'bx);'
                      for what, place, when in looks(name, port, ports, bits)]
    return "\n".join([*lines, "  end", "endtask", ""])


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
    ports = json.loads((ROOT / f"build/verilog/muster_{CONFIG}_ports.json").read_text())["ports"]
    (build / "fourstate_pins.vh").write_text(pins(ports))
    for seed in range(1, args.seeds + 1):
        program = build / f"seed_{seed}"
        run("iverilog", "-g2012", "-o", program, "-s", "fourstate", "-I", build, f"-Pfourstate.Seed={seed}",
            f"-Pfourstate.Cycles={args.cycles}", BENCH, ROOT / f"build/verilog/muster_{CONFIG}.v")
        run("vvp", "-n", program)


if __name__ == "__main__":
    main()
