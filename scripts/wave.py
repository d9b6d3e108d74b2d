#!/usr/bin/env python3
# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""A waveform that a person can read: an FST, a GTKWave save file, and a picture of it.

Runs a kernel (--kernel) or a seed of the regression (--test regress), or takes an FST that is
there (--fst). The picture shows the cycles around the first release, or those asked for.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
OUT = ROOT / "build" / "wave"
CYCLE = 10  # time units, as sim/lockstep/dut.h has it
UNIT = "muster.muster_flat"
MAX_ISSUE = 4
BINARY, HEX, DECIMAL, NAME = "@28", "@22", "@24", "@100000028"  # GTKWave's flags for a trace

# Groups of signals below the unit: name, what it is called, how it is shown; {p} is each issue port.
GROUPS = {
    "clock": [("clk_i", "clk", BINARY)],
    "lifecycle": [("lc_valid_i", "valid", BINARY), ("lc_ready_o", "ready", BINARY),
                  ("lifecycle.op", "op", NAME), ("lifecycle.cta", "cta", DECIMAL),
                  ("lifecycle.warp", "warp", DECIMAL), ("lifecycle.warps", "warps", HEX)],
    "issue": [("issue_valid_i", "valid (ports)", BINARY), ("issue_ready_o", "ready (ports)", BINARY)],
    "issue, port {p}": [("issue[{p}].op", "op", NAME), ("issue[{p}].cta", "cta", DECIMAL),
                        ("issue[{p}].warp", "warp", DECIMAL), ("issue[{p}].bar", "barrier", DECIMAL),
                        ("issue[{p}].count", "count", DECIMAL), ("issue[{p}].lanes", "lanes", HEX)],
    "pipeline": [("fence_req", "drain asked for (warps)", HEX), ("busy", "busy warps", HEX),
                 ("commit.valid", "commit (ports)", BINARY),
                 ("commit.lifecycle", "commit (lifecycle)", BINARY)],
    "entry": [("commit.entry_valid", "written", BINARY), ("commit.entry_cta", "cta", DECIMAL),
              ("commit.entry_bar", "barrier", DECIMAL), ("commit.entry_word.kind", "kind", NAME),
              ("commit.entry_word.expected", "expected", DECIMAL),
              ("commit.entry_word.arrived", "arrived", DECIMAL),
              ("commit.entry_word.value", "value", DECIMAL)],
    "waiting": [("live", "live warps", HEX), ("waiting", "waiting warps", HEX)],
    "release": [("released", "released warps", HEX), ("release_info.cta", "cta", DECIMAL),
                ("release_info.bar", "barrier", DECIMAL), ("release_info.kind", "kind", NAME),
                ("release_info.value", "value", DECIMAL)],
    "fault": [("fault_valid_o", "valid (ports, lifecycle)", BINARY)],
}

RC = """splash_disable 1
hide_sst 1
enable_vert_grid 1
initial_window_x {width}
initial_window_y {height}
initial_signal_window_width 260
fontname_signals Monospace 10
fontname_waves Monospace 10
"""

TCL = """gtkwave::/View/Show_Toolbar
gtkwave::/View/Left_Justified_Signals
gtkwave::setZoomRangeTimes {start} {end}
gtkwave::setMarker {marker}
gtkwave::/File/Write_Save_File_As {save}
gtkwave::/File/Grab_To_File {png}
gtkwave::/File/Quit
"""


def run_kernel(name, config, seed, fst):
    manifests = sorted((ROOT / "sim/kernels" / name).glob("*.json"))
    if not manifests:
        kernels = sorted(p.parent.name for p in (ROOT / "sim/kernels").glob("*/*.json"))
        sys.exit(f"There is no kernel {name}; there are: {', '.join(sorted(set(kernels)))}")
    subprocess.run([ROOT / "scripts/build.sh", "muster"], check=True)
    command = ["build/sim/app/muster", "run", manifests[0], "--wave", fst]
    command += ["--config", config] if config else []
    command += ["--seed", seed] if seed else []
    subprocess.run(command, cwd=ROOT)  # a kernel that ends badly is worth seeing


def run_regress(config, seed, fst):
    subprocess.run([ROOT / "scripts/build.sh", "regress"], check=True)
    subprocess.run(["build/tb/lockstep/regress", "--config", config or "default", "--seed",
                    seed or "1", "--wave", fst], cwd=ROOT)


