# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""The shortest bench that has all parts: four warps meet at a barrier, and the golden model says in which cycle each goes on."""

import cocotb
from harness import Bench, expect
from muster import golden
from muster.golden import OpKind

CONFIG = golden.config("small")
WARPS = (0, 1, 2, 3)


class Board:
    """A scoreboard, which is a monitor: `see` gets the pins at the end of each cycle."""

    def __init__(self, bench):
        self.model = golden.Model(CONFIG)
        self.told = {}  # what was presented, by warp; the launch has none
        self.due = {}  # warps that go on, by cycle
        self.released = 0
        bench.monitors.append(self)

    def see(self, view):
        commit = view.struct("commit_o")  # what the unit carries out in this cycle
        if commit.lifecycle:
            self.model.step(self.told[None])
        if commit.valid & 1:
            effects = self.model.step(self.told[getattr(commit, "warp[0]")])
            self.due[view.cycle + golden.latency(CONFIG).effect] = effects.released
        expect("release_o", view["release_o"], self.due.pop(view.cycle, 0), view)
        self.released |= view["release_o"]


@cocotb.test()
async def warps_meet(dut):
    bench = Bench(dut)
    board = Board(bench)
    await bench.reset()
    bench.set("fence_ack_i", (1 << CONFIG.num_warps) - 1)  # no access to memory is ever outstanding

    board.told[None] = golden.operation(OpKind.launch, cta=0, size=len(WARPS), warps=sum(1 << warp for warp in WARPS))
    bench.set("lifecycle_i", {"op": 0, "cta": 0, "size": len(WARPS)})
    bench.set("lifecycle_warps_i", board.told[None].warps)
    bench.set("lifecycle_valid_i", 1)
    await bench.until("lifecycle_ready_o")
    bench.set("lifecycle_valid_i", 0)
    await bench.run(10)

    for warp in WARPS:
        board.told[warp] = golden.operation(OpKind.sync, cta=0, warp=warp, bar=5, lanes=0xffffffff)
        bench.set("issue_i", {"[0].op": OpKind.sync.value, "[0].cta": 0, "[0].warp": warp, "[0].bar": 5, "[0].lanes": 0xffffffff})
        bench.set("issue_valid_i", 1)
        await bench.until("issue_ready_o")
        bench.set("issue_valid_i", 0)
    await bench.run(20)
    assert board.released == board.told[None].warps and not board.due
