# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""Runs GPU kernels on Muster's barrier unit, and finds their deadlocks and races. No GPU is needed.

    import muster, numpy as np

    out = np.zeros(2, np.uint32)
    report = muster.run("block_sum.ptx", 2, [np.arange(512, dtype=np.uint32), out, np.uint32(512)], block=256)
    print(report)          # what `muster run` prints
    report.check()         # raises muster.Deadlock, muster.Fault, ... if the kernel has not completed
    print(out)             # arrays are what the kernel has left

muster.triton, muster.cute and muster.tilelang launch kernels of these languages.
"""

from __future__ import annotations

import importlib
import os
import pathlib
from collections.abc import Sequence
from typing import Any

from muster.arrays import Argument, TensorMap
from muster.launch import Extent, Launch, call
from muster.report import Deadlock, Exploration, Failure, Fault, Finding, InputError, Mismatch, Report, Timeout

__all__ = ["Deadlock", "Exploration", "Failure", "Fault", "Finding", "InputError", "Launch", "Mismatch", "Report", "TensorMap", "Timeout",
           "check", "configs", "explore", "run"]

# Modules that are there once they are used, and the packages of PyPI that they need.
_NEEDS = {"golden": "muster", "triton": "triton", "cute": "nvidia-cutlass-dsl", "tilelang": "tilelang nvidia-cuda-nvcc"}

__version__: str
configs: tuple[str, ...]  #: the configurations of the unit that this build has


def run(kernel: str | os.PathLike[str], grid: Extent, args: Sequence[Argument] | dict[str, Argument] = (), *, block: Extent,
        cluster: Extent | None = None, entry: str | None = None, shared: int | None = None, cooperative: bool = False,
        arch: str = "", flags: Sequence[str] = (), **options: Any) -> Report:
    """Runs a kernel on the Verilated unit, which the golden model checks in every cycle.

    kernel: the text of PTX, or the path of a .ptx file; or of a .cu file, which nvcc or clang compiles for `arch` with these `flags`.
    grid, block, cluster: CTAs, threads of a CTA, CTAs of a cluster: a number, or up to three, x first.
    args: the kernel's arguments in the order of its parameters; a dict, in the same order, gives them names, which the report then has.
        numpy.ndarray   a pointer to memory that holds the array in the order of C; afterwards the array is what the kernel has left.
                        Types: bool, (u)int8 to (u)int64, float16, float32, float64; of ml_dtypes bfloat16, float8_e4m3fn, float8_e5m2.
        numpy scalar    a number of that type, such as np.uint32(7)
        int, float      a number of the parameter's type
        TensorMap       a tensor map of an array
        dict            a structure, as in a manifest: {"struct": [{"u32": 1}, {"f32": 2}]}
    entry: the kernel, where the file has several; shared: bytes of dynamic shared memory; cooperative: all CTAs are there at once.

    Options:
        config      the unit's configuration, one of muster.configs (default: "default")
        seed        of the warps' order and the stalls (default: 1)
        max_cycles  after which it is a timeout (default: 1 000 000)
        late        True: accesses are performed as late as the memory model lets them be, by the seed (sim/LATE.md); Report.late says what came of it
        wave, wave_from, wave_to   a file for the waveform (FST), and the cycles that it shows
        timeline, trace, log       files: who waited for whom, as HTML or for Perfetto; all operations as JSONL
        schedule    a file with an order to keep to, which explore has written as a witness
        without     barriers, fences and waits to leave out, by number

    Returns a Report, also of a deadlock, a fault or a timeout: report.check() raises those. Raises InputError where the kernel or the launch
    cannot be run, TypeError or ValueError where an argument is of no type that a kernel has. Control-C waits for the end of the run.
    """
    return Launch(_ptx(kernel, arch, flags), entry, args, block, grid, cluster, shared, cooperative).run(**options)


def explore(kernel: str | os.PathLike[str], grid: Extent, args: Sequence[Argument] | dict[str, Argument] = (), *, block: Extent,
            cluster: Extent | None = None, entry: str | None = None, shared: int | None = None, cooperative: bool = False,
            arch: str = "", flags: Sequence[str] = (), **options: Any) -> Exploration:
    """Looks for orders of the kernel's events that end in a deadlock, a fault or other results, and for races. The arrays stay as they are.

    The launch is that of muster.run. Options:
        config, seed, without   as of muster.run; the seed is of the first order
        seconds     that it takes at most (default: 60)
        bound       classes of orders that are seen at most
        jobs        orders at a time (default: one for each processor)
        witness     a file for the order of the first finding, for `schedule` of muster.run; of other findings, numbered ones

    Returns an Exploration; its check() raises Deadlock, Finding or Mismatch. Raises InputError.
    """
    return Launch(_ptx(kernel, arch, flags), entry, args, block, grid, cluster, shared, cooperative).explore(**options)


def check(kernel: str | os.PathLike[str]) -> list[str]:
    """What a compiler would refuse of PTX, a text or a path: a sentence for each problem, with line and column. Raises InputError: the text is no PTX."""
    from muster import _native

    path = Launch(kernel).path()
    return [text.replace(f"{path}:", f"{path.name}:") for _, text in call(_native.check, str(path))]


def _ptx(kernel: str | os.PathLike[str], arch: str, flags: Sequence[str]) -> str | os.PathLike[str]:
    is_text = isinstance(kernel, str) and "\n" in kernel
    if is_text and "__global__" in kernel and ".version" not in kernel:
        raise InputError("the kernel is a text in CUDA C++, and a text is PTX: write it to a .cu file, and give its path")
    path = kernel if is_text else pathlib.Path(kernel)
    if is_text or path.suffix != ".cu":
        if arch or flags:
            raise InputError("arch and flags are for the compiler of a .cu file, and the kernel is PTX")
        return path
    from muster import _native

    return pathlib.Path(call(_native.compile_cuda, str(path), arch, list(flags)))


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from muster import _native

        return _native.version
    if name == "configs":
        from muster import _native

        return tuple(_native.configs.split(","))
    if name in _NEEDS:
        try:
            return importlib.import_module(f"muster.{name}")
        except ModuleNotFoundError as error:
            raise ModuleNotFoundError(f"muster.{name} needs {error.name}: pip install {_NEEDS[name]}", name=error.name) from None
    raise AttributeError(f"module 'muster' has no attribute {name!r}")
