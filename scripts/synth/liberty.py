# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""What asic.py has to know of Liberty files: names, areas and pins of cells, and the ports of memory macros.

A file is read as nested groups. Groups of timing and power are skipped; OpenSTA and abc read them.
"""

import dataclasses
import gzip
import pathlib
import re
import zlib

SKIPPED = {"timing", "internal_power", "leakage_power", "leakage_current", "pg_pin", "receiver_capacitance", "normalized_driver_waveform",
           "lu_table_template", "power_lut_template", "dc_current", "output_current_template", "statetable", "test_cell"}
TOKEN = re.compile(r'\s*(?:/\*.*?\*/\s*|\\\s*\n\s*)*(?:([\w.\-]+|"[^"]*")\s*(?:\(([^()]*(?:\([^()]*\)[^()]*)*)\)\s*([{;]?)|:\s*("[^"]*"|[^;{}\n]*)\s*;?)|(\})|(\S))',
                   re.DOTALL)
BRACE = re.compile(r'"[^"]*"|[{}]')


class Unusable(Exception):
    """Why files cannot be used, in a sentence."""


@dataclasses.dataclass
class Group:
    kind: str
    name: str
    attributes: dict
    groups: list

    def all(self, kind):
        return [group for group in self.groups if group.kind == kind]


@dataclasses.dataclass
class Cell:
    """A standard cell. `function`: of each output that has one."""
    name: str
    area: float
    inputs: tuple
    function: dict
    flip_flop: bool
    usable: bool
    capacitance: float  # the largest of an input, in pF


@dataclasses.dataclass
class Macro:
    """A memory of which one port is written and one is read. `others`: pins of control, with their widths."""
    name: str
    area: float
    depth: int
    width: int
    clocks: list
    write: tuple  # names of the buses of addresses and data
    read: tuple
    inputs: dict  # widths of all inputs


def bare(text):
    return text.strip().strip('"').strip()


def parse(text, at=0):
    """The group that begins at `at`, and where it ends."""
    found = TOKEN.match(text, at)
    if not found or not found[1] or found[3] != "{":
        raise ValueError(at)
    group = Group(bare(found[1]), bare(found[2] or ""), {}, [])
    at = found.end()
    while True:
        found = TOKEN.match(text, at)
        if not found or found[6]:
            if found and found[6] == ";":
                at = found.end()
                continue
            raise ValueError(at)
        if found[5]:
            return group, found.end()
        if found[3] != "{":
            group.attributes[found[1]] = bare(found[4] if found[4] is not None else found[2])
            at = found.end()
        elif found[1] in SKIPPED:
            depth, at = 1, found.end()
            while depth:
                brace = BRACE.search(text, at)
                if not brace:
                    raise ValueError(at)
                depth += {"{": 1, "}": -1}.get(brace[0], 0)
                at = brace.end()
        else:
            inner, at = parse(text, found.start())
            group.groups.append(inner)


class Library:
    """A Liberty file."""

    def __init__(self, path):
        self.path = pathlib.Path(path)
        try:
            data = self.path.read_bytes()
            self.text = (gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data).decode("utf-8", "replace")
        except (OSError, EOFError, zlib.error) as problem:
            raise Unusable(f"{path}: cannot be read ({getattr(problem, 'strerror', None) or problem})") from None
        start = re.search(r"^\s*library\s*\(", self.text, re.MULTILINE)
        if not start:
            raise Unusable(f"{path}: not a Liberty file, since it has no group `library`")
        try:
            self.group = parse(self.text, start.start())[0]
        except ValueError as where:
            line = self.text.count("\n", 0, where.args[0]) + 1
            raise Unusable(f"{path}: line {line} is not Liberty") from None
        self.name = self.group.name

    def picofarads(self):
        """The unit of its capacitances."""
        words = self.group.attributes.get("capacitive_load_unit", "1,pf").replace('"', "").lower()
        found = re.fullmatch(r"\s*([\d.e+-]+)\s*,\s*(ff|pf)\s*", words)
        if not found:
            raise Unusable(f"{self.path}: `capacitive_load_unit` is {words}, which is neither in ff nor in pf")
        return float(found[1]) * {"ff": 1e-3, "pf": 1.0}[found[2]]

    def with_wires(self, picofarads):
        """The text with so much more at each pin that takes a load: the wire to it. OpenSTA would add the loads of wires that a library has, and leaves
        out internal power of which it is not told the supply."""
        more = picofarads / self.picofarads()
        text = re.sub(r"\bdefault_wire_load\w*\s*:[^;\n]*;?", "", self.text)
        supply = re.search(r'\bpg_pin\s*\(\s*("?\w+"?)\s*\)\s*{[^}]*\bpg_type\s*:\s*"?primary_power\b', text)
        if supply and "related_pg_pin" not in text:
            text = re.sub(r"\binternal_power\s*\(\s*\)\s*{", rf"\g<0> related_pg_pin : {supply[1]};", text)
        return re.sub(r"\b((?:rise_|fall_)?capacitance\s*:\s*\"?)([\d.eE+-]+)",
                      lambda found: f"{found[1]}{float(found[2]) + more:.6g}" if float(found[2]) > 0 else found[0], text)

    def cells(self):
        return [standard_cell(group, self.picofarads()) for group in self.group.all("cell") if not group.all("memory")]

    def macros(self):
        return [memory_macro(self, group) for group in self.group.all("cell") if group.all("memory")]


def number(group, name):
    try:
        return float(group.attributes.get(name, "0"))
    except ValueError:
        return 0.0


def standard_cell(group, picofarads):
    inputs, function, capacitance = [], {}, 0.0
    for pin in group.all("pin"):
        if pin.attributes.get("direction") == "output":
            if "function" in pin.attributes:
                function[pin.name] = pin.attributes["function"]
        else:
            inputs.append(pin.name)
            capacitance = max(capacitance, number(pin, "capacitance") * picofarads)
    return Cell(group.name, number(group, "area"), tuple(sorted(inputs)), function, any(group.all("ff")),
                group.attributes.get("dont_use", "false") != "true" and bool(function), capacitance)


def memory_macro(library, cell):
    """The first port that can be written, and a port that is read at another address."""
    memory = cell.all("memory")[0].attributes
    try:
        depth, width = 1 << int(memory["address_width"]), int(memory["word_width"])
    except (KeyError, ValueError):
        raise Unusable(f"{library.path}: memory {cell.name} has no `address_width` and `word_width`") from None
    widths = {kind.name: int(number(kind, "bit_width")) for kind in library.group.all("type")}
    write, read, inputs, clocks = None, [], {}, []
    for pin in cell.all("pin") + cell.all("bus"):
        if any(part.attributes.get("clock") == "true" for part in [pin, *pin.all("pin")]):
            clocks.append(pin.name)
            continue
        if pin.attributes.get("direction") == "input":
            inputs[pin.name] = widths.get(pin.attributes.get("bus_type"), 1) if pin.kind == "bus" else 1
        for port in pin.all("memory_write"):
            address = port.attributes.get("address")
            if inputs.get(pin.name, 1) == width and address != pin.name:
                write = write or (address, pin.name)
        for port in pin.all("memory_read"):
            read.append((port.attributes.get("address"), pin.name))
    read = [port for port in read if write and port[0] != write[0]]
    if not (clocks and write and read):
        raise Unusable(f"{library.path}: memory {cell.name} has no port that is written and another one that is read")
    return Macro(cell.name, number(cell, "area"), depth, width, clocks, write, read[0], inputs)
