#!/usr/bin/env python3
# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""Writes rtl/muster.xml: the unit as a component of IP-XACT (IEEE 1685-2014).

Parameters and ports are those of the header of rtl/muster.sv, types and their widths those of the packages, files those of
rtl/muster.f. A width is an expression of the parameters; Verilator must find the same width in each named configuration. With --check it
writes nothing, and fails if the file is not what it would write, or a width is not Verilator's.
"""

import argparse
import re
import sys
from xml.sax.saxutils import escape

from root import ROOT
import configs
import fieldmap
import filelists
import packages

TARGET = ROOT / "rtl/muster.xml"
SPACE = "http://www.accellera.org/XMLSchema/IPXACT/1685-2014"
PORT = re.compile(r"^ *(input|output) +(\w+) *((?:\[[^\]]+\] *)*)(\w+),? *(?://(.*))?$")


def ports(read):
    """(direction, type, width as an expression, name, comment) of each port."""
    header = (ROOT / "rtl/muster.sv").read_text().split("\n) (\n", 1)[1].split("\n);\n", 1)[0]
    header = re.sub(r"`ifdef MUSTER_OBSERVE.*?`endif", "", header, flags=re.DOTALL)
    above = []
    for line in header.splitlines():
        found = PORT.match(line)
        if found:
            direction, of, dimensions, name, beside = found.groups()
            text = " ".join([*above, (beside or "").strip()]).strip()
            factors = [factor(high, read) for high in re.findall(r"\[(.+?):0\]", dimensions)]
            bits = read.width(of)
            yield direction, of, " * ".join([*factors, *([str(bits)] if bits > 1 or not factors else [])]), name, text
            above = []
        elif line.strip().startswith("//"):
            above.append(line.strip(" /"))
        elif line.strip():
            sys.exit(f"rtl/muster.sv: no port, to scripts/pages/ipxact.py: {line.strip()}")
        else:
            above = []


def factor(high, read):
    """How many elements a dimension has, as an expression of the parameters."""
    name, more = re.fullmatch(r"(?:Legal\.)?(\w+)([+-]\d+)?", high).groups()
    more = int(more or 0) + 1
    if not high.startswith("Legal."):
        return str(read.number(name) + more)
    return f"({name} + {more})" if more else name


def vector(width):
    """Highest bit; None: the port is one wire."""
    return None if width == "1" else str(int(width) - 1) if width.isdigit() else f"{width} - 1"


def element(name, *inside, **attributes):
    """A line, if all that is inside is text; else a line for each part, further to the right."""
    opening = f"<ipxact:{name}" + "".join(f' {key}="{value}"' for key, value in attributes.items()) + ">"
    if len(inside) == 1 and isinstance(inside[0], str):
        return [f"{opening}{escape(inside[0])}</ipxact:{name}>"]
    return [opening, *(f"  {line}" for part in inside for line in part), f"</ipxact:{name}>"]


def port(direction, of, width, name, text):
    high = vector(width)
    size = [element("vectors", element("vector", element("left", high), element("right", "0")))] if high else []
    typed = [] if of == "logic" else [element("wireTypeDefs", element(
        "wireTypeDef", element("typeName", of), element("typeDefinition", "rtl/muster_pkg.sv"), element("viewRef", "rtl")))]
    return element("port", element("name", name), *([element("description", text)] if text else []),
                   element("wire", element("direction", direction.removesuffix("put")), *size, *typed))


def parameter(name, kind, value):
    typed = {"type": "bit"} if kind == "bit" else {"type": "int", "sign": "unsigned"}
    return element("parameter", element("name", name), element("value", value), parameterId=name, resolve="user", **typed)


def files():
    folders, sources = filelists.read_list()
    headers = sorted(str(path.relative_to(ROOT / "rtl")) for folder in folders for path in (ROOT / "rtl" / folder).glob("*.svh"))
    kind = element("fileType", "systemVerilogSource")
    return element("fileSet", element("name", "rtl"),
                   *(element("file", element("name", name), kind, element("isIncludeFile", "true")) for name in headers),
                   *(element("file", element("name", name), kind) for name in sources))


def component(read):
    parameters = list(filelists.parameters())
    model = element(
        "model",
        element("views", element("view", element("name", "rtl"), element("componentInstantiationRef", "muster"))),
        element("instantiations", element(
            "componentInstantiation", element("name", "muster"), element("language", "SystemVerilog"), element("moduleName", "muster"),
            element("moduleParameters", *(element("moduleParameter", element("name", name), element("value", name), dataType=kind)
                                          for name, kind, _ in parameters)),
            element("fileSetRef", element("localName", "rtl")))),
        element("ports", *(port(*row) for row in ports(read))))
    lines = element(
        "component", element("vendor", "muster"), element("library", "gpu"), element("name", "muster"),
        element("version", filelists.version()),
        model, element("fileSets", files()),
        element("description", "The barrier unit of a GPU core (named barriers, mbarrier)"),
        element("parameters", *(parameter(*row) for row in parameters)),
        **{"xmlns:ipxact": SPACE, "xmlns:xsi": "http://www.w3.org/2001/XMLSchema-instance",
           "xsi:schemaLocation": f"{SPACE} {SPACE}/index.xsd"})
    return "\n".join(['<?xml version="1.0" encoding="UTF-8"?>',
                      "<!-- Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0 -->",
                      "<!-- Written by scripts/pages/ipxact.py. -->", *lines, ""])


def differences(read):
    """Where Verilator finds other ports, a sentence each."""
    described = {name: (direction, width) for direction, _, width, name, _ in ports(read)}
    for config, parameters in configs.UNIT.items():
        found = {name: (row["direction"], row["width"]) for name, row in fieldmap.read(parameters)["ports"].items()
                 if not name.startswith(("debug_", "commit_", "mb_commit_"))}
        for name in sorted(found.keys() | described.keys()):
            direction, width = described.get(name, ("no port", "0"))
            known = re.sub(r"\b[A-Z]\w*", lambda word: str(parameters[word[0]]), width)
            bits = eval(known) if re.fullmatch(r"[\d*+ ()]+", known) else None  # digits and operators alone
            if found.get(name) != (direction, bits):
                yield f"{config}: {name} is {direction} of {width} bits to IP-XACT, and {found.get(name)} to Verilator"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--check", action="store_true", help="only compare")
    args = parser.parse_args()
    read = packages.Packages()
    text = component(read)
    if not args.check:
        TARGET.write_text(text)
    wrong = list(differences(read))
    if TARGET.read_text() != text:
        wrong.append("rtl/muster.xml is not what scripts/pages/ipxact.py makes of the sources; run it")
    print("\n".join(wrong) or "the ports of IP-XACT are those of Verilator")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
