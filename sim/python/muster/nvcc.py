# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""The nvcc of PyPI (nvidia-cuda-nvcc), which needs no GPU."""

from __future__ import annotations

import functools
import os
import pathlib
import subprocess
import tempfile

import nvidia.cu13 as toolkit

TOOLKIT = pathlib.Path(toolkit.__path__[0])


@functools.cache
def ptx_from(source: str, target: str, includes: tuple[str | os.PathLike[str], ...] = ()) -> str:
    """Returns nvcc's PTX of a text in CUDA C++. Raises RuntimeError with what nvcc says."""
    with tempfile.TemporaryDirectory() as folder:
        text, out = pathlib.Path(folder) / "kernel.cu", pathlib.Path(folder) / "kernel.ptx"
        text.write_text(source)
        command = [TOOLKIT / "bin/nvcc", "-ptx", "-w", "-std=c++17", f"-arch={target}", "-o", out, text,
                   *(f"-I{include}" for include in (*includes, TOOLKIT / "include/cccl"))]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        if result.returncode:
            raise RuntimeError(result.stderr.strip() or result.stdout.strip())
        return out.read_text()
