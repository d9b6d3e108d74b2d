#!/usr/bin/env python3
# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""Holds Muster's answers to the readings against those of an H100.

Each reading is run on the unit. Its row in verdicts.json says how it ends there, and what that is beside the recording:
`as H100` (both end, both hang, or both refuse; where they do not refuse, what they left in `out` is the same),
`stricter than H100` (the unit refuses what hardware carries out) or `open`. Without a row, or where a row is not what happens, the
exit code is 1. README.md has the rows as tables.

  verdicts.py MUSTER            runs all readings, and checks the tables
  verdicts.py MUSTER --write    writes how the readings end on the unit into verdicts.json, and the tables; then the same
"""

import argparse
import collections
import concurrent.futures
import json
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

import readings

HERE = pathlib.Path(__file__).resolve().parent
RECORDINGS = {"H100": "h100_readings.json", "H200": "h200_readings.json"}  # of a reading in both the first one counts
VERDICTS = HERE / "verdicts.json"
PAGE = HERE / "README.md"
# The outcomes of a recording, of the unit and of a GPU.
KINDS = {"ends": "ends", "completes": "ends", "hangs": "hangs", "deadlock": "hangs", "trap": "trap", "fault": "trap", "memory_fault": "trap"}
AS_H100, STRICTER, OPEN = "as H100", "stricter than H100", "open"
MARKS = "<!-- verdicts.py writes this -->\n", "<!-- to here -->\n"


PAIRS = (
    "`pair_X_Y`, `pair_X_Y_Z`: warps of a CTA of four come to barrier 1 one after the other, each 4,000 cycles after the one before, with A\n"
    "(`bar.arrive`), S (`bar.sync`), R (`bar.red.popc`) or O (`bar.red.or`) and a count, of which 0 is none. The others exit after 60,000 cycles.")


class Wrong(Exception):
    """What is wrong with a file or a run, in a sentence."""


Reason = collections.namedtuple("Reason", "verdict apart why")
Row = collections.namedtuple("Row", "unit reason")  # unit: the outcome there; None: whatever it is
End = collections.namedtuple("End", "kind outcome out")  # kind: ends, hangs or trap


class Verdicts:
    """The rows of verdicts.json, each reading with the reason for its verdict."""

    def __init__(self, text):
        self.file = json.loads(text)
        self.reasons = {AS_H100: Reason(AS_H100, [], "")}
        for name, reason in self.file["reasons"].items():
            if reason["verdict"] not in (AS_H100, STRICTER, OPEN):
                raise Wrong(f"{name}: there is no verdict {reason['verdict']!r}")
            self.reasons[name] = Reason(reason["verdict"], reason.get("apart", []), reason["why"])
        self.rows = {}
        for group in self.file["groups"]:
            for name, (unit, reason) in group["readings"].items():
                if name in self.rows or reason not in self.reasons:
                    raise Wrong(f"{name}: it has two rows, or a reason that is not there")
                self.rows[name] = Row(unit, reason)
        unused = self.reasons.keys() - {AS_H100} - {row.reason for row in self.rows.values()}
        if unused:
            raise Wrong(f"no reading has the reason {min(unused)}")

    def row(self, name):
        """Pairs of warps have one row for all."""
        return Row(None, self.file["pairs"]) if name.startswith("pair_") else self.rows.get(name)


def recorded(text, gpu="H100"):
    ends = {}
    for name, row in json.loads(text).items():
        outcome = "ends" if row["outcome"] == "completes" else row["outcome"]
        ends[name] = End(KINDS[outcome.split(":")[0]], outcome + ("" if gpu == "H100" else f" ({gpu})"), row["out"])
    return ends


def run(muster, manifest, *options):
    """How a kernel ends on the unit, or on what the options name."""
    with tempfile.TemporaryDirectory() as folder:
        out, report = pathlib.Path(folder) / "out", pathlib.Path(folder) / "report.json"
        done = subprocess.run([muster, "run", manifest, *options, "--dump", f"out={out}", "--report", report], capture_output=True, text=True)
        if not out.exists() or not report.exists():
            raise Wrong(f"{manifest.stem}: {done.stderr.strip() or done.stdout.strip()}")
        outcome = json.loads(report.read_text())["outcome"]
        words = out.read_bytes()
    return End(KINDS.get(outcome.split(":")[0], outcome), outcome, list(struct.unpack(f"<{len(words) // 4}I", words)))


def left_out(apart, count):
    """Words that are not compared, of as many: a list for each of the places, which are slices as in Python."""
    words = list(range(count))
    return [words[slice(*(int(n) if n else None for n in place.split(":")))] if ":" in place else [int(place)] for place in apart]


def problem(row, reason, there, here):
    """What is not as the row says; None: all is. `there` is None for a reading that was not recorded."""
    if row.unit not in (None, here.outcome):
        return f"on the unit it ends as {here.outcome}, and not as {row.unit}"
    if there is None:
        return None if reason.verdict == OPEN else "it is not in the recording"
    if reason.verdict == OPEN:
        return "it is open, but ends as on an H100" if (here.kind, here.out) == (there.kind, there.out) else None
    if reason.verdict == STRICTER:
        return None if here.kind == "trap" != there.kind else f"the unit ({here.outcome}) is not stricter than an H100 ({there.outcome})"
    if here.kind != there.kind:
        return f"an H100 {there.outcome}, the unit {here.outcome}"
    if here.kind == "trap":  # which is not precise: threads may have gone on before it came
        return None
    if len(here.out) != len(there.out):
        return "`out` has not as many words as the recording"
    differ = {i for i, (ours, theirs) in enumerate(zip(here.out, there.out)) if ours != theirs}
    places = left_out(reason.apart, len(there.out))
    needless = [apart for apart, words in zip(reason.apart, places) if not differ & set(words)]
    if needless:
        return f"`out` does not differ in {needless[0]}, which is not compared"
    differ -= set().union(*places) if places else set()
    if differ:
        at = min(differ)
        return f"out[{at}] is {there.out[at]:#x} on an H100 and {here.out[at]:#x} on the unit; words that differ: {len(differ)}"
    return None


def missing(verdicts, names, there):
    """Readings without a row or a recording, and the other way round; a sentence each."""
    for name in sorted(names | there.keys() | verdicts.rows.keys()):
        if name not in names:
            yield f"{name}: it has a row or a recording, but no kernel"
        elif verdicts.row(name) is None:
            yield f"{name}: it has no row in {VERDICTS.name}"


def table(columns, rows):
    return "".join(f"| {' | '.join(row)} |\n" for row in [columns, ["---"] * len(columns), *rows])


def pair_tables(there):
    """How the pairs and triples ended: a row for the first arrivals, a column for the last one."""
    forms = {name: name.split("_")[1:] for name in there if name.startswith("pair_")}
    for length in sorted({len(form) for form in forms.values()}):
        ends = {tuple(form): there[name].kind for name, form in forms.items() if len(form) == length}
        last = sorted({form[-1] for form in ends})
        first = sorted({form[:-1] for form in ends})
        yield table([f"{'first' if length == 2 else 'first two'}, then", *last],
                    [[", ".join(form), *(ends.get((*form, end), "") for end in last)] for form in first])


def tables(verdicts, there):
    """What README.md has between the marks."""
    count = collections.Counter(verdicts.reasons[verdicts.row(name).reason].verdict for name in there | verdicts.rows)
    text = f"{sum(count.values())} readings: " + ", ".join(f"{count[verdict]} *{verdict}*" for verdict in (AS_H100, STRICTER, OPEN)) + ".\n"
    asked = readings.table()
    for group in verdicts.file["groups"]:
        text += f"\n### {group['title']}\n\n"
        rows = []
        for name, (unit, reason) in group["readings"].items():
            verdict = f"*{verdicts.reasons[reason].verdict}*" + ("" if reason == AS_H100 else f": {reason}")
            rows.append([f"`{name}`", asked[name]["asks"].replace("|", "\\|"), there[name].outcome if name in there else "not recorded", unit, verdict])
        text += table(["reading", "what is asked", "H100", "unit", "verdict"], rows)
    text += "\n### Who pairs with whom\n\n" + PAIRS + f" All of them *{verdicts.file['pairs']}*.\n\n" + "\n".join(pair_tables(there))
    text += "\n### Reasons\n\n" + table(["reason", "why"], [[name, reason.why.replace("|", "\\|")] for name, reason in verdicts.reasons.items() if reason.why])
    return text


def parts(page):
    """The page before, between and behind the marks."""
    try:
        before, rest = page.split(MARKS[0])
        between, behind = rest.split(MARKS[1])
        return before, between, behind
    except ValueError as error:
        raise Wrong(f"{PAGE.name}: the marks around the tables are not there") from error


def written(verdicts, here):
    """verdicts.json, with how the readings end on the unit."""
    def row_of(match):
        name = match[1]
        return f'{match[0][:-len(match[2])]}{json.dumps(here[name].outcome)}' if name in here else match[0]
    return re.sub(r'^ +"(\w+)": \[("[^"]*")', row_of, VERDICTS.read_text(), flags=re.M)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("muster", type=pathlib.Path)
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary, concurrent.futures.ThreadPoolExecutor(2) as pool:
        folder = pathlib.Path(temporary)
        names = readings.write(folder)
        here = dict(zip(sorted(names), pool.map(lambda name: run(args.muster, folder / f"{name}.json"), sorted(names))))
    if args.write:
        VERDICTS.write_text(written(Verdicts(VERDICTS.read_text()), here))
    verdicts = Verdicts(VERDICTS.read_text())
    there = {}
    for gpu, file in reversed(RECORDINGS.items()):
        there |= recorded((HERE / file).read_text(), gpu)
    wrong = list(missing(verdicts, names, there))
    complete = not wrong
    for name in sorted(names):
        row = verdicts.row(name)
        what = problem(row, verdicts.reasons[row.reason], there.get(name), here[name]) if row else None
        wrong += [f"{name}: {what}"] if what else []
    if complete:
        before, between, behind = parts(PAGE.read_text())
        new = tables(verdicts, there)
        if args.write:
            PAGE.write_text(MARKS[0].join([before, MARKS[1].join([new, behind])]))
        elif between != new:
            wrong.append(f"{PAGE.name}: its tables are not those of {VERDICTS.name}; run verdicts.py MUSTER --write")
    print("".join(f"{what}\n" for what in wrong) + f"{len(names)} readings, {len(wrong)} complaints")
    return bool(wrong)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Wrong as what:
        sys.exit(f"verdicts.py: {what}")
