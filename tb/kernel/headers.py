#!/usr/bin/env python3
# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""Kernels that use the CUDA toolkit's own headers, as this machine's nvcc compiles them, on the unit.

  headers.py MUSTER FOLDER            compiles FOLDER's .cu for its targets, and runs FOLDER's manifests
  headers.py MUSTER FOLDER --explore  compiles it as users do, and looks at other orders: nothing is found or suspected,
                                      but of the manifest that names a deadlock; what is noted is that libraries rely
                                      on collectives, of those kernels that are known for it

NVCC names the compiler; otherwise it is that in the PATH, or of `make suites`. Ends with 77, and says why, where there is none. What it writes is not kept.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SKIPPED = 77
OLDEST = (13, 0)  # the headers differ from release to release
SEEDS = "1", "2", "3"
# As users compile; and for a debugger, so that nothing is inlined and all is in local memory.
BUILDS = ["compute_80"], ["compute_90"], ["compute_80", "-G"]
# A deadlock is seen where the clock that its wait looks at stays in registers.
NEEDS_REGISTERS = "forgotten"
CLUSTER_BUILDS = ["compute_90"], ["compute_90", "-G"]
DEADLOCK = 3  # exit codes of explore
RELY_ON_COLLECTIVES = {"tiles", "roles", "stages"}


def skip(why):
    print(f"skipped: {why}")
    sys.exit(SKIPPED)


def compiler():
    installed = "/usr/local/cuda/bin/nvcc"
    of_suites = next(ROOT.glob("build/suites/environment/lib/python*/site-packages/nvidia/cu*/bin/nvcc"), None)
    nvcc = os.environ.get("NVCC") or shutil.which("nvcc") or shutil.which(installed) or of_suites
    if not nvcc:
        skip("there is no nvcc; `make suites` brings one, and NVCC=... names another")
    told = subprocess.run([nvcc, "--version"], capture_output=True, text=True, check=True).stdout
    release = re.search(r"release (\d+)\.(\d+)", told)
    if not release or tuple(map(int, release.groups())) < OLDEST:
        skip(f"{nvcc} is older than {OLDEST[0]}.{OLDEST[1]}")
    return nvcc


def build(nvcc, folder, scratch, target, *flags):
    """Compiles the .cu of a folder, beside which its manifests are to lie."""
    ptx = f"{scratch}/{folder.name}.ptx"
    subprocess.run([nvcc, "-ptx", "-std=c++17", "-w", f"-arch={target}", *flags, "-o", ptx,
                    folder / f"{folder.name}.cu"], check=True)


def explored(muster, manifest):
    """What is wrong with what explore says of a manifest, or nothing."""
    report = manifest.with_suffix(".report")
    run = subprocess.run([muster, "explore", manifest, "--time", "3", "--report", report],
                         capture_output=True, text=True, check=False)
    if json.loads(manifest.read_text()).get("outcome") == "deadlock":
        return "" if run.returncode == DEADLOCK else f"exit code {run.returncode}\n{run.stdout}{run.stderr}"
    said = json.loads(report.read_text()) if run.returncode == 0 else {}
    rely = any(note["kind"] == "collective_order" for note in said.get("notes", []))
    fits = said and not said["findings"] and not said["suspicions"] and rely == (manifest.stem in RELY_ON_COLLECTIVES)
    return "" if fits else f"exit code {run.returncode}\n{run.stdout}{run.stderr}"


def explore(muster, folder, nvcc):
    wrong = 0
    with tempfile.TemporaryDirectory() as scratch:
        build(nvcc, folder, scratch, "compute_90")
        for manifest in sorted(folder.glob("*.json")):
            complaint = explored(muster, pathlib.Path(shutil.copy(manifest, scratch)))
            wrong += complaint != ""
            print(f"{manifest.stem}: {complaint or 'as expected'}")
    sys.exit(wrong != 0)


def main():
    muster = sys.argv[1]
    folder = pathlib.Path(sys.argv[2])
    nvcc = compiler()
    if sys.argv[3:] == ["--explore"]:
        explore(muster, folder, nvcc)
    wrong = 0
    for target, *flags in CLUSTER_BUILDS if folder.name == "clusters" else BUILDS:
        with tempfile.TemporaryDirectory() as scratch:
            build(nvcc, folder, scratch, target, *flags)
            for manifest in sorted(folder.glob("*.json")):
                if manifest.stem == NEEDS_REGISTERS and "-G" in flags:
                    continue
                shutil.copy(manifest, scratch)
                for seed in SEEDS:
                    run = subprocess.run([muster, "run", f"{scratch}/{manifest.name}", "--seed", seed],
                                         capture_output=True, text=True, check=False)
                    if run.returncode != 0:
                        wrong += 1
                        print(f"{manifest.stem}, {target} {' '.join(flags)}, seed {seed}:",
                              run.stdout + run.stderr)
    sys.exit(wrong != 0)


if __name__ == "__main__":
    main()
