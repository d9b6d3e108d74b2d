#!/usr/bin/env python3
# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""Measures the unit and its simulation: tables for people, build/bench.json for programs.

Cycles are measured at the pins under lockstep, and the speed of simulation with recorded dense
traffic (both tb/bench); area and frequency come from scripts/synth/synth.py. A figure that is missing is null
in the file, and the table of areas says why. At the end scripts/pages/figures.py takes the figures into the page rtl/FIGURES.md.
"""

import argparse
import datetime
import json
import os
import pathlib
import statistics
import subprocess
import sys
import time

from root import ROOT
import configs
import results

BUILD = ROOT / "build"
LARGEST = "full"  # the configuration whose syncs stand beside NVIDIA's
SHOWN_SIZES = [1, 2, 4, 8, 16, 32, 64]
FILED = ["release_latency_cycles", "gather_cycles", "arrivals_per_cycle", "lut", "ff", "bram",
         "fmax_mhz", "release_ns", "lockstep_khz", "unchecked_khz", "lockstep_ratio",
         "mb_lockstep_khz", "mb_unchecked_khz", "mb_lockstep_ratio"]
# The kernels of tb/bench/scopes, in rounds of one meeting each, and how often each goes round.
LOOPS = ["alu", "bar_sync", "not_aligned", "apart", "warp_sync", "vote", "shfl", "elect", "redux", "match_all", "match_any",
         "cluster"]
ROUNDS = 1000
# Kernels of tb/bench/scopes that fill the units, and how they are launched.
CROWDS = {"grid": ["grid.ptx", "grid", "--grid", "200", "--block", "256", "--arg", "out=u32[51200]"],
          "cluster_of_16": ["loops.ptx", "cluster", "--grid", "16", "--cluster", "16", "--block", "64"]}
TILES = 400  # products in tile.json of tb/bench/front_end/products.py
ATOMICS = ["histogram", "shared_atomics"]
SEEDS = range(1, 21)


def output(*command):
    done = subprocess.run(list(map(str, command)), cwd=ROOT, stdin=subprocess.DEVNULL, text=True,
                          stdout=subprocess.PIPE)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}: exit code {done.returncode}")
    return json.loads(done.stdout)


def synthesize(top, seeds, limit):
    """The areas and frequencies by configuration; none if the tools are not available."""
    areas = BUILD / f"synth-{top}.json"
    areas.unlink(missing_ok=True)
    print(f"\nArea and clock frequency of {top} (iCE40 HX8K); ten minutes or so where nothing is "
          "done yet", flush=True)
    subprocess.run([ROOT / "scripts/synth/synth.py", "--top", top, "--seeds", seeds, "--limit", str(limit),
                    "--json", areas])
    return json.loads(areas.read_text()) if areas.exists() else {}


def measure_mbarrier(names):
    """Throughput, wake-up and worst wait at one word: the worst of all configurations."""
    runs = [output("build/tb/bench/muster_bench", "--config", name, "--mbarrier") for name in names]
    return {"updates_per_cycle_same_word": min(run["updates_per_cycle_same_word"] for run in runs),
            "wakeup_latency_cycles": max(run["wakeup_latency_cycles"] for run in runs),
            "worst_wait_cycles": max(run["worst_wait_cycles"] for run in runs)}


def measure_front_end():
    """Instructions of the PTX front end on one core, beside the lockstep: with all lanes of a warp
    together, and with lanes that part at every step."""
    report = BUILD / "front_end.json"

    def run(name):
        speeds = []
        for _ in range(5):
            manifest = f"tb/bench/front_end/{name}.json"
            subprocess.run(["build/sim/app/muster", "run", manifest, "--report", report], cwd=ROOT,
                           stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=True)
            speeds.append(json.loads(report.read_text())["thread_instructions_per_second"])
        return round(statistics.median(speeds))
    return {"thread_instructions_per_second": {name: run(name) for name in ("together", "apart")}}


def measure_products():
    """Seconds of a product of 64 x 64 x 64 and of a flash attention, which tb/bench/front_end/products.py writes; both are
    compared with what they must leave."""
    folder, report = BUILD / "products", BUILD / "products.json"
    subprocess.run([ROOT / "tb/bench/front_end/products.py", folder], check=True)

    def run(name):
        seconds = []
        for _ in range(5):
            subprocess.run(["build/sim/app/muster", "run", folder / f"{name}.json", "--report", report], cwd=ROOT,
                           stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=True)
            told = json.loads(report.read_text())
            seconds.append(told["cycles"] / (1000 * told["simulated_khz"]))
        return statistics.median(seconds)
    return {"tile_ms": round(1000 * run("tile") / TILES, 3), "attention_seconds": round(run("attention"), 3)}


def measure_scopes():
    """How often a second warps meet in each way where a kernel does nothing else, on one core, each cycle checked."""
    report = BUILD / "scopes.json"

    def run(name):
        shape = ["--block", "64"] + (["--grid", "2", "--cluster", "2"] if name == "cluster" else [])
        seconds = []
        for _ in range(5):
            subprocess.run(["build/sim/app/muster", "run", "tb/bench/scopes/loops.ptx", name, *shape, "--report", report],
                           cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=True)
            told = json.loads(report.read_text())
            seconds.append(told["cycles"] / (1000 * told["simulated_khz"]))
        return {"cycles_per_round": round(told["cycles"] / ROUNDS, 1), "rounds_per_second": round(ROUNDS / statistics.median(seconds))}
    return {name: run(name) for name in LOOPS}


def measure_crowds():
    """How fast units with many warps are simulated, on one core, each cycle checked."""
    report = BUILD / "crowds.json"

    def run(file, *launch):
        runs = []
        for _ in range(5):
            subprocess.run(["build/sim/app/muster", "run", f"tb/bench/scopes/{file}", *launch, "--report", report],
                           cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=True)
            runs.append(json.loads(report.read_text()))
        return {"cycles": runs[0]["cycles"], "khz": round(statistics.median(told["simulated_khz"] for told in runs)),
                "thread_instructions_per_second": round(statistics.median(told["thread_instructions_per_second"] for told in runs))}
    return {name: run(*launch) for name, launch in CROWDS.items()}


def measure_atomics():
    """Kernels with atomics on shared memory, which are done by the blocks beside the unit: the median of the seeds."""
    report = BUILD / "atomics.json"

    def run(name, seed):
        subprocess.run(["build/sim/app/muster", "run", f"sim/kernels/{name}/{name}.json", "--seed", str(seed), "--report", report],
                       cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=True)
        told = json.loads(report.read_text())
        return told["cycles"], told["cycles"] / told["simulated_khz"]

    def of(name):
        fastest = [min(run(name, seed) for _ in range(3)) for seed in SEEDS]  # these runs are short
        return {"cycles": round(statistics.median(cycles for cycles, _ in fastest)), "ms": round(statistics.median(ms for _, ms in fastest), 2)}
    return {name: of(name) for name in ATOMICS}


def measure_explore():
    """What looking at other orders costs: of runs that are followed, the slowest of the kernels among them, of one twenty
    times as long as another, and of a search."""
    predict = [f"--predict=sim/kernels/{name}/{name}.json" for name in ("block_sum", "bitonic_sort", "histogram", "lock", "work_queue", "attention")]
    predict += [f"--predict=tb/bench/explore/rounds_{rounds}.json" for rounds in (20, 400)]
    return output("build/tb/bench/explore_bench", *predict, "--search", "tb/bench/explore/eight.json")


def area_of(area):
    """What is filed of a configuration's synthesis: nothing but nulls if it did not finish."""
    area = area if area.get("fmax_mhz") else {}
    return {key: area.get(key) for key in ("lut", "ff", "bram", "fmax_mhz")}


