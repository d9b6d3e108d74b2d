#!/usr/bin/env python3
# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""Writes kernels that copy boxes of random tensors, a manifest each: loads, stores and reductions of one to five dimensions, with element
strides, swizzles, interleaved layouts, and coordinates outside of the tensor; and loads of columns of pixels (im2col).

  tensors.py FOLDER; muster suite --against cuda FOLDER

Rows of tensors that are stored to end at a multiple of 16 bytes: beyond another end a GPU writes more. A GPU traps where a copy begins at
a column that is no multiple of 16 bytes, or a store before the tensor; there are none of these here (README.md).
"""

import json
import math
import pathlib
import random
import sys

COUNT = 120
COLUMNS = 40  # kernels of im2col
TILE = 32768
BYTES = {"u8": 1, "u16": 2, "u32": 4, "s32": 4, "u64": 8, "s64": 8, "f16": 2, "bf16": 2, "f32": 4, "f64": 8}
FLOATS = ("f16", "bf16", "f32", "f64")
SWIZZLES = {"none": 0, "32B": 32, "64B": 64, "128B": 128}

KERNEL = """\
// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0

.version 8.0
.target sm_90
.address_size 64

.visible .entry copy(.param .u64 p0, .param .u64 p1, .param .u64 p2)
{{
	.reg .pred %p, %q;
	.reg .b32 %t, %a, %b, %i, %v;
	.reg .b64 %x<4>;
	.shared .align 1024 .b8 tile[{tile}];
	.shared .align 8 .b64 full;
	mov.u32 %t, %tid.x;
	mov.u32 %a, tile;
	mov.u32 %b, full;
	ld.param.u64 %x0, [p0];
	ld.param.u64 %x1, [p1];
	setp.ne.u32 %q, %t, 0;
	@!%q mbarrier.init.shared::cta.b64 [%b], 1;
	shl.b32 %i, %t, 2;
FILL:
	mad.lo.u32 %v, %i, {factor}, {offset};
	add.u32 %t, %a, %i;
	st.shared.u32 [%t], %v;
	add.u32 %i, %i, 512;
	setp.lt.u32 %p, %i, {tile};
	@%p bra FILL;
	fence.proxy.async.shared::cta;
	bar.sync 0;
	@%q bra DONE;
{copy}
DONE:
	bar.sync 0;
	mov.u32 %t, %tid.x;
	shl.b32 %i, %t, 2;
OUT:
	add.u32 %t, %a, %i;
	ld.shared.u32 %v, [%t];
	cvt.u64.u32 %x3, %i;
	add.u64 %x3, %x3, %x0;
	st.global.u32 [%x3], %v;
	add.u32 %i, %i, 512;
	setp.lt.u32 %p, %i, {tile};
	@%p bra OUT;
	ret;
}}
"""

LOAD = """\
	mbarrier.arrive.expect_tx.shared::cta.b64 _, [%b], {bytes};
	cp.async.bulk.tensor.{rank}d.shared::cluster.global{mode}.mbarrier::complete_tx::bytes [%a], [%x1, {{{place}}}], [%b]{offsets};
