#!/usr/bin/env python3
# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""Writes the kernels for what is open: NAME.ptx and NAME.json of each row of questions*.toml into a folder.

  questions.py FOLDER [--rounds N]    N for the rounds of a kernel that has them: a GPU has time for more than the unit
"""

import argparse
import json
import pathlib
import string
import textwrap
import tomllib

TABLES = sorted(pathlib.Path(__file__).resolve().parent.glob("questions*.toml"))
ENDS = ("outcome", "expect")  # what a row has for itself

KERNEL = """\
// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
{asks}

.version {version}
.target sm_90
.address_size 64
{variables}
.visible .entry ask({parameters})
{{
	.reg .pred %p<8>, done;
	.reg .b16 %h1;
	.reg .b32 %r<24>;
	.reg .b64 %d<12>;
{shared}
	mov.u32 %r1, %tid.x;
	and.b32 %r2, %r1, 31;
	shr.u32 %r3, %r1, 5;
	ld.param.u64 %d1, [p0];
	cvta.to.global.u64 %d1, %d1;
	mad.wide.u32 %d2, %r1, 4, %d1;
{code}
}}
"""


def table():
    """The rows, each with all that it has."""
    rows = {}
    for name, row in (item for table in TABLES for item in tomllib.loads(table.read_text()).items()):
        base = {key: value for key, value in rows.get(row.get("like"), {}).items() if key not in ENDS}
        rows[name] = base | row | {"with": base.get("with", {}) | row.get("with", {})}
    return rows


def ptx(row):
    pointers = 1 + len(row.get("more", {})) + len(row.get("objects", []))
    parameters = [f".param .u64 p{i}" for i in range(pointers)] + [f".param .u32 {name}" for name in ("rounds", "launch") if name in row]
    code = row["code"]
    while "$" in code:  # words may have words in them
        code = string.Template(code).substitute(row["with"])
    lines = [line if line.endswith(":") else f"\t{line}" for line in code.splitlines() if line]
    return KERNEL.format(asks=textwrap.fill(row["asks"], 120, initial_indent="// ", subsequent_indent="// "),
                         version=row.get("version", "8.0"), parameters=", ".join(parameters), code="\n".join(lines),
                         variables="".join(f".global {one};\n" for one in row.get("global", [])),
                         shared="".join(f"\t.shared {one};\n" for one in row.get("shared", [])))


def manifest(name, row, rounds):
    out = {"type": "u32", "count": row.get("words", row["threads"]), "init": {"fill": 0xDEADBEEF}}
    buffers = {"out": out} | row.get("more", {})
    ctas = [row.get("ctas", 1), 1, 1]
    launch = {"block": [row["threads"], 1, 1], "grid": ctas, "cluster": ctas, "args": [{"buffer": buffer} for buffer in buffers] + row.get("objects", [])}
    if "rounds" in row:
        launch["args"].append({"u32": rounds or row["rounds"]})
    if "ctas" not in row:
        del launch["cluster"]
    if "launch" in row:
        launches = [launch | {"args": launch["args"] + [{"u32": number}]} | ({"programmatic": True} if number else {}) for number in range(row["launch"])]
        launch = {"launches": launches}
    return {"ptx": f"{name}.ptx", **launch, "buffers": buffers} | {key: row[key] for key in (*ENDS, "tensor_maps", "textures") if key in row}


def write(folder, rounds=None):
    folder.mkdir(parents=True, exist_ok=True)
    for name, row in table().items():
        (folder / f"{name}.ptx").write_text(ptx(row))
        (folder / f"{name}.json").write_text(json.dumps(manifest(name, row, rounds)) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--rounds", type=int)
    write(**vars(parser.parse_args()))


if __name__ == "__main__":
    main()