def measure(name):
    """Cycles and speed of one configuration."""
    print(f"  {name}: cycles, then 5 x 100,000 cycles with and without the check", flush=True)
    return (output("build/tb/bench/muster_bench", "--config", name) |
            output("build/tb/bench/speed_bench", "--config", name))


def filed(figures, area):
    """The members of a configuration in bench.json."""
    latency = figures["release_latency_cycles"]
    figures |= area_of(area)
    mhz = figures["fmax_mhz"]
    figures["release_ns"] = round(1000 * latency / mhz, 1) if mhz else None
    return {key: figures[key] for key in FILED}


def print_configs(configs):
    columns = [("release_latency_cycles", "release", "cycles", "{}"),
               ("gather_cycles", "gather", "cycles", "{}"),
               ("arrivals_per_cycle", "arrivals", "per cycle", "{:.2f}"),
               ("release_ns", "release", "ns", "{:.1f}"),
               ("commit_cycles", "commits in", "of cycles", "{:.0%}"),
               ("lockstep_khz", "lockstep", "kHz", "{:.0f}"),
               ("unchecked_khz", "unchecked", "kHz", "{:.0f}"),
               ("lockstep_ratio", "ratio", "", "{:.2f}"),
               ("mb_lockstep_ratio", "at mbarriers", "", "{:.2f}")]
    print("\nLatency, throughput, speed of simulation")
    print(" " * 12 + "".join(f"{title:>11}" for _, title, _, _ in columns))
    print(" " * 12 + "".join(f"{unit:>11}" for _, _, unit, _ in columns))
    for name, figures in configs.items():
        cells = [form.format(figures[key]) if figures[key] is not None else "-"
                 for key, _, _, form in columns]
        print(f"{name:12}" + "".join(f"{cell:>11}" for cell in cells))


