# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""A kernel in one of the languages, its inputs, and what NumPy says must come of them."""

from __future__ import annotations

import dataclasses
import json
import pathlib
from collections.abc import Callable, Sequence

import numpy as np

ARCHITECTURES = ("sm_80", "sm_90a", "sm_100a")

# The names of element types in manifests.
TYPES = {"float16": "f16", "bfloat16": "bf16", "float8_e4m3fn": "e4m3", "float8_e5m2": "e5m2", "float32": "f32", "float64": "f64",
         "int8": "s8", "int16": "s16", "int32": "s32", "int64": "s64",
         "uint8": "u8", "uint16": "u16", "uint32": "u32", "uint64": "u64"}


@dataclasses.dataclass
class Result:
    """A buffer that the kernel writes: it begins as `initial`, or as zeroes, and must end as `expected`."""

    expected: np.ndarray
    absolute: float = 0.0  # how far off a floating-point element may be
    relative: float = 0.0  # one of the two limits must hold
    initial: np.ndarray | None = None


@dataclasses.dataclass
class Scratch:
    """A buffer of zeroes that the compiler asked for, of so many bytes."""

    size: int


@dataclasses.dataclass
class TensorMap:
    """A tensor map of a buffer, by value. Dimensions begin with the innermost; strides are in bytes, without that of the innermost."""

    buffer: np.ndarray | Result
    type: str
    dimensions: Sequence[int]
    strides: Sequence[int]
    box: Sequence[int]
    element_strides: Sequence[int]
    swizzle: str


Argument = np.ndarray | np.generic | Result | Scratch | TensorMap


@dataclasses.dataclass
class Built:
    """What a compiler has made for one architecture, and how it is launched."""

    ptx: str
    entry: str
    args: Sequence[Argument]
    block: Sequence[int]
    grid: Sequence[int] = (1, 1, 1)
    cluster: Sequence[int] = (1, 1, 1)
    dynamic_shared: int | None = None


@dataclasses.dataclass
class Case:
    """A kernel. `build` compiles it for an architecture of `architectures`."""

    name: str
    language: str
    build: Callable[[str], Built]
    architectures: Sequence[str] = ARCHITECTURES


def write(case: Case, architecture: str, built: Built, folder: pathlib.Path) -> pathlib.Path:
    """Writes the PTX, the contents of the buffers and the manifest. Returns the manifest's path."""
    stem = f"{case.language}.{case.name}.{architecture}"
    (folder / f"{stem}.ptx").write_text(built.ptx)
    manifest = {"ptx": f"{stem}.ptx", "kernel": built.entry, "grid": list(built.grid), "block": list(built.block),
                "cluster": list(built.cluster), "args": [], "buffers": {}, "expect": {}, "tolerance": {}}
    if built.dynamic_shared is not None:
        manifest["dynamic_shared"] = built.dynamic_shared

    def contents(name: str, array: np.ndarray) -> dict[str, str]:
        file = f"{stem}.{name}.bin"
        (folder / file).write_bytes(np.ascontiguousarray(array).tobytes())
        return {"file": file}

    for index, arg in enumerate(built.args):
        name = f"arg{index}"
        if isinstance(arg, np.generic):
            manifest["args"].append({TYPES[arg.dtype.name]: arg.item()})
            continue
        if isinstance(arg, TensorMap):
            manifest["args"].append({"tensor_map": name})
            manifest.setdefault("tensor_maps", {})[name] = {
                "buffer": name, "type": arg.type, "dims": list(arg.dimensions), "strides": list(arg.strides), "box": list(arg.box),
                "element_strides": list(arg.element_strides), "swizzle": arg.swizzle}
            arg = arg.buffer
        else:
            manifest["args"].append({"buffer": name})
        if isinstance(arg, Scratch):
            manifest["buffers"][name] = {"type": "u8", "count": max(arg.size, 1)}
            continue
        array = arg if isinstance(arg, np.ndarray) else arg.expected
        manifest["buffers"][name] = {"type": TYPES[array.dtype.name], "count": array.size}
        initial = arg if isinstance(arg, np.ndarray) else arg.initial
        if initial is not None:
            manifest["buffers"][name]["init"] = contents(name, initial)
        if isinstance(arg, Result):
            manifest["expect"][name] = contents(f"{name}.expected", array)
            if arg.absolute or arg.relative:
                manifest["tolerance"][name] = {"absolute": arg.absolute, "relative": arg.relative}
    path = folder / f"{stem}.json"
    path.write_text(json.dumps(manifest, indent=1) + "\n")
    return path
