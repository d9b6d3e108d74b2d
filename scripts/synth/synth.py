#!/usr/bin/env python3
# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""Area and clock frequency of the unit, one of its blocks, an adapter or a GPC, by Yosys and nextpnr.

Area is that of the bare unit on iCE40 (and, with --families, ECP5 and Xilinx 7-series), without the
observation ports (commits and debug reads).

On iCE40, ABC maps the logic by a script of ours: it is smaller and faster than with Yosys's own, which --plain takes.

The clock frequency is that of an iCE40 HX8K, in which one shift register drives every input of the unit,
and every output is registered and then folded by a registered XOR tree to one pin. So no logic is
optimised away, and only paths from register to register count. If the unit does not fit, or the tools do
not finish within the time limit, the frequency is null, and the table says why.
Exit code 1: Yosys refuses a configuration, such as one with an illegal value of --set; the table says why.
"""

import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

from root import ROOT
import configs
import filelists
import lock
import yowasp

WORK = ROOT / "build" / "synth"
# Outputs that are left open.
OPEN = {"muster_mbarrier": ("commit_o",), "muster_atomics": ("commit_o",), "muster_axil": ("debug_*_o",)}
HX8K = {"lut": (7680, "LUT"), "bram": (32, "block RAMs")}
LIMIT_MINUTES = 30
# The unit's figures are those of the named barriers; the others have their own.
ALONE = {"muster": {"EnMbarrier": 0}, "muster_mbarrier": {}, "muster_atomics": {}, "muster_axil": {},
         "muster_ventus": {}, "muster_vortex": {}, "muster_warp": {}, "muster_cluster": {}, "muster_gpc": {}}
# A round maps the logic twice, each time after another kind of restructuring, and keeps the better result. Between the two rounds
# functions of ten inputs are balanced as sums of products. ABC counts 1 ns for a wire; in nextpnr's
# results a wire on a slow path takes 0.6 to 3 ns. With Yosys's 0.25 ns, ABC takes carry chains for the slowest paths and lets all other
# logic grow deep.
ROUND = ("&synch2 -K 6 -C 500; &if -m -W 1000 {D} {R}; &mfs; &save; "
         "&dch -C 500; &if -m -W 1000 {D} {R}; &mfs; &save; &load")
ABC = f"+&scorr; &sweep; {ROUND}; &st; &sopb -R 10 -C 4; {ROUND}"
PLAIN = "synth_ice40 -abc9 -flatten"
ICE40 = f'scratchpad -set abc9.script "{ABC}"\n{PLAIN}'
# ABC9 leaves buffers of whole words, which no cell of Gowin is.
GOWIN = "synth_gowin -family gw2a -run begin:check\nsimplemap t:$buf\nopt_clean\nsynth_gowin -family gw2a -run check:"
FAMILIES = {
    "ice40": {
        "synth": ICE40,
        "lut": r"SB_LUT4", "ff": r"SB_DFF.*", "bram": r"SB_RAM40_4K.*",
    },
    "ecp5": {
        "synth": "synth_ecp5 -abc9",
        "lut": r"LUT4", "ff": r"TRELLIS_FF", "bram": r"DP16KD|PDPW16KD",
    },
    "gowin": {
        "synth": GOWIN,
        "lut": r"LUT[1-4]", "ff": r"DFF.*", "bram": r"(SP|SDP|DP|pROM)X?9?B?",
    },
    "xc7": {
        "synth": "synth_xilinx -family xc7 -flatten -noiopad -noclkbuf",
        "lut": r"LUT[1-6]", "ff": r"FD[A-Z]+", "bram": r"RAMB.*",
    },
}


class Unfinished(Exception):
    """Why a configuration has no figures, or not all."""


class Failed(Unfinished):
    """No fault of the time limit or of the FPGA."""


class Budget:
    """The time that one configuration may take."""

    def __init__(self, top, name, minutes):
        self.top, self.name, self.minutes = top, name, minutes
        self.folder = WORK / top / name
        self.start = time.monotonic()

    def run(self, what, command):
        """Runs a tool to its end; returns its exit code and its messages."""
        print(f"  {self.name}: {what}", file=sys.stderr, flush=True)
        left = self.start + 60 * self.minutes - time.monotonic()
        try:
            done = subprocess.run(command, cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True,
                                  text=True, timeout=max(left, 0.1))
        except subprocess.TimeoutExpired:
            raise Unfinished(f"{what} not finished within {self.minutes:g} minutes") from None
        return done.returncode, done.stdout + done.stderr


def sources():
    """What Yosys may read of the unit: as an FPGA has it."""
    return [*filelists.unit(fpga=True), "rtl/common/muster_assert.svh"]


def left_open(top, name):
    """Outputs that a core leaves open. Vortex's has no use for those that show which warps are busy."""
    return (*OPEN.get(top, ()), *(["busy_o"] if name == "vortex_like" else []))


