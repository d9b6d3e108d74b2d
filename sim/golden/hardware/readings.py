#!/usr/bin/env python3
# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""Writes the readings, byte for byte as they ran on an H100: NAME.ptx and NAME.json of each into a folder.

readings.toml has what each asks, and its code. All begin alike, and the pairs and triples of arrivals differ in these alone.

  readings.py FOLDER
"""

import argparse
import hashlib
import itertools
import json
import pathlib
import re
import sys
import tomllib

TABLE = pathlib.Path(__file__).resolve().parent / "readings.toml"
DIGEST = "2334573cd1221d8636062a951915470f5ae7322ffe548d25772cae00cd281d0b"  # SHA-256 of all files in the order of their names

KERNEL = """\
// {asks}
.version 8.4
.target sm_90
.address_size 64

.visible .entry k(.param .u64 p)
{{
 .reg .pred %p<20>, %ps, %q; .reg .b32 %r<60>, %me, %ln, %wp, %sp, %s2, %ct, %w, %cr; .reg .b64 %d<30>, %o;
 .shared .align 8 .b64 bar; .shared .align 8 .b64 bar2; .shared .align 128 .b8 buf[8192]; 
 ld.param.u64 %o, [p]; cvta.to.global.u64 %o, %o;
 mov.u32 %me, %tid.x; and.b32 %ln, %me, 31; shr.u32 %wp, %me, 5; mov.u32 %ct, %ctaid.x;
 mad.lo.u32 %r0, %ct, {threads}, %me; mul.wide.u32 %d0, %r0, {bytes}; add.u64 %o, %o, %d0;
 setp.eq.u32 %p0, %wp, 0; setp.lt.u32 %p1, %ln, 16; setp.eq.u32 %p2, %ln, 0; setp.eq.u32 %p3, %me, 0;
 mov.u32 %w, bar;
{code}
 ret;
}}
"""
# What the table calls WAIT 20000, and DONE.
WAIT = ("mov.u32 %sp, %clock;\n"
        "SP{label}: mov.u32 %s2, %clock; sub.u32 %s2, %s2, %sp; setp.lt.u32 %ps, %s2, {cycles}; @%ps bra SP{label};")
DONE = "mov.u32 %r9, 1; st.global.u32 [%o+4], %r9;"

ARRIVALS = {"A64": "bar.arrive 1, 64;", "A96": "bar.arrive 1, 96;", "O64": "bar.red.or.pred %p5, 1, 64, %p3;",
            "R0": "bar.red.popc.u32 %r3, 1, %p3;", "R64": "bar.red.popc.u32 %r3, 1, 64, %p3;",
            "R96": "bar.red.popc.u32 %r3, 1, 96, %p3;", "S0": "bar.sync 1;", "S64": "bar.sync 1, 64;", "S96": "bar.sync 1, 96;"}
IN_TRIPLES = [name for name in ARRIVALS if name[0] in "AS"]


def arrivals(names):
    """The code of warps that come to barrier 1 one after the other, each 4,000 cycles after the one before."""
    code = "".join(f"setp.eq.u32 %q, %wp, {warp}; @%q bra W{warp};" for warp in range(len(names)))
    code += f"{WAIT.format(label='x', cycles=60000)} ret;"
    for warp, name in enumerate(names):
        code += f" W{warp}: {WAIT.format(label=warp, cycles=4000 * warp + 1)} {ARRIVALS[name]} {DONE} ret;"
    return code


def expand(code):
    """The code of a row of the table, with its words written out. A line that is indented goes on with the one before."""
    labels = itertools.count(1)
    code = re.sub(r"\n +", " ", code)
    code = re.sub(r"WAIT (\d+);", lambda wait: WAIT.format(label=next(labels), cycles=wait[1]), code)
    return code.replace("DONE;", DONE)


def table():
    return tomllib.loads(TABLE.read_text())


def files():
    """The text of each file, by name."""
    rows = {name: row | {"code": expand(row["code"])} for name, row in table().items()}
    for names in [*itertools.product(ARRIVALS, repeat=2), *itertools.product(IN_TRIPLES, repeat=3)]:
        rows["_".join(["pair", *names])] = {"asks": "who pairs with whom", "threads": 128, "code": arrivals(names)}
    texts = {}
    for name, row in rows.items():
        ctas, threads, words = row.get("ctas", 1), row["threads"], row.get("words", 2)
        texts[f"{name}.ptx"] = KERNEL.format(**row | {"bytes": 4 * words})
        launch = {"ptx": f"{name}.ptx", "kernel": "k", "grid": [ctas, 1, 1], "block": [threads, 1, 1],
                  "args": [{"buffer": "out"}],
                  "buffers": {"out": {"type": "u32", "count": ctas * threads * words, "init": {"fill": 0xDEADBEEF}}}}
        texts[f"{name}.json"] = json.dumps(launch | ({"cluster": [ctas, 1, 1]} if ctas > 1 else {}))
    return dict(sorted(texts.items()))


def write(folder):
    """Writes all files. Ends with a sentence if one is not as it ran. Returns the names of the readings."""
    texts = files()
    digest = hashlib.sha256("".join(texts.values()).encode()).hexdigest()
    if digest != DIGEST:
        sys.exit(f"{TABLE.name}: the readings are not as they ran: SHA-256 is {digest}")
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (folder / name).write_text(text)
    return {name.removesuffix(".json") for name in texts if name.endswith(".json")}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    write(parser.parse_args().folder)
