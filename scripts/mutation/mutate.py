#!/usr/bin/env python3
# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""Tries mutants that are generated from the syntax of the RTL (scripts/mutation/mutations.py) or of the golden model (scripts/mutation/mutations_cpp.py).

--of says of what: unit (the barrier unit), front (what a core puts in front of it), adapters (what connects it to a bus or a known core), warp and cluster (the scopes beside it), gpc (the top around all of them), golden (the model
that all of these are compared with, which its own tests must judge). One model has all mutants of it, or all of a sample; a number selects one at run time,
so that a mutant costs a run. Tests that compare every cycle with the golden model, or the golden model with the texts, try each: short
ones first, longer ones for what is left. What these do not notice is proven to be equivalent (scripts/mutation/equivalent.py; RTL only),
or stays open; tb/mutants/open.json gives the reason of some that do. What the configuration leaves out is not tried.
Results are kept in build/mutate as they come: a run that is stopped goes on where it was, unless a source has changed.
With --cluster the mutants are tried on the nodes of a cluster (scripts/run/farm.py).
"""

import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading

from root import ROOT
import configs
import farm
import figures
import lock
import subjects
import trees
from progress import Progress
from systemverilog import SyntaxProblem

WORK = ROOT / "build/mutate"  # has a folder for each subject
# Why a mutant stays open: {subject: {name: reason}}. In place of a reason: {parameters, such as "NumIssue=1": a reason that holds with these}.
REASONS = ROOT / "tb/mutants/open.json"
JOBS = int(os.environ.get("JOBS", os.cpu_count()))
SLOWER = 5  # so many times as long as without a mutant, in processor time: it hangs
PATIENCE = 600  # seconds of processor time for an attempt without a mutant
CROWDED = 20  # seconds on the clock that each second of processor time may take on a busy machine
COVERED = 1_000_000  # cycles of a regression in which each cover point must be hit
SURVIVORS = 40  # that are shown
TOGETHER = 25  # mutants of a task of a cluster
MEMORY = 3000  # megabytes of such a task
SPACE = 4 << 30  # bytes that a mutant may ask for


class Model:
    """The programs that have the mutants of a subject in one configuration, and try them."""

    def __init__(self, of, config, quick, runs=None):
        self.of = of
        self.subject = subjects.SUBJECTS[of]
        self.config = config
        self.quick = quick
        self.tree = WORK / of / "tree"  # a copy of the sources with all mutants
        self.folder = self.tree / f"build-{config}"
        self.runs = runs or WORK / of / "runs"  # where the runs of now write
        self.short = self.subject.short(config)
        self.long = [] if quick else self.subject.long(config)
        self.limits = {}  # seconds of processor time, by attempt

    @property
    def attempts(self):
        return [*self.short, *self.long]

    def build(self):
        """Builds the programs. Returns what was said if that fails."""
        environment = os.environ | {"BUILD": self.folder.name,
                                    "CMAKE_OPTIONS": f"-DMUSTER_CONFIGS={self.config} -DMUSTER_UNIT_OPTIONS=-O1 -DMUSTER_TRACE=OFF"}
        targets = sorted({attempt.target for attempt in self.attempts})
        done = subprocess.run([self.tree / "scripts/run/build.sh", *targets], cwd=self.tree, env=environment, text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return None if done.returncode == 0 else done.stdout

    def programs(self):
        return [self.folder / program for program in sorted({attempt.program for attempt in self.attempts})]

    def key(self):
        """What results hold for."""
        return hashlib.sha256(b"".join(program.read_bytes() for program in self.programs())).hexdigest()

    def measure(self):
        """What is wrong without a mutant, as a sentence. A mutant that takes much longer hangs."""
        for attempt in self.attempts:
            before = processor_time()
            noticed = self.run(0, attempt, PATIENCE)
            if noticed:
                return f"{attempt.target} fails without any mutant: {noticed}"
            self.limits[attempt] = 5 + round(SLOWER * (processor_time() - before))
        return None

    def notices(self, mutant, attempts):
        """By what it is noticed; None: it is not."""
        return next(filter(None, (self.run(mutant["number"], attempt, self.limits[attempt]) for attempt in attempts
                                  if mutant["file"].startswith(attempt.block))), None)

    def attempt(self, rows, attempts, pool):
        """What comes of these, a row for each, as it is known."""
        return pool.map(lambda row: {**row, "caught by": self.notices(row, attempts)}, rows)

    def prove(self, rows, from_reset, pool):
        """Tries to prove that these mutants change nothing, from the reset on or only in every state, in one circuit after the other.
        A row for each, as it is known: with what is different in the first circuit that differs, or None."""
        left, had = {row["number"]: row for row in rows}, set()
        for place, (top, parameters) in enumerate(self.subject.tops(self.config)):
            if not left:
                return
            circuit = self.subject.circuit(left.values(), top, parameters, WORK / self.of / "proofs" / str(place))
            if circuit is None:
                yield from ({**row, "differs": f"Yosys takes too long for {top}"} for row in left.values())
                return
            having = [number for number in left if number in circuit.mutants]
            had |= set(having)
            for number, why in zip(having, pool.map(lambda number: circuit.why_different(number, from_reset), having)):
                if why:
                    yield {**left.pop(number), "differs": why}
        yield from ({**row, "differs": None if number in had else self.subject.unproven} for number, row in left.items())

    def command(self, attempt):
        return [str(self.folder / attempt.program), *attempt.options]

    def run(self, number, attempt, limit):
        environment = os.environ | {"MUSTER_MUTANT": str(number), "MUSTER_LONG": "1"}  # tb/volume.h
        with tempfile.TemporaryDirectory(dir=self.runs) as folder:
            report = pathlib.Path(folder) / "report.json"
            command = ["prlimit", f"--as={SPACE}", f"--cpu={limit}:{limit + 10}", *self.command(attempt), *(["--json", str(report)] if attempt.reports else ["--gtest_fail_fast"])]
            try:
                done = subprocess.run(command, cwd=folder, env=environment, timeout=CROWDED * limit, text=True, errors="replace",
                                      stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
            except subprocess.TimeoutExpired:
                return "it hangs"
            if done.returncode == -signal.SIGXCPU:
                return "it hangs"
            if attempt.reports and report.exists():
                said = json.loads(report.read_text())
                return first_mismatch(said) or missed(said)
            if done.returncode == 0 and not attempt.reports:
                return None
            failed = re.search(r"\[  FAILED  \] (\S+)", done.stdout)
            return f"test {failed[1]}" if failed else f"it ends with {done.returncode}"


def processor_time():
    """Of the programs that have been run, in seconds."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def first_mismatch(report):
    """The first of a regression's mismatches, as words; None: there is none."""
    # That a run commits too little, which has no name among them, says nothing of one so short.
    found = [one for one in report["mismatches"] if one["what"]]
    first = min(found, key=lambda one: one["cycle"], default=None)
    return first and f"seed {first['seed']}, cycle {first['cycle']}: {first['what']}"


