#!/usr/bin/env python3
# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""`muster run --schedule`: runs on the RTL that keep to an order of events.

  schedules.py MUSTER CASE   runs one case, in a folder of its own
  schedules.py --list        the names of all cases
"""

import json
import random

from program import check, main_of, run

HEAD = """.version 7.5
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out) {
    .reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; shr.u32 %r2, %r1, 5;
"""
STORES = HEAD + """
    st.global.u32 [%rd1], %r2;
    bar.sync 0;
    atom.global.exch.b32 %r3, [%rd1+4], %r2;
    ret;
}
"""
STORE, SYNC, SWAP = (1 + STORES[:STORES.index(text)].count("\n")
                     for text in ("st.global", "bar.sync", "atom.global"))
ALL = "0xffffffff"


def write(folder, ptx, warps=2, **keys):
    """The kernel and its manifest; returns the path of that."""
    (folder / "k.ptx").write_text(ptx)
    path = folder / "k.json"
    path.write_text(json.dumps({"ptx": "k.ptx", "block": [32 * warps, 1, 1], "args": [{"buffer": "out"}],
                                "buffers": {"out": {"type": "u32", "count": 2}}, **keys}))
    return path


def schedule(folder, turns, **keys):
    """A schedule of (warp, line), (warp, line, time) or rows; returns its path."""
    rows = [turn if isinstance(turn, dict) else
            {"cta": 0, "warp": turn[0], "lanes": ALL, "line": turn[1], "time": (*turn, 1)[2]} for turn in turns]
    path = folder / "schedule.json"
    path.write_text(json.dumps({"muster": "schedule", "version": 1, **keys, "turns": rows}))
    return path


def order(muster, folder):
    """The stores and the swaps of two warps, in each order; configuration and seed of the file. What
    a file says of the configuration goes before what the manifest says."""
    for first in (0, 1):
        for swaps in (0, 1):
            turns = [(first, STORE), (1 - first, STORE), (swaps, SWAP), (1 - swaps, SWAP)]
            path = schedule(folder, turns, config="default", seed=3)
            manifest = write(folder, STORES, config="large", expect={"out": [1 - first, 1 - swaps]})
            report = folder / "r.json"
            for options, seed in (((), 3), (("--seed", 5, "--wave", folder / "w.fst"), 5)):
                result = run(muster, "run", manifest, "--schedule", path, "--report", report, *options)
                check(result.returncode == 0 and "schedule: all 4 turns, in order\n" in result.stdout,
                      f"{turns}: expected success", result)
                told = json.loads(report.read_text())
                check(told["schedule"] == {"turns": 4, "followed": 4} and told["seed"] == seed and
                      told["config"] == "default", told)
    check((folder / "w.fst").stat().st_size > 1000, "the waveform is empty")
    result = run(muster, "run", manifest, "--schedule", path, "--seeds", 4)
    check(result.returncode == 0 and "all as expected" in result.stdout, "four seeds", result)
    path = schedule(folder, [(1, STORE), (0, STORE)])
    result = run(muster, "run", write(folder, STORES, expect={"out": [1, 1]}), "--schedule", path)
    check(result.returncode == 1 and f"k.json --schedule {path} --config" in result.stdout,
          "expected the schedule among what repeats the run", result)


def impossible(muster, folder):
    """Of a schedule that cannot be, the rest is dropped, and the run goes on."""
    path = schedule(folder, [(0, STORE), (0, SWAP), (1, SYNC)])
    report = folder / "r.json"
    result = run(muster, "run", write(folder, STORES), "--schedule", path, "--report", report)
    says = (f"schedule: 1 of 3 turns; the 2nd, warp 0 of CTA (0,0,0) at line {SWAP} (lanes {ALL}, time 1), "
            f"could not come: it waits at barrier 0 (line {SYNC})\n")
    check(result.returncode == 1 and says in result.stdout and
          "NOT AS EXPECTED: the run could not keep to the schedule" in result.stdout, "expected a sentence", result)
    told = json.loads(report.read_text())
    check(told["schedule"] == {"turns": 3, "followed": 1} and told["outcome"] == "completes", told)
    path = schedule(folder, [(0, STORE, 2)])
    result = run(muster, "run", write(folder, STORES), "--schedule", path)
    check(result.returncode == 1 and "schedule: 0 of 1 turns; the 1st" in result.stdout, "a time too many", result)


# Lines of a kernel whose named barriers are known by their numbers, and mbarriers by their lines.
def rounds(draw, warps):
    text = HEAD.replace(".reg .pred", ".shared .align 8 .b64 bar[12]; .reg .pred") + f"""
    setp.eq.u32 %p1, %r1, 0; mov.u32 %r4, 1; shl.b32 %r4, %r4, %r2;
"""
    for n in range(12):
        text += f"    @%p1 mbarrier.init.shared.b64 [bar+{8 * n}], {32 * warps};\n"
    text += "    bar.sync 0;\n"
    for n in range(12):
        text += f"    and.b32 %r5, %r4, {draw.randrange(1, 1 << warps)}; setp.ne.u32 %p2, %r5, 0;\n"
        if draw.randrange(2):
            text += f"    @!%p2 bar.arrive {n + 1}, {32 * warps};\n    @%p2 bar.sync {n + 1}, {32 * warps};\n"
        else:
            text += f"""    mbarrier.arrive.shared.b64 %rd2, [bar+{8 * n}];
    @!%p2 bra OVER{n};
