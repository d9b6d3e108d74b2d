#!/usr/bin/env python3
# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""Writes kernels of mma.sp and wgmma.mma_async.sp with random operands and metadata, a manifest each: shapes and types, and every selector.

  sparse.py FOLDER; muster suite --against cuda FOLDER

PTX 9.7.15.6 and 9.7.16.6 show in figures where the metadata of a lane lies. The unit's reading of them is tried on a GPU by these.
"""

import json
import pathlib
import random
import sys

# Shape, type of A and B, type of the sums; registers of A and of B; lanes of four that give metadata.
FORMS = (("m16n8k16", "f16", "f32", 2, 2, 1), ("m16n8k32", "f16", "f32", 4, 4, 2), ("m16n8k8", "tf32", "f32", 2, 2, 1),
         ("m16n8k16", "tf32", "f32", 4, 4, 2), ("m16n8k32", "s8", "s32", 2, 2, 2), ("m16n8k64", "s8", "s32", 4, 4, 4),
         ("m16n8k64", "s4", "s32", 2, 2, 2), ("m16n8k128", "s4", "s32", 4, 4, 4), ("m16n8k64", "e4m3", "f32", 4, 4, 4), ("m16n8k64", "e5m2", "f32", 4, 4, 4))

KERNEL = """\
// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0

.version 8.4
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

# Of wgmma, which is m64: columns, types of the sums, of A and of B, whether A is in registers, whether B lies across.
GROUP_FORMS = ((8, "f32", "f16", "f16", False, False), (64, "f16", "f16", "f16", True, False), (24, "f32", "bf16", "bf16", False, True),
               (16, "f32", "tf32", "tf32", True, False), (40, "f32", "tf32", "tf32", False, False), (32, "f32", "e4m3", "e5m2", False, False),
               (8, "f16", "e5m2", "e4m3", True, False), (16, "s32", "s8", "u8", False, False), (48, "s32", "u8", "s8", True, False))

# Types of which no bits are drawn, but 1, 2, -1 and 3; of e5m2 3 is 1.75 here.
SMALL = {"f16": (0x3C00, 0x4000, 0xBC00, 0x4200), "bf16": (0x3F80, 0x4000, 0xBF80, 0x4040), "e4m3": (0x38, 0x40, 0xB8, 0x44), "e5m2": (0x3C, 0x40, 0xBC, 0x3F)}

GROUP_KERNEL = """\
// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0

.version 8.4
.target sm_90a
.address_size 64

.visible .entry sparse(.param .u64 p0, .param .u64 p1, .param .u64 p2, .param .u64 p3)
{{
	.reg .pred %p;
	.reg .b32 %t, %i, %w, %a<4>, %e;
	.reg .{sums} %d<{count}>;
	.reg .b64 %x<4>, %y<3>;
	.shared .align 1024 .b8 tiles[{bytes}];
	mov.u32 %t, %tid.x;
	ld.param.u64 %x0, [p0];
	ld.param.u64 %x1, [p1];
	ld.param.u64 %x2, [p2];
	ld.param.u64 %x3, [p3];
	// Without a swizzle: bricks of eight rows of 16 bytes, of A two side by side, of B four.
	shl.b32 %i, %t, 2;
FILL:
	cvt.u64.u32 %y0, %i;
	add.u64 %y0, %y0, %x1;
	ld.global.u32 %e, [%y0];
	mov.u32 %w, tiles;
	add.u32 %w, %w, %i;
	st.shared.u32 [%w], %e;
	add.u32 %i, %i, 512;
	setp.lt.u32 %p, %i, {bytes};
	@%p bra FILL;
	fence.proxy.async;
	bar.sync 0;
	mov.u32 %w, tiles;
	shr.u32 %w, %w, 4;
	cvt.u64.u32 %y0, %w;
	or.b64 %y1, %y0, 0x1000080000;
	add.u64 %y2, %y0, 128;
	or.b64 %y2, %y2, 0x2000080000;
	mad.wide.u32 %x0, %t, 16, %x0;
	mad.wide.u32 %x2, %t, 4, %x2;
	mad.wide.u32 %x3, %t, {stride}, %x3;
	ld.global.v4.b32 {{%a0, %a1, %a2, %a3}}, [%x0];
	ld.global.u32 %e, [%x2];
	wgmma.fence.sync.aligned;
	wgmma.mma_async.sp.sync.aligned.m64n{columns}k{depth}.{d}.{a}.{b} {{{sum}}}, {left}, %y2, %e, {selector}, 0{more};
	wgmma.commit_group.sync.aligned;
	wgmma.wait_group.sync.aligned 0;
{stores}
	ret;
}}
"""