def print_sizes(fast, slow):
    def row(title, values):
        print(f"  {title:62}" + "".join(f"{value:>5}" for value in values))
    print("\nOne barrier of all warps of a CTA, in cycles")
    row("warps", SHOWN_SIZES)
    row(f"Muster ({LARGEST}): first arrival accepted to release", [fast[str(n)] for n in SHOWN_SIZES])
    row("Muster at half a warp per cycle, memory drain included", [slow[str(n)] for n in SHOWN_SIZES])
    row("NVIDIA Turing, 20+2W: a whole instruction, so more than that", [20 + 2 * n for n in SHOWN_SIZES])
    row("NVIDIA H100, 13+2W: likewise, as measured up to 32 warps", [13 + 2 * n for n in SHOWN_SIZES])


def print_mbarrier(mbarrier):
    print("\nmbarrier, the worst of all configurations\n"
          f"  updates of one word, three sources at once   {mbarrier['updates_per_cycle_same_word']:.2f} per cycle\n"
          f"  completion to wake-up of all parked warps    {mbarrier['wakeup_latency_cycles']} cycles\n"
          f"  worst wait of a source                       {mbarrier['worst_wait_cycles']} cycles")


def print_front_end(front_end):
    print("\nPTX front end on one core, beside the lockstep: thread instructions per second")
    for name, speed in front_end["thread_instructions_per_second"].items():
        print(f"  lanes {name:38} {speed / 1e6:6.1f} million")


def print_products(products):
    print(f"  wgmma, 64 x 64 x 64 of f16: {products['tile_ms']:.3f} ms; flash attention of 2 heads x 256 x 64: "
          f"{products['attention_seconds']:.3f} s")


def print_scopes(scopes):
    print("\nKernels of two warps that do nothing but meet, on one core\n"
          f"  {'a round':14} {'cycles':>8} {'rounds per second':>18}")
    for name, figures in scopes.items():
        print(f"  {name:14} {figures['cycles_per_round']:>8.1f} {figures['rounds_per_second']:>18}")


