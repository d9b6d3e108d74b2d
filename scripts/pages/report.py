#!/usr/bin/env python3
# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""Writes one page about all that the targets have left in the build folder: BUILD/report.html.

It needs no server, no network and no other file. What failed comes first, with the commands that run it again; what was not
run is named with the target that runs it. Each run of `make test` and of `make bench` that it sees adds a line to BUILD/history.jsonl.
"""

import argparse
import concurrent.futures
import fnmatch
import html
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

from root import ROOT
import check_testplan
import measures
import mutate
import page
import results as found
from page import Raw, folded, table, tag

LAST_LINES = 30    # of the output of a failed test
LEAST_HIT = 25     # cover points that are shown at once
# Of the targets that a feature may name: the file of CTest.
LEAVES = {"make formal": "proof", "make mutants": "mutant", "make regress": "regress"}
KINDS = {"mutant": "Mutants", "proof": "Proofs", "proof_mutant": "Proofs", "regress": "Large"}


def rerun(build, suite, name):
    """The command of CTest that runs a test again."""
    pattern = re.sub(r"([][()^$.*+?|\\])", r"\\\1", name)
    kind = ["-C", KINDS[suite]] if suite in KINDS else []
    return shlex.join(["ctest", "--test-dir", os.path.relpath(build, ROOT), *kind, "-R", f"^{pattern}$", "--output-on-failure"])


def commands_of(build, kind):
    """{test: its own command line}, as CTest lists it."""
    command = ["ctest", "--test-dir", build, "--show-only=json-v1", *(["-C", kind] if kind else [])]
    try:
        done = subprocess.run(command, capture_output=True, text=True)
        tests = json.loads(done.stdout)["tests"]
    except (OSError, ValueError, KeyError):
        return {}
    return {test["name"]: shlex.join(test["command"]).replace(f"{ROOT}/", "") for test in tests if "command" in test}


def failed(results):
    """What has failed, in words, beside the tests that have: (words, the commands that show it)."""
    found_ = []
    for one in results.mismatches:
        report = one.get("report") or f"build/tb/lockstep/regress --config {one['config']} --seed {one['seed']}"
        found_.append((f"{one['config']}, seed {one['seed']}, cycle {one['cycle']}: {one['what']}", report))
    for row in results.kernels:
        if row.get("fits", True) and not row["passed"]:
            run = f"build/sim/app/muster run sim/kernels/{row['kernel']}/{row['kernel']}.json"
            found_.append((f"kernel {row['kernel']}: exit code {row['exit_code']}, not as expected: {row['expected']}", f"{run}\n{run} --wave k.fst"))
    for row in results.proofs:
        if row["problems"]:
            found_.append((f"{row['property']}: {'; '.join(row['problems'])}", f"make formal NAME={row['property'].split('.')[0]}"))
    return found_


def failures(results, build):
    parts = []
    for name, suite in results.suites.items():
        tests = [test for test in suite.tests if test.state == "failed"]
        commands = commands_of(build, KINDS.get(name)) if tests else {}
        for test in tests:
            lines = [line[:400] for line in test.output.strip().splitlines()[-LAST_LINES:]]
            again = [rerun(build, name, test.name) + "\n" + commands.get(test.name, "")] if test.name in commands or not commands else []
            parts += [tag("p", Raw(f"<b>{html.escape(test.name)}</b> ({html.escape(suite.target)})"), "bad"),
                      *(tag("pre", words) for words in again), tag("pre", "\n".join(lines))]  # a shard of a cluster ends with its command
    for words, commands in failed(results):
        parts += [tag("p", words, "bad"), tag("pre", commands)]
    return parts


def changed(stale):
    return tag("span", "sources have changed since", "bad") if stale else ""


def runs(results):
    rows = [(suite.target, len(suite.tests), suite.count("passed"), suite.count("failed"), suite.count("skipped"),
             round(suite.seconds / 60, 1), suite.time,
             changed(suite.stale)) for suite in results.suites.values()]
    skipped = sorted((test.reason, test.name) for test in results.tests() if test.state == "skipped")
    files = folded("other results", table(["file", "target", ""], [(name, target, changed(stale)) for name, target, stale in results.files]))
    return [table(["target", "tests", "passed", "failed", "skipped", "minutes", "when", ""], rows),
            folded(f"{len(skipped)} skipped", table(["why", "test"], skipped)) if skipped else Raw(""), files] if rows else []


class States:
    """What is known of what a feature names: tests, cover points, targets."""

    def __init__(self, results):
        self.suites = results.suites
        self.tests = {}
        for test in results.tests():
            self.tests.setdefault(check_testplan.plain(test.name), set()).add(test.state)
        self.points = {}
        for one in results.configs.values():
            for point, hits in one["cover"].items():
                self.points[point] = self.points.get(point, 0) + hits

    def of(self, name):
        if name.startswith("make "):
            suite = self.suites.get(LEAVES.get(" ".join(name.split()[:2])))
            return "not run" if not suite or not suite.tests else "failed" if suite.count("failed") else "passed"
        states = set().union(*(self.tests[test] for test in fnmatch.filter(self.tests, name)))
        hits = [self.points[point] for point in fnmatch.filter(self.points, name)]
        if "failed" in states or 0 in hits:
            return "failed"
        return "passed" if "passed" in states or hits else "skipped" if states else "not run"


def features(results):
    plan = check_testplan.rows((ROOT / "tb/README.md").read_text(), check_testplan.FEATURES)
    states = States(results)
    rows = []
    for _, (row_id, feature, risk, _, closes) in plan:
        names = check_testplan.quoted(closes)
        each = {name: states.of(name) for name in names}
        failed = [name for name in names if each[name] == "failed"]
        open_ = [name for name in names if each[name] in ("not run", "skipped")]
        state = tag("span", "failed: " + ", ".join(failed), "bad") if failed else \
            tag("span", "not seen here: " + ", ".join(open_), "soft") if len(open_) == len(names) else \
            Raw(tag("span", "passed", "good") + (tag("span", "; not seen here: " + ", ".join(open_), "soft") if open_ else ""))
        rows.append((row_id, state, feature, risk))
    return [table(["", "state", "feature", "risk"], rows)]


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
            folded(f"the other {len(rows) - LEAST_HIT}", table(["cover point", *names], rows[LEAST_HIT:])) if rows[LEAST_HIT:] else Raw("")]


def waits(results):
    rows = [(name, what, wait["cycles"], wait["bound"], 100.0 * wait["cycles"] / wait["bound"])
            for name, one in results.configs.items() for what, wait in one.get("longest_waits", {}).items() if wait["bound"]]
    if not rows:
        return []
    rows.sort(key=lambda row: -row[-1])
    top = rows[:20]
    drawn = page.plot("set style fill solid\nset boxwidth 0.7\nset ylabel '% of the bound'\nset yrange [0:105]\nunset key\n"
                      "set xtics rotate by 40 right\nplot $data using 0:2:xtic(1) with boxes lc '#3b6ea5', 100 lc '#b3261e'",
                      [f'"{page.label(name)}: {page.label(what)}" {percent:.1f}' for name, what, _, _, percent in top], height=340)
    return [drawn or measures.no_plot(), folded(f"all {len(rows)}", table(["configuration", "wait", "longest, cycles", "bound, cycles", "% of the bound"], rows))]


def mutants(results):
    parts = []
    if suite := results.suites.get("mutant"):
        parts.append(tag("p", f"Wrong variants that were thought of: {suite.count('passed')} of {len(suite.tests)} caught, "
                              f"{suite.count('failed')} not."))
    for tried in filter(None, results.mutate):
        rows, why = tried["mutants"], mutate.reasons(tried["of"], tried["config"])
        fates = [mutate.fate(row, why) for row in rows]
        parts.append(tag("p", f"Generated mutants of {tried['of']}, {tried['config']}: {len(rows)} tried, " +
                              ", ".join(f"{fates.count(one)} {one}" for one in mutate.FATES) + "."))
        for title, which in (("open", "open"), ("open with a reason", "explained")):
            shown = [(row["name"], f"{row['file']}:{row['line']}", source(row["file"], row["line"]), row["before"], row["after"],
                      why.get(row["name"], row.get("differs", "no proof was tried"))) for row, one in zip(rows, fates) if one == which]
            parts.append(table([title, "line", "", "was", "becomes", "why"], shown) if shown else Raw(""))
    return parts


def source(file, line):
    path = (ROOT / file).resolve()
    ours = any(path.is_relative_to(ROOT / folder) for folder in ("rtl", "sim/golden"))
    lines = path.read_text(encoding="utf-8").splitlines() if ours and path.is_file() else []
    return tag("code", lines[line - 1].strip() if 0 < line <= len(lines) else "")


def proofs(results):
    rows = [(row["property"],
             tag("span", "not proven: " + "; ".join(row["problems"]), "bad") if row["problems"] else tag("span", "proven", "good"),
             row["how"], row["seconds"]) for row in results.proofs]
    return [tag("p", "tb/formal/README.md says what is not proven."), table(["property", "state", "how, cycles", "seconds"], rows)] if rows else []


def timelines(muster):
    """{kernel: the page of its timeline} of all kernels that need no options of their own."""
    def one(manifest):
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder) / "t.html"
            try:
                subprocess.run([muster, "run", manifest, "--timeline", out], capture_output=True, stdin=subprocess.DEVNULL, timeout=120)
            except (OSError, subprocess.TimeoutExpired):
                return manifest.stem, None
            return manifest.stem, out.read_text(encoding="utf-8") if out.exists() else None
    manifests = sorted(path for path in (ROOT / "sim/kernels").glob("*/*.json") if path.stem == path.parent.name)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return dict(pool.map(one, manifests))


def kernels(build, wanted):
    muster = build / "sim/app/muster"
    if not wanted or not muster.exists():
        return []
    parts = [tag("p", "How each kernel of sim/kernels spends its time at barriers, in the default configuration.")]
    for name, text in timelines(muster).items():
        frame = f'<iframe loading="lazy" sandbox="allow-scripts" title="{html.escape(name)}" srcdoc="{html.escape(text or "")}"></iframe>'
        parts.append(folded(name, Raw(frame)) if text else tag("p", f"{name}: there is no timeline."))
    return parts


def not_run(build):
    wanted = {f"{name}.xml": target for name, target in found.SUITES.items()} | {
        name: target for name, target in found.FILES.items() if name not in ("regress.json", "mutate.quick.json")}
    missing = [(target,) for file, target in wanted.items() if not (build / file).exists()]
    return [tag("p", "Targets whose results are not here. make asan, corners, coverage, fourstate, gates and lint leave none that this page reads."),
            table(["target"], missing)] if missing else []


def verdict(results):
    commit, title, others_changed = found.commit()
    suite = results.suites.get("test")
    tests = sum(test.state == "failed" for test in results.tests())
    others = len(failed(results))
    bad = [f"{tests} of {len(results.tests()):,} tests failed"] * bool(tests) + [f"{others} other failures"] * bool(others)
    if not suite or not suite.count("passed"):
        bad.append("make test was not run")
    elif suite.stale:
        bad.append("sources have changed since make test")
    good = not bad
    said = f"{len(results.tests()):,} tests, none failed" if good else "; ".join(bad)
    about = f"{commit or 'no commit is known'}{': ' + title if title else ''}{' (with other changes)' if others_changed else ''}"
    return Raw(tag("p", said, f"verdict {'good' if good else 'bad'}") + tag("p", about, "soft"))


def of(file, function, *arguments):
    """What a function makes of a result file, which must have the form that it expects."""
    try:
        return function(*arguments)
    except (KeyError, TypeError, AttributeError, ValueError, IndexError) as problem:
        raise found.Unreadable(f"{file}: it has another form than its target writes ({problem!r}); run that again, or remove it.") from problem


def written(results, past, build, with_timelines):
    """The page."""
    sections = [("failures", "Failed", of("run.json or formal.json", failures, results, build)), ("runs", "What was run", runs(results)),
                ("features", "Features", features(results)), ("waits", "Longest waits against their bounds", of("regress.json", waits, results)),
                ("cover", "Cover points", of("regress.json", covers, results)), ("mutants", "Mutants", of("mutate.json", mutants, results)),
                ("proofs", "Proofs", of("formal.json", proofs, results)),
                ("measures", "Area, frequency, latency, speed", of("bench.json", measures.measures, results)),
                ("trend", "The last runs", of("history.jsonl", measures.trend, past)), ("kernels", "Kernels", kernels(build, with_timelines)),
                ("open", "Not run", not_run(build))]
    return page.page("Muster: what was checked", verdict(results), sections)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build", help="the folder (build)")
    parser.add_argument("--no-timelines", action="store_true", help="without the timelines of the kernels, which take a minute")
    args = parser.parse_args()
    build = args.build.resolve()
    if not build.is_dir():
        sys.exit(f"There is no folder {args.build}; run make test first.")
    out = build / "report.html"
    try:
        out.unlink(missing_ok=True)  # no page is better than an old one
        results = found.Results(build)
        past = found.history(build, results)
        out.write_text(written(results, past, build, not args.no_timelines), encoding="utf-8")
    except found.Unreadable as problem:
        print(problem, file=sys.stderr)
        sys.exit(2)
    except OSError as problem:
        print(f"{args.build}: the page cannot be written there ({problem}).", file=sys.stderr)
        sys.exit(2)
    print(f"{os.path.relpath(out)}: {len(results.tests())} tests, {sum(test.state == 'failed' for test in results.tests())} failed")


if __name__ == "__main__":
    main()
