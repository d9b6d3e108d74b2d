#!/usr/bin/env python3
# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""The named configurations of the unit: prints the names, or says (exit code 2) that a name is unknown.

scripts/configs.json has the configurations of each module that is built alone, under the module's name: the
unit itself, muster, its part for mbarriers, muster_mbarrier, and the adapters around it, muster_axil, muster_ventus and
muster_vortex.
"""

import json
import pathlib
import sys

BY_TOP = json.loads((pathlib.Path(__file__).resolve().parent / "configs.json").read_text())
UNIT = BY_TOP["muster"]
MBARRIER = BY_TOP["muster_mbarrier"]
NAMES = list(UNIT)


def text_of(units):
    """Other configurations of the unit, as the file of -DMUSTER_CONFIGS_FILE has them."""
    rows = ",\n".join(f'    "{name}": {json.dumps(parameters)}' for name, parameters in units.items())
    return f'{{\n  "muster": {{\n{rows}\n  }}\n}}\n'


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
