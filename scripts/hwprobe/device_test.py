#!/usr/bin/env python3
# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""The probe's device part on the unit: compiled to PTX, checked, and each script run.

What the scripts find there is what they find on the golden model, and a step that this refuses ends
the run with that fault. Exit code 77: there is no compiler.

  device_test.py MUSTER HWPROBE_GOLDEN FOLDER
"""

import json
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
OPS = ["init", "inval", "arrive", "arrive.noComplete", "arrive.expect_tx", "arrive_drop",
       "arrive_drop.noComplete", "arrive_drop.expect_tx", "expect_tx", "complete_tx", "test_wait",
       "test_wait.parity", "try_wait", "try_wait.parity", "cp.async.mbarrier.arrive",
       "cp.async.mbarrier.arrive.noinc"]


def manifest(scenario):
    """Of one script, with what its records must be."""
    steps, records = [], []
    for step in scenario["steps"]:
        op, operand = step["do"].split()
        steps += [OPS.index(op), int(operand), step["lanes"]]
        records += [step["word"], step["first"], step["last"], 1]
    made = {"ptx": "device.ptx", "kernel": "run_script", "block": [32, 1, 1],
            "args": [{"buffer": "steps"}, {"u32": len(scenario["steps"])}, {"buffer": "records"}],
            "buffers": {"steps": {"type": "u32", "count": len(steps), "init": steps},
                        "records": {"type": "u64", "count": len(records)}},
            "expect": {"records": records}}
    refused = [step["refused"] for step in scenario["steps"] if "refused" in step]
    return made | ({"outcome": f"fault:{refused[0]}"} if refused else {})


def main():
    muster, golden, folder = map(pathlib.Path, sys.argv[1:])
    built = subprocess.run([HERE / "build.sh", "--ptx", folder], text=True)
    if built.returncode:
        sys.exit(built.returncode)
    wrong = subprocess.run([muster, "check", folder / "device.ptx"]).returncode
    found = json.loads(subprocess.run([golden], capture_output=True, text=True, check=True).stdout)
    for scenario in found["scenarios"]:
        path = folder / f"{scenario['name']}.json"
        path.write_text(json.dumps(manifest(scenario)))
        done = subprocess.run([muster, "run", path], capture_output=True, text=True)
        if done.returncode:
            wrong += 1
            print(f"{scenario['name']}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    print(f"{len(found['scenarios'])} scripts, {wrong} complaints")
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
