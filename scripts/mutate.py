#!/usr/bin/env python3
# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""Tries mutants of the RTL that scripts/mutations.py generates from its syntax.

One model of the unit has all of them; a number selects one at run time, so that a mutant costs a run. The regression
of --config, which checks every cycle against the golden model, tries each in runs that become longer; so do the tests of the
unit, which know when and how often something has to happen. What they do not notice is proven to be equivalent
(scripts/equivalent.py), or stays open. What the configuration leaves out is not tried.
Results are kept in build/mutate as they come: a run that is stopped goes on where it was, unless a source has changed.
With --cluster the mutants are tried on the nodes of a cluster (scripts/farm.py).
"""

import argparse
import concurrent.futures
import dataclasses
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time

import configs
import equivalent
import farm
import lock
import mutations
import trees
import yowasp
from progress import Progress
from systemverilog import SyntaxProblem

ROOT = pathlib.Path(__file__).resolve().parent.parent
WORK = ROOT / "build/mutate"
TREE = WORK / "tree"  # a copy of the sources, in which the RTL has all mutants
RUNS = WORK / "runs"  # where the runs of now write
FIRST = "rtl/muster_pkg.sv"  # what all models read first
WAIVERS = "rtl/muster.vlt"
JOBS = int(os.environ.get("JOBS", os.cpu_count()))
# Whose mutants these are.
UNIT = ("rtl/common/", "rtl/cta/", "rtl/mbarrier/", "rtl/muster.sv", "rtl/muster_pkg.sv")
SLOWER = 20  # so many times slower than without a mutant: it hangs
SURVIVORS = 40  # that are shown
TOGETHER = 25  # mutants of a task of a cluster
MEMORY = 3000  # megabytes of such a task


@dataclasses.dataclass(frozen=True)
class Attempt:
    """A program that may notice a mutant: the regression, with a report, or tests of GoogleTest."""
    program: str  # in the build folder
    options: tuple
    block: str = "rtl/"  # whose mutants it can notice

    @property
    def target(self):
        return pathlib.PurePath(self.program).name


def regression(config, seeds, cycles):
    return Attempt("tb/lockstep/regress", ("--config", config, "--seeds", seeds, "--cycles", str(cycles)))


def attempts(config, quick):
    """One after the other, until one notices the mutant."""
    short = [regression(config, "1-2", 2000), regression(config, "1-4", 20000)]
    return short if quick else [*short, Attempt("tb/lockstep/lockstep_test", ("--gtest_filter=Units/*",)),
                                Attempt("tb/unit/mb_test", ("--gtest_filter=Mbarrier.*",), "rtl/mbarrier/"),
                                regression(config, "1-10", 100000)]


class Model:
    """A configuration whose unit has mutants, and the programs that try them."""

    def __init__(self, config, quick, runs=RUNS):
        self.config = config
        self.runs = runs
        self.folder = TREE / f"build-{config}"
        self.attempts = attempts(config, quick)
        self.limits = []  # seconds for each
        self.numbers = set()  # mutants that the unit has

    def build(self):
        """Builds the programs. Returns what was said if that fails."""
        environment = os.environ | {"BUILD": self.folder.name,
                                    "CMAKE_OPTIONS": f"-DMUSTER_CONFIGS={self.config} -DMUSTER_UNIT_OPTIONS=-O1"}
        targets = sorted({attempt.target for attempt in self.attempts})
        done = subprocess.run([TREE / "scripts/build.sh", *targets], cwd=TREE, env=environment, text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        for source in (self.folder / f"sim/lockstep/verilated/V{self.config}").rglob("*.cpp"):
            self.numbers |= selected_in(source)
        return None if done.returncode == 0 else done.stdout

    def programs(self):
        return [self.folder / program for program in sorted({attempt.program for attempt in self.attempts})]

    def key(self):
        """What results hold for."""
        return hashlib.sha256(b"".join(program.read_bytes() for program in self.programs())).hexdigest()

    def measure(self):
        """What is wrong without a mutant, as a sentence. A mutant that takes much longer hangs."""
        for attempt in self.attempts:
            begun = time.monotonic()
            noticed = self.run(0, attempt, 600)
            if noticed:
                return f"{attempt.target} fails without any mutant: {noticed}"
            self.limits.append(10 + SLOWER * (time.monotonic() - begun))
        return None

    def notices(self, mutant):
        """By what it is noticed; None: it is not."""
        return next(filter(None, (self.run(mutant["number"], attempt, limit) for attempt, limit in zip(self.attempts, self.limits)
                                  if mutant["file"].startswith(attempt.block))), None)

    def command(self, attempt):
        return [str(self.folder / attempt.program), *attempt.options]

    def run(self, number, attempt, limit):
        environment = os.environ | {"MUSTER_MUTANT": str(number)}
        with tempfile.TemporaryDirectory(dir=self.runs) as folder:
            report = pathlib.Path(folder) / "report.json"
            reports = attempt.target == "regress"
            command = self.command(attempt) + (["--json", str(report)] if reports else ["--gtest_fail_fast"])
            try:
                done = subprocess.run(command, cwd=folder, env=environment, timeout=limit, text=True, errors="replace",
                                      stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
            except subprocess.TimeoutExpired:
                return "it hangs"
            if reports and report.exists():
                return first_mismatch(json.loads(report.read_text()))
            if done.returncode == 0 and not reports:
                return None
            failed = re.search(r"\[  FAILED  \] (\S+)", done.stdout)
            return f"test {failed[1]}" if failed else f"it ends with {done.returncode}"


def first_mismatch(report):
    """The first of a regression's mismatches, as words; None: there is none."""
    # That a run commits too little, which has no name among them, says nothing of one so short.
    found = [one for one in report["mismatches"] if one["what"]]
    first = min(found, key=lambda one: one["cycle"], default=None)
    return first and f"seed {first['seed']}, cycle {first['cycle']}: {first['what']}"


