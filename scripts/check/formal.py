#!/usr/bin/env python3
# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""The proofs of tb/formal.

tb/formal/proofs.json lists them. Properties are assertions P01, P02 and so on; assertions L01 ...
are lemmas that help, proven with them; C01 ... are covers. Yosys makes a circuit of unit and
properties, and two engines prove it: yosys-abc (the circuit as gates), and cvc5 (as bit vectors,
through yosys-smtbmc). "induction, n" means: the properties hold in the first cycles, and a cycle
follows n cycles in which they hold, so they hold for ever (the method "step" says so in a circuit of
its own, in which each property is asked of alone). "bounded, n" means: in the first n cycles.

--mutant shows that a property is not empty: a row of tb/mutants/formal.toml makes the unit wrong, and the
property that it names must fail.

CTest runs this script once for each proof and mutant (tb/scripts/CMakeLists.txt); `make formal` shows the
page in the end.
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

from root import ROOT
import variants
import yowasp

WORK = ROOT / "build/formal"
ROWS = WORK / "rows"  # the results: a file for each proof, in mutants/ for each mutant
LIMIT = int(os.environ.get("LIMIT", 900))  # seconds that an engine has for a proof

GATES = """\
read_slang --threads 1 -D SYNTHESIS --top {top} {parameters} {files}
setundef -undriven -anyseq
{prepare}
memory_map
setundef -undriven -anyseq
async2sync
chformal -lower
{only}
chformal -early
opt_expr
opt_clean
{smt2}
dffunmap
techmap
delete -output
aigmap
opt_clean
design -save gates
"""

PROOF = """\
chformal -cover -remove
write_aiger -I -B -zinit -ywmap proof.json proof.aig
"""

# Thorough, for cvc5, which takes the circuit as it is; quick for gates, which abc makes smaller.
THOROUGH = "prep -flatten -top {top}"
QUICK = "hierarchy -top {top}\nproc\nopt_expr\nopt_clean\nmemory -nomap"

COVERS = """\
design -load gates
chformal -assert -remove
techmap -map tb/formal/cover_map.v
aigmap
opt_clean
write_aiger -I -B -zinit -ywmap cover.json cover.aig
"""

# The same from any state: assertions that fail after STEPS cycles in which all held
# (tb/formal/step_map.v).
STEPS = 6
STEP = """\
design -load gates
chformal -cover -remove
setattr -unset init w:*
techmap -map tb/formal/step_map.v
techmap -map tb/formal/cover_map.v
aigmap
opt_clean
write_aiger -I -B -zinit -ywmap step.json step.aig
"""

# What proves: the engine's name, what it runs, and what it says if all is well.
BOUNDED = ("bmc3", "bmc3 -F {depth}", r"No output asserted in \d+ frames")
METHODS = {
    "all inputs": [BOUNDED],  # there is no state
    "bounded": [BOUNDED],
    "induction": [BOUNDED, ("ind", "orpos; ind -F {steps}", "Networks are equivalent")],
    "step": [BOUNDED, ("step", f"read_aiger step.aig; fold; strash; bmc3 -F {STEPS + 1}", BOUNDED[2])],
    "pdr": [BOUNDED, ("pdr", "orpos; pdr", "Property proved")],
}


class Problem(Exception):
    """Why a proof says nothing."""