def first_error(text):
    """The first error that Yosys and its front end tell, without colours."""
    lines = re.sub(r"\x1b\[[\d;]*m", "", text).splitlines()
    errors = [line for line in lines if re.search(r"\berror: ", line, re.IGNORECASE)]
    told = (errors or lines or ["it failed without a word"])[0]
    asserted = re.fullmatch(r"(\S+:\d+):\d+: error: \$error encountered: (.*)", told)  # by the sources
    return f"{asserted[2]} ({asserted[1]})" if asserted else told


def run_yosys(budget, what, folder, script, files=(), rtl=True):
    """Runs the script, unless it ran before on the same files; returns the output folder. It reads those that it names, `files`,
    and with `rtl` the unit's sources."""
    named = [word for word in script.split() if (ROOT / word).is_file()]
    files = list(dict.fromkeys([*(sources() if rtl else ()), *named, *(str(file) for file in files)]))
    key = hashlib.sha256(script.encode())
    for file in ["scripts/synth/package.json", *files]:
        key.update((ROOT / file).read_bytes())
    stamp = folder / "key"
    if stamp.exists() and stamp.read_text() == key.hexdigest():
        return folder
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / "script.ys").write_text(script)
    code, text = budget.run(f"Yosys, {what}", yowasp.yosys(folder / "script.ys", folder, files))
    (folder / "messages").write_text(text)
    if code:
        log = folder / "yosys.log"
        raise Failed(first_error(log.read_text() if log.exists() else text) +
                     f" (Yosys; all of it in {(log if log.exists() else folder / 'messages').relative_to(ROOT)})")
    # A name in a connection before its declaration is a wire of its own in a generate block. Verilator takes the later declaration.
    # Names with $auto$ are of Yosys's own wires.
    loose = re.search(r"Wire (?!\S*\$auto\$)\S+ is used but has no driver", text)
    if loose:
        raise Failed(f"Yosys: {loose[0]}")
    stamp.write_text(key.hexdigest())
    return folder


def read_slang(top, parameters, extra="", observe=False):
    overrides = " ".join(f"-G {name}={value}" for name, value in parameters.items())
    unit = " ".join(filelists.unit(fpga=True))
    defines = "-D SYNTHESIS" + " -D MUSTER_OBSERVE" * observe
    return f"read_slang --threads 1 {defines} --top {top} {overrides} -I rtl/common {unit} {extra}\n"


def area(budget, parameters, family, open_ports, observe):
    """Counts of cells of the bare unit, and its ports with their widths."""
    cells, top = FAMILIES[family], budget.top
    script = (read_slang(top, parameters, observe=observe) + f"hierarchy -top {top}\n" +
              "".join(f"delete -output {top}/w:{port}\n" for port in open_ports) +
              f"select -module {top}\nwrite_json -selected ports.json\nselect -clear\n" +
              f"{cells['synth']} -top {top}\n" +
              "tee -q -o stat.json stat -json\n")
    folder = run_yosys(budget, f"area on {family}", budget.folder / family, script)
    stat = json.loads((folder / "stat.json").read_text())
    by_type = stat["modules"][f"\\{top}"]["num_cells_by_type"]
    ports = json.loads((folder / "ports.json").read_text())["modules"][top]["ports"]

    def count(pattern):
        return sum(n for cell, n in by_type.items() if re.fullmatch(pattern, cell))
    return {kind: count(cells[kind]) for kind in ("lut", "ff", "bram")}, ports


