#!/usr/bin/env python3
# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""Kernels that use the CUDA toolkit's own headers, as this machine's nvcc compiles them, on the unit.

  headers.py MUSTER FOLDER   compiles FOLDER's .cu for its targets, and runs FOLDER's manifests

NVCC names the compiler. Ends with 77, and says why, where there is none. What it writes is not kept.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
OLDEST = (13, 0)  # the headers differ from release to release
SEEDS = "1", "2", "3"
# As users compile; and for a debugger, so that nothing is inlined and all is in local memory.
BUILDS = ["compute_80"], ["compute_90"], ["compute_80", "-G"]
# A deadlock is seen where the clock that its wait looks at stays in registers.
NEEDS_REGISTERS = "forgotten"
CLUSTER_BUILDS = ["compute_90"], ["compute_90", "-G"]


def skip(why):
    print(f"skipped: {why}")
    sys.exit(SKIPPED)


def compiler():
    installed = "/usr/local/cuda/bin/nvcc"
    nvcc = os.environ.get("NVCC") or shutil.which("nvcc") or shutil.which(installed)
    if not nvcc:
        skip("no nvcc in the PATH; NVCC=... names one")
    told = subprocess.run([nvcc, "--version"], capture_output=True, text=True, check=True).stdout
    release = re.search(r"release (\d+)\.(\d+)", told)
    if not release or tuple(map(int, release.groups())) < OLDEST:
        skip(f"{nvcc} is older than {OLDEST[0]}.{OLDEST[1]}")
    return nvcc


def main():
    muster = sys.argv[1]
    folder = pathlib.Path(sys.argv[2])
    nvcc = compiler()
    wrong = 0
    for target, *flags in CLUSTER_BUILDS if folder.name == "clusters" else BUILDS:
        with tempfile.TemporaryDirectory() as scratch:
            ptx = f"{scratch}/{folder.name}.ptx"
            subprocess.run([nvcc, "-ptx", "-std=c++17", "-w", f"-arch={target}", *flags, "-o", ptx,
                            folder / f"{folder.name}.cu"], check=True)
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
