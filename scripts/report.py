#!/usr/bin/env python3
# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""Writes one page about all that the targets have left in the build folder: BUILD/report.html.

It needs no server, no network and no other file. What failed comes first, with the commands that run it again; what was not
run is named with the target that runs it. Each run of `make test` that it sees adds a line to BUILD/history.jsonl.
"""

import argparse
import concurrent.futures
import fnmatch
import html
import json
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile

import check_testplan
import page
import results as found
from page import Raw, folded, table, tag

ROOT = found.ROOT
LAST_LINES = 30    # of the output of a failed test
LEAST_HIT = 25     # cover points that are shown at once
RUNS = 30          # in the plots
# Of the targets that a feature may name: what they leave.
LEAVES = {"formal": "formal.json", "mutants": "mutant.xml", "mutate": "mutate.json", "bench": "bench.json", "regress": "regress.xml"}


def commands_of(build):
    """{test: its own command line}, as CTest lists it."""
    done = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1"], capture_output=True, text=True)
    if done.returncode:
        return {}
    return {test["name"]: shlex.join(test["command"]).replace(f"{ROOT}/", "")
            for test in json.loads(done.stdout).get("tests", []) if "command" in test}


def failures(results, build):
    parts = []
    commands = None
    for name, suite in results.suites.items():
        for test in suite.tests:
            if test.state != "failed":
                continue
            commands = commands_of(build) if commands is None else commands
            kind = {"mutant": " -C Mutants", "proof": " -C Proofs"}.get(name, "")
            again = f"ctest --test-dir {os.path.relpath(build, ROOT)}{kind} -R '^{test.name}$' --output-on-failure"
            lines = test.output.strip().splitlines()[-LAST_LINES:]
            parts += [tag("p", Raw(f"<b>{html.escape(test.name)}</b> ({html.escape(suite.target)})"), "bad"),
                      tag("pre", again + "\n" + commands.get(test.name, "")), tag("pre", "\n".join(lines))]
    for one in results.mismatches:
        where = f"CONFIG={one['config']} SEED={one['seed']}"
        parts += [tag("p", f"{one['config']}, seed {one['seed']}, cycle {one['cycle']}: {one['what']}", "bad"),
                  tag("pre", f"make regress CONFIG={one['config']} SEEDS={one['seed']}-{one['seed']}\nmake wave TEST=regress {where}")]
    for row in results.kernels or []:
        if not row["passed"]:
            run = f"build/sim/app/muster run sim/kernels/{row['kernel']}/{row['kernel']}.json"
            parts += [tag("p", f"kernel {row['kernel']}: exit code {row['exit_code']}, not {row['expected']}", "bad"),
                      tag("pre", f"{run}\n{run} --wave {row['kernel']}.fst")]
    for row in results.proofs or []:
        if row["problems"]:
            parts += [tag("p", f"{row['property']}: {'; '.join(row['problems'])}", "bad"),
                      tag("pre", f"make formal NAME={row['property'].split('.')[0]}")]
    return parts


def runs(results):
    rows = [(suite.target, len(suite.tests), suite.count("passed"), suite.count("failed"), suite.count("skipped"),
             round(suite.seconds / 60, 1), suite.time,
             tag("span", "sources have changed since", "bad") if suite.stale else "") for suite in results.suites.values()]
    skipped = [(test.name,) for test in results.tests() if test.state == "skipped"]
    return [table(["target", "tests", "passed", "failed", "skipped", "minutes", "when", ""], rows),
            folded(f"{len(skipped)} skipped", table(["test"], skipped)) if skipped else Raw("")] if rows else []


class States:
    """What is known of what a feature names: tests, cover points, targets."""

    def __init__(self, results, build):
        self.build = build
        self.tests = {}
        for test in results.tests():
            self.tests.setdefault(check_testplan.plain(test.name), set()).add(test.state)
        self.points = {}
        for one in results.configs.values():
            for point, hits in one["cover"].items():
                self.points[point] = self.points.get(point, 0) + hits

    def of(self, name):
        if name.startswith("make "):
            left = LEAVES.get(name.split()[1])
            return "ran" if left and (self.build / left).exists() else "not run"
        states = set().union(*(self.tests[test] for test in fnmatch.filter(self.tests, name)))
        hits = [self.points[point] for point in fnmatch.filter(self.points, name)]
        if "failed" in states or 0 in hits:
            return "failed"
        return "passed" if "passed" in states or hits else "skipped" if states else "not run"


def features(results, build):
    plan = check_testplan.rows((ROOT / "tb/README.md").read_text(), check_testplan.FEATURES)
    states = States(results, build)
    rows = []
    for _, (row_id, feature, risk, _, closes) in plan:
        names = check_testplan.quoted(closes)
        each = {name: states.of(name) for name in names}
        failed = [name for name in names if each[name] == "failed"]
        open_ = [name for name in names if each[name] in ("not run", "skipped")]
        state = tag("span", "failed: " + ", ".join(failed), "bad") if failed else \
            tag("span", "not run: " + ", ".join(open_), "soft") if len(open_) == len(names) else \
            Raw(tag("span", "passed", "good") + (tag("span", "; not run: " + ", ".join(open_), "soft") if open_ else ""))
        rows.append((row_id, feature, risk, state))
    return [table(["", "feature", "risk", "state"], rows)]


def covers(results):
    if not results.configs:
        return []
    names = list(results.configs)
    hits = {}
    for name, one in results.configs.items():
        for point, count in one["cover"].items():
            hits.setdefault(point, {})[name] = count
    ordered = sorted(hits, key=lambda point: min(hits[point].values()))
    rows = [(point, *(hits[point].get(name) for name in names)) for point in ordered]
    missed = [(name, ", ".join(one["missed"])) for name, one in results.configs.items() if one["missed"]]
    counts = [(name, one["seeds"], one["cycles"], one["commits"], one["mb_commits"], len(one["cover"]), len(one["missed"]))
              for name, one in results.configs.items()]
    return [table(["configuration", "seeds", "cycles", "named barriers: commits", "mbarriers: commits", "cover points", "missed"], counts),
            table(["configuration", Raw('<span class="bad">missed</span>')], missed) if missed else Raw(""),
            tag("p", "Hits of each cover point, the least hit first; – where a configuration does not have it."),
            table(["cover point", *names], rows[:LEAST_HIT]),
            folded(f"the other {len(rows) - LEAST_HIT}", table(["cover point", *names], rows[LEAST_HIT:]))]


def waits(results):
    rows = [(name, what, wait["cycles"], wait["bound"], 100.0 * wait["cycles"] / wait["bound"])
            for name, one in results.configs.items() for what, wait in one.get("longest_waits", {}).items() if wait["bound"]]
    if not rows:
        return []
    rows.sort(key=lambda row: -row[-1])
    top = rows[:20]
    drawn = page.plot("set style fill solid\nset boxwidth 0.7\nset ylabel '% of the bound'\nset yrange [0:105]\nunset key\n"
                      "set xtics rotate by 40 right\nplot $data using 0:2:xtic(1) with boxes lc '#3b6ea5', 100 lc '#b3261e'",
                      [f'"{name}: {what}" {percent:.1f}' for name, what, _, _, percent in top], height=340)
    return [drawn or no_plot(), folded(f"all {len(rows)}", table(["configuration", "wait", "longest, cycles", "bound, cycles", "% of the bound"], rows))]


def no_plot():
    return tag("p", "There is no plot without gnuplot (make setup installs it for make report).", "soft")


def mutants(results):
    parts = []
    if suite := results.suites.get("mutant"):
        parts.append(tag("p", f"Wrong variants that were thought of: {suite.count('passed')} of {len(suite.tests)} caught, "
                              f"{suite.count('failed')} not."))
    if results.mutate:
        rows = results.mutate["mutants"]
        caught = [row for row in rows if row["caught by"]]
        proven = [row for row in rows if not row["caught by"] and row.get("differs", "") is None]
        survivors = [row for row in rows if row not in caught and row not in proven]
        parts.append(tag("p", f"Mutants that nobody chose, {results.mutate['config']}: {len(rows)} tried, {len(caught)} caught, "
                              f"{len(proven)} proven equivalent, {len(survivors)} open."))
        parts.append(table(["open", "line", "", "was", "becomes", "why open"],
                           [(row["name"], f"{row['file']}:{row['line']}", source(row["file"], row["line"]), row["before"], row["after"],
                             row.get("differs", "no proof was tried")) for row in survivors]))
    return parts


def source(file, line):
    lines = (ROOT / file).read_text().splitlines() if (ROOT / file).exists() else []
    return tag("code", lines[line - 1].strip() if line <= len(lines) else "")


def proofs(results):
    rows = [(row["property"], row["how"], row["seconds"],
             tag("span", "not proven: " + "; ".join(row["problems"]), "bad") if row["problems"] else tag("span", "proven", "good"))
            for row in results.proofs or []]
    return [tag("p", "tb/formal/README.md says what is not proven."), table(["property", "how, cycles", "seconds", ""], rows)] if rows else []


def measures(results):
    if not results.bench:
        return []
    columns = {"release_latency_cycles": "release, cycles", "release_ns": "release, ns", "arrivals_per_cycle": "arrivals per cycle",
               "fmax_mhz": "MHz", "luts": "LUTs", "registers": "registers", "lockstep_khz": "lockstep, kHz"}
    of = results.bench["configs"]
    present = [key for key in columns if any(key in one for one in of.values())]
    return [table(["configuration", *(columns[key] for key in present)], [(name, *(one.get(key) for key in present)) for name, one in of.items()])]


def trend(rows):
    if len(rows) < 2:
        return [tag("p", f"{len(rows)} run so far; the plot begins with the second.")] if rows else []
    rows = rows[-RUNS:]
    names = sorted({name for row in rows for name in row["khz"]})
    data = [f"{i} " + " ".join(f"{row['khz'].get(name, float('nan')):.1f}" for name in names) + f" {row['seconds'] / 60:.2f} {row['commit'] or '-'}"
            for i, row in enumerate(rows)]
    ticks = f"xtic({len(names) + 3})"
    speeds = "set ylabel 'lockstep, kHz'\nset yrange [0:*]\nset key outside\nset xtics rotate by 40 right\nplot " + ", ".join(
        f"$data using 1:{i + 2}:{ticks} with linespoints title '{name}'" for i, name in enumerate(names))
    minutes = (f"set ylabel 'make test, minutes'\nset yrange [0:*]\nunset key\nset xtics rotate by 40 right\n"
               f"plot $data using 1:{len(names) + 2}:{ticks} with linespoints lc '#3b6ea5'")
    return [page.plot(speeds, data) or no_plot(), page.plot(minutes, data, height=220) or Raw("")] if names else []


def timelines(muster):
    """{kernel: the page of its timeline} of all kernels that need no options of their own."""
    def one(manifest):
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder) / "t.html"
            subprocess.run([muster, "run", manifest, "--timeline", out], capture_output=True, stdin=subprocess.DEVNULL, timeout=120)
            return manifest.stem, out.read_text() if out.exists() else None
    manifests = sorted(path for path in (ROOT / "sim/kernels").glob("*/*.json") if path.stem == path.parent.name)
    with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("JOBS", os.cpu_count()))) as pool:
        return {name: text for name, text in pool.map(one, manifests) if text}


def kernels(build, wanted):
    muster = build / "sim/app/muster"
    if not wanted or not muster.exists():
        return []
    parts = [tag("p", "How each kernel of sim/kernels spends its time at barriers, in the default configuration.")]
    for name, text in timelines(muster).items():
        frame = f'<iframe loading="lazy" title="{html.escape(name)}" srcdoc="{html.escape(text)}"></iframe>'
        parts.append(folded(name, Raw(frame)))
    return parts


def not_run(results, build):
    wanted = {"test.xml": "make test", "regress.json": "make regress SEEDS=200", "mutant.xml": "make mutants", "mutate.json": "make mutate",
              "formal.json": "make formal", "bench.json": "make bench"}
    missing = [(target,) for file, target in wanted.items() if not (build / file).exists()]
    return [tag("p", "What this page could also show, had it been run:"), table(["target"], missing)] if missing else []


def verdict(results):
    commit, title, changed = found.commit()
    failed = sum(test.state == "failed" for test in results.tests()) + len(results.mismatches)
    failed += sum(bool(row["problems"]) for row in results.proofs or []) + sum(not row["passed"] for row in results.kernels or [])
    missed = sum(len(one["missed"]) for one in results.configs.values())
    good = results.tests() and not failed and not missed
    said = (f"{len(results.tests()):,} tests, none failed" if good else "nothing was run" if not results.tests() else
            f"{failed} failed, {missed} cover points missed, of {len(results.tests()):,} tests")
    about = f"{commit or 'no commit is known'}{': ' + title if title else ''}{' (with other changes)' if changed else ''}"
    return Raw(tag("p", said, f"verdict {'good' if good else 'bad'}") + tag("p", about, "soft"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build", help="the folder (build)")
    parser.add_argument("--no-timelines", action="store_true", help="without the timelines of the kernels, which take a minute")
    args = parser.parse_args()
    build = args.build.resolve()
    if not build.is_dir():
        sys.exit(f"There is no folder {args.build}; run make test first.")
    try:
        results = found.Results(build)
        past = found.history(build, results)
        sections = [("failures", "Failed", failures(results, build)), ("runs", "What was run", runs(results)),
                    ("features", "Features", features(results, build)), ("waits", "Longest waits against their bounds", waits(results)),
                    ("cover", "Cover points", covers(results)), ("mutants", "Mutants", mutants(results)),
                    ("proofs", "Proofs", proofs(results)), ("measures", "Area, frequency, latency, speed", measures(results)),
                    ("trend", "The last runs", trend(past)), ("kernels", "Kernels", kernels(build, not args.no_timelines)),
                    ("open", "Not run", not_run(results, build))]
    except found.Unreadable as problem:
        print(problem, file=sys.stderr)
        sys.exit(2)
    out = build / "report.html"
    out.write_text(page.page("Muster: what was checked", verdict(results), sections))
    print(f"{os.path.relpath(out)}: {len(results.tests())} tests, {sum(test.state == 'failed' for test in results.tests())} failed")


if __name__ == "__main__":
    main()
