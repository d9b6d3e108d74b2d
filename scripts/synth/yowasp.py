# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""The pinned Yosys with the slang front end, which npm brings as WebAssembly."""

import os
import shutil
import subprocess
import sys

from root import ROOT
import lock

TOOLS = ROOT / "build" / "synth-tools"
HEAP_MIB = 16384  # at most; Node.js's own limit, 4 GiB, is too little for the mapping of a large part to a library
PACKAGE = ROOT / "scripts" / "synth" / "package.json"  # exact versions


def ensure_yosys():
    """Puts Yosys and the Node that it needs into build/synth-tools; scripts/run/setup.sh brings npm."""
    wanted = PACKAGE.read_bytes()
    TOOLS.mkdir(parents=True, exist_ok=True)
    with lock.hold("build/synth-tools", wait=True):
        shutil.copy(ROOT / "scripts/synth/yosys.mjs", TOOLS)
        stamp = TOOLS / "installed.json"
        if stamp.exists() and stamp.read_bytes() == wanted:
            return
        if os.environ.get("SETUP") == "no":
            sys.exit("Yosys is not in build/synth-tools, and SETUP=no forbids to install it (npm, 260 MB)")
        print("Installing Yosys into build/synth-tools (npm, 260 MB; SETUP=no forbids it)", file=sys.stderr)
        (TOOLS / "package.json").write_bytes(wanted)
        npm = subprocess.run(
            ["npm", "install", "--no-package-lock", "--no-audit", "--no-fund", "--loglevel=error"],
            cwd=TOOLS, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        if npm.returncode:
            sys.exit(f"npm could not install Yosys:\n{npm.stdout}{npm.stderr}")
        stamp.write_bytes(wanted)


def yosys(script, folder, files):
    """The command that runs a script in ROOT. Yosys sees the files by their paths relative to ROOT,
    and no others; the files that the script writes are put into the folder. Exit code 2: Yosys is not installed."""
    node = TOOLS / "node_modules/.bin/node"
    if not node.exists():
        print("Yosys is not in build/synth-tools; scripts/check/formal.py --setup installs it (npm, 260 MB).", file=sys.stderr)
        sys.exit(2)
    return [node, f"--max-old-space-size={HEAP_MIB}", TOOLS / "yosys.mjs", script, folder, *files]
