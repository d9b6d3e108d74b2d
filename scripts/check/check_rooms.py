#!/usr/bin/env python3
# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""Checks that each room of sim/ includes only from rooms that it may use.

  check_rooms.py [TREE]   complains of each wrong include, a line each; exit code 1

The table below says who may use whom. A room that is not in it is an error, and so is a use that the
table allows and that no file makes.
"""

import pathlib
import re
import sys

from root import ROOT

INCLUDE = re.compile(r'^#include "((?:sim|tb)/[^"]+)"', re.MULTILINE)

USES = {
    # The vocabulary, the golden model, its logs, the pins, and the check.
    "isa": "",
    "golden": "isa",
    "log": "isa golden",
    "port": "isa",
    "tlm": "isa golden",
    "tlm/platform": "isa tlm",
    "lockstep": "isa golden log port tlm",
    # The front end: each room uses those before it.
    "ptx/syntax": "isa",
    "ptx/program": "isa ptx/syntax",
    "ptx/alu": "isa ptx/program",
    "ptx/simt": "isa ptx/program ptx/alu",
    "ptx/runtime": "isa golden ptx/syntax ptx/program ptx/simt",
    "ptx/runtime/on_golden": "isa golden port ptx/simt ptx/runtime",
    "ptx/runtime/on_pins": "isa golden port ptx/program ptx/simt ptx/runtime",
    "ptx/launch": "isa ptx/syntax ptx/program ptx/alu ptx/simt ptx/runtime ptx/runtime/on_pins",
    "explore": "isa ptx/program ptx/simt ptx/runtime ptx/runtime/on_golden",
    "litmus": "ptx/syntax",
    "emit": "isa ptx/syntax ptx/program ptx/simt",
    "gpu": "ptx/syntax ptx/program ptx/launch",
    # Beside it, and above all.
    "bcu": "",
    "board": "port lockstep",
    "python": "isa golden app ptx/syntax ptx/program ptx/launch",
    "app": "isa log lockstep explore litmus emit gpu ptx/syntax ptx/program ptx/simt ptx/launch bcu board",
}


def room_of(path):
    """ "ptx/simt" of "sim/ptx/simt/warp.h"; None of what is not below sim/."""
    parts = pathlib.PurePosixPath(path).parts
    return "/".join(parts[1:-1]) if parts[0] == "sim" else None


def complaints(tree):
    """The sentences, one for each wrong include and for each use that is allowed and not made."""
    made = {room: set() for room in USES}
    for file in sorted((tree / "sim").rglob("*")):
        if file.suffix not in (".h", ".cpp", ".in"):
            continue
        name = file.relative_to(tree).as_posix()
        room = room_of(name)
        if room == "kernels" or room.startswith("kernels/"):  # of kernels in C
            continue
        if room not in USES:
            yield f"{name}: the table of scripts/check/check_rooms.py has no room sim/{room}"
            continue
        for included in INCLUDE.findall(file.read_text()):
            used = room_of(included)
            if used == room:
                continue
            made[room].add(used)
            if used not in USES[room].split():
                yield f"{name} includes {included}: sim/{room} may use {USES[room] or 'no other room'}"
    for room, used in made.items():
        for spare in sorted(set(USES[room].split()) - used):
            yield f"sim/{room} may use sim/{spare}, and no file of it does"


def main():
    tree = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT
    wrong = list(complaints(tree))
    print("\n".join([*wrong, f"rooms: {len(USES)}, {len(wrong)} complaints"]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