def print_crowds(crowds):
    print("\nKernels of many warps, on one core\n"
          f"  {'kernel':14} {'cycles':>8} {'kHz':>6} {'thread instructions per second':>31}")
    for name, row in crowds.items():
        print(f"  {name:14} {row['cycles']:>8} {row['khz']:>6} {row['thread_instructions_per_second']:>31,}")


def print_atomics(atomics):
    print(f"\nKernels with atomics on shared memory, on one core\n  {'kernel':16} {'cycles':>8} {'ms':>8}")
    for name, row in atomics.items():
        print(f"  {name:16} {row['cycles']:>8} {row['ms']:>8.2f}")


def print_explore(explore):
    print("\nOther orders (muster explore), on one core\n"
          f"  {'a run that is followed':38} {'steps':>9} {'times a plain run':>18} {'bytes a step':>13}")
    for path, figures in explore["predict"].items():
        print(f"  {pathlib.Path(path).stem:38} {figures['steps']:>9} {figures['predict_ratio']:>18.1f} "
              f"{figures['predict_bytes_per_step']:>13.0f}")
    print(f"  classes of orders of two threads with eight atomic operations each: "
          f"{explore['search']['classes_per_second']:.0f} per second")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--seeds", default="1-3", help="of nextpnr (default 1-3)")
    parser.add_argument("--limit", type=float, default=30, metavar="MINUTES",
                        help="for the synthesis of a configuration (default 30)")
    parser.add_argument("--no-area", action="store_true", help="without area and frequency")
    parser.add_argument("--json", type=pathlib.Path, default=BUILD / "bench.json")
    args = parser.parse_args()

    start, begun = time.monotonic(), datetime.datetime.now().isoformat(timespec="seconds")
    if subprocess.run([ROOT / "scripts/run/build.sh", "muster_bench", "speed_bench", "explore_bench", "muster"]).returncode:
        sys.exit(1)
    names = configs.NAMES
    print("Latency, throughput and speed of simulation; half a minute", flush=True)
    figures = {name: measure(name) for name in names}
    sizes = output("build/tb/bench/muster_bench", "--config", LARGEST, "--sizes")
    mbarrier = measure_mbarrier(names)
    front_end = measure_front_end()
    products = measure_products()
    scopes = measure_scopes()
    crowds = measure_crowds()
    atomics = measure_atomics()
    explore = measure_explore()
    areas, mb_areas = ({}, {}) if args.no_area else (
        synthesize(top, args.seeds, args.limit) for top in ("muster", "muster_mbarrier"))

    filed_configs = {name: filed(figures[name], areas.get(name, {})) for name in names}
    print_configs(figures)
    fast = sizes["sync_all_cycles"]
    print_sizes(fast, sizes["sync_all_half_rate_cycles"])
    print_mbarrier(mbarrier)
    print_front_end(front_end)
    print_products(products)
    print_scopes(scopes)
    print_crowds(crowds)
    print_atomics(atomics)
    print_explore(explore)
    mbarrier |= {name: area_of(mb_areas.get(name, {})) for name in configs.MBARRIER}
    args.json.write_text(json.dumps(
        {"commit": results.commit()[0], "time": begun, "configs": filed_configs, "sync_all_cycles": fast, "mbarrier": mbarrier,
         "front_end": front_end, "products": products, "scopes": scopes, "crowds": crowds, "atomics": atomics,
         "explore": explore}, indent=2) + "\n")
    print(f"\nAll of it is in {os.path.relpath(args.json, ROOT)} "
          f"({(time.monotonic() - start) / 60:.0f} minutes)")
    if args.json == BUILD / "bench.json" and subprocess.run([ROOT / "scripts/pages/figures.py", "--take"]).returncode == 0:
        print("rtl/FIGURES.md and scripts/pages/figures.json have the new figures")
    if not areas and not args.no_area:
        sys.exit("There is no area and no frequency: see above.")


if __name__ == "__main__":
    main()
