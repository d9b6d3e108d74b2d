# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""The position of each field of a port in the vector that replaces the port in plain Verilog.

The types are Verilator's reading of the sources, so that nothing here knows a struct.
"""

import pathlib
import re
import subprocess
import tempfile
import xml.etree.ElementTree as ElementTree

from root import ROOT
import configs


class Types:
    def __init__(self, table):
        self.by_id = {entry.get("id"): entry for entry in table}

    def resolve(self, identity):
        entry = self.by_id[identity]
        while entry.tag in ("refdtype", "enumdtype"):
            entry = self.by_id[entry.get("sub_dtype_id")]
        return entry

    def leaves(self, identity, prefix=""):
        """Width, and (name, lowest bit, width) of each field, the lowest first."""
        entry = self.resolve(identity)
        if entry.tag == "basicdtype":
            width = abs(int(entry.get("left", 0)) - int(entry.get("right", 0))) + 1
            return width, [(prefix, 0, width)]
        if entry.tag == "packarraydtype":
            left, right = (int(const.get("name").split("h")[1], 16)
                           for const in entry.iter("const"))
            width, element = self.leaves(entry.get("sub_dtype_id"))
            if len(element) == 1 and element[0][0] == "" and width == 1:
                return abs(left - right) + 1, [(prefix, 0, abs(left - right) + 1)]
            parts = [(f"[{index}]", entry.get("sub_dtype_id"))
                     for index in range(min(left, right), max(left, right) + 1)]
        else:  # a struct: its first member is the highest
            parts = [(("." if prefix else "") + member.get("name"), member.get("sub_dtype_id"))
                     for member in reversed(entry.findall("memberdtype"))]
        total, fields = 0, []
        for name, sub in parts:
            width, inside = self.leaves(sub, prefix + name)
            fields += [(field, total + low, bits) for field, low, bits in inside]
            total += width
        return total, fields


def elaborate(top, *options):
    """What Verilator makes of the sources below a module."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "muster.xml"
        subprocess.run(["verilator", "--xml-only", "--xml-output", file, "-Wno-lint", "-Wno-fatal", "--Mdir", folder, "+define+MUSTER_OBSERVE",
                        "-F", "rtl/muster.f", "--top-module", top, *options],
                       cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, check=True)
        return ElementTree.parse(file).getroot()


def read(parameters, top="muster", sources=()):
    """The ports of a module with these parameters, and the codes of the enumerations. `sources`: those that are not the unit's."""
    root = elaborate(top, *configs.overrides(parameters), *sources)
    types = Types(root.find(".//typetable"))
    top = next(module for module in root.iter("module") if module.get("topModule"))
    ports = {}
    for port in top.findall("var"):
        if port.get("dir"):
            width, fields = types.leaves(port.get("dtype_id"))
            ports[port.get("name")] = {
                "direction": port.get("dir"), "width": width,
                "fields": [{"name": name, "msb": low + bits - 1, "lsb": low}
                           for name, low, bits in reversed(fields) if name]}
    enums = {entry.get("name").split("::")[1]:
             {item.get("name"): int(re.search(r"'h([0-9a-f]+)", item.find("const").get("name"))[1], 16)
              for item in entry.findall("enumitem")}
             for entry in root.iter("enumdtype") if entry.get("name", "").startswith("muster_pkg::")}
    return {"ports": ports, "enums": enums}


def table(module, ports):
    """The same for people."""
    lines = [f"# Ports of `{module}`", "", "| port | direction | bits | field |", "|---|---|---|---|"]
    for name, port in ports["ports"].items():
        lines.append(f"| `{name}` | {port['direction']} | {port['width'] - 1}:0 | |")
        lines += [f"| | | {field['msb']}:{field['lsb']} | `{field['name']}` |" for field in port["fields"]]
    for name, items in ports["enums"].items():
        lines += ["", f"`{name}`: " + ", ".join(f"{code} {item}" for item, code in items.items()) + "."]
    return "\n".join(lines) + "\n"


def differences(ports, verilog):
    """What the ports of a plain Verilog module have otherwise, a sentence each."""
    plain = re.sub(r"^\s*function\b.*?^\s*endfunction\b", "", verilog, flags=re.MULTILINE | re.DOTALL)
    found = {name: int(high or 0) + 1 for high, name in
             re.findall(r"^\s*(?:input|output)\s+(?:\[(\d+):0\]\s+)?(\w+)\s*;", plain, re.MULTILINE)}
    expected = {name: port["width"] for name, port in ports["ports"].items()}
    return [f"port {name} has {found.get(name, 'no')} bits in the module, {expected.get(name, 'none')} in its map"
            for name in sorted(found.keys() | expected.keys()) if found.get(name) != expected.get(name)]
