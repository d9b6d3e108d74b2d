#!/usr/bin/env python3
# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""Runs integrators' tools on the RTL, a line per check. Arguments name the checks to run.

  fusesoc     lint, also of a core that depends on ours, a self-checking simulation and synthesis, by rtl/muster.core and tb/smoke/muster_smoke.core
  bender      the sources as rtl/Bender.yml and tb/smoke/Bender.yml have them, read by Verilator; cargo installs Bender from crates.io
  lint        Verible's linter, with all its rules but those of integration/verible.rules
  format      Verible's formatter, but for the layout of a statement over several lines and for columns
  slang       slang elaborates all that `make lint` elaborates, without a warning but those of integration/slang.f
  registers   PeakRDL reads the map of the AXI4-Lite adapter; the offsets and masks of its C header are those of ours; its page of the
              registers is build/integration/registers/index.html
  ipxact      rtl/muster.xml is a component by the schema of IEEE 1685-2014

The tools are those of PyPI that integration/requirements.txt pins, in build/integration/environment, and Bender, in
build/integration/cargo. A check that cannot run is reported as such, and does not pass. Exit code 1: a check failed; 2: the tools cannot be installed.
"""

import difflib
import json
import os
import re
import shutil
import subprocess
import sys
import time

from root import ROOT
import filelists
import lint

HERE = ROOT / "scripts/check/integration"
WORK = ROOT / "build/integration"
TOOLS = WORK / "environment/bin"
CARGO = WORK / "cargo"
BENDER = "bender@0.32.1"  # without its default features, of which one builds slang by CMake


# A core of a user's, which is held to more than the default warnings: ours bring their waivers along.
USER = """CAPI=2:
name: me:gpu:mine:1.0.0
filesets:
  rtl: {depend: [muster:gpu:muster]}
targets:
  lint:
    filesets: [rtl]
    toplevel: muster_template
    flow: lint
    flow_options: {tool: verilator, verilator_options: [-Wall]}
