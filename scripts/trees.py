# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""Copies of the tree, in which something else is built: the compiler's cache serves all of them."""

import pathlib
import shutil
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent


def copy_to(tree):
    """Copies what has changed, and removes what is gone: what is built there stays valid."""
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, text=True,
                            capture_output=True, check=True).stdout.splitlines()
    sources = {file for file in listed if (ROOT / file).is_file()}
    for folder in ("rtl", "sim", "tb", "scripts"):
        for old in (tree / folder).rglob("*"):
            if old.is_file() and str(old.relative_to(tree)) not in sources:
                old.unlink()
    for file in sources:
        source, target = ROOT / file, tree / file
        if not target.exists() or target.read_bytes() != source.read_bytes():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target)
            shutil.copymode(source, target)
