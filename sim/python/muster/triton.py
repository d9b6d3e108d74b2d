# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""Kernels in Triton, compiled for a target that one names, without a GPU, and run on the unit.

    muster.triton.run(add, (8,), x, y, out, np.int32(1000), BLOCK=128, target="sm_90a")
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import triton
from triton.backends.compiler import GPUTarget
from triton.backends.nvidia.compiler import CUDAOptions
from triton.compiler import ASTSource

from muster.arrays import type_of
from muster.launch import Launch
from muster.report import Exploration, Report

_POINTERS = {"bool": "*i1", "float16": "*fp16", "bfloat16": "*bf16", "float8_e4m3fn": "*fp8e4nv", "float8_e5m2": "*fp8e5", "float32": "*fp32",
             "float64": "*fp64", "int8": "*i8", "int16": "*i16", "int32": "*i32", "int64": "*i64",
             "uint8": "*u8", "uint16": "*u16", "uint32": "*u32", "uint64": "*u64"}
_SCALARS = {"bool": "i1", "float32": "fp32", "float64": "fp64", "int8": "i8", "int16": "i16", "int32": "i32", "int64": "i64",
            "uint8": "u8", "uint16": "u16", "uint32": "u32", "uint64": "u64"}
_ALIGNED = [["tt.divisibility", 16]]  # Triton's own launcher finds this out by itself


def launch(kernel: triton.JITFunction, grid: Sequence[int] | Callable[[Mapping[str, Any]], Sequence[int]], *args: Any, target: str = "sm_90a",
           **named: Any) -> Launch:
    """Compiles a kernel for a target such as "sm_80", "sm_90a" or "sm_100a", and returns its launch.

    The arguments are those of kernel[grid](...): in the order of the parameters, or by name; constants (tl.constexpr) and Triton's own options,
    such as num_warps, by name. Arrays are of NumPy, and at 16 bytes aligned for the kernel. Numbers are of NumPy, or of Python, which makes
    them i32 (i64 where they do not fit) and fp32. Raises TypeError for what the kernel cannot have, and what Triton's compiler raises.
    """
    if not isinstance(kernel, triton.JITFunction):
        raise TypeError(f"{kernel!r} is no function with @triton.jit; of an autotuned one take .fn, and choose its constants")
    names = list(kernel.arg_names)
    if len(args) > len(names):
        raise TypeError(f"{kernel.__name__} has {len(names)} parameters, and {len(args)} arguments were given")
    values = dict(zip(names, args, strict=False)) | {name: named.pop(name) for name in names[len(args):] if name in named}
    for name in named:
        if name not in CUDAOptions.__dataclass_fields__:
            raise TypeError(f"{kernel.__name__} has no parameter {name}, and Triton no such option: there are {', '.join(names)}, and num_warps, num_stages, ...")
    constants = {}
    for parameter in kernel.params:
        if parameter.name not in values:
            if not parameter.has_default:
                raise TypeError(f"{kernel.__name__} has a parameter {parameter.name}, and no argument is given for it")
            values[parameter.name] = parameter.default
        if parameter.is_constexpr or values[parameter.name] is None:
            constants[parameter.name] = values.pop(parameter.name)
    given = {name: _typed(value) for name, value in values.items()}
    made = _compiled(kernel, target, given, constants, named)
    meta = made.metadata
    sizes = grid({**given, **constants}) if callable(grid) else grid
    extent = (sizes,) if isinstance(sizes, int) else tuple(sizes)
    extent = (*extent, 1, 1)[:3]
    scratch = [np.zeros(max(size * int(np.prod(extent)) * meta.num_ctas, 1), np.uint8)
               for size in (meta.global_scratch_size, meta.profile_scratch_size)]
    own = {name: given[name] for name in names if name in given} | {"global_scratch": scratch[0], "profile_scratch": scratch[1]}
    return Launch(made.asm["ptx"], meta.name, own, block=32 * _warps(made),
                  grid=(extent[0] * meta.num_ctas, *extent[1:]), cluster=(meta.num_ctas, 1, 1), shared=meta.shared)


def run(kernel: triton.JITFunction, grid: Sequence[int] | Callable[[Mapping[str, Any]], Sequence[int]], *args: Any, target: str = "sm_90a",
        **named: Any) -> Report:
    """launch(...).run(): for options of the run, such as a seed, call these two."""
    return launch(kernel, grid, *args, target=target, **named).run()


def explore(kernel: triton.JITFunction, grid: Sequence[int] | Callable[[Mapping[str, Any]], Sequence[int]], *args: Any, target: str = "sm_90a",
            **named: Any) -> Exploration:
    """launch(...).explore(): for options, such as how long it takes, call these two."""
    return launch(kernel, grid, *args, target=target, **named).explore()


def _typed(value: Any) -> np.ndarray | np.generic:
    if isinstance(value, (np.ndarray, np.generic)):
        return value
    if isinstance(value, bool):
        return np.bool_(value)
    if isinstance(value, int):
        return np.int32(value) if -2**31 <= value < 2**31 else np.int64(value)
    if isinstance(value, float):
        return np.float32(value)
    raise TypeError(f"{value!r} is neither a NumPy array nor a number")


def _compiled(kernel: triton.JITFunction, target: str, arguments: dict[str, Any], constants: dict[str, Any], options: dict[str, Any]) -> Any:
    signature, attributes = {}, {}
    for index, name in enumerate(kernel.arg_names):
        if name in constants:
            signature[name] = "constexpr"
            continue
        value = arguments[name]
        types = _SCALARS if isinstance(value, np.generic) else _POINTERS
        type_of(value.dtype)
        if value.dtype.name not in types:
            raise TypeError(f"Triton has no number of type {value.dtype}: give an array, or another type, for {name}")
        signature[name] = types[value.dtype.name]
        if types is _POINTERS or (value.dtype.kind in "iu" and value.item() % 16 == 0):
            attributes[(index,)] = _ALIGNED
    if not (named := re.fullmatch(r"sm_(\d+)[af]?", target)):
        raise TypeError(f'the target is {target!r}, and not such as "sm_90a"')
    number = int(named[1])
    return triton.compile(ASTSource(kernel, signature, constants, attributes), target=GPUTarget("cuda", number, 32), options=options)


def _warps(made: Any) -> int:
    """Warps of a CTA, those that warp specialization adds included: the PTX has them as .reqntid."""
    directive = made.asm["ptx"].split(".reqntid", 1)
    return made.metadata.num_warps if len(directive) == 1 else int(directive[1].split("\n")[0].split(",")[0].strip()) // 32
