# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""What becomes of the arrays of muster_mem_1r1w in silicon: memory macros, or flip-flops and multiplexers among the other cells.

Of a library's macros the ones are taken that together are smallest, unless flip-flops are smaller. Debian's library has no macros; for it
there are macros of any size by estimate.
"""

import dataclasses
import itertools

# A macro by estimate: a six-transistor cell takes 4.65 um2 in 180 nm, half of an array is not cells, and what does not depend on the size takes as
# much as some 30 flip-flops.
BIT_UM2, BESIDES_UM2 = 2 * 4.65, 3000
READ_NS, SETUP_NS = 2.0, 0.3
FLIP_FLOPS_PER_BIT = 2.0  # of area: one, and the multiplexers that write and read it
MODULE = "muster_mem_1r1w"

THRESHOLDS = "".join(f"  {what}_{edge} : {percent};\n" for edge in ("rise", "fall") for what, percent in (
    ("input_threshold_pct", 50), ("output_threshold_pct", 50), ("slew_lower_threshold_pct", 20), ("slew_upper_threshold_pct", 80)))


@dataclasses.dataclass
class Plan:
    """Rows and columns of one macro for an array."""
    macro: object
    rows: int
    columns: int

    def area(self):
        return self.rows * self.columns * self.macro.area


def plan(depth, width, macros, flip_flop_um2):
    """How an array is built; None: of flip-flops."""
    plans = [Plan(macro, -(-depth // macro.depth), -(-width // macro.width)) for macro in macros]
    best = min(plans, key=Plan.area, default=None)
    return best if best and best.area() < FLIP_FLOPS_PER_BIT * flip_flop_um2 * depth * width else None


def geometry(ports):
    """Depth and width of an array by its ports in a netlist. A depth that is no power of two is rounded up."""
    return 1 << len(ports["waddr_i"]["bits"]), len(ports["rdata_o"]["bits"])


def place(module, name, cell, chosen):
    """Puts macros into a module of a netlist in place of the cell. Rows are not decoded: each sees all that the array sees, and the first one's
    outputs are taken, so a multiplexer of rows is not counted."""
    pins, macro = cell["connections"], chosen.macro
    unused = itertools.count(1 + max(bit for one in module["cells"].values() for bits in one["connections"].values() for bit in bits if isinstance(bit, int)))
    del module["cells"][name]
    for row in range(chosen.rows):
        for column in range(chosen.columns):
            data = pins["wdata_i"][column * macro.width:(column + 1) * macro.width]
            read = pins["rdata_o"][column * macro.width:(column + 1) * macro.width]
            connections = {clock: pins["clk_i"] for clock in macro.clocks}
            for pin, width in macro.inputs.items():
                bits = {macro.write[0]: pins["waddr_i"], macro.write[1]: data, macro.read[0]: pins["raddr_i"]}.get(pin)
                # Control pins, of which the polarity does not matter here, follow the enable; masks and ports that are not used do not move.
                connections[pin] = filled(pins["we_i"] if bits is None and width == 1 else bits or [], width)
            outputs = read if row == 0 else []
            connections[macro.read[1]] = outputs + [next(unused) for _ in range(macro.width - len(outputs))]
            module["cells"][f"{name}.{row}.{column}"] = {
                "hide_name": 0, "type": macro.name, "parameters": {}, "attributes": {}, "connections": connections,
                "port_directions": {pin: "output" if pin == macro.read[1] else "input" for pin in connections}}


def filled(bits, width):
    return (bits + ["0"] * width)[:width]


@dataclasses.dataclass
class Estimate:
    """A macro of exactly this size, by estimate."""
    depth: int
    width: int
    clocks = ["clk_i"]
    write = ("waddr_i", "wdata_i")
    read = ("raddr_i", "rdata_o")

    @property
    def name(self):
        return f"array_{self.depth}x{self.width}"

    @property
    def area(self):
        return BESIDES_UM2 + BIT_UM2 * self.depth * self.width

    @property
    def inputs(self):
        address = max(1, (self.depth - 1).bit_length())
        return {"we_i": 1, "waddr_i": address, "wdata_i": self.width, "raddr_i": address}

    def liberty(self):
        def pins(name, width, text):
            return f'    bus("{name}") {{ bus_type : bus{width}; {text} }}\n' if width > 1 else f'    pin("{name}") {{ {text} }}\n'

        setup = " ".join(f'timing() {{ related_pin : "clk_i"; timing_type : {kind}; rise_constraint(scalar) {{ values("{value}"); }} '
                         f'fall_constraint(scalar) {{ values("{value}"); }} }}' for kind, value in (("setup_rising", SETUP_NS), ("hold_rising", 0)))
        read = " ".join(f'{what}(scalar) {{ values("{value}"); }}' for what, value in (
            ("cell_rise", READ_NS), ("cell_fall", READ_NS), ("rise_transition", 0.2), ("fall_transition", 0.2)))
        return (f'  cell("{self.name}") {{\n    area : {self.area};\n'
                '    pin("clk_i") { direction : input; capacitance : 0.05; clock : true; }\n' +
                "".join(pins(name, width, "direction : input; capacitance : 0.02; " + setup) for name, width in self.inputs.items()) +
                pins("rdata_o", self.width, f'direction : output; timing() {{ related_pin : "clk_i"; timing_type : rising_edge; {read} }}') + "  }\n")


def estimates_library(estimates):
    widths = {width for one in estimates for width in [*one.inputs.values(), one.width] if width > 1}
    types = "".join(f"  type(bus{width}) {{ base_type : array; data_type : bit; bit_width : {width}; bit_from : {width - 1}; bit_to : 0; }}\n"
                    for width in sorted(widths))
    return ('library(arrays) {\n  time_unit : "1ns";\n  capacitive_load_unit(1, pf);\n  voltage_unit : "1V";\n  current_unit : "1mA";\n'
            '  delay_model : table_lookup;\n  nom_voltage : 1.8;\n' + THRESHOLDS + types + "".join(one.liberty() for one in estimates) + "}\n")
