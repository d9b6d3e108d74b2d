# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""Kernels in the CuTe DSL of CUTLASS, compiled without a GPU."""

import cutlass
import cutlass.cute as cute
import numpy as np
from cutlass import pipeline

from case import ARCHITECTURES, Case, Result, given, results
from muster.cute import launch

HOPPER = ("sm_90a", "sm_100a")


def case(name, program, make, grid=(1, 1, 1), cluster=(1, 1, 1), architectures=ARCHITECTURES):
    """A case of a host function, whose one launch has these sizes. `make` returns its arguments, in order."""

    def build(architecture):
        values = make()
        return launch(program, grid, *given(values), cluster=cluster, target=architecture), results(values)

    return Case(name, "cute", build, architectures)


def normal(shape, kind=np.float32, seed=1):
    return np.random.default_rng(seed).normal(0, 1, shape).astype(kind)


def whole(shape, low, high, seed=1):
    return np.random.default_rng(seed).integers(low, high, shape).astype(np.int32)


# ---------------------------------------------------------------------------------------------------
# Elements
# ---------------------------------------------------------------------------------------------------


@cute.kernel
def scale_kernel(x: cute.Tensor, y: cute.Tensor):
    thread, _, _ = cute.arch.thread_idx()
    block, _, _ = cute.arch.block_idx()
    i = block * 128 + thread
    y[i] = x[i] * 2.0 + 1.0


@cute.jit
def scale(x: cute.Tensor, y: cute.Tensor):
    scale_kernel(x, y).launch(grid=(2, 1, 1), block=(128, 1, 1))


def make_scale():
    x = normal(256)
    return x, Result(x * 2 + 1)


# ---------------------------------------------------------------------------------------------------
# Threads of a CTA
# ---------------------------------------------------------------------------------------------------


