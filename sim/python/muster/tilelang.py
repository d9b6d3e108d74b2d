# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""Kernels in TileLang, which makes CUDA C++ of them, of which nvcc makes PTX; compiled for a target that one names, and run on the unit.

    muster.tilelang.run(program, a, b, c, target="sm_90a")
"""

from __future__ import annotations

import pathlib
import re
from typing import Any

import numpy as np
import tilelang
from tilelang import tvm

from muster.arrays import TensorMap
from muster.launch import Launch
from muster.nvcc import ptx_from
from muster.report import Exploration, Report

_FOLDER = pathlib.Path(tilelang.__file__).parent
_INCLUDES = (_FOLDER / "src", _FOLDER / "3rdparty/cutlass/include")

# Values of the driver's CUtensorMapDataType and CUtensorMapSwizzle.
_TYPES = {0: "u8", 6: "f16", 7: "f32", 9: "bf16"}
_SWIZZLES = ("none", "32B", "64B", "128B")


def launch(program: Any, *args: np.ndarray, target: str = "sm_90a") -> Launch:
    """Compiles a T.prim_func with one kernel for a target such as "sm_80", "sm_90a" or "sm_100a", and returns its launch.

    The arguments are NumPy arrays, in the order of the function's. Grid and block are those of its T.Kernel. Raises TypeError where the arrays
    are not as many as the function's tensors, and what TileLang or nvcc raise.
    """
    names = [str(program.buffer_map[param].name) if param in program.buffer_map else str(param.name) for param in program.params]
    if len(names) != len(args):
        raise TypeError(f"the function takes {', '.join(names)}: {len(args)} arrays were given for {len(names)}")
    arrays = dict(zip(names, args, strict=True))
    how = {"kind": "cuda", "arch": target}
    with tvm.target.Target(how):
        artifact = tilelang.lower(program, target=how)
    host = str(artifact.host_mod)
    maps = {words[0]: _tensor_map(words[1:], arrays)
            for words in (call.split(", ") for call in re.findall(r'call_packed\("__tvm_tensormap_create_tiled", (.*?)\)', host))}
    calls = re.findall(r'call_packed\("(\w+_kernel)", (.*?)\)', host)
    if len(calls) != 1:
        raise TypeError(f"the function has {len(calls)} kernels: muster.tilelang takes one")
    entry, words = calls[0][0], calls[0][1].split(", ")
    count = sum(not word.isdigit() for word in words)
    given = {word: maps[word] if word in maps else arrays[word] for word in words[:count]}
    # The sizes of 1 at the end of the grid are left out.
    grid, block, shared = _split_sizes([int(word) for word in words[count:]], artifact.kernel_source)
    return Launch(ptx_from(artifact.kernel_source, target, _INCLUDES), entry, given, block, grid, shared=shared)


def run(program: Any, *args: np.ndarray, target: str = "sm_90a") -> Report:
    """launch(...).run(): for options of the run, such as a seed, call these two."""
    return launch(program, *args, target=target).run()


def explore(program: Any, *args: np.ndarray, target: str = "sm_90a") -> Exploration:
    """launch(...).explore(): for options, such as how long it takes, call these two."""
    return launch(program, *args, target=target).explore()


def _tensor_map(arguments: list[str], arrays: dict[str, np.ndarray]) -> TensorMap:
    """The tensor map that TileLang's host code would encode: type, rank, buffer, dimensions, strides, box, element strides, modes."""
    kind, rank = int(arguments[0]), int(arguments[1])
    numbers = [int(text) for text in arguments[3:]]
    parts = [numbers[rank * i:rank * (i + 1)] for i in range(4)]
    interleave, swizzle, _, fill = numbers[4 * rank:]
    if interleave or fill or kind not in _TYPES:
        raise TypeError(f"the kernel has a tensor map that muster.tilelang does not make: {', '.join(arguments)}")
    return TensorMap(arrays[arguments[2]], parts[0], parts[2], parts[1][1:], parts[3], _SWIZZLES[swizzle], _TYPES[kind])


def _split_sizes(sizes: list[int], source: str) -> tuple[tuple[int, ...], list[int], int | None]:
    """Grid, block, and bytes of dynamic shared memory, of the launch's numbers."""
    shared = sizes.pop() if "extern __shared__" in source else None
    block, grid = sizes[-3:], sizes[:-3]
    return (*grid, 1, 1)[:3], block, shared
