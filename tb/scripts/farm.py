#!/usr/bin/env python3
# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""The farm (scripts/run/farm.py) on a cluster of Slurm that each case starts: two nodes on this machine, all on the loopback interface.

  farm.py BUILD CASE   runs one case
  farm.py --list       the names of all cases, but for those that need Yosys

Without Slurm a case is skipped; scripts/run/setup.sh farm installs it.
"""

import contextlib
import io
import json
import os
import pathlib
import pwd
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ElementTree

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts/common"))

import root  # noqa: F401, finds the scripts
import ctest_farm
import farm
import mutate
import results
import slurm

SKIPPED = 77
NODES = ("one", "two")
PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch")
LOST = 4  # seconds after which Slurm takes a silent node to be down
CONFIG = """\
ClusterName=muster
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmUser={user}
SlurmdUser={user}
AuthInfo=socket={folder}/munge.socket
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool.%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
SchedulerType=sched/builtin
SchedulerParameters=batch_sched_delay=0,sched_interval=1
SlurmdTimeout={lost}
KillWait=1
MessageTimeout=2
MinJobAge=10
MaxArraySize=11
SlurmdParameters=config_overrides
NodeName=one NodeHostname=localhost NodeAddr=127.0.0.1 Port={ports[1]} CPUs=2 RealMemory=4000
NodeName=two NodeHostname=localhost NodeAddr=127.0.0.1 Port={ports[2]} CPUs=2 RealMemory=4000
PartitionName=work Nodes=one,two Default=YES State=UP
PartitionName=other Nodes=one State=UP
"""


def expect(condition, message):
    if not condition:
        sys.exit(message)


def until(condition, what, seconds=60):
    end = time.monotonic() + seconds
    while not condition():
        expect(time.monotonic() < end, f"not within {seconds} s: {what}")
        time.sleep(0.1)


def free_ports(count):
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]


class Cluster:
    """Slurm with two nodes; everything that it has is in a folder, and everything that it has started ends with it."""

    def __init__(self):
        os.environ["PATH"] += ":/usr/sbin:/sbin"
        missing = [program for program in PROGRAMS if not shutil.which(program)]
        if missing:
            print(f"skipped: there is no {missing[0]} here; scripts/run/setup.sh farm installs Slurm")
            sys.exit(SKIPPED)

    def __enter__(self):
        for last in (False, False, True):  # another process may take a port that was free
            self.folder = pathlib.Path(tempfile.mkdtemp(prefix="muster-farm."))
            self.folder.chmod(0o755)
            try:
                self.start()
                return self
            except BaseException as problem:
                self.stop()
                if last or not isinstance(problem, SystemExit):
                    raise
        return None

    def __exit__(self, *_):
        self.stop()

    def start(self):
        folder = self.folder
        self.config = folder / "slurm.conf"
        self.config.write_text(CONFIG.format(folder=folder, host=socket.gethostname().split(".")[0], ports=free_ports(3),
                                             user=pwd.getpwuid(os.getuid()).pw_name, lost=LOST))
        for name in ("state", *(f"spool.{node}" for node in NODES)):
            (folder / name).mkdir()
        key = folder / "munge.key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o600)
        os.environ["SLURM_CONF"] = str(self.config)
        self.daemon("munged", "--force", f"--key-file={key}", f"--socket={folder}/munge.socket", f"--pid-file={folder}/munged.pid",
                    f"--log-file={folder}/munged.log", f"--seed-file={folder}/munged.seed", "--num-threads=2")
        self.daemon("slurmctld")
        for node in NODES:
            self.daemon("slurmd", "-N", node)
        until(lambda: subprocess.run(["sinfo", "--noheader", "--Node", "--format=%t", "--partition=work"], capture_output=True,
                                     text=True).stdout.split() == ["idle"] * 2, "two idle nodes", 30)
        farm.FARM = folder / "farm"

    def daemon(self, *command):
        done = subprocess.run(command, capture_output=True, text=True, cwd=self.folder)
        expect(done.returncode == 0, f"{command[0]} does not start: {done.stderr}")

    def processes(self, sign):
        """Those that have it in their environment, or a file open whose path has it."""
        found = []
        for process in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                signs = (process / "environ").read_bytes().decode(errors="replace").split("\0")
                signs += [os.readlink(link) for link in (process / "fd").iterdir()]
            except OSError:
                continue
            if any(str(self.folder) in one for one in signs) and any(sign in one for one in signs):
                found.append(int(process.name))
        return [number for number in found if number != os.getpid()]

    def kill(self, sign):
        for number in self.processes(sign):
            with contextlib.suppress(ProcessLookupError):
                os.kill(number, signal.SIGKILL)

    def kill_node(self, node):
        """With all that runs on it, at once; so also what is about to begin."""
        self.kill(f"slurmd.{node}.log")
        while self.processes(f"SLURMD_NODENAME={node}"):
            self.kill(f"SLURMD_NODENAME={node}")

    def cut_off(self, node):
        """The node is silent from now on; what runs on it goes on."""
        os.kill(int((self.folder / f"slurmd.{node}.pid").read_text()), signal.SIGKILL)

    def stop(self):
        end = time.monotonic() + 20
        while self.processes(str(self.folder)) and time.monotonic() < end:
            self.kill(str(self.folder))
            time.sleep(0.1)
        shutil.rmtree(self.folder, ignore_errors=True)


# ------------------------------------------------------------------------------------------------
# Tasks that a case makes up
# ------------------------------------------------------------------------------------------------

# Each run of a task is a line of the ledger, when it begins: name, node, process.
BEGIN = 'echo "$1 $SLURMD_NODENAME $$" >> "$2"; '


def made_up(cluster, count, script):
    """Tasks of a shell script whose $1 is the task's number, $2 the ledger, $3 the result."""
    return [farm.Task(f"task.{number}", ("sh", "-c", BEGIN + script, "sh", str(number), str(cluster.folder / "ledger"), farm.RESULT))
            for number in range(1, count + 1)]


