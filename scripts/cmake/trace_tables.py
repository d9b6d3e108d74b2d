#!/usr/bin/env python3
# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""Makes tables of the calls by which a Verilated class declares the signals of a waveform: trace_tables.py SOURCE...

Verilator writes a call for each signal, up to thirty thousand of a class: half of what is compiled for what runs once. A table of their
arguments and a loop over it compile in a fraction of the time. Calls of another form, such as those of another version of Verilator, stay.
"""

import pathlib
import re
import sys

FEWEST = 4  # calls in a row that become a table
# code, name, enumeration, direction, type, and the range of the bits
DECLARE = re.compile(r'    tracep->decl(Bit|Bus|Quad)\(c\+(\d+),("[^"]*"),(-?\d+), ?(\w+),(\w+), false,-1(?:, (\d+),(\d+))?\);')
PUSH = re.compile(r'    tracep->pushNamePrefix\(("[^"]*")\);')
POP = re.compile(r"    tracep->popNamePrefix\((\d+)\);")
NO_SIGNAL = "0, FST_VD_IMPLICIT, FST_VT_SV_LOGIC, 0, 0"
LOOP = """#ifndef MUSTER_TRACE_TABLES
#define MUSTER_TRACE_TABLES
namespace {
struct TraceRow {
  char kind;
  int number;  // the code of a signal, or how many prefixes are popped
  const char* name;
  int enumeration;
  fstVarDir direction;
  fstVarType type;
  int msb;
  int lsb;
};
template <unsigned kCount>
void DeclareTraced(VerilatedFst* tracep, int c, const TraceRow (&rows)[kCount]) {
  for (const TraceRow& row : rows) {
    switch (row.kind) {
      case '<': tracep->pushNamePrefix(row.name); break;
      case '>': tracep->popNamePrefix(row.number); break;
      case '1': tracep->declBit(c + row.number, row.name, row.enumeration, row.direction, row.type, false, -1); break;
      case 'b': tracep->declBus(c + row.number, row.name, row.enumeration, row.direction, row.type, false, -1, row.msb, row.lsb); break;
      default: tracep->declQuad(c + row.number, row.name, row.enumeration, row.direction, row.type, false, -1, row.msb, row.lsb);
    }
  }
}
}  // namespace
#endif
"""


def row(line):
    """The row of a call, or None."""
    if match := DECLARE.fullmatch(line):
        kind, code, name, enumeration, direction, what, msb, lsb = match.groups("0")
        letter = {"Bit": "1", "Bus": "b", "Quad": "q"}[kind]
        return f"{{'{letter}', {code}, {name}, {enumeration}, {direction}, {what}, {msb}, {lsb}}},"
    if match := PUSH.fullmatch(line):
        return f"{{'<', 0, {match[1]}, {NO_SIGNAL}}},"
    if match := POP.fullmatch(line):
        return f"{{'>', {match[1]}, nullptr, {NO_SIGNAL}}},"
    return None


def with_tables(lines):
    """The lines of a source, with tables in place of calls that follow one another."""
    calls, rows = [], []
    for line in [*lines, ""]:
        made = row(line)
        if made:
            calls.append(line)
            rows.append(made)
            continue
        if len(rows) >= FEWEST and any("decl" in call for call in calls):
            yield from ("    {", "static const TraceRow rows[] = {", *rows, "};", "DeclareTraced(tracep, c, rows);", "    }")
        else:
            yield from calls
        calls, rows = [], []
        yield line


def main():
    for path in map(pathlib.Path, sys.argv[1:]):
        text = path.read_text()
        includes, brace, rest = text.partition("\nVL_ATTR_COLD")
        if brace and "DeclareTraced" not in text:
            path.write_text(f"{includes}\n{LOOP}VL_ATTR_COLD" + "\n".join(with_tables(rest.split("\n"))))


if __name__ == "__main__":
    main()
