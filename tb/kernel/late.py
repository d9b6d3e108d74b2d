#!/usr/bin/env python3
# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""`muster run --late`: what a missing fence lets happen, on the RTL.

  late.py MUSTER CASE   runs one case, in a folder of its own
  late.py --list        the names of all cases
"""

import json
import re

from program import KERNELS, check, main_of, run

SEEDS = 40
LATE = KERNELS / "late"
MESSAGE = 30  # the line of message_passing_writer/wrong.ptx that reads the message


def bad_seeds(muster, manifest, *options, seeds=SEEDS):
    """How many of the seeds end otherwise than the manifest says."""
    result = run(muster, "run", manifest, "--seeds", seeds, *options)
    check(result.returncode in (0, 1), f"{manifest}: it does not complete", result)
    said = re.search(r": (?:(\d+) of \d+ not|all) as expected", result.stdout)
    check(said, "the last line says how many seeds went otherwise", result)
    return int(said[1] or 0)


def pair(name):
    """The wrong kernel of a pair goes wrong with some seed, and only late; the mended one with none."""
    def act(muster, _):
        bad = bad_seeds(muster, LATE / name / "wrong.json", "--late")
        check(bad > 0, f"{name}: with none of {SEEDS} seeds the missing fence shows")
        check(bad_seeds(muster, LATE / name / "wrong.json", seeds=10) == 0, f"{name}: it goes wrong without --late")
        bad = bad_seeds(muster, LATE / name / "mended.json", "--late")
        check(bad == 0, f"{name}: mended, it goes wrong with {bad} of {SEEDS} seeds")
    return act


def repeats(muster, folder):
    """The report says that the run was late and how to repeat it; the same seed is the same run."""
    manifest = LATE / "message_passing_writer/wrong.json"
    seeds = run(muster, "run", manifest, "--late", "--seeds", SEEDS)
    seed = re.search(r"not as expected: (\d+)", seeds.stdout)[1]
    reports = []
    for _ in range(2):
        result = run(muster, "run", manifest, "--late", "--seed", seed, "--json", folder / "r.json")
        check(result.returncode == 1, "it differs from the manifest", result)
        check(re.search(r"wrong\.ptx:\d+: late, \d+ time", result.stdout), "the report says what was late", result)
        report = json.loads((folder / "r.json").read_text())
        check({row["line"] for row in report["late"]["missed"]} >= {MESSAGE}, "the report has what was late", result)
        for key in ("simulated_khz", "thread_instructions_per_second"):
            report.pop(key, None)
        reports.append(report)
    check(reports[0] == reports[1], "two runs of one seed differ")
    result = run(muster, "run", manifest, "--seed", seed, "--json", folder / "r.json")
    check(result.returncode == 0 and "late" not in result.stdout, "without --late it goes well", result)
    check("late" not in json.loads((folder / "r.json").read_text()), "and nothing is late")


def refused(muster, folder):
    """What --late does not go with."""
    manifest = LATE / "message_passing_writer/wrong.json"
    (folder / "s.json").write_text(json.dumps({"muster": "schedule", "version": 1, "turns": []}))
    for options in (("--schedule", folder / "s.json"), ("--target", "cuda")):
        result = run(muster, "run", manifest, "--late", *options)
        check(result.returncode == 2 and "--late" in result.stderr, f"{options[0]} goes with --late", result)


def drains(muster, folder):
    """A fence is a drain: a warp with one after each store takes longer late, and no fence costs nothing at once."""
    text = (LATE / "message_passing_writer/mended.ptx").read_text()
    once = re.sub(r"\n\tfence[^\n]*", "", text, count=1)
    cycles = {}
    for name, ptx in (("fence", text), ("none", once)):
        (folder / f"{name}.ptx").write_text(ptx)
        manifest = json.loads((LATE / "message_passing_writer/mended.json").read_text())
        manifest.pop("expect")
        (folder / f"{name}.json").write_text(json.dumps({**manifest, "ptx": f"{name}.ptx"}))
        for options in ((), ("--late",)):
            total = 0
            for seed in range(1, 11):
                result = run(muster, "run", folder / f"{name}.json", "--seed", seed, *options, "--json", folder / "r.json")
                check(result.returncode == 0, "it completes", result)
                total += json.loads((folder / "r.json").read_text())["cycles"]
            cycles[name, options] = total
    late = ("--late",)
    check(cycles["fence", late] > cycles["none", late] + 300, f"fences do not wait for what is late: {cycles}")


def cycles_of(muster, folder, body, seeds=10):
    """How many cycles the seeds take of one thread that executes these lines, with %rd0 and %r0 the addresses of 400 bytes of global
    and of shared memory; and the report of the last."""
    (folder / "k.ptx").write_text(f""".version 8.3
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out)
{{
\t.reg .b64 %rd<1>;
\t.reg .b32 %r<1>;
\t.shared .align 16 .b8 tile[400];
\tld.param.u64 %rd0, [out];
\tcvta.to.global.u64 %rd0, %rd0;
\tmov.u32 %r0, tile;
{body}\tret;
}}
""")
    manifest = {"ptx": "k.ptx", "grid": [1, 1, 1], "block": [1, 1, 1], "args": [{"buffer": "out"}],
                "buffers": {"out": {"type": "u32", "count": 100}}}
    (folder / "k.json").write_text(json.dumps(manifest))
    cycles = 0
    for seed in range(1, seeds + 1):
        result = run(muster, "run", folder / "k.json", "--late", "--seed", seed, "--json", folder / "r.json", "--show", "out")
        check(result.returncode == 0, "it completes", result)
        report = json.loads((folder / "r.json").read_text())
        cycles += report["cycles"]
    return cycles, report, result


def counters(muster, folder):
    """The tracker counts as many accesses of a warp as fit: a warp with more is held back, and its stores are all there."""
    stores = "".join(f"\tst.global.u32 [%rd0+{4 * k}], {k + 1};\n" for k in range(100))
    _, report, result = cycles_of(muster, folder, stores + "\tfence.acq_rel.gpu;\n")
    late = report["late"]
    check(late["drains"] == 1 and late["held_back"] > 300, f"a fence, and a warp that is held back: {late}", result)
    check(re.search(r"\b99,? 100\b", result.stdout), "the last of the stores is there", result)


def classes(muster, folder):
    """A fence waits for the accesses that it names, and for no others."""
    store, shared = "\tst.global.u32 [%rd0], 1;\n", "\tst.shared.u32 [%r0], 1;\n"
    copy = "\tcp.async.bulk.global.shared::cta.bulk_group [%rd0], [%r0], 16;\n\tcp.async.bulk.commit_group;\n"

    def takes(access, fence):
        return cycles_of(muster, folder, 4 * f"{access}\t{fence};\n")[0]

    for access, waits, passes in ((store, ("fence.acq_rel.gpu", "membar.sys"), ("fence.acq_rel.cta", "fence.proxy.alias")),
                                  (shared, ("fence.acq_rel.cta", "fence.proxy.async.shared::cta"), ("fence.proxy.alias",)),
                                  (copy, ("fence.proxy.async",), ("fence.acq_rel.gpu", "fence.sc.sys"))):
        long, short = min(takes(access, fence) for fence in waits), max(takes(access, fence) for fence in passes)
        check(long > short + 1000, f"{access.split()[0]}: {waits} take {long} cycles, and {passes} {short}")


# The litmus tests that ship whose outcome needs no more than store buffering, message passing or load buffering.
SHOWN = ["lb-relaxed", "mp-fence-weak", "mp-relaxed", "sb-fence-acq_rel", "sb-fence-sc-cta", "sb-relaxed"]
FORBIDDEN = ["cowr", "isa2-scopes", "lb-release-acquire", "mp-cta", "mp-fences", "mp-release-acquire", "sb-barrier",
             "sb-fence-sc", "wrc-release-acquire"]


def litmus(muster, folder):
    """Litmus tests as kernels, under lockstep: an outcome that the text allows is shown by some seed, and no other."""
    for name in SHOWN + FORBIDDEN:
        test = KERNELS / "litmus" / f"{name}.litmus"
        check(run(muster, "litmus", test, "--emit", folder / name).returncode == 0, f"{name} is not written")
        manifest = json.loads((folder / f"{name}.json").read_text())
        manifest["expect"]["outcome"] = [0]
        (folder / f"{name}.json").write_text(json.dumps(manifest))
        bad = bad_seeds(muster, folder / f"{name}.json", "--late")
        check((bad > 0) == (name in SHOWN), f"{name}: {bad} of {SEEDS} seeds have the outcome")


def shipped(muster, _):
    """Every kernel that ships ends late as its manifest says."""
    folders = [folder for folder in sorted(KERNELS.iterdir()) if (folder / f"{folder.name}.json").exists()]
    check(len(folders) > 100, "the kernels are not there")
    result = run(muster, "suite", *folders, "--late")
    check(result.returncode == 0, "a kernel that has all its fences goes wrong late", result)


CASES = {folder.name: pair(folder.name) for folder in sorted(LATE.iterdir()) if folder.is_dir()}
CASES.update({function.__name__: function for function in (repeats, refused, drains, counters, classes, litmus, shipped)})

if __name__ == "__main__":
    main_of(CASES, lambda what, muster, folder: what(muster, folder))