def ledger(cluster):
    """[(number, node, process)] of each run that has begun."""
    file = cluster.folder / "ledger"
    return [tuple(line.split()) for line in file.read_text().splitlines()] if file.exists() else []


def run(tasks, partition="work"):
    """The outcomes, and what was printed."""
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        outcomes = farm.Farm("made-up", slurm.Slurm(partition), 100).run(tasks, [__file__])
    return outcomes, said.getvalue()


def begun(cluster, count, script):
    """The same in a process of its own, which can be stopped."""
    tasks = [[task.name, *task.command] for task in made_up(cluster, count, script)]
    program = ("import sys, json, pathlib; sys.path.insert(0, sys.argv[1]); import root, farm, slurm; farm.FARM = pathlib.Path(sys.argv[2]); "
               "tasks = [farm.Task(name, tuple(words)) for name, *words in json.loads(sys.argv[3])]; "
               "print(len(farm.Farm('made-up', slurm.Slurm('work'), 100).run(tasks, [sys.argv[4]])))")
    return subprocess.Popen([sys.executable, "-c", program, str(ROOT / "scripts/common"), str(farm.FARM), json.dumps(tasks), __file__],
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def ended(process, seconds=100):
    """What a process says up to its end."""
    try:
        return process.communicate(timeout=seconds)[0]
    except subprocess.TimeoutExpired:
        process.kill()
        sys.exit(f"not ended within {seconds} s: {process.communicate()[0]}")


def results_of(outcomes):
    return sorted(int(outcome.result()) for outcome in outcomes.values())


def queue():
    """What Slurm has not ended."""
    return slurm.call("squeue", "--noheader").splitlines()


CASES, WITH_YOSYS = {}, {}


def case(function):
    CASES[function.__name__] = function
    return function


def needs_yosys(function):
    WITH_YOSYS[function.__name__] = function
    return function


@case
def node_killed(build):
    """A node is killed in the middle of a run, with all that runs on it: nothing is lost, and nothing counts twice."""
    with Cluster() as cluster:
        count = 24  # more than two arrays may have
        script = 'while [ $SLURMD_NODENAME = two ] && [ "$1" -gt 6 ]; do sleep 0.2; done; sleep 0.3; echo "$1" > "$3"'
        process = begun(cluster, count, script)

        def stuck():
            return {number for number, node, _ in ledger(cluster) if node == "two" and int(number) > 6}
        until(lambda: len(stuck()) == 2, "two tasks that end with node two")
        cluster.kill_node("two")
        said = ended(process)
        expect(process.returncode == 0 and said.endswith(f"\n{count}\n"), said)
        runs = [number for number, _, _ in ledger(cluster)]
        expect(sorted(map(int, runs)) == sorted([*range(1, count + 1), *map(int, stuck())]), f"each runs once, the lost ones twice: {runs}")
        for number in stuck():
            expect(f"task.{number} passed on one; before, it was lost on two (NODE_FAIL)" in said, f"{number}: {said}")
        outcomes, _ = run(made_up(cluster, count, script))  # takes the results that there are
        expect(results_of(outcomes) == list(range(1, count + 1)), "each result is there once")
        expect(len(ledger(cluster)) == len(runs), "and none was made again")


@case
def node_cut_off(build):
    """A node is silent, and what runs there goes on: its results come after those of the second attempts, and count for nothing."""
    with Cluster() as cluster:
        count = 12
        script = 'while [ $SLURMD_NODENAME = two ] && [ ! -e "$2.go" ]; do sleep 0.2; done; sleep 0.3; echo $SLURMD_NODENAME > "$3"'
        process = begun(cluster, count, script)
        until(lambda: sum(node == "two" for _, node, _ in ledger(cluster)) == 2, "two tasks on node two")
        cluster.cut_off("two")
        said = ended(process)
        expect(process.returncode == 0, said)
        (cluster.folder / "ledger.go").touch()
        late = [name for name, node, _ in ledger(cluster) if node == "two"]
        inbox = next(farm.FARM.glob("made-up/*/inbox"))
        until(lambda: {path.name for path in inbox.glob("*.json")} >= {f"task.{name}.json" for name in late}, "late results", 20)
        outcomes, _ = run(made_up(cluster, count, script))
        expect([outcome.result() for outcome in outcomes.values()] == ["one\n"] * count, "results of node one")
        expect(not list(inbox.glob("*.json")), "the late ones are gone")


@case
def controller_restarted(build):
    """Slurm's controller is gone for a while: the run waits, says so, and ends as ever."""
    with Cluster() as cluster:
        process = begun(cluster, 12, 'sleep 0.5; echo "$1" > "$3"')
        until(lambda: len(ledger(cluster)) >= 4, "four tasks")
        os.kill(int((cluster.folder / "slurmctld.pid").read_text()), signal.SIGTERM)
        until(lambda: not cluster.processes("slurmctld.log"), "the controller's end")
        time.sleep(3)
        cluster.daemon("slurmctld")
        said = ended(process)
        expect(process.returncode == 0 and said.endswith("\n12\n"), said)
        runs = [int(number) for number, _, _ in ledger(cluster)]
        expect(sorted(runs) == list(range(1, 13)), f"each runs once: {runs}")


@case
def retried_elsewhere(build):
    """What fails on one node passes on the other, and is reported; what fails on both is reported with what it said."""
    with Cluster() as cluster:
        script = 'case $1 in 3) echo says this; exit 9;; 5) exit 0;; 1|2) ;; *) mkdir "$2.$1" 2>/dev/null && exit 1;; esac; echo "$1" > "$3"'
        outcomes, said = run(made_up(cluster, 10, script))
        nodes = {number: [node for one, node, _ in ledger(cluster) if one == number] for number in map(str, range(1, 11))}
        expect([len(some) for some in nodes.values()] == [1, 1, 2, 2, 1, 2, 2, 2, 2, 2], str(nodes))
        expect(all(set(some) == set(NODES) for some in nodes.values() if len(some) == 2), f"the second attempt is elsewhere: {nodes}")
        bad, flaky = outcomes["task.3"], outcomes["task.4"]
        expect(not bad.passed and bad.code == 9 and bad.output == "says this\n" and "says this" in bad.before[0], str(bad))
        expect(flaky.passed and flaky.before == [f"failed on {nodes['4'][0]} (exit code 1)"], str(flaky))
        expect(f"task.4 passed on {nodes['4'][1]}; before, it failed on {nodes['4'][0]}" in said and "task.3 failed (exit code 9)" in said, said)
        expect(outcomes["task.5"].result() is None and outcomes["task.1"].result() == "1\n", "a task that leaves nothing has no result")
        outcomes, _ = run(made_up(cluster, 2, 'mkdir "$2.$1" && exit 1; echo "$1" > "$3"'), "other")
        expect(results_of(outcomes) == [1, 2], "without another node the second attempt is on the same one")


@case
def cancelled(build):
    """Ctrl-C ends the run, and all of it that is queued; the next run has the results, and does the rest."""
    with Cluster() as cluster:
        script = 'sleep 1; echo "$1" > "$3"'
        process = begun(cluster, 16, script)
        until(lambda: len(list(farm.FARM.glob("made-up/*/results/*.json"))) >= 4, "four results")
        process.send_signal(signal.SIGINT)
        said = ended(process)
        expect(process.returncode == 130 and (match := re.search(r"Cancelled: (\d+) of 16 shards have results, with which", said)), said)
        expect(not queue(), f"still queued: {queue()}")
        kept = [int(path.name.split(".")[1]) for path in farm.FARM.glob("made-up/*/results/*.json")]
        expect(len(kept) == int(match[1]) < 16, f"{kept} were kept; {said}")
        before = len(ledger(cluster))
        outcomes, said = run(made_up(cluster, 16, script))
        expect(f"{len(kept)} of 16 shards have results of before" in said and results_of(outcomes) == list(range(1, 17)), said)
        again = {int(number) for number, _, _ in ledger(cluster)[before:]}
        expect(again == set(range(1, 17)) - set(kept), "exactly those without a result ran again")


@case
def killed(build):
    """The run is killed: the next one cancels what that has queued, and goes on. If the tasks are others, it begins anew."""
    with Cluster() as cluster:
        script = 'sleep 1; echo "$1" > "$3"'
        process = begun(cluster, 16, script)
        until(lambda: len(list(farm.FARM.glob("made-up/*/results/*.json"))) >= 2, "two results")
        process.kill()
        process.wait()
        expect(queue(), "expected something to be queued")
        outcomes, said = run(made_up(cluster, 16, script))
        expect("of 16 shards have results of before" in said and results_of(outcomes) == list(range(1, 17)), said)
        runs = [number for number, _, _ in ledger(cluster)]
        expect(len(runs) <= 16 + 4, f"{len(runs)} runs of 16 tasks, of which 4 at a time were running")
        outcomes, said = run(made_up(cluster, 3, 'echo "10$1" > "$3"'))
        expect("of before" not in said and results_of(outcomes) == [101, 102, 103], said)
        expect(len(list(farm.FARM.glob("made-up/*"))) == 1, "of other tasks nothing is kept")


@case
def built_anew(build):
    """A program that is built anew while the run is under way leaves no result."""
    with Cluster() as cluster:
        program = cluster.folder / "program"
        program.write_text("one")
        task = farm.Task("a", ("sh", "-c", f"echo two > {program}; echo done > {{result}}"))
        with contextlib.redirect_stdout(io.StringIO()):
            outcome = farm.Farm("made-up", slurm.Slurm(), 100).run([task], [program])["a"]
        expect(not outcome.passed and outcome.result() is None and "has been built anew since" in outcome.output, str(outcome))


@case
def bad_input(build):
    """One sentence and exit code 2, before anything is built."""
    def refused(words, says, **environment):
        done = subprocess.run(["make", "-C", ROOT, "SETUP=no", *words], env=os.environ | environment, text=True, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        lines = [line for line in done.stdout.splitlines() if not re.match(r"make(\[\d+\])?: ", line)]  # make test has another make
        expect(done.returncode == 2 and len(lines) == 1 and re.search(says, lines[0]), f"{words}: {done.stdout}")
    done = subprocess.run(["make", "-C", ROOT, "-n", "test", "regress"], text=True, capture_output=True)
    expect(done.returncode == 0 and "--cluster" not in done.stdout, f"without a cluster: {done}")
    for target in ("regress", "mutate", "formal", "run"):
        refused([target, "CLUSTER=pbs"], "There is no cluster 'pbs'; there are slurm.")
    refused(["test", "CLUSTER=slurm"], r"test takes no CLUSTER=; regress mutate formal run do\.")
    refused(["regress", "PARTITION=work"], "PARTITION= needs CLUSTER=slurm")
    with tempfile.TemporaryDirectory() as folder:
        for program in ("make", "sh", "bash", "env", "python3", "nproc"):
            (pathlib.Path(folder) / program).symlink_to(shutil.which(program))
        refused(["regress", "CLUSTER=slurm"], "There is no sbatch here, so Slurm is not installed; scripts/run/setup.sh farm installs it", PATH=folder)
    with Cluster() as cluster:
        refused(["formal", "CLUSTER=slurm", "PARTITION=night"], "There is no partition 'night'; there are other, work.")
        done = subprocess.run([ROOT / "scripts/run/ctest.py", "--build", build, "--seeds", "9-3", "--cluster", "slurm"], text=True, capture_output=True)
        expect(done.returncode == 2 and done.stderr == "SEEDS=9-3: neither a number of seeds nor a range such as 3-8.\n", str(done))
        cluster.kill("slurmctld.log")
        refused(["run", "CLUSTER=slurm"], "sinfo says: ", SLURM_CONF=str(cluster.config))


def config_of(build):
    """A configuration of the build folder."""
    commands = filter(None, ctest_farm.listed(build, None, "regress").values())
    return next(command[command.index("--config") + 1] for command in commands if "--config" in command)


@case
def regression(build):
    """Four seeds of a configuration, a task each: what it leaves is what a local run leaves, but for the times."""
    with Cluster() as cluster:
        config = config_of(build)
        with contextlib.redirect_stdout(io.StringIO()):
            code = ctest_farm.regress(build, "3-6", slurm.Slurm("work"), cycles="3000", out=cluster.folder, size=1, only=config)
        local = cluster.folder / "local.json"
        done = subprocess.run([build / "tb/lockstep/regress", "--config", config, "--seeds", "3-6", "--cycles", "3000", "--json", local],
                              capture_output=True, text=True)
        expect(code == done.returncode == 0, f"exit codes {code}, {done.returncode}")

        def timeless(path):
            found = json.loads(path.read_text())
            found["configs"][config].pop("seconds")
            return found
        expect(timeless(cluster.folder / "regress.json") == timeless(local), "expected the same results")
        suite = results.suite_of(cluster.folder / "regress.xml", "make regress")
        expect([(test.name, test.state) for test in suite.tests] ==
               [(f"regress.{config}.{shard}", "passed") for shard in range(1, 5)] + [("regress.cover", "passed")], str(suite))


@case
def kernels(build):
    """Three kernels, one of which does not fit: what it leaves is what `muster suite` leaves."""
    config = config_of(build)
    if config == "full":
        print("skipped: every kernel fits the configuration full")
        sys.exit(SKIPPED)
    with Cluster() as cluster:
        folder = cluster.folder / "kernels"
        for name in ("block_sum", "deadlock", "cluster_reduction"):
            shutil.copytree(ROOT / "sim/kernels" / name, folder / name)
        manifest = folder / "block_sum/block_sum.json"
        large = json.loads(manifest.read_text()) | {"block": [2048, 1, 1]}
        manifest.with_name("large.json").write_text(json.dumps(large))
        options = ["--config", config]
        found = []
        for program in ([ROOT / "scripts/run/suite.py", "--cluster", "slurm", "--muster", build / "sim/app/muster"], [build / "sim/app/muster", "suite"]):
            names = [cluster.folder / name for name in ("run.json", "run.xml")]
            done = subprocess.run([*program, folder, *options, "--json", names[0], "--junit", names[1]], text=True, capture_output=True)
            expect(" failed (" not in done.stdout, f"what does not fit has not failed: {done.stdout}")
            rows = [{key: row[key] for key in ("kernel", "passed", "fits", "expected", "exit_code")} for row in json.loads(names[0].read_text())]
            suite = ElementTree.parse(names[1]).getroot()
            kernel_lines = [re.sub(r" +\S+ kHz", "", line) for line in done.stdout.splitlines() if " cycles " in line]
            found.append((done.returncode, rows, kernel_lines, [suite.get(name) for name in ("tests", "failures", "skipped")],
                          [one.get("name") for one in suite.iter("testcase")]))
        expect(found[0] == found[1], f"{found[0]}\n{found[1]}")
        expect(found[0][0] == 0 and sorted((row["passed"], row["fits"]) for row in found[0][1]) == [(False, False), *[(True, True)] * 3], str(found[0]))


@case
def mutants(build):
    """Six generated mutants, on the model that mutate.sample has built: caught, or not, as in a local run."""
    model = mutate.Model("unit", "small", quick=True)
    if not all(program.exists() for program in model.programs()):
        print("skipped: the model of mutate.sample has not been built")
        sys.exit(SKIPPED)
    with Cluster() as cluster:
        model.limits = dict.fromkeys(model.attempts, 60)
        model.runs = cluster.folder
        mutate.TOGETHER = 2
        chosen = mutate.choose(json.loads((ROOT / "build/mutate.quick.json").read_text())["mutants"], 6, 1, (1, 1))
        chosen = [{key: value for key, value in mutant.items() if key not in ("caught by", "stage")} for mutant in chosen]
        rows = mutate.Results()
        with contextlib.redirect_stdout(io.StringIO()):
            mutate.spread(chosen, model, rows, slurm.Slurm())
            here = mutate.Results()
            mutate.settle(chosen, model, here)
        expect(rows.rows == here.rows and len(here.rows) == 6, str(rows.rows))


@needs_yosys
def proofs(build):
    """A proof: its rows, and its line of JUnit."""
    with Cluster() as cluster:
        ctest_farm.formal.ROWS, ctest_farm.PROOF_MEMORY = cluster.folder, 1000
        with contextlib.redirect_stdout(io.StringIO()):
            code = ctest_farm.proofs(build, "proof", slurm.Slurm(), "Proofs", r"^proof\.ram$", out=cluster.folder)
        rows = json.loads((cluster.folder / "ram.json").read_text())
        expect(code == 0 and rows and not any(row["problems"] for row in rows), str(rows))
        expect([test.name for test in results.suite_of(cluster.folder / "proof.xml", "make formal").tests] == ["proof.ram"], "a test")


def main():
    if sys.argv[1] == "--list":
        print("\n".join(CASES))
        return
    (CASES | WITH_YOSYS)[sys.argv[2]](pathlib.Path(sys.argv[1]))


if __name__ == "__main__":
    main()