def selected_in(source):
    """The numbers of the mutants that a Verilated source selects."""
    text = source.read_text(errors="replace")
    return {int(number, 0) for number in
            re.findall(r"\((0x[0-9a-f]+|\d+)U\s+[!=]=\s+vlSymsp->TOP__muster_mutant_pkg\.selected\)", text)}


class Results:
    """What was found out, a line for each mutant, kept as it comes."""

    def __init__(self, path, key):
        self.path = path
        self.rows = {}
        self.lock = threading.Lock()
        lines = path.read_text().splitlines() if path.exists() else []
        if lines and json.loads(lines[0]) == {"key": key}:
            self.rows = {row["name"]: row for row in map(json.loads, lines[1:])}
        else:
            path.write_text(json.dumps({"key": key}) + "\n")

    def add(self, row):
        with self.lock:
            self.rows[row["name"]] = row
            with self.path.open("a") as file:
                file.write(json.dumps(row) + "\n")


def each(mutants, work, results, what):
    """Does the work of each, several at a time, and keeps what comes of it."""
    progress, hits = Progress(len(mutants), "mutants"), 0
    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        for count, row in enumerate(pool.map(work, mutants), 1):
            results.add(row)
            hits += fate(row) == what
            progress.show(count, f", {hits} {what}")


def modules_of(config):
    """The modules of the unit that have mutants, and Yosys to prove something of them."""
    yowasp.ensure_yosys()
    return equivalent.modules_of(TREE, rtl_files(), "muster", configs.UNIT[config])


def survives(row):
    return not row["caught by"] and "differs" not in row


def proven(row, modules, folder):
    """What comes of a survivor, whose files go into the folder."""
    module = row["module"]
    if module not in modules:
        return {**row, "differs": "it is in a package, which many modules use"}
    return {**row, "differs": equivalent.why_different(row["number"], module, modules[module], TREE, rtl_files(), folder / row["name"])}


def prove(rows, config, results):
    """Which of those that the regression has not noticed are equivalent."""
    survivors = [row for row in rows if survives(row)]
    if survivors:
        modules = modules_of(config)
        each(survivors, lambda row: proven(row, modules, WORK / "proofs"), results, "equivalent")