@cute.kernel
def block_sum_kernel(x: cute.Tensor, y: cute.Tensor):
    thread, _, _ = cute.arch.thread_idx()
    block, _, _ = cute.arch.block_idx()
    parts = cutlass.utils.SmemAllocator().allocate_tensor(cutlass.Int32, cute.make_layout(4))
    part = cute.arch.warp_redux_sync(x[block, thread], kind="add")
    if thread % 32 == 0:
        parts[thread // 32] = part
    cute.arch.sync_threads()
    if thread == 0:
        y[block] = parts[0] + parts[1] + parts[2] + parts[3]


@cute.jit
def block_sum(x: cute.Tensor, y: cute.Tensor):
    block_sum_kernel(x, y).launch(grid=(3, 1, 1), block=(128, 1, 1))


def make_block_sum():
    x = whole((3, 128), -100, 100)
    return x, Result(x.sum(1).astype(np.int32))


# Two warps hand a buffer to and fro at two named barriers.
@cute.kernel
def to_and_fro_kernel(x: cute.Tensor, y: cute.Tensor):
    thread, _, _ = cute.arch.thread_idx()
    data = cutlass.utils.SmemAllocator().allocate_tensor(cutlass.Int32, cute.make_layout(32))
    full = pipeline.NamedBarrier(barrier_id=1, num_threads=64)
    empty = pipeline.NamedBarrier(barrier_id=2, num_threads=64)
    if thread < 32:
        for step in cutlass.range(4):
            data[thread] = x[step, thread]
            full.arrive()
            empty.arrive_and_wait()
    else:
        total = cutlass.Int32(0)
        for step in cutlass.range(4):
            full.arrive_and_wait()
            total += data[63 - thread]
            empty.arrive()
        y[thread - 32] = total


@cute.jit
def to_and_fro(x: cute.Tensor, y: cute.Tensor):
    to_and_fro_kernel(x, y).launch(grid=(1, 1, 1), block=(64, 1, 1))


def make_to_and_fro():
    x = whole((4, 32), -100, 100)
    return x, Result(x.sum(0)[::-1].astype(np.int32))


# A ring of two stages: warp 0 produces, warp 1 consumes, by CUTLASS's pipeline on mbarriers.
@cute.kernel
def ring_kernel(x: cute.Tensor, y: cute.Tensor):
    thread, _, _ = cute.arch.thread_idx()
    warp = cute.arch.make_warp_uniform(cute.arch.warp_idx())
    memory = cutlass.utils.SmemAllocator()
    stages = memory.allocate_tensor(cutlass.Int32, cute.make_layout((2, 32)))
    barriers = memory.allocate_array(cutlass.Int64, 4)
    group = pipeline.CooperativeGroup(pipeline.Agent.Thread, 32)
    producer, consumer = pipeline.PipelineAsync.create(
        num_stages=2, producer_group=group, consumer_group=group, barrier_storage=barriers).make_participants()
    if warp == 0:
        for step in cutlass.range(6):
            place = producer.acquire_and_advance()
            stages[place.index, thread] = x[step, thread]
            place.commit()
        producer.tail()
    if warp == 1:
        total = cutlass.Int32(0)
        for _ in cutlass.range(6):
            place = consumer.wait_and_advance()
            total += stages[place.index, 63 - thread]
            place.release()
        y[thread - 32] = total


@cute.jit
def ring(x: cute.Tensor, y: cute.Tensor):
    ring_kernel(x, y).launch(grid=(1, 1, 1), block=(64, 1, 1))


def make_ring():
    x = whole((6, 32), -100, 100)
    return x, Result(x.sum(0)[::-1].astype(np.int32))


# ---------------------------------------------------------------------------------------------------
# CTAs of a cluster
# ---------------------------------------------------------------------------------------------------


# Each CTA sends its largest element to the others, and waits at its own mbarrier for theirs.
@cute.kernel
def cluster_max_kernel(x: cute.Tensor, y: cute.Tensor):
    thread, _, _ = cute.arch.thread_idx()
    block, _, _ = cute.arch.block_idx()
    memory = cutlass.utils.SmemAllocator()
    received = memory.allocate_tensor(cutlass.Int32, cute.make_layout(4), byte_alignment=16)
    full = memory.allocate_array(cutlass.Int64, 1)
    most = cute.arch.warp_redux_sync(x[block, thread], kind="max")
    if thread == 0:
        cute.arch.mbarrier_init(full, 1)
        cute.arch.mbarrier_init_fence()
        cute.arch.mbarrier_arrive_and_expect_tx(full, 12)
        received[block] = most
    cute.arch.cluster_arrive()
    cute.arch.cluster_wait()
    if thread < 4 and thread != block:
        cute.arch.store_async_dsmem(received.iterator + block, most, full, thread)
    cute.arch.mbarrier_wait(full, 0)
    if thread < 4:
        y[block, thread] = received[thread]
    cute.arch.cluster_arrive()
    cute.arch.cluster_wait()


@cute.jit
def cluster_max(x: cute.Tensor, y: cute.Tensor):
    cluster_max_kernel(x, y).launch(grid=(4, 1, 1), block=(32, 1, 1), cluster=(4, 1, 1))


def make_cluster_max():
    x = whole((4, 32), -1000, 1000)
    return x, Result(np.tile(x.max(1), (4, 1)).astype(np.int32))


# ---------------------------------------------------------------------------------------------------
# Matrices
# ---------------------------------------------------------------------------------------------------


# One warp, 16 x 8 x 16 at a time.
@cute.kernel
def warp_mma_kernel(a: cute.Tensor, b: cute.Tensor, c: cute.Tensor, product: cute.TiledMma):
    thread, _, _ = cute.arch.thread_idx()
    mine = product.get_slice(thread)
    from_a, from_b, to_c = mine.partition_A(a), mine.partition_B(b), mine.partition_C(c)
    of_a, of_b, of_c = product.make_fragment_A(from_a), product.make_fragment_B(from_b), product.make_fragment_C(to_c)
    cute.autovec_copy(from_a, of_a)
    cute.autovec_copy(from_b, of_b)
    of_c.fill(0.0)
    cute.gemm(product, of_c, of_a, of_b, of_c)
    cute.autovec_copy(of_c, to_c)


@cute.jit
def warp_mma(a: cute.Tensor, b: cute.Tensor, c: cute.Tensor):
    product = cute.make_tiled_mma(cute.nvgpu.warp.MmaF16BF16Op(cutlass.Float16, cutlass.Float32, (16, 8, 16)))
    warp_mma_kernel(a, b, c, product).launch(grid=(1, 1, 1), block=(32, 1, 1))


def make_warp_mma():
    a, b = normal((32, 64), np.float16), normal((16, 64), np.float16, 2)
    return a, b, Result(a.astype(np.float32) @ b.astype(np.float32).T, 1e-3, 1e-3)


CASES = [
    case("scale", scale, make_scale, (2, 1, 1)),
    case("block_sum", block_sum, make_block_sum, (3, 1, 1)),
    case("to_and_fro", to_and_fro, make_to_and_fro),
    case("ring", ring, make_ring, architectures=HOPPER),
    case("cluster_max", cluster_max, make_cluster_max, (4, 1, 1), (4, 1, 1), HOPPER),
    case("warp_mma", warp_mma, make_warp_mma),
]
