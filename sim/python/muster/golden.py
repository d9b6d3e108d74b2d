# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""The golden models of Muster, the same C++ that checks its RTL, for scoreboards: told operations in the order in which they take effect, they say
what must come of each.

    from muster import golden

    model = golden.Model(golden.config("small"))
    model.step(golden.operation(golden.OpKind.launch, cta=0, size=2, warps=0b11))
    model.step(golden.operation(golden.OpKind.sync, warp=0, bar=1, lanes=0xffffffff)).released    # 0: warp 0 waits
    model.step(golden.operation(golden.OpKind.sync, warp=1, bar=1, lanes=0xffffffff)).released    # 0b11: both go on

Model: named barriers; Mbarriers: the mbarriers of a core; WarpScope: collectives of a warp's lanes; ClusterScope: barrier.cluster and grids.
The members of operations and effects are those of sim/isa, where their meaning is written. None of the models knows cycles: latency(config) has
those that the RTL publishes.
"""

from __future__ import annotations

from typing import Any, TypeVar

from muster._golden import (BarKind, ClusterConfig, ClusterEffects, ClusterLanes, ClusterLife, ClusterLifeOp, ClusterOp, ClusterRequest, ClusterScope,
                            Config, Effects, FaultCause, Hazard, Latency, MbAnswer, Mbarriers, MbEffects, MbOp, MbOperation, MbSource, Model, Operation,
                            OpKind, WarpAnswer, WarpArrival, WarpEffects, WarpOp, WarpRequest, WarpScope, config, latency)

__all__ = ["BarKind", "ClusterConfig", "ClusterEffects", "ClusterLanes", "ClusterLife", "ClusterLifeOp", "ClusterOp", "ClusterRequest", "ClusterScope",
           "Config", "Effects", "FaultCause", "Hazard", "Latency", "MbAnswer", "MbEffects", "MbOp", "MbOperation", "MbSource", "Mbarriers", "Model",
           "OpKind", "Operation", "WarpAnswer", "WarpArrival", "WarpEffects", "WarpOp", "WarpRequest", "WarpScope", "cluster_life", "cluster_request",
           "config", "hazards", "latency", "mb_operation", "operation", "warp_request"]

_Made = TypeVar("_Made")


def operation(kind: OpKind, **fields: Any) -> Operation:
    """An operation on named barriers. AttributeError: it has no such field."""
    return _with(Operation(), kind=kind, **fields)


def mb_operation(op: MbOp, **fields: Any) -> MbOperation:
    """An operation on an mbarrier."""
    return _with(MbOperation(), op=op, **fields)


def warp_request(op: WarpOp, **fields: Any) -> WarpRequest:
    """What lanes of a warp ask of the warp scope."""
    return _with(WarpRequest(), op=op, **fields)


def cluster_life(op: ClusterLifeOp, **fields: Any) -> ClusterLife:
    """What the scheduler asks of the cluster scope."""
    return _with(ClusterLife(), op=op, **fields)


def cluster_request(op: ClusterOp, **fields: Any) -> ClusterRequest:
    """What lanes of a warp ask of the cluster scope."""
    return _with(ClusterRequest(), op=op, **fields)


def hazards(bits: int) -> list[Hazard]:
    """The hazards of effects, which have a bit for each."""
    return [hazard for hazard in Hazard if bits >> hazard.value & 1]


def _with(made: _Made, **fields: Any) -> _Made:
    for name, value in fields.items():
        setattr(made, name, value)
    return made
