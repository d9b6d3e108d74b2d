# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""What the page of results says of measurements: areas, frequencies and latencies beside those of other units, and over the last runs."""

import json
import pathlib

import page
from page import Raw, table, tag

# The figures of other units, measured once: their sources are not in this repository. scripts/pages/figures.py makes a table of rtl/FIGURES.md of them, too.
PEERS = json.loads((pathlib.Path(__file__).resolve().parent / "peers.json").read_text(encoding="utf-8"))
RUNS = 30  # in the plots
OURS = {"release_latency_cycles": "release, cycles", "release_ns": "release, ns", "arrivals_per_cycle": "arrivals per cycle",
        "lut": "LUT", "ff": "FF", "bram": "block RAM", "fmax_mhz": "MHz", "lockstep_khz": "lockstep, kHz"}
AREA = ("lut", "ff", "bram", "fmax_mhz")
OVER_RUNS = {"lut": "LUT", "fmax_mhz": "MHz", "release_ns": "release, ns"}  # what is plotted of each `make bench`
TICKS = "set xtics rotate by 40 right\n"


def span(numbers, form="{}"):
    """A number, or the least and the greatest of two."""
    return Raw("–") if numbers is None else " to ".join(dict.fromkeys(map(form.format, numbers)))


def release_ns(peer):
    """At the slower of its two frequencies."""
    return peer.get("release_cycles") and [1000 * cycles / peer["mhz"][0] for cycles in peer["release_cycles"]]


def beside(ours, peers):
    """A plot of areas and frequencies: ours are {name: figures}."""
    points = [(name, one["lut"], one["fmax_mhz"]) for name, one in ours.items() if one.get("lut") and one.get("fmax_mhz")]
    if not points:
        return tag("p", "There is no area and no frequency of ours: make bench measures them, with npm and the network.", "soft")
    lines = [f'{lut} {mhz:.1f} "{page.label(name)}" 0' for name, lut, mhz in points]
    lines += [f'{peer["lut"]} {peer["mhz"][0]:.1f} "{page.label(peer["unit"].split(",")[0])}" 1' for peer in peers]
    drawn = page.plot("set xlabel 'LUT'\nset ylabel 'MHz'\nset logscale x\nset xrange [200:10000]\nset yrange [0:*]\nset key top right\n"
                      "plot $data using ($4 == 0 ? $1 : NaN):2 with points pt 7 ps 1.2 lc '#1b7f4b' title 'Muster', "
                      "$data using ($4 == 1 ? $1 : NaN):2 with points pt 6 ps 1.2 lc '#b3261e' title 'others', "
                      "$data using 1:2:3 with labels offset 0,0.9 notitle", lines, height=340)
    return drawn or no_plot()


def no_plot():
    return tag("p", "There is no plot without gnuplot (make setup installs it for make report).", "soft")


def others(peers):
    return table(["unit", "release, cycles", "release, ns", "LUT", "FF", "block RAM", "MHz", "Yosys"],
                 [(peer["unit"], span(peer.get("release_cycles")), span(release_ns(peer), "{:.0f}"), peer["lut"], peer["ff"], peer.get("bram"),
                   span(peer["mhz"]), peer["yosys"]) for peer in peers])


def measures(results):
    """The parts of the section; none if `make bench` was not run."""
    if not results.bench:
        return []
    of = results.bench["configs"]
    present = [key for key in OURS if any(key in one for one in of.values())]
    parts = [table(["configuration", *(OURS[key] for key in present)], [(name, *(one.get(key) for key in present)) for name, one in of.items()]),
             beside(of, PEERS["named barriers"]), tag("p", f"Barrier units of others, {PEERS['source']}."), others(PEERS["named barriers"])]
    words = {name: one for name, one in results.bench.get("mbarrier", {}).items() if isinstance(one, dict)}
    if words:
        parts += [tag("p", "The mbarrier block alone, and one of others."),
                  table(["configuration", *(OURS[key] for key in AREA)], [(name, *(one.get(key) for key in AREA)) for name, one in words.items()]),
                  others(PEERS["mbarriers"])]
    return parts + [tag("p", " ".join(f"Yosys {version}: {how}." for version, how in PEERS["how"].items()), "soft")]


def lines_over(rows, of, ylabel, form="{:.1f}"):
    """A plot of what each of these rows has, as {name: number}: a line for each name. None: there is nothing to plot."""
    names = sorted({name for row in rows for name, value in of(row).items() if value is not None})
    if not names:
        return None
    data = [f"{i} " + " ".join(form.format(float("nan") if of(row).get(name) is None else of(row)[name]) for name in names)
            + f" {page.label(row['commit'][:7] or '-')}" for i, row in enumerate(rows)]
    drawn = page.plot(f"set ylabel '{ylabel}'\nset yrange [0:*]\nset key outside bottom center horizontal\n{TICKS}plot " + ", ".join(
        f"$data using 1:{i + 2}:xtic({len(names) + 2}) with linespoints title '{page.label(name)}'" for i, name in enumerate(names)), data)
    return drawn or no_plot()


def trend(rows):
    """The last runs of `make test` and of `make bench`."""
    if not rows:
        return []
    parts = []
    tests = [row for row in rows if "khz" in row][-RUNS:]
    if len(tests) > 1:
        plots = [lines_over(tests, lambda row: row["khz"], "lockstep, kHz"),
                 lines_over(tests, lambda row: row.get("waits", {}), "longest wait, % of its bound"),
                 lines_over(tests, lambda row: {"make test": row["seconds"] / 60}, "minutes", "{:.2f}")]
        parts += [tag("p", "Of each make test: the speed of the lockstep, of each configuration the longest of all waits, and how long it took."),
                  *filter(None, plots)]
    benches = [row for row in rows if "bench" in row][-RUNS:]
    if len(benches) > 1:
        plots = [lines_over(benches, lambda row, key=key: {name: one.get(key) for name, one in row["bench"].items()}, title)
                 for key, title in OVER_RUNS.items()]
        parts += [tag("p", "Of each make bench: area, frequency and latency of each configuration."), *filter(None, plots)]
    return parts or [tag("p", f"{len(rows)} run so far; the plots begin with the second of a target.")]
