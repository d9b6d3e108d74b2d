#!/usr/bin/env python3
# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""Writes kernels of mma.sp with random operands and metadata, a manifest each: eight shapes and types, and every selector.

  sparse.py FOLDER; muster suite --against cuda FOLDER

PTX 9.7.15.6 shows in figures where the metadata of a lane lies. The unit's reading of them is tried on a GPU by these.
"""

import json
import pathlib
import random
import sys

# Shape, type of A and B, type of the sums; registers of A and of B; lanes of four that give metadata.
FORMS = (("m16n8k16", "f16", "f32", 2, 2, 1), ("m16n8k32", "f16", "f32", 4, 4, 2), ("m16n8k8", "tf32", "f32", 2, 2, 1),
         ("m16n8k16", "tf32", "f32", 4, 4, 2), ("m16n8k32", "s8", "s32", 2, 2, 2), ("m16n8k64", "s8", "s32", 4, 4, 4),
         ("m16n8k64", "s4", "s32", 2, 2, 2), ("m16n8k128", "s4", "s32", 4, 4, 4))

KERNEL = """\
// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0

.version 8.0
.target sm_90
.address_size 64

.visible .entry sparse(.param .u64 p0, .param .u64 p1, .param .u64 p2, .param .u64 p3)
{{
	.reg .b32 %t, %a<4>, %b<4>, %e;
	.reg .{sums} %d<4>, %z;
	.reg .b64 %x<4>;
	mov.u32 %t, %tid.x;
	ld.param.u64 %x0, [p0];
	ld.param.u64 %x1, [p1];
	ld.param.u64 %x2, [p2];
	ld.param.u64 %x3, [p3];
	mad.wide.u32 %x0, %t, {bytes_a}, %x0;
	mad.wide.u32 %x1, %t, {bytes_b}, %x1;
	mad.wide.u32 %x2, %t, 4, %x2;
	mad.wide.u32 %x3, %t, 16, %x3;
{loads}
	ld.global.u32 %e, [%x2];
	mov.b32 %z, 0;
	mma.sp.sync.aligned.{shape}.row.col.{sums}.{type}.{type}.{sums} {{%d0, %d1, %d2, %d3}}, {{{a}}}, {{{b}}}, {{%z, %z, %z, %z}}, %e, {selector};
{stores}
	ret;
}}
"""


def operand(kind):
    """A word of numbers of which all products and sums are exact."""
    if kind == "f16":
        return random.choice((0x3C00, 0x4000, 0xBC00, 0x4200)) | random.choice((0x3C00, 0x4000, 0xBC00, 0x4200)) << 16
    return random.choice((0x3F800000, 0x40000000, 0xBF800000, 0x40400000)) if kind == "tf32" else random.getrandbits(32)


def metadata(kind):
    """Eight pairs of different indices in order; of tf32 one of two elements, as pairs of halves."""
    if kind == "tf32":
        return sum(random.choice((0x4, 0xE)) << 4 * i for i in range(8))
    pairs = (sorted(random.sample(range(4), 2)) for _ in range(8))
    return sum((first | second << 2) << 4 * i for i, (first, second) in enumerate(pairs))


def write(folder):
    folder.mkdir(parents=True, exist_ok=True)
    random.seed(3)
    for shape, kind, sums, words_a, words_b, lanes in FORMS:
        for selector in range(4 // lanes):
            name = f"sp_{shape}_{kind}_{selector}"
            names_a, names_b = ([f"%{letter}{i}" for i in range(count)] for letter, count in (("a", words_a), ("b", words_b)))
            loads = [f"\tld.global.u32 {one}, [%x{which}+{4 * i}];" for which, names in enumerate((names_a, names_b)) for i, one in enumerate(names)]
            stores = [f"\tst.global.{sums} [%x3+{4 * i}], %d{i};" for i in range(4)]
            (folder / f"{name}.ptx").write_text(KERNEL.format(
                shape=shape, type=kind, sums=sums, bytes_a=4 * words_a, bytes_b=4 * words_b, loads="\n".join(loads), stores="\n".join(stores),
                a=", ".join(names_a), b=", ".join(names_b), selector=selector))
            buffers = {"a": [operand(kind) for _ in range(32 * words_a)], "b": [operand(kind) for _ in range(32 * words_b)],
                       "e": [metadata(kind) for _ in range(32)], "d": [0] * 128}
            (folder / f"{name}.json").write_text(json.dumps({
                "ptx": f"{name}.ptx", "block": [32, 1, 1], "args": [{"buffer": buffer} for buffer in buffers],
                "buffers": {buffer: {"type": "u32", "count": len(words), "init": words} for buffer, words in buffers.items()}}) + "\n")


if __name__ == "__main__":
    write(pathlib.Path(*sys.argv[1:]))
