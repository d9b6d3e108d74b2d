#!/usr/bin/env python3
# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""Area and clock frequency of the unit, by Yosys and nextpnr.

Area is that of the bare unit on iCE40 (and, with --families, ECP5 and Xilinx 7-series). The
observation ports (commit, census), which a core leaves open, are left open.

The clock frequency is that of an iCE40 HX8K around which one shift register drives every input,
while every output is registered and then folded by a registered XOR tree to one pin: nothing is
optimised away, and only paths from register to register count. It is null where the unit does
not fit.
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

ROOT = pathlib.Path(__file__).resolve().parent.parent
TOOLS = ROOT / "build" / "synth-tools"
WORK = ROOT / "build" / "synth"
OBSERVATION = ("commit_o", "census_*_o")
LOGIC_CELLS = 7680  # of an HX8K
FAMILIES = {
    "ice40": {
        "synth": "synth_ice40 -abc9 -flatten",
        "lut": r"SB_LUT4", "ff": r"SB_DFF.*", "bram": r"SB_RAM40_4K.*",
    },
    "ecp5": {
        "synth": "synth_ecp5 -abc9",
        "lut": r"LUT4", "ff": r"TRELLIS_FF", "bram": r"DP16KD|PDPW16KD",
    },
    "xc7": {
        "synth": "synth_xilinx -family xc7 -flatten -noiopad -noclkbuf",
        "lut": r"LUT[1-6]", "ff": r"FD[A-Z]+", "bram": r"RAMB.*",
    },
}


def install_tools():
    """Puts the pinned Yosys and the Node that it needs into build/synth-tools."""
    wanted = (ROOT / "scripts/synth/package.json").read_bytes()
    TOOLS.mkdir(parents=True, exist_ok=True)
    shutil.copy(ROOT / "scripts/synth/yosys.mjs", TOOLS)
    stamp = TOOLS / "installed.json"
    if stamp.exists() and stamp.read_bytes() == wanted:
        return
    print("Installing Yosys into build/synth-tools (npm, 260 MB)", file=sys.stderr)
    (TOOLS / "package.json").write_bytes(wanted)
    npm = subprocess.run(
        ["npm", "install", "--no-package-lock", "--no-audit", "--no-fund", "--loglevel=error"],
        cwd=TOOLS, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if npm.returncode:
        sys.exit(f"npm could not install Yosys:\n{npm.stdout}{npm.stderr}")
    stamp.write_bytes(wanted)


def sources():
    return sorted(str(p.relative_to(ROOT)) for p in (ROOT / "rtl").rglob("*")
                  if p.suffix in (".sv", ".svh", ".f") and "fpga" not in p.parts)


def run_yosys(folder, script, files=()):
    """Runs the script, unless it ran before on the same sources; returns the output folder."""
    files = [*sources(), *files]
    key = hashlib.sha256(script.encode())
    for file in ["scripts/synth/package.json", *files]:
        key.update((ROOT / file).read_bytes())
    stamp = folder / "key"
    if stamp.exists() and stamp.read_text() == key.hexdigest():
        return folder
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / "script.ys").write_text(script)
    yosys = subprocess.run(
        [TOOLS / "node_modules/.bin/node", TOOLS / "yosys.mjs", folder / "script.ys", folder, *files],
        cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    (folder / "messages").write_text(yosys.stdout + yosys.stderr)
    if yosys.returncode:
        lines = (yosys.stdout + yosys.stderr).splitlines()
        errors = [line for line in lines if re.search(r"error", line, re.IGNORECASE)]
        sys.exit("\n".join([f"Yosys failed (all of it in {folder}/messages):", *(errors or lines)[:20]]))
    stamp.write_text(key.hexdigest())
    return folder


def read_slang(parameters, top="muster", extra=""):
    overrides = " ".join(f"-G {name}={value}" for name, value in parameters.items())
    return f"read_slang --threads 1 -D SYNTHESIS --top {top} {overrides} -f rtl/muster.f {extra}\n"


def area(name, parameters, family, open_ports):
    """Counts of cells of the bare unit, and its ports with their widths."""
    cells = FAMILIES[family]
    script = (read_slang(parameters) + "hierarchy -top muster\n" +
              "".join(f"delete -output muster/w:{port}\n" for port in open_ports) +
              "select -module muster\nwrite_json -selected ports.json\nselect -clear\n" +
              f"{cells['synth']} -top muster\n" +
              "tee -q -o stat.json stat -json\n")
    folder = run_yosys(WORK / name / family, script)
    stat = json.loads((folder / "stat.json").read_text())
    by_type = stat["modules"]["\\muster"]["num_cells_by_type"]
    ports = json.loads((folder / "ports.json").read_text())["modules"]["muster"]["ports"]

    def count(pattern):
        return sum(n for cell, n in by_type.items() if re.fullmatch(pattern, cell))
    return {kind: count(cells[kind]) for kind in ("lut", "ff", "bram")}, ports


def harness(parameters, ports):
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
  muster #({overrides}) u_muster (
    {wiring}
  );
{folds}  assign out_o = fold{len(tree) - 1}_q[0];
endmodule
"""


def place_and_route(folder, seed):
    """The clock frequency in MHz (None: it does not fit) and nextpnr's report."""
    report, log = folder / f"report{seed}.json", folder / f"nextpnr{seed}.log"
    if not log.exists():
        nextpnr = subprocess.run(
            ["nextpnr-ice40", "--hx8k", "--package", "ct256", "--freq", "60", "--seed", str(seed),
             "--pcf-allow-unconstrained", "--json", folder / "harness.json", "--report", report],
            stdin=subprocess.DEVNULL, capture_output=True, text=True)
        text = nextpnr.stdout + nextpnr.stderr
        log.write_text(text)
        if nextpnr.returncode and not re.search(r"Unable to place|no BELs|failed to expand|too many",
                                                text, re.IGNORECASE):
            if not report.exists():
                log.unlink()
                errors = [line for line in text.splitlines() if "ERROR" in line]
                sys.exit("\n".join(["nextpnr failed:", *errors[:5]]))
    if not report.exists():
        return None, None
    timing = json.loads(report.read_text())
    clocks = [clock["achieved"] for clock in timing["fmax"].values()]
    return (min(clocks) if clocks else None), timing


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


