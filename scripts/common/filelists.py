#!/usr/bin/env python3
# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""Writes rtl/muster.core (FuseSoC) and rtl/Bender.yml from rtl/muster.f, the one file list.

With --check it writes nothing, and fails if one of them is not what it would write, if the defaults of
the top are not the configuration `default`, or if muster_cfg_t has other members than the top has parameters.
"""

import argparse
import pathlib
import re
import sys

from root import ROOT
import configs

RTL = ROOT / "rtl"
NOTICE = ("# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0\n"
          "#\n# Written by scripts/common/filelists.py from muster.f.\n")


def read_list():
    """Include folders and sources, by their paths in rtl/."""
    lines = [line.strip() for line in (RTL / "muster.f").read_text().splitlines()]
    lines = [line for line in lines if line and not line.startswith("//")]
    folders = [line.removeprefix("+incdir+") for line in lines if line.startswith("+incdir+")]
    return folders, [line for line in lines if not line.startswith("+")]


def unit(fpga=False):
    """The sources of rtl/muster.f, by their paths in the project; for an FPGA with those that are block RAMs
    there."""
    arrays = ("common/muster_mem_1r1w.sv", "common/muster_lowest.sv")
    return ["rtl/" + (path.replace("common/", "fpga/") if fpga and path in arrays else path)
            for path in read_list()[1]]


def parameters():
    """Name, type and default of each parameter of the top, and what it has none of."""
    header = (RTL / "muster.sv").read_text().split("#(", 1)[1].split(") (", 1)[0]
    for kind, name, value in re.findall(r"parameter (bit|int unsigned)\s+(\w+)\s*=\s*([\w']+)", header):
        yield name, kind, value.removeprefix("1'b")


def version():
    return re.search(r"project\(muster VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text())[1]


def core(folders, sources):
    headers = sorted(str(path.relative_to(RTL)) for folder in folders
                     for path in (RTL / folder).glob("*.svh"))
    include = "".join(f"      - {path}: {{is_include_file: true, include_path: {pathlib.Path(path).parent}}}\n"
                      for path in headers)
    files = "".join(f"      - {path}\n" for path in sources)
    params = list(parameters())
    # Without a default, a parameter that is not given keeps the one of the RTL.
    described = "".join(f"  {name}: {{datatype: int, paramtype: vlogparam}}\n" for name, _, _ in params)
    names = ", ".join(name for name, _, _ in params)
    return ("CAPI=2:\n" + NOTICE + "\n"
            f"name: muster:gpu:muster:{version()}\n"
            "description: The barrier unit of a GPU core (named barriers, mbarrier)\n\n"
            "filesets:\n  rtl:\n    files:\n" + include + files +
            "    file_type: systemVerilogSource\n"
            "  waivers:\n    files: [muster.vlt]\n    file_type: vlt\n"
            "  generator:\n    depend: [muster:gpu:plain]\n\n"
            "parameters:\n" + described + "\n"
            "generate:\n  plain: {generator: muster_plain, parameters: {config: small}}\n\n"
            "targets:\n"
            # Cores that depend on this one take `default`; its parameters would be overridden at their tops.
            "  default:\n    filesets: [waivers, rtl]\n    toplevel: muster\n"
            f"  lint:\n    filesets: [waivers, rtl]\n    toplevel: muster\n    parameters: [{names}]\n"
            "    flow: lint\n    flow_options: {tool: verilator, verilator_options: [-Wall]}\n"
            # Yosys as edalize calls it reads no SystemVerilog of this kind: it gets the unit as plain Verilog.
            "  synth:\n    filesets: [generator]\n    generate: [plain]\n    toplevel: muster_small\n"
            "    flow: icestorm\n    flow_options: {pnr: none}\n")


def bender(folders, sources):
    return (NOTICE + "\npackage:\n  name: muster\n  authors: [Muster contributors]\n\n"
            "sources:\n" + f"  - include_dirs: [{', '.join(folders)}]\n    files:\n" +
            "".join(f"      - {path}\n" for path in sources))


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--check", action="store_true", help="only compare")
    args = parser.parse_args()
    folders, sources = read_list()
    missing = [path for path in sources if not (RTL / path).exists()]
    if missing:
        sys.exit(f"rtl/muster.f: there is no {', '.join(missing)}")
    if [(name, kind) for name, kind, _ in parameters()] != configs.FIELDS:
        sys.exit("rtl/muster_cfg_pkg.sv: the members of muster_cfg_t are not the parameters of rtl/muster.sv, in order")
    default = configs.UNIT["default"]
    other = [f"{name} is {value}, not {default[name]}" for name, _, value in parameters()
             if int(value) != default[name]]
    if other:
        sys.exit(f"rtl/muster.sv: the defaults are not those of the configuration default: {', '.join(other)}")
    stale = []
    for name, text in (("muster.core", core(folders, sources)), ("Bender.yml", bender(folders, sources))):
        path = RTL / name
        if args.check:
            stale += [] if path.exists() and path.read_text() == text else [f"rtl/{name}"]
        else:
            path.write_text(text)
    if stale:
        sys.exit(f"{' and '.join(stale)}: not what scripts/common/filelists.py makes of rtl/muster.f; run it")


if __name__ == "__main__":
    main()