WAIT{n}: mbarrier.try_wait.parity.shared.b64 %p3, [bar+{8 * n}], 0;
    @!%p3 bra WAIT{n};
OVER{n}:
"""
    return text + "    st.global.u32 [%rd1], %r2;\n    ret;\n}\n"


def committed(log, ptx):
    """What a log says has committed: the warp, its lanes, and the line."""
    lines = ptx.split("\n")

    def line_of(text):
        return next(n for n, line in enumerate(lines, 1) if text in line)

    events = []
    for row in log.read_text().splitlines()[1:]:
        event = json.loads(row)
        if event.get("op") in ("sync", "arrive"):
            text = f"bar.{event['op']} {event['bar']}" + (";" if event["bar"] == 0 else ",")
        elif event.get("source") == "warp":
            word = f"[bar+{int(event['addr'], 16)}]"
            before, after = {"init": ("init.shared.b64 ", ","), "arrive": ("b64 %rd2, ", ";"),
                             "try_wait.parity": ("%p3, ", ",")}[event["mb"]]
            text = before + word + after
        else:
            continue
        events.append((event["warp"], event["lanes"], line_of(text)))
    return events


def turns_of(events):
    """A schedule in which a commit of lanes that have been there unequally often is several turns."""
    times, turns = {}, []
    for warp, lanes, line in events:
        of_time = {}
        for lane in range(32):
            if int(lanes, 16) >> lane & 1:
                time = times[warp, line, lane] = times.get((warp, line, lane), 0) + 1
                of_time[time] = of_time.get(time, 0) | 1 << lane
        turns += [{"cta": 0, "warp": warp, "lanes": f"{mask:#x}", "line": line, "time": time}
                  for time, mask in sorted(of_time.items())]
    return turns


def replayed(muster, folder):
    """What committed in one run commits in that order in runs with other seeds."""
    others = 0
    for case in range(4):
        ptx = rounds(random.Random(case), 4)
        manifest = write(folder, ptx, warps=4)
        log, again = folder / "a.jsonl", folder / "b.jsonl"
        result = run(muster, "run", manifest, "--log", log)
        check(result.returncode == 0, "expected success", result)
        turns = turns_of(committed(log, ptx))
        check(len(turns) > 60, f"{len(turns)} turns")
        path = schedule(folder, turns)
        for seed in (2, 3):
            result = run(muster, "run", manifest, "--seed", seed, "--log", again, "--schedule", path)
            check(result.returncode == 0 and f"schedule: all {len(turns)} turns" in result.stdout,
                  "expected that the schedule is kept", result)
            check(turns_of(committed(again, ptx)) == turns, f"case {case}, seed {seed}: another order")
            run(muster, "run", manifest, "--seed", seed, "--log", again)
            others += turns_of(committed(again, ptx)) != turns
    check(others == 8, f"left alone, {others} of 8 runs have another order")


def refused(muster, folder):
    """A bad schedule is a sentence and exit code 2, and nothing runs."""
    manifest = write(folder, STORES)
    good = {"muster": "schedule", "version": 1, "turns": []}
    row = {"cta": 0, "warp": 0, "lanes": ALL, "line": STORE}
    for text, says in (("{", "the schedule is not JSON"), (json.dumps({**good, "version": 2}), "version must be 1"),
                       (json.dumps({**good, "turn": 1}), "turn is not a known key"),
                       (json.dumps({**good, "turns": [{**row, "line": 1}]}), "turns[0].line is 1, where"),
                       (json.dumps({**good, "turns": [row, row]}), "turns[1] names lanes 0xffffffff, which"),
                       (json.dumps({**good, "turns": [{**row, "cta": 1}]}), "names CTA 1 of a grid of 1"),
                       (json.dumps({**good, "config": "huge"}), "config names the configuration huge")):
        path = folder / "s.json"
        path.write_text(text)
        result = run(muster, "run", manifest, "--schedule", path)
        check(result.returncode == 2 and says in result.stderr and result.stderr.count("\n") == 1 and
              not result.stdout, f"{text}: expected exit code 2 and a sentence", result)
    path = schedule(folder, [row])
    for options, says in ((("--schedule", folder / "absent"), "absent"),
                          (("--schedule", path, "--report", path), "would replace"),
                          (("--schedule", ""), "empty")):
        before = path.read_text()
        result = run(muster, "run", manifest, *options)
        check(result.returncode == 2 and says in result.stderr and path.read_text() == before,
              f"{options}: expected exit code 2", result)
    launch = {"grid": [1, 1, 1], "block": [64, 1, 1], "args": [{"buffer": "out"}]}
    (folder / "two.json").write_text(json.dumps({"ptx": "k.ptx", "launches": [launch, launch],
                                                 "buffers": {"out": {"type": "u32", "count": 2}}}))
    result = run(muster, "run", folder / "two.json", "--schedule", path)
    check(result.returncode == 2 and "a schedule is of one" in result.stderr, "two launches", result)


if __name__ == "__main__":
    main_of({"order": order, "impossible": impossible, "replayed": replayed, "refused": refused},
            lambda what, muster, folder: what(muster, folder))