def measure(name, parameters, seeds, families, open_ports, show_path):
    result = {}
    for family in families:
        counts, ports = area(name, parameters, family, open_ports)
        result |= counts if family == "ice40" else {f"{family}_{k}": v for k, v in counts.items()}
    if result["lut"] > LOGIC_CELLS:
        return result | {"fmax_mhz": None, "fmax_best_mhz": None}
    folder = WORK / name / "harness"
    text = harness(parameters, ports)
    source = WORK / name / "harness.sv"
    source.write_text(text)
    relative = str(source.relative_to(ROOT))
    run_yosys(folder, read_slang({}, "harness", relative) +
              "synth_ice40 -abc9 -flatten -top harness -json harness.json\n", [relative])
    runs = [place_and_route(folder, seed) for seed in seeds]
    speeds = [mhz for mhz, _ in runs]
    fits = None not in speeds
    result["fmax_mhz"] = round(min(speeds), 1) if fits else None
    result["fmax_best_mhz"] = round(max(speeds), 1) if fits else None
    if show_path and fits:
        result["path"] = path_text(min(runs, key=lambda run: run[0])[1])
    return result


def seed_list(text):
    first, _, last = text.partition("-")
    return list(range(int(first), int(last or first) + 1))


def main():
    configs = json.loads((ROOT / "scripts/configs.json").read_text())
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--config", default="all", choices=["all", *configs])
    parser.add_argument("--seeds", default="1-3", type=seed_list, help="of nextpnr (default 1-3)")
    parser.add_argument("--families", action="store_true", help="ECP5 and Xilinx 7-series as well")
    parser.add_argument("--all-ports", action="store_true", help="leave no port open")
    parser.add_argument("--path", action="store_true", help="print the slowest path")
    parser.add_argument("--set", action="append", default=[], metavar="PARAMETER=VALUE",
                        help="change a parameter of the unit")
    parser.add_argument("--jobs", type=int, default=int(os.environ.get("JOBS", os.cpu_count())))
    parser.add_argument("--json", type=pathlib.Path, help="write the results to this file")
    args = parser.parse_args()

    subprocess.run([ROOT / "scripts/setup.sh", "synth"], check=True)
    install_tools()
    wanted = list(configs) if args.config == "all" else [args.config]
    changes = dict(change.split("=", 1) for change in args.set)
    families = list(FAMILIES) if args.families else ["ice40"]
    open_ports = () if args.all_ports else OBSERVATION

    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        runs = {name: pool.submit(measure, name, configs[name] | changes, args.seeds, families,
                                  open_ports, args.path) for name in wanted}
        results = {}
        print(f"{'':12} {'LUT':>6} {'FF':>6} {'BRAM':>5} {'MHz (worst, best)':>18}", end="")
        print("".join(f"  {f + ' LUT/FF/BRAM':>18}" for f in families if f != "ice40"))
        for name, run in runs.items():
            r = results[name] = run.result()
            speed = f"{r['fmax_mhz']:.1f}  {r['fmax_best_mhz']:.1f}" if r["fmax_mhz"] else "does not fit"
            print(f"{name:12} {r['lut']:6} {r['ff']:6} {r['bram']:5} {speed:>18}", end="")
            print("".join(f"  {'{}/{}/{}'.format(*(r[f'{f}_{k}'] for k in ('lut', 'ff', 'bram'))):>18}"
                          for f in families if f != "ice40"), flush=True)
            if "path" in r:
                print(r["path"])
    if args.json:
        args.json.parent.mkdir(parents=True, exist_ok=True)
        args.json.write_text(json.dumps(results, indent=2) + "\n")


if __name__ == "__main__":
    main()
