#!/usr/bin/env python3
# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""Area, speed and power of the unit, or of its part for mbarriers, in an open 180 nm standard-cell library.

Yosys maps the logic to OSU's cells (Debian's qflow-tech-osu018) with buffers and sizes chosen by abc, and
OpenSTA times it with constraints/muster.sdc. Nothing is placed: a wire is taken to be WIRE_UM long for
each cell that it drives.

The arrays of muster_mem_1r1w stay what they are, and are counted apart: as flip-flops, from the areas of
the library's cells, and as macros, by an estimate (see ARRAY_*). Timing takes them for such macros.

Power is that of the logic, with inputs that switch as often as in a run of the kernel KERNEL.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys
import time

from root import ROOT
import configs
import filelists
import lock
import synth
import yowasp

WORK = ROOT / "build/asic"
LIBRARY = pathlib.Path("/usr/share/qflow/tech/osu018/osu018_stdcells.lib")
SDC = "constraints/muster.sdc"
KERNEL = "mb_ring"
WIRE_UM, WIRE_PF_PER_UM = 50, 0.0002  # for each cell that a net drives; 180 nm, a middle layer
# A macro, by estimate: a six-transistor cell takes 4.65 um2 in 180 nm, half of an array is not cells, and
# what does not depend on the size takes as much as some 30 flip-flops.
ARRAY_BIT_UM2, ARRAY_UM2 = 2 * 4.65, 3000
ARRAY_READ_NS, ARRAY_SETUP_NS = 2.0, 0.3
TARGET_NS = 6  # what abc aims at

WIRE_LOAD = f"""
  wire_load("estimate") {{
    capacitance : {WIRE_PF_PER_UM};
    resistance : 0;
    area : 0;
    slope : {WIRE_UM};
    fanout_length(1, {WIRE_UM});
  }}
  default_wire_load : "estimate";
"""

THRESHOLDS = "".join(f"  {what}_{edge} : {percent};\n" for edge in ("rise", "fall") for what, percent in (
    ("input_threshold_pct", 50), ("output_threshold_pct", 50),
    ("slew_lower_threshold_pct", 20), ("slew_upper_threshold_pct", 80)))

SCRIPT = """\
read_slang --threads 1 --keep-hierarchy -D SYNTHESIS --top {top} {overrides} -I rtl/common {sources}
hierarchy -top {top}
blackbox muster_mem_1r1w*
{opened}
synth -flatten -top {top}
dfflibmap -liberty {library}
abc -liberty {library} -constr {constraints} -D {picoseconds}
opt_clean -purge
hilomap -singleton -hicell INVX1 Y -locell INVX1 Y
tee -q -o stat.json stat -json -liberty {library}
write_json netlist.json
"""


class Array:
    """A geometry of muster_mem_1r1w, as a cell of a library."""

    def __init__(self, depth, width):
        self.depth, self.width = depth, width
        self.name = f"array_{depth}x{width}"
        self.bits = depth * width
        self.address = max(1, (depth - 1).bit_length())

    def area(self):
        return ARRAY_UM2 + ARRAY_BIT_UM2 * self.bits

    def liberty(self):
        def pins(name, width, text):
            return (f'    bus("{name}") {{ bus_type : bus{width}; {text} }}\n' if width > 1 else
                    f'    pin("{name}") {{ {text} }}\n')

        setup = " ".join(f'timing() {{ related_pin : "clk_i"; timing_type : {kind}; '
                         f'rise_constraint(scalar) {{ values("{value}"); }} '
                         f'fall_constraint(scalar) {{ values("{value}"); }} }}'
                         for kind, value in (("setup_rising", ARRAY_SETUP_NS), ("hold_rising", 0)))
        given = "direction : input; capacitance : 0.02; " + setup
        read = " ".join(f'{what}(scalar) {{ values("{value}"); }}' for what, value in (
            ("cell_rise", ARRAY_READ_NS), ("cell_fall", ARRAY_READ_NS),
            ("rise_transition", 0.2), ("fall_transition", 0.2)))
        return (f'  cell("{self.name}") {{\n    area : {self.area()};\n'
                '    pin("clk_i") { direction : input; capacitance : 0.05; clock : true; }\n' +
                pins("we_i", 1, given) + pins("waddr_i", self.address, given) +
                pins("wdata_i", self.width, given) + pins("raddr_i", self.address, given) +
                pins("rdata_o", self.width, "direction : output; timing() { related_pin : \"clk_i\"; "
                     f"timing_type : rising_edge; {read} }}") + "  }\n")


