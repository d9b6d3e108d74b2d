#!/usr/bin/env python3
# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""How much memory and time `muster explore` takes for the attention that ships, with as many tiles as it has and with more: the
runs that it predicts along, and one class of orders.

  memory.py measure MUSTER [TILES ...]   measures, writes tb/explore/memory.json and the table of sim/explore/README.md
  memory.py check                        that table is what tb/explore/memory.json says
  memory.py test MUSTER                  four times the tiles take at most 4.4 times the memory, less than 128 MiB, and at
                                         most 5.5 times the processor's time
"""

import json
import os
import pathlib
import platform
import re
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
PAGE = ROOT / "sim" / "explore" / "README.md"
FIGURES = HERE.parents[1] / "explore/memory.json"
SHIPPED = ROOT / "sim" / "kernels" / "attention"
MIB = 2**20


def manifest(tiles, folder):
    """The shipped manifest with so many tiles of K and V, all zeroes, of which nothing is expected."""
    value = json.loads((SHIPPED / "attention.json").read_text())
    value["ptx"] = str(SHIPPED / value["ptx"])
    value["args"][-1] = {"u32": tiles}
    for name in ("k", "v"):
        value["buffers"][name] = {"type": "u16", "count": 64 * 16 * tiles}
        value["tensor_maps"][name]["dims"] = [64, 16 * tiles]
    value["buffers"]["q"] = {"type": "u16", "count": value["buffers"]["q"]["count"]}
    del value["expect"], value["tolerance"]
    path = folder / "attention.json"
    path.write_text(json.dumps(value))
    return path


def run(muster, tiles):
    """Peak memory in MiB, processor seconds, and the last line."""
    with tempfile.TemporaryDirectory() as folder:
        path = manifest(tiles, pathlib.Path(folder))
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            os.dup2(write, 1)
            os.execv(muster, [muster, "explore", str(path), "--bound", "1", "--jobs", "1", "--time", "3600"])
        os.close(write)
        with os.fdopen(read) as output:
            last = output.read().strip().split("\n")[-1]
        _, status, used = os.wait4(child, 0)
        if status != 0:
            sys.exit(f"{tiles} tiles: {last}")
        return {"tiles": tiles, "mib": round(used.ru_maxrss / 1024), "seconds": round(used.ru_utime + used.ru_stime, 1)}


def table(figures):
    rows = "".join(f"| {one['tiles']} | {one['mib']} | {one['seconds']} |\n" for one in figures["runs"])
    return f"| tiles | peak memory, MiB | processor seconds |\n|---|---|---|\n{rows}"


def paged(text, figures):
    return re.sub(r"(?<=<!-- memory -->\n).*?(?=<!-- end -->)", lambda _: table(figures), text, flags=re.DOTALL)


def main():
    what, *rest = sys.argv[1:]
    if what == "measure":
        runs = [run(rest[0], tiles) for tiles in map(int, rest[1:] or (24, 48, 96))]
        figures = {"machine": platform.machine(), "command": "tb/bench/explore/memory.py measure MUSTER", "runs": runs}
        FIGURES.write_text(json.dumps(figures, indent=2) + "\n")
        PAGE.write_text(paged(PAGE.read_text(), figures))
        print(table(figures), end="")
    elif what == "check":
        text = PAGE.read_text()
        figures = json.loads(FIGURES.read_text())
        if "<!-- memory -->" not in text or paged(text, figures) != text:
            sys.exit("the table of sim/explore/README.md is not what tb/explore/memory.json says")
    else:
        once, more = run(rest[0], 12), run(rest[0], 48)
        if more["mib"] > 4.4 * once["mib"] or more["mib"] >= 128 or more["seconds"] > 5.5 * once["seconds"]:
            sys.exit(f"{once} and {more}")


if __name__ == "__main__":
    main()