def read_vcd(fst):
    """The signals by name without range, and the first release's time (None: there is none)."""
    signals, release, times = {}, None, [0, 0]
    scope, code, first = [], None, True
    with subprocess.Popen(["fst2vcd", fst], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          text=True) as vcd:
        for line in vcd.stdout:
            if line.startswith("$scope"):
                scope.append(line.split()[2])
            elif line.startswith("$upscope"):
                scope.pop()
            elif line.startswith("$var"):
                _, _, width, identifier, name, *bits = line.split()[:-1]
                full = ".".join([*scope, name])
                signals[full] = full + "".join(bits).replace("[0:0]", "[0]")
                if full == f"{UNIT}.released":
                    code = identifier
            elif line.startswith("#"):
                times = [times[0] if not first else int(line[1:]), int(line[1:])]
                first = False
            elif code and line.startswith("b") and line.split()[1] == code and "1" in line.split()[0]:
                release = times[1]
                vcd.terminate()
                break
    return signals, release, times


def save_file(fst, signals):
    """The text of a GTKWave save file with the groups."""
    lines = [f'[dumpfile] "{os.path.relpath(fst, OUT)}"']
    for title, rows in GROUPS.items():
        for port in range(MAX_ISSUE) if "{p}" in title else [0]:
            names = [(f"{UNIT}.{name.format(p=port)}", *shown) for name, *shown in rows]
            shown = [(signals[name], label, flags) for name, label, flags in names if name in signals]
            if shown:
                lines += ["@200", f"-{title.format(p=port)}"]
            for name, label, flags in shown:
                lines += [flags, f"+{{{label}}} {name}"]
    return "\n".join(lines) + "\n"


def render(fst, save, png, window, marker):
    start, end = window
    rc, tcl = png.with_suffix(".rc"), png.with_suffix(".tcl")
    rc.write_text(RC.format(width=2200, height=1180))
    tcl.write_text(TCL.format(start=start, end=end, marker=marker, save=save, png=png))
    command = ["xvfb-run", "-a", "-s", "-screen 0 2240x1240x24",
               "gtkwave", "-r", rc, "-S", tcl, "-a", save, os.path.relpath(fst, OUT)]
    done = subprocess.run(command, cwd=OUT, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)
    rc.unlink()
    tcl.unlink()
    if not png.exists():
        sys.exit(f"GTKWave left no picture:\n{done.stdout}{done.stderr}")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawTextHelpFormatter)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--kernel", help="a folder of sim/kernels")
    what.add_argument("--test", choices=["regress"])
    what.add_argument("--fst", type=pathlib.Path)
    parser.add_argument("--config")
    parser.add_argument("--seed")
    parser.add_argument("--at", type=int, help="the cycle at the middle of the picture")
    parser.add_argument("--cycles", type=int, default=32, help="how many it shows (default 32)")
    args = parser.parse_args()

    subprocess.run([ROOT / "scripts/setup.sh", "build", "wave"], check=True)
    OUT.mkdir(parents=True, exist_ok=True)
    name = args.kernel or args.test or args.fst.stem
    fst = (args.fst or OUT / f"{name}.fst").resolve()
    if args.kernel:
        run_kernel(args.kernel, args.config, args.seed, fst)
    elif args.test:
        run_regress(args.config, args.seed, fst)
    if not fst.exists():
        sys.exit(f"{fst} is not there: the run left no waveform")

    signals, release, (first, last) = read_vcd(fst)
    middle = args.at * CYCLE if args.at else release if release is not None else first
    before = args.cycles // 2 if args.at else (3 * args.cycles) // 4
    start = max(first, middle - before * CYCLE)
    save, png = OUT / f"{name}.gtkw", OUT / f"{name}.png"
    save.write_text(save_file(fst, signals))
    render(fst, save, png, (start, start + args.cycles * CYCLE), middle)
    for path in (fst, save, png):
        print(path.relative_to(ROOT) if path.is_relative_to(ROOT) else path)
    if os.environ.get("DISPLAY"):
        subprocess.Popen(["gtkwave", fst, save], stdin=subprocess.DEVNULL,
                         stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


if __name__ == "__main__":
    main()