def spread(chosen, model, quick, results, cluster):
    """Tries these on a cluster, and proves of the survivors what can be proven."""
    file = WORK / f"{model.config}.{'quick' if quick else 'whole'}.plan.json"
    plan = {"config": model.config, "quick": quick, "mutants": chosen, "modules": {} if quick else modules_of(model.config)}
    old = json.loads(file.read_text()) if file.exists() else {}
    if old != plan | {"limits": old.get("limits")}:  # times differ, and a run that was stopped goes on
        farm.written(file, json.dumps(plan | {"limits": model.limits}))
    parts = -(-len(chosen) // TOGETHER)
    tasks = [farm.Task(f"mutants.{part}", (sys.executable, str(ROOT / "scripts/mutate.py"), "--plan", str(file), "--shard", f"{part}/{parts}",
                                           "--work", farm.SCRATCH, "--json", farm.RESULT))
             for part in range(1, parts + 1)
             if any(row["name"] not in results.rows or not quick and survives(results.rows[row["name"]]) for row in chosen[part - 1::parts])]
    run = farm.Farm("mutate", cluster, MEMORY, f"shards of {len(chosen)} mutants")
    for outcome in run.run(tasks, [*model.programs(), file, ROOT / "scripts/mutate.py"]).values():
        if outcome.passed:
            for row in json.loads(outcome.result()):
                results.add(row)
        else:
            print("\n".join([f"{outcome.name}:", *outcome.before, *outcome.output.splitlines()[-farm.SHOWN:]]))
    run.forget()


def try_part(args):
    """What a node does: a part of what spread() has planned."""
    plan = json.loads(args.plan.read_text())
    model = Model(plan["config"], plan["quick"], args.work)
    model.limits = plan["limits"]
    rows = [{**mutant, "caught by": model.notices(mutant)} for mutant in choose(plan["mutants"], None, 0, args.shard)]
    if not plan["quick"]:
        rows = [proven(row, plan["modules"], args.work / "proofs") if survives(row) else row for row in rows]
    args.json.write_text(json.dumps(rows))


def fate(row):
    return "caught" if row["caught by"] else "equivalent" if row.get("differs", "no proof was tried") is None else "open"


def page(rows, left_out, config):
    """The score, by the folder and by the kind of mutant; and the survivors. Returns how many in a hundred are none."""
    for title, of in (("block", lambda row: "/".join(row["file"].split("/")[:-1])), ("kind", lambda row: row["kind"])):
        print(f"\n{title:24} {'mutants':>8} {'caught':>8} {'equivalent':>11} {'open':>6}")
        for name in sorted({of(row) for row in rows}):
            fates = [fate(row) for row in rows if of(row) == name]
            print(f"{name:24} {len(fates):>8} {fates.count('caught'):>8} {fates.count('equivalent'):>11} {fates.count('open'):>6}")
    survivors = [row for row in rows if fate(row) == "open"]
    if survivors:
        print("\nOpen:")
    for row in survivors[:SURVIVORS]:
        why = f" ({row['differs']})" if "differs" in row else ""
        print(f"  {row['name']}  {row['file']}:{row['line']}: {row['kind']}: {row['before']} becomes {row['after']}{why}")
    if len(survivors) > SURVIVORS:
        print(f"  and {len(survivors) - SURVIVORS} more, on the page of make report")
    fates = [fate(row) for row in rows]
    print(f"\n{config}: of {len(rows)} mutants {fates.count('caught')} are caught ({100 * fates.count('caught') / max(1, len(rows)):.1f} %), "
          f"{fates.count('equivalent')} equivalent, {fates.count('open')} open; {left_out} more are not in this configuration")
    return 100 * (len(rows) - fates.count("open")) / max(1, len(rows))


def shard_of(text):
    match = re.fullmatch(r"(\d+)/(\d+)", text)
    if not match or not 1 <= int(match[1]) <= int(match[2]):
        raise argparse.ArgumentTypeError("say which part of how many, such as 2/4")
    return int(match[1]), int(match[2])


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--config", default="small", choices=list(configs.UNIT), metavar="NAME",
                        help="the configuration whose model has the mutants (small)")
    parser.add_argument("--sample", type=int, metavar="N", help="tries N of them, drawn with --seed (all)")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="of the sample (1)")
    parser.add_argument("--shard", type=shard_of, default=(1, 1), metavar="K/N", help="tries only each N-th, from the K-th on")
    parser.add_argument("--name", help="tries this one again, and shows the command of its first run")
    parser.add_argument("--least", type=int, default=0, metavar="PERCENT", help="fails if fewer are caught or equivalent (0)")
    parser.add_argument("--quick", action="store_true", help="by short runs of the regression only")
    farm.add_options(parser)
    parser.add_argument("--plan", type=pathlib.Path, metavar="FILE", help="tries the --shard of what it lists, on a node")
    parser.add_argument("--work", type=pathlib.Path, metavar="FOLDER", help="with --plan: for other files")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE", help="with --plan: what came of it")
    return parser.parse_args()