WAIT:
	mbarrier.try_wait.parity.shared::cta.b64 %p, [%b], 0;
	@!%p bra WAIT;"""
STORE = """\
	{op} [%x1, {{{place}}}], [%a];
	cp.async.bulk.commit_group;
	cp.async.bulk.wait_group 0;"""


def drawn(what):
    """A tensor map, the coordinates of the copy, and the bytes of the box; None: the driver would not make it."""
    kind = random.choice(list(BYTES))
    size, rank = BYTES[kind], random.randint(1, 5)
    interleave = random.choice(("16B", "32B")) if rank >= 3 and random.random() < 0.2 else "none"
    swizzle = random.choice(("none", "32B") if interleave == "32B" else ("none",) if interleave == "16B" else tuple(SWIZZLES))
    dims = [random.randint(2, 9) for _ in range(rank)]
    box = [random.randint(1, 6) for _ in range(rank)]
    strides_of_elements = [1] + [random.choice((1, 1, 1, 2, 3)) for _ in range(rank - 1)]
    if interleave != "none":  # a box has one slice of 16 or 32 bytes
        dims[0] = random.randint(4, 40)
        box[0] = int(interleave[:-1]) // size
        row = random.choice((16, 32, 64)) * 32
    else:
        whole = 16 // size
        limit = (SWIZZLES[swizzle] or 256) // size
        dims[0] = random.randint(1, 6) * whole if what != "load" else random.randint(2, 90)
        box[0] = whole * random.randint(1, max(1, min(limit // whole, 256 // whole)))
        row = -(-dims[0] * size // 16) * 16 + random.choice((0, 16, 48))
    strides, step = [], row
    for extent in dims[1:]:
        strides.append(step)
        step = -(-step * extent // 32) * 32 + random.choice((0, 32))
    if strides and interleave == "32B":
        strides = [-(-stride // 32) * 32 for stride in strides]
    taken = [box[0]] + [-(-extent // stride) for extent, stride in zip(box[1:], strides_of_elements[1:])]
    if math.prod(taken) * max(size, SWIZZLES[swizzle] // box[0]) > TILE or step > 1 << 18:
        return None
    tensor = {"buffer": "tensor", "type": kind, "dims": dims, "box": box, "element_strides": strides_of_elements, "interleave": interleave, "swizzle": swizzle}
    if strides:
        tensor["strides"] = strides
    if what == "load" and kind in FLOATS and random.random() < 0.3:
        tensor["fill"] = "nan"
    first = -3 if what == "load" else 0
    place = [random.randint(first, extent) if random.random() < 0.7 else 0 for extent in dims]
    if interleave == "none":
        place[0] = random.randint(first, -(-dims[0] // whole)) * whole
    return tensor, place, math.prod(taken) * size, step


def drawn_columns():
    """The same of columns of pixels, and the offsets of the pixel in its filter."""
    while True:
        kind, rank = random.choice(list(BYTES)), random.randint(3, 5)
        size, swizzle = BYTES[kind], random.choice(tuple(SWIZZLES))
        whole = 16 // size
        channels = whole * random.randint(1, (SWIZZLES[swizzle] or 64) // 16)
        dims = [random.choice((channels, channels + whole // 2 or 1, 3))] + [random.randint(3, 7) for _ in range(rank - 1)]
        lower, upper = ([random.randint(-2, 1) for _ in range(rank - 2)] for _ in range(2))
        pixels = random.randint(1, 64)
        sides = [extent + up - low for extent, low, up in zip(dims[1:-1], lower, upper)]
        if min(sides) < 1 or pixels * max(channels * size, SWIZZLES[swizzle]) > TILE:
            continue
        strides, step = [], -(-dims[0] * size // 16) * 16
        for extent in dims[1:]:
            strides.append(step)
            step = step * extent + random.choice((0, 16))
        place = [random.choice((0, 0, whole))] + [random.randint(low, low + side - 1) for low, side in zip(lower, sides)] + [random.randint(0, dims[-1] - 1)]
        tensor = {"buffer": "tensor", "type": kind, "dims": dims, "strides": strides, "swizzle": swizzle,
                  "element_strides": [1] + [random.choice((1, 1, 2)) for _ in range(rank - 2)] + [1],
                  "im2col": {"lower": lower, "upper": upper, "channels": channels, "pixels": pixels}}
        return tensor, place, channels * pixels * size, step, [random.randint(0, 2) for _ in range(rank - 2)]


def write_kernel(folder, name, copy, tensor, step, loads):
    factor, offset = (0, 0x11111111) if loads else (0x01030507, 0x00010203)
    (folder / f"{name}.ptx").write_text(KERNEL.format(tile=TILE, copy=copy, factor=factor, offset=offset))
    words = step // 4 + 64
    (folder / f"{name}.json").write_text(json.dumps({
        "ptx": f"{name}.ptx", "block": [128, 1, 1], "args": [{"buffer": "out"}, {"buffer": "map"}, {"buffer": "tensor"}], "tensor_maps": {"map": tensor},
        "buffers": {"out": {"type": "u32", "count": TILE // 4}, "map": {"type": "u8", "count": 128, "init": {"tensor_maps": ["map"]}},
                    "tensor": {"type": "u32", "count": words, "init": [word * 0x01010203 + 0x04050607 & 0xFFFFFFFF for word in range(words)]}}}) + "\n")


def write(folder):
    folder.mkdir(parents=True, exist_ok=True)
    random.seed(5)
    number = 0
    while number < COUNT:
        what = random.choice(("load", "load", "load", "store", "add"))
        one = drawn(what)
        if one is None or what == "add" and one[0]["type"] not in ("u32", "s32", "u64"):
            continue
        tensor, place, size, step = one
        rank, coordinates = len(place), ", ".join(map(str, place))
        op = f"cp.async.bulk.tensor.{rank}d.global.shared::cta.bulk_group" if what == "store" else f"cp.reduce.async.bulk.tensor.{rank}d.global.shared::cta.add.bulk_group"
        copy = LOAD.format(bytes=size, rank=rank, place=coordinates, mode="", offsets="") if what == "load" else STORE.format(op=op, place=coordinates)
        write_kernel(folder, f"tensor_{number:03}_{what}_{rank}d_{tensor['type']}_{tensor['swizzle']}_{tensor['interleave']}", copy, tensor, step, what == "load")
        number += 1
    for number in range(COLUMNS):
        tensor, place, size, step, offsets = drawn_columns()
        copy = LOAD.format(bytes=size, rank=len(place), place=", ".join(map(str, place)), mode=".im2col", offsets=f", {{{', '.join(map(str, offsets))}}}")
        write_kernel(folder, f"columns_{number:02}_{len(place)}d_{tensor['type']}_{tensor['swizzle']}", copy, tensor, step, True)


if __name__ == "__main__":
    write(pathlib.Path(*sys.argv[1:]))
