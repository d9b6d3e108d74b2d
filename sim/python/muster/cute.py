# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""Kernels in the CuTe DSL of CUTLASS, compiled for a target that one names, without a GPU, and run on the unit.

    muster.cute.run(scale, (2, 1, 1), x, y, target="sm_90a")
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from typing import Any

import cutlass
import numpy as np
from cutlass import cute
from cutlass.cute.runtime import make_fake_compact_tensor

from muster.launch import Launch
from muster.report import Exploration, Report

_TYPES = {"float16": cutlass.Float16, "bfloat16": cutlass.BFloat16, "float32": cutlass.Float32, "float64": cutlass.Float64,
          "float8_e4m3fn": cutlass.Float8E4M3FN, "float8_e5m2": cutlass.Float8E5M2,
          "int8": cutlass.Int8, "int16": cutlass.Int16, "int32": cutlass.Int32, "int64": cutlass.Int64,
          "uint8": cutlass.Uint8, "uint16": cutlass.Uint16, "uint32": cutlass.Uint32, "uint64": cutlass.Uint64}


def launch(function: Callable[..., Any], grid: Sequence[int], *args: np.ndarray, cluster: Sequence[int] | None = None, shared: int | None = None,
           target: str = "sm_90a") -> Launch:
    """Compiles a host function (@cute.jit) for a target such as "sm_80", "sm_90a" or "sm_100a", and returns the launch of its one kernel.

    The host function is compiled and does not run: so `grid`, `cluster` and `shared`, the bytes of dynamic shared memory, repeat what its
    launch(...) says. Its arguments are NumPy arrays, each a compact tensor in the order of C, aligned at 16 bytes, of which the kernel takes
    those that the function takes, in the same order. Raises TypeError for others, and what the DSL's compiler raises.
    """
    for index, array in enumerate(args):
        if not isinstance(array, np.ndarray) or array.dtype.name not in _TYPES:
            raise TypeError(f"argument {index} is no array of one of {', '.join(_TYPES)}")
    tensors = [make_fake_compact_tensor(_TYPES[array.dtype.name], array.shape, stride_order=tuple(reversed(range(array.ndim))), assumed_align=16)
               for array in args]
    with tempfile.TemporaryDirectory() as folder:
        ptx = cute.compile(function, *tensors, options=f"--gpu-arch {target} --keep-ptx --dump-dir {folder}").__ptx__.rstrip("\0")
    if ptx.count(".entry ") != 1:
        raise TypeError(f"{getattr(function, '__name__', 'the function')} launches {ptx.count('.entry ')} kernels: muster.cute takes one")
    entry = ptx.split(".entry ", 1)[1].split("(", 1)[0].strip()
    block = [int(size) for size in ptx.split(".reqntid", 1)[1].split("\n")[0].split(",")]
    return Launch(ptx, entry, args, block, tuple(grid), cluster, shared)


def run(function: Callable[..., Any], grid: Sequence[int], *args: np.ndarray, cluster: Sequence[int] | None = None, shared: int | None = None,
        target: str = "sm_90a") -> Report:
    """launch(...).run(): for options of the run, such as a seed, call these two."""
    return launch(function, grid, *args, cluster=cluster, shared=shared, target=target).run()


def explore(function: Callable[..., Any], grid: Sequence[int], *args: np.ndarray, cluster: Sequence[int] | None = None,
            shared: int | None = None, target: str = "sm_90a") -> Exploration:
    """launch(...).explore(): for options, such as how long it takes, call these two."""
    return launch(function, grid, *args, cluster=cluster, shared=shared, target=target).explore()
