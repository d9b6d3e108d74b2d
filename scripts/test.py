#!/usr/bin/env python3
# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""Everything that must pass before a merge, stage by stage; the last line counts it all.

Each stage writes a JUnit file, and build/test.xml joins them. Arguments name the stages to run.
"""

import os
import pathlib
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree

import lock

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build"
JOBS = os.environ.get("JOBS", str(os.cpu_count()))

# Name, command, and whether the command's own output is worth showing when all is well.
STAGES = {
    "tests": (["ctest", "--test-dir", "build", "-j", JOBS, "--output-on-failure",
               "--output-junit", BUILD / "tests.xml"], False),
    "kernels": (["build/sim/app/muster", "suite", "sim/kernels", "--json", BUILD / "run.json",
                 "--junit", BUILD / "kernels.xml"], True),
    "regress": (["build/tb/lockstep/regress", "--seeds", "10", "--jobs", JOBS,
                 "--json", BUILD / "regress.json", "--junit", BUILD / "regress.xml"], True),
    "corners": (["scripts/corners.py", "--quick", "--seeds", "3", "--junit", BUILD / "corners.xml"],
                True),
    "mutants": (["scripts/mutants.py", "--count", "3", "--junit", BUILD / "mutants.xml"], True),
    "testplan": (["scripts/check_testplan.py", "--junit", BUILD / "testplan.xml"], False),
}


def run_stage(name):
    """Returns the JUnit suites of the stage; one that ends without its file has one failure."""
    command, show = STAGES[name]
    junit = BUILD / f"{name}.xml"
    junit.unlink(missing_ok=True)
    print(f"-- {name}", flush=True)
    done = subprocess.run(command, cwd=ROOT, stdin=subprocess.DEVNULL, text=True,
                          stdout=None if show else subprocess.PIPE,
                          stderr=None if show else subprocess.STDOUT)
    if done.returncode and not show:
        print(done.stdout)
    suites = ElementTree.parse(junit).getroot().iter("testsuite") if junit.exists() else []
    suites = [suite for suite in suites if suite.find("testcase") is not None]
    if not suites or (done.returncode and not any(map(failures, suites))):
        suites.append(crash(name, f"exit code {done.returncode} of: {' '.join(map(str, command))}"))
    for suite in suites:
        suite.set("name", f"{name}.{suite.get('name')}" if suite.get("name") else name)
    return suites


def crash(name, what):
    suite = ElementTree.Element("testsuite", name=name, tests="1", failures="1")
    case = ElementTree.SubElement(suite, "testcase", name=name, classname=name)
    ElementTree.SubElement(case, "failure", message=what).text = what
    return suite


def failures(suite):
    return [case for case in suite.iter("testcase")
            if case.find("failure") is not None or case.find("error") is not None]


def main():
    wanted = sys.argv[1:] or list(STAGES)
    unknown = [name for name in wanted if name not in STAGES]
    if unknown:
        sys.exit(f"unknown stage {unknown[0]}; there are: {', '.join(STAGES)}")
    lock.hold("build/test")  # the results
    if subprocess.run([ROOT / "scripts/build.sh"]).returncode:
        print("The build failed.\n\n0 passed, 1 failed")
        sys.exit(1)

    joined = ElementTree.Element("testsuites")
    lines, failed_cases = [], []
    passed = failed = 0
    for name in wanted:
        start = time.monotonic()
        suites = run_stage(name)
        joined.extend(suites)
        cases = sum(len(suite.findall("testcase")) for suite in suites)
        wrong = [f"{suite.get('name')}: {case.get('name')}"
                 for suite in suites for case in failures(suite)]
        failed_cases += wrong
        passed += cases - len(wrong)
        failed += len(wrong)
        lines.append(f"  {name:10} {cases - len(wrong):5} passed {len(wrong):5} failed "
                     f"{time.monotonic() - start:6.0f} s")
    ElementTree.ElementTree(joined).write(BUILD / "test.xml", encoding="utf-8", xml_declaration=True)

    print("\n".join(["", *lines]))
    if failed_cases:
        print("\nFailed:\n" + "\n".join(f"  {case}" for case in failed_cases))
    print(f"\n{passed} passed, {failed} failed")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