def library_with_wires():
    """The library with what stands for wires, by its path in the project."""
    text = LIBRARY.read_text()
    opening = re.search(r"^library\(.*\) \{", text, re.MULTILINE).end()
    path = WORK / "osu018.lib"
    path.write_text(text[:opening] + WIRE_LOAD + text[opening:])
    return path.relative_to(ROOT)


def cell_areas():
    return {name: float(area) for name, area in
            re.findall(r"cell \((\w+)\) \{.*?area : ([\d.]+);", LIBRARY.read_text(), re.DOTALL)}


def arrays_library(arrays):
    widths = {width for array in arrays for width in (array.address, array.width) if width > 1}
    types = "".join(f'  type(bus{width}) {{ base_type : array; data_type : bit; bit_width : {width}; '
                    f'bit_from : {width - 1}; bit_to : 0; }}\n' for width in sorted(widths))
    return ('library(arrays) {\n  time_unit : "1ns";\n  capacitive_load_unit(1, pf);\n'
            '  voltage_unit : "1V";\n  current_unit : "1mA";\n  delay_model : table_lookup;\n'
            '  nom_voltage : 1.8;\n' + THRESHOLDS + types + "".join(array.liberty() for array in arrays) + "}\n")


def take_arrays(netlist, top):
    """Gives each array in the netlist the name of its geometry; returns one Array for each of them."""
    found = []
    modules = netlist["modules"]
    for cell in modules[top]["cells"].values():
        if not cell["type"].startswith("muster_mem_1r1w"):
            continue
        ports = modules[cell["type"]]["ports"]
        found.append(Array(1 << len(ports["waddr_i"]["bits"]), len(ports["rdata_o"]["bits"])))
        cell["type"], cell["parameters"] = found[-1].name, {}
    netlist["modules"] = {top: modules[top]}
    return found


