#!/usr/bin/env python3
# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""Writes the waveforms of rtl/THEORY.md, and the picture rtl/waveform.svg, from runs of kernels.

Each waveform stands between two marks of the page. It shows the configuration small, and its cycles are counted
from its first column, so that it stays the same where a kernel only begins earlier or later. With --check nothing is
written, and the exit code is 1 if a run shows something else than the page. Exit code 2: a run failed.
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile

from root import ROOT
import wave
import waveform

PAGE, PICTURE = ROOT / "rtl/THEORY.md", ROOT / "rtl/waveform.svg"
CONFIG = "small"
NARROWEST, LABEL = 6, 20  # widths of a cell and of the names, in characters

# Name: where the row is in scripts/run/waveform.py.
BARRIER_ROWS = {"issue_valid_i": ("issue, port 0", "valid"), "issue_i.op": ("issue, port 0", "op"),
                "issue_i.warp": ("issue, port 0", "warp"), "busy_o": ("warps", "busy"),
                "commit_o.warp": ("commit, port 0", "warp"), "waiting warps": ("warps", "waiting"),
                "entry_word.arrived": ("entry", "arrived"), "entry_word.expected": ("entry", "of"),
                "entry_word.value": ("entry", "value"), "release_o": ("release", "warps"),
                "release_info_o.value": ("release", "value")}
WORD_ROWS = {"mb_issue_valid_i": ("mbarrier, warps", "valid"), "mb_issue_i.warp": ("mbarrier, warps", "warp"),
             "mb_async_valid_i": ("mbarrier, copies", "valid"), "mb_async_ready_o": ("mbarrier, copies", "ready"),
             "mb_async_i.addr": ("mbarrier, copies", "address"), "mb_async_i.operand": ("mbarrier, copies", "operand"),
             "mb_commit_o.source": ("mbarrier, commit", "source"), "  address": ("mbarrier, commit", "address"),
             "  phase": ("mbarrier, commit", "phase"), "  pending": ("mbarrier, commit", "pending"),
             "  tx-count": ("mbarrier, commit", "tx-count"), "  parked": ("mbarrier, commit", "parked"),
             "mb_wake_o": ("mbarrier, waits", "woken")}
COMMIT_ROWS = {"by": ("mbarrier, commit", "source"), "phase": ("mbarrier, commit", "phase"),
               "pending": ("mbarrier, commit", "pending"), "tx-count": ("mbarrier, commit", "tx-count"),
               "completed": ("mbarrier, commit", "completed"), "parked": ("mbarrier, commit", "parked")}
WORD = 0x400  # of bulk_copy: its first mbarrier


def run(kernel, folder):
    """The trace of a kernel, all of it."""
    fst = folder / f"{kernel}.fst"
    command = [MUSTER, "run", ROOT / f"sim/kernels/{kernel}/{kernel}.json", "--config", CONFIG, "--wave", fst]
    done = subprocess.run(command, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode:
        print(f"{' '.join(map(str, command))}: exit code {done.returncode}\n{done.stdout}", file=sys.stderr)
        sys.exit(2)
    return waveform.Trace(fst, 1 << 30, 0)


def cells(trace, place, cycles):
    group, label = place
    row = next(row for row in trace.groups[group] if row.label == label)
    return row, trace.shown(row, cycles)


def events(trace, signal):
    """The cycles in which a signal is not 0."""
    cycles = range(trace.first, trace.last + 1)
    return [cycle for cycle, value in zip(cycles, trace.values(signal, cycles)) if value]


def drawn(trace, rows, cycles):
    """A waveform as text."""
    shown = {name: cells(trace, place, cycles) for name, place in rows.items()}
    width = max(NARROWEST, *(len(text) + 1 for row, texts in shown.values() if row.how != "bit" for text in texts))
    lines = [f"{'cycle':{LABEL}}" + "".join(f"{n:<{width}}" for n in range(len(cycles)))]
    for name, (row, values) in shown.items():
        lines.append(f"{name:{LABEL}}" + "".join(("▔" if value else "▁") * width if row.how == "bit" else f"{value:<{width}}"
                                                 for value in values))
    return "".join(f"    {line}".rstrip() + "\n" for line in lines)


def barrier(trace):
    """The AND of partial_warp's four warps: from the first arrival's acceptance to the release."""
    end = events(trace, "release_o")[2]
    cycles = range(end - 8, end + 1)
    return drawn(trace, BARRIER_ROWS, cycles)


def first_phase(trace):
    """The cycles of bulk_copy's commits at its first mbarrier, from its init to the first completion."""
    found = []
    for cycle in events(trace, "mb_commit_o.valid"):
        if trace.values("mb_commit_o.place.addr", [cycle]) == [WORD]:
            found.append(cycle)
            if trace.values("mb_commit_o.completed", [cycle])[0]:
                return found
    sys.exit("bulk_copy: its first mbarrier completes no phase")


def word(trace):
    """The end of the phase: its last copy, the waits that are parked, the completion, the wake-up."""
    end = first_phase(trace)[-1] + 2
    return drawn(trace, WORD_ROWS, range(end - 13, end + 1))


def commits(trace):
    """The commits of the phase as a table; cycles as in the waveform of its end."""
    found = first_phase(trace)
    zero = found[-1] + 2 - 13
    columns = [cells(trace, place, found)[1] for place in COMMIT_ROWS.values()]
    rows = [(str(cycle - zero), *values) for cycle, *values in zip(found, *columns)]
    return "| cycle | " + " | ".join(COMMIT_ROWS) + " |\n" + "|---" * (1 + len(COMMIT_ROWS)) + "|\n" + "".join(f"| {' | '.join(row)} |\n" for row in rows)


# Mark: the kernel, and what it becomes.
WAVEFORMS = {"barrier": ("partial_warp", barrier), "commits": ("bulk_copy", commits), "word": ("bulk_copy", word)}


def page(text, traces):
    for name, (kernel, make) in WAVEFORMS.items():
        begin, end = f"<!-- {name}: written by scripts/pages/theory.py -->\n", f"<!-- end of {name} -->\n"
        if text.count(begin) != 1 or text.count(end) != 1:
            sys.exit(f"{PAGE}: one line each is needed of {begin.strip()} and {end.strip()}")
        before, rest = text.split(begin)
        text = f"{before}{begin}\n{make(traces[kernel])}\n{end}{rest.split(end)[1]}"
    return text


def main():
    global MUSTER
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--check", action="store_true", help="only compare")
    parser.add_argument("--muster", type=pathlib.Path, default=ROOT / "build/sim/app/muster", help="the program, with the configuration small")
    args = parser.parse_args()
    MUSTER = args.muster.resolve()

    with tempfile.TemporaryDirectory() as folder:
        traces = {kernel: run(kernel, pathlib.Path(folder)) for kernel in ("block_sum", "partial_warp", "bulk_copy")}
    end = events(traces["block_sum"], "release_o")[0]
    made = {PAGE: page(PAGE.read_text(encoding="utf-8"), traces),
            PICTURE: wave.picture(traces["block_sum"], range(end - 17, end + 7), end - 17)}
    if args.check:
        stale = [path.relative_to(ROOT).as_posix() for path, text in made.items() if path.read_text(encoding="utf-8") != text]
        if stale:
            sys.exit(f"{' and '.join(stale)}: not what the runs show; scripts/pages/theory.py writes them anew, then read the words around them")
    else:
        for path, text in made.items():
            path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
