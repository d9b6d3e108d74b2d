# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""Whether a mutant changes nothing: a proof that a module with it and the module without it are equal.

Registers and the modules inside become ports of the module, so that what is proven equal is the logic between
them, in every state: outputs, next states, values after reset, and what the modules inside are given. That is more than is
needed: a mutant that differs only in states which the unit never reaches is not proven equivalent.
"""

import re
import shutil
import subprocess
import xml.etree.ElementTree as ElementTree

import yowasp

SCRIPT = """\
read_slang --threads 1 --relax-enum-conversions -D SYNTHESIS -D MUSTER_MUTANT={number} -I rtl/common --top {module} {parameters} {files}
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
design -stash {name}
"""

MITER = """\
design -copy-from gold -as gold {module}
design -copy-from gate -as gate {module}
miter -equiv -flatten gold gate miter
hierarchy -top miter
opt_clean
sat -verify -prove trigger 0 -timeout {limit} miter
"""


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


def why_not(log):
    """Why a proof has not succeeded, by what Yosys wrote; None: it has."""
    if "SAT proof finished - no model found: SUCCESS!" in log:
        return None
    if "SAT proof finished - model found: FAIL!" in log:
        return "it differs in some state"
    if "No matching port in" in log:
        return "it has other registers"
    if "Interrupted SAT solver: TIMEOUT!" in log:
        return "the proof takes too long"
    errors = [line for line in log.splitlines() if "error: " in line.lower()]
    return f"there is no proof: {errors[0] if errors else log[-200:]}"


def why_different(number, module, instances, tree, files, folder, limit=60):
    """Why a mutant is not proven equivalent, as a clause; None: it is equivalent in each of these instances. `limit`: of
    each proof, in seconds."""
    for parameters in instances:
        script = ""
        given = " ".join(f"-G {name}={value}" for name, value in parameters.items())
        for name, which in (("gold", 0), ("gate", number)):
            script += SCRIPT.format(number=which, module=module, parameters=given, files=" ".join(files), name=name)
        script += MITER.format(module=module, limit=limit)
        shutil.rmtree(folder, ignore_errors=True)  # no log of another run
        folder.mkdir(parents=True)
        (folder / "script.ys").write_text(script)
        command = yowasp.yosys(folder / "script.ys", folder, [*files, "rtl/common/muster_assert.svh"])
        done = subprocess.run(list(map(str, command)), cwd=tree, stdin=subprocess.DEVNULL, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)
        log = folder / "yosys.log"
        why = why_not(log.read_text(errors="replace") if log.exists() else done.stdout)
        if why:
            return why
    return None
