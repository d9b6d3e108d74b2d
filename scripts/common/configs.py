#!/usr/bin/env python3
# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""The named configurations of the unit: prints the names, or says (exit code 2) that a name is unknown.
With --packed NAME=VALUE... it prints the parameter Cfg: `small`, with these changes.

rtl/configs.json has the configurations of each module that is built alone, under the module's name: the
unit itself, muster, its part for mbarriers, muster_mbarrier, the atomics beside that, muster_atomics, the warp scope, muster_warp, the cluster scope,
muster_cluster, GPCs of units of a configuration, muster_gpc, and the adapters around the unit, muster_axil, muster_ventus and muster_vortex. muster_mbarrier, muster_atomics and muster_axil are those of a unit: their rows say what differs from the unit's
configuration of that name, and what they have besides.
"""

import json
import re
import sys

from root import ROOT

BY_TOP = json.loads((ROOT / "rtl/configs.json").read_text())
UNIT = BY_TOP["muster"]
MBARRIER = BY_TOP["muster_mbarrier"]
NAMES = list(UNIT)
OF_A_UNIT = ("muster_mbarrier", "muster_atomics", "muster_axil")  # tops whose parameter is Cfg
# Name and type of each member of muster_cfg_t, in order.
FIELDS = [(name, kind) for kind, name in
          re.findall(r"^    (int unsigned|bit) +(\w+);", (ROOT / "rtl/muster_cfg_pkg.sv").read_text(), re.MULTILINE)]


def packed(unit):
    """A configuration of the unit as a muster_cfg_t, which command lines of tools take as a number only."""
    bits = "".join(format(int(unit[name]), "b" if kind == "bit" else "032b") for name, kind in FIELDS)
    return f"{len(bits)}'h{int(bits, 2):x}"


def overrides(parameters):
    """Parameters on the command line of Verilator; a switch has one bit."""
    return [f"-G{name}=" + ("1'b" if name.startswith("En") else "") + str(value) for name, value in parameters.items()]


def parameters(top, name, changes):
    """The parameters of a top in one of its configurations, with changes."""
    values = BY_TOP[top][name] | changes
    if top == "muster_gpc":
        name = values.pop("Unit")
    elif top not in OF_A_UNIT:
        return values
    unit = {field: values.pop(field, value) for field, value in UNIT[name].items()}
    return {"Cfg": packed(unit)} | values


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
    if sys.argv[1:2] == ["--packed"]:
        print(packed(UNIT["small"] | dict(change.split("=") for change in sys.argv[2:])))
    elif sys.argv[1:]:
        check(sys.argv[1])
    else:
        print("\n".join(NAMES))
