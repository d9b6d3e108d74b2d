# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""Job arrays of Slurm: submits them, says in what state each of their tasks is, cancels them."""

import os
import shlex
import shutil
import subprocess
import time

ANSWER = 60  # seconds that a command of Slurm has
LIVE = {"PENDING", "CONFIGURING", "RUNNING", "COMPLETING", "SUSPENDED", "STOPPED", "RESIZING", "SIGNALING", "STAGE_OUT"}
USABLE = ("idle", "mix", "alloc", "comp")  # nodes
MOST = 1000  # tasks of an array


class Refused(Exception):
    """What Slurm does not do, as a sentence."""


def call(*command):
    """The output of a command of Slurm. Ctrl-C does not reach it: what it has begun is known."""
    try:
        done = subprocess.run(command, text=True, errors="replace", capture_output=True, timeout=ANSWER, stdin=subprocess.DEVNULL,
                              start_new_session=True)
    except subprocess.TimeoutExpired as problem:
        raise Refused(f"{command[0]} has not answered within {ANSWER} s.") from problem
    if done.returncode:
        said = [line.strip() for line in done.stderr.splitlines() if line.strip()] or [f"exit code {done.returncode}"]
        raise Refused(f"{command[0]} says: {said[-1]}.")
    return done.stdout


class Slurm:
    """A partition ("": that which Slurm takes by itself)."""

    def __init__(self, partition=""):
        """Raises Refused if it cannot be used."""
        if not shutil.which("sbatch"):
            raise Refused("There is no sbatch here, so Slurm is not installed; scripts/run/setup.sh farm installs it (a cluster needs more).")
        known = call("sinfo", "--noheader", "--format=%R").split()
        if partition and partition not in known:
            raise Refused(f"There is no partition {partition!r}; there are {', '.join(sorted(set(known)))}.")
        self.options = [f"--partition={partition}"] if partition else []
        settings = dict(line.split("=", 1) for line in call("scontrol", "show", "config").splitlines() if "=" in line)
        settings = {name.strip(): value.strip() for name, value in settings.items()}
        self.most = min(MOST, int(settings["MaxArraySize"]) - 1)  # tasks of an array
        if self.most < 1:
            raise Refused("This Slurm takes no job arrays: its MaxArraySize is 0.")
        self.counts_memory = "MEMORY" in settings.get("SelectTypeParameters", "").upper()

    def submit(self, name, command, count, logs, memory, without=""):
        """An array of so many tasks, each of which runs the command on one processor. Returns the number of the job.
        `memory`: megabytes of each; `without`: a node on which it must not run."""
        options = [f"--array=0-{count - 1}", f"--job-name={name}", f"--output={logs}/%A_%a", "--parsable", "--no-requeue",
                   "--ntasks=1", "--cpus-per-task=1", *self.options]
        if self.counts_memory and not {"SBATCH_MEM_PER_CPU", "SBATCH_MEM_PER_NODE"} & os.environ.keys():
            options.append(f"--mem={memory}")
        if without and self.has_others(without):
            options.append(f"--exclude={without}")
        return call("sbatch", *options, f"--wrap=exec {shlex.join(command)}").strip().split(";")[0]

    def has_others(self, node):
        """Whether another node can run something."""
        nodes = [line.split() for line in call("sinfo", "--noheader", "--Node", "--format=%N %t", *self.options).splitlines()]
        return any(other != node and state.startswith(USABLE) for other, state in nodes)

    @staticmethod
    def tasks(name):
        """{(job, index): (state, node, reason)} of all jobs of this name that Slurm remembers."""
        listed = call("squeue", f"--user={os.getuid()}", f"--name={name}", "--noheader", "--array", "--states=all",
                      "--format=%F|%K|%T|%N|%r")
        rows = [line.split("|") for line in listed.splitlines()]
        return {(job, int(index)): (state, node, reason) for job, index, state, node, reason in rows if index.isdigit()}

    @classmethod
    def cancel(cls, name, within=60):
        """Cancels all jobs of this name, and waits until they have ended. Returns how many have not."""
        end = time.monotonic() + within
        while True:
            call("scancel", f"--user={os.getuid()}", f"--name={name}")
            left = sum(state in LIVE for state, _, _ in cls.tasks(name).values())
            if not left or time.monotonic() > end:
                return left
            time.sleep(1)