def missed(report):
    """The cover points that a long regression has not hit, as words; None: there are none."""
    points = [point for config in report["configs"].values() if config["cycles"] >= COVERED for point in config["missed"]]
    return f"{points[0]} is not hit" + (f", nor {len(points) - 1} others" if points[1:] else "") if points else None


def kept(path):
    """What a file of results holds for, and its rows by their names."""
    lines = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
    return (lines[0]["key"] if lines else None), {row["name"]: row for row in lines[1:]}


class Results:
    """What was found out, a line for each mutant, kept as it comes in a file, if there is one."""

    def __init__(self, path=None, key=""):
        self.path = path
        self.lock = threading.Lock()
        said, self.rows = kept(path) if path else (None, {})
        if path and said != key:
            self.rows = {}
            path.write_text(json.dumps({"key": key}) + "\n")

    def of(self, mutant):
        """Its row; the mutant, if there is none yet."""
        return self.rows.get(mutant["name"], mutant)

    def add(self, row):
        with self.lock:
            self.rows[row["name"]] = row
            if self.path:
                with self.path.open("a") as file:
                    file.write(json.dumps(row) + "\n")


def settle(chosen, model, results, proofs=True, likely=()):
    """Tries these in four stages, each for all that is left, those without a reason first: by short attempts, by proofs in every state, by
    long attempts, by proofs from the reset on. Before that, those whose names are likely ones by proofs in every state."""
    explained = reasons(model.of, model.config)
    early = [row for row in map(results.of, chosen) if row["name"] in likely and "stage" not in row]
    if early:
        progress, equal = Progress(len(early), "mutants that another configuration has proven, by proofs"), 0
        with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
            for count, row in enumerate(model.prove(early, False, pool), 1):
                if fate(row) == "equivalent":
                    results.add({**row, "stage": 2})
                    equal += 1
                progress.show(count, f", {equal} equivalent")

    def each(stage, what, worker, *how):
        rows = [row for row in map(results.of, chosen) if fate(row) == "open" and row.get("stage", 0) < stage]
        rows.sort(key=lambda row: row["name"] in explained)
        if not rows:
            return
        progress, open_ = Progress(len(rows), what), 0
        with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
            for count, row in enumerate(worker(rows, *how, pool), 1):
                results.add({**row, "stage": stage})
                open_ += fate(row) == "open"
                progress.show(count, f", {open_} open")
    each(1, "mutants, by short tests", model.attempt, model.short)
    if model.quick:
        return
    if proofs:
        each(2, "mutants, by proofs", model.prove, False)
    each(3, "mutants, by longer tests", model.attempt, model.long)
    if proofs:
        each(4, "mutants, by longer proofs", model.prove, True)


