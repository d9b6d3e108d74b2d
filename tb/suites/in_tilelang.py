# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""Kernels in TileLang, which makes CUDA C++ of them: nvcc makes the PTX."""

import numpy as np
import tilelang.language as T

from case import ARCHITECTURES, Case, Result, given, results
from muster.tilelang import launch


def case(name, program, make, architectures=ARCHITECTURES):
    """A case of a TileLang program. `make` returns its arguments by name, in order."""

    def build(architecture):
        values = make().values()
        return launch(program(), *given(values), target=architecture), results(values)

    return Case(name, "tilelang", build, architectures)


def normal(shape, kind=np.float32, seed=1):
    return np.random.default_rng(seed).normal(0, 1, shape).astype(kind)


def matmul(m=128, n=128, k=128, tile=(64, 64, 32), stages=3, threads=128):
    @T.prim_func
    def program(a: T.Tensor((m, k), "float16"), b: T.Tensor((k, n), "float16"), c: T.Tensor((m, n), "float32")):
        with T.Kernel(T.ceildiv(n, tile[1]), T.ceildiv(m, tile[0]), threads=threads) as (column, row):
            of_a = T.alloc_shared((tile[0], tile[2]), "float16")
            of_b = T.alloc_shared((tile[2], tile[1]), "float16")
            total = T.alloc_fragment((tile[0], tile[1]), "float32")
            T.clear(total)
            for step in T.Pipelined(T.ceildiv(k, tile[2]), num_stages=stages):
                T.copy(a[row * tile[0], step * tile[2]], of_a)
                T.copy(b[step * tile[2], column * tile[1]], of_b)
                T.gemm(of_a, of_b, total)
            T.copy(total, c[row * tile[0], column * tile[1]])

    return program


def make_matmul(m=128, n=128, k=128):
    a, b = normal((m, k), np.float16), normal((k, n), np.float16, 2)
    return {"a": a, "b": b, "c": Result(a.astype(np.float32) @ b.astype(np.float32), 1e-3, 1e-3)}


def split_k(m=64, n=64, k=256, splits=2):
    @T.prim_func
    def program(a: T.Tensor((m, k), "float16"), b: T.Tensor((k, n), "float16"), c: T.Tensor((m, n), "float32")):
        with T.Kernel(1, splits, threads=128) as (_, split):
            of_a = T.alloc_shared((m, 32), "float16")
            of_b = T.alloc_shared((32, n), "float16")
            total = T.alloc_fragment((m, n), "float32")
            T.clear(total)
            for step in T.Pipelined(k // splits // 32, num_stages=2):
                T.copy(a[0, split * (k // splits) + step * 32], of_a)
                T.copy(b[split * (k // splits) + step * 32, 0], of_b)
                T.gemm(of_a, of_b, total)
            for i, j in T.Parallel(m, n):
                T.atomic_add(c[i, j], total[i, j])

    return program


def rms_norm(rows=8, columns=256):
    @T.prim_func
    def program(x: T.Tensor((rows, columns), "float32"), y: T.Tensor((rows, columns), "float32")):
        with T.Kernel(rows // 4, threads=128) as block:
            values = T.alloc_fragment((4, columns), "float32")
            squares = T.alloc_fragment((4, columns), "float32")
            sums = T.alloc_fragment((4,), "float32")
            T.copy(x[block * 4, 0], values)
            for i, j in T.Parallel(4, columns):
                squares[i, j] = values[i, j] * values[i, j]
            T.reduce_sum(squares, sums, dim=1)
            for i, j in T.Parallel(4, columns):
                values[i, j] = values[i, j] * T.rsqrt(sums[i] / columns + 1e-5)
            T.copy(values, y[block * 4, 0])

    return program


def make_rms_norm(rows=8, columns=256):
    x = normal((rows, columns))
    return {"x": x, "y": Result((x / np.sqrt((x**2).mean(1, keepdims=True) + 1e-5)).astype(np.float32), 1e-4, 1e-3)}


def attention(heads=2, length=128, width=64, tile=64):
    scale = 1.44269504 / width**0.5  # exp2 of a score

    @T.prim_func
    def program(q: T.Tensor((heads, length, width), "float16"), k: T.Tensor((heads, length, width), "float16"),
                v: T.Tensor((heads, length, width), "float16"), out: T.Tensor((heads, length, width), "float32")):
        with T.Kernel(length // tile, heads, threads=128) as (row, head):
            query = T.alloc_shared((tile, width), "float16")
            keys = T.alloc_shared((tile, width), "float16")
            values = T.alloc_shared((tile, width), "float16")
            score = T.alloc_fragment((tile, tile), "float32")
            weight = T.alloc_fragment((tile, tile), "float16")
            mixed = T.alloc_fragment((tile, width), "float32")
            most = T.alloc_fragment((tile,), "float32")
            before = T.alloc_fragment((tile,), "float32")
            fade = T.alloc_fragment((tile,), "float32")
            sums = T.alloc_fragment((tile,), "float32")
            total = T.alloc_fragment((tile,), "float32")
            T.copy(q[head, row * tile, 0], query)
            T.fill(mixed, 0)
            T.fill(total, 0)
            T.fill(most, -1e30)
            for step in T.Pipelined(length // tile, num_stages=2):
                T.copy(k[head, step * tile, 0], keys)
                T.clear(score)
                T.gemm(query, keys, score, transpose_B=True, policy=T.GemmWarpPolicy.FullRow)
                T.copy(most, before)
                T.reduce_max(score, most, dim=1, clear=False)
                for i in T.Parallel(tile):
                    fade[i] = T.exp2((before[i] - most[i]) * scale)
                for i, j in T.Parallel(tile, tile):
                    score[i, j] = T.exp2((score[i, j] - most[i]) * scale)
                T.reduce_sum(score, sums, dim=1)
                for i in T.Parallel(tile):
                    total[i] = total[i] * fade[i] + sums[i]
                T.copy(score, weight)
                for i, j in T.Parallel(tile, width):
                    mixed[i, j] *= fade[i]
                T.copy(v[head, step * tile, 0], values)
                T.gemm(weight, values, mixed, policy=T.GemmWarpPolicy.FullRow)
            for i, j in T.Parallel(tile, width):
                mixed[i, j] /= total[i]
            T.copy(mixed, out[head, row * tile, 0])

    return program


def make_attention(heads=2, length=128, width=64):
    q, k, v = (normal((heads, length, width), np.float16, seed) for seed in (1, 2, 3))
    score = np.einsum("hid,hjd->hij", q.astype(np.float32), k.astype(np.float32)) / np.sqrt(width)
    weight = np.exp(score - score.max(2, keepdims=True))
    expected = np.einsum("hij,hjd->hid", weight / weight.sum(2, keepdims=True), v.astype(np.float32)).astype(np.float32)
    return {"q": q, "k": k, "v": v, "out": Result(expected, 4e-3, 1e-2)}


CASES = [
    case("matmul", matmul, make_matmul),
    case("matmul_8_warps", lambda: matmul(tile=(128, 128, 32), threads=256, stages=2), make_matmul),
    case("split_k", split_k, lambda: make_matmul(64, 64, 256)),
    case("rms_norm", rms_norm, make_rms_norm),
    case("attention", attention, make_attention),
]
