#!/usr/bin/env python3
# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""`muster explain`: what it says of a hung grid that a run has saved, and of what a debugger shows of one.

  explain.py MUSTER CASE   runs one case, in a folder of its own
  explain.py --list        the names of all cases
"""

import json
import re
import shutil

from command import KERNELS, PAIRS, expect, main_of, run

HUNG = ("aligned_apart", "aligned_late", "cluster_deadlock", "deadlock", "mb_beside_barrier", "mb_deadlock",
        "warp_deadlock")
CASES = {}


def case(function):
    """Makes a function a case of this name."""
    CASES[function.__name__] = function
    return function


def stands_in(said):
    """What a run says of a deadlock: the lines before its counters."""
    return said.split("Every live warp waits")[1].split("operations: ")[0]


def waits_of(text):
    """The rows of a report that say who waits for what."""
    return re.findall(r"^ +(?:CTA|cluster|came|waits|missing) .*$", text, re.MULTILINE)


def saved(muster, folder, name):
    """The manifest of a kernel that hangs, the file that its run saves, and what the run says."""
    manifest = KERNELS / name / f"{name}.json"
    text, _ = run(muster, "run", manifest, "--hang", folder / "hang.txt")
    return manifest, folder / "hang.txt", text


def round_trip(muster, folder, name):
    """The order that is found ends in what the run has said, and `run` keeps to it."""
    manifest, hang, said = saved(muster, folder, name)
    text, _ = run(muster, "explain", hang, manifest, "--witness", folder / "w.json")
    expect(waits_of(text) and waits_of(text) == waits_of(stands_in(said)),
           f"explain says something else than the run:\n{text}\n{said}")
    again, _ = run(muster, "run", manifest, "--schedule", folder / "w.json")
    expect("deadlock" in again, again)


for kernel in HUNG:
    CASES[f"round_trip_{kernel}"] = lambda muster, folder, kernel=kernel: round_trip(muster, folder, kernel)


@case
def rare_order(muster, folder):
    """The deadlock of a pair that few orders come to: its state alone leads back to it."""
    manifest = PAIRS / "early_return_skips_arrive" / "wrong.json"
    run(muster, "explore", manifest, "--witness", folder / "w.json", "--report", folder / "r.json", code=3)
    findings = json.loads((folder / "r.json").read_text())["findings"]
    witness = next(finding["witness"] for finding in findings if finding["ending"] == "deadlock")
    said, _ = run(muster, "run", manifest, "--schedule", witness, "--hang", folder / "hang.txt", code=3)
    text, _ = run(muster, "explain", folder / "hang.txt", manifest)
    expect(waits_of(text) == waits_of(stands_in(said)), text)


@case
def of_a_debugger(muster, folder):
    """Rows as a debugger prints them, with its focus, its table, and words in its form; lines of the source."""
    manifest = KERNELS / "mb_deadlock" / "mb_deadlock.json"
    hang = folder / "gdb.txt"
    hang.write_text("""[Switching focus to CUDA kernel 0, grid 1, block (0,0,0), thread (0,0,0), device 0, sm 0, warp 0, lane 0]
  BlockIdx ThreadIdx To BlockIdx ThreadIdx Count         Virtual PC      Filename  Line
Kernel 0
*  (0,0,0)   (0,0,0)     (0,0,0)  (31,0,0)    32 0x00007fffd9a59f10 mb_deadlock.ptx    LOOP
   (0,0,0)  (32,0,0)     (0,0,0)  (63,0,0)    32 0x00007fffd9a59f10 mb_deadlock.ptx    WAIT