def spread(chosen, model, results, cluster):
    """Tries these on a cluster."""
    file = WORK / model.of / f"{model.config}.{'quick' if model.quick else 'whole'}.plan.json"
    plan = {"of": model.of, "config": model.config, "quick": model.quick, "mutants": chosen}
    old = json.loads(file.read_text()) if file.exists() else {}
    if old != plan | {"limits": old.get("limits")}:  # times differ, and a run that was stopped goes on
        farm.written(file, json.dumps(plan | {"limits": [model.limits[attempt] for attempt in model.attempts]}))
    parts = -(-len(chosen) // TOGETHER)
    tasks = [farm.Task(f"mutants.{part}", (sys.executable, str(ROOT / "scripts/mutation/mutate.py"), "--plan", str(file), "--shard", f"{part}/{parts}",
                                           "--work", farm.SCRATCH, "--json", farm.RESULT))
             for part in range(1, parts + 1) if any(row["name"] not in results.rows for row in chosen[part - 1::parts])]
    run = farm.Farm("mutate", cluster, MEMORY, f"shards of {len(chosen)} mutants")
    for outcome in run.run(tasks, [*model.programs(), file, ROOT / "scripts/mutation/mutate.py"]).values():
        if outcome.passed:
            for row in json.loads(outcome.result()):
                results.add(row)
        else:
            print("\n".join([f"{outcome.name}:", *outcome.before, *outcome.output.splitlines()[-farm.SHOWN:]]))
    run.forget()


def try_part(args):
    """What a node does: a part of what spread() has planned."""
    plan = json.loads(args.plan.read_text())
    model = Model(plan["of"], plan["config"], plan["quick"], args.work)
    model.limits = dict(zip(model.attempts, plan["limits"]))
    results = Results()
    settle(choose(plan["mutants"], None, 0, args.shard), model, results, proofs=False)
    args.json.write_text(json.dumps(list(results.rows.values())))


def reasons(of, config):
    """Why mutants of a subject stay open in a configuration, by their names."""
    listed = [row for row in all_reasons(of) if holds(row[0], config)]
    return {name: why for _, why, names in reversed(listed) for name in names}


def all_reasons(of):
    """What the file says of a subject: (parameters, reason, names) each."""
    listed = json.loads(REASONS.read_text()).get(of, {})
    return [(when, why, names) for when, whys in listed.items() for why, names in whys.items()]


def list_reasons(of):
    """Prints the mutants of a subject that a reason explains, in the order of the sources."""
    why = {name: (when, reason) for when, reason, names in all_reasons(of) for name in names}
    _, mutants = subjects.SUBJECTS[of].texts()
    for mutant in sorted((one for one in mutants if one["name"] in why), key=lambda one: (one["file"], one["line"])):
        when, reason = why[mutant["name"]]
        print(f"{mutant['file']}:{mutant['line']}: {mutant['kind']}: {mutant['before']} becomes {mutant['after']}  ({mutant['name']})")
        print(f"    {'with ' + when + ': ' if when else ''}{reason}")


def holds(when, config):
    """Whether a configuration of the unit has these parameters, such as "NumIssue=1 EnLanes=0"."""
    return all(str(configs.UNIT[config][name]) == value for name, value in (one.split("=") for one in when.split()))


def fate(row, explained=()):
    """caught, equivalent, open; or explained, if it is open with one of these reasons."""
    return "caught" if row.get("caught by") else "equivalent" if row.get("differs", "no proof was tried") is None else \
        "explained" if row["name"] in explained else "open"


FATES = ("caught", "equivalent", "explained", "open")


def page(rows, left_out, of, config):
    """The score, by the folder and by the kind of mutant; and the survivors. Returns how many in a hundred are not open."""
    why = reasons(of, config)
    for title, what in (("block", lambda row: "/".join(row["file"].split("/")[:-1])), ("kind", lambda row: row["kind"])):
        print(f"\n{title:24} {'mutants':>8}" + "".join(f"{name:>11}" for name in FATES))
        for name in sorted({what(row) for row in rows}):
            fates = [fate(row, why) for row in rows if what(row) == name]
            print(f"{name:24} {len(fates):>8}" + "".join(f"{fates.count(one):>11}" for one in FATES))
    survivors = [row for row in rows if fate(row, why) == "open"]
    if survivors:
        print("\nOpen:")
    for row in survivors[:SURVIVORS]:
        differs = f" ({row['differs']})" if "differs" in row else ""
        print(f"  {row['name']}  {row['file']}:{row['line']}: {row['kind']}: {row['before']} becomes {row['after']}{differs}")
    if len(survivors) > SURVIVORS:
        print(f"  and {len(survivors) - SURVIVORS} more, on the page of make report")
    fates = [fate(row, why) for row in rows]
    print(f"\n{of}, {config}: of {len(rows)} mutants {fates.count('caught')} are caught ({100 * fates.count('caught') / max(1, len(rows)):.1f} %), "
          f"{fates.count('equivalent')} equivalent, {fates.count('explained')} explained, {fates.count('open')} open; "
          f"{left_out} more are not in this configuration")
    return 100 * (len(rows) - fates.count("open")) / max(1, len(rows))


def elsewhere(args):
    """The names of mutants that whole runs of other configurations have caught, and proven equivalent."""
    caught, equal = set(), set()
    for config in args.after:
        _, rows = kept(WORK / args.of / f"{config}.whole.1of1.jsonl")
        if not rows:
            sys.exit(f"--after {config}: there has been no whole run of it; scripts/mutation/mutate.py --config {config} makes one.")
        caught |= {name for name, row in rows.items() if fate(row) == "caught"}
        equal |= {name for name, row in rows.items() if fate(row) == "equivalent"}
    return caught, equal


def shard_of(text):
    match = re.fullmatch(r"(\d+)/(\d+)", text)
    if not match or not 1 <= int(match[1]) <= int(match[2]):
        raise argparse.ArgumentTypeError("say which part of how many, such as 2/4")
    return int(match[1]), int(match[2])


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--of", default="unit", choices=list(subjects.SUBJECTS), metavar="WHAT",
                        help=f"what has the mutants: {', '.join(subjects.SUBJECTS)} (unit)")
    parser.add_argument("--config", default="small", choices=subjects.SUBJECTS["unit"].configs, metavar="NAME",
                        help="the configuration whose model has the mutants (small); another one for the unit only")
    parser.add_argument("--sample", type=int, metavar="N", help="tries those that the configuration has of N of them, drawn with --seed (all)")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="of the sample (1)")
    parser.add_argument("--after", nargs="+", default=[], choices=subjects.SUBJECTS["unit"].configs, metavar="NAME",
                        help="tries only what whole runs of these configurations have not caught")
    parser.add_argument("--shard", type=shard_of, default=(1, 1), metavar="K/N", help="tries only each N-th, from the K-th on")
    parser.add_argument("--name", help="tries this one again, and shows the command of its first run")
    parser.add_argument("--reasons", action="store_true", help="tries nothing; lists those that stay open for a reason, with file, line and change")
    parser.add_argument("--least", type=int, default=0, metavar="PERCENT", help="fails if fewer are caught or equivalent (0)")
    parser.add_argument("--quick", action="store_true", help="by short runs of the regression only")
    farm.add_options(parser)
    parser.add_argument("--plan", type=pathlib.Path, metavar="FILE", help="tries the --shard of what it lists, on a node")
    parser.add_argument("--work", type=pathlib.Path, metavar="FOLDER", help="with --plan: for other files")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE", help="with --plan: what came of it")
    args = parser.parse_args()
    if not args.plan and args.config not in (known := subjects.SUBJECTS[args.of].configs):
        parser.error(f"--of {args.of} has {', '.join(known)}, and no {args.config}")
    return args


