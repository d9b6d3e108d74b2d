#!/usr/bin/env python3
# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""Shows that wrong variants are caught.

Each row of tb/mutants/rtl.toml makes the unit wrong: it must still pass a plain sync of all warps, or
in rtl/mbarrier a plain arrive and wait, and the regression must catch it, or the unit tests of the
mbarrier block. In rtl/warp it must pass a plain bar.warp.sync, in rtl/atomics a plain add, in rtl/cluster a plain
barrier.cluster, in rtl/common/muster_fence_tracker.sv a plain fence, and the unit tests of that block must catch it. In rtl/muster_gpc.sv and its unit, which are wiring,
the regression of the GPC must. Each row of tb/mutants/golden.toml makes the golden model wrong, and tb/golden alone
must catch it; each of tb/mutants/explore.toml makes the analysis or the search of other orders wrong, and the litmus
tests, the oracle or the kernels must; each of tb/mutants/litmus.toml makes the memory model of `muster litmus` wrong, and
tb/litmus must. A mutant that no test catches fails.

CTest runs this script once for each mutant, and with --none before those of a build
(tb/scripts/CMakeLists.txt); `make mutants` shows the page in the end.
"""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import time

from root import ROOT
import configs
import corners
import lock
import trees
import variants

TREE = ROOT / "build/mutants"  # a copy of the sources, in which the mutants are tried
DEFAULT_CONFIG = "small"
# The tests that must catch what is wrong in the golden model, in the analysis of other orders, or in the memory model.
TESTS = {"golden": ("tb/golden/golden_test",),
         "explore": ("tb/explore/litmus_test", "tb/explore/chance_test", "tb/explore/oracle_test", "tb/explore/async_oracle_test",
                     "tb/explore/agree_test", "tb/explore/kinds_test"),
         "litmus": ("tb/litmus/litmus_model_test", "tb/litmus/litmus_naive_test")}
# The unit tests of a block, and the plain one among them.
BLOCKS = {"mbarrier": ("mb_test", "Mbarrier.PlainArriveAndWait"), "warp": ("warp_test", "Warp/*.OnePerCycle"),
          "atomics": ("atomics_test", "Atomics/*.PlainAdd"), "cluster": ("cluster_test", "ClusterBarrier/*.Plain"),
          "fence": ("fence_test", "Tracker.FenceWaitsForWhatIsOutstanding")}
PATHS = {"fence": "rtl/common/muster_fence_tracker"}  # how those begin of a block that is no folder
ALONE = ("warp", "atomics", "cluster", "fence")  # blocks that the regression does not reach
GPCS = ("gpc_small", "gpc_bare")  # with units of the default configuration; the first if a row names none
# Attempts of the regression to catch a mutant: seeds, cycles of each.
ATTEMPTS = [("1-4", 2000), ("1-8", 20000), ("1-10", 100000)]
KINDS = ("rtl", "golden", "explore", "litmus")  # tables of tb/mutants
ROWS = TREE / "rows"  # the results, a file for each mutant


class Mutant:
    def __init__(self, kind, variant):
        self.kind, self.variant, self.name = kind, variant, variant.full_name
        self.block = next((block for block in BLOCKS
                           if any(file.startswith(PATHS.get(block, f"rtl/{block}/")) for file in variant.files)), None)
        self.of_gpc = any(path.startswith(("rtl/muster_gpc", "rtl/muster_remote_split")) for path in variant.files)
        self.gpc = variant.config if variant.config in GPCS else GPCS[0]
        self.config = DEFAULT_CONFIG if variant.config in GPCS else variant.config or DEFAULT_CONFIG
        self.checker = variant.checker
        self.caught_by = None
        self.cycles = None
        self.report = None  # of the mismatch that caught it
        self.problem = None

    @property
    def build(self):
        """What is built to try it: a configuration, and the tests of the mbarrier block, or the tests of the
        golden model or of a scope that stands alone."""
        if self.kind in TESTS or self.block in ALONE:
            return self.block or self.kind
        if self.of_gpc:
            return self.gpc
        return f"{self.config}.mbarrier" if self.block else self.config

    def row(self):
        return {"mutant": self.name, "what is wrong": self.variant.wrong, "caught by": self.caught_by,
                "cycles": self.cycles, "config": self.config if self.build.startswith(self.config) else None,
                "problem": self.problem}


def run(*command, folder=TREE):
    return subprocess.run(list(map(str, command)), cwd=folder, env=os.environ | {"MUSTER_LONG": "1"}, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def build(config, *targets):
    folder = f"build-{config}"
    environment = os.environ | {"BUILD": folder}
    if not (TREE / folder / "build.ninja").exists():
        # Compiling takes longer than the runs, which end with the first mismatch.
        environment["CMAKE_OPTIONS"] = f"-DMUSTER_CONFIGS={config} -DMUSTER_UNIT_OPTIONS=-O1"
        corner = (corners.every() | corners.quick()).get(config)
        if corner:
            (TREE / folder).mkdir(exist_ok=True)
            (TREE / folder / "configs.json").write_text(configs.text_of({config: corner}))
            environment["CMAKE_OPTIONS"] += f" -DMUSTER_ANY_CONFIG=ON -DMUSTER_CONFIGS_FILE={folder}/configs.json"
    done = subprocess.run([TREE / "scripts/run/build.sh", *targets], cwd=TREE, env=environment, text=True,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return None if done.returncode == 0 else done.stdout


def regress(config, seeds, cycles, gpc=None):
    """The mismatches that these seeds find of a configuration, or of a GPC of such units, the earliest first. That
    a run commits too little, which has no name among them, says nothing of one so short."""
    folder = TREE / f"build-{config}"
    report = folder / "mutant.json"
    report.unlink(missing_ok=True)
    program = folder / (f"tb/gpc/{gpc}_regress" if gpc else "tb/lockstep/regress")
    run(program, "--config", gpc or config, "--seeds", seeds, "--cycles", cycles, "--json", report, folder=ROOT)
    mismatches = json.loads(report.read_text())["mismatches"]
    return sorted((found for found in mismatches if found["what"]), key=lambda found: found["cycle"])


def failures(config, program, *options):
    """The names of the tests that fail."""
    tests = run(TREE / f"build-{config}" / program, "--gtest_brief=1", *options)
    failed = re.findall(r"^\[  FAILED  \] (\S+?)(?:,| \(|$)", tests.stdout, re.MULTILINE)
    return failed or ([f"{program}, exit code {tests.returncode}"] if tests.returncode else [])


def block_failures(mutant, *options):
    """The names of the tests of its block that fail."""
    return failures(mutant.config, f"tb/unit/{BLOCKS[mutant.block][0]}", *options)


def try_rtl(mutant):
    if mutant.of_gpc:
        failure = build(mutant.config, f"{mutant.gpc}_regress")
        if failure:
            mutant.problem = f"does not build:\n{failure}"
        else:
            regress_mutant(mutant, mutant.gpc)
        return
    test, plain = BLOCKS.get(mutant.block, (None, None))
    regressed = [] if mutant.block in ALONE else ["muster_bench", "regress"]
    failure = build(mutant.config, *regressed, *[test] * bool(test))
    if failure:
        mutant.problem = f"does not build:\n{failure}"
        return
    if test and block_failures(mutant, f"--gtest_filter={plain}"):
        mutant.problem = f"fails {plain}"
        return
    if regressed:
        plain = run(TREE / f"build-{mutant.config}" / "tb/bench/muster_bench", "--config", mutant.config,
                    "--sync-only")
        if plain.returncode:
            mutant.problem = f"fails a plain sync of all warps:\n{plain.stdout}"
            return
        regress_mutant(mutant)
    if test and not mutant.caught_by and not mutant.problem:
        mutant.caught_by = next(iter(block_failures(mutant, "--gtest_fail_fast")), None)


def regress_mutant(mutant, gpc=None):
    for seeds, cycles in ATTEMPTS:
        caught = regress(mutant.config, seeds, cycles, gpc)
        if caught:
            named = [found for found in caught if found["what"] == "assertion" and
                     f"tb/formal/{mutant.checker}.sv" in found["report"]]
            if mutant.checker and not named:
                mutant.problem = f"is not caught by {mutant.checker}, but so:\n{caught[0]['report']}"
                return
            caught = named or caught
            what = mutant.checker or caught[0]["what"]
            mutant.caught_by = f"regress, seed {caught[0]['seed']}: {what}"
            mutant.cycles = caught[0]["cycle"]
            mutant.report = caught[0]["report"]
            return


def build_tests(kind):
    return build(DEFAULT_CONFIG, *(pathlib.Path(test).name for test in TESTS[kind]))


def failures_of(kind):
    """The names of the tests that fail, of the first program of which some do."""
    return next(filter(None, (failures(DEFAULT_CONFIG, test) for test in TESTS[kind])), [])


def try_software(mutant):
    failure = build_tests(mutant.kind)
    if failure:
        mutant.problem = f"does not build:\n{failure}"
        return
    failed = failures_of(mutant.kind)
    if failed:
        more = len(set(failed)) - 1
        mutant.caught_by = failed[0] + (f" and {more} more" if more else "")


def attempt(mutant):
    try:
        wrong = mutant.variant.texts(TREE)
    except variants.Stale as stale:
        mutant.problem = str(stale)
        return
    right = {file: (TREE / file).read_text() for file in wrong}
    write(wrong)
    try:
        (try_rtl if mutant.kind == "rtl" else try_software)(mutant)
    finally:
        write(right)


def write(texts):
    for file, text in texts.items():
        (TREE / file).write_text(text)


def unsound(build_name):
    """What is wrong without any mutant, as a sentence: then nothing would be caught by a test."""
    if build_name in TESTS:
        failure = build_tests(build_name)
        if failure or failures_of(build_name):
            return failure or f"The tests of {build_name} fail without any mutant."
        return None
    config, _, block = build_name.partition(".")
    if build_name in ALONE:
        return unsound_block(DEFAULT_CONFIG, build_name)
    if build_name in GPCS:
        failure = build(DEFAULT_CONFIG, f"{build_name}_regress")
        found = [] if failure else regress(DEFAULT_CONFIG, *ATTEMPTS[-1], build_name)
        return failure or (f"Without any mutant, {build_name} has a mismatch:\n{found[0]['report']}" if found else None)
    failure = build(config, "muster_bench", "regress")
    if failure:
        return failure
    found = regress(config, *ATTEMPTS[-1])
    if found:
        return f"Without any mutant, {config} has a mismatch:\n{found[0]['report']}"
    return unsound_block(config, block) if block else None


def unsound_block(config, block):
    """The same of the unit tests of a block."""
    test = BLOCKS[block][0]
    failure = build(config, test)
    if failure or failures(config, f"tb/unit/{test}"):
        return failure or f"{test} fails without any mutant."
    return None


def every():
    """All mutants; of the unit, those of the default configuration first."""
    mutants = [Mutant(kind, variant) for kind in KINDS for variant in variants.of(kind)]
    return sorted(mutants, key=lambda mutant: mutant.kind == "rtl" and mutant.config != DEFAULT_CONFIG)


def page(rows):
    print(f"{'mutant':44} {'cycles':>8}  caught by")
    for row in rows:
        verdict = row["caught by"] or ("PROBLEM " if row["problem"] else "SURVIVES ") + row["what is wrong"]
        print(f"{row['mutant']:44} {'' if row['cycles'] is None else row['cycles']:>8}  {verdict}")
        if row["problem"]:
            print("    " + "\n    ".join(row["problem"].strip().split("\n")[-12:]))


def stale():
    """Why some variants do not apply, those for the proofs included."""
    for variant in variants.every():
        try:
            variant.texts()
        except variants.Stale as problem:
            yield str(problem)


def row_file(mutant):
    return ROWS / f"{mutant.name.replace('/', '.')}.json"


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawTextHelpFormatter)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("name", nargs="?", help="tries this one")
    what.add_argument("--none", metavar="BUILD", help="tries the build of some without any of them")
    what.add_argument("--list", action="store_true",
                      help="prints each name and its build")
    what.add_argument("--apply", action="store_true", help="tries whether each applies, and nothing else")
    what.add_argument("--page", action="store_true",
                      help="prints what was found out last, and writes build/mutants.json")
    parser.add_argument("--report", action="store_true",
                        help="of one that a regression catches: prints the mismatch in full, too")
    args = parser.parse_args()

    mutants = every()
    if args.list:
        for mutant in mutants:
            print(mutant.name, mutant.build)
        return
    if args.apply:
        sys.exit("".join(stale()) or 0)
    if args.page:
        rows = [json.loads(row_file(mutant).read_text()) for mutant in mutants if row_file(mutant).exists()]
        page(rows)
        caught = sum(bool(row["caught by"]) for row in rows)
        print(f"{caught} mutants caught, {len(rows) - caught} not, {len(mutants) - len(rows)} not tried")
        (ROOT / "build/mutants.json").write_text(json.dumps(rows, indent=2) + "\n")
        return
    lock.hold("build/mutants")
    trees.copy_to(TREE, trees.waive_all())
    if args.none:
        sys.exit(unsound(args.none))
    wanted = [mutant for mutant in mutants if mutant.name == args.name]
    if not wanted:
        parser.error(f"there is no mutant {args.name}; --list shows all")
    row_file(wanted[0]).unlink(missing_ok=True)
    if sys.stderr.isatty() or args.report:
        print(f"Building {wanted[0].build} with {wanted[0].name} in {TREE.relative_to(ROOT)}/; minutes, the first time", file=sys.stderr)
    attempt(wanted[0])
    ROWS.mkdir(parents=True, exist_ok=True)
    row_file(wanted[0]).write_text(json.dumps(wanted[0].row()))
    page([wanted[0].row()])
    if args.report and wanted[0].report:
        print("\n" + wanted[0].report.strip())
    sys.exit(not wanted[0].caught_by)


if __name__ == "__main__":
    main()
