#!/usr/bin/env python3
# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""Runs tests of a build folder with CTest: all, or those with a label.

CTest shards them, ends the ones that take too long, and writes BUILD/NAME.xml (JUnit), where NAME is the
label, or `test`; `only` if --only leaves out some of all. A second run with the same name in the same folder is refused (exit code 2).
"""

import argparse
import os
import pathlib
import subprocess
import sys

import lock

ROOT = pathlib.Path(__file__).resolve().parent.parent


def run(build, label=None, only=None, kind=None, **environment):
    """The exit code of CTest. The environment's entries reach the tests. `kind`: of what is run only on
    request, the configuration of CTest."""
    name = label or ("only" if only else "test")
    folder = (ROOT / build).relative_to(ROOT)
    lock.hold(f"{folder}/{name}")
    if name in ("test", "regress"):  # a shard that fails would leave those of before
        for results in [*(ROOT / build).glob("regress*.json"), *(ROOT / build).glob("regress/*.json")]:
            results.unlink()
    command = ["ctest", "--test-dir", ROOT / build, "-j", os.environ.get("JOBS", str(os.cpu_count())),
               "--output-on-failure", "--no-tests=error", "--output-junit", ROOT / build / f"{name}.xml"]
    command += ["--label-regex", f"^{label}$"] if label else []
    command += ["--tests-regex", only] if only else []
    command += ["--build-config", kind] if kind else []
    command += ["--progress"] if sys.stdout.isatty() else []
    return subprocess.run(command, stdin=subprocess.DEVNULL, env=os.environ | environment).returncode


def regress(build, seeds, cycles=None, kind=None):
    """The tests of the regression, and its pages. Returns the exit code; the results are in
    BUILD/regress.json and, of GPCs, BUILD/regress.NAME.json, unless a test failed to write its part."""
    build = ROOT / build
    code = run(build, "regress", kind=kind, MUSTER_SEEDS=seeds, **({"MUSTER_CYCLES": cycles} if cycles else {}))
    for results in sorted(build.glob("regress*.json")):
        gpc = results.name.split(".")[1:-1]
        print(flush=True)
        subprocess.run([build / (f"tb/gpc/{gpc[0]}_regress" if gpc else "tb/lockstep/regress"), "--merge", results])
    return code


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--build", default="build", help="the folder")
    parser.add_argument("--label", help="only tests with this label")
    parser.add_argument("--kind", help="tests, too, that are run on request only: Mutants, Proofs, Large")
    parser.add_argument("--only", help="only tests whose name this regular expression finds")
    parser.add_argument("--seeds", help="the regression, with so many seeds, or these")
    args = parser.parse_args()
    sys.exit(regress(args.build, args.seeds, kind=args.kind) if args.seeds else
             run(args.build, args.label, args.only, args.kind))


if __name__ == "__main__":
    main()
