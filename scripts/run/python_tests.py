#!/usr/bin/env python3
# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""Runs tests of the Python package in the environment that `make python` leaves.

Exit code 77: the environment is not there, or its package is of other sources, and a sentence says so; otherwise that of pytest. With --stamp
it notes that the package is of the sources that there are now.
"""

import argparse
import hashlib
import subprocess
import sys

from root import ROOT

ENVIRONMENT = ROOT / "build/python/environment"
STAMP = ENVIRONMENT / "muster.sources"
SKIPPED = 77


def sources():
    """A digest of what the package is made of."""
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "rtl", "sim", "CMakeLists.txt", "scripts/cmake"], cwd=ROOT,
                            capture_output=True, text=True, check=True).stdout.split()
    digest = hashlib.sha256()
    for name in sorted(listed):
        if (ROOT / name).is_file() and not name.endswith(".md"):
            digest.update(name.encode() + b"\0" + (ROOT / name).read_bytes())
    return digest.hexdigest()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("tests", nargs="*", help="files of tb/python")
    parser.add_argument("--stamp", action="store_true")
    args = parser.parse_args()
    if args.stamp:
        STAMP.write_text(sources())
        return 0
    if not STAMP.exists():
        print("skipped: the Python package is not built; `make python` builds it, with packages of PyPI")
        return SKIPPED
    if STAMP.read_text() != sources():
        print("skipped: the Python package in build/python is of other sources than those that there are; `make python` builds it anew")
        return SKIPPED
    return subprocess.run([ENVIRONMENT / "bin/python", "-m", "pytest", "-q", "-rs", *args.tests], cwd=ROOT, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
