#!/usr/bin/env python3
# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""Elaborates with slang, by pyslang: elaborate.py LISTS.json, a list of command lines of slang. Exit code 1: with warnings or errors."""

import json
import pathlib
import sys

from pyslang import driver


def clean(line):
    slang = driver.Driver()
    slang.addStandardArgs()
    return (slang.parseCommandLine(line) and slang.processOptions() and slang.parseAllSources() and
            elaborated(slang))


def elaborated(slang):
    slang.reportCompilation(slang.createCompilation(), True)
    return slang.reportDiagnostics(True) and not slang.diagEngine.numWarnings


def main():
    lines = json.loads(pathlib.Path(sys.argv[1]).read_text())
    wrong = [line for line in lines if not clean(line)]
    print(f"{len(lines) - len(wrong)} of {len(lines)} elaborations are clean")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
