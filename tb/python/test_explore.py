# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""muster.explore: findings, what is complete, witnesses."""

import muster
import numpy as np
import pytest
from kernels import RACE, RIGHT, ptx

# Thread 0 of warp 1 takes a barrier along if warp 0 has come first: a deadlock in some orders alone.
SOMETIMES = ptx("""
	ld.param.u64 %rd1, [flag];
	setp.ge.u32 %p1, %r1, 32;
	@%p1 bra SECOND;
	mov.u32 %r3, 1;
	atom.global.exch.b32 %r4, [%rd1], %r3;
	bar.sync 1, 64;
	ret;
SECOND:
	mov.u32 %r3, 0;
	atom.global.add.u32 %r4, [%rd1], %r3;
	setp.eq.u32 %p2, %r4, 1;
	@%p2 ret;
	bar.sync 1, 64;
""", ".param .u64 flag", name="sometimes")


def test_nothing_is_found_in_a_right_kernel():
    out = np.full(32, 7, np.uint32)
    explored = muster.explore(RIGHT, 1, [out], block=64, seconds=30)
    assert explored.ok and explored.complete and explored.findings == [] and explored.check() is explored
    assert (out == 7).all(), "the arrays stay as they are"
    muster.run(RIGHT, 1, [out], block=64).check()
    assert (out == np.arange(32)).all()


def test_a_race_is_found_and_raised():
    out = np.zeros(32, np.uint32)
    explored = muster.explore(RACE, 1, [out], block=64, seconds=30)
    assert not explored.ok and explored.code == 7 and explored.findings
    with pytest.raises(muster.Finding, match="data_race: two accesses to the same memory") as raised:
        explored.check()
    assert raised.value.report is explored
    assert "muster explore" not in repr(explored)


def test_a_witness_can_be_run(tmp_path):
    witness = tmp_path / "witness.json"
    explored = muster.explore(SOMETIMES, 1, {"flag": np.zeros(1, np.uint32)}, block=64, seconds=30, witness=witness)
    with pytest.raises(muster.Deadlock):
        explored.check()
    report = muster.run(SOMETIMES, 1, {"flag": np.zeros(1, np.uint32)}, block=64, schedule=witness)
    assert report.outcome == "deadlock"


def test_an_option_that_there_is_not():
    with pytest.raises(TypeError, match="there is no option max_cycles"):
        muster.explore(RIGHT, 1, [np.zeros(32, np.uint32)], block=64, max_cycles=3)
