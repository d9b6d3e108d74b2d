# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""The AXI4-Lite adapter beside a unit, driven by the bus master of cocotbext-axi, with pauses on all channels."""

import os
import random

import cocotb
from cocotbext.axi import AxiLiteBus, AxiLiteMaster
from harness import PORTS, Bench
from muster import golden
from muster.golden import FaultCause, OpKind

ROUNDS = int(os.environ.get("MUSTER_CYCLES", "60"))
# Offsets of rtl/adapters/axil/README.md.
ID, VERSION, CONFIG, CONTROL, IRQ_PENDING, IRQ_ENABLE, RESIDENT, FAULT_STATUS, FAULT, FAULT_LANES = (
    0x000, 0x004, 0x008, 0x010, 0x014, 0x018, 0x01c, 0x020, 0x028, 0x02c)
ALL = 0xffffffff


def pauses(generator):
    while True:
        yield generator.random() < 0.4


class Unit:
    """Presents an operation at a time, and steps the golden model with it."""

    def __init__(self, bench):
        self.bench = bench
        config = golden.Config()
        config.num_warps, config.num_ctas, config.smem_bytes = 8, 2, 1024
        self.model = golden.Model(config)

    async def present(self, operation):
        if operation.kind in (OpKind.launch, OpKind.end):
            port = "lifecycle"
            self.bench.set("lifecycle_i", {"op": operation.kind.value - OpKind.launch.value, "cta": operation.cta, "size": operation.size})
            self.bench.set("lifecycle_warps_i", operation.warps)
        else:
            port = "issue"
            self.bench.set("issue_i", {"op": operation.kind.value} | {name: getattr(operation, name) for name in
                                                                      ("cta", "warp", "bar", "count", "lanes", "operand")})
        self.bench.set(f"{port}_valid_i", 1)
        await self.bench.until(f"{port}_ready_o")
        self.bench.set(f"{port}_valid_i", 0)
        await self.bench.run(20)
        return self.model.step(operation)


@cocotb.test()
async def registers_and_faults(dut):
    generator = random.Random(int(os.environ.get("MUSTER_SEED", "1")))
    bench = Bench(dut, [name for name in PORTS if not name.startswith("s_axil")])
    await bench.reset()
    master = AxiLiteMaster(AxiLiteBus.from_prefix(dut, "s_axil"), dut.clk_i, dut.rst_ni, reset_active_level=False)
    for channel in (master.write_if.aw_channel, master.write_if.w_channel, master.write_if.b_channel, master.read_if.ar_channel,
                    master.read_if.r_channel):
        channel.set_pause_generator(pauses(generator))

    async def read(offset):
        transfer = cocotb.start_soon(master.read_dword(offset))
        while not transfer.done():
            await bench.run(1)
        return transfer.result()

    async def write(offset, value):
        transfer = cocotb.start_soon(master.write_dword(offset, value))
        while not transfer.done():
            await bench.run(1)

    assert await read(ID) == 0x4d555354
    config = await read(CONFIG)
    assert (config & 0x7f, config >> 8 & 0x3f, config >> 16 & 7) == (8, 2, 1)
    major, minor, patch = (int(part) for part in os.environ["MUSTER_VERSION"].split("."))
    assert await read(VERSION) == major << 16 | minor << 8 | patch
    unit = Unit(bench)
    await unit.present(golden.operation(OpKind.launch, cta=0, size=4, warps=0xf))
    assert await read(RESIDENT) == 1
    refused = 0
    for _ in range(ROUNDS):
        kind = generator.choice([OpKind.arrive, OpKind.arrive, OpKind.sync])
        warp = generator.choice([warp for warp in range(8) if not unit.model.waiting >> warp & 1])
        operation = golden.operation(kind, cta=generator.choice([0, 0, 0, 1]), warp=warp, bar=generator.randrange(16), lanes=ALL,
                                     count=generator.choice([0, 64, 128, 33, 4064]))
        enabled = generator.getrandbits(1)
        await write(IRQ_ENABLE, enabled)
        assert await read(IRQ_ENABLE) == enabled
        effects = await unit.present(operation)
        is_refused = effects.fault != FaultCause.none
        refused += is_refused
        assert await read(IRQ_PENDING) == int(is_refused), f"after {operation}"
        assert int(dut.irq_o.value) == (enabled and int(is_refused))
        assert (await read(FAULT_STATUS) & 0x1f) == int(is_refused)
        fault = await read(FAULT)
        if is_refused:
            assert (fault >> 31, fault & 0x1f, fault >> 8 & 0x1f, fault >> 16 & 0x3f) == (1, effects.fault.value, operation.cta, warp), f"after {operation}"
            assert await read(FAULT_LANES) == ALL
        else:
            assert fault == 0
        await write(IRQ_PENDING, 3)
        assert await read(IRQ_PENDING) == 0 and int(dut.irq_o.value) == 0
        if bin(unit.model.waiting).count("1") > 2:  # a new CTA takes the place of one that waits
            await unit.present(golden.operation(OpKind.end, cta=0))
            assert await read(RESIDENT) == 0
            await unit.present(golden.operation(OpKind.launch, cta=0, size=4, warps=0xf))
    assert 5 <= refused <= ROUNDS - 5
