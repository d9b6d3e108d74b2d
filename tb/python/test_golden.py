# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""muster.golden: the golden models, as a scoreboard in Python sees them. What they answer is tested in C++ (tb/golden)."""

import pytest
from muster import golden
from muster.golden import ClusterLifeOp, ClusterOp, FaultCause, Hazard, MbOp, OpKind, WarpOp

ALL = 0xffffffff


@pytest.fixture
def model():
    made = golden.Model(golden.config("small"))
    made.step(golden.operation(OpKind.launch, cta=0, size=2, warps=0b11))
    return made


def at(kind, warp, bar=1, **fields):
    return golden.operation(kind, cta=0, warp=warp, bar=bar, lanes=ALL, **fields)


def test_the_last_arrival_releases_both_warps(model):
    assert model.step(at(OpKind.sync, 0)).released == 0 and model.waiting == 0b01
    assert "1 of all 2 warps arrived" in model.describe(0, 1)
    effects = model.step(at(OpKind.sync, 1))
    assert effects.released == 0b11 and effects.completed and model.waiting == 0


def test_a_reduction_counts(model):
    model.step(at(OpKind.red_popc, 0, operand=0b101))
    effects = model.step(at(OpKind.red_popc, 1, operand=ALL))
    assert effects.released_value == 34 and effects.released_kind == golden.BarKind.red_popc


def test_faults_have_their_names(model):
    assert model.step(at(OpKind.arrive, 0)).fault == FaultCause.arv_without_count
    model.reset()
    assert not model.resident(0)


def test_a_repeated_arrival_is_a_hazard():
    model = golden.Model(golden.config("small"))
    model.step(golden.operation(OpKind.launch, cta=0, size=3, warps=0b111))
    model.step(at(OpKind.arrive, 0, count=96))
    assert golden.hazards(model.step(at(OpKind.arrive, 0, count=96)).hazards) == [Hazard.repeated_arrival]


def test_mbarriers(model):
    barriers = golden.Mbarriers(model, golden.config("small").smem_bytes)

    def step(op, warp=0, **fields):
        return barriers.step(golden.mb_operation(op, cta=0, warp=warp, addr=64, **{"lanes": 1} | fields))
    step(MbOp.init, operand=2)
    step(MbOp.arrive, operand=1)
    assert step(MbOp.try_wait_parity, phase=False).parked == 1 and barriers.parked == 1
    effects = step(MbOp.arrive, warp=1, operand=1)
    assert effects.completions == 1 and [(answer.warp, answer.lanes, answer.complete) for answer in effects.answers] == [(0, 1, True)]
    assert step(MbOp.arrive, operand=3).fault[0] == FaultCause.bad_arrive_count


def test_the_warp_scope():
    scope = golden.WarpScope(4)
    assert not scope.step(golden.warp_request(WarpOp.ballot, warp=1, lanes=0xffff, live=ALL, key=ALL, preds=0xf)).answers
    (answer,) = scope.step(golden.warp_request(WarpOp.ballot, warp=1, lanes=0xffff0000, live=ALL, key=ALL, preds=0x10000)).answers
    assert (answer.lanes, answer.data) == (ALL, 0x1000f)
    refused = scope.step(golden.warp_request(WarpOp.ballot, warp=1, lanes=1, live=ALL, key=2))
    assert refused.fault == FaultCause.not_a_member


def test_the_cluster_scope():
    scope = golden.ClusterScope(golden.ClusterConfig())
    scope.begin(golden.cluster_life(ClusterLifeOp.grid, grid=0, size=2))
    scope.begin(golden.cluster_life(ClusterLifeOp.open, cluster=0, size=2))
    for rank in range(2):
        scope.begin(golden.cluster_life(ClusterLifeOp.launch, grid=0, size=1, cluster=0, rank=rank, unit=rank, cta=0))
    for op in (ClusterOp.arrive, ClusterOp.wait):
        assert not scope.step(0, golden.cluster_request(op, warp=0, cta=0, lanes=ALL, live=ALL)).releases
    released = scope.step(1, golden.cluster_request(ClusterOp.arrive, warp=0, cta=0, lanes=ALL, live=ALL)).releases
    assert [(lanes.unit, lanes.lanes) for lanes in released] == [(0, ALL)] and scope.phases(0) == 1


def test_mistakes_are_exceptions():
    with pytest.raises(AttributeError):
        golden.operation(OpKind.sync, wrap=3)
    with pytest.raises(TypeError):
        golden.operation(OpKind.sync, warp=300)
    with pytest.raises(ValueError, match="there is no configuration huge: there are default"):
        golden.config("huge")
    with pytest.raises(ValueError, match="does not let this be presented"):
        golden.WarpScope(4).step(golden.warp_request(WarpOp.sync, lanes=1, live=2, key=3))
    assert golden.latency(golden.config("default")).effect in (1, 2)
