#!/usr/bin/env python3
# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""The named configurations: prints the names, or says (exit code 2) that the one given is none."""

import json
import pathlib
import sys

NAMES = list(json.loads((pathlib.Path(__file__).resolve().parent / "configs.json").read_text()))


def check(name):
    """Ends the program with a sentence if there is no such configuration."""
    if name not in NAMES:
        print(f"There is no configuration {name!r}; there are {', '.join(NAMES)}.", file=sys.stderr)
        sys.exit(2)


if __name__ == "__main__":
    if sys.argv[1:]:
        check(sys.argv[1])
    else:
        print("\n".join(NAMES))
