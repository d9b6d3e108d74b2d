#!/usr/bin/env python3
# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""Style and correctness of all sources, a line per check. Arguments name the checks to run."""

import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import time

from root import ROOT
import configs
import corners

JOBS = int(os.environ.get("JOBS", os.cpu_count()))
SPDX = "Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0"
COLUMNS = 100  # of a line of RTL


def files(*suffixes):
    """Sources of the project, those not yet committed included."""
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT,
                            capture_output=True, text=True, check=True).stdout.split("\n")
    return sorted(f for f in listed if f.endswith(suffixes) and (ROOT / f).is_file())


def failures(commands, passed=lambda command: None):
    """Runs the commands, several at a time. Returns the messages of those that failed, and calls
    `passed` with the others. If there are many, it shows its progress."""
    def run(command):
        done = subprocess.run(command, cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True,
                              text=True)
        if done.returncode == 0:
            passed(command)
            return None
        return f"$ {shlex.join(map(str, command))}\n{done.stdout}{done.stderr}"

    wrong = []
    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        for number, text in enumerate(pool.map(run, commands), 1):
            wrong += [text] if text else []
            if number % 10 == 0:
                print(f"  {commands[0][0]} {number}/{len(commands)}", flush=True)
    return wrong


def elaborations():
    """Arguments for the unit in all configurations and at all corners of its parameters, and for the modules around it."""
    commands = [["+define+MUSTER_OBSERVE", "--top-module", "muster", *configs.overrides(parameters)]
                for parameters in [*configs.UNIT.values(), *corners.every().values()]]
    commands += [observe + ["--top-module", "muster", f"-GEnMbarrier=1'b{mbarrier}"]
                 for mbarrier in (0, 1) for observe in ([], ["+define+MUSTER_OBSERVE"])]
    commands += [["--top-module", top] for top in
                 ("muster_template", "muster_fence_tracker", "muster_copy_tracker", "muster_mb_coalesce",
                  "muster_bcu_decode", "muster_mem_port", "muster_scheduler")]
    few = configs.UNIT["small"] | {"EnState": 0, "EnLanes": 0}
    commands += [["--top-module", "muster_axil", f"-GCfg={configs.packed(few | changes)}", f"-GEnCounters=1'b{counters}"]
                 for changes, counters in
                 (({"NumWarps": 4, "NumCtas": 1, "EnReduce": 0}, 1), ({"NumWarps": 5, "NumCtas": 3, "EnReduce": 0}, 0), ({}, 1),
                  ({"NumWarps": 12, "NumCtas": 3, "NumIssue": 2, "EnReduce": 0}, 1),
                  ({"NumWarps": 33, "NumCtas": 8, "NumIssue": 2}, 0), ({"NumWarps": 64, "NumCtas": 32, "NumIssue": 4}, 1))]
    commands += [["--top-module", "muster_ventus", f"-GNumWarps={warps}", f"-GNumBlocks={blocks}",
                         f"-GWfIdWidth={width}"]
                 for warps, blocks, width in ((4, 1, 2), (8, 8, 3), (12, 3, 4), (64, 32, 6))]
    commands += [["--top-module", "muster_vortex", f"-GNumWarps={warps}", f"-GEndsCount=1'b{switch}",
                         f"-GEnSplit=1'b{switch}"]
                 for warps in (4, 8, 32) for switch in (0, 1)]
    commands += [["--top-module", "muster_warp", f"-GNumWarps={warps}", f"-GWarpSize={lanes}", f"-GLanesPerBeat={beat}",
                         f"-GEnCollectives=1'b{collectives}", f"-GEnFaults=1'b{faults}"]
                 for warps, lanes, beat, collectives, faults in
                 ((4, 32, 1, 1, 1), (8, 32, 1, 0, 1), (12, 16, 4, 1, 0), (33, 8, 8, 1, 1), (64, 32, 32, 1, 1))]
    commands += [["--top-module", "muster_atomics", f"-GCfg={configs.packed(configs.UNIT['small'] | changes)}",
                         f"-GFloats={floats}", f"-GEn128=1'b{wide}"]
                 for changes, floats, wide in
                 (({}, 0, 0), ({"NumWarps": 5, "NumCtas": 1, "SmemBytes": 16}, 1, 0), ({"NumWarps": 64, "NumCtas": 32, "EnFaults": 0}, 2, 1),
                  ({"EnDrain": 0}, 3, 1))]
    commands += [["--top-module", "muster_atomics", f"-GCfg={configs.packed(configs.UNIT['small'])}", "-GEnRemote=1'b1", f"-GEn128=1'b{wide}"] for wide in (0, 1)]
    commands += [["--top-module", "muster_atomics_lanes"]]
    commands += [["--top-module", "muster_cluster", f"-GNumUnits={units}", f"-GNumWarps={warps}",
                         f"-GNumCtas={ctas}", f"-GNumClusters={clusters}", f"-GNumGrids={grids}", f"-GNumRanks={ranks}"]
                 for units, warps, ctas, clusters, grids, ranks in
                 ((1, 4, 1, 1, 1, 16), (2, 8, 2, 2, 2, 32), (3, 5, 3, 5, 3, 16), (4, 32, 8, 8, 2, 16), (16, 64, 32, 64, 8, 32))]
    commands += [["--top-module", "muster_cancel_decode"]]
    commands += [["+define+MUSTER_OBSERVE", "--top-module", "muster_gpc", f"-GNumRanks={ranks}"] for ranks in (16, 32)]
    commands += [["--top-module", top, "-GEnAtomics=1'b0"] for top in ("muster_gpc", "muster_cluster")]
    commands += [["--top-module", "muster_gpc", f"-GNumUnits={units}", f"-GNumWarps={warps}", f"-GNumCtas={ctas}",
                         f"-GNumIssue={ports}", f"-GLanesPerBeat={beat}", f"-GNumClusters={ctas}"]
                 for units, warps, ctas, ports, beat in ((1, 4, 1, 1, 1), (2, 8, 2, 1, 1), (4, 32, 8, 2, 8))]
    commands += [["-F", "rtl/fpga/fpga.f", "rtl/fpga/muster_primitives.sv",
                         f"rtl/fpga/muster_{board}.sv", "--top-module", f"muster_{board}",
                         f"-GEnMbarrier=1'b{mbarrier}"]
                 for board in ("hx8k", "ulx3s", "tangnano20k", "arty_a7") for mbarrier in (0, 1)]
    return [["-F", "rtl/muster.f", *command] for command in commands]


