# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""What a kernel is given: arrays, numbers, tensor maps, and the names of their types in PTX."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

# NumPy's names of element types, and those of manifests. bfloat16 and float8 are of the package ml_dtypes.
TYPES = {"bool": "u8", "float16": "f16", "bfloat16": "bf16", "float8_e4m3fn": "e4m3", "float8_e5m2": "e5m2", "float32": "f32",
         "float64": "f64", "int8": "s8", "int16": "s16", "int32": "s32", "int64": "s64",
         "uint8": "u8", "uint16": "u16", "uint32": "u32", "uint64": "u64"}


@dataclasses.dataclass
class TensorMap:
    """A tensor map of an array, passed by value, as cuTensorMapEncodeTiled makes it.

    Dimensions begin with the innermost. `strides` are in bytes, from the second dimension on. `type` is PTX's name of the element type,
    such as "f16"; without it, that of the array.
    """

    array: np.ndarray
    dimensions: Sequence[int]
    box: Sequence[int]
    strides: Sequence[int] | None = None
    element_strides: Sequence[int] | None = None
    swizzle: str = "none"
    type: str | None = None

    def members(self, buffer: str) -> dict[str, Any]:
        """The map as a manifest has it, of an array that is a buffer of this name."""
        made = {"buffer": buffer, "type": self.type or type_of(self.array.dtype), "dims": list(self.dimensions), "box": list(self.box),
                "swizzle": self.swizzle}
        if self.strides is not None:
            made["strides"] = list(self.strides)
        if self.element_strides is not None:
            made["element_strides"] = list(self.element_strides)
        return made


Argument = np.ndarray | np.generic | TensorMap | dict | bool | int | float


def type_of(dtype: np.dtype) -> str:
    """The name that manifests have for a type of NumPy. Raises TypeError."""
    if dtype.name not in TYPES or not dtype.isnative:
        raise TypeError(f"a kernel has no type {dtype}: there are {', '.join(TYPES)}")
    return TYPES[dtype.name]


def scalar(value: np.generic) -> tuple[str, Any]:
    """A number of NumPy as a manifest has it: its type and its value."""
    item = value.item()
    if isinstance(item, float) and not math.isfinite(item):
        return type_of(value.dtype), str(item)
    return type_of(value.dtype), int(item) if isinstance(item, bool) else item


class Buffers:
    """The arrays among the arguments of a launch, each a buffer with a name, and the other arguments."""

    def __init__(self, args: Sequence[Argument] | dict[str, Argument]):
        self.arrays: dict[str, np.ndarray] = {}
        self.maps: dict[str, TensorMap] = {}
        # An entry for each argument: ("buffer", name), ("tensor_map", name), (type, number), ("struct", members), or (None, number).
        self.args: list[tuple[str | None, Any]] = []
        if isinstance(args, (np.ndarray, str)):
            raise TypeError(f"args is a {type(args).__name__}: it is a list of the kernel's arguments, such as [array, np.uint32(7)]")
        named = args.items() if isinstance(args, dict) else ((f"arg{index}", arg) for index, arg in enumerate(args))
        for name, arg in named:
            self.args.append(self._take(name, arg))

    def contents(self) -> dict[str, bytes]:
        """What the buffers begin with, in the order of C."""
        return {name: array.tobytes() for name, array in self.arrays.items()}

    def fill(self, contents: dict[str, bytes]) -> list[str]:
        """Copies what a run has left into the arrays. Returns the names of those of which it is not known."""
        unknown = []
        for name, array in self.arrays.items():
            if not contents[name]:
                unknown.append(name)
            elif array.flags.writeable:
                array[...] = np.frombuffer(contents[name], array.dtype).reshape(array.shape)
            elif contents[name] != array.tobytes():
                raise ValueError(f"the kernel wrote to {name}, an array that is read-only")
        return unknown

    def _take(self, name: str, arg: Argument) -> tuple[str | None, Any]:
        if isinstance(arg, TensorMap):
            key = f"{name}_map"
            self.maps[key] = arg
            self._buffer(name, arg.array)
            return "tensor_map", key
        if isinstance(arg, np.ndarray):
            return "buffer", self._buffer(name, arg)
        if isinstance(arg, np.generic):
            return scalar(arg)
        if isinstance(arg, dict):
            return next(iter(arg.items()))
        if isinstance(arg, (bool, int, float)):
            return None, int(arg) if isinstance(arg, bool) else arg
        raise TypeError(f"{name} is a {type(arg).__name__}: a kernel takes NumPy arrays and numbers, muster.TensorMap, "
                        'and structures such as {"struct": [{"u32": 1}, {"f32": 2}]}')

    def _buffer(self, name: str, array: np.ndarray) -> str:
        """The name of the array's buffer: the same array twice is one buffer."""
        type_of(array.dtype)
        if array.size == 0:
            raise ValueError(f"{name} is an array without elements")
        for other_name, other in self.arrays.items():
            if other is array:
                return other_name
            if np.shares_memory(other, array):
                raise ValueError(f"{name} and {other_name} share memory: give the kernel the same array twice, or a copy")
        self.arrays[name] = array
        return name


def as_words(buffers: Buffers) -> dict[str, list[str]]:
    """The arguments as the options --buffer, --tensor-map and --arg of `muster run` have them."""
    words: dict[str, list[str]] = {
        "buffers": [f"{name}={type_of(array.dtype)}[{array.size}]" for name, array in buffers.arrays.items()],
        "tensor_maps": [f"{key}={json.dumps(tensor_map.members(_name_of(buffers, tensor_map)))}" for key, tensor_map in buffers.maps.items()],
        "args": []}
    for kind, value in buffers.args:
        if kind in ("buffer", "tensor_map"):
            words["args"].append(value)
        elif kind is None:
            words["args"].append(repr(value))
        else:
            words["args"].append(json.dumps({kind: value}))
    return words


def as_manifest(buffers: Buffers) -> dict[str, Any]:
    """The arguments as a manifest has them, without the contents of buffers; each number has its type."""
    untyped = [value for kind, value in buffers.args if kind is None]
    if untyped:
        raise TypeError(f"a manifest needs the type of each number: write np.int32({untyped[0]}), or another type, for {untyped[0]}")
    made: dict[str, Any] = {"buffers": {name: {"type": type_of(array.dtype), "count": array.size} for name, array in buffers.arrays.items()},
                            "args": [{kind: value} for kind, value in buffers.args]}
    if buffers.maps:
        made["tensor_maps"] = {key: tensor_map.members(_name_of(buffers, tensor_map)) for key, tensor_map in buffers.maps.items()}
    return made


def _name_of(buffers: Buffers, tensor_map: TensorMap) -> str:
    return next(name for name, array in buffers.arrays.items() if array is tensor_map.array)