def harness(top, parameters, ports):
    """One shift register into all inputs, all outputs registered and folded to one pin."""
    inputs = {p: len(v["bits"]) for p, v in ports.items() if v["direction"] == "input" and p != "clk_i"}
    outputs = {p: len(v["bits"]) for p, v in ports.items() if v["direction"] == "output"}
    connections = [".clk_i"]
    low = 0
    for port, width in inputs.items():
        connections.append(f".{port}(in_q[{low} +: {width}])")
        low += width
    connections += [f".{port}(out[{sum(list(outputs.values())[:i])} +: {width}])"
                    for i, (port, width) in enumerate(outputs.items())]
    tree = [sum(outputs.values())]
    while tree[-1] > 1:
        tree.append((tree[-1] + 3) // 4)
    folds = "".join(
        f"  logic [{width - 1}:0] fold{i}_q;\n"
        f"  always_ff @(posedge clk_i) begin\n"
        f"    for (int k = 0; k < {width}; k++) begin\n"
        f"      fold{i}_q[k] <= ^(4'({'out_q' if i == 1 else f'fold{i - 1}_q'} >> (4 * k)));\n"
        f"    end\n"
        f"  end\n" for i, width in enumerate(tree) if i)
    overrides = ", ".join(f".{name}({value})" for name, value in parameters.items())
    wiring = ",\n    ".join(connections)
    return f"""module harness (input logic clk_i, input logic in_i, output logic out_o);
  logic [{sum(inputs.values()) - 1}:0] in_q;
  logic [{tree[0] - 1}:0] out, out_q;
  always_ff @(posedge clk_i) begin
    in_q  <= {{in_q, in_i}};
    out_q <= out;
  end
  {top} #({overrides}) u_unit (
    {wiring}
  );
{folds}  assign out_o = fold{len(tree) - 1}_q[0];
endmodule
"""


def place_and_route(budget, folder, seed, turn):
    """The clock frequency in MHz, and nextpnr's report. `turn`: which of how many."""
    report, log = folder / f"report{seed}.json", folder / f"nextpnr{seed}.log"
    if not log.exists():
        code, text = budget.run(
            f"nextpnr, seed {seed} ({turn})",
            ["nextpnr-ice40", "--hx8k", "--package", "ct256", "--freq", "60", "--seed", str(seed),
             "--pcf-allow-unconstrained", "--json", folder / "harness.json", "--report", report])
        if code and not report.exists():  # nextpnr is content with nothing less than --freq
            errors = [line for line in text.splitlines() if line.startswith("ERROR")]
            raise Unfinished(f"nextpnr, seed {seed}: {(errors or ['failed'])[0]}")
        log.write_text(text)
    timing = json.loads(report.read_text())
    return min(clock["achieved"] for clock in timing["fmax"].values()), timing


def path_text(timing, limit=60):
    """The slowest path of a report, a line per hop."""
    slowest = max((p for p in timing["critical_paths"] if p["from"] == p["to"]),
                  key=lambda p: sum(hop["delay"] for hop in p["path"]))
    lines, total = [], 0.0
    for hop in slowest["path"][:limit]:
        total += hop["delay"]
        where = hop.get("net") or f"{hop['to']['cell']}.{hop['to']['port']}"
        lines.append(f"  {total:6.2f}  +{hop['delay']:5.2f}  {hop['type']:<8} {where}")
    return "\n".join(lines)


def route(budget, parameters, ports, seeds, observe):
    """Frequency and report of each seed."""
    folder = budget.folder / "harness"
    source = budget.folder / "harness.sv"
    source.write_text(harness(budget.top, parameters, ports))
    relative = str(source.relative_to(ROOT))
    run_yosys(budget, "harness", folder, read_slang("harness", {}, relative, observe) +
              f"{FAMILIES['ice40']['synth']} -top harness -json harness.json\n", [relative])
    return [place_and_route(budget, folder, seed, f"{number} of {len(seeds)}")
            for number, seed in enumerate(seeds, 1)]


def measure(budget, parameters, seeds, families, all_ports, show_path):
    """What it costs, and with seeds how fast it is."""
    result = {"lut": None, "ff": None, "bram": None, "fmax_mhz": None, "fmax_best_mhz": None}
    try:
        for family in families:
            open_ports = () if all_ports else left_open(budget.top, budget.name)
            counts, ports = area(budget, parameters, family, open_ports, all_ports)
            result |= counts if family == "ice40" else {f"{family}_{k}": v for k, v in counts.items()}
        if not seeds:
            raise Unfinished("the area alone")
        over = [f"{result[kind]} {name} of {limit}" for kind, (limit, name) in HX8K.items()
                if result[kind] > limit]
        if over:
            raise Unfinished(f"does not fit: {', '.join(over)}")
        runs = route(budget, parameters, ports, seeds, all_ports)
        speeds = [mhz for mhz, _ in runs]
        result |= {"fmax_mhz": round(min(speeds), 1), "fmax_best_mhz": round(max(speeds), 1)}
        if show_path:
            result["path"] = path_text(min(runs, key=lambda run: run[0])[1])
    except Unfinished as reason:
        result |= {"reason": str(reason), "failed": isinstance(reason, Failed)}
    return result | {"minutes": round((time.monotonic() - budget.start) / 60, 1)}


def print_row(name, result, families):
    def cell(key):
        return "-" if result.get(key) is None else result[key]
    speed = ("-" if result["fmax_mhz"] is None else
             f"{result['fmax_mhz']:.1f}  {result['fmax_best_mhz']:.1f}")
    print(f"{name:12} {cell('lut'):>6} {cell('ff'):>6} {cell('bram'):>5} {speed:>18}" +
          "".join(f"  {'/'.join(str(cell(f'{f}_{k}')) for k in ('lut', 'ff', 'bram')):>18}"
                  for f in families if f != "ice40") +
          (f"  {result['reason']}" if "reason" in result else ""), flush=True)
    if "path" in result:
        print(result["path"])


def seed_list(text):
    first, _, last = text.partition("-")
    return list(range(int(first), int(last or first) + 1))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--top", default="muster", choices=ALONE, help="the unit (without mbarriers, but for --set EnMbarrier=1), a block, an adapter, or a GPC")
    parser.add_argument("--config", default="all", help="one of the top's, or all")
    parser.add_argument("--seeds", default="1-3", type=seed_list, help="of nextpnr (default 1-3)")
    parser.add_argument("--area", dest="seeds", action="store_const", const=[], help="no clock frequency")
    parser.add_argument("--families", action="store_true", help="ECP5 and Xilinx 7-series as well")
    parser.add_argument("--all-ports", action="store_true", help="with observation, and no port left open")
    parser.add_argument("--plain", action="store_true", help="on iCE40 as Yosys maps by itself")
    parser.add_argument("--path", action="store_true", help="print the slowest path")
    parser.add_argument("--set", action="append", default=[], metavar="PARAMETER=VALUE",
                        help="change a parameter of the unit")
    parser.add_argument("--limit", type=float, default=LIMIT_MINUTES, metavar="MINUTES",
                        help=f"for each configuration (default {LIMIT_MINUTES})")
    parser.add_argument("--jobs", type=int, default=int(os.environ.get("JOBS", os.cpu_count())))
    parser.add_argument("--json", type=pathlib.Path, help="write the results to this file")
    args = parser.parse_args()
    if args.plain:
        FAMILIES["ice40"]["synth"] = PLAIN
    known = list(configs.BY_TOP[args.top])
    if args.config not in ("all", *known):
        parser.error(f"--config: there are all, {', '.join(known)}")

    if subprocess.run([ROOT / "scripts/run/setup.sh", "synth"]).returncode:
        sys.exit(2)
    lock.hold(f"build/synth/{args.top}")
    yowasp.ensure_yosys()
    wanted = known if args.config == "all" else [args.config]
    changes = ALONE[args.top] | dict(change.split("=", 1) for change in args.set)
    families = ["ice40", "ecp5", "xc7"] if args.families else ["ice40"]

    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        runs = {name: pool.submit(
            lambda name: measure(Budget(args.top, name, args.limit),
                                 configs.parameters(args.top, name, changes), args.seeds, families,
                                 args.all_ports, args.path), name)
            for name in wanted}
        results = {name: run.result() for name, run in runs.items()}
    if args.set:
        print(f"{args.top}, with {', '.join(args.set)}:")
    print(f"{'':12} {'LUT':>6} {'FF':>6} {'BRAM':>5} {'MHz (worst, best)':>18}" +
          "".join(f"  {f + ' LUT/FF/BRAM':>18}" for f in families if f != "ice40"))
    for name, result in results.items():
        print_row(name, result, families)
    if args.json:
        args.json.parent.mkdir(parents=True, exist_ok=True)
        args.json.write_text(json.dumps(results, indent=2) + "\n")
    sys.exit(any(result.get("failed") for result in results.values()))


if __name__ == "__main__":
    main()
