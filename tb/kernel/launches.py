#!/usr/bin/env python3
# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""Manifests with several launches: what they leave to each other, and where a run ends.

  launches.py MUSTER CASE   runs one case, in a folder of its own
  launches.py --list        the names of all cases
"""

import json
import struct

from program import check, main_of, run

# Three kernels of a CTA of two warps: `fill` writes, `turn` reverses the halves through shared
# memory, `stuck` deadlocks if the buffer begins with a one.
PTX = """.version 7.5
.target sm_80
.address_size 64
.global .u32 rounds;

.visible .entry fill(.param .u64 out, .param .u32 plus) {
    .reg .b32 %r<4>; .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [out]; ld.param.u32 %r2, [plus];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd2, %r1, 4;
    add.s64 %rd1, %rd1, %rd2;
    add.u32 %r1, %r1, %r2;
    st.global.u32 [%rd1], %r1;
    atom.global.add.u32 %r3, [rounds], 1;
    ret;
}
.visible .entry turn(.param .u64 out) {
    .reg .b32 %r<6>; .reg .b64 %rd<4>; .shared .b32 s[64];
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 2; cvt.u64.u32 %rd2, %r2;
    add.s64 %rd1, %rd1, %rd2;
    mov.u32 %r3, s; add.u32 %r4, %r3, %r2;
    ld.global.u32 %r5, [%rd1];
    st.shared.u32 [%r4], %r5;
    bar.sync 0;
    xor.b32 %r2, %r2, 128; add.u32 %r4, %r3, %r2;
    ld.shared.u32 %r5, [%r4];
    ld.global.u32 %r2, [rounds]; add.u32 %r5, %r5, %r2;
    st.global.u32 [%rd1], %r5;
    ret;
}
.visible .entry stuck(.param .u64 out) {
    .reg .pred %p<3>; .reg .b32 %r<4>; .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [out]; ld.global.u32 %r1, [%rd1];
    setp.eq.u32 %p1, %r1, 1;
    mov.u32 %r2, %tid.x;
    setp.lt.u32 %p2, %r2, 32;
    @!%p1 ret;
    @%p2 bar.sync 3, 64;
    @!%p2 bar.sync 4, 64;
    ret;
}
"""
OUT = [{"buffer": "out"}]


def fill(plus):
    return {"kernel": "fill", "block": [64, 1, 1], "args": [*OUT, {"u32": plus}]}


TURN = {"kernel": "turn", "block": [64, 1, 1], "args": OUT}
STUCK = {"kernel": "stuck", "block": [64, 1, 1], "args": OUT}


def write(folder, launches, **keys):
    (folder / "k.ptx").write_text(PTX)
    path = folder / "k.json"
    path.write_text(json.dumps({"ptx": "k.ptx", "launches": launches,
                                "buffers": {"out": {"type": "u32", "count": 64}}, **keys}))
    return path


def in_order(muster, folder):
    """Each launch finds the buffers and variables as those before it have left them; a row for each."""
    turned = [(i ^ 32) + 5 + 64 for i in range(64)]
    path = write(folder, [fill(5), TURN], expect={"out": turned})
    report = folder / "r.json"
    result = run(muster, "run", path, "--report", report, "--seed", 3, "--dump", f"out={folder}/out.bin")
    check(result.returncode == 0 and result.stdout.endswith("as expected\n"), "expected success", result)
    check("launch 1 of 2, kernel fill: grid 1x1x1" in result.stdout and
          "launch 2 of 2, kernel turn: grid 1x1x1" in result.stdout, "expected a part for each", result)
    check(list(struct.unpack("<64I", (folder / "out.bin").read_bytes())) == turned, "the bytes")
    told = json.loads(report.read_text())
    rows = told["launches"]
    check([row["kernel"] for row in rows] == ["fill", "turn"] and told["outcome"] == "completes" and
          told["seed"] == 3 and told["differences"] == [], told)
    check(told["cycles"] == sum(row["cycles"] for row in rows) and
          [row["operations"]["sync"] for row in rows] == [0, 2] and
          told["served"]["cta"] == sum(row["served"]["cta"] for row in rows), told)
    alone = write(folder, [fill(5)], expect={"out": list(range(5, 69))})
    result = run(muster, "run", alone)
    check(result.returncode == 0 and "launch 1 of 1, kernel fill" in result.stdout, "one launch", result)
    result = run(muster, "run", write(folder, [fill(5), TURN], expect={"out": [0] * 64}))
    check(result.returncode == 1 and "out differs in 64 of 64" in result.stdout,
          "expected a difference", result)
    result = run(muster, "run", path, "--seeds", 4)
    check(result.returncode == 1, "expected the difference with each seed", result)


def ends(muster, folder):
    """A launch that does not complete ends the run, and is named; its outcome is the run's."""
    report = folder / "r.json"
    launches = [fill(1), STUCK, TURN]
    result = run(muster, "run", write(folder, launches), "--report", report)
    check(result.returncode == 3 and
          "launch 2 of 3, kernel stuck: the outcome is deadlock, where completes was expected" in result.stdout
          and "barrier 3 (sync): 1 of 2 warps" in result.stdout and "launch 3" not in result.stdout,
          "expected a deadlock of the second launch", result)
    told = json.loads(report.read_text())
    check([row["outcome"] for row in told["launches"]] == ["completes", "deadlock"] and
          told["launches_in_manifest"] == 3 and told["outcome"] == "deadlock", told)
    result = run(muster, "run", write(folder, launches, outcome="deadlock"))
    check(result.returncode == 0, "expected a deadlock, as the manifest says", result)
    result = run(muster, "run", write(folder, [fill(2), STUCK, TURN], outcome="deadlock"))
    check(result.returncode == 1 and "launch 3 of 3, kernel turn: the outcome is completes" in result.stdout,
          "expected that no launch deadlocks", result)
    result = run(muster, "suite", write(folder, [fill(2), STUCK, TURN]))
    check(result.returncode == 0 and "1 as their manifests say" in result.stdout, "the suite", result)


