# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""Kernels in CUDA C++ (the folder cuda), compiled by the nvcc of PyPI."""

import pathlib

import numpy as np

from case import ARCHITECTURES, Case, Launch, Result, given, results
from muster.nvcc import ptx_from

HERE = pathlib.Path(__file__).resolve().parent


def case(source, kernel, make, block, grid=(1, 1, 1), cluster=(1, 1, 1), architectures=ARCHITECTURES):
    """A case whose arguments, in order, are what `make` returns."""
    text = (HERE / "cuda" / source).read_text()

    def build(architecture):
        values = make()
        return Launch(ptx_from(text, architecture), kernel, given(values), block, grid, cluster), results(values)

    return Case(kernel, "cuda", build, architectures)


def whole(shape, low, high, seed=1):
    return np.random.default_rng(seed).integers(low, high, shape).astype(np.int32)


def normal(shape, kind=np.float32, seed=1):
    return np.random.default_rng(seed).normal(0, 1, shape).astype(kind)


def make_all_reduce():
    values = whole((4, 64), -100, 100)
    return values, Result(np.full(4, values.sum(), np.int32))


def make_histogram():
    values = whole((4, 64), 0, 1000)
    return values, Result(np.bincount(values.ravel() % 32, minlength=32).astype(np.int32))


def make_sums(threads, batches=6):
    values = normal((batches, 256))
    places = values.reshape(batches, -1, threads).sum((0, 1))
    return values, Result(places, 1e-4, 1e-4), np.int32(batches)


def make_barriers():
    values = whole((5, 64), -100, 100)
    return values, Result(values[:, ::-1].sum(0).astype(np.int32)), np.int32(5)


def make_tiles():
    values = whole((12, 96), -100, 100)
    return values, Result(3 * values + 1), np.int32(96)


def make_product(kind):
    a, b = normal((32, 32), kind), normal((32, 32), kind, 2)
    return a, b, Result(a.astype(np.float32) @ b.astype(np.float32), 1e-4, 1e-4), np.int32(32)


HOPPER = ("sm_90a", "sm_100a")

CASES = [
    case("cluster.cu", "cluster_all_reduce", make_all_reduce, (64, 1, 1), (4, 1, 1), (4, 1, 1), HOPPER),
    case("cluster.cu", "cluster_histogram", make_histogram, (64, 1, 1), (4, 1, 1), (4, 1, 1), HOPPER),
    case("pipeline.cu", "pipeline_sum", lambda: make_sums(64), (128, 1, 1)),
    case("pipeline.cu", "bulk_ring", lambda: make_sums(128), (160, 1, 1), architectures=HOPPER),
    case("pipeline.cu", "two_barriers", make_barriers, (128, 1, 1)),
    case("scheduler.cu", "steal_tiles", make_tiles, (64, 1, 1), (12, 1, 1), architectures=("sm_100a",)),
    case("tile.cu", "wmma_product", lambda: make_product(np.float16), (32, 1, 1), (2, 2, 1)),
    case("tile.cu", "staged_product", lambda: make_product(np.float32), (16, 16, 1), (2, 2, 1)),
]
