#!/usr/bin/env python3
# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""What is around the programs: scripts, targets of the Makefile, files and folders.

  surroundings.py BUILD CASE   runs one case, in a folder of its own
  surroundings.py --list       the names of all cases
"""

import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]


def run(*command, **options):
    return subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, errors="replace", **options)


def check(condition, message, result=None):
    if not condition:
        if result is not None:
            message += f"\nexit code {result.returncode}\n{result.stdout}"
        sys.exit(message)


def temporary_folders(build, folder):
    """Tests that write files leave nothing in the system's temporary folder."""
    temporary = folder / "temporary"
    temporary.mkdir()
    for program, tests in (("golden/golden_test", "GoldenLog.*"), ("unit/ptx_test", "PtxManifest.*"),
                           ("lockstep/lockstep_test", "Regress.WritesResults:*RunTest.LogReplays/0")):
        result = run(build / "tb" / program, f"--gtest_filter={tests}",
                     env=os.environ | {"TMPDIR": str(temporary), "TEST_TMPDIR": f"{temporary}/"})
        check(result.returncode == 0 and "PASSED" in result.stdout, "expected tests to pass", result)
        check(not list(temporary.iterdir()), f"{program} leaves {list(temporary.iterdir())}")


CASES = {
    "temporary_folders": temporary_folders,
}


def main():
    if sys.argv[1:] == ["--list"]:
        print("\n".join(CASES))
        return
    build, name = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        CASES[name](pathlib.Path(build), pathlib.Path(folder))


if __name__ == "__main__":
    main()
