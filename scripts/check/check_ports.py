#!/usr/bin/env python3
# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""What others say of ports and types, against the SystemVerilog sources, which are the one description of them.

The structs as scripts/common/packages.py reads them, against Verilator's reading; the codes and limits of
sim/isa and sim/port, and the registers of the AXI4-Lite adapter that show fields, against those of the
packages; the tables of ports and the published bits on the pages of rtl/ against the ports. Exit code 1,
with a sentence for each difference.
"""

import json
import re
import sys

from root import ROOT
import configs
import fieldmap
import packages

# The C++ enumerations, and how far their codes are from those of the packages.
ENUMS = {
    "op_e": ("operation.h", "OpKind", 0), "lifecycle_e": ("operation.h", "OpKind", 16),
    "kind_e": ("operation.h", "BarKind", 0), "fault_e": ("fault.h", "FaultCause", 0),
    "mb_op_e": ("mbarrier_operation.h", "MbOp", 0), "mb_source_e": ("mbarrier_operation.h", "MbSource", 0),
    "mb_asks_e": ("mbarrier_operation.h", "MbAsks", 0),
    "warp_op_e": ("warp_operation.h", "WarpOp", 0), "at_op_e": ("atomic_operation.h", "AtomicOp", 0),
    "at_size_e": ("atomic_operation.h", "AtomicSize", 0), "cluster_life_e": ("cluster_operation.h", "ClusterLifeOp", 0),
    "cluster_op_e": ("cluster_operation.h", "ClusterOp", 0),
}
PREFIX = re.compile(r"(Op|Lc|Kind|Fault|Mb|Asks|Warp|At|Cl)(?=[A-Z0-9])")

# Highest and lowest bit of the fields of words that rtl/README.md and rtl/mbarrier/README.md publish.
PUBLISHED = {
    "smem_rdata_i": {"phase": (63, 63), "pending": (62, 43), "lock": (42, 42), "tx": (41, 21),
                     "expected": (20, 1), "zero": (0, 0)},
    "debug_word_o": {"zero": (31, 30), "phase": (29, 29), "kind": (28, 26), "expected": (25, 19), "arrived": (18, 12),
                     "value": (11, 0)},
    "debug_warp_o": {"waiting": (6, 6), "live": (5, 5), "cta": (4, 0)},
}

# Registers of the adapter that show fields of a struct.
REGISTERS = {"fault": "fault_t", "debug_index": "fault_t", "debug_entry": "bar_word_t", "debug_warp": "debug_warp_t"}

# Pages with a table of a module's ports, the values that the table's letters stand for, and the ports that it
# leaves to another page.
TABLES = {
    "muster": ("rtl/README.md", {"W": 32, "P": 2}, ("mb_", "smem_")),
    "muster_warp": ("rtl/warp/README.md", {"W": 32, "LanesPerBeat": 8}, ()),
    "muster_atomics": ("rtl/atomics/README.md", {"W": 32}, ()),
    "muster_cluster": ("rtl/cluster/README.md", {"U": 4, "W": 32, "NumGrids": 2}, ()),
}


# The parameters of modules that have no defaults.
GIVEN = {"muster_atomics": {"Cfg": configs.packed(configs.UNIT["default"])}}


def structs(read):
    """What packages.py reads otherwise than Verilator."""
    seen = set()
    for root in (fieldmap.elaborate("muster_gpc"), fieldmap.elaborate("muster_atomics", *configs.overrides(GIVEN["muster_atomics"])),
                 fieldmap.elaborate("muster_atomics_lanes"),
                 fieldmap.elaborate("muster_board", "-F", "rtl/fpga/fpga.f", "-Wno-WIDTHCONCAT")):
        types = fieldmap.Types(root.find(".//typetable"))
        for entry in root.iter("structdtype"):
            name = entry.get("name", "").rpartition("::")[2]
            members = [(member.get("name"), types.leaves(member.get("sub_dtype_id"))[0])
                       for member in entry.findall("memberdtype")]
            fields = [(member, read.width(of, dimensions)) for of, dimensions, member in read.structs.get(name, [])]
            if name in read.structs and members != fields:
                yield f"{name} has the fields {members}, and packages.py reads {fields}"
            seen.add(name)
    for name in sorted(read.structs.keys() - seen):
        yield f"{name} is no struct to Verilator"


def codes(read):
    """Enumerators and limits that the C++ side has otherwise."""
    for enum, (header, name, base) in ENUMS.items():
        text = (ROOT / "sim/isa" / header).read_text()
        body = re.search(rf"enum class {name} : [\w:]+ {{(.*?)}};", text, re.DOTALL)[1]
        theirs = {item: int(code) for item, code in re.findall(r"k(\w+) = (\d+)", body)}
        for item, code in read.enums[enum].items():
            if theirs.get(PREFIX.sub("", item, count=1)) != code + base:
                yield f"{item} is {code}, and {name} of sim/isa/{header} has no such code"
    headers = "".join(path.read_text() for room in ("isa", "port") for path in (ROOT / "sim" / room).glob("*.h"))
    for name, value in read.constants.items():
        theirs = re.search(rf"constexpr unsigned k{name} = (\d+)", headers)
        if theirs and int(theirs[1]) != value:
            yield f"{name} is {value}, and k{name} is {theirs[1]}"


def registers(read):
    """Fields of registers that are narrower or wider than those that they show."""
    for register in json.loads((ROOT / "rtl/adapters/axil/registers.json").read_text())["registers"]:
        struct = REGISTERS.get(register["name"])
        widths = {name: width for name, _, _, width in read.parts(struct)} if struct else {}
        for field in register.get("fields", []):
            high, low = map(int, field["bits"].split(":"))
            width = widths.get(field["name"], high - low + 1)
            if high - low + 1 != width:
                yield f"registers.json: {register['name']}.{field['name']} shows a field of {width} bits"


def published():
    """Words and vectors that are otherwise than the pages say, in a named configuration."""
    for config, parameters in configs.UNIT.items():
        ports = fieldmap.read(parameters)["ports"]
        for port, fields in PUBLISHED.items():
            found = {field["name"]: (field["msb"], field["lsb"]) for field in ports[port]["fields"]}
            if found != fields:
                yield f"{config}: {port} has the fields {found}, and {fields} are published"
        for name, width in {"release_o": parameters["NumWarps"], "fault_valid_o": parameters["NumIssue"] + 2}.items():
            if ports[name]["width"] != width:
                yield f"{config}: {name} has {ports[name]['width']} bits, not {width}"


def rows(page):
    """(names, widths, directions) of the rows of a page's tables of ports."""
    inside = False
    for line in (ROOT / page).read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split(" | ")]
        inside = line.startswith("| signal |") or inside and line.startswith("|")
        if inside and cells[0].startswith("`"):
            yield re.findall(r"`([^`]*)`", cells[0]), re.split(r"[,;] ", cells[1]), cells[2].split(", ")


