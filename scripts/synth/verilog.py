#!/usr/bin/env python3
# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""Plain Verilog of the unit, for tools that take no SystemVerilog: build/verilog/muster_CONFIG.v.

A file is one module without parameters, muster_CONFIG, with the ports of rtl/muster.sv, those of observation
(MUSTER_OBSERVE) among them; a struct is a vector, its first field in the highest bits. Beside it is muster_CONFIG_wrapper.sv: rtl/muster.sv's
own header around it, for users who want to replace the sources by it; and muster_CONFIG_ports.json
and .md, which give the position of each field in the vectors. Each file is read back as
Verilog-2005 and must be whole there: every signal that is used has one driver, and no latch. Verilator
must find it so, too, but for what is a matter of style. Whether it behaves as its source is for
scripts/synth/gates.py --plain.

With --gates the module is the netlist of iCE40 cells that synthesis makes, in the words of Yosys's
models of these cells.
"""

import argparse
import json
import subprocess
import sys

from root import ROOT
import configs
import filelists
import fieldmap
import lock
import synth
import yowasp

OUT = ROOT / "build" / "verilog"
# What Verilator says of what a program wrote: parts of vectors that are not used or not driven, operands that
# need no cast, patterns with don't cares.
STYLE = ["UNUSEDSIGNAL", "UNDRIVEN", "WIDTH", "CASEOVERLAP"]


def script(name, parameters, gates):
    """What Yosys is to do."""
    overrides = " ".join(f"-G {key}={value}" for key, value in parameters.items())
    sources = " ".join(filelists.unit(fpga=gates))
    lines = [f"read_slang --threads 1 -D SYNTHESIS -D MUSTER_OBSERVE --top muster {overrides} -I rtl/common {sources}",
             f"hierarchy -top muster\nrename muster {name}"]
    if gates:
        lines += [f"{synth.ICE40} -top {name}", f"select -module {name}",
                  "write_json -selected netlist.json", "design -reset",
                  "read_verilog -DICE40_HX -DNO_ICE40_DEFAULT_ASSIGNMENTS +/ice40/cells_sim.v",
                  "read_json netlist.json", f"hierarchy -top {name}"]
    lines += ["proc", "flatten", "opt_expr", "opt_clean"]
    if not gates:
        # Vectors whose parts depend on each other look like loops. Written with them, the module fails in
        # Verilator 5.006.
        lines += ["splitnets -driver"]
    lines += [f"write_verilog -noattr {name}.v"]
    if not gates:
        lines += ["design -reset", f"read_verilog {name}.v", f"hierarchy -check -top {name}", "proc",
                  "check -assert", "select -assert-none t:$dlatch t:$adlatch"]
    return "\n".join(lines) + "\n"


def wrapper(name):
    """The top's header, so that the module can stand in for it."""
    header = (ROOT / "rtl/muster.sv").read_text().split("\n);\n", 1)[0]
    header = header[header.index("module muster"):]
    return ("// Written by scripts/synth/verilog.py: the ports of rtl/muster.sv, and plain Verilog inside them.\n"
            f"{header}\n);\n  {name} u_verilog (.*);\nendmodule\n")


def render(config, parameters, gates):
    """Writes the files of a configuration; returns the path of the module."""
    name = f"muster_{config}" + ("_gates" if gates else "")
    folder = OUT / name
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "script.ys").write_text(script(name, parameters, gates))
    files = [*filelists.unit(fpga=gates), "rtl/common/muster_assert.svh"]
    done = subprocess.run(yowasp.yosys(folder / "script.ys", folder, files), cwd=ROOT,
                          stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode:
        errors = [line for line in (done.stdout + done.stderr).splitlines() if "rror" in line]
        sys.exit(f"{config}: Yosys failed: {(errors or ['without a word'])[0]}")
    verilog = OUT / f"{name}.v"
    (folder / f"{name}.v").replace(verilog)
    (OUT / f"{name}_wrapper.sv").write_text(wrapper(name))
    ports = fieldmap.read(parameters)
    (OUT / f"{name}_ports.json").write_text(json.dumps({"module": name} | ports, indent=1) + "\n")
    (OUT / f"{name}_ports.md").write_text(fieldmap.table(name, ports))
    wrong = fieldmap.differences(ports, verilog.read_text())
    if wrong:
        sys.exit(f"{config}: {'; '.join(wrong)}")
    if not gates:
        lint = subprocess.run(["verilator", "--lint-only", "-Wall", *(f"-Wno-{w}" for w in STYLE),
                               "--language", "1364-2005", verilog], cwd=ROOT, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True)
        if lint.returncode:
            sys.exit(f"{config}: Verilator objects: {lint.stderr}")
    return verilog


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--config", default="all", choices=["all", *configs.NAMES])
    parser.add_argument("--gates", action="store_true", help="the netlist of cells")
    args = parser.parse_args()
    if subprocess.run([ROOT / "scripts/run/setup.sh", "synth"]).returncode:
        sys.exit(2)
    lock.hold("build/verilog", wait=True)
    yowasp.ensure_yosys()
    wanted = configs.UNIT if args.config == "all" else {args.config: configs.UNIT[args.config]}
    for config, parameters in wanted.items():
        verilog = render(config, parameters, args.gates)
        lines = verilog.read_text().count("\n")
        print(f"{verilog.relative_to(ROOT)}: {lines} lines", flush=True)


if __name__ == "__main__":
    main()
