#!/usr/bin/env python3
# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""The types of the SystemVerilog packages, for the C++ side.

The packages are the one description of what crosses the ports: which fields, in which bits, what they mean.
As a program it writes, while the project is built, the header that puts the members of a C++ value into the
bits of a packed struct and gets them back; Verilated units, the frames of a board and the tests all go by it.
So a field stands in the package and in the C++ struct, and nowhere else. Its member has the same name, unless
MEMBERS says otherwise. The packages are parsed here, since they say no more of a type than a line each;
scripts/pages/fieldmap.py compares what was understood with what Verilator makes of it.
"""

import pathlib
import re
import sys

from root import ROOT

PACKAGES = ("rtl/muster_pkg.sv", "rtl/warp/muster_warp_pkg.sv", "rtl/atomics/muster_atomics_pkg.sv", "rtl/cluster/muster_cluster_pkg.sv",
            "rtl/muster_gpc_pkg.sv", "rtl/fpga/muster_fpga_pkg.sv")

# Structs that the C++ side holds as a number (sim/isa has functions for their fields).
NUMBERS = ("mb_word_t", "mb_word_v1_t", "mb_report_t", "bar_word_t", "warp_word_t")

# Where the C++ member has another name than the field. "": the members of a struct in it are those of the whole;
# "*": all other fields.
MEMBERS = {
    "issue_t": {"op": "kind"},
    "lifecycle_t": {"op": "kind"},
    "release_t": {"*": "release_{}"},
    "response_t": {"*": "response_{}"},
    "debug_warp_t": {"cta": "debug_warp_cta", "*": "debug_{}"},
    "commit_t": {field: f"commit_{field}" for field in ("valid", "warp", "lifecycle", "exit")},
    "mb_group_t": {"place": ""},
    "mb_async_t": {"place": ""},
    "mb_remote_t": {"place": ""},
    "mb_commit_t": {"valid": "commit_valid", "*": "commit.{}"},
    "at_update_t": {"place": ""},
    "at_commit_t": {"valid": "commit_valid", "*": "commit.{}"},
    "warp_group_t": {"open": "group_open", "cta": "group_cta", "code": "group", "*": "group.{}"},
    "cancel_response_t": {"is_canceled": "data()[3]", "ctaid": "data()"},
    "cancel_write_t": {"place.addr": "addr"},
    # The frames of a board.
    "cta_levels_t": {"debug_warp": ""},
    "cta_events_t": {"commit_warp": "commit_warp[0]", "release_info": "", "response": "", "issue_fault": "fault[0]",
                     "lifecycle_fault": "fault[1]"},
    "mb_events_t": {f"commit_{field}": f"commit.{field}"
                    for field in ("source", "written", "completed", "parked", "lanes", "warp")},
}

# The bundles of a GPC: the field of a vector of them is what a block that stands alone has as a port of its own, of this name.
PORTS = {
    "cta_req_t": {"*": "{}_i"}, "cta_rsp_t": {"*": "{}_o"},
    "mb_req_t": {"*": "mb_{}_i"}, "mb_rsp_t": {"*": "mb_{}_o"},
    "smem_req_t": {"*": "smem_{}_o"}, "smem_rsp_t": {"*": "smem_{}_i"},
    "at_req_t": {"*": "{}_i"}, "at_rsp_t": {"*": "{}_o"}, "at_smem_req_t": {"*": "smem_{}_o"},
    "warp_req_t": {"*": "{}_i"}, "warp_rsp_t": {"*": "{}_o"},
    "cluster_req_t": {"*": "{}_i"}, "cluster_rsp_t": {"*": "{}_o"},
    "scheduler_req_t": {"*": "{}_i"},
    "scheduler_rsp_t": {"lost_valid": "cancel_lost_valid_o", "lost": "cancel_lost_o", "*": "{}_o"},
    "debug_req_t": {"*": "debug_{}_i"},
    "debug_rsp_t": {"word": "debug_word_o", "warp": "debug_warp_o", "*": "{}_o"},
}


class Packages:
    """The types by name: `structs` with the (type, dimensions, name) of their members, `enums` with their codes."""

    def __init__(self, paths=PACKAGES):
        self.widths, self.structs, self.enums = {"logic": 1, "bit": 1, "int unsigned": 32}, {}, {}
        self.constants = {}
        for path in paths:
            text = re.sub(r"//.*", "", (ROOT / path).read_text())
            text = re.sub(r"\bfunction\b.*?\bendfunction\b", "", text, flags=re.DOTALL)
            for constants, body, name in re.findall(
                    r"localparam int unsigned ([^;]*);|typedef ([^;{]*(?:\{[^}]*\})?)\s*\b(\w+);", text):
                for constant, value in re.findall(r"(\w+)\s*=\s*(\w+)", constants):
                    self.constants[constant] = int(value)
                if name:
                    self._define(name, " ".join(body.split()))

    def _define(self, name, body):
        kind, _, inside = body.partition("{")
        if kind.startswith("struct packed"):
            self.structs[name] = [
                (of, dimensions, member.strip())
                for of, dimensions, members in
                re.findall(r"([a-z]\w*(?: unsigned)?)\s*((?:\[[^\]]+\]\s*)*)\s*([^;\[\]]+);", inside.rstrip("}"))
                for member in members.split(",")]
            self.widths[name] = sum(self.width(of, dimensions) for of, dimensions, _ in self.structs[name])
        elif kind.startswith("enum"):
            self.enums[name] = {item: int(code) for item, code in re.findall(r"(\w+)\s*=\s*\d+'d(\d+)", inside)}
            self.widths[name] = self.width(*re.match(r"enum (\w+)\s*(.*)", kind).groups())
        else:
            self.widths[name] = self.width(*re.match(r"(\w+)\s*(.*)", body).groups())

    def counts(self, dimensions):
        """How many elements each dimension has."""
        return [self.number(high) + 1 - self.number(low)
                for high, low in re.findall(r"\[([^:]+):([^\]]+)\]", dimensions)]

    def number(self, text):
        value, less = re.fullmatch(r"\s*(\w+)\s*(-\s*\d+)?\s*", text).groups()
        return (int(value) if value.isdigit() else self.constants[value]) + int((less or "0").replace(" ", ""))

    def width(self, of, dimensions=""):
        width = self.widths[of]
        for count in self.counts(dimensions):
            width *= count
        return width

    def parts(self, struct):
        """(name, type, lowest bit, width) of each field of a struct, from the highest bit down; of an array, of each
        element."""
        found, low = [], self.widths[struct]
        for of, dimensions, name in self.structs[struct]:
            counts = self.counts(dimensions)
            number = of in ("logic", "bit")  # its last dimension is its width
            elements = counts[:-1] if number else counts
            width = counts[-1] if number and counts else self.widths[of]
            for index in range(elements[0] - 1, -1, -1) if elements else [None]:
                low -= width
                found.append((name if index is None else f"{name}[{index}]", of, low, width))
        return found

    def fields(self, struct):
        """(name, lowest bit, width, C++ member) of each number in a struct, also in a struct that is a field."""
        found, members = [], MEMBERS.get(struct, {})
        for part, of, low, width in self.parts(struct):
            name, bracket, index = part.partition("[")
            member = members.get(name, members.get("*", "{}")).format(name) + bracket + index
            if of not in self.structs or of in NUMBERS:
                found.append((part, low, width, member))
                continue
            for inside, at, bits, of_it in self.fields(of):
                path = f"{part}.{inside}"
                found.append((path, low + at, bits, members.get(path, f"{member}.{of_it}" if member else of_it)))
        return [field for field in found if not field[0].startswith("pad")]


    def ports(self, bundle):
        """(name as a port, lowest bit) of each field of a bundle."""
        low, names = self.widths[bundle], PORTS[bundle]
        for of, dimensions, name in self.structs[bundle]:
            low -= self.width(of, dimensions)
            yield names.get(name, names["*"]).format(name), low


def constant(field):
    return "k" + "".join(word.capitalize() for word in re.split(r"\W|_", field) if word)


def header(packages):
    lines = ["// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0", "//",
             "// The packed structs of the SystemVerilog packages. Written by scripts/common/packages.py.",
             "#ifndef MUSTER_SIM_PORT_STRUCTS_H_", "#define MUSTER_SIM_PORT_STRUCTS_H_", "",
             '#include "sim/port/bits.h"', "", "namespace muster::sv {"]
    for struct in packages.structs:
        if struct in PORTS:
            lines += ["", "template <typename Vector>", f"struct {struct.removesuffix('_t')}_ports {{",
                      f"  explicit {struct.removesuffix('_t')}_ports(Vector& bundles) : bundles(&bundles) {{}}", "  Vector* bundles;"]
            lines += [f"  BundleField<Vector, {low}, {packages.widths[struct]}> {port}{{bundles}};" for port, low in packages.ports(struct)]
            lines += ["};"]
        if struct in NUMBERS or struct in PORTS:
            continue
        fields = packages.fields(struct)
        places = {name: (low, width) for name, of, low, width in packages.parts(struct) if of in packages.structs}
        places |= {name: (low, width) for name, low, width, _ in fields}
        lines += ["", f"struct {struct} {{", f"  static constexpr unsigned kWidth = {packages.widths[struct]};"]
        lines += [f"  static constexpr BitField {constant(name)}{{{low}, {width}}};" for name, (low, width) in places.items()]
        lines += ["  template <typename Vector, typename Value>",
                  "  static void Put(const Value& value, Vector* to, unsigned low = 0) {",
                  "    BitWords<kWidth> bits{};"]
        lines += [f"    SetBits(&bits, 0, {constant(name)}, value.{member});" for name, _, _, member in fields]
        lines += ["    StoreBits<kWidth>(bits, to, low);", "  }", "  template <typename Vector, typename Value>",
                  "  static void Get(const Vector& from, Value* value, unsigned low = 0) {",
                  "    const BitWords<kWidth> bits = LoadBits<kWidth>(from, low);"]
        lines += [f"    GetBits(bits, 0, {constant(name)}, &value->{member});" for name, _, _, member in fields]
        lines += ["  }", "};"]
    return "\n".join([*lines, "", "}  // namespace muster::sv", "", "#endif  // MUSTER_SIM_PORT_STRUCTS_H_", ""])


if __name__ == "__main__":
    target = pathlib.Path(sys.argv[1])
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(header(Packages()))