def number(width, letters):
    """The value of a width as the tables have it; None: it is no formula."""
    formula = re.sub(r"`| each", "", width).replace(" x ", "*").replace("+", " + ")
    formula = re.sub(r"[A-Z]\w*", lambda name: str(letters.get(name[0], name[0])), formula)
    return eval(formula) if re.fullmatch(r"[\d*+ ]+", formula) else None  # digits and operators alone


def bits(port, field):
    """How many bits a field has in a port, of the first element if the port is an array."""
    inside = [(re.sub(r"^\[0\]\.?", "", part["name"]), part["msb"] - part["lsb"] + 1) for part in port["fields"]
              if not re.match(r"\[[1-9]", part["name"])]
    return sum(width for name, width in inside if name == field or name.startswith((f"{field}.", f"{field}[")))


def tables():
    """Ports and fields that a table lacks, or has with another width or direction."""
    for module, (page, letters, elsewhere) in TABLES.items():
        ports = fieldmap.read(GIVEN.get(module, {}), module)["ports"]
        last, named = "", set()
        for names, widths, directions in rows(page):
            for place, name in enumerate(names):
                port, _, field = re.sub(r"\[[a-z]\]", "", name).partition(".")
                port = port or last
                if port not in ports:
                    yield f"{page}: {module} has no port {port}"
                    continue
                last = re.sub(r"_(valid|ready)_[io]$", "", port) + "_i" if re.search("_(valid|ready)_[io]$", port) else port
                last = last if last in ports else last[:-1] + "o"
                named |= {port, f"{port}.{field}"}
                width = number(widths[min(place, len(widths) - 1)], letters)
                count = letters.get("P" if "[p]" in name else "U", 1) if "[" in name else 1
                right = bits(ports[port], field) if field else ports[port]["width"]
                if width is not None and right not in (width, width * count):
                    yield f"{page}: {name} of {module} has {right} bits"
                if ports[port]["direction"].removesuffix("put") != directions[min(place, len(directions) - 1)]:
                    yield f"{page}: {name} of {module} is an {ports[port]['direction']}"
        for port, described in ports.items():
            if port not in named and not port.startswith(elsewhere):
                yield f"{page} does not name {port} of {module}"
            if any(name.startswith(f"{port}.") and name[-1] != "." for name in named):
                fields = {re.sub(r"^\[0\]\.?", "", part["name"]).split(".")[0].split("[")[0] for part in described["fields"]
                          if not re.match(r"\[[1-9]", part["name"])}
                for field in sorted(fields - {name.partition(".")[2] for name in named if name.startswith(f"{port}.")}):
                    yield f"{page} does not name .{field} of {port}"


def main():
    read = packages.Packages()
    wrong = [*structs(read), *codes(read), *registers(read), *published(), *tables()]
    print("\n".join(wrong) or "packages, sim/isa and the tables of ports agree")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
