#!/usr/bin/env python3
# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""`muster run --target uart:DEVICE` on the Verilated board behind a pseudo-terminal.

  fpga_run.py MUSTER BOARD CASE   runs one case; BOARD is the program fpga_on_pty
  fpga_run.py --list              the names of all cases
"""

import contextlib
import fcntl
import json
import os
import pathlib
import pty
import re
import subprocess
import sys
import tempfile
import tty

KERNELS = pathlib.Path(__file__).resolve().parents[2] / "sim" / "kernels"
LONG = "MUSTER_LONG" in os.environ  # as tb/volume.h
# With exits and reductions, a vote, a deadlock, a fault; one that completes, and waves of CTAs.
SAME = ["exit_red", "vote", "deadlock", "fault_kind_mismatch"] + ["block_sum", "early_exit"] * LONG
# None whose waits end by a time limit: within the promised cycles, when that is depends on the cycles since reset.
MBARRIERS = ["mb_copy_arrive", "mb_drop_exit", "fault_tx_overflow"] + ["block_sum", "mb_arrive_wait", "mb_ring"] * LONG

CLEARING = 2 * 4096 // 64
SPEEDS = ("skipped_cycles", "thread_instructions_per_second", "simulated_khz")


def lines(log, mbarriers):
    """Those of a log, or those that a unit without mbarriers has, too."""
    return [line for line in log.splitlines() if mbarriers or '"mb":' not in line]


def check(good, what, *shown):
    if not good:
        sys.exit("\n".join([what, *map(str, shown)]))


def manifest(kernel):
    return KERNELS / kernel / f"{kernel}.json"


def run(muster, *arguments):
    return subprocess.run([muster, *map(str, arguments)], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=200)


@contextlib.contextmanager
def served(board, *arguments):
    """The device behind which a board answers."""
    with subprocess.Popen([board, *arguments], stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process.stdout.readline().strip()
        finally:
            process.terminate()


def compare(muster, board, kernels, *arguments):
    """The kernels run on such a board as they do on the Verilated unit."""
    with served(board, *arguments) as device, tempfile.TemporaryDirectory() as folder:
        for kernel in kernels:
            reports = []
            for options in (["--config", "small"], ["--target", f"uart:{device}"]):
                report = pathlib.Path(folder) / f"{len(reports)}.json"
                log = pathlib.Path(folder) / f"{len(reports)}.jsonl"
                done = run(muster, "run", manifest(kernel), "--report", report, "--log", log, *options)
                check(done.returncode == 0, f"{kernel}: exit code {done.returncode}", done)
                told = json.loads(report.read_text())
                reports.append([{key: told[key] for key in told if key not in SPEEDS},
                                lines(log.read_text(), mbarriers=bool(arguments))])
            check(reports[0] == reports[1], f"{kernel}: another run than the Verilated unit's",
                  reports)
            frames = re.search(r"(\d+) frames answered, 0 sent again", done.stdout)
            # A board with mbarriers has its memory cleared, 64 bytes a frame.
            more = CLEARING if arguments else 0
            check(frames and more < int(frames[1]) - told["cycles"] < more + CLEARING,
                  f"{kernel}: not a frame for each cycle", done.stdout)


def same_as_verilated(muster, board):
    compare(muster, board, SAME)


def with_mbarriers(muster, board):
    compare(muster, board, MBARRIERS, "mbarrier")


def without_mbarriers(muster, board):
    with served(board) as device:
        done = run(muster, "run", manifest("mb_drop_exit"), "--target", f"uart:{device}")
        check(done.returncode == 2 and "has no mbarriers" in done.stderr, "not refused", done)


def refused(muster, says, *options):
    done = run(muster, "run", manifest("block_sum"), *options)
    check(done.returncode == 2 and not done.stdout and done.stderr.count("\n") == 1 and
          re.search(says, done.stderr), f"{options}: expected exit code 2 and {says}", done)


def bad_targets(muster, board):
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "file"
        file.touch()
        for target, says in (("", "there are verilated, uart:DEVICE, cuda"), ("uart:", "uart:DEVICE"),
                             ("jtag:/dev/null", "uart:DEVICE"),
                             (f"uart:{folder}/absent", "absent: No such file"),
                             (f"uart:{file}", "not a serial device"),
                             ("uart:/dev/null", "not a serial device")):
            refused(muster, says, "--target", target)
    with served(board) as device:
        target = f"uart:{device}"
        refused(muster, "configuration small", "--target", target, "--config", "large")
        refused(muster, "waveform", "--target", target, "--wave", "never_written.fst")


def silent(muster, _):
    ours, theirs = pty.openpty()
    tty.setraw(theirs)
    refused(muster, "has not answered", "--target", f"uart:{os.ttyname(theirs)}")
    os.close(ours)


def one_at_a_time(muster, board):
    with served(board) as device, open(device, "rb+", buffering=0) as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        refused(muster, "another program is using it", "--target", f"uart:{device}")


CASES = {"same_as_verilated": same_as_verilated, "with_mbarriers": with_mbarriers,
         "without_mbarriers": without_mbarriers,
         "bad_targets": bad_targets, "silent": silent, "one_at_a_time": one_at_a_time}


def main():
    if sys.argv[1:] == ["--list"]:
        print("\n".join(CASES))
        return
    muster, board, name = sys.argv[1:]
    CASES[name](muster, board)


if __name__ == "__main__":
    main()
