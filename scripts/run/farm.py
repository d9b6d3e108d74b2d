#!/usr/bin/env python3
# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""Runs independent commands, each of which leaves a result, on the nodes of a cluster.

A task is a command with a name. Slurm runs it as part of a job array; its result, what it printed and how it ended become one file,
which is named by the task and renamed into place when it is whole. The process that submits is the only one that accepts such
files, and accepts one for each task: a task that ran twice counts once. A task that fails, or is lost with its node, is submitted
once more, without that node if there is another one; then its failure is reported. Ctrl-C cancels what was submitted.
A run that was stopped goes on where it was, unless the tasks or the files that they read have changed.

All nodes must see the folder of this checkout under the same path, and run what was built in it.
"""

import argparse
import dataclasses
import hashlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

from root import ROOT
import slurm
from progress import Progress

FARM = ROOT / "build/farm"
CLUSTERS = {"slurm": slurm.Slurm}
RESULT = "{result}"    # in a command: the file that it must leave
SCRATCH = "{scratch}"  # and a folder of its own
KEPT = 20_000     # characters of what a task prints
SHOWN = 12        # lines of a failure
LATE = 30         # seconds that a file may take to be seen here
SOON = 2          # the same if the task has ended without a good word
PATIENCE = 600    # seconds that Slurm may refuse everything when nothing of this run is left in it
CANCELLED = 130   # exit code after Ctrl-C


@dataclasses.dataclass(frozen=True)
class Task:
    name: str       # of its result, too: letters, digits, points and dashes
    command: tuple  # words; RESULT and SCRATCH in them are replaced


@dataclasses.dataclass
class Outcome:
    """How a task ended. `code`: its exit code; None: it was lost."""
    name: str
    code: int | None = None
    output: str = ""
    seconds: float = 0.0
    node: str = ""
    passed: bool = False
    file: pathlib.Path | None = None
    before: list = dataclasses.field(default_factory=list)  # why the first attempt counted for nothing

    def result(self):
        """The text of its result; None: it left none."""
        return self.file and json.loads(self.file.read_text())["result"]


def digest_of(files):
    """What the content of these files is known by."""
    found = hashlib.sha256()
    for file in sorted(files):
        content = pathlib.Path(file).read_bytes() if pathlib.Path(file).is_file() else b"(none)"
        found.update(f"{file} {len(content)}\n".encode() + content)
    return found.hexdigest()


def written(path, text):
    """Writes a file that is there whole or not at all."""
    part = path.with_name(f".{path.name}.{os.getpid()}")
    with part.open("w") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    part.replace(path)


# ------------------------------------------------------------------------------------------------
# On a node
# ------------------------------------------------------------------------------------------------


def work(folder, array):
    """One task of an array."""
    plan = json.loads((folder / "plan.json").read_text())
    job = f"{os.environ['SLURM_ARRAY_JOB_ID']}_{os.environ['SLURM_ARRAY_TASK_ID']}"
    name = json.loads((folder / "arrays" / array).read_text())[int(os.environ["SLURM_ARRAY_TASK_ID"])]
    scratch = folder / "scratch" / f"{name}.{job}"
    scratch.mkdir(parents=True)
    result, printed = scratch / "result", scratch / "printed"
    words = [word.replace(RESULT, str(result)).replace(SCRATCH, str(scratch)) for word in plan["tasks"][name]]
    begun = time.monotonic()
    code = None
    with printed.open("w") as output:
        if digest_of(plan["inputs"]) == plan["digest"]:
            try:
                code = subprocess.run(words, cwd=ROOT, env=os.environ | {"JOBS": "1"}, stdin=subprocess.DEVNULL, stdout=output,
                                      stderr=subprocess.STDOUT).returncode
            except OSError as problem:
                print(problem, file=output)
        if digest_of(plan["inputs"]) != plan["digest"]:
            code = None
            print("What this run was begun with has been built anew since.", file=output)
    outcome = {"key": plan["key"], "name": name, "job": job, "node": os.environ.get("SLURMD_NODENAME", ""), "code": code,
               "seconds": round(time.monotonic() - begun, 2), "output": printed.read_text(errors="replace")[-KEPT:],
               "result": result.read_text() if code is not None and result.is_file() else None}
    shutil.rmtree(scratch, ignore_errors=True)
    written(folder / "inbox" / f"{name}.json", json.dumps(outcome))


# ------------------------------------------------------------------------------------------------
# Where the run was begun
# ------------------------------------------------------------------------------------------------


def end(sentence, code=2):
    print(sentence, file=sys.stderr)
    sys.exit(code)


def cluster_of(kind, partition):
    """The cluster, or the end of the program with a sentence."""
    if kind not in CLUSTERS:
        end(f"There is no cluster {kind!r}; there are {', '.join(CLUSTERS)}.")
    try:
        return CLUSTERS[kind](partition)
    except slurm.Refused as problem:
        end(str(problem))


def add_options(parser):
    parser.add_argument("--cluster", metavar="KIND", help="runs on the nodes of a cluster: slurm")
    parser.add_argument("--partition", default="", metavar="NAME", help="of the cluster (that which it takes by itself)")


class Farm:
    """A run of tasks on a cluster."""

    def __init__(self, target, cluster, memory, what="shards", passed=lambda outcome: outcome.code == 0):
        """`memory`: megabytes for each task; `passed`: whether an outcome needs no second attempt."""
        self.target, self.cluster, self.memory, self.what, self.judge = target, cluster, memory, what, passed
        self.tasks = {}
        self.progress = Progress(0, what)
        self.done = {}        # outcomes
        self.failures = {}    # of first attempts: a sentence each
        self.places = {}      # where a task is: (job, index)
        self.nodes = {}       # where it runs
        self.silent = {}      # since when it has been gone without a result
        self.waiting = {}     # to be submitted: {node that it must not have, or "": names}
        self.trouble = None   # what Slurm refuses, and since when
        self.idle = ""        # why nothing runs

    def run(self, tasks, inputs):
        """{name: Outcome} of all tasks, whose programs and sources are the inputs. Ends the program if it is cancelled."""
        self.prepare(tasks, inputs)
        signals = {number: signal.signal(number, signal.default_int_handler) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
        try:
            self.resume()
            self.loop()
        except (KeyboardInterrupt, slurm.Refused) as problem:
            for number in signals:
                signal.signal(number, signal.SIG_IGN)
            self.progress.clear()
            words = "Cancelled" if isinstance(problem, KeyboardInterrupt) else str(problem).rstrip(".")
            left = self.cancel()
            self.collect()
            end(f"{words}: {len(self.done)} of {len(self.tasks)} {self.what} have results, with which the same command goes on" +
                (f"; {left}." if left else "."), CANCELLED if isinstance(problem, KeyboardInterrupt) else 2)
        self.cancel(within=5)  # second attempts whose first one has come after all
        for number, handler in signals.items():
            signal.signal(number, handler)
        return self.done

    def forget(self):
        """The results are in use elsewhere: the next run begins anew."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def cancel(self, within=60):
        try:
            left = self.cluster.cancel(self.job, within)
        except slurm.Refused as problem:
            return f"but {problem} scancel --name={self.job} may be needed"
        return left and f"but {left} have not ended; scancel --name={self.job}"

    def prepare(self, tasks, inputs):
        """A folder for exactly this run. Those of other ones, and what is left of them in the queue, go."""
        self.tasks = {task.name: task for task in tasks}
        plan = {"tasks": {task.name: task.command for task in tasks}, "inputs": sorted(map(str, inputs)), "digest": digest_of(inputs)}
        plan["key"] = hashlib.sha256(json.dumps([str(ROOT), plan]).encode()).hexdigest()[:16]
        self.key, self.job = plan["key"], f"muster-{self.target}-{plan['key']}"
        self.folder = FARM / self.target / self.key
        old = [path for path in (FARM / self.target).glob("*") if path != self.folder]
        try:
            for path in [*old, self.folder]:
                if path.exists():
                    self.cluster.cancel(f"muster-{self.target}-{path.name}")
        except slurm.Refused as problem:
            end(str(problem))
        for path in old:
            shutil.rmtree(path, ignore_errors=True)
        for name in ("inbox", "results", "scratch", "arrays", "logs"):
            (self.folder / name).mkdir(parents=True, exist_ok=True)
        written(self.folder / "plan.json", json.dumps(plan))

    def resume(self):
        """Takes what a run that was stopped has left."""
        for file in (self.folder / "results").glob("*.json"):
            outcome, _ = self.read(file)
            if outcome and outcome.passed:
                self.done[outcome.name] = outcome
            else:
                file.unlink()
        self.progress = Progress(len(self.tasks), self.what)
        self.collect()
        if self.done:
            print(f"{len(self.done)} of {len(self.tasks)} {self.what} have results of before", flush=True)
        self.progress.before = len(self.done)
        self.waiting = {"": [name for name in self.tasks if name not in self.done]}

    def loop(self):
        begun = polled = time.monotonic()
        while len(self.done) < len(self.tasks):
            self.submit()
            self.collect()
            now = time.monotonic()
            if now - polled > min(10, 1 + (now - begun) / 20):
                polled = now
                self.look()
            failed = sum(not outcome.passed for outcome in self.done.values())
            running = len(self.nodes)
            self.progress.show(len(self.done), f", {failed} failed" +
                               (f"; {running} on {len(set(self.nodes.values()))} nodes" if running else "") +
                               (f"; {self.trouble[0]}" if self.trouble else f"; {self.idle}" if self.idle else ""))
            time.sleep(0.5)

    def refused(self, problem):
        """Slurm may refuse for a while, if something of this run is in it, or was."""
        self.trouble = (str(problem), self.trouble[1] if self.trouble else time.monotonic())
        if not self.places and (not self.done or time.monotonic() - self.trouble[1] > PATIENCE):
            raise problem

    def submit(self):
        while any(self.waiting.values()):
            node, names = next((node, names) for node, names in self.waiting.items() if names)
            part = names[:self.cluster.most]
            array = f"{time.time_ns()}.json"
            written(self.folder / "arrays" / array, json.dumps(part))
            command = [sys.executable, str(ROOT / "scripts/run/farm.py"), "--work", str(self.folder), array]
            try:
                job = self.cluster.submit(self.job, command, len(part), self.folder / "logs", self.memory, node)
            except slurm.Refused as problem:
                self.refused(problem)
                return
            self.trouble = None
            self.places.update({name: (job, index) for index, name in enumerate(part)})
            self.waiting[node] = names[len(part):]

    def read(self, file):
        """An outcome of this run, and the job that it is of; None: the file is none."""
        try:
            found = json.loads(file.read_text())
            if found["key"] != self.key or found["name"] not in self.tasks:
                return None, None
            outcome = Outcome(found["name"], found["code"], found["output"], found["seconds"], found["node"], file=file)
        except (ValueError, KeyError, OSError):
            return None, None
        outcome.passed = self.judge(outcome)
        return outcome, found["job"]

    def collect(self):
        """Accepts results: one for each task. Of the failures only those of the attempt that counts do."""
        for file in sorted((self.folder / "inbox").glob("[!.]*.json")):
            outcome, job = self.read(file)
            if not outcome or outcome.name in self.done:
                file.unlink(missing_ok=True)
                continue
            name = outcome.name
            counts = name in self.places and "{}_{}".format(*self.places[name]) == job
            if not outcome.passed and (not counts or name not in self.failures):
                file.unlink(missing_ok=True)
                if counts:
                    self.again(name, outcome.node, f"failed on {outcome.node} ({ending(outcome.code)})", outcome.output)
                continue
            outcome.file = self.folder / "results" / file.name
            file.replace(outcome.file)
            self.finish(outcome)

    def finish(self, outcome):
        name = outcome.name
        outcome.before = [self.failures[name]] if name in self.failures else []
        self.done[name] = outcome
        self.leave(name)
        self.waiting = {node: [other for other in names if other != name] for node, names in self.waiting.items()}
        if name in self.failures or not outcome.passed:
            self.progress.clear()
            print(f"{name} " + (f"passed on {outcome.node}" if outcome.passed else f"failed ({ending(outcome.code)})" if outcome.node else "is lost") +
                  (f"; before, it {self.failures[name].splitlines()[0]}" if name in self.failures else ""), flush=True)

    def leave(self, name):
        job, index = self.places.pop(name, ("", 0))
        self.nodes.pop(name, None)
        self.silent.pop(name, None)
        log = self.folder / "logs" / f"{job}_{index}"
        text = log.read_text(errors="replace")[-KEPT:] if log.is_file() else ""
        log.unlink(missing_ok=True)
        return text

    def again(self, name, node, why, output=""):
        """The first attempt counts for nothing."""
        printed = self.leave(name)
        self.failures[name] = "\n".join([why, *(output or printed).strip().splitlines()[-SHOWN:]])
        self.waiting.setdefault(node, []).append(name)

    def look(self):
        """Which tasks Slurm has lost."""
        try:
            states = self.cluster.tasks(self.job)
        except slurm.Refused as problem:
            self.refused(problem)
            return
        self.trouble = None
        now = time.monotonic()
        reasons = set()
        for name, place in list(self.places.items()):
            state, node, reason = states.get(place, ("GONE", self.nodes.get(name, ""), ""))
            if state in slurm.LIVE:
                self.silent.pop(name, None)
                if state == "PENDING":
                    reasons.update({reason} - {"None"})
                else:
                    self.nodes[name] = node
            elif now - self.silent.setdefault(name, now) >= (LATE if state in ("COMPLETED", "GONE") else SOON):
                self.lost(name, node or self.nodes.get(name, ""), state)
        self.idle = "" if self.nodes or not reasons else f"none runs ({', '.join(sorted(reasons))})"

    def lost(self, name, node, state):
        why = f"was lost on {node or 'no node'} ({state}: no result; do all nodes see {ROOT}?)" if state in ("COMPLETED", "FAILED", "GONE") else \
            f"was lost on {node or 'no node'} ({state})"
        if name not in self.failures:
            self.again(name, node, why)
            return
        printed = self.leave(name)
        self.finish(Outcome(name, output="\n".join([why, *printed.splitlines()[-SHOWN:]])))


def ending(code):
    """An exit code in words."""
    return "not run" if code is None else f"exit code {code}" if code >= 0 else f"signal {-code}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--check", action="store_true", help="only says, with exit code 2, why the cluster cannot be used")
    parser.add_argument("--work", nargs=2, metavar=("FOLDER", "ARRAY"), help="runs a task on a node; Slurm calls this")
    add_options(parser)
    args = parser.parse_args()
    if args.work:
        work(pathlib.Path(args.work[0]), args.work[1])
    elif args.check:
        cluster_of(args.cluster, args.partition)


if __name__ == "__main__":
    main()