def verilator():
    return failures([["verilator", "--lint-only", "-Wall", "rtl/muster.vlt", *command] for command in elaborations()])


def clang_format():
    return failures([["clang-format", "--dry-run", "-Werror", *files(".h", ".cpp")]])


def clang_tidy():
    built = failures([["scripts/run/build.sh"]])  # some sources and headers are generated
    if built:
        return built
    clean = ROOT / "build/clang-tidy"  # a file for each source that was clean, and since when
    clean.mkdir(exist_ok=True)
    compiled = apart(json.loads((ROOT / "build/compile_commands.json").read_text()))
    (clean / "compile_commands.json").write_text(json.dumps(compiled))
    own = {c["file"]: re.search(r" -o (\S+)", c["command"])[1] for c in compiled
           if re.match(rf"{re.escape(str(ROOT))}/(sim|tb)/", c["file"])}
    depends = dependencies()
    began = time.time()

    def stamp(file):
        return clean / file.removeprefix(f"{ROOT}/").replace("/", ".")

    def changed(file):
        since = stamp(file).stat().st_mtime if stamp(file).exists() else 0
        return any(not path.exists() or path.stat().st_mtime > since
                   for path in [ROOT / ".clang-tidy", *depends.get(own[file], [ROOT / file])])

    def passed(command):
        stamp(command[-1]).touch()
        os.utime(stamp(command[-1]), (began, began))

    return failures([["clang-tidy", "--quiet", "-p", clean, f] for f in sorted(own) if changed(f)],
                    passed)


def apart(compiled):
    """The commands of compile_commands.json, with one for each of the sources that CMake compiles together."""
    commands = []
    for c in compiled:
        together = re.search(r"/Unity/unity_\d+_cxx\.cxx$", c["file"])
        sources = re.findall(r'^#include "(.+)"$', pathlib.Path(c["file"]).read_text(), re.M) if together else [c["file"]]
        commands += [c | {"file": s, "command": c["command"].replace(c["file"], s)} for s in sources]
    return commands


