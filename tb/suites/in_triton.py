# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""Kernels in Triton, compiled without a GPU."""

import ml_dtypes
import numpy as np
import triton
import triton.language as tl

from case import ARCHITECTURES, Case, Result, given, results
from muster.triton import launch


def case(kernel, grid, make, name=None, architectures=ARCHITECTURES, **options):
    """A case whose arguments, by name, are what `make` returns."""

    def build(architecture):
        values = make()
        args = given(values[name] for name in kernel.arg_names)
        return launch(kernel, grid, *args, target=architecture, **options), results(values.values())

    return Case(name or kernel.__name__, "triton", build, architectures)


def normal(shape, kind=np.float32, seed=1):
    return np.random.default_rng(seed).normal(0, 1, shape).astype(np.float32).astype(kind)


def whole(shape, low, high, kind=np.int32, seed=1):
    return np.random.default_rng(seed).integers(low, high, shape).astype(kind)


def product(a, b):
    return a.astype(np.float32) @ b.astype(np.float32)


# ---------------------------------------------------------------------------------------------------
# Elements and rows
# ---------------------------------------------------------------------------------------------------


@triton.jit
def vector_add(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    tl.store(out + i, tl.load(x + i, mask) + tl.load(y + i, mask), mask)


def make_vector_add():
    x, y = normal(1000), normal(1000, seed=2)
    return {"x": x, "y": y, "out": Result(x + y), "n": np.int32(1000), "BLOCK": 256}


@triton.jit
def softmax(x, out, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    value = tl.load(x + row * columns + i, i < columns, other=-float("inf"))
    weight = tl.exp(value - tl.max(value, 0))
    tl.store(out + row * columns + i, weight / tl.sum(weight, 0), i < columns)


def make_softmax():
    x = normal((4, 200))
    weight = np.exp(x - x.max(1, keepdims=True))
    return {"x": x, "out": Result(weight / weight.sum(1, keepdims=True), 1e-6, 1e-4), "columns": np.int32(200), "BLOCK": 256}


@triton.jit
def layer_norm(x, weight, bias, out, columns, epsilon, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    mask = i < columns
    value = tl.load(x + row * columns + i, mask, other=0.0)
    mean = tl.sum(value, 0) / columns
    centred = tl.where(mask, value - mean, 0.0)
    scale = 1 / tl.sqrt(tl.sum(centred * centred, 0) / columns + epsilon)
    tl.store(out + row * columns + i, centred * scale * tl.load(weight + i, mask) + tl.load(bias + i, mask), mask)


def make_layer_norm():
    x, weight, bias = normal((4, 300)), normal(300, seed=2), normal(300, seed=3)
    scale = 1 / np.sqrt(x.var(1, keepdims=True) + 1e-5)
    expected = ((x - x.mean(1, keepdims=True)) * scale * weight + bias).astype(np.float32)
    return {"x": x, "weight": weight, "bias": bias, "out": Result(expected, 1e-4, 1e-3), "columns": np.int32(300),
            "epsilon": np.float32(1e-5), "BLOCK": 512}


@triton.jit
def cross_entropy(logits, target, loss, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    value = tl.load(logits + row * columns + i, i < columns, other=-float("inf"))
    most = tl.max(value, 0)
    total = tl.log(tl.sum(tl.exp(value - most), 0)) + most
    tl.store(loss + row, total - tl.load(logits + row * columns + tl.load(target + row)))


def make_cross_entropy():
    logits, target = normal((8, 100)), whole(8, 0, 100)
    total = np.log(np.exp(logits).sum(1))
    return {"logits": logits, "target": target, "loss": Result(total - logits[np.arange(8), target], 1e-4, 1e-4),
            "columns": np.int32(100), "BLOCK": 128}


@triton.jit
def running_sum(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.cumsum(tl.load(x + i), 0))


def make_running_sum():
    x = whole(1024, -100, 100)
    return {"x": x, "out": Result(np.cumsum(x, dtype=np.int32)), "BLOCK": 1024}


@triton.jit
def sort_rows(x, out, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    tl.store(out + row * BLOCK + i, tl.sort(tl.load(x + row * BLOCK + i)))


def make_sort_rows():
    x = whole((2, 256), -1000, 1000)
    return {"x": x, "out": Result(np.sort(x, 1)), "BLOCK": 256}


@triton.jit
def largest_place(x, out, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    tl.store(out + row, tl.argmax(tl.load(x + row * BLOCK + i), 0))


def make_largest_place():
    x = normal((8, 512))
    return {"x": x, "out": Result(x.argmax(1).astype(np.int32)), "BLOCK": 512}


@triton.jit
def histogram(x, out, BLOCK: tl.constexpr, BINS: tl.constexpr):
    value = tl.load(x + tl.program_id(0) * BLOCK + tl.arange(0, BLOCK))
    tl.atomic_add(out + tl.arange(0, BINS), tl.histogram(value, BINS))


def make_histogram():
    x = whole(1024, 0, 32)
    return {"x": x, "out": Result(np.bincount(x, minlength=32).astype(np.int32)), "BLOCK": 256, "BINS": 32}


@triton.jit
def transpose(x, out, rows, columns, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    j = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    tile = tl.load(x + i[:, None] * columns + j[None, :])
    tl.store(out + j[:, None] * rows + i[None, :], tl.trans(tile))


def make_transpose():
    x = normal((64, 128))
    return {"x": x, "out": Result(x.T.copy()), "rows": np.int32(64), "columns": np.int32(128), "BLOCK": 32}


@triton.jit
def embedding(table, index, out, WIDTH: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    column = tl.arange(0, WIDTH)
    place = tl.load(index + row)
    tl.store(out + row[:, None] * WIDTH + column[None, :], tl.load(table + place[:, None] * WIDTH + column[None, :]))


def make_embedding():
    table, index = normal((50, 64), np.float16), whole(64, 0, 50)
    return {"table": table, "index": index, "out": Result(table[index]), "WIDTH": 64, "BLOCK": 16}


# The CTAs of a grid meet twice at a counter in global memory, all of them resident.
@triton.jit
def all_reduce(x, part, ticket, out, CTAS: tl.constexpr, BLOCK: tl.constexpr):
    me = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    tl.atomic_add(part + i, tl.load(x + me * BLOCK + i))
    tl.debug_barrier()
    tl.atomic_add(ticket, 1, sem="release")
    while tl.atomic_add(ticket, 0, sem="acquire") < CTAS:
        pass
    tl.store(out + me * BLOCK + i, tl.load(part + i, volatile=True))


def make_all_reduce():
    x = whole((4, 128), -100, 100)
    total = x.sum(0).astype(np.int32)
    return {"x": x, "part": Result(total), "ticket": Result(np.array([4], np.int32)), "out": Result(np.tile(total, (4, 1))),
            "CTAS": 4, "BLOCK": 128}


# ---------------------------------------------------------------------------------------------------
# Matrices
# ---------------------------------------------------------------------------------------------------


@triton.jit
def matmul(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    depth = tl.arange(0, BK)
    at_a = a + rows[:, None] * K + depth[None, :]
    at_b = b + depth[:, None] * N + columns[None, :]
    total = tl.zeros((BM, BN), c.dtype.element_ty)
    for _ in range(0, K, BK):
        total = tl.dot(tl.load(at_a), tl.load(at_b), total, out_dtype=c.dtype.element_ty)
        at_a += BK
        at_b += BK * N
    tl.store(c + rows[:, None] * N + columns[None, :], total)


def make_matmul(kind=np.float16, size=(128, 128, 128), tile=(64, 64, 32)):
    m, n, k = size
    if kind == np.int8:
        a, b = whole((m, k), -100, 100, np.int8), whole((k, n), -100, 100, np.int8, seed=2)
        result = Result(a.astype(np.int32) @ b.astype(np.int32))
    else:
        a, b = normal((m, k), kind), normal((k, n), kind, seed=2)
        # tf32 keeps 10 of the 23 bits of a fraction; of sums of e4m3 products an H200 keeps fewer than f32 has.
        off = {np.float32: 0.1, ml_dtypes.float8_e4m3fn: 0.02}
        result = Result(product(a, b), off.get(kind, 1e-3), 1e-3)
    return {"a": a, "b": b, "c": result, "M": np.int32(m), "N": np.int32(n), "K": np.int32(k),
            "BM": tile[0], "BN": tile[1], "BK": tile[2]}


@triton.jit
def matmul_persistent(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, CTAS: tl.constexpr):
    tiles_n = tl.cdiv(N, BN)
    for tile in tl.range(tl.program_id(0), tl.cdiv(M, BM) * tiles_n, CTAS, flatten=True):
        rows = tile // tiles_n * BM + tl.arange(0, BM)
        columns = tile % tiles_n * BN + tl.arange(0, BN)
        total = tl.zeros((BM, BN), tl.float32)
        for k in range(0, K, BK):
            depth = k + tl.arange(0, BK)
            total = tl.dot(tl.load(a + rows[:, None] * K + depth[None, :]), tl.load(b + depth[:, None] * N + columns[None, :]), total)
        tl.store(c + rows[:, None] * N + columns[None, :], total)


def make_persistent():
    return {**make_matmul(size=(128, 192, 64)), "CTAS": 2}


@triton.jit
def matmul_split_k(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, SPLITS: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    total = tl.zeros((BM, BN), tl.float32)
    for k in range(tl.program_id(2) * BK, K, BK * SPLITS):
        depth = k + tl.arange(0, BK)
        total = tl.dot(tl.load(a + rows[:, None] * K + depth[None, :]), tl.load(b + depth[:, None] * N + columns[None, :]), total)
    tl.atomic_add(c + rows[:, None] * N + columns[None, :], total)


def make_split_k():
    return {**make_matmul(size=(64, 64, 128)), "SPLITS": 2}


# A tile's work may be of several CTAs. The one that begins it waits for those that go on with it.
@triton.jit
def matmul_stream_k(a, b, c, part, lock, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, STEPS: tl.constexpr):
    per_tile = K // BK
    tiles_n = N // BN
    me = tl.program_id(0)
    step = me * STEPS
    end = step + STEPS
    place = tl.arange(0, BM)[:, None] * BN + tl.arange(0, BN)[None, :]
    while step < end:
        tile = step // per_tile
        stop = min(end, (tile + 1) * per_tile)
        rows = tile // tiles_n * BM + tl.arange(0, BM)
        columns = tile % tiles_n * BN + tl.arange(0, BN)
        total = tl.zeros((BM, BN), tl.float32)
        first = step
        while step < stop:
            depth = step % per_tile * BK + tl.arange(0, BK)
            total = tl.dot(tl.load(a + rows[:, None] * K + depth[None, :]), tl.load(b + depth[:, None] * N + columns[None, :]), total)
            step += 1
        if first % per_tile != 0:
            tl.store(part + me * BM * BN + place, total)
            tl.debug_barrier()
            tl.atomic_xchg(lock + me, 1, sem="release")
        else:
            covered = stop
            other = me + 1
            while covered < (tile + 1) * per_tile:
                while tl.atomic_cas(lock + other, 1, 1, sem="acquire") != 1:
                    pass
                total += tl.load(part + other * BM * BN + place, volatile=True)
                covered += STEPS
                other += 1
            tl.store(c + rows[:, None] * N + columns[None, :], total)


def make_stream_k():
    a, b = normal((64, 192), np.float16), normal((192, 64), np.float16, seed=2)
    parts = 6
    scratch = np.zeros((parts, 32, 32), np.float32)
    return {"a": a, "b": b, "c": Result(product(a, b), 1e-3, 1e-3), "part": scratch, "lock": np.zeros(parts, np.int32),
            "N": np.int32(64), "K": np.int32(192), "BM": 32, "BN": 32, "BK": 64, "STEPS": 2}


# Rows of a are gathered by expert, as in a mixture of experts.
@triton.jit
def expert_matmul(a, b, c, row_of, expert_of, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    block = tl.program_id(0)
    rows = tl.load(row_of + block * BM + tl.arange(0, BM))
    weights = b + tl.load(expert_of + block) * K * N
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    total = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        depth = k + tl.arange(0, BK)
        total = tl.dot(tl.load(a + rows[:, None] * K + depth[None, :]), tl.load(weights + depth[:, None] * N + columns[None, :]), total)
    tl.store(c + rows[:, None] * N + columns[None, :], total)


def make_expert():
    a, b = normal((64, 64), np.float16), normal((2, 64, 64), np.float16, seed=2)
    expert = np.repeat([0, 1], 32)
    np.random.default_rng(3).shuffle(expert)
    row_of = np.argsort(expert, kind="stable").astype(np.int32)
    expected = np.stack([product(a[row:row + 1], b[expert[row]])[0] for row in range(64)])
    return {"a": a, "b": b, "c": Result(expected, 1e-3, 1e-3), "row_of": row_of, "expert_of": np.array([0, 1], np.int32),
            "N": np.int32(64), "K": np.int32(64), "BM": 32, "BN": 64, "BK": 32}


@triton.jit
def matmul_tma(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, SPECIALIZE: tl.constexpr):
    of_a = tl.make_tensor_descriptor(a, [M, K], [K, 1], [BM, BK])
    of_b = tl.make_tensor_descriptor(b, [K, N], [N, 1], [BK, BN])
    of_c = tl.make_tensor_descriptor(c, [M, N], [N, 1], [BM, BN])
    row = tl.program_id(0) * BM
    column = tl.program_id(1) * BN
    total = tl.zeros((BM, BN), tl.float32)
    for k in tl.range(0, K, BK, warp_specialize=SPECIALIZE):
        total = tl.dot(of_a.load([row, k]), of_b.load([k, column]), total)
    of_c.store([row, column], total)


def make_tma(specialize, size=(128, 128, 128), tile=(128, 64, 64)):
    return {**make_matmul(size=size, tile=tile), "SPECIALIZE": specialize}


# ---------------------------------------------------------------------------------------------------
# Attention
# ---------------------------------------------------------------------------------------------------


@triton.jit
def attention(q, k, v, out, scale, LENGTH: tl.constexpr, WIDTH: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, CAUSAL: tl.constexpr,
              SPECIALIZE: tl.constexpr):
    head = tl.program_id(1) * LENGTH * WIDTH
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    column = tl.arange(0, WIDTH)
    query = tl.load(q + head + rows[:, None] * WIDTH + column[None, :])
    most = tl.full((BM,), -float("inf"), tl.float32)
    total = tl.zeros((BM,), tl.float32)
    mixed = tl.zeros((BM, WIDTH), tl.float32)
    stop = (tl.program_id(0) + 1) * BM if CAUSAL else LENGTH
    for begin in tl.range(0, stop, BN, warp_specialize=SPECIALIZE):
        keys = begin + tl.arange(0, BN)
        key = tl.load(k + head + keys[None, :] * WIDTH + column[:, None])
        score = tl.dot(query, key) * scale
        if CAUSAL:
            score = tl.where(rows[:, None] >= keys[None, :], score, -float("inf"))
        now = tl.maximum(most, tl.max(score, 1))
        weight = tl.exp(score - now[:, None])
        fade = tl.exp(most - now)
        total = total * fade + tl.sum(weight, 1)
        value = tl.load(v + head + keys[:, None] * WIDTH + column[None, :])
        mixed = tl.dot(weight.to(tl.float16), value, mixed * fade[:, None])
        most = now
    tl.store(out + head + rows[:, None] * WIDTH + column[None, :], mixed / total[:, None])


def make_attention(causal, specialize=False, heads=2, length=128, width=64, tile=(64, 64)):
    q, k, v = (normal((heads, length, width), np.float16, seed) for seed in (1, 2, 3))
    score = np.einsum("hid,hjd->hij", q.astype(np.float32), k.astype(np.float32)) / np.sqrt(width)
    if causal:
        score = np.where(np.tril(np.ones((length, length), bool)), score, -np.inf)
    weight = np.exp(score - score.max(2, keepdims=True))
    expected = np.einsum("hij,hjd->hid", weight / weight.sum(2, keepdims=True), v.astype(np.float32)).astype(np.float32)
    return {"q": q, "k": k, "v": v, "out": Result(expected, 4e-3, 1e-2), "scale": np.float32(1 / np.sqrt(width)), "LENGTH": length,
            "WIDTH": width, "BM": tile[0], "BN": tile[1], "CAUSAL": causal, "SPECIALIZE": specialize}


TMA = ("sm_90a", "sm_100a")  # have tensor copies

CASES = [
    case(vector_add, (4, 1, 1), make_vector_add),
    case(softmax, (4, 1, 1), make_softmax),
    case(layer_norm, (4, 1, 1), make_layer_norm),
    case(cross_entropy, (8, 1, 1), make_cross_entropy),
    case(running_sum, (1, 1, 1), make_running_sum),
    case(sort_rows, (2, 1, 1), make_sort_rows),
    case(largest_place, (8, 1, 1), make_largest_place),
    case(histogram, (4, 1, 1), make_histogram),
    case(transpose, (2, 4, 1), make_transpose),
    case(embedding, (4, 1, 1), make_embedding),
    case(all_reduce, (4, 1, 1), make_all_reduce),
    case(matmul, (2, 2, 1), make_matmul, name="matmul_f16"),
    case(matmul, (2, 2, 1), lambda: make_matmul(ml_dtypes.bfloat16), name="matmul_bf16"),
    case(matmul, (2, 2, 1), lambda: make_matmul(np.float32), name="matmul_tf32"),
    case(matmul, (2, 2, 1), lambda: make_matmul(np.int8), name="matmul_s8"),
    case(matmul, (1, 2, 1), lambda: make_matmul(ml_dtypes.float8_e4m3fn, tile=(128, 64, 64)), name="matmul_e4m3", architectures=TMA),
    case(matmul, (1, 1, 1), lambda: make_matmul(tile=(128, 128, 64)), name="matmul_stages", num_stages=4),
    case(matmul, (1, 1, 1), lambda: make_matmul(tile=(128, 128, 32)), name="matmul_8_warps", num_warps=8),
    case(matmul_persistent, (2, 1, 1), make_persistent),
    case(matmul_split_k, (1, 1, 2), make_split_k),
    case(matmul_stream_k, (6, 1, 1), make_stream_k),
    case(expert_matmul, (2, 1, 1), make_expert),
    case(matmul_tma, (1, 2, 1), lambda: make_tma(False), architectures=TMA),
    case(matmul_tma, (1, 2, 1), lambda: make_tma(True), name="matmul_tma_specialized", architectures=TMA),
    case(attention, (2, 2, 1), lambda: make_attention(False), name="attention"),
    case(attention, (2, 2, 1), lambda: make_attention(True), name="attention_causal"),
    case(attention, (1, 2, 1), lambda: make_attention(False, tile=(128, 64)), name="attention_8_warps", num_warps=8),
    case(attention, (1, 2, 1), lambda: make_attention(False, True, tile=(128, 64)), name="attention_specialized", architectures=("sm_100a",)),
]