def rtl_files():
    return [line for line in (ROOT / "rtl/muster.f").read_text().split() if line.startswith("rtl/")]


def texts():
    """What the RTL is with the mutants of the unit, and these."""
    of_unit = [path for path in rtl_files() if path.startswith(UNIT)]
    written, mutants = mutations.instrument({path: (ROOT / path).read_text() for path in rtl_files()}, of_unit)
    written[FIRST] = mutations.PACKAGE + written[FIRST]
    written[WAIVERS] = (ROOT / WAIVERS).read_text() + '\n// Mutants are no good style.\nlint_off -file "*"\n'
    return written, mutants


def prepare(args):
    """Builds the model and its programs. Returns it, and all mutants."""
    try:
        written, mutants = texts()
    except SyntaxProblem as problem:
        sys.exit(f"{problem}. scripts/mutations.py does not read that yet.")
    trees.copy_to(TREE, written)
    print(f"building {args.config} with {len(mutants)} mutants; a few minutes", flush=True)
    model = Model(args.config, args.quick)
    failure = model.build()
    if failure:
        sys.exit(f"The unit with its mutants does not build:\n{failure}")
    problem = model.measure()
    if problem:
        sys.exit(problem)
    return model, mutants


def choose(mutants, sample, seed, shard):
    """A sample of these, the same for the same seed, or all; and of those a part, as (which, of how many)."""
    chosen = mutants
    if sample is not None:
        drawn = sorted(mutants, key=lambda mutant: hashlib.sha256(f"{seed}|{mutant['name']}".encode()).digest())
        chosen = sorted(drawn[:sample], key=lambda mutant: mutant["number"])
    part, parts = shard
    return chosen[part - 1::parts]


def main():
    args = arguments()
    if args.plan:
        try_part(args)
        return
    cluster = args.cluster is not None and farm.cluster_of(args.cluster, args.partition)
    lock.hold("build/mutate")
    shutil.rmtree(RUNS, ignore_errors=True)  # of a run that was killed
    RUNS.mkdir(parents=True)
    model, mutants = prepare(args)
    present = [mutant for mutant in mutants if mutant["number"] in model.numbers]

    def attempt(mutant):
        return {**mutant, "caught by": model.notices(mutant)}
    if args.name:
        wanted = [mutant for mutant in present if mutant["name"] == args.name]
        if not wanted:
            sys.exit(f"Configuration {args.config} has no mutant {args.name}; build/mutate.json lists those that were tried.")
        print(json.dumps(attempt(wanted[0]), indent=2))
        print(f"MUSTER_MUTANT={wanted[0]['number']} {' '.join(model.command(model.attempts[0]))}")
        return
    chosen = choose(present, args.sample, args.seed, args.shard)
    part, parts = args.shard
    name = "quick" if args.quick else "whole"
    results = Results(WORK / f"{args.config}.{name}.{part}of{parts}.jsonl", model.key())
    left = [mutant for mutant in chosen if mutant["name"] not in results.rows]
    if len(left) != len(chosen):
        print(f"{len(chosen) - len(left)} of {len(chosen)} were tried before")
    if cluster:
        spread(chosen, model, args.quick, results, cluster)
    else:
        each(left, attempt, results, "caught")
        if not args.quick:
            prove([results.rows[mutant["name"]] for mutant in chosen], args.config, results)
    rows = [results.rows[mutant["name"]] for mutant in chosen if mutant["name"] in results.rows]
    settled = page(rows, len(mutants) - len(present), args.config)
    (ROOT / ("build/mutate.quick.json" if args.quick else "build/mutate.json")).write_text(json.dumps({"config": args.config, "mutants": rows}, indent=1) + "\n")
    if len(rows) < len(chosen):
        sys.exit(f"{len(chosen) - len(rows)} mutants were not tried: their shards have no results.")
    if settled < args.least:
        sys.exit(f"That is less than {args.least} in a hundred.")


if __name__ == "__main__":
    main()