class Proof:
    def __init__(self, name, entries):
        entry = entries[name]
        like = entry.get("like", name)  # what an entry does not say is as in that one
        entry = {**entries[like], **entry}
        self.name = name
        self.top = f"{like}_formal"
        self.files = entry["files"]
        self.parameters = entry.get("parameters", {})
        self.method = entry["method"]  # one of METHODS
        self.steps = entry.get("steps")  # of the induction
        self.depth = entry["depth"]      # cycles: the bound, of the base case too, and of covers
        self.cvc5 = entry.get("cvc5")    # cycles of its induction, where it is quick enough
        self.only = entry.get("only")    # patterns: whose assertions and covers these are, if not all
        # Covers may have a circuit of their own, whose inputs are led to them, and be looked for in other cycles.
        self.led = {"parameters": self.parameters, "from": 0, "depth": self.depth, **entry.get("covers", {})}

    def sources(self):
        """What Yosys reads, in order; files of the RTL that a proof replaces are left out."""
        rtl = [f"rtl/{line}" for line in (ROOT / "rtl/muster.f").read_text().split() if not line.startswith("+")]
        replaced = {pathlib.Path(file).name for file in self.files}
        return [file for file in rtl if pathlib.Path(file).name not in replaced] + self.files

    def circuit(self, root, folder, whole=True):
        """Makes the circuits, or those of the assertions only."""
        files = self.sources()
        only = " ".join(f"c:{pattern}" for pattern in self.only or []) + " %u" * (len(self.only or []) - 1)

        def gates(parameters, smt2=""):
            return GATES.format(
                prepare=(THOROUGH if self.cvc5 else QUICK).format(top=self.top), smt2=smt2,
                top=self.top, files=" ".join(["-I rtl/common", *files]),
                only=f"chformal -assert -cover -remove t:$assert t:$cover %u {only} %d" if only else "",
                parameters=" ".join(f"-G {name}={value}" for name, value in parameters.items()))
        script = gates(self.parameters, "write_smt2 -wires proof.smt2" if self.cvc5 and whole else "")
        script += PROOF + STEP * (self.method == "step")
        if whole and self.led["parameters"] != self.parameters:
            script += "design -reset\n" + gates(self.led["parameters"])
        script += COVERS * whole
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        (folder / "script.ys").write_text(script)
        command = yowasp.yosys(folder / "script.ys", folder,
                               [*files, "rtl/common/muster_assert.svh", "tb/formal/cover_map.v",
                                "tb/formal/step_map.v"])
        done = subprocess.run(command, cwd=root, stdin=subprocess.DEVNULL, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if done.returncode:
            raise Problem(f"Yosys failed (all of it in {folder / 'yosys.log'}):\n{done.stdout[-1000:]}")


def names_in(folder, kind):
    """Those of the assertions, or covers, of a circuit, in the engines' order."""
    listed = json.loads((folder / f"{kind}.json").read_text())["asserts"]
    return [re.search(r"[PLC]\d\d_\w+", name[-1])[0] for name in listed]


def run(command, folder, limit=LIMIT):
    """The output of an engine, and the seconds that it took."""
    start = time.monotonic()
    # timeout(1) also ends a solver that a script runs.
    done = subprocess.run(["timeout", str(limit), "nice", "-n", "19", *command], cwd=folder,
                          stdin=subprocess.DEVNULL, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    text = done.stdout + (f"\nnot finished within {limit} s" if done.returncode == 124 else "")
    return text, time.monotonic() - start


def abc(script, folder, limit=LIMIT):
    # Line by line: what it has found by the end of its time counts.
    return run(["stdbuf", "-oL", "yosys-abc", "-c", script], folder, limit)


def fails(folder, kind, numbers, depth, limit=LIMIT):
    """The first cycle in which an assertion of these numbers fails within so many cycles, or None."""
    for number in numbers:
        text, _ = abc(f"read_aiger {kind}.aig; fold; strash; cone -s -O {number}; bmc3 -F {depth}",
                      folder, limit)
        match = re.search(r"was asserted in frame (\d+)", text)
        if match:
            return int(match[1])
    return None


def reach(folder, covers, begin, depth):
    """Which covers are reached in cycles from begin up to depth, and in which cycle first."""
    # -x and -d: abc 1.01 fails when it keeps traces of outputs that it goes on with.
    text, _ = abc(f"read_aiger cover.aig; fold; strash; bmc3 -a -d -x -S {begin} -F {depth}", folder)
    found = {}
    for number, cycle in re.findall(r"Output +(\d+) was asserted in frame +(\d+)", text):
        found.setdefault(covers[int(number)], int(cycle))
    return found


def cvc5(proof, folder, problems):
    """The induction by the second engine: first cycles and step. The seconds that it takes."""
    seconds = 0.0
    for what, option in (("first cycles", []), ("step", ["-i"])):
        text, took = run(["yosys-smtbmc", "-s", "cvc5", *option, "-t", str(proof.cvc5), "proof.smt2"],
                         folder)
        seconds += took
        if "Status: PASSED" not in text:
            problems.append(f"cvc5, {what}: {verdict(text)}")
    return seconds


def prove(proof, work):
    """A row per property."""
    folder = work / proof.name
    start = time.monotonic()
    proof.circuit(ROOT, folder)
    names, covers = names_in(folder, "proof"), names_in(folder, "cover")
    made = time.monotonic() - start
    print(f"  {proof.name}: {len(names)} assertions, circuit in {made:.0f} s", file=sys.stderr, flush=True)

    problems, seconds = [], 0.0
    for engine, script, good in METHODS[proof.method]:
        script = f"read_aiger proof.aig; fold; strash; {script.format(**vars(proof))}"
        text, took = abc(script, folder)
        seconds += took
        if not re.search(good, text):
            problems.append(f"{engine}: {verdict(text)}")
    second = cvc5(proof, folder, problems) if proof.cvc5 else None
    reached = reach(folder, covers, proof.led["from"], proof.led["depth"])
    problems += [f"{cover} is not reached in {proof.led['depth']} cycles, or in {LIMIT} s"
                 for cover in covers if cover not in reached]
    how = {"induction": f"induction, {proof.steps}", "step": f"induction, {STEPS}", "bounded": f"bounded, {proof.depth}"}.get(
        proof.method, proof.method)
    print(f"  {proof.name}: {how}, {seconds:.0f} s; {len(reached)} of {len(set(covers))} covers; "
          f"{'; '.join(problems) or 'proven'}",
          file=sys.stderr, flush=True)

    rows = []
    for name in sorted({name for name in names if name.startswith("P")}):
        cover = [c for c in covers if c[:3] == f"C{name[1:3]}"]
        lacking = [] if cover else [f"{name} has no cover"]
        rows.append({
            "property": f"{proof.name}.{name}", "how": how, "seconds": round(seconds, 1),
            "cvc5 seconds": None if second is None else round(second, 1),
            "cover": {c: reached[c] for c in cover if c in reached}, "problems": problems + lacking})
    return rows


def verdict(text):
    """What an engine says last that is worth a line."""
    lines = [line for line in text.split("\n") if line.strip() and "%" not in line]
    telling = [line for line in lines
               if re.search(r"asserted|UNDECIDED|finished|FAILED|Assert|rror", line)]
    return (telling or lines or ["nothing"])[-1].strip()


def attempt(mutant, proofs, work):
    """A row per property that the mutant should break."""
    tree = work / "mutant" / mutant.name
    shutil.rmtree(tree, ignore_errors=True)
    for part in ("rtl", "tb/formal"):
        shutil.copytree(ROOT / part, tree / part)
    try:
        for file, text in mutant.texts(tree).items():
            (tree / file).write_text(text)
    except variants.Stale as stale:
        raise Problem(str(stale)) from stale
    rows = []
    for name in sorted({full.split(".")[0] for full in mutant.breaks}):
        proof, circuit = proofs[name], tree / "circuit"
        proof.circuit(tree, circuit, whole=False)
        for full in (full for full in mutant.breaks if full.split(".")[0] == name):
            # A lemma fails in the step, a property from reset on.
            kind, depth = (("step", STEPS + 1) if proof.method == "step" and full.startswith(f"{name}.L") else
                           ("proof", proof.depth))
            aim = [number for number, found in enumerate(names_in(circuit, kind))
                   if f"{name}.{found}".startswith(full)]
            cycle = fails(circuit, kind, aim, depth)
            rows.append({"mutant": mutant.name, "wrong": mutant.wrong, "property": full, "cycle": cycle})
    return rows


def rows_file(option, name):
    """Where the results of --proof or --mutant NAME are kept."""
    return ROWS / ("" if option == "--proof" else "mutants") / f"{name}.json"


def rows_of(folder):
    return [row for file in sorted(folder.glob("*.json")) for row in json.loads(file.read_text())]


def page(rows):
    print(f"\n{'property':36} {'proven by':16} {'abc s':>6} {'cvc5 s':>7}  cover")
    for row in rows:
        second = "-" if row["cvc5 seconds"] is None else row["cvc5 seconds"]
        cover = ", ".join(f"cycle {frame}" for frame in row["cover"].values()) or "none"
        print(f"{row['property']:36} {row['how']:16} {row['seconds']:>6} {second:>7}  {cover}" +
              "".join(f"\n    {problem}" for problem in row["problems"]))
    failed = sum(bool(row["problems"]) for row in rows)
    print(f"\n{len(rows) - failed} properties proven, {failed} not")


def mutant_page(rows):
    print(f"\n{'wrong variant':40} {'property':24} fails")
    for row in rows:
        cycle = "SURVIVES" if row["cycle"] is None else f"in cycle {row['cycle']}"
        print(f"{row['mutant']:40} {row['property']:24} {cycle}")
    alive = sum(row["cycle"] is None for row in rows)
    print(f"\n{len(rows) - alive} broken properties, {alive} that hold in spite of the error")


def one_of(name, known, what):
    """The entry of that name, or the end of the program with a sentence."""
    if name not in known:
        print(f"There is no {what} {name}; there are {', '.join(known)}.", file=sys.stderr)
        sys.exit(2)
    return known[name]


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawTextHelpFormatter)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--proof", metavar="NAME", help="makes this proof")
    what.add_argument("--mutant", metavar="NAME", help="tries this mutant")
    what.add_argument("--list", choices=["proofs", "mutants"], help="prints the names")
    what.add_argument("--setup", action="store_true", help="installs what the proofs need")
    what.add_argument("--page", choices=["proofs", "mutants"],
                      help="prints what came out last, and writes build/formal.json, or\n"
                           "build/formal-mutants.json")
    parser.add_argument("--work", type=pathlib.Path, default=WORK, help="the folder of a proof's or mutant's files (build/formal)")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE", help="where its results go, for --page to be found")
    args = parser.parse_args()
    entries = json.loads((ROOT / "tb/formal/proofs.json").read_text())
    proofs = {name: Proof(name, entries) for name in entries}
    mutants = {variant.name: variant for variant in variants.of("formal")}

    if args.list:
        print("\n".join(proofs if args.list == "proofs" else mutants))
    elif args.setup:
        if subprocess.run([ROOT / "scripts/run/setup.sh", "formal"]).returncode:
            sys.exit(2)
        yowasp.ensure_yosys()
    elif args.page == "proofs":
        page(rows := rows_of(ROWS))
        (ROOT / "build/formal.json").write_text(json.dumps(rows, indent=2) + "\n")
    elif args.page == "mutants":
        mutant_page(rows := rows_of(ROWS / "mutants"))
        (ROOT / "build/formal-mutants.json").write_text(json.dumps(rows, indent=2) + "\n")
    else:
        name = args.proof or args.mutant
        file = args.json or rows_file("--proof" if args.proof else "--mutant", name)
        file.unlink(missing_ok=True)
        try:
            if args.proof:
                rows = prove(one_of(name, proofs, "proof"), args.work)
                page(rows)
                wrong = any(row["problems"] for row in rows)
            else:
                rows = attempt(one_of(name, mutants, "mutant"), proofs, args.work)
                mutant_page(rows)
                wrong = any(row["cycle"] is None for row in rows)
        except Problem as problem:
            sys.exit(str(problem))
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(rows))
        sys.exit(wrong)


if __name__ == "__main__":
    main()
