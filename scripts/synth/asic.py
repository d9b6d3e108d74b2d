#!/usr/bin/env python3
# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""Area, speed and power of the unit, or of one of its parts, in a library of standard cells: OSU's open 180 nm cells
(Debian's qflow-tech-osu018), or those of --liberty and --macros.

Yosys and abc map the logic to cells, adders as parallel prefix adders, with buffers and sizes; then OpenSTA
sizes and buffers what is slow together with flip-flops and macros (sizing.tcl), and times it. Nothing is
placed: a wire counts as WIRE_PF_PER_UM of capacitance over WIRE_SIDES sides of a flip-flop, for each pin
that it leads to.

Arrays of memory are macros, or flip-flops where these are smaller (arrays.py). Power is that of cells and macros, without a
clock tree, with inputs that change as often as in a run of a kernel (activity.py).

Exit code 2: files of a library cannot be used.
"""

import argparse
import collections
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import time

from root import ROOT
import activity
import arrays
import configs
import filelists
import liberty
import lock
import synth
import yowasp

WORK = ROOT / "build/asic"
OSU018 = pathlib.Path("/usr/share/qflow/tech/osu018/osu018_stdcells.lib")
SDC = "constraints/muster.sdc"
WIRE_SIDES, WIRE_PF_PER_UM = 5, 0.0002
STEPS, BUFFERS = 3000, 6  # of sizing: steps, and buffers that are tried
TOPS = {"muster": list(configs.UNIT), "muster_mbarrier": list(configs.MBARRIER), "muster_atomics": list(configs.BY_TOP["muster_atomics"]),
        "muster_warp": list(configs.BY_TOP["muster_warp"]), "muster_cluster": ["gpc_small", "gpc"]}
COLUMNS = {"config": 12, "cells um2": 10, "flip-flops": 10, "array bits": 10, "macros": 6, "macros um2": 10, "MHz": 7, "uW per MHz": 10, "minutes": 7}

ELABORATE = """\
read_slang --threads 1 --keep-hierarchy -D SYNTHESIS --top {top} {overrides} -I rtl/common {sources}
hierarchy -top {top}
{opened}
write_rtlil design.il
proc
select muster_mem_1r1w*
write_json -selected arrays.json
"""
# For abc: functions of ten inputs are balanced as sums of products, then mapped for speed, buffered and sized.
ABC = """\
strash
&get -n
&fraig -x
&scorr
&st
&sopb -R 10 -C 4
&synch2
&put
dch -f
map -B 0.9
topo
buffer -c
topo
upsize
dnsize
upsize
dnsize
"""
MAP = """\
read_rtlil {design}
{blackboxes}
synth -flatten -noabc -top {top} -extra-map +/choices/kogge-stone.v
dfflibmap {with_flip_flops} {dont_use}
opt
abc {libraries} {dont_use} -constr {constraints} -script {abc}
opt_clean -purge
write_json netlist.json
"""


class Technology:
    """The cells and macros of a run, and copies of their files in which the wires count."""

    def __init__(self, files, macro_files, dont_use):
        self.estimated = files == [OSU018]  # macros; Debian has none
        libraries = [liberty.Library(file) for file in files]
        self.name = re.split(r"__|_[A-Z]|_std", os.path.commonprefix([library.name for library in libraries]))[0].strip("_")
        unwanted = re.compile("|".join(re.escape(pattern).replace(r"\*", ".*") for pattern in dont_use) or "$^")
        cells = {library: library.cells() for library in libraries}
        self.cells = {cell.name: cell for library in libraries for cell in cells[library]}
        usable = [cell for cell in self.cells.values() if cell.usable and not unwanted.fullmatch(cell.name)]
        self.dont_use = sorted(cell.name for cell in self.cells.values() if cell not in usable)
        flip_flops = [cell.area for cell in usable if cell.flip_flop]
        families = collections.defaultdict(list)
        for cell in sorted(usable, key=lambda cell: cell.area):
            if not cell.flip_flop:
                families[cell.inputs, tuple(sorted(cell.function.items()))].append(cell)
        self.families = [family for family in families.values() if len(family) > 1]
        self.buffers = [(cell.name, inputs[0], function[0][0]) for (inputs, function), family in families.items()
                        if len(inputs) == 1 and len(function) == 1 and function[0][1].strip("() ") == inputs[0] for cell in family]
        where = ", ".join(str(file) for file in files)
        if not flip_flops:
            raise liberty.Unusable(f"{where}: no flip-flop among the {len(usable)} cells; give the library's file of sequential cells as well")
        if not self.buffers:
            raise liberty.Unusable(f"{where}: no buffer among the {len(usable)} cells; give the library's file of buffers as well")
        self.flip_flop_um2 = min(flip_flops)
        memories = [liberty.Library(file) for file in macro_files]
        for memory in memories:
            if not memory.macros():
                raise liberty.Unusable(f"{memory.path}: no cell in it has a group `memory`")
        first = {}
        for library in libraries + memories:
            other = first.setdefault(library.name, library)
            if other is not library:
                raise liberty.Unusable(f"{library.path}: is library {library.name}, and so is {other.path}")
        self.macros = [macro for memory in memories for macro in memory.macros()]
        self.wire_pf = WIRE_SIDES * math.sqrt(self.flip_flop_um2) * WIRE_PF_PER_UM
        # What abc takes for the driver of each input, and for the load of each output.
        self.driver = self.buffers[len(self.buffers) // 2][0]
        self.load_pf = 4 * (self.cells[self.driver].capacitance + self.wire_pf)
        self.libraries, self.memories = libraries, memories
        self.sequential = [any(cell.flip_flop for cell in cells[library]) for library in libraries]

    def prepare(self):
        """Writes what the tools read, by paths in the project."""
        folder = WORK / self.name / "lib"
        folder.mkdir(parents=True, exist_ok=True)

        def filed(name, text):
            (folder / name).write_text(text, encoding="utf-8")
            return (folder / name).relative_to(ROOT)

        def copies(libraries):
            return [filed(f"{library.name}.lib", library.with_wires(self.wire_pf)) for library in libraries]
        self.files, self.macro_files = copies(self.libraries), copies(self.memories)
        self.with_flip_flops = [file for file, sequential in zip(self.files, self.sequential) if sequential]
        self.constraints = filed("abc.constr", f"set_driving_cell {self.driver}\nset_load {1000 * self.load_pf:.3f}\n")
        self.abc = filed("abc.script", ABC)

    def sizing(self):
        """What sizing.tcl has to know."""
        alternatives = "".join(f"  {cell.name} {{{' '.join(other.name for other in family if other is not cell)}}}\n"
                               for family in self.families for cell in family)
        several = self.buffers[::-(-len(self.buffers) // BUFFERS)]
        buffers = "".join(f"  {{{' '.join(buffer)}}}\n" for buffer in several)
        return f"set steps {STEPS}\nset alternatives {{\n{alternatives}}}\nset buffers {{\n{buffers}}}\n"


class Part:
    """A top in one of its configurations, in a technology."""

    def __init__(self, technology, top, config):
        self.technology, self.top, self.config = technology, top, config
        self.budget = synth.Budget(top, config, synth.LIMIT_MINUTES)
        self.folder = WORK / technology.name / top / config
        self.plans = []  # (depth, width, plan) of each array

    def elaborate(self):
        """The design, and what its arrays are to become: plans by the names of their modules."""
        parameters = configs.parameters(self.top, self.config, synth.ALONE[self.top])
        script = ELABORATE.format(
            top=self.top, overrides=" ".join(f"-G {key}={value}" for key, value in parameters.items()), sources=" ".join(filelists.unit()),
            opened="\n".join(f"delete -output {self.top}/w:{port}" for port in synth.left_open(self.top, self.config)))
        design = synth.run_yosys(self.budget, "elaboration", WORK / "designs" / self.top / self.config, script)
        chosen = {}
        for name, module in json.loads((design / "arrays.json").read_text())["modules"].items():
            depth, width = arrays.geometry(module["ports"])
            plan = arrays.plan(depth, width, self.technology.macros or [arrays.Estimate(depth, width)] * self.technology.estimated,
                               self.technology.flip_flop_um2)
            self.plans.append((depth, width, plan))
            if plan:
                chosen[name] = plan
        return (design / "design.il").relative_to(ROOT), chosen

    def netlist(self):
        """The mapped netlist in Verilog, with macros."""
        technology = self.technology
        design, chosen = self.elaborate()
        folder = synth.run_yosys(self.budget, f"mapping to {technology.name}", self.folder / "map", MAP.format(
            design=design, blackboxes="\n".join("blackbox " + re.sub(r"[\[\]]", "?", name) for name in chosen), top=self.top,
            with_flip_flops=" ".join(f"-liberty {file}" for file in technology.with_flip_flops),
            libraries=" ".join(f"-liberty {file}" for file in technology.files),
            dont_use=" ".join(f"-dont_use {name}" for name in technology.dont_use),
            constraints=technology.constraints, abc=technology.abc), rtl=False)
        modules = json.loads((folder / "netlist.json").read_text())["modules"]
        top = modules[self.top]
        for name, cell in list(top["cells"].items()):
            if cell["type"] in chosen:
                arrays.place(top, name, cell, chosen[cell["type"]])
            elif cell["type"] == "$scopeinfo":
                del top["cells"][name]
        named = self.folder / "named.json"
        named.write_text(json.dumps({"creator": "asic.py", "modules": {self.top: top}}))
        named = named.relative_to(ROOT)
        return synth.run_yosys(self.budget, "netlist", self.folder / "netlist",
                               f"read_json {named}\nwrite_verilog -noattr -noexpr netlist.v\n", rtl=False) / "netlist.v"

    def measure(self, rates):
        start = time.monotonic()
        technology = self.technology
        netlist = self.netlist()
        read = [f"read_liberty {ROOT / file}\n" for file in [*technology.files, *technology.macro_files]]
        estimates = {plan.macro.name: plan.macro for _, _, plan in self.plans if plan and isinstance(plan.macro, arrays.Estimate)}
        if estimates:
            (self.folder / "arrays.lib").write_text(arrays.estimates_library(estimates.values()))
            read.append(f"read_liberty {self.folder / 'arrays.lib'}\n")
        macros = [plan for _, _, plan in self.plans if plan]
        said = self.sta("".join(read), netlist, rates, {plan.macro.name for plan in macros})
        slack = re.search(r"^ *(-?[\d.]+) +slack", said, re.MULTILINE)
        watts = re.search(r"^Total +(?:\S+ +){3}(\S+)", said, re.MULTILINE)
        if not slack or not watts:
            raise synth.Unfinished(f"OpenSTA failed; all of it is in {(self.folder / 'sta.log').relative_to(ROOT)}")
        period = clock_period() - float(slack[1])
        kinds = collections.Counter(re.findall(r"^ (\w+) ", (self.folder / "sized.v").read_text(), re.MULTILINE))
        cells = [(technology.cells[kind], count) for kind, count in kinds.items() if kind in technology.cells]
        microwatts = 1e6 / (1000 / clock_period())  # for each MHz, of a watt
        of_macros = sum(map(float, re.findall(r"^ *(?:\S+ +){3}(\S+) +\S+$", said[watts.end():].partition("\nmacros\n")[2], re.MULTILINE)))
        return {
            "library": technology.name, "top": self.top, "config": self.config, "cells": sum(count for _, count in cells),
            "cells um2": significant(sum(cell.area * count for cell, count in cells)),
            "flip-flops": sum(count for cell, count in cells if cell.flip_flop),
            "flip-flops um2": significant(sum(cell.area * count for cell, count in cells if cell.flip_flop)),
            "array bits": sum(depth * width for depth, width, _ in self.plans), "macros": sum(plan.rows * plan.columns for plan in macros),
            "macros um2": significant(sum(plan.area() for plan in macros)), "MHz": round(1000 / period), "ns": round(period, 3),
            "uW per MHz": significant(microwatts * (float(watts[1]) - of_macros)), "macros uW per MHz": significant(microwatts * of_macros), "input activity": round(rates[""], 4),
            "estimated macros": bool(estimates), "minutes": round((time.monotonic() - start) / 60, 1)}

    def sta(self, read, netlist, rates, macros):
        """What OpenSTA says of the netlist once it is sized."""
        script = self.folder / "sta.tcl"
        # The slews of inputs are those of the report: a path between registers has them from where a slower one from an input joins it.
        slews = "".join(re.findall(r"^set_input_transition .*\n", (ROOT / SDC).read_text(), re.MULTILINE))
        script.write_text(f"""\
{read}
read_verilog {netlist}
link_design {self.top}
set_cmd_units -time ns -capacitance pF
create_clock -name clk -period {clock_period()} [get_ports clk_i]
set_false_path -from [get_ports rst_ni]
set_load {self.technology.load_pf:.6f} [all_outputs]
{slews}{self.technology.sizing()}
source {ROOT / 'scripts/synth/sizing.tcl'}
write_verilog {self.folder / 'sized.v'}
source {ROOT / SDC}
set_load {self.technology.load_pf:.6f} [all_outputs]
report_checks -from [all_registers -clock_pins] -to [all_registers -data_pins] -fields {{fanout capacitance slew}} -digits 3
set_power_activity -input -activity {rates['']:.5f} -duty 0.5
""" + "".join(f"set_power_activity -input_ports [get_ports {{{port}*}}] -activity {rate:.5f} -duty 0.5\n"
              for port, rate in rates.items() if port) + f"""\
report_power -digits 5
puts macros
foreach instance [get_cells *] {{
  if {{[lsearch {{{' '.join(macros)}}} [get_property $instance ref_name]] >= 0}} {{ report_power -instances $instance -digits 5 }}
}}
exit
""")
        code, text = self.budget.run("OpenSTA", ["sta", "-no_splash", "-exit", script])
        (self.folder / "sta.log").write_text(text)
        return text


def significant(value):
    """Four digits."""
    return float(f"{value:.4g}") if value < 1000 else round(value)


def clock_period():
    return float(re.search(r"-period ([\d.]+)", (ROOT / SDC).read_text())[1])


def print_row(row):
    print("".join(f"{row.get(key, ''):>{width + 2}}" for key, width in COLUMNS.items()) + f"  {row['top']}" +
          (f": {row['reason']}" if "reason" in row else ""), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--top", default="all", choices=["all", *TOPS], help="the unit without mbarriers, or a part of it")
    parser.add_argument("--config", default="all", help="one of the top's, or all")
    parser.add_argument("--liberty", nargs="+", metavar="FILE", help="Liberty files of standard cells, .gz as well")
    parser.add_argument("--macros", nargs="+", default=[], metavar="FILE", help="Liberty files of memory macros")
    parser.add_argument("--dont-use", nargs="+", default=[], metavar="CELL", help="cells not to be used; * stands for any characters")
    parser.add_argument("--check", action="store_true", help="read the library, say what is in it, and measure nothing")
    parser.add_argument("--json", type=pathlib.Path, help="write the results to this file")
    args = parser.parse_args()
    tops = list(TOPS) if args.top == "all" else [args.top]
    wanted = [(top, name) for top in tops for name in TOPS[top] if args.config in ("all", name)]
    if not wanted:
        parser.error(f"--config: there are all, {', '.join(dict.fromkeys(name for top in tops for name in TOPS[top]))}")
    if args.macros and not args.liberty:
        parser.error("--macros: they go with cells of their own technology; give --liberty as well")
    if not args.check and subprocess.run([ROOT / "scripts/run/setup.sh", "build", "wave", "asic"]).returncode:
        sys.exit(2)
    try:
        technology = Technology([pathlib.Path(file) for file in args.liberty or [OSU018]], args.macros, args.dont_use)
    except liberty.Unusable as problem:
        print(problem, file=sys.stderr)
        sys.exit(2)
    print(f"{technology.name}: {len(technology.cells)} cells, {len(technology.dont_use)} of them not used, {len(technology.macros)} memory macros; "
          f"wires of {1000 * technology.wire_pf:.2f} fF to each pin")
    if args.check:
        return
    lock.hold("build/asic")
    technology.prepare()
    yowasp.ensure_yosys()
    waves = {name: activity.of_kernel(name, WORK / f"{name}.fst") for name in {unit_of(name) for _, name in wanted}}
    print("".join(f"{key:>{width + 2}}" for key, width in COLUMNS.items()))
    rows = []
    for top, name in wanted:
        try:
            rows.append(Part(technology, top, name).measure(activity.of_inputs(waves[unit_of(name)], top)))
        except synth.Unfinished as reason:
            rows.append({"library": technology.name, "top": top, "config": name, "reason": str(reason)})
        print_row(rows[-1])
    if args.json:
        args.json.parent.mkdir(parents=True, exist_ok=True)
        args.json.write_text(json.dumps(rows, indent=2) + "\n")


def unit_of(config):
    """The unit's configuration whose run says how often inputs change."""
    return config if config in configs.UNIT else "small"


if __name__ == "__main__":
    main()
