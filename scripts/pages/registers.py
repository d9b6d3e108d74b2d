#!/usr/bin/env python3
# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""Writes what follows from the register map of the AXI4-Lite adapter, rtl/adapters/axil/registers.json.

That is, in the same folder: the SystemVerilog package muster_axil_pkg.sv, the C header muster_axil.h, the map in SystemRDL,
muster_axil.rdl, and in README.md the table of registers and the example, which is hang.h. With --check it writes nothing, and
fails if one of them is not what it would write. A map that contradicts itself is refused (exit code 1). An
argument names another folder with these files.
"""

import argparse
import json
import pathlib
import re
import sys

from root import ROOT
import filelists

ROOM = ROOT / "rtl/adapters/axil"
NOTICE = ("// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0\n"
          "//\n// Written by scripts/pages/registers.py from registers.json.\n")
ACCESS = {"ro": "read", "rw": "read, write", "w1c": "read, write 1 to clear"}


class Field:
    def __init__(self, row):
        self.name, self.text, self.rdl = row["name"], row["text"], row.get("rdl", [])
        bits = re.fullmatch(r"(\d+):(\d+)", row["bits"])
        if not bits:
            raise ValueError(f"{self.name}: bits are high:low, not {row['bits']}")
        self.high, self.low = map(int, bits.groups())
        self.width = self.high - self.low + 1
        self.mask = ((1 << self.width) - 1) << self.low


class Register:
    def __init__(self, row):
        self.name, self.text, self.access = row["name"], row["text"], row["access"]
        self.rdl, self.external = row.get("rdl", []), row.get("external", False)
        self.offset = int(row["offset"], 0)
        self.count = row.get("count", 1)
        self.last = self.offset + 4 * (self.count - 1)
        self.fields = [Field(field) for field in row.get("fields", [])]
        self.camel = "".join(word.capitalize() for word in self.name.split("_"))
        self.writable = self.access != "ro"


def contradictions(registers, bits):
    """What is wrong with the map, a sentence each."""
    words = set()
    for register in registers:
        if register.access not in ACCESS:
            yield f"{register.name}: there is no access {register.access}; there are {', '.join(ACCESS)}"
        for offset in range(register.offset, register.last + 1, 4):
            if offset % 4 or offset + 4 > 1 << bits:
                yield f"{register.name}: {offset:#x} is no word of {bits} address bits"
            if offset in words:
                yield f"{register.name}: {offset:#x} belongs to another register, too"
            words.add(offset)
        lowest = 32
        for field in register.fields:
            if not 0 <= field.low <= field.high < lowest:
                yield f"{register.name}.{field.name}: bits {field.high}:{field.low} are not below the field before"
            lowest = field.low


def package(registers, bits):
    def constant(register):
        return f"  localparam addr_t {register.camel}Addr = {bits}'h{register.offset:03x};\n"

    def struct(register):
        text, above, gaps = "  typedef struct packed {\n", 32, 0
        for field in [*register.fields, None]:
            low = -1 if field is None else field.high
            if above - 1 > low:
                width = f" [{above - low - 2}:0]" if above - low > 2 else ""
                text += f"    logic{width} zero{gaps};\n"
                gaps += 1
            if field is not None:
                width = f" [{field.width - 1}:0]" if field.width > 1 else ""
                text += f"    logic{width} {field.name};\n"
                above = field.low
        return text + f"  }} {register.name}_reg_t;\n"

    def test(name, chosen):
        spans = []  # of neighbours: first and last byte
        for register in sorted(chosen, key=lambda register: register.offset):
            if spans and spans[-1][1] + 1 == register.offset:
                spans[-1][1] = register.last + 3
            else:
                spans.append([register.offset, register.last + 3])
        ranges = ", ".join(f"[{bits}'h{first:03x} : {bits}'h{last:03x}]" for first, last in spans)
        return (f"  function automatic logic {name}(addr_t addr);\n"
                f"    return addr inside {{{ranges}}};\n  endfunction\n")

    major, minor, patch = map(int, filelists.version().split("."))
    return (NOTICE + "package muster_axil_pkg;\n\n"
            f"  typedef logic [{bits - 1}:0] addr_t;\n\n" +
            "".join(map(constant, registers)) +
            f"\n  localparam logic [31:0] Version = 32'h{major << 16 | minor << 8 | patch:08x};\n\n" +
            "\n".join(struct(register) for register in registers if register.fields) + "\n" +
            test("readable", registers) + "\n" +
            test("writable", [register for register in registers if register.writable]) +
            "\nendpackage\n")


def header(registers):
    text = NOTICE + "//\n// Offsets in bytes; for each field its mask in the word and its lowest bit.\n"
    text += "#ifndef MUSTER_AXIL_H_\n#define MUSTER_AXIL_H_\n"
    for register in registers:
        name = f"MUSTER_AXIL_{register.name.upper()}"
        if register.count == 1:
            text += f"\n#define {name} 0x{register.offset:03x}u\n"
        else:
            text += f"\n#define {name}(i) (0x{register.offset:03x}u + 4u * (i))  // i < {register.count}\n"
        for field in register.fields:
            text += f"#define {name}_{field.name.upper()}_MASK 0x{field.mask:08x}u\n"
            text += f"#define {name}_{field.name.upper()}_SHIFT {field.low}u\n"
    return text + "\n#endif  // MUSTER_AXIL_H_\n"


def table(registers):
    text = "| offset | register | access | bits | what it holds |\n|---|---|---|---|---|\n"
    for register in registers:
        offset = f"`0x{register.offset:03x}`" + (f" to `0x{register.last:03x}`" if register.count > 1 else "")
        name = register.name.upper() + (f"[{register.count}]" if register.count > 1 else "")
        text += f"| {offset} | {name} | {ACCESS[register.access]} | | {register.text} |\n"
        for field in register.fields:
            bits = f"{field.high}:{field.low}" if field.width > 1 else str(field.low)
            text += f"| | `.{field.name}` | | {bits} | {field.text} |\n"
    return text


def example(room):
    """hang.h below its notice, as a block of code."""
    code = (room / "hang.h").read_text().split("\n\n", 1)[1]
    return f"```c\n{code}```\n"


def rdl(registers, bits):
    """The map in SystemRDL, for tools of others. A register without fields is one field, `value`."""
    hardware = {"ro": "sw = r; hw = w;", "rw": "sw = rw; hw = r; reset = 0;",
                "w1c": "sw = rw; onwrite = woclr; hw = rw; reset = 0;"}

    def described(row):
        text = row.text.replace("\\", "\\\\").replace('"', '\\"')
        return "".join(f" {line};" for line in [f'desc = "{text}"', *row.rdl])

    text = NOTICE + (f'addrmap muster_axil {{\n  name = "Muster";\n  desc = "The AXI4-Lite adapter of the barrier unit: {bits} bits of address.";\n'
                     "  default regwidth = 32;\n")
    for register in registers:
        text += f"\n  {'external ' * register.external}reg {{\n   {described(register)}\n    default {hardware[register.access].replace('; ', '; default ')}\n"
        for field in register.fields:
            text += f"    field {{{described(field)} }} {field.name}[{field.high}:{field.low}];\n"
        if not register.fields:
            text += "    field { } value[31:0];\n"
        array = f"[{register.count}]" if register.count > 1 else ""
        text += f"  }} {register.name}{array} @ {register.offset:#05x}{' += 4' if array else ''};\n"
    return text + "};\n"


def page(registers, room):
    text = (room / "README.md").read_text()
    for name, block in (("registers", table(registers)), ("hang.h", example(room))):
        begin, end = f"<!-- {name}: written by scripts/pages/registers.py -->\n", f"<!-- end of {name} -->\n"
        if text.count(begin) != 1 or text.count(end) != 1:
            sys.exit(f"{room / 'README.md'}: one line each is needed of {begin.strip()} and {end.strip()}")
        before, rest = text.split(begin)
        text = before + begin + block + end + rest.split(end)[1]
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--check", action="store_true", help="only compare")
    parser.add_argument("room", nargs="?", type=pathlib.Path, default=ROOM)
    args = parser.parse_args()
    room, source = args.room, args.room / "registers.json"
    try:
        rows = json.loads(source.read_text())
        bits = rows["address_bits"]
        registers = [Register(row) for row in rows["registers"]]
        wrong = list(contradictions(registers, bits))
    except KeyError as key:
        wrong = [f"{key} is missing, of the map, of a register or of a field"]
    except ValueError as error:
        wrong = [f"{error}"]
    if wrong:
        sys.exit("\n".join(f"{source}: {sentence}" for sentence in wrong))
    stale = []
    for name, text in (("muster_axil_pkg.sv", package(registers, bits)),
                       ("muster_axil.h", header(registers)), ("muster_axil.rdl", rdl(registers, bits)), ("README.md", page(registers, room))):
        path = room / name
        if args.check:
            stale += [] if path.exists() and path.read_text() == text else [name]
        else:
            path.write_text(text)
    if stale:
        sys.exit(f"{room}: {', '.join(stale)}: not what scripts/pages/registers.py makes of registers.json; run it")


if __name__ == "__main__":
    main()
