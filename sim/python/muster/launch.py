# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""A kernel with its launch: run on the unit, explored, or written as a manifest."""

from __future__ import annotations

import atexit
import contextvars
import dataclasses
import hashlib
import json
import operator
import os
import pathlib
import re
import shutil
import tempfile
import threading
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from muster.arrays import Argument, Buffers, as_manifest, as_words
from muster.report import Exploration, InputError, Report

Extent = int | Sequence[int]

# What runs a launch, with the options of the run: the pytest plugin has its own while a test runs.
runner: contextvars.ContextVar[Callable[[Launch, dict[str, Any]], Report] | None] = contextvars.ContextVar("runner", default=None)

# What the messages of the command line are called in Python.
_NAMES = {"--arg": "argument", "--block": "block", "--grid": "grid", "--cluster": "cluster",
          "--smem": "shared", "--buffer": "the array", "--tensor-map": "the tensor map", "--cooperative": "cooperative", "--config": "config",
          "--late": "late", "--max-cycles": "max_cycles", "--schedule": "schedule", "--without": "without"}


@dataclasses.dataclass
class Launch:
    """A kernel, and what it is launched with.

    `args` are in the order of the kernel's parameters; see muster.run. `entry` may be left out if the file has one kernel. `shared` are
    the bytes of dynamic shared memory.
    """

    ptx: str | os.PathLike[str]
    entry: str | None = None
    args: Sequence[Argument] | dict[str, Argument] = ()
    block: Extent = (1, 1, 1)
    grid: Extent = (1, 1, 1)
    cluster: Extent | None = None
    shared: int | None = None
    cooperative: bool = False

    def run(self, **options: Any) -> Report:
        """Runs it. The options are those of muster.run after the launch."""
        run = runner.get()
        return self.run_once(options) if run is None else run(self, options)

    def run_once(self, options: dict[str, Any]) -> Report:
        """Runs it, whatever runs launches otherwise."""
        from muster import _native  # here, since tb/suites uses what is Python alone from a tree that has no built module

        buffers = Buffers(self.args)
        path = self.path()
        code, text, report, contents = call(
            _native.run, self._native(path, buffers), buffers.contents(), _set(_native.RunOptions(), options), _without(options), path.name)
        return Report(code, _shorter(text), json.loads(_shorter(report)), path.read_text(), buffers.fill(contents))

    def explore(self, **options: Any) -> Exploration:
        """Explores it; the arrays stay as they are. The options are those of muster.explore after the launch."""
        from muster import _native

        buffers = Buffers(self.args)
        path = self.path()
        code, text, report = call(
            _native.explore, self._native(path, buffers), buffers.contents(), _set(_native.ExploreOptions(), options), _without(options),
            path.name)
        return Exploration(code, _shorter(text), json.loads(_shorter(report)), path.read_text())

    def write(self, folder: str | os.PathLike[str], stem: str) -> dict[str, Any]:
        """Writes STEM.ptx and the contents of the buffers, and returns the manifest, for `muster run` once it is written as STEM.json."""
        folder = pathlib.Path(folder)
        (folder / f"{stem}.ptx").write_text(self.path().read_text())
        buffers = Buffers(self.args)
        manifest: dict[str, Any] = {"ptx": f"{stem}.ptx", "grid": _three(self.grid), "block": _three(self.block)}
        for key, value in (("kernel", self.entry), ("cluster", self.cluster and _three(self.cluster)), ("dynamic_shared", self.shared),
                           ("cooperative", self.cooperative or None)):
            if value is not None:
                manifest[key] = value
        manifest |= as_manifest(buffers)
        for name, contents in buffers.contents().items():
            if any(contents):
                (folder / f"{stem}.{name}.bin").write_bytes(contents)
                manifest["buffers"][name]["init"] = {"file": f"{stem}.{name}.bin"}
        return manifest

    def path(self) -> pathlib.Path:
        """The PTX file: of a text, a file of this process."""
        if not isinstance(self.ptx, str) or "\n" not in self.ptx:
            return pathlib.Path(self.ptx)
        name = re.search(r"\.entry\s+([\w$]+)", self.ptx)
        digest = hashlib.sha256(self.ptx.encode()).hexdigest()[:8]
        path = _folder() / f"{(name[1] if name else 'kernel')[:40]}-{digest}.ptx"
        if not path.exists():  # at once as a whole: another thread may read it
            own = path.with_suffix(f".{threading.get_ident()}")
            own.write_text(self.ptx)
            own.replace(path)
        return path

    def _native(self, path: pathlib.Path, buffers: Buffers) -> Any:
        from muster import _native

        launch = _native.Launch()
        launch.ptx, launch.kernel = str(path), self.entry or ""
        launch.grid, launch.block = _word("grid", self.grid), _word("block", self.block)
        launch.cluster = "" if self.cluster is None else _word("cluster", self.cluster)
        _put(launch, "smem", self.shared, f"shared is {self.shared!r}: it is a number of bytes, or None")
        _put(launch, "cooperative", bool(self.cooperative), "cooperative is True or False")
        for member, words in as_words(buffers).items():
            setattr(launch, member, words)
        return launch


