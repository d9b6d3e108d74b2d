#!/usr/bin/env python3
# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""Writes kernels with products of a warpgroup, their manifests and inputs into a folder:

  tile.json        products of 64 x 64 x 64 in f16 with sums in f32 (wgmma), 400 of them, one after the other
  attention.json   flash attention, forward: 2 heads of 256 queries and keys, 64 wide; a CTA has 64 queries, and takes keys and values by
                   tensor copies, 64 at a time

What the kernels must leave is computed here from the definition, and is in the manifests.
"""

import json
import math
import operator
import pathlib
import random
import struct
import sys

HEADS, LENGTH, WIDTH, TILE = 2, 256, 64, 64
TILES = 400
# A row of a tile is 128 bytes, swizzled; eight rows are 1024 bytes.
DESCRIPTOR = 0x4000004000400000
HEAD = "// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0\n.version 8.0\n.target sm_90a\n.address_size 64\n"
SHARED = "".join(f"  .shared .align 1024 .b8 {name}[8192];\n" for name in ("q", "k", "v")) + "  .shared .align 8 .b64 full[2];\n"


def listed(name, count=32):
    return "{" + ", ".join(f"%{name}{i}" for i in range(count)) + "}"


def descriptor(register, name):
    return (f"  mov.u32 %r9, {name}; shr.u32 %r9, %r9, 4; cvt.u64.u32 {register}, %r9;\n"
            f"  or.b64 {register}, {register}, {DESCRIPTOR:#x};\n")


def copy(parameter, name, row, mbarrier="%r8"):
    return (f"  mov.u64 %d1, {parameter}; cvta.param.u64 %d1, %d1; mov.u32 %r9, {name};\n"
            "  cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
            f"[%r9], [%d1, {{%r2, {row}}}], [{mbarrier}];\n")


def expect(count, mbarrier="%r8"):
    return f"  mbarrier.arrive.expect_tx.shared::cta.b64 _, [{mbarrier}], {count * 8192};\n"


def begin(name, parameters, registers=""):
    maps = ", ".join(f".param .align 64 .b8 {one}[128]" for one in parameters)
    return (f"{HEAD}.visible .entry {name}({maps}, .param .u64 out) {{\n"
            "  .reg .pred %p<8>; .reg .b32 %r<16>; .reg .b64 %d<8>; .reg .f32 %s<32>; .reg .f32 %o<32>;\n" + registers + SHARED +
            "  mov.u32 %r1, %tid.x; mov.u32 %r2, 0; mov.u32 %r8, full; setp.eq.u32 %p1, %r1, 0;\n"
            "  @%p1 mbarrier.init.shared::cta.b64 [%r8], 1;\n  @%p1 mbarrier.init.shared::cta.b64 [%r8+8], 1;\n  fence.mbarrier_init.release.cluster;\n  bar.sync 0;\n")


def wait(label, parity, mbarrier="%r8"):
    return f"{label}: mbarrier.try_wait.parity.shared::cta.b64 %p2, [{mbarrier}], {parity};\n  @!%p2 bra {label};\n"


def product_of_tiles(sums, first):
    """Of q and k, both with their rows along K."""
    text = descriptor("%d2", "q") + descriptor("%d3", "k") + "  wgmma.fence.sync.aligned;\n"
    for step in range(4):
        added = first if step == 0 else "1"
        text += (f"  wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {listed(sums)}, %d2, %d3, {added}, 1, 1, 0, 0;\n"
                 "  add.u64 %d2, %d2, 2; add.u64 %d3, %d3, 2;\n")
    return text + "  wgmma.commit_group.sync.aligned;\n  wgmma.wait_group.sync.aligned 0;\n"


def stored(row):
    """A thread's sums: two elements of row `row` and of the row eight below, in each eight columns."""
    text = ("  ld.param.u64 %d1, [out]; cvta.to.global.u64 %d1, %d1;\n"
            "  shr.u32 %r9, %r1, 2; and.b32 %r10, %r9, 7; shr.u32 %r9, %r1, 5; mad.lo.u32 %r10, %r9, 16, %r10;\n"
            f"  add.u32 %r10, %r10, {row}; and.b32 %r9, %r1, 3; shl.b32 %r9, %r9, 3; mad.lo.u32 %r10, %r10, {4 * WIDTH}, %r9;\n"
            "  cvt.u64.u32 %d2, %r10; add.u64 %d1, %d1, %d2;\n")
    for i in range(0, 32, 2):
        place = 32 * (i // 4) + (8 * 4 * WIDTH if i % 4 else 0)
        text += f"  st.global.v2.f32 [%d1+{place}], {{%o{i}, %o{i + 1}}};\n"
    return text + "  ret;\n}\n"


def tile():
    return (begin("tile", ["a", "b"]) + "  @!%p1 bra READY;\n" + expect(2) + copy("a", "q", "%r2") + copy("b", "k", "%r2") +
            "READY:\n" + wait("FULL", "0") + f"  mov.u32 %r3, 0;\nNEXT:\n  setp.ne.u32 %p3, %r3, 0;\n" +
            product_of_tiles("o", "0") + f"  add.u32 %r3, %r3, 1; setp.lt.u32 %p3, %r3, {TILES}; @%p3 bra NEXT;\n" + stored("0"))


def quad(operation, register):
    """The four threads that have a row."""
    return "".join(f"  mov.b32 %r9, {register}; shfl.sync.bfly.b32 %r9, %r9, {lane}, 31, 0xffffffff; mov.b32 %x9, %r9;\n"
                   f"  {operation}.f32 {register}, {register}, %x9;\n" for lane in (1, 2))


def attention():
    # %x0, %x1: the greatest score of each of the two rows so far; %x2, %x3: the sums; %x4, %x5: factors.
    text = begin("attention", ["queries", "keys", "values"], "  .reg .f32 %x<12>; .reg .b32 %a<16>;\n")
    text += (f"  mov.u32 %r3, %ctaid.y; mul.lo.u32 %r3, %r3, {LENGTH};\n"  # the head's first row
             f"  mov.u32 %r4, %ctaid.x; mad.lo.u32 %r4, %r4, {TILE}, %r3;\n"  # the first query
             "  mov.u32 %r5, 0;\n"  # the tile of keys
             "  mov.f32 %x0, 0fFF800000; mov.f32 %x1, 0fFF800000; mov.f32 %x2, 0f00000000; mov.f32 %x3, 0f00000000;\n")
    text += "".join(f"  mov.f32 %o{i}, 0f00000000;\n" for i in range(32))
    text += "  @!%p1 bra NEXT;\n" + expect(1, "%r8+8") + copy("queries", "q", "%r4", "%r8+8") + "NEXT:\n"
    text += "  @!%p1 bra READY;\n" + f"  mad.lo.u32 %r6, %r5, {TILE}, %r3;\n" + expect(2)
    text += copy("keys", "k", "%r6") + copy("values", "v", "%r6") + "READY:\n"
    text += "  and.b32 %r7, %r5, 1;\n" + wait("FULL", "%r7") + wait("QUERIES", "0", "%r8+8") + product_of_tiles("s", "0")
    scale = struct.unpack(">I", struct.pack(">f", math.log2(math.e) / math.sqrt(WIDTH)))[0]
    for row in range(2):
        own = [i for i in range(32) if (i // 2) % 2 == row]
        text += "".join(f"  mul.f32 %s{i}, %s{i}, 0f{scale:08X};\n" for i in own)
        text += f"  mov.f32 %x6, %x{row};\n" + "".join(f"  max.f32 %x{row}, %x{row}, %s{i};\n" for i in own) + quad("max", f"%x{row}")
        text += f"  sub.f32 %x6, %x6, %x{row}; ex2.approx.ftz.f32 %x6, %x6; mov.f32 %x7, 0f00000000;\n"
        for i in own:
            text += f"  sub.f32 %s{i}, %s{i}, %x{row}; ex2.approx.ftz.f32 %s{i}, %s{i}; add.f32 %x7, %x7, %s{i}; mul.f32 %o{i}, %o{i}, %x6;\n"
        text += quad("add", "%x7") + f"  fma.rn.f32 %x{2 + row}, %x{2 + row}, %x6, %x7;\n"
    text += "".join(f"  cvt.rn.f16x2.f32 %a{i}, %s{2 * i + 1}, %s{2 * i};\n" for i in range(16))
    text += descriptor("%d4", "v") + "  wgmma.fence.sync.aligned;\n"
    for step in range(4):  # 16 keys; the rows of v are along N
        fragment = "{" + ", ".join(f"%a{4 * step + i}" for i in range(4)) + "}"
        text += (f"  wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {listed('o')}, {fragment}, %d4, 1, 1, 1, 1;\n"
                 "  add.u64 %d4, %d4, 128;\n")
    text += "  wgmma.commit_group.sync.aligned;\n  wgmma.wait_group.sync.aligned 0;\n  bar.sync 0;\n"
    text += f"  add.u32 %r5, %r5, 1; setp.lt.u32 %p3, %r5, {LENGTH // TILE}; @%p3 bra NEXT;\n"
    for i in range(32):
        text += f"  div.rn.f32 %o{i}, %o{i}, %x{2 + (i // 2) % 2};\n"
    return text + stored("%r4")


def halves(count, seed):
    draw = random.Random(seed)
    return [struct.unpack("e", struct.pack("e", draw.gauss(0, 1)))[0] for _ in range(count)]


def rows(values):
    return [values[i:i + WIDTH] for i in range(0, len(values), WIDTH)]


def dot(a, b):
    return sum(map(operator.mul, a, b))


def attend(queries, keys, values):
    columns = list(zip(*values))
    result = []
    for query in queries:
        scores = [math.exp(dot(query, key) / math.sqrt(WIDTH)) for key in keys]
        total = sum(scores)
        result += [dot(scores, column) / total for column in columns]
    return result


def manifest(folder, name, text, inputs, result, grid):
    (folder / f"{name}.ptx").write_text(text)
    length = len(next(iter(inputs.values()))) // WIDTH
    buffers, maps = {}, {}
    for buffer, values in inputs.items():
        (folder / f"{buffer}.bin").write_bytes(struct.pack(f"<{len(values)}e", *values))
        buffers[buffer] = {"type": "f16", "count": len(values), "init": {"file": f"{buffer}.bin"}}
        maps[buffer] = {"buffer": buffer, "type": "f16", "dims": [WIDTH, length], "strides": [2 * WIDTH], "box": [WIDTH, TILE],
                        "swizzle": "128B"}
    buffers["out"] = {"type": "f32", "count": len(result), "init": "zero"}
    (folder / f"{name}.json").write_text(json.dumps({
        "ptx": f"{name}.ptx", "grid": grid, "block": [128, 1, 1], "tensor_maps": maps, "buffers": buffers,
        "args": [{"tensor_map": one} for one in inputs] + [{"buffer": "out"}],
        "expect": {"out": result}, "tolerance": {"out": {"absolute": 2e-3}}, "max_cycles": 100000000}, indent=1) + "\n")


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    a, b = halves(TILE * WIDTH, 1), halves(TILE * WIDTH, 2)
    manifest(folder, "tile", tile(), {"a": a, "b": b}, [dot(x, y) for x in rows(a) for y in rows(b)], [1, 1, 1])
    inputs = {name: halves(HEADS * LENGTH * WIDTH, seed) for seed, name in enumerate(("queries", "keys", "values"), 3)}
    result = []
    for head in range(HEADS):
        part = slice(head * LENGTH, (head + 1) * LENGTH)
        result += attend(*(rows(values)[part] for values in inputs.values()))
    manifest(folder, "attention", attention(), inputs, result, [LENGTH // TILE, HEADS, 1])


if __name__ == "__main__":
    main()