"""


class Missing(Exception):
    """A tool that is not there."""


def run(*command, folder=WORK, **options):
    """The exit code and all messages of a tool."""
    done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, env=os.environ | {"PATH": f"{TOOLS}:{CARGO / 'bin'}:{os.environ['PATH']}"}, **options)
    return done.returncode, done.stdout


def failed(code, text, lines=30):
    """What to say of a tool that failed."""
    return ["\n".join(text.splitlines()[-lines:])] if code else []


def sources():
    """Our SystemVerilog. What is in muster_primitives.sv belongs to vendors, with their names."""
    return sorted(str(path.relative_to(ROOT)) for folder in ("rtl", "tb/smoke") for path in (ROOT / folder).rglob("*.sv")
                  if path.name != "muster_primitives.sv")


def fusesoc():
    folder = WORK / "fusesoc"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    (folder / "mine.core").write_text(USER)

    def core(target, name, *arguments):
        code, text = run("fusesoc", "--cores-root", ROOT / "rtl", "--cores-root", ROOT / "tb/smoke",
                         "--cores-root", ROOT / "scripts/synth", "--cores-root", folder, "run", "--target", target, name, *arguments, folder=folder)
        return failed(code, text), text
    wrong = core("lint", "muster:gpu:muster")[0] + core("lint", "muster:gpu:muster", "--NumWarps", "12", "--EnState", "0")[0]
    wrong += core("lint", "me:gpu:mine")[0]
    said, text = core("sim", "muster:gpu:smoke", "--NumWarps", "32")
    wrong += said or ([] if "PASS: 32 warps" in text else ["The simulation says no PASS."])
    said, text = core("synth", "muster:gpu:muster")
    netlist = next(folder.rglob("muster_gpu_muster_*.json"), None)
    return wrong + (said or ([] if netlist and "SB_LUT4" in netlist.read_text() else ["Synthesis leaves no netlist of cells."]))


def install_bender():
    if (CARGO / "bin/bender").exists():
        return
    if not shutil.which("cargo"):
        raise Missing("there is no cargo (Debian's package has that name), which installs Bender")
    if os.environ.get("SETUP") == "no":
        raise Missing(f"SETUP=no, and there is no Bender in {CARGO}")
    print(f"Muster now installs {BENDER} of crates.io into {CARGO}; two minutes or so (SETUP=no forbids it).", flush=True)
    code, text = run("cargo", "install", BENDER, "--locked", "--no-default-features", "--root", CARGO)
    if code:
        raise Missing("cargo could not install Bender: " + text.strip().splitlines()[-1])


def bender():
    install_bender()
    folder = WORK / "bender"
    shutil.rmtree(folder, ignore_errors=True)
    for part in ("rtl", "tb/smoke"):
        shutil.copytree(ROOT / part, folder / part)  # Bender writes its lock file beside Bender.yml
    code, text = run("bender", "-d", folder / "tb/smoke", "update")
    wrong = failed(code, text)
    for target, top in (("simulation", "muster_smoke"), ("synthesis", "muster")):
        code, text = run("bender", "-d", folder / "tb/smoke", "script", "flist-plus", "-t", target)
        wrong += failed(code, text)
        listed = [word for word in text.split() if word.endswith(".sv")]
        want = [*(str(folder / path) for path in filelists.unit()), str(folder / "tb/smoke/muster_smoke.sv")]
        if listed != want[:len(listed)] or len(listed) != len(want) - (target == "synthesis"):
            wrong.append(f"For {target}, Bender lists other files than rtl/muster.f.")
        (folder / f"{target}.f").write_text(text)
        code, text = run("verilator", "--lint-only", "--timing", "-Wall", ROOT / "rtl/muster.vlt", "-f", folder / f"{target}.f",
                         "--top-module", top)
        wrong += failed(code, text)
    return wrong


def verible_lint():
    return failed(*run("verible-verilog-lint", "--ruleset=all", f"--rules_config={HERE / 'verible.rules'}", *sources(), folder=ROOT))


def spaced(text):
    """The text as one line: what stands between two words, a space or nothing, without the places at which a line may end."""
    return re.sub(r"(?<=[({\[]) | (?=[)}\];,])", "", re.sub(r"\s+", " ", text)).split(" ")


def indented(text):
    """The indentation of each line that begins a statement: (the line, without runs of spaces; spaces before it)."""
    found, begins = [], True
    for line in text.splitlines():
        code = line.split("//")[0].strip()
        if code:
            if begins and not code.startswith("`"):
                found.append((" ".join(line.split()), len(line) - len(line.lstrip())))
            begins = code.endswith((";", "begin", "end", "endcase"))
    return found


def verible_format():
    """Where the formatter would put other spaces between words, or another indentation before a statement. It may neither break nor join
    lines, and neither make nor break columns: it has `return` and what is returned on lines of their own, and comments of
    ports and of fields no longer below each other."""
    wrong = []
    for file in sources():
        ours = (ROOT / file).read_text()
        code, theirs = run("verible-verilog-format", f"--flagfile={HERE / 'verible.flags'}", file, folder=ROOT)
        if code:
            wrong += failed(code, f"{file}: {theirs}")
            continue
        words, wanted = spaced(ours), spaced(theirs.replace("from :", "from:"))  # to Verible a keyword, that of Verilog-AMS
        for kind, i, j, k, m in difflib.SequenceMatcher(None, words, wanted, autojunk=False).get_opcodes():
            if kind != "equal":
                wrong.append(f"{file}: {' '.join(words[max(i - 2, 0):j + 2])}, not: {' '.join(wanted[max(k - 2, 0):m + 2])}")
        mine, other = indented(ours), indented(theirs)
        for i, k, count in difflib.SequenceMatcher(None, [line for line, _ in mine], [line for line, _ in other],
                                                   autojunk=False).get_matching_blocks():
            wrong += [f"{file}: indent by {depth}: {line}" for (line, had), (_, depth) in zip(mine[i:i + count], other[k:])
                      if had != depth]
    return wrong


def slang():
    lines = [" ".join(["slang", "-f", str(HERE / "slang.f"), *arguments]).replace("--top-module", "--top").replace("'", "\\'")
             for arguments in lint.elaborations()]
    (WORK / "slang.json").write_text(json.dumps(lines))
    return failed(*run("python", HERE / "elaborate.py", WORK / "slang.json", folder=ROOT))


def registers():
    source, ours = ROOT / "rtl/adapters/axil/muster_axil.rdl", ROOT / "rtl/adapters/axil/muster_axil.h"
    wrong = failed(*run("peakrdl", "html", source, "-o", WORK / "registers"))
    wrong += failed(*run("peakrdl", "c-header", source, "-o", WORK / "peakrdl.h"))
    if wrong:
        return wrong
    theirs = (WORK / "peakrdl.h").read_text()
    asserts = [f'static_assert(offsetof(muster_axil_t, {name}) == MUSTER_AXIL_{name.upper()}{"(0)" if array else ""}, "{name}");'
               for name, array in re.findall(r"^    \w+ (\w+)(\[\d+\])?;", theirs[theirs.rindex("typedef struct"):], re.MULTILINE)
               if not name.startswith("RESERVED")]
    fields = re.findall(r"#define (MUSTER_AXIL__(\w+)__(\w+))_bm (?!0xffffffff)", theirs)  # those are no fields to us
    asserts += [f'static_assert({macro}_bm == MUSTER_AXIL_{register}_{field}_MASK, "{register}.{field}");'
                for macro, register, field in fields]
    if len(asserts) != len(re.findall(r"#define MUSTER_AXIL_\w+(?<!_SHIFT)(?<!_H_)\b", ours.read_text())):
        wrong.append(f"PeakRDL has {len(asserts)} registers and fields, {ours.name} another number")
    (WORK / "registers.cpp").write_text("\n".join(["#include <cstddef>", '#include "peakrdl.h"', f'#include "{ours}"', *asserts, ""]))
    return wrong + failed(*run("g++", "-std=c++17", "-fsyntax-only", "-Wall", "-Werror", "registers.cpp"))


def ipxact():
    return failed(*run("python", HERE / "validate.py", ROOT / "rtl/muster.xml"))


CHECKS = {"fusesoc": fusesoc, "bender": bender, "lint": verible_lint, "format": verible_format, "slang": slang,
          "registers": registers, "ipxact": ipxact}


def main():
    wanted = sys.argv[1:] or list(CHECKS)
    unknown = [name for name in wanted if name not in CHECKS]
    if unknown:
        sys.exit(f"unknown check {unknown[0]}; there are: {', '.join(CHECKS)}")
    for command in (["scripts/run/setup.sh", "build", "integration"],
                    ["scripts/run/environment.sh", WORK / "environment", HERE / "requirements.txt"]):
        if subprocess.run(command, cwd=ROOT).returncode:
            sys.exit(2)
    verdicts = []
    for name in wanted:
        start = time.monotonic()
        try:
            wrong = CHECKS[name]()
            verdict = f"{len(wrong)} failed" if wrong else "clean"
        except Missing as tool:
            wrong, verdict = [], f"not run: {tool}"
        verdicts.append(verdict)
        print(f"{name:10} {verdict}  ({time.monotonic() - start:.0f} s)", flush=True)
        for text in wrong:
            print("  " + text.rstrip().replace("\n", "\n  "))
    passed, missing = verdicts.count("clean"), sum(verdict.startswith("not run") for verdict in verdicts)
    print(f"{passed} passed, {len(verdicts) - passed - missing} failed, {missing} not run")
    sys.exit(passed + missing < len(verdicts))


if __name__ == "__main__":
    main()