def prepare(args, caught):
    """Builds the model and its programs. Returns it, and all mutants, or the sample of those that have not been caught elsewhere."""
    model = Model(args.of, args.config, args.quick)
    try:
        written, mutants = model.subject.texts()
        if args.sample is not None:
            mutants = choose([one for one in mutants if one["name"] not in caught], args.sample, args.seed, (1, 1))
            written, _ = model.subject.texts({one["number"] for one in mutants})
    except SyntaxProblem as problem:
        sys.exit(f"{problem}. The generator of mutants does not read that yet.")
    trees.copy_to(model.tree, written)
    print(f"building {args.of}, {args.config}, with {len(mutants)} mutants; a few minutes", flush=True)
    failure = model.build()
    if failure:
        sys.exit(f"The {args.of} with its mutants does not build:\n{failure}")
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
    if args.reasons:
        list_reasons(args.of)
        return
    if args.plan:
        try_part(args)
        return
    cluster = args.cluster is not None and farm.cluster_of(args.cluster, args.partition)
    work = WORK / args.of
    lock.hold(work.relative_to(ROOT))
    shutil.rmtree(work / "runs", ignore_errors=True)  # of a run that was killed
    (work / "runs").mkdir(parents=True)
    caught, equal = elsewhere(args)
    model, mutants = prepare(args, caught)
    numbers = model.subject.present(model.folder, args.config, mutants)
    present = [mutant for mutant in mutants if mutant["number"] in numbers]

    if args.name:
        wanted = [mutant for mutant in present if mutant["name"] == args.name]
        if not wanted:
            sys.exit(f"The {args.of} has no mutant {args.name} in configuration {args.config}; {json_of(args).relative_to(ROOT)} lists those that were tried.")
        results = Results()
        settle(wanted, model, results)
        print(json.dumps(results.of(wanted[0]), indent=2))
        print(f"MUSTER_MUTANT={wanted[0]['number']} {' '.join(model.command(model.attempts[0]))}")
        return
    left = [mutant for mutant in present if mutant["name"] not in caught]
    if args.after:
        print(f"{len(present) - len(left)} of {len(present)} have been caught in {' or '.join(args.after)}")
    chosen = choose(left, None, args.seed, args.shard)
    part, parts = args.shard
    name = ("quick" if args.quick else "whole") + (f".sample{args.sample}seed{args.seed}" if args.sample is not None else "")  # a sample's model is another one
    results = Results(work / f"{args.config}.{name}.{part}of{parts}.jsonl", model.key())
    before = sum(mutant["name"] in results.rows for mutant in chosen)
    if before:
        print(f"{before} of {len(chosen)} were tried before")
    if cluster:
        spread(chosen, model, results, cluster)
    settle([mutant for mutant in chosen if mutant["name"] in results.rows or not cluster], model, results, likely=equal)
    rows = [results.rows[mutant["name"]] for mutant in chosen if mutant["name"] in results.rows]
    settled = page(rows, len(mutants) - len(present), args.of, args.config)
    json_of(args).write_text(json.dumps({"of": args.of, "config": args.config, "mutants": rows}, indent=1) + "\n")
    if rows and len(rows) == len(left) and not args.quick:
        fates = [fate(row, reasons(args.of, args.config)) for row in rows]
        after = f" --after {' '.join(args.after)}" if args.after else ""
        which = f"--of {args.of}" if args.of != "unit" or args.config == "small" else f"--config {args.config}"
        figures.file_mutation(args.of, args.config, f"scripts/mutation/mutate.py {which}{after}",
                              {"tried": len(rows)} | {one: fates.count(one) for one in FATES})
    if len(rows) < len(chosen):
        sys.exit(f"{len(chosen) - len(rows)} mutants were not tried: their shards have no results.")
    if settled < args.least:
        sys.exit(f"That is less than {args.least} in a hundred.")


def json_of(args):
    """Where the rows of the latest run are."""
    return ROOT / f"build/mutate{'' if args.of == 'unit' else f'.{args.of}'}{'.quick' if args.quick else ''}.json"


if __name__ == "__main__":
    main()