def operand(kind):
    """A word of numbers of which all products and sums are exact."""
    if kind in SMALL:
        bits = 8 if kind.startswith("e") else 16
        return sum(random.choice(SMALL[kind]) << bits * i for i in range(32 // bits))
    return random.choice((0x3F800000, 0x40000000, 0xBF800000, 0x40400000)) if kind == "tf32" else random.getrandbits(32)


def metadata(kind):
    """Eight pairs of different indices in order; of tf32 one of two elements, as pairs of halves."""
    if kind == "tf32":
        return sum(random.choice((0x4, 0xE)) << 4 * i for i in range(8))
    pairs = (sorted(random.sample(range(4), 2)) for _ in range(8))
    return sum((first | second << 2) << 4 * i for i, (first, second) in enumerate(pairs))


def write_kernel(folder, name, ptx, threads, buffers):
    (folder / f"{name}.ptx").write_text(ptx)
    (folder / f"{name}.json").write_text(json.dumps({
        "ptx": f"{name}.ptx", "block": [threads, 1, 1], "args": [{"buffer": buffer} for buffer in buffers],
        "buffers": {buffer: {"type": "u32", "count": len(words), "init": words} for buffer, words in buffers.items()}}) + "\n")


def write_warpgroups(folder):
    """Of 8 bits a word has the indices of one row, and there is no selector but 0."""
    for columns, sums, a, b, in_registers, across in GROUP_FORMS:
        width = {"tf32": 4, "f16": 2, "bf16": 2}.get(a, 1)
        count = columns // 2 // (2 if sums == "f16" else 1)
        modifiers = ("" if sums == "s32" else ", 1, 1") + ("" if width != 2 else "" if in_registers else ", 0") + ("" if width != 2 else ", 1" if across else ", 0")
        for selector in range(1 if width == 1 else 2):
            name = f"sp_wgmma_n{columns}_{sums}_{a}_{b}_{'registers' if in_registers else 'shared'}_{selector}"
            registers = [f"%d{i}" for i in range(count)]
            ptx = GROUP_KERNEL.format(
                sums={"f16": "b32", "f32": "f32", "s32": "s32"}[sums], count=count, bytes=2048 + 64 * columns, stride=4 * count, columns=columns,
                depth=64 // width, d=sums, a=a, b=b, sum=", ".join(registers), left="{%a0, %a1, %a2, %a3}" if in_registers else "%y1", selector=selector,
                more=modifiers, stores="\n".join(f"\tst.global.b32 [%x3+{4 * i}], {one};" for i, one in enumerate(registers)))
            write_kernel(folder, name, ptx, 128, {
                "a": [operand(a) for _ in range(512)], "tiles": [operand(a) for _ in range(512)] + [operand(b) for _ in range(16 * columns)],
                "e": [metadata(a) for _ in range(128)], "d": [0] * (128 * count)})


def write(folder):
    folder.mkdir(parents=True, exist_ok=True)
    random.seed(3)
    for shape, kind, sums, words_a, words_b, lanes in FORMS:
        for selector in range(4 // lanes):
            name = f"sp_{shape}_{kind}_{selector}"
            names_a, names_b = ([f"%{letter}{i}" for i in range(count)] for letter, count in (("a", words_a), ("b", words_b)))
            loads = [f"\tld.global.u32 {one}, [%x{which}+{4 * i}];" for which, names in enumerate((names_a, names_b)) for i, one in enumerate(names)]
            stores = [f"\tst.global.{sums} [%x3+{4 * i}], %d{i};" for i in range(4)]
            ptx = KERNEL.format(
                shape=shape, type=kind, sums=sums, bytes_a=4 * words_a, bytes_b=4 * words_b, loads="\n".join(loads), stores="\n".join(stores),
                a=", ".join(names_a), b=", ".join(names_b), selector=selector)
            write_kernel(folder, name, ptx, 32, {"a": [operand(kind) for _ in range(32 * words_a)], "b": [operand(kind) for _ in range(32 * words_b)],
                                                 "e": [metadata(kind) for _ in range(32)], "d": [0] * 128})
    write_warpgroups(folder)


if __name__ == "__main__":
    write(pathlib.Path(*sys.argv[1:]))