def activity(config):
    """How often a bit of the inputs changes in a cycle, on average, in a run of the kernel."""
    subprocess.run([ROOT / "scripts/run/build.sh", "muster"], check=True, stdout=subprocess.DEVNULL)
    fst = WORK / f"{config}.fst"
    subprocess.run([ROOT / "build/sim/app/muster", "run", f"sim/kernels/{KERNEL}/{KERNEL}.json",
                    "--config", config, "--wave", fst], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    vcd = subprocess.run(["fst2vcd", fst], capture_output=True, text=True, check=True).stdout
    return toggles(vcd)


def toggles(vcd):
    """The same of the inputs of the scope `muster` in a VCD."""
    scope, bits, clock = [], {}, None
    head, changes = vcd.split("$enddefinitions", 1)
    for kind, rest in re.findall(r"\$(scope|upscope|var)\s*([^$]*)\$end", head):
        words = rest.split()
        if kind == "scope":
            scope.append(words[1])
        elif kind == "upscope":
            scope.pop()
        elif "muster" in scope:
            # A port, or, a scope deeper, a member of one that is a structure.
            path = [*scope[scope.index("muster") + 1:], words[3].split("[")[0]]
            if path == ["clk_i"]:
                clock = words[2]
            elif path[0].endswith("_i"):
                bits[words[2]] = int(words[1])
    before, changed, cycles = {}, 0, 0
    for line in changes.split("\n"):
        if line.startswith("b"):
            value, _, code = line[1:].partition(" ")
        else:
            value, code = line[:1], line[1:]
        if code == clock:
            cycles += value == "1"
        elif code in bits:
            value = value.rjust(bits[code], "0")
            if code in before:
                changed += sum(a != b for a, b in zip(value, before[code]))
            before[code] = value
    return changed / (cycles * sum(bits.values()))


def sta(folder, top, library, rate):
    """What OpenSTA says: the period of the slowest path between registers in ns, and the logic's power
    per MHz in uW."""
    script = folder / "sta.tcl"
    script.write_text(f"""\
read_liberty {library}
read_liberty {folder / 'arrays.lib'}
read_verilog {folder / 'netlist.v'}
link_design {top}
source {ROOT / SDC}
set_wire_load_model -name estimate
report_checks -from [all_registers -clock_pins] -to [all_registers -data_pins] \
  -fields {{fanout capacitance}} -digits 3
set_power_activity -input -activity {rate:.4f} -duty 0.5
report_power
exit
""")
    done = subprocess.run(["sta", "-no_splash", "-exit", script], cwd=ROOT, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True)
    (folder / "sta.log").write_text(done.stdout + done.stderr)
    return done.stdout


def measure(top, name, rate):
    start = time.monotonic()
    budget = synth.Budget(top, name, synth.LIMIT_MINUTES)
    budget.folder = WORK / top / name
    library = library_with_wires()
    constraints = WORK / "abc.constr"
    constraints.write_text("set_driving_cell BUFX4\nset_load 0.05\n")
    parameters = configs.parameters(top, name, synth.ALONE[top])
    script = SCRIPT.format(
        top=top, overrides=" ".join(f"-G {key}={value}" for key, value in parameters.items()),
        sources=" ".join(filelists.unit()), library=library, constraints=constraints.relative_to(ROOT),
        opened="\n".join(f"delete -output {top}/w:{port}" for port in synth.left_open(top, name)),
        picoseconds=1000 * TARGET_NS)
    folder = synth.run_yosys(budget, "mapping", budget.folder / "map", script)
    netlist = json.loads((folder / "netlist.json").read_text())
    arrays = take_arrays(netlist, top)
    (folder / "named.json").write_text(json.dumps(netlist))
    relative = (folder / "named.json").relative_to(ROOT)
    verilog = synth.run_yosys(budget, "netlist", budget.folder / "netlist",
                              f"read_json {relative}\nwrite_verilog -noattr -noexpr netlist.v\n")
    (verilog / "arrays.lib").write_text(arrays_library({array.name: array for array in arrays}.values()))
    stat = json.loads((folder / "stat.json").read_text())["modules"][f"\\{top}"]
    areas = cell_areas()
    cells = {cell: count for cell, count in stat["num_cells_by_type"].items() if cell in areas}
    registers = sum(areas[cell] * count for cell, count in cells.items() if cell.startswith("DFF"))
    logic = sum(areas[cell] * count for cell, count in cells.items())
    bits = sum(array.bits for array in arrays)
    said = sta(verilog, top, library, rate)
    slack = re.search(r"(\S+) +slack", said)
    if not slack:
        sys.exit(f"OpenSTA failed; all of it is in {(verilog / 'sta.log').relative_to(ROOT)}")
    period = clock_period() - float(slack[1])
    watts = float(re.search(r"^Total +(?:\S+ +){3}(\S+)", said, re.MULTILINE)[1])
    return {
        "cells": sum(cells.values()), "flip-flops": sum(n for c, n in cells.items() if c.startswith("DFF")),
        "logic um2": round(logic - registers), "flip-flops um2": round(registers),
        "array bits": bits, "arrays as flip-flops um2": round(bits * (areas["DFFPOSX1"] + 2 * areas["MUX2X1"])),
        "arrays as macros um2": round(sum(array.area() for array in arrays)),
        "MHz": round(1000 / period, 1), "ns": round(period, 2),
        "uW per MHz": round(1e6 * watts / (1000 / clock_period()), 1), "input activity": round(rate, 4),
        "minutes": round((time.monotonic() - start) / 60, 1)}


def clock_period():
    return float(re.search(r"-period ([\d.]+)", (ROOT / SDC).read_text())[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--top", default="muster", choices=synth.ALONE, help="the unit, or a part of it")
    parser.add_argument("--config", default="all", help="one of the top's, or all")
    parser.add_argument("--json", type=pathlib.Path, help="write the results to this file")
    args = parser.parse_args()
    known = list(configs.BY_TOP[args.top])
    if args.config not in ("all", *known):
        parser.error(f"--config: there are all, {', '.join(known)}")
    if subprocess.run([ROOT / "scripts/run/setup.sh", "build", "wave", "asic"]).returncode:
        sys.exit(2)
    lock.hold(f"build/asic/{args.top}")
    WORK.mkdir(parents=True, exist_ok=True)
    yowasp.ensure_yosys()
    results = {}
    print(f"{'':12} {'cells':>7} {'FF':>6} {'logic um2':>10} {'FF um2':>9} {'array bits':>10} "
          f"{'as FF um2':>10} {'as macros':>10} {'MHz':>7} {'uW/MHz':>7}")
    for name in known if args.config == "all" else [args.config]:
        try:
            row = results[name] = measure(args.top, name, activity(name if name in configs.UNIT else "small"))
        except synth.Unfinished as reason:
            results[name] = {"reason": str(reason)}
            print(f"{name:12} {reason}")
            continue
        print(f"{name:12} {row['cells']:>7} {row['flip-flops']:>6} {row['logic um2']:>10} "
              f"{row['flip-flops um2']:>9} {row['array bits']:>10} {row['arrays as flip-flops um2']:>10} "
              f"{row['arrays as macros um2']:>10} {row['MHz']:>7} {row['uW per MHz']:>7}", flush=True)
    if args.json:
        args.json.parent.mkdir(parents=True, exist_ok=True)
        args.json.write_text(json.dumps(results, indent=2) + "\n")


if __name__ == "__main__":
    main()
