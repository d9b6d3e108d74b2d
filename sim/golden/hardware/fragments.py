#!/usr/bin/env python3
# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""Writes kernels that show which lane has which elements of a fragment of wmma, a manifest each. The text leaves that open.

  fragments.py FOLDER; ask.py MUSTER FOLDER --target cuda --no-code

The elements of the matrix are numbered in the order of memory. `out` has the registers of each lane, as they are: of elements of 16 bits two
numbers in a word, of 8 bits four, of which a kernel NAME_high has the upper bytes.
"""

import json
import pathlib
import sys

# Shape: rows and columns of A, B and C. Type of elements: bits, and registers of A, B and C by shape, 0 where there is none.
SHAPES = {"m16n16k16": ((16, 16), (16, 16), (16, 16)), "m32n8k16": ((32, 16), (16, 8), (32, 8)), "m8n32k16": ((8, 16), (16, 32), (8, 32)),
          "m16n16k8": ((16, 8), (8, 16), (16, 16)), "m8n8k4": ((8, 4), (4, 8), (8, 8))}
REGISTERS = {("m16n16k16", "f16"): (8, 8, 4), ("m32n8k16", "f16"): (8, 8, 4), ("m8n32k16", "f16"): (8, 8, 4),
             ("m16n16k16", "bf16"): (4, 4, 0), ("m32n8k16", "bf16"): (8, 2, 0), ("m8n32k16", "bf16"): (2, 8, 0),
             ("m16n16k16", "s8"): (2, 2, 0), ("m32n8k16", "s8"): (4, 1, 0), ("m8n32k16", "s8"): (1, 4, 0),
             ("m16n16k8", "tf32"): (4, 4, 0), ("m8n8k4", "f64"): (1, 1, 2),
             ("m16n16k16", "f32"): (0, 0, 8), ("m32n8k16", "f32"): (0, 0, 8), ("m8n32k16", "f32"): (0, 0, 8), ("m16n16k8", "f32"): (0, 0, 8)}
BITS = {"f16": 16, "bf16": 16, "s8": 8, "tf32": 32, "f32": 32, "f64": 64}

KERNEL = """\
// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0

.version 8.0
.target sm_90
.address_size 64

.visible .entry fragment(.param .u64 p0, .param .u64 p1)
{{
	.reg .b32 %t;
	.reg .{kind} %r<{count}>;
	.reg .b64 %x<2>;
	mov.u32 %t, %tid.x;
	ld.param.u64 %x0, [p0];
	ld.param.u64 %x1, [p1];
	mad.wide.u32 %x0, %t, {bytes}, %x0;
	wmma.load.{which}.sync.aligned.{layout}.{shape}.{element} {{{registers}}}, [%x1], {stride};
{stores}
	ret;
}}
"""


def write(folder):
    folder.mkdir(parents=True, exist_ok=True)
    for (shape, element), counts in REGISTERS.items():
        for which, (rows, columns), count in zip("abc", SHAPES[shape], counts):
            for layout in ("row", "col") if count else ():
                for high in (False, True)[:2 if BITS[element] == 8 and rows * columns > 256 else 1]:
                    name = f"{which}_{shape}_{element}_{layout}" + "_high" * high
                    wide = element == "f64"
                    registers = [f"%r{i}" for i in range(count)]
                    stores = "\n".join(f"\tst.global.b{64 if wide else 32} [%x0+{i * (8 if wide else 4)}], {one};" for i, one in enumerate(registers))
                    (folder / f"{name}.ptx").write_text(KERNEL.format(
                        kind="f64" if wide else "f32" if element == "f32" else "b32", count=count, bytes=count * (8 if wide else 4), which=which, layout=layout,
                        shape=shape, element=element, registers=", ".join(registers), stride=columns if layout == "row" else rows, stores=stores))
                    numbers = [number >> 8 if high else number & 255 if BITS[element] == 8 else number for number in range(rows * columns)]
                    (folder / f"{name}.json").write_text(json.dumps({
                        "ptx": f"{name}.ptx", "block": [32, 1, 1], "args": [{"buffer": "out"}, {"buffer": "matrix"}],
                        "buffers": {"out": {"type": "u32", "count": 32 * count * (2 if wide else 1)},
                                    "matrix": {"type": {8: "u8", 16: "u16", 32: "u32", 64: "u64"}[BITS[element]], "count": len(numbers), "init": numbers}}}) + "\n")


if __name__ == "__main__":
    write(pathlib.Path(*sys.argv[1:]))
