# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""A kernel in one of the languages, its inputs, and what NumPy says must come of them."""

from __future__ import annotations

import dataclasses
import json
import pathlib
import sys
from collections.abc import Callable, Iterable, Sequence

import numpy as np

# The compilers' part of the Python package, which needs nothing built.
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "sim/python"))
from muster import Launch  # noqa: E402
from muster.arrays import Buffers  # noqa: E402

ARCHITECTURES = ("sm_80", "sm_90a", "sm_100a")


@dataclasses.dataclass
class Result:
    """An array that the kernel writes: it begins as `initial`, or as zeroes, and must end as `expected`."""

    expected: np.ndarray
    absolute: float = 0.0  # how far off a floating-point element may be
    relative: float = 0.0  # one of the two limits must hold
    initial: np.ndarray | None = None

    def __post_init__(self):
        self.array = np.zeros_like(self.expected) if self.initial is None else self.initial


Value = np.ndarray | np.generic | Result


def given(values: Iterable[Value]) -> list[np.ndarray | np.generic]:
    """What the kernel is given for these values."""
    return [value.array if isinstance(value, Result) else value for value in values]


def results(values: Iterable[Value]) -> list[Result]:
    """The results among these values."""
    return [value for value in values if isinstance(value, Result)]


@dataclasses.dataclass
class Case:
    """A kernel. `build` compiles it for an architecture of `architectures`, and returns its launch and its results."""

    name: str
    language: str
    build: Callable[[str], tuple[Launch, list[Result]]]
    architectures: Sequence[str] = ARCHITECTURES


def write(case: Case, architecture: str, folder: pathlib.Path) -> pathlib.Path:
    """Compiles the kernel, and writes the PTX, the contents of the buffers and the manifest. Returns the manifest's path."""
    launch, expected = case.build(architecture)
    stem = f"{case.language}.{case.name}.{architecture}"
    manifest = launch.write(folder, stem) | {"expect": {}, "tolerance": {}}
    for result in expected:
        name = next(name for name, array in Buffers(launch.args).arrays.items() if array is result.array)
        (folder / f"{stem}.{name}.expected.bin").write_bytes(result.expected.tobytes())
        manifest["expect"][name] = {"file": f"{stem}.{name}.expected.bin"}
        if result.absolute or result.relative:
            manifest["tolerance"][name] = {"absolute": result.absolute, "relative": result.relative}
    path = folder / f"{stem}.json"
    path.write_text(json.dumps(manifest, indent=1) + "\n")
    return path
