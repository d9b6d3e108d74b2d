# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""A bench of cocotb for modules of the RTL: pins by the names of their fields, and a cycle at a time.

A struct at a port is a vector, in the sources for Verilator as in plain Verilog for Icarus. Which bits a field has is in the map of the ports
(scripts/pages/fieldmap.py), which run.py leaves beside the build and names in MUSTER_PORTS.
"""

from __future__ import annotations

import json
import os
import pathlib
import random
import re

import cocotb
from cocotb.triggers import FallingEdge, ReadOnly, Timer

PORTS = json.loads(pathlib.Path(os.environ["MUSTER_PORTS"]).read_text())["ports"]
CLOCKS = ("clk_i", "mb_clk_i")
SEED = int(os.environ.get("MUSTER_SEED", "1"))


def fields(name):
    """{field: (lowest bit, bits)} of a port."""
    return {field["name"]: (field["lsb"], field["msb"] - field["lsb"] + 1) for field in PORTS[name]["fields"]}


FIELDS = {name: fields(name) for name in PORTS}


class Struct:
    """The value of a struct, or of one element of a port that has several: its fields are attributes."""

    def __init__(self, bits, places):
        self._bits, self._places = bits, places

    def __getattr__(self, name):
        if name not in self._places:
            raise AttributeError(name)
        low, width = self._places[name]
        return self._bits >> low & (1 << width) - 1


def pack(port, values):
    """The bits of a struct with these fields; the others are 0."""
    bits = 0
    for name, value in values.items():
        low, width = FIELDS[port][name]
        if value >> width:
            raise ValueError(f"{port}.{name} has {width} bits, and {value:#x} more")
        bits |= value << low
    return bits


def known(value):
    """The bits of a pin; those that are unknown, in Icarus before anything has been written, are 0."""
    return int(value) if value.is_resolvable else int(re.sub("[^01]", "0", str(value)), 2)


class View:
    """What all pins are at the end of a cycle."""

    def __init__(self, cycle, bits):
        self.cycle, self._bits = cycle, bits

    def __getitem__(self, port):
        return self._bits[port]

    def struct(self, port, index=None):
        prefix = "" if index is None else f"[{index}]."
        return Struct(self._bits[port], {name.removeprefix(prefix): place for name, place in FIELDS[port].items() if name.startswith(prefix)})


class Bench:
    """Drivers set inputs at the beginning of a cycle, monitors see all pins at its end."""

    def __init__(self, dut, ports=PORTS):
        """`ports`: those that the bench drives and sees; others are those of a bus model."""
        self.dut = dut
        self.random = random.Random(SEED)
        self.cycle = 0
        self.drivers, self.monitors = [], []
        self._names = [name for name in ports if name not in CLOCKS]
        self._pins = {name: getattr(dut, name) for name in self._names}
        self._inputs = {name: 0 for name in self._names if PORTS[name]["direction"] == "input"}
        self._driven = {}

    def set(self, port, value):
        """Sets an input from this cycle on: a number, or the fields of a struct."""
        self._inputs[port] = value if isinstance(value, int) else pack(port, value)

    def get(self, port):
        return self._inputs[port]

    async def reset(self):
        cocotb.start_soon(self._clock([getattr(self.dut, name) for name in CLOCKS if name in PORTS]))
        self.set("rst_ni", 0)
        for cycle in range(4):
            await self._cycle()
            self.set("rst_ni", 1 if cycle == 2 else self.get("rst_ni"))

    async def _clock(self, clocks):
        """All in phase."""
        while True:
            for level in (1, 0):
                for clock in clocks:
                    clock.value = level
                await Timer(1, "ns")

    async def _cycle(self):
        for name, value in self._inputs.items():
            if self._driven.get(name) != value:
                self._pins[name].value = value
                self._driven[name] = value
        await ReadOnly()
        view = View(self.cycle, {name: known(pin.value) for name, pin in self._pins.items()})
        self.cycle += 1
        await FallingEdge(self.dut.clk_i)
        return view

    async def run(self, cycles):
        """Runs so many cycles."""
        for _ in range(cycles):
            for driver in self.drivers:
                driver.drive()
            view = await self._cycle()
            for monitor in self.monitors:
                monitor.see(view)

    async def until(self, port):
        """Runs until an output is not 0, that cycle included."""
        seen = []
        self.monitors.append(Watch(port, seen))
        while not seen or not seen[-1]:
            assert len(seen) < 1000, f"{port} is 0 for 1000 cycles"
            await self.run(1)
        self.monitors.pop()


class Watch:
    """A monitor that keeps what an output was."""

    def __init__(self, port, seen):
        self.port, self.seen = port, seen

    def see(self, view):
        self.seen.append(view[self.port])


class Source:
    """The side of a valid-ready port that presents: what `next` returns, held until ready, with gaps at random."""

    def __init__(self, bench, valid, ready, payload, following, gap=0.3):
        self.bench, self.valid, self.ready, self.payload, self.following, self.gap = bench, valid, ready, payload, following, gap
        self.held = None
        bench.drivers.append(self)
        bench.monitors.append(self)

    def drive(self):
        if self.held is None and self.bench.random.random() > self.gap:
            self.held = self.following()
            if self.held is not None:
                self.present(self.held)
        self.bench.set(self.valid, 0 if self.held is None else 1)

    def present(self, held):
        self.bench.set(self.payload, held)

    def stop(self):
        """Presents nothing new."""
        self.following = lambda: None

    def see(self, view):
        if self.held is not None and view[self.ready]:
            held, self.held = self.held, None
            self.accepted(held, view)

    def accepted(self, held, view):
        pass


def expect(what, seen, wanted, view):
    assert seen == wanted, f"cycle {view.cycle}: {what} is {seen}, and the golden model says {wanted}"