_made: list[pathlib.Path] = []


def _folder() -> pathlib.Path:
    """Where the texts of kernels are files, until this process ends."""
    if not _made:
        _made.append(pathlib.Path(tempfile.mkdtemp(prefix="muster-")))
        atexit.register(shutil.rmtree, _made[0], ignore_errors=True)
    return _made[0]


def _shorter(text: str) -> str:
    """A text in which the files of this process have no folder."""
    return text.replace(f"{_made[0]}/", "") if _made else text


def _three(extent: Extent) -> list[int]:
    sizes = [operator.index(size) for size in (extent if isinstance(extent, Iterable) else [extent])]
    return (sizes + [1, 1, 1])[:max(3, len(sizes))]


def _word(what: str, extent: Extent) -> str:
    problem = f"{what} is {extent!r}: it is one to three numbers from 1 on, x first"
    try:
        sizes = _three(extent)
    except TypeError:
        raise TypeError(problem) from None
    if len(sizes) > 3 or min(sizes) < 1:
        raise ValueError(problem)
    return ",".join(map(str, sizes))


def _set(native: Any, options: dict[str, Any]) -> Any:
    """The options with which a run or an exploration is called, as the compiled module has them."""
    for name, value in options.items():
        if name == "without" or value is None:
            continue
        if not hasattr(native, name):
            raise TypeError(f"there is no option {name}: there are {', '.join(sorted(_options_of(native)))}")
        _put(native, name, os.fspath(value) if isinstance(value, os.PathLike) else value,
             f"the option {name} cannot be {value!r}: help(muster.run) and help(muster.explore) say what it is")
    return native


def _put(native: Any, name: str, value: Any, problem: str) -> None:
    """Sets a member of what the compiled module has. Raises TypeError with this sentence where the value is of no type that it takes."""
    try:
        setattr(native, name, value.item() if isinstance(value, np.generic) else value)
    except TypeError:
        raise TypeError(problem) from None


def _without(options: dict[str, Any]) -> list[int]:
    numbers = options.get("without") or ()
    if isinstance(numbers, Iterable) and all(isinstance(number, int) and number >= 0 for number in numbers):
        return list(numbers)
    raise TypeError(f"without is {numbers!r}: it is a list of the numbers of barriers, fences and waits")


def _options_of(native: Any) -> list[str]:
    return ["without", *(name for name in dir(native) if not name.startswith("_"))]


def call(function: Callable[..., Any], *args: Any) -> Any:
    """Calls what the compiled module has. Raises InputError, whose message has Python's names for what the command line calls --block."""
    from muster import _native

    try:
        return function(*args)
    except _native.InputError as error:
        message = re.sub(r"^--arg is there (\d+) times?, but", r"\1 arguments are given, but", str(error))
    for option, name in _NAMES.items():
        message = re.sub(rf"(?<![\w-]){option}(?![\w-])", name, message)
    raise InputError(_shorter(message))
