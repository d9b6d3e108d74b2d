# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""Whether a mutant changes nothing: a proof that a module with it and the module without it are equal.

Registers and the modules inside become ports of the module, so that what is proven equal is the logic between
them, in every state: outputs, next states, values after reset, and what the modules inside are given. That is more than is
needed: a mutant that differs only in states which the unit never reaches, or in what a module inside does not look at, is not
proven equivalent.
"""

import hashlib
import os
import re
import shutil
import subprocess
import xml.etree.ElementTree as ElementTree

import yowasp

# A module with a mutant (0: without), as logic between registers.
CIRCUIT = """\
read_slang --threads 1 {boxes} --relax-enum-conversions -D SYNTHESIS -D MUSTER_MUTANT={number} -I rtl/common --top {module} {parameters} {files}
hierarchy -top {module}
proc {module}
memory -nomap {module}
memory_map {module}
opt_expr {module}
opt_dff -nodffe -nosdff {module}
dffunmap {module}
opt_clean {module}
splitnets -driver {module}
expose -evert {module}
expose -evert-dff {module}
opt_clean {module}
"""

KEEP = """\
select {module}
write_rtlil -selected gold.il
"""

MITER = """\
design -stash gate
read_rtlil {gold}
design -stash gold
design -copy-from gold -as gold {module}
design -copy-from gate -as gate {module}
miter -equiv -flatten gold gate miter
hierarchy -top miter
opt_clean
sat -verify -prove trigger 0 -timeout {limit} miter
"""

WHOLE = 4  # so many times the limit of the solver may a run of Yosys take
INCLUDED = "rtl/common/muster_assert.svh"
TOO_LONG = "the proof takes too long"
GOLD = "build-gold"  # in the tree: the modules without a mutant


def modules_of(tree, files, top, parameters):
    """The modules below a top, by name: for each the parameters that its instances have."""
    folder = tree / "build-xml"
    folder.mkdir(exist_ok=True)
    subprocess.run(["verilator", "--xml-only", "-Wno-fatal", "-Wno-lint", "--xml-output", folder / "unit.xml", "--Mdir", folder,
                    "-Irtl/common", *files, "--top-module", top, *(f"-G{name}={value}" for name, value in parameters.items())],
                   cwd=tree, check=True, capture_output=True)
    found = {}
    for module in ElementTree.parse(folder / "unit.xml").iter("module"):
        values = {}
        for var in module.iter("var"):
            const = var.find("const")
            if var.get("param") == "true" and const is not None:
                values[var.get("name")] = re.sub(r"'s", "'", const.get("name"))
        found.setdefault(module.get("origName"), {})[tuple(sorted(values.items()))] = values
    return {name: list(some.values()) for name, some in found.items()}


def defined(tree, files, what):
    """The modules or packages of these files, by name: their files."""
    return {name: file for file in files for name in re.findall(rf"^(?:{what}) (\w+)", (tree / file).read_text(), re.MULTILINE)}


def needed(tree, files, module):
    """Of these files those without which the module cannot be read, in their order."""
    words = {file: set(re.findall(r"\w+", (tree / file).read_text())) for file in files}
    defines = defined(tree, files, "module|package")
    found, left = set(), [module]
    while left:
        file = defines[left.pop()]
        if file not in found:
            found.add(file)
            left += words[file] & set(defines)
    return [file for file in files if file in found]


def why_not(log):
    """Why a proof has not succeeded, by what Yosys wrote; None: it has."""
    if "SAT proof finished - no model found: SUCCESS!" in log:
        return None
    if "SAT proof finished - model found: FAIL!" in log:
        return "it differs in some state"
    if "No matching port in" in log:
        return "it has other registers"
    if "Interrupted SAT solver: TIMEOUT!" in log:
        return TOO_LONG
    if "[-Windex-oob]" in log:
        return "it reads what is beyond the end of a vector"
    errors = [line for line in log.splitlines() if "error: " in line.lower()]
    return f"there is no proof: {errors[0] if errors else log[-200:]}"


def run(script, tree, files, folder, limit):
    """Runs Yosys, and returns what it wrote. Its files are in the folder, which has no others then. Raises subprocess.TimeoutExpired."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / "script.ys").write_text(script)
    command = yowasp.yosys(folder / "script.ys", folder, [*files, INCLUDED])
    done = subprocess.run(list(map(str, command)), cwd=tree, timeout=WHOLE * limit, text=True,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    log = folder / "yosys.log"
    return log.read_text(errors="replace") if log.exists() else done.stdout


def without_mutant(module, circuit, tree, files, folder, limit):
    """The module without a mutant, which many proofs need, by its path in the tree. Raises RuntimeError, with what Yosys wrote."""
    script = circuit.format(number=0) + KEEP.format(module=module)
    key = hashlib.sha256(b"".join([script.encode(), *((tree / file).read_bytes() for file in [*files, INCLUDED])])).hexdigest()[:16]
    gold = tree / GOLD / f"{module}.{key}.il"
    if not gold.exists():
        log = run(script, tree, files, folder, limit)
        if not (folder / "gold.il").exists():
            raise RuntimeError(log)
        gold.parent.mkdir(exist_ok=True)
        here = gold.parent / f"{folder.name}.new"  # not for another run until it is whole
        shutil.copy(folder / "gold.il", here)
        os.replace(here, gold)
    return f"{GOLD}/{gold.name}"


def why_different(number, module, instances, tree, files, folder, limit=60):
    """Why a mutant is not proven equivalent, as a clause; None: it is equivalent in each of these instances. `limit`: of
    each proof, in seconds."""
    files = needed(tree, files, module)
    boxes = " ".join(f"--blackboxed-module {name}" for name in defined(tree, files, "module") if name != module)
    for parameters in instances:
        given = " ".join(f"-G {name}={value}" for name, value in parameters.items())
        circuit = CIRCUIT.format(number="{number}", module=module, boxes=boxes, parameters=given, files=" ".join(files))
        try:
            gold = without_mutant(module, circuit, tree, files, folder, limit)
            log = run(circuit.format(number=number) + MITER.format(module=module, gold=gold, limit=limit), tree, [*files, gold], folder, limit)
        except RuntimeError as error:
            return why_not(str(error))
        except subprocess.TimeoutExpired:
            return TOO_LONG
        why = why_not(log)
        if why:
            return why
    return None