def files(muster, folder):
    """Each launch has a waveform and a log of its own; none may replace a file that is read."""
    path = write(folder, [fill(5), {**TURN, "ptx": "k.launch2.log"}])
    (folder / "k.launch2.log").write_text(PTX)
    result = run(muster, "run", path, "--log", folder / "k.log")
    check(result.returncode == 2 and "k.launch2.log: this output would replace" in result.stderr,
          "expected that a log would replace a PTX file", result)
    result = run(muster, "run", path, "--log", folder / "x.jsonl", "--wave", folder / "x.fst")
    check(result.returncode == 0, "expected success", result)
    for n in (1, 2):
        result = run(muster, "replay", folder / f"x.launch{n}.jsonl")
        check(result.returncode == 0, f"the log of launch {n}", result)
        check((folder / f"x.launch{n}.fst").stat().st_size > 500, f"the waveform of launch {n}")
    check(not (folder / "x.jsonl").exists() and not (folder / "x.fst").exists(), "a file of no launch")
    logs = [(folder / f"x.launch{n}.jsonl").read_text() for n in (1, 2)]
    check("sync" not in logs[0] and logs[1].count('"op":"sync"') == 2, "the logs are of the wrong launches")


def refused(muster, folder):
    """What is wrong with a later launch is said before the first one runs."""
    for launches, says in (([fill(5), {**TURN, "args": []}], "launch 2 of 2, kernel turn: "),
                           ([fill(5), {**TURN, "kernel": "tern"}], "there is no kernel tern"),
                           ([fill(5), {**TURN, "block": [4096, 1, 1]}], "launch 2 of 2, kernel turn: a block"),
                           ([fill(5), {**TURN, "grid": 2}], "k.json:1: launches[1].grid must be")):
        result = run(muster, "run", write(folder, launches))
        check(result.returncode == 2 and says in result.stderr and result.stderr.count("\n") == 1 and
              not result.stdout, f"expected a sentence with {says}", result)


def symbols(muster, folder):
    """Values of variables by options and by the manifest that these write; --show and --dump of them."""
    path = folder / "k.ptx"
    path.write_text(PTX.replace(".global .u32 rounds;", ".global .u32 rounds;\n.const .u32 unused[3];"))
    options = ("--block", 64, "--arg", "out=u32[64]", "--arg", 5, "--symbol", "rounds=u32:100",
               "--symbol", "unused=u32:7,8,9", "--expect", "rounds=164", "--expect", "unused=7,8,9")
    written = folder / "w.json"
    for command in ((path, "fill", *options, "--write-manifest", written), (written,)):
        result = run(muster, "run", *command, "--show", "rounds", "--dump", f"unused={folder}/u.bin")
        check(result.returncode == 0 and "symbol rounds, 1 elements\n  [0] 164\n" in result.stdout,
              f"{command}: expected the symbol", result)
        check((folder / "u.bin").read_bytes() == struct.pack("<3I", 7, 8, 9), "the bytes of a symbol")
    result = run(muster, "run", path, "fill", *options[:-1], "unused=7,8,8")
    check(result.returncode == 1 and "symbol unused differs in 1 of 3 elements: [2] is 9, not 8" in
          result.stdout, "expected a difference", result)
    check("--symbol rounds=u32:100" in result.stdout, "expected the command that repeats it", result)
    result = run(muster, "run", written, "--symbol", "rounds=u32:1")
    check(result.returncode == 2 and "--symbol goes with a PTX" in result.stderr, "expected a sentence", result)
    launches = write(folder, [fill(0), fill(0)], symbols={"rounds": {"type": "u32", "init": [1]}},
                     expect={"rounds": [129]})
    result = run(muster, "run", launches)
    check(result.returncode == 0, "the value is there before the first launch, and not again", result)


CASES = {
    "symbols": symbols,
    "in_order": in_order,
    "ends": ends,
    "files": files,
    "refused": refused,
}

if __name__ == "__main__":
    main_of(CASES, lambda case, muster, folder: case(muster, folder))