def dependencies():
    """The sources of each object, as Ninja knows them."""
    listed = subprocess.run(["ninja", "-C", "build", "-t", "deps"], cwd=ROOT, capture_output=True,
                            text=True, check=True).stdout
    depends = {}
    for line in listed.split("\n"):
        if line.startswith("    "):
            made_from.append(ROOT / "build" / line.strip())
        elif ": #deps" in line:
            made_from = depends[line.split(": #deps")[0]] = []
    return depends


def shell():
    scripts = files(".sh", ".ci/run")
    return failures([["bash", "-n", f] for f in scripts] + [["shellcheck", *scripts]])


def python():
    wrong = []
    for file in files(".py"):
        try:
            compile((ROOT / file).read_text(), file, "exec")
        except SyntaxError as error:
            wrong.append(f"{file}:{error.lineno}: {error.msg}")
    return wrong


def headers():
    """Licence line, length, columns of the RTL, and that rtl/muster.f lists the RTL."""
    wrong = []
    for file in files(".h", ".cpp", ".sv", ".svh", ".py", ".sh", ".mjs", ".tcl", ".vlt",
                      "CMakeLists.txt", ".cmake", "Makefile"):
        lines = (ROOT / file).read_text().split("\n")
        if not any(SPDX in line for line in lines[:2]):
            wrong.append(f"{file}: the licence line is missing")
        limit = {".sv": 250, ".cpp": 500, ".h": 500}.get(pathlib.Path(file).suffix)
        counted = [line for line in lines if line.strip() and not line.lstrip().startswith("//")] \
            if file.endswith(".sv") else lines  # what a port means stands above the port
        if limit and len(counted) > limit:
            wrong.append(f"{file}: {len(counted)} lines; split it")
        if file.startswith("rtl/") and file.endswith((".sv", ".svh")):
            wrong += [f"{file}:{number}: {len(line)} columns; at most {COLUMNS}"
                      for number, line in enumerate(lines, 1) if len(line) > COLUMNS]
    listed = (ROOT / "rtl/muster.f").read_text().split()
    wrong += [f"rtl/muster.f: {f} is not there" for f in listed
              if not f.startswith("+") and not (ROOT / "rtl" / f).exists()]
    return wrong


# Words in comments that make a reader look for what they stand for; and a comment that goes on with that of the line before.
RIDDLE = re.compile(r"(?://|^ *#|  # ).*\b([Nn]obody|[Ss]omebody)\b|(?:// |^ *# )(\.\.\.)")


def words():
    """Comments are sentences that can be read alone."""
    return [f"{name}:{number}: a comment with {found[1] or found[2]!r}: {line.strip()}"
            for name in files(".sv", ".svh", ".h", ".cpp", ".py", ".sh", ".cmake", "CMakeLists.txt")
            if name != "scripts/check/lint.py"
            for number, line in enumerate((ROOT / name).read_text(encoding="utf-8").splitlines(), 1)
            if (found := RIDDLE.search(line)) and not found[0].endswith("releases nobody")]


CHECKS = {"verilator": verilator, "clang-format": clang_format, "clang-tidy": clang_tidy,
          "shell": shell, "python": python, "headers": headers, "words": words}


def main():
    wanted = sys.argv[1:] or list(CHECKS)
    unknown = [name for name in wanted if name not in CHECKS]
    if unknown:
        sys.exit(f"unknown check {unknown[0]}; there are: {', '.join(CHECKS)}")
    subprocess.run([ROOT / "scripts/run/setup.sh", "build", "lint"], check=True)
    failed = 0
    for name in wanted:
        start = time.monotonic()
        wrong = CHECKS[name]()
        verdict = f"{len(wrong)} failed" if wrong else "clean"
        print(f"{name:14} {verdict}  ({time.monotonic() - start:.0f} s)", flush=True)
        for text in wrong:
            print("  " + text.rstrip().replace("\n", "\n  "))
        failed += bool(wrong)
    print(f"{len(wanted) - failed} passed, {failed} failed")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
