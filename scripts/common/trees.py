# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""Copies of the tree, in which something else is built: the compiler's cache serves all of them."""

import shutil
import subprocess

from root import ROOT

WAIVERS = "rtl/muster.vlt"


def waive_all():
    """The waivers of Verilator's warnings in a tree with wrong variants: many leave a signal that nothing uses."""
    return {WAIVERS: (ROOT / WAIVERS).read_text() + '\n// Wrong variants are no good style.\nlint_off -file "*"\n'}


def copy_to(tree, instead=None):
    """Copies what has changed, and removes what is gone: what is built there stays valid. `instead`: texts of
    files that are others there."""
    instead = instead or {}
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, text=True,
                            capture_output=True, check=True).stdout.splitlines()
    sources = {file for file in listed if (ROOT / file).is_file()}
    for folder in ("rtl", "sim", "tb", "scripts"):
        for old in (tree / folder).rglob("*"):
            if old.is_file() and str(old.relative_to(tree)) not in sources:
                old.unlink()
    for file in sources:
        source, target = ROOT / file, tree / file
        content = instead[file].encode() if file in instead else source.read_bytes()
        if not target.exists() or target.read_bytes() != content:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
            shutil.copymode(source, target)
