#!/usr/bin/env python3
# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""Makes a readable waveform: an FST, a GTKWave save file, and a picture (SVG).

Runs a kernel (--kernel) or a seed of the regression (--test regress), or takes an FST that is
there (--fst). The picture shows the cycles around the first of those events that happen most often, releases at named
barriers or wake-ups at mbarriers, or those asked for; a row in which nothing happens is left out. GTKWave opens there. A run that uses a warp scope, atomics on shared memory or a cluster scope leaves an FST of each,
which has a save file and a picture, too. If there is a display, GTKWave shows the FST.
The exit code is that of the run.
"""

import argparse
import difflib
import math
import os
import pathlib
import subprocess
import sys
import xml.sax.saxutils

from root import ROOT
import configs
import waveform

BUILD = ROOT / os.environ.get("BUILD", "build")
OUT = BUILD / "wave"
# GTKWave's flags for a trace; the others are enums, which the FST has by name.
FLAGS = {"bit": "@28", "warps": "@22", "hex": "@22", "decimal": "@24", "expected": "@24", "negated_tx": "@420",
         "negated": "@420"}
ENUM = "@100000028"

ROW, CHARACTER, LEFT, NARROWEST = 18, 7.3, 190, 22  # of the picture, in pixels
STYLE = """text { font: 12px "DejaVu Sans Mono", Menlo, Consolas, monospace; fill: #1a1a1a; }
.group { font-weight: bold; }
.cycle, .grid { fill: #808080; stroke: none; }
.grid { stroke: #e0e0e0; }
.bit { fill: none; stroke: #0b62a4; stroke-width: 1.5; }
.set { fill: #0b62a4; fill-opacity: 0.12; stroke: none; }"""


def build_folder(config, target):
    """Builds the target, in the one configuration if there is one; returns the folder."""
    only = ["--config", config] if config else []
    if subprocess.run([ROOT / "scripts/run/build.sh", *only, target]).returncode:
        sys.exit(1)
    return BUILD / (config or "")


def run_kernel(name, config, seed, fst):
    kernels = {path.stem: path for path in (ROOT / "sim/kernels").glob("*/*.json")}
    if name not in kernels:
        near = difflib.get_close_matches(name, kernels)
        print(f"There is no kernel {name!r} among those of sim/kernels{', but ' + ' and '.join(near) if near else ''}. Of a kernel of your own: "
              "muster run FILE ... --wave FILE.fst, and then scripts/run/wave.py --fst FILE.fst.", file=sys.stderr)
        sys.exit(2)
    command = [build_folder(config, "muster") / "sim/app/muster", "run", kernels[name], "--wave", fst]
    command += ["--config", config] if config else []
    command += ["--seed", seed] if seed else []
    return subprocess.run(command, cwd=ROOT).returncode


def run_regress(config, seed, fst):
    regress = build_folder(config, "regress") / "tb/lockstep/regress"
    return subprocess.run([regress, "--config", config or "default", "--seed", seed or "1", "--wave", fst],
                          cwd=ROOT).returncode


def save_file(fst, traced, cycles):
    """The text of a GTKWave save file with all groups, which opens where the picture is, with the marker at its event."""
    frames = 4  # of the window, of 200 pixels each; the first number of "*" is the logarithm of a pixel's time, so much below 0
    zoom = math.log2(max(len(cycles), 1) * waveform.CYCLE / frames)
    marker = traced.event if traced.event is not None else cycles.start
    lines = [f'[dumpfile] "{os.path.relpath(fst, OUT)}"', "[size] 1400 900", f"[timestart] {cycles.start * waveform.CYCLE}",
             f"*-{zoom:.6f} {marker * waveform.CYCLE}" + " -1" * 26]
    for title, rows in traced.groups.items():
        lines += ["@200", f"-{title}"]
        for row in rows:
            label = f"- {row.label}" if row.how.startswith("negated") else row.label  # GTKWave cannot negate
            lines += [FLAGS.get(row.how, ENUM), f"+{{{label}}} {traced.full[row.signal]}"]
    return "\n".join(lines) + "\n"


def runs(values):
    """(first, length, value) of each run of equal values."""
    found = []
    for index, value in enumerate(values):
        if found and found[-1][2] == value:
            found[-1][1] += 1
        else:
            found.append([index, 1, value])
    return found


def picture(traced, cycles, zero=0):
    """The rows in which something happens, as SVG; a cell is as wide as its text needs. Cycle `zero` is shown as 0."""
    groups = {title: [(row, traced.shown(row, cycles)) for row in rows]
              for title, rows in traced.groups.items()}
    groups = {title: [(row, cells) for row, cells in rows if any(cells)]
              for title, rows in groups.items()}
    # A group whose valid bit never rises has nothing to say; its ready bit may be high.
    groups = {title: rows for title, rows in groups.items()
              if any(row.label != "ready" for row, _ in rows)}
    cell = max([NARROWEST] + [(len(text) * CHARACTER + 6) / length
                              for rows in groups.values() for row, cells in rows if row.how != "bit"
                              for _, length, text in runs(cells) if text])
    width, height = LEFT + cell * len(cycles) + 8, ROW * (sum(1 + len(r) for r in groups.values()) + 1) + 12

    def write(x, y, text, of=""):
        return f'<text x="{x:.0f}" y="{y:.0f}"{of}>{xml.sax.saxutils.escape(text)}</text>'
    parts = [f'<rect width="{width:.0f}" height="{height:.0f}" fill="#ffffff"/>',
             *(f'<line class="grid" x1="{x:.0f}" x2="{x:.0f}" y1="{ROW}" y2="{height - 8:.0f}"/>'
               for x in (LEFT + cell * n for n in range(len(cycles) + 1))),
             write(8, ROW - 4, "cycle", ' class="cycle"')]
    every = 1 if cell >= len(str(cycles[-1] - zero)) * CHARACTER + 6 else 5
    parts += [write(LEFT + cell * n + 3, ROW - 4, str(cycle - zero), ' class="cycle"')
              for n, cycle in enumerate(cycles) if (cycle - zero) % every == 0]
    y = 2 * ROW
    for title, rows in groups.items():
        parts.append(write(8, y, title, ' class="group"'))
        y += ROW
        for row, cells in rows:
            parts.append(write(20, y, row.label))
            for first, length, value in runs(cells):
                x, right = LEFT + cell * first, LEFT + cell * (first + length)
                if row.how != "bit" and value:
                    parts.append(f'<rect class="set" x="{x:.0f}" y="{y - 13}" '
                                 f'width="{right - x:.0f}" height="{ROW - 2}"/>')
                    parts.append(write(x + 3, y, value))
            if row.how == "bit":
                steps = [(LEFT + cell * n, y - 12 if value else y + 1)
                         for first, length, value in runs(cells) for n in (first, first + length)]
                points = " ".join(f"{x:.0f},{level}" for x, level in steps)
                parts.append(f'<polyline class="bit" points="{points}"/>')
            y += ROW
    body = "\n".join(parts)
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
            f'viewBox="0 0 {width:.0f} {height:.0f}">\n<style>\n{STYLE}\n</style>\n{body}\n</svg>\n')


def files_of(fst, svg=None):
    """The FST, its save file and its picture."""
    return fst, OUT / f"{fst.stem}.gtkw", svg or OUT / f"{fst.stem}.svg"


def scopes_beside(fst):
    """The FSTs of the warp scope, of the atomics and of the cluster scope, as sim/lockstep/files.h names them."""
    return [fst.with_suffix(f".{scope}{fst.suffix}") for scope in ("warp", "atomics", "cluster")]


def draw(fst, save, svg, cycles, at):
    """Writes the save file and the picture of an FST, and names them."""
    traced = waveform.Trace(fst, cycles, at)
    if traced.missing():
        sys.exit(f"{fst}: signals that scripts/run/waveform.py names are not there: {', '.join(traced.missing())}")
    if at is not None and not traced.first <= at <= traced.last:
        print(f"{fst}: cycle {at} is not in it; it has cycles {traced.first} to {traced.last}", file=sys.stderr)
        sys.exit(2)
    middle = traced.event if traced.event is not None else traced.first
    first = max(traced.first, middle - (cycles // 2 if at else 3 * cycles // 4))
    shown = range(first, min(first + cycles, traced.last + 1))
    save.write_text(save_file(fst, traced, shown))
    svg.write_text(picture(traced, shown))
    around = f"around the first {traced.what}, in cycle {traced.event}" if traced.what else "in all its rows"
    print(f"cycles {shown.start} to {shown.stop - 1}, {around}; cycle N is at {waveform.CYCLE} N ns")
    for says, path in (("waveform", fst), ("gtkwave", save), ("picture", svg.resolve())):
        print(f"  {says:<8}  {path.relative_to(ROOT) if path.is_relative_to(ROOT) else path}")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawTextHelpFormatter)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--kernel", help="a folder of sim/kernels")
    what.add_argument("--test", choices=["regress"])
    what.add_argument("--fst", type=pathlib.Path)
    parser.add_argument("--config", help="of the run, which is then built in this one alone")
    parser.add_argument("--seed", help="of the run")
    parser.add_argument("--at", type=int, help="the cycle at the middle of the picture")
    parser.add_argument("--cycles", type=int, default=24, help="how many it shows (default 24)")
    parser.add_argument("--svg", type=pathlib.Path, help="the picture's file (else beside the FST's)")
    args = parser.parse_args()
    if args.config:
        configs.check(args.config)

    if subprocess.run([ROOT / "scripts/run/setup.sh", "build", "wave"]).returncode:
        sys.exit(2)
    OUT.mkdir(parents=True, exist_ok=True)
    name = args.kernel or args.test or args.fst.stem
    fst = (args.fst or OUT / f"{name}.fst").resolve()
    code = 0
    if not args.fst:
        for old in (*files_of(fst, args.svg), *(path for wave in scopes_beside(fst) for path in files_of(wave))):
            old.unlink(missing_ok=True)
        code = (run_kernel(args.kernel, args.config, args.seed, fst) if args.kernel else
                run_regress(args.config, args.seed, fst))
    if code == 2 or not fst.exists():
        sys.exit(code if not args.fst and code else f"{fst}: there is no waveform")

    draw(*files_of(fst, args.svg), args.cycles, args.at)
    for wave in scopes_beside(fst):
        if wave.exists():
            draw(*files_of(wave), args.cycles, args.at)
    if os.environ.get("DISPLAY"):
        subprocess.Popen(["gtkwave", *files_of(fst)[:2]], stdin=subprocess.DEVNULL,
                         stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    sys.exit(code)


if __name__ == "__main__":
    main()
