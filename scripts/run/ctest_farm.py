# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""Tests that CTest lists, on a cluster: the regression, in many shards, and the proofs.

They leave the files that a local run leaves.
"""

import json
import os
import pathlib
import re
import shlex
import shutil
import socket
import subprocess
import time
import xml.etree.ElementTree as ElementTree

from root import ROOT
import farm
import formal

SEEDS = 10           # of a shard, at least
SHARDS = 400         # of a configuration, at most
REGRESS_MEMORY = 1000  # megabytes
PROOF_MEMORY = 6000


def listed(build, kind, label):
    """{name: command} of the tests with a label, as CTest knows them; None: its program has not been built."""
    command = ["ctest", "--test-dir", build, "--show-only=json-v1", "--label-regex", f"^{label}$", *(["--build-config", kind] if kind else [])]
    tests = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)["tests"]
    return {test["name"]: test.get("command") for test in tests}


def number_of(seeds):
    """How many seeds `10` or `3-8` are, or the end of the program with a sentence."""
    match = re.fullmatch(r"(\d+)(?:-(\d+))?", seeds)
    count = int(match[2]) - int(match[1]) + 1 if match and match[2] else int(match[1]) if match else 0
    return count if count > 0 else farm.end(f"SEEDS={seeds}: neither a number of seeds nor a range such as 3-8.")


def replaced(command, option, value):
    """A command with another value after an option."""
    at = command.index(option) + 1
    return [*command[:at], value, *command[at + 1:]]


def shards_of(tests, wanted, options):
    """The tasks of each group of shards that are put together: {name of the test that does so: tasks}. `wanted`: shards of each
    configuration."""
    groups = {}
    for name, command in tests.items():
        match = re.fullmatch(r"regress\.(\w+)\.1", name)
        if not match:
            continue
        whole = f"regress.cover.{match[1]}"
        for shard in range(1, wanted + 1):
            words = replaced(replaced(command, "--shard", f"{shard}/{wanted}"), "--json", farm.RESULT)
            groups.setdefault(whole if whole in tests else "regress.cover", []).append(farm.Task(f"{match[1]}.{shard}", (*words, *options)))
    return groups


def merge(command, group, outcomes, folder, out):
    """Puts the results of shards together, as the command of a test does that has other ones. Returns (exit code, what it said)."""
    lost = [task.name for task in group if outcomes[task.name].result() is None]
    files = []
    for task in group:
        file = folder / f"{task.name}.json"
        text = outcomes[task.name].result()
        if text is not None:
            file.write_text(text)
            files.append(str(file))
    if lost:
        return 1, f"No result of {', '.join(lost[:10])}{' and others' if len(lost) > 10 else ''}, so the shards were not put together.\n"
    whole = out / pathlib.Path(command[command.index("--json") + 1]).name
    words = replaced(command[:command.index("--merge") + 1], "--json", str(whole))
    done = subprocess.run([*words, *files], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.returncode, done.stdout


def regress(build, seeds, cluster, kind=None, cycles=None, out=None, size=SEEDS, only=None):
    """The regression of a build folder, whose results go to `out`, a folder (the same one). `size`: seeds of a shard, at least; `only`: the
    name of a configuration. Returns the exit code."""
    build = ROOT / build
    out = out or build
    wanted = min(SHARDS, -(-number_of(seeds) // size))
    cycles = cycles or os.environ.get("MUSTER_CYCLES")
    tests = {name: command for name, command in listed(build, kind, "regress").items()
             if not only or name.startswith(f"regress.{only}.") or name == "regress.cover"}
    missing = [name for name, command in tests.items() if not command]
    if missing or not tests:
        farm.end(f"{missing[0] if missing else 'The regression'} has not been built; scripts/run/build.sh regressions_large builds it.")
    groups = shards_of(tests, wanted, ["--seeds", seeds, *(["--cycles", cycles] if cycles else [])])
    tasks = [task for group in groups.values() for task in group]
    begun = time.time()
    run = farm.Farm("regress", cluster, REGRESS_MEMORY)
    outcomes = run.run(tasks, {task.command[0] for task in tasks})
    folder = out / "regress"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    suite = [case_of(f"regress.{task.name}", task, outcomes[task.name]) for task in tasks]
    for whole, group in groups.items():
        code, said = merge(tests[whole], group, outcomes, folder, out)
        print(f"\n{said}", end="", flush=True)
        suite.append(case(whole, code == 0, 0.0, said))
    junit(out / "regress.xml", suite, begun)
    run.forget()
    return closing(outcomes, suite)


def proofs(build, label, cluster, kind, only=None, out=None):
    """The proofs, or their mutants, of a build folder; `out`: the folder of what CTest writes (the same one). Returns the exit code."""
    tests = {name: command for name, command in listed(ROOT / build, kind, label).items()
             if (not only or re.search(only, name)) and not name.startswith("farm.")}  # which would be a farm within the farm
    if not tests:
        farm.end(f"There is no test with {only} in its name.", 1)
    ours = {name: command for name, command in tests.items() if command[-2] in ("--proof", "--mutant")}  # others leave no rows
    tasks = [farm.Task(name, ("env", f"LIMIT={formal.LIMIT}", *command) + (("--work", farm.SCRATCH, "--json", farm.RESULT) if name in ours else ()))
             for name, command in tests.items()]
    sources = [file for top in ("rtl", "tb/formal") for file in (ROOT / top).rglob("*") if file.is_file()]
    begun = time.time()
    run = farm.Farm(label, cluster, PROOF_MEMORY, what="proofs" if label == "proof" else "mutants")
    outcomes = run.run(tasks, [*sources, ROOT / "tb/mutants/formal.toml", ROOT / "scripts/check/formal.py"])
    for name, command in ours.items():
        file = formal.rows_file(*command[-2:])
        file.unlink(missing_ok=True)
        text = outcomes[name].result()
        if text is not None:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
    suite = [case_of(task.name, task, outcomes[task.name]) for task in tasks]
    junit((out or ROOT / build) / f"{label}.xml", suite, begun)
    run.forget()
    return closing(outcomes, suite)


def case(name, passed, seconds, output, skipped=""):
    """A test as CTest writes it. `skipped`: why it was not run."""
    element = ElementTree.Element("testcase", name=name, classname=name, time=f"{seconds:.3f}",
                                  status="disabled" if skipped else "run" if passed else "fail")
    if skipped:
        ElementTree.SubElement(element, "skipped", message=skipped)
    elif not passed:
        ElementTree.SubElement(element, "failure", message="Failed")
    ElementTree.SubElement(element, "system-out").text = "".join(c for c in output if c >= " " or c in "\n\t")
    return element


def case_of(name, task, outcome, skipped=""):
    """That of a task; a failure ends with its command."""
    said = [*outcome.before, outcome.output.strip()]
    if not outcome.passed:
        words = [str(word).replace(farm.RESULT, "result.json").replace(farm.SCRATCH, "build/again") for word in task.command]
        said += [f"{outcome.node or 'nowhere'}: {farm.ending(outcome.code)}", shlex.join(words).replace(f"{ROOT}/", "")]
    return case(name, outcome.passed, outcome.seconds, "\n".join(filter(None, said)), skipped)


def junit(path, cases, begun):
    def count(status):
        return str(sum(one.get("status") == status for one in cases))
    suite = ElementTree.Element("testsuite", name="farm", tests=str(len(cases)), failures=count("fail"), disabled=count("disabled"),
                                skipped=count("disabled"), hostname=socket.gethostname(), time=f"{time.time() - begun:.0f}",
                                timestamp=time.strftime("%Y-%m-%dT%H:%M:%S", time.localtime(begun)))
    suite.extend(cases)
    ElementTree.indent(suite)
    farm.written(path, ElementTree.tostring(suite, encoding="unicode", xml_declaration=True) + "\n")


def closing(outcomes, suite):
    """Says what has failed, and what passed only elsewhere. Returns the exit code."""
    for outcome in outcomes.values():
        if not outcome.passed:
            print(f"\n{outcome.name} failed ({farm.ending(outcome.code)}) on {outcome.node or 'no node'}:")
            print("\n".join([*outcome.before, *outcome.output.strip().splitlines()[-farm.SHOWN:]]))
        elif outcome.before:
            print(f"\n{outcome.name} passed on {outcome.node}; before, it {outcome.before[0]}")
    failed = sum(one.get("status") == "fail" for one in suite)
    print(f"\n{len(suite) - failed} of {len(suite)} tests passed, {failed} failed", flush=True)
    return int(failed > 0)
