#!/usr/bin/env python3
# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""Asks a GPU: runs each kernel of a folder there, and prints a recording as h100_readings.json is one.

What a kernel has left in `out` stands beside how it ended, also where it hangs. Beside these stands its machine code, as far as
lanes wait in it or part: the instructions of barriers, of reconvergence and of mbarriers, in their order. The driver compiles PTX itself;
what is shown is what ptxas of the CUDA toolkit makes of it, for the same GPU. Without ptxas and cuobjdump it says so instead.

  questions.py FOLDER; ask.py MUSTER FOLDER --target cuda:8 > NAME.json
"""

import argparse
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import verdicts

INSTRUCTION = re.compile(r"/\*[0-9a-f]{4,}\*/\s+([^;]*\S)\s*;")
# Barriers and mbarriers, reconvergence and branches, clocks, and the accesses that these order.
SHOWN = {"BAR", "SYNCS", "WARPSYNC", "UCGABAR_ARV", "UCGABAR_WAIT", "BSSY", "BSYNC", "BREAK", "YIELD", "BRA", "EXIT", "BPT", "CS2R", "S2R", "S2UR",
         "LDS", "STS", "ATOMS", "LD", "ST", "LDG", "STG", "MEMBAR", "FENCE", "UBLKCP"}


def no_tool():
    """Why there is no machine code; None: there is."""
    missing = [tool for tool in ("ptxas", "cuobjdump") if not shutil.which(tool)]
    return f"there is no {' and no '.join(missing)} here" if missing else None


def machine_code(ptx, arch):
    with tempfile.TemporaryDirectory() as folder:
        cubin = pathlib.Path(folder) / "kernel.cubin"
        for command in (["ptxas", f"-arch={arch}", ptx, "-o", cubin], ["cuobjdump", "-sass", cubin]):
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode:
                return f"{command[0]}: {(done.stderr or done.stdout).strip()}"
    lines = [line.split() for line in INSTRUCTION.findall(done.stdout)]
    return [" ".join(line) for line in lines if next(word for word in line if word[0] != "@").split(".")[0] in SHOWN]


def on_gpu(muster, folder, target):
    """(name, outcome, out) of each kernel, several at a time."""
    with tempfile.TemporaryDirectory() as temporary:
        rows = pathlib.Path(temporary) / "rows.json"
        done = subprocess.run([muster, "suite", folder, "--target", target, "--json", rows], capture_output=True, text=True)
        if not rows.exists():
            raise verdicts.Wrong(done.stderr.strip() or done.stdout.strip())
        for row in json.loads(rows.read_text()):
            if row["report"] is None:
                raise verdicts.Wrong(f"{row['kernel']}: it does not run with --target {target}")
            out = row["report"]["buffers"].get("out")
            if out is None:  # a report leaves out what is long
                out = verdicts.run(muster, folder / f"{row['kernel']}.json", "--target", target.split(":")[0]).out
            yield row["kernel"], row["report"]["outcome"], out


def on_unit(muster, manifests):
    for path in manifests:
        end = verdicts.run(muster, path)
        yield path.stem, end.outcome, end.out


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("muster", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path, help="its manifests are asked")
    parser.add_argument("--target", help="as of `muster suite`: cuda:8; without it the unit is asked")
    parser.add_argument("--no-code", action="store_true", help="without machine code")
    parser.add_argument("--arch", default="sm_90", help="for which GPU ptxas compiles (sm_90)")
    args = parser.parse_args()
    manifests = sorted(args.folder.glob("*.json"))
    if not manifests:
        raise verdicts.Wrong(f"{args.folder}: there is no manifest (*.json)")
    lacks = no_tool()
    answers = {}
    for name, outcome, out in on_gpu(args.muster, args.folder, args.target) if args.target else on_unit(args.muster, manifests):
        answers[name] = {"outcome": outcome, "out": out}
        if not args.no_code:
            answers[name]["code"] = lacks or machine_code(args.folder / json.loads((args.folder / f"{name}.json").read_text())["ptx"], args.arch)
        print(f"{name}: {outcome}", file=sys.stderr)
    print("{" + ",\n".join(f"{json.dumps(name)}: {json.dumps(answer)}" for name, answer in answers.items()) + "}")


if __name__ == "__main__":
    try:
        main()
    except verdicts.Wrong as what:
        sys.exit(f"ask.py: {what}")
