# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""mbarriers in a memory on OBI, which cocotbext-obi plays, with grants and answers that take their time; traffic and scoreboard of test_mbarrier."""

import os

import cocotb
import test_mbarrier
from cocotb.clock import Clock
from cocotb.triggers import Timer
from cocotbext.obi import ObiBus, ObiRam
from harness import PORTS, Bench
from muster import golden
from muster.golden import MbSource, OpKind

CYCLES = int(os.environ.get("MUSTER_CYCLES", "3000"))
BASE, SIZE = 0x10000, 4096  # of mem_unit_flat: the first CTA's shared memory, and how much each has


async def late_clock(dut):
    """A clock that rises shortly after the unit's: ObiRam takes what it sees at its edge for the next cycle's request, also one that was just granted."""
    await Timer(200, unit="ps")
    Clock(dut.m_obi_clk, 2, unit="ns").start()


@cocotb.test()
async def random_traffic(dut):
    bench = Bench(dut, [name for name in PORTS if not name.startswith("m_obi")])
    ram = ObiRam(ObiBus.from_prefix(dut, "m_obi"), dut.m_obi_clk, max_outstanding=4)
    cocotb.start_soon(late_clock(dut))
    ram.backpressure_gnt = ram.backpressure_rvalid = True
    for address in range(BASE, BASE + 2 * SIZE, 8):
        ram.write(address, bytes(8))
    board = test_mbarrier.Board(bench)
    await bench.reset()
    for cta in range(2):
        warps = sum(1 << warp for warp in range(cta, 8, 2))
        board.model.step(golden.operation(OpKind.launch, cta=cta, size=4, warps=warps))
    sources = test_mbarrier.Warps(bench, board), test_mbarrier.Others(bench, board, "async", MbSource.async_)
    await bench.run(CYCLES)
    # Nothing new comes, and the memory holds what the golden model does.
    for source in sources:
        source.stop()
    await bench.run(600)
    dut._log.info(", ".join(f"{name} {count}" for name, count in sorted(board.counts.items())))
    for cta in range(2):
        for addr in test_mbarrier.ADDRESSES:
            assert int.from_bytes(ram.read(BASE + SIZE * cta + addr, 8), "little") == board.barriers.word(cta, addr)
    for name in ("arrive", "init", "completions", "woken", "faults", "responses"):
        assert board.counts[name] >= 5, f"the traffic has {board.counts[name]} of {name}: too few to say anything"