base 0x400
0x400 <object>:\t0xWORD
""")
    lines = (KERNELS / "mb_deadlock" / "mb_deadlock.ptx").read_text().splitlines()
    wait = 1 + next(i for i, line in enumerate(lines) if "try_wait" in line)
    _, other, _ = saved(muster, folder, "mb_deadlock")
    word = re.search(r"^0x0: 0x(\w+)$", other.read_text(), re.MULTILINE)[1]
    text = hang.read_text().replace("LOOP", str(wait + 1)).replace("WAIT", str(wait)).replace("WORD", word)
    hang.write_text(text)
    said, _ = run(muster, "explain", hang, manifest)
    expect("1 of 65 arrivals pending" in said and "warps 0-1" in said, said)
    hang.write_text(text.replace("0x400 <object>:\t", "object: "))
    run(muster, "explain", hang, manifest)


@case
def unreached(muster, folder):
    """No order leads to a state that the kernel cannot have: it says so, and what the dump alone tells."""
    manifest, hang, _ = saved(muster, folder, "mb_deadlock")
    hang.write_text(re.sub(r"^0x0: .*$", "0x0: 0x7ffff00000000007e"[:20], hang.read_text(), flags=re.MULTILINE))
    text, _ = run(muster, "explain", hang, manifest, code=1)
    expect("no order was found" in text and "which are all" in text, text)
    expect("the words or barriers held something else" in text, text)
    expect("mbarrier object (0x0): a phase of parity" in text and text.count("waits    warps 0-1 at line 23: wait, lanes 0xffffffff") == 1, text)
    manifest, hang, _ = saved(muster, folder, "deadlock")
    both = hang.read_text().splitlines()
    here = next(row for row in both if row.startswith("warp (0,0,0) 0"))
    hang.write_text(here + "\n")
    text, _ = run(muster, "explain", hang, manifest, code=1)
    expect("barrier 1 (sync): 1 of 2 warps have arrived" in text, text)
    expect("missing  warp 1, which has exited, or has not begun" in text, text)


@case
def names_its_launch(muster, folder):
    """A dump that says of which launch it is needs no other argument; one that does not is refused."""
    _, hang, _ = saved(muster, folder, "deadlock")
    for file in ("deadlock.json", "deadlock.ptx"):
        shutil.copy(KERNELS / "deadlock" / file, folder)
    _, errors = run(muster, "explain", hang, code=2)
    expect("does not say of which launch it is" in errors, errors)
    hang.write_text("launch deadlock.json\n" + hang.read_text())
    run(muster, "explain", hang)


@case
def not_hung(muster, folder):
    """A run that completes writes no file, and says so; nor does one of several launches."""
    text, _ = run(muster, "run", KERNELS / "block_sum" / "block_sum.json", "--hang", folder / "hang.txt")
    expect("is not written: the grid does not hang" in text and not (folder / "hang.txt").exists(), text)
    _, errors = run(muster, "run", KERNELS / "layers" / "layers.json", "--hang", folder / "hang.txt", code=2)
    expect("--hang goes with one launch" in errors, errors)


@case
def malformed(muster, folder):
    """Each row that is wrong gets one sentence with its line."""
    manifest = KERNELS / "deadlock" / "deadlock.json"
    lines = (KERNELS / "deadlock" / "deadlock.ptx").read_text().splitlines()
    at = 1 + next(i for i, line in enumerate(lines) if "bar.sync" in line)
    good = f"warp (0,0,0) 0 lanes 0xffffffff at deadlock.ptx:{at}\n"
    rows = {
        "what is this": "the row is none of",
        "warp (0,0,0) 0 lanes 0xffffffff": "a warp is written as",
        "warp (0,0) 0 lanes 0x1 at deadlock.ptx:1": "a warp is written as",
        f"warp (1,0,0) 0 at deadlock.ptx:{at}": "there is no block (1,0,0): the grid is 1x1x1",
        f"warp (0,0,0) 9 at deadlock.ptx:{at}": "there is no warp 9: a block has 2",
        f"warp (0,0,0) 1 lanes 0x0 at deadlock.ptx:{at}": "the warp has no lanes 0x0",
        "warp (0,0,0) 1 at deadlock.ptx:9999": "deadlock.ptx:9999 is no instruction of the kernel",
        "warp (0,0,0) 1 at other.cu:3": "other.cu:3 is no instruction of the kernel",
        f"warp (0,0,0) 0 lanes 0x3 at deadlock.ptx:{at}": "stand somewhere already",
        f"(0,0,0) (32,0,0) (0,0,0) (63,0,0) 31 0x10 deadlock.ptx {at}": "says 31 threads, and from the first to the last",
        f"(0,0,0) (32,0,0) (0,0,0) (64,0,0) 33 0x10 deadlock.ptx {at}": "there is no thread (64,0,0): the block is 64x1x1",
        "(0,0,0) (32,0,0) (0,0,0) (63,0,0) 32 0x10 n/a 0": "compile the kernel with -lineinfo",
        "(0,0,0) (32,0,0) 32 0x10 deadlock.ptx 18": "has the first block and thread",
        "block (0,0)": "a block is written as",
        "0x10: 0x0": "of which block this is",
        "barrier 1: 1 warp": "of which block this is",
        "block (0,0,0)\n0x10: 0x0": "0x10 is no word of 8 bytes in the 0 bytes of shared memory",
        "block (0,0,0)\nfull+8: 0x0": "the kernel has no variable full in shared memory",
        "block (0,0,0)\nbarrier 16: 1 warp": "with N from 0 to 15",
        "block (0,0,0)\nbarrier 1: 3 warps": "a block has 2 warps",
        "base here": "base is followed by an address",
    }
    hang = folder / "hang.txt"
    for row, what in rows.items():
        hang.write_text(good + row + "\n")
        _, errors = run(muster, "explain", hang, manifest, code=2)
        number = 1 + good.count("\n") + row.count("\n")
        expect(errors.count("\n") == 1 and what in errors and f"hang.txt:{number}: " in errors, f"{row}: {errors}")
    hang.write_text("# nothing\n")
    _, errors = run(muster, "explain", hang, manifest, code=2)
    expect("it says of no thread where it stands" in errors, errors)
    run(muster, "explain", folder / "none.txt", manifest, code=2)
    hang.write_text(good)
    _, errors = run(muster, "explain", hang, KERNELS / "layers" / "layers.json", code=2)
    expect("explain takes one launch" in errors, errors)
    before = hang.read_text()
    run(muster, "explain", hang, manifest, "--witness", hang, code=2)
    expect(hang.read_text() == before, "the dump was overwritten")


if __name__ == "__main__":
    main_of(CASES)
