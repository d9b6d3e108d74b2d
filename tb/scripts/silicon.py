#!/usr/bin/env python3
# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""Tests of scripts/synth/asic.py, on a library of a few cells and two memory macros that is written here.

  silicon.py CASE   runs one case
  silicon.py --list the names of all cases
"""

import gzip
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SKIPPED = 77
sys.path.insert(0, str(ROOT / "scripts/synth"))
import activity  # noqa: E402, after its folder is known
import arrays  # noqa: E402
import asic  # noqa: E402
import liberty  # noqa: E402

CASES = {}
HEAD = """/* A library of a few cells, with times that are made up. */
library (tiny_{name}) {{
  delay_model : table_lookup; time_unit : "1ns"; voltage_unit : "1V"; current_unit : "1mA";
  capacitive_load_unit ({unit}); nom_voltage : 1.0; leakage_power_unit : "1nW"; pulling_resistance_unit : "1kohm";
  input_threshold_pct_rise : 50; input_threshold_pct_fall : 50; output_threshold_pct_rise : 50; output_threshold_pct_fall : 50;
  slew_lower_threshold_pct_rise : 20; slew_lower_threshold_pct_fall : 20; slew_upper_threshold_pct_rise : 80; slew_upper_threshold_pct_fall : 80;
  lu_table_template (load) {{ variable_1 : total_output_net_capacitance; index_1 ("0, 1"); }}
"""


def arc(pin, ohms):
    """The delay of a gate: 0.01 ns, and ohms times the load."""
    table = f'values ("0.01, {0.01 + ohms}");'
    return (f'timing () {{ related_pin : "{pin}"; cell_rise (load) {{ {table} }} cell_fall (load) {{ {table} }}\n'
            f'      rise_transition (load) {{ {table} }} fall_transition (load) {{ {table} }} }}')


def gate(name, area, function, ohms):
    inputs = sorted(set(re.findall(r"[A-D]", function)))
    pins = "".join(f"    pin ({pin}) {{ direction : input; capacitance : 0.01; }}\n" for pin in inputs)
    return (f'  cell ({name}) {{\n    area : {area};\n{pins}    pin (Y) {{ direction : output; function : "{function}";\n'
            f"      {' '.join(arc(pin, ohms) for pin in inputs)} }}\n  }}\n")


FLIP_FLOP = """  cell (dff) {
    area : 4;
    ff (IQ, IQN) { clocked_on : "CK"; next_state : "D"; }
    pin (CK) { direction : input; capacitance : 0.01; clock : true; }
    pin (D) { direction : input; capacitance : 0.01;
      timing () { related_pin : "CK"; timing_type : setup_rising;
        rise_constraint (scalar) { values ("0.05"); } fall_constraint (scalar) { values ("0.05"); } } }
    pin (Q) { direction : output; function : "IQ"; timing () { related_pin : "CK"; timing_type : rising_edge;
        cell_rise (load) { values ("0.1, 5.1"); } cell_fall (load) { values ("0.1, 5.1"); }
        rise_transition (load) { values ("0.01, 1.0"); } fall_transition (load) { values ("0.01, 1.0"); } } }
  }
"""
GATES = gate("inv_1", 1, "!A", 8) + gate("inv_4", 2, "!A", 2) + gate("buf_1", 1.5, "A", 8) + gate("buf_8", 3, "(A)", 1) + gate("nand", 1.2, "!(A&B)", 8)
MACRO = """  type (d{width}) {{ base_type : array; data_type : bit; bit_width : {width}; bit_from : {top}; bit_to : 0; }}
  type (a{address}) {{ base_type : array; data_type : bit; bit_width : {address}; bit_from : {address_top}; bit_to : 0; }}
  cell (ram{width}) {{
    area : {area};
    memory () {{ type : ram; address_width : {address}; word_width : {width}; }}
    pin (ck) {{ direction : input; capacitance : 0.05; clock : true; }}
    pin (en) {{ direction : input; capacitance : 0.01; }}
    bus (aw) {{ bus_type : a{address}; direction : input; capacitance : 0.01; }}
    bus (ar) {{ bus_type : a{address}; direction : input; capacitance : 0.01; }}
    bus (dw) {{ bus_type : d{width}; direction : input; capacitance : 0.01; memory_write () {{ address : aw; clocked_on : "ck"; }} }}
    bus (dr) {{ bus_type : d{width}; direction : output; memory_read () {{ address : ar; }} }}
  }}
"""


def library(name, cells, unit="1,pf"):
    return HEAD.format(name=name, unit=unit) + cells + "}\n"


def ram(address, width, area):
    return library(f"ram{width}", MACRO.format(width=width, top=width - 1, address=address, address_top=address - 1, area=area))


def case(function):
    """Makes a function a case of this name."""
    CASES[function.__name__] = function
    return function


def expect(holds, what):
    """Says what does not hold, and ends."""
    if not holds:
        sys.exit(what)


def technology(folder, macros=(), dont_use=()):
    """The tiny library, in two files of which one is compressed."""
    (folder / "gates.lib.gz").write_bytes(gzip.compress(library("gates", GATES).encode()))
    (folder / "flip_flops.lib").write_text(library("flip_flops", FLIP_FLOP))
    files = []
    for name, text in macros:
        (folder / name).write_text(text)
        files.append(folder / name)
    return asic.Technology([folder / "gates.lib.gz", folder / "flip_flops.lib"], files, list(dont_use))


@case
def cells(folder):
    """What there is in a library of several files."""
    tiny = technology(folder)
    expect(tiny.name == "tiny", f"the library is called {tiny.name}")
    expect(sorted(tiny.cells) == ["buf_1", "buf_8", "dff", "inv_1", "inv_4", "nand"], f"cells are {sorted(tiny.cells)}")
    expect([cell.name for cell in tiny.cells.values() if cell.flip_flop] == ["dff"], "dff is the flip-flop")
    expect(tiny.buffers == [("buf_1", "A", "Y"), ("buf_8", "A", "Y")], f"buffers are {tiny.buffers}")
    expect([[cell.name for cell in family] for family in tiny.families] == [["inv_1", "inv_4"], ["buf_1"]] or
           ["inv_1", "inv_4"] in [[cell.name for cell in family] for family in tiny.families], "inverters are of one function")
    expect(abs(tiny.wire_pf - 5 * 2 * 0.0002) < 1e-9, f"a wire of five sides of a flip-flop has {tiny.wire_pf} pF")
    less = technology(folder, dont_use=["inv_*", "buf_8"])
    expect(less.dont_use == ["buf_8", "inv_1", "inv_4"], f"not used: {less.dont_use}")


@case
def wires(folder):
    """A wire adds to what a pin takes, in the unit of its file, and to nothing else; a library's loads of wires are out, and internal power has a supply."""
    loads = '  wire_load ("Small") { capacitance : 0.0; fanout_length (1, 20); }\n  default_wire_load : "Small" ;\n  default_wire_load_mode : top;\n'
    for unit, more in (("1,pf", 0.002), ("1.0,\"ff\"", 2)):
        path = folder / "cells.lib"
        path.write_text(library("cells", loads + GATES, unit).replace("pin (Y) {", "pin (Y) { capacitance : 0.0;"))
        text = liberty.Library(path).with_wires(0.002)
        found = {float(value) for value in re.findall(r"[^_]capacitance : ([\d.]+)", text)}
        expect(found == {0.0, 0.01 + more}, f"with the unit {unit}, pins take {found}")
        expect("default_wire_load" not in text, f"with the unit {unit}, a load of wires is left")
    supplied = library("cells", GATES.replace("    area", '    pg_pin ("VP") { pg_type : "primary_power"; }\n    area').replace("timing ()", "internal_power () { } timing ()"))
    for given, told in (("", ' related_pg_pin : "VP";'), (" related_pg_pin : VG;", " related_pg_pin : VG;")):
        path.write_text(supplied.replace("internal_power () {", "internal_power () {" + given))
        found = set(re.findall(r"internal_power \(\) {(.*?) }", liberty.Library(path).with_wires(0.002)))
        expect(found == {told}, f"with {given or 'no supply'}, internal power has {found}")


@case
def macros(folder):
    """Ports of a macro, and which of them an array is made of."""
    tiny = technology(folder, [("small.lib", ram(4, 8, 100)), ("large.lib", ram(6, 16, 500))])
    small, large = tiny.macros
    expect((small.depth, small.width, small.clocks, small.write, small.read) == (16, 8, ["ck"], ("aw", "dw"), ("ar", "dr")), f"the macro is {small}")

    def made(depth, width):
        plan = arrays.plan(depth, width, tiny.macros, tiny.flip_flop_um2)
        return plan and (plan.macro.name, plan.rows, plan.columns)
    expect(made(4, 2) is None, "eight bits are flip-flops")
    expect(made(16, 8) == ("ram8", 1, 1), "an array of the macro's size is the macro")
    expect(made(10, 15) == ("ram8", 1, 2), "a wider one is two")
    expect(made(64, 16) == ("ram16", 1, 1), "a deep one is the large macro")
    expect(made(128, 16) == ("ram16", 2, 1), "a deeper one has two rows of it")
    expect(arrays.plan(128, 16, [], 4) is None, "without macros, it is flip-flops")

    cell = {"type": "m", "connections": {"clk_i": [2], "we_i": [3], "waddr_i": [4, 5, 6], "raddr_i": [7, 8, 9], "wdata_i": list(range(10, 20)),
                                         "rdata_o": list(range(20, 30))}}
    module = {"cells": {"u": cell}}
    arrays.place(module, "u", cell, arrays.plan(8, 10, [small], 10))
    expect(sorted(module["cells"]) == ["u.0.0", "u.0.1"], f"in its place are {sorted(module['cells'])}")
    first, second = (module["cells"][name]["connections"] for name in ("u.0.0", "u.0.1"))
    expect(first["dw"] == list(range(10, 18)) and first["dr"] == list(range(20, 28)) and first["en"] == [3] and first["ck"] == [2], f"the first is {first}")
    expect(first["aw"] == [4, 5, 6, "0"] and first["ar"] == [7, 8, 9, "0"], "the addresses are filled up with 0")
    expect(second["dw"] == [18, 19, *"000000"] and second["dr"][:2] == [28, 29], f"the second is {second}")
    expect(len(set(first["dr"] + second["dr"])) == 16 and min(second["dr"][2:]) > 29, "outputs that are not used have bits of their own")


@case
def bad_files(folder):
    """Each ends with a sentence that names the file, and exit code 2."""
    def wrong(text, *files, **options):
        done = subprocess.run([sys.executable, ROOT / "scripts/synth/asic.py", "--check", "--liberty", *files,
                               *(word for name, value in options.items() for word in (f"--{name}", value))],
                              capture_output=True, text=True, stdin=subprocess.DEVNULL)
        expect(done.returncode == 2, f"{text}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
        expect(text in done.stderr and done.stderr.count("\n") == 1, f"not one line with {text!r}, but\n{done.stderr}")
    good = folder / "good.lib"
    good.write_text(library("all", GATES + FLIP_FLOP))
    (folder / "gates.lib").write_text(library("gates", GATES))
    (folder / "plain.lib").write_text(library("plain", gate("inv_1", 1, "!A", 8) + FLIP_FLOP))
    (folder / "cut.lib").write_text(good.read_text()[:-200])
    (folder / "text.lib").write_text("Not one of these.\n")
    (folder / "cut.lib.gz").write_bytes(gzip.compress(good.read_bytes())[:-20])
    (folder / "unit.lib").write_text(library("unit", GATES + FLIP_FLOP, "1,nf"))
    (folder / "one_port.lib").write_text(re.sub("address : ar", "address : aw", ram(4, 8, 100)))
    (folder / "no_width.lib").write_text(ram(4, 8, 100).replace("word_width : 8;", ""))
    wrong("absent.lib: cannot be read (No such file", folder / "absent.lib")
    wrong("text.lib: not a Liberty file, since it has no group `library`", folder / "text.lib")
    wrong(" is not Liberty", folder / "cut.lib")
    wrong("cut.lib.gz: cannot be read", folder / "cut.lib.gz")
    wrong("unit.lib: `capacitive_load_unit` is 1,nf", folder / "unit.lib")
    wrong("gates.lib: no flip-flop among the 5 cells", folder / "gates.lib")
    wrong("plain.lib: no buffer among the 2 cells", folder / "plain.lib")
    wrong("good.lib: no cell in it has a group `memory`", good, macros=good)
    wrong("good.lib: is library tiny_all, and so is", good, good)
    wrong("one_port.lib: memory ram8 has no port that is written and another one that is read", good, macros=folder / "one_port.lib")
    wrong("no_width.lib: memory ram8 has no `address_width` and `word_width`", good, macros=folder / "no_width.lib")
    done = subprocess.run([sys.executable, ROOT / "scripts/synth/asic.py", "--macros", good], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    expect(done.returncode == 2 and "give --liberty as well" in done.stderr, f"macros without cells: {done.stderr}")


@case
def changes(folder):
    """Changes of inputs in a waveform."""
    rates = activity.rates("""$scope module top $end
$scope module muster $end
$var wire 1 ! clk_i $end
$var wire 1 $! valid_i $end
$scope struct issue_i[0] $end
$var wire 4 % op [3:0] $end
$upscope $end
$var wire 8 & result_o [7:0] $end
$scope module u_part $end
$var wire 8 ' inner_i [7:0] $end
$upscope $end
$upscope $end
$upscope $end
$enddefinitions $end
#0
0!
0$!
b0 %
b0 &
b0 '
#1
1!
1$!
b101 %
b11111111 &
b11111111 '
#2
0!
#3
1!
0$!
b100 %
""", "muster")
    expect(rates == {"valid_i": 1.0, "issue_i": 0.375, "": 0.5}, f"rates are {rates}")


NETLIST = """module top (input clk_i, input a, output z);
  wire q, n, m;
  dff first (.CK(clk_i), .D(a), .Q(q));
  inv_1 weak (.A(q), .Y(n));
  inv_1 next (.A(n), .Y(m));
  dff last (.CK(clk_i), .D(m), .Q(z));
{loads}endmodule
"""


@case
def sizing(folder):
    """Sizes and buffers make the slowest path faster, and what is written is what was timed."""
    if not shutil.which("sta"):
        print("OpenSTA is not installed")
        sys.exit(SKIPPED)
    tiny = technology(folder)
    (folder / "top.v").write_text(NETLIST.format(loads="".join(f"  wire o{i}; dff load{i} (.CK(clk_i), .D(n), .Q(o{i}));\n" for i in range(20))))
    (folder / "gates.lib").write_text(library("gates", GATES))

    def slack(netlist, then):
        script = folder / "sta.tcl"
        script.write_text(f"read_liberty {folder / 'gates.lib'}\nread_liberty {folder / 'flip_flops.lib'}\nread_verilog {netlist}\nlink_design top\n"
                          f"create_clock -name clk -period 5 [get_ports clk_i]\n{then}\nputs \"slack [worst_slack]\"\nexit\n")
        done = subprocess.run(["sta", "-no_splash", "-exit", script], capture_output=True, text=True, stdin=subprocess.DEVNULL)
        found = re.search(r"^slack (\S+)$", done.stdout, re.MULTILINE)
        expect(found, f"OpenSTA says {done.stdout}{done.stderr}")
        return float(found[1])
    before = slack(folder / "top.v", "")
    within = slack(folder / "top.v", f"{tiny.sizing()}source {ROOT / 'scripts/synth/sizing.tcl'}\nwrite_verilog {folder / 'sized.v'}")
    after = slack(folder / "sized.v", "")
    expect(within > before + 1, f"sizing takes the slack from {before} to {within} ns")
    expect(abs(within - after) < 1e-6, f"a slack of {within} ns was said, and what is written has {after}")
    sized = (folder / "sized.v").read_text()
    expect(len(re.findall(r"^ dff ", sized, re.MULTILINE)) == 22 and len(re.findall(r"^ inv_\d ", sized, re.MULTILINE)) == 2, "all cells are still there")
    expect(set(re.findall(r"^ (\w+) ", sized, re.MULTILINE)) <= {"dff", "inv_1", "inv_4", "buf_1", "buf_8", "input", "output", "wire"}, "there are no others")


def main():
    if sys.argv[1:] == ["--list"]:
        print("\n".join(CASES))
        return
    if len(sys.argv) != 2 or sys.argv[1] not in CASES:
        sys.exit(f"one of {', '.join(CASES)}")
    with tempfile.TemporaryDirectory() as folder:
        CASES[sys.argv[1]](pathlib.Path(folder))


if __name__ == "__main__":
    main()
