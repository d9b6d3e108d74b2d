#!/usr/bin/env python3
# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""Elaborates the SystemVerilog that no build of `make test` reads: proofs, and wrong variants of the unit.

A proof reads signals inside the unit by their names, and a row of tb/mutants brings lines of its own; when a
port gets another name, either may not elaborate any more. Verilator says so in a second; the proof, or the mutant,
would only when it is next made. Variants that change different places are elaborated together, and with them the proof,
which needs no elaboration of its own then.
"""

import concurrent.futures
import functools
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from root import ROOT
import configs
import formal
import variants

# Errors only; what `make lint` warns of is its own.
VERILATOR = ["verilator", "--lint-only", "-Wno-lint", "-Wno-style", "-Wno-WIDTHCONCAT"]


def verilator(arguments, tree):
    """The errors, or nothing."""
    done = subprocess.run([*VERILATOR, *arguments], cwd=tree, stdin=subprocess.DEVNULL, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.stdout if done.returncode else ""


def unit(tree):
    beside = [["muster_atomics", f"-GCfg={configs.packed(configs.UNIT['small'])}", "-GFloats=3", "-GEn128=1'b1"], ["muster_atomics_lanes"]]
    return next(filter(None, (verilator(["rtl/muster.vlt", "-F", "rtl/muster.f", "--top-module", *top], tree)
                              for top in (["muster_gpc", "-GNumUnits=2"], *beside))), "")


def circuit(proof, parameters, tree=None):
    """`tree`: a folder with the files that are not those of the sources."""
    sources = [tree / file if tree and (tree / file).exists() else file for file in proof.sources()]
    return verilator(["+define+SYNTHESIS", "-Irtl/common", "--top-module", proof.top,
                      *[f"-G{name}={value}" for name, value in parameters.items()], *sources], ROOT)


def together(wrong):
    """Groups of variants that apply to one tree, and the texts of its files: (variants, {file: text})."""
    while wrong:
        texts, group, later = {}, [], []
        for variant in wrong:
            try:
                texts |= variant.applied({file: texts.get(file) or (ROOT / file).read_text() for file in variant.files})
                group.append(variant)
            except variants.Stale:
                later.append(variant)
        if not group:
            sys.exit(f"These do not apply: {', '.join(variant.full_name for variant in later)}")
        yield group, texts
        wrong = later


def right(proof, parameters):
    errors = circuit(proof, parameters)
    return [f"{proof.name}:\n{errors}"] if errors else []


def wrong(what, rows, elaborate, whole=False):
    """What is to be said of variants, whose files this function elaborates; `whole`: in a copy of all of the RTL."""
    said = []
    for group, texts in together(rows):
        with tempfile.TemporaryDirectory() as folder:
            tree = pathlib.Path(folder)
            if whole:
                shutil.copytree(ROOT / "rtl", tree / "rtl")
            for file, text in texts.items():
                (tree / file).parent.mkdir(parents=True, exist_ok=True)
                (tree / file).write_text(text)
            errors = elaborate(tree)
        if errors:
            near = [row.full_name for row in group if any(file in errors for file in row.files)]
            said.append(f"{what}, with one of {', '.join(near)}:\n{errors}")
    return said


def missing(proofs, rows):
    """What is to be said of the properties that variants break."""
    there = {name: set(re.findall(r"\b([PL]\d\d)_\w+ *:", "".join((ROOT / file).read_text() for file in proof.files)))
             for name, proof in proofs.items()}
    return [f"{row.full_name} breaks {name}.{label}, which is not there"
            for row in rows for name, label in (full.split(".") for full in row.breaks)
            if label not in there.get(name, ())]


def main():
    entries = json.loads((ROOT / "tb/formal/proofs.json").read_text())
    proofs = {name: formal.Proof(name, entries) for name in entries}
    rows, rows_of_unit = variants.of("formal"), variants.of("rtl")

    jobs = [functools.partial(wrong, "muster_gpc", rows_of_unit, unit, whole=True)]
    for name, proof in proofs.items():
        breaking = [row for row in rows if any(full.startswith(f"{name}.") for full in row.breaks)]
        jobs.append(functools.partial(wrong, name, breaking, functools.partial(circuit, proof, proof.parameters))
                    if breaking else functools.partial(right, proof, proof.parameters))
        if proof.led["parameters"] != proof.parameters:
            jobs.append(functools.partial(right, proof, proof.led["parameters"]))

    said = missing(proofs, rows)
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        for more in pool.map(lambda job: job(), jobs):
            said += more
    print("\n".join(said) or f"{len(proofs)} proofs and {len(rows) + len(rows_of_unit)} wrong variants elaborate.")
    return bool(said)


if __name__ == "__main__":
    sys.exit(main())
