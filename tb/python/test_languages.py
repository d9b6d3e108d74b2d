# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""Kernels in Triton, the CuTe DSL and TileLang, compiled without a GPU and run in this process, where `make suites` has installed the compilers."""

import pathlib
import sys

import muster
import numpy as np
import pytest
from kernels import ROOT

SUITES = ROOT / "tb/suites"
WHY = "the compiler is not there: `make suites` installs it"


def normal(shape, seed=1):
    return np.random.default_rng(seed).normal(0, 1, shape).astype(np.float32)


@pytest.fixture
def suites(monkeypatch):
    """The kernels of tb/suites can be imported; the package is the one that is installed."""
    assert pathlib.Path(muster.__file__).parents[1] != ROOT / "sim/python"
    monkeypatch.setattr(sys, "path", [*sys.path, str(SUITES)])


@pytest.fixture
def triton(suites):
    return pytest.importorskip("triton", reason=WHY)


@pytest.fixture
def add(triton):
    return pytest.importorskip("in_triton").vector_add


@pytest.mark.parametrize("target", ["sm_80", "sm_90a", "sm_100a"])
def test_triton(add, target):
    import muster.triton

    x, y, out = normal(1000), normal(1000, 2), np.zeros(1000, np.float32)
    muster.triton.run(add, lambda meta: (-(-meta["n"] // meta["BLOCK"]),), x, y, out, 1000, BLOCK=256, target=target).check()
    assert np.array_equal(out, x + y)


def test_triton_numbers_and_options(add):
    import muster.triton

    x, out = normal(64), np.zeros(64, np.float32)
    made = muster.triton.launch(add, 1, x=x, y=x, out=out, n=np.int32(64), BLOCK=64, num_warps=2)
    assert made.block == 64 and list(made.args) == ["x", "y", "out", "n", "global_scratch", "profile_scratch"]
    assert made.run(config="small", seed=3).check().seed == 3
    assert np.array_equal(out, 2 * x)


def test_triton_explored(add):
    import muster.triton

    x, out = normal(64), np.zeros(64, np.float32)
    assert muster.triton.launch(add, (1,), x, x, out, 64, BLOCK=64, num_warps=2).explore(seconds=20).ok
    assert not out.any()


def test_triton_a_race_between_programs(triton):
    import in_place
    import muster.triton

    assert muster.triton.launch(in_place.double, (1,), normal(64), BLOCK=64, num_warps=1).explore(seconds=20).ok
    with pytest.raises(muster.Finding):
        muster.triton.launch(in_place.double, (2,), normal(64), BLOCK=64, num_warps=1).explore(seconds=20).check()


def test_triton_refuses_what_is_missing(add):
    import muster.triton

    x = normal(64)
    for wrong, message in (([x, x], "vector_add has a parameter out, and no argument is given for it"), ([x] * 7, "vector_add has 5 parameters"),
                           (["x", x, x, 64], "'x' is neither a NumPy array nor a number")):
        with pytest.raises(TypeError, match=message):
            muster.triton.launch(add, (1,), *wrong, BLOCK=64)
    with pytest.raises(TypeError, match="is no function with @triton.jit"):
        muster.triton.launch(add.fn, (1,), x, x, x, 64, BLOCK=64)
    for target in ("hopper", "sm_x"):
        with pytest.raises(TypeError, match='such as "sm_90a"'):
            muster.triton.launch(add, (1,), x, x, x, 64, BLOCK=64, target=target)
    with pytest.raises(TypeError, match="vector_add has no parameter num_wraps, and Triton no such option"):
        muster.triton.launch(add, (1,), x, x, x, 64, BLOCK=64, num_wraps=4)


def test_cute(suites):
    pytest.importorskip("cutlass", reason=WHY)
    import in_cute
    import muster.cute

    x, sums = np.arange(384, dtype=np.int32).reshape(3, 128), np.zeros(3, np.int32)
    muster.cute.run(in_cute.block_sum, (3, 1, 1), x, sums, target="sm_80").check()
    assert (sums == x.sum(1)).all()
    x, most = np.arange(128, dtype=np.int32).reshape(4, 32), np.zeros((4, 4), np.int32)
    muster.cute.run(in_cute.cluster_max, (4, 1, 1), x, most, cluster=(4, 1, 1)).check()
    assert (most == x.max(1)).all()
    with pytest.raises(TypeError, match="argument 0 is no array of one of float16"):
        muster.cute.launch(in_cute.block_sum, (3, 1, 1), 3, sums)


@pytest.mark.parametrize("target", ["sm_80", "sm_90a"])
def test_tilelang(suites, target):
    pytest.importorskip("tilelang", reason=WHY)
    import in_tilelang
    import muster.tilelang

    x, y = normal((8, 256)), np.zeros((8, 256), np.float32)
    muster.tilelang.run(in_tilelang.rms_norm(), x, y, target=target).check()
    assert np.allclose(y, x / np.sqrt((x**2).mean(1, keepdims=True) + 1e-5), rtol=1e-3, atol=1e-4)
    with pytest.raises(TypeError, match="the function takes x, y: 1 arrays were given for 2"):
        muster.tilelang.launch(in_tilelang.rms_norm(), x)
