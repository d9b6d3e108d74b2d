#!/usr/bin/env python3
# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""How `muster explore` ends, and what it writes: options, bad input, limits, witnesses.

  command.py MUSTER CASE   runs one case, in a folder of its own
  command.py --list        the names of all cases
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

import jsonschema

import litmus

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
SCHEMA = json.loads((ROOT / "sim" / "explore" / "explore.schema.json").read_text())
KERNELS = ROOT / "sim" / "kernels"
PAIRS = KERNELS / "explore"
sys.path.append(str(PAIRS))
import mend
CASES = {}


def case(function):
    """Makes a function a case of this name."""
    CASES[function.__name__] = function
    return function


def run(muster, *arguments, code=0):
    """Runs muster, which must end so. Returns its output and its errors."""
    done = subprocess.run([muster, *map(str, arguments)], capture_output=True, text=True, check=False)
    if done.returncode != code:
        sys.exit(f"{' '.join(map(str, arguments))}: exit code {done.returncode}, not {code}\n{done.stdout}{done.stderr}")
    return done.stdout, done.stderr


def expect(holds, what):
    """Says what does not hold, and ends."""
    if not holds:
        sys.exit(what)


def write_kernel(folder, threads, body, after=""):
    """Writes a kernel of one CTA with a word `x` in shared memory, and its manifest, whose path it returns. `after`:
    what follows the kernel."""
    (folder / "k.ptx").write_text(f""".version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out)
{{
    .reg .pred %p<2>;
    .reg .b32 %r<4>;
    .shared .align 4 .b32 x;
{body}}}
{after}""")
    manifest = folder / "k.json"
    manifest.write_text(json.dumps({"ptx": "k.ptx", "block": [threads, 1, 1], "args": [{"buffer": "out"}],
                                    "buffers": {"out": {"type": "u32", "count": 1}}}))
    return manifest


@case
def witness_repeats(muster, folder):
    """The schedule of a finding ends as the finding says, with every seed, and its waveform is written."""
    manifest = PAIRS / "early_return_skips_arrive" / "wrong.json"
    run(muster, "explore", manifest, "--witness", folder / "w.json", "--report", folder / "r.json", code=3)
    findings = json.loads((folder / "r.json").read_text())["findings"]
    number = next(i for i, finding in enumerate(findings) if finding["ending"] == "deadlock")
    schedule = findings[number]["witness"]
    for seed in (1, 2, 3):
        text, _ = run(muster, "run", manifest, "--schedule", schedule, "--seed", seed, "--wave", folder / "w.fst", code=3)
        expect("deadlock" in text, text)
    expect((folder / "w.fst").stat().st_size > 0, "there is no waveform")


@case
def bound(muster, folder):
    """With a bound it says how far it came."""
    mend.write(folder)
    manifest = folder / "atomic_and_plain_load" / "mended.json"
    text, _ = run(muster, "explore", manifest, "--bound", 5, "--jobs", 1, "--report", folder / "r.json")
    report = json.loads((folder / "r.json").read_text())
    expect(not report["complete"] and report["classes"] == 5 and "not complete" in text, text)


@case
def time_limit(muster, folder):
    """A time limit ends in what is known so far."""
    text, _ = run(muster, "explore", KERNELS / "histogram" / "histogram.json", "--time", 1, "--report", folder / "r.json")
    report = json.loads((folder / "r.json").read_text())
    expect(not report["complete"] and "not complete" in text and report["seconds"] < 20, text)


@case
def nothing_new(muster, folder):
    """Without a bound the search ends when nothing new comes up, long before the time limit, and says so; with one it
    goes on."""
    text, _ = run(muster, "explore", KERNELS / "histogram" / "histogram.json", "--time", 100, "--report", folder / "r.json")
    report = json.loads((folder / "r.json").read_text())
    jsonschema.validate(report, SCHEMA)
    expect(report["settled"] and not report["complete"] and report["seconds"] < 90 and "for long nothing new" in text, text)
    run(muster, "explore", KERNELS / "histogram" / "histogram.json", "--time", 2, "--bound", 1000000, "--report", folder / "r.json")
    expect(not json.loads((folder / "r.json").read_text())["settled"], "it settles with a bound")


@case
def jobs_agree(muster, folder):
    """Two threads that each add to one word eight times: 16 over 8 classes, whatever the number of jobs."""
    adds = "    atom.shared.add.u32 %r3, [x], 1;\n" * 8
    manifest = write_kernel(folder, 64, f"""    mov.u32 %r1, %tid.x;
    and.b32 %r2, %r1, 31;
    setp.ne.u32 %p1, %r2, 0;
    @%p1 ret;
{adds}    ret;
""")
    for jobs in (1, 2, 5):
        run(muster, "explore", manifest, "--jobs", jobs, "--report", folder / "r.json")
        report = json.loads((folder / "r.json").read_text())
        expect(report["complete"] and report["classes"] == 12870, f"{jobs} jobs: {report}")


@case
def cuda_lines(muster, folder):
    """Where the PTX says what it was made of, a finding names the line of the source."""
    manifest = PAIRS / "one_lane_arrives" / "wrong.json"
    text, _ = run(muster, "explore", manifest, "--report", folder / "r.json", code=7)
    findings = json.loads((folder / "r.json").read_text())["findings"]
    finding = next(finding for finding in findings if "first" in finding)
    source = finding["first"]["source"][0]
    expect(source["file"].endswith(".cu") and f"{source['file']}:{source['line']}" in text, text)


@case
def note_of_a_collective(muster, folder):
    """A race that is none if shfl.sync orders memory is a note of one line, which names both places and the collective,
    and what would order them; the exit code is 0. The report fits its schema."""
    wanted = litmus.write(folder)["warp_shfl"]
    (store, load), (shuffle,) = wanted["between"], wanted["collectives"]
    text, _ = run(muster, "explore", folder / "warp_shfl.json", "--report", folder / "r.json")
    report = json.loads((folder / "r.json").read_text())
    jsonschema.validate(report, SCHEMA)
    note, = report["notes"]
    expect(note["kind"] == "collective_order" and [one["line"] for one in note["collectives"]] == [shuffle], note)
    line, = [line for line in text.split("\n") if "collective_order" in line]
    for words in (f"at line {store}", f"at line {load}", f"shfl.sync at line {shuffle}", "PTX does not promise",
                  "__syncwarp()"):
        expect(words in line, text)


@case
def bad_input(muster, folder):
    """One sentence, and exit code 2."""
    mend.write(folder)
    manifest = folder / "one_lane_arrives" / "mended.json"
    several = folder / "several.json"
    whole = json.loads(manifest.read_text())
    launch = {key: whole.pop(key) for key in ("kernel", "grid", "block", "cluster", "args") if key in whole}
    several.write_text(json.dumps({**whole, "ptx": str(manifest.parent / whole["ptx"]), "launches": [launch, launch]}))
    for arguments, words in ((("nowhere.json",), "nowhere.json"), ((manifest, "--config", "huge"), "huge"),
                             ((manifest, "--time", "0"), "--time"), ((manifest, "--bound", "0"), "--bound"),
                             ((manifest, "--jobs", "-1"), "--jobs"), ((several,), "one launch"),
                             ((manifest, "--report", folder / "no" / "r.json"), "r.json"),
                             ((manifest, "--witness", manifest), "mended.json")):
        _, errors = run(muster, "explore", *arguments, code=2)
        expect(words in errors and "Traceback" not in errors, f"{arguments}: {errors}")
    expect(manifest.read_text().startswith("{"), "the manifest was lost")


@case
def witness_spares_inputs(muster, folder):
    """The file of the second witness may be the manifest: it is not written over, and no finding is lost."""
    pair = PAIRS / "one_lane_arrives"
    manifest = folder / "w.2.json"
    whole = json.loads((pair / "wrong.json").read_text())
    manifest.write_text(json.dumps({**whole, "ptx": str(pair / whole["ptx"])}))
    before = manifest.read_text()
    run(muster, "explore", manifest, "--report", folder / "r.json", code=7)
    expect(len(json.loads((folder / "r.json").read_text())["findings"]) > 1, "one finding has one witness")
    text, _ = run(muster, "explore", manifest, "--witness", folder / "w.json", code=7)
    expect("would replace" in text and manifest.read_text() == before, text)


@case
def endless_is_not_complete(muster, folder):
    """A thread that counts while it spins on a flag which nobody sets has an order without an end: the time limit ends it."""
    manifest = write_kernel(folder, 1, """    mov.u32 %r1, 0;
    st.shared.u32 [x], %r1;
LOOK:
    add.u32 %r1, %r1, 1;
    ld.relaxed.cta.shared.u32 %r2, [x];
    setp.eq.u32 %p1, %r2, 0;
    @%p1 bra LOOK;
    ret;
""")
    text, _ = run(muster, "explore", manifest, "--time", "3", "--report", folder / "r.json", code=6)
    report = json.loads((folder / "r.json").read_text())
    expect(not report["complete"] and "not complete" in text and report["seconds"] < 20, text)


@case
def witness_of_a_gather(muster, folder):
    """A lane of each of four warps comes later than the others to a barrier that is not aligned, with what other warps do
    between; then a flag is set without a release. The run itself is the witness, and the unit follows it."""
    manifest = write_kernel(folder, 128, """    .reg .b64 %rd1;
    ld.param.u64 %rd1, [out];
    cvta.to.global.u64 %rd1, %rd1;
    mov.u32 %r1, %tid.x;
    and.b32 %r2, %r1, 31;
    setp.eq.u32 %p1, %r2, 0;
    @%p1 bra LATE;
MEET:
    barrier.sync 0;
    setp.eq.u32 %p1, %r1, 32;
    @%p1 bra LOOK;
    setp.ne.u32 %p1, %r1, 0;
    @%p1 ret;
    st.global.u32 [%rd1], %r1;
    st.relaxed.cta.shared.u32 [x], 100;
    ret;
LOOK:
    ld.relaxed.cta.shared.u32 %r3, [x];
    setp.ne.u32 %p1, %r3, 100;
    @%p1 bra LOOK;
    ld.global.u32 %r3, [%rd1];
    ret;
LATE:
    atom.shared.add.u32 %r3, [x], 1;
    atom.shared.add.u32 %r3, [x], 1;
    bra MEET;
""")
    run(muster, "explore", manifest, "--time", "5", "--report", folder / "r.json", code=7)
    report = json.loads((folder / "r.json").read_text())
    expect(report["findings"] and not report["suspicions"], report)


@case
def retried_waits(muster, folder):
    """A wait that counts its tries, looks at a clock and sleeps is one wait if it never gives up; if it does after a time,
    that is another order."""
    def explore(name, late):
        manifest = write_kernel(folder, 64, f"""    .reg .b64 %rd<3>;
    .shared .align 8 .b64 bar;
    mov.u32 %r1, %tid.x;
    setp.ne.u32 %p1, %r1, 0;
    @%p1 bra READY;
    mbarrier.init.shared::cta.b64 [bar], 1;
READY:
    bar.sync 0;
    setp.eq.u32 %p1, %r1, 32;
    @%p1 bra B;
    @%p1 ret;
    setp.ne.u32 %p1, %r1, 0;
    @%p1 ret;
    mbarrier.arrive.shared::cta.b64 _, [bar];
    ret;
B:
    mov.u64 %rd0, %globaltimer;
    mov.u32 %r2, 0;
WAIT:
    mbarrier.try_wait.parity.shared::cta.b64 %p1, [bar], 0;
    @%p1 bra DONE;
    add.u32 %r2, %r2, 1;
    mov.u64 %rd1, %globaltimer;
    sub.u64 %rd1, %rd1, %rd0;
    setp.lt.u64 %p1, %rd1, 4000;
    @%p1 bra WAIT;
    nanosleep.u32 1000;
    bra {late};
DONE:
    st.shared.u32 [x], %r1;
LATE:
    ret;
""")
        run(muster, "explore", manifest, "--time", "10", "--bound", "300", "--report", folder / name)
        return json.loads((folder / name).read_text())
    patient, gives_up = explore("p.json", "WAIT"), explore("g.json", "LATE")
    expect(patient["complete"] and patient["classes"] <= 2, patient)
    expect(gives_up["classes"] > patient["classes"], gives_up)


def explore(muster, folder, manifest, code, *options):
    """The report on a manifest, which must fit its schema, and the text."""
    text, _ = run(muster, "explore", manifest, "--report", folder / "r.json", *options, code=code)
    report = json.loads((folder / "r.json").read_text())
    jsonschema.validate(report, SCHEMA)
    return report, text


def line_of(folder, words):
    """The only line of the PTX file with these words."""
    line, = [number for number, text in enumerate((folder / "k.ptx").read_text().split("\n"), 1) if words in text]
    return line


@case
def deadlock_is_at_the_barriers(muster, folder):
    """Threads that wait are placed at the barrier where they wait, not at what they would do next: at bar.sync, at a
    barrier for which lanes gather, and at barrier.cluster.wait; lanes that wait elsewhere, there."""
    for wait in ("bar.sync 1, 64", "barrier.sync 1, 64", "barrier.cluster.wait"):
        manifest = write_kernel(folder, 64, f"""    mov.u32 %r1, %tid.x;
    setp.lt.u32 %p1, %r1, 32;
    @%p1 bra A;
    barrier.cluster.arrive;
    {wait};
    mov.u32 %r2, 1;
    ret;
A:
    bar.sync 2, 64;
    mov.u32 %r2, 1;
    ret;
""")
        report, text = explore(muster, folder, manifest, 3)
        finding, = report["findings"]
        places = {(place["warp"], place["lanes"], place["line"]) for place in finding["standing"]}
        there, other = line_of(folder, wait), line_of(folder, "bar.sync 2")
        expect(places == {(1, "0xffffffff", there), (0, "0xffffffff", other)}, f"{wait}: {finding}")
        for line in (there, other):
            expect(f"waits    32 threads at line {line}\n" in text, text)


@case
def setmaxnreg_between_barriers(muster, folder):
    """Two setmaxnreg of a warpgroup, with between them a barrier of its four warps, an mbarrier at which they wait for each
    other, nothing, a barrier of two of them, or __syncwarp(): a finding in the last three, whether or not it is known how
    many registers there are."""
    phase = """    mbarrier.arrive.shared::cta.b64 _, [bar];
WAIT:
    mbarrier.try_wait.parity.shared::cta.b64 %p1, [bar], 0;
    @!%p1 bra WAIT;
"""
    halves = "    shr.u32 %r2, %r1, 6;\n    barrier.sync %r2, 64;\n"
    for directive in (".maxnreg 128", ""):
        for between, code in (("    bar.sync 1, 128;\n", 0), (phase, 0), ("", 7), (halves, 7), ("    bar.warp.sync -1;\n", 7)):
            manifest = write_kernel(folder, 128, f"""    .shared .align 8 .b64 bar;
    mov.u32 %r1, %tid.x;
    setp.ne.u32 %p1, %r1, 0;
    @%p1 bra READY;
    mbarrier.init.shared::cta.b64 [bar], 128;
READY:
    bar.sync 0;
    setmaxnreg.dec.sync.aligned.u32 64;
{between}    setmaxnreg.inc.sync.aligned.u32 128;
    ret;
""")
            kernel = folder / "k.ptx"
            kernel.write_text(kernel.read_text().replace(".target sm_90", ".target sm_90a").replace("out)\n", f"out) {directive}\n"))
            report, text = explore(muster, folder, manifest, code, "--bound", "200")
            found = {(one["kind"], one["first"]["line"], one["second"]["line"]) for one in report["findings"]}
            lines = line_of(folder, "setmaxnreg.dec"), line_of(folder, "setmaxnreg.inc")
            expect(found == ({("setmaxnreg_order", *lines)} if code else set()) or
                   code and found == {("setmaxnreg_order", *reversed(lines))}, text)


@case
def refused_operation_has_a_witness(muster, folder):
    """The witness of an order that ends in a refused operation is written, and repeats it; lanes of the run stood, after it, at
    an instruction that no schedule lists."""
    manifest = write_kernel(folder, 64, """    mov.u32 %r1, %tid.x;
    shr.u32 %r2, %r1, 5;
    add.u32 %r2, %r2, 15;
    bar.sync %r2, 32;
    add.u32 %r3, %r1, 1;
    ret;
""")
    witness = folder / "w.json"
    text, _ = run(muster, "explore", manifest, "--witness", witness, code=7)
    expect("1. fault" in text, text)
    text, _ = run(muster, "run", manifest, "--schedule", witness, code=5)
    expect("bad_barrier_id" in text, text)


@case
def what_is_left_out_is_not_complete(muster, folder):
    """A kernel that stores what a clock shows is not called complete, and the last line says why, with the line; one that
    computes with it, and then with something else, is."""
    def explored(stored):
        manifest = write_kernel(folder, 1, f"""    mov.u32 %r1, %clock;
    add.u32 %r2, %r1, 1;
    mov.u32 %r1, 7;
    st.shared.u32 [x], {stored};
    ret;
""")
        return explore(muster, folder, manifest, 0)
    report, text = explored("%r2")
    line = line_of(folder, "st.shared")
    expect(not report["complete"] and f"line {line} depends on a clock" in report["left_out"][0], report)
    expect("not complete" in text and text.endswith("\nNot in these orders: what depends on a clock, or on which lanes are "
                                                    f"together, may do more in a run: line {line}\n"), text)
    report, text = explored("%r1")
    expect(report["complete"] and not report["left_out"] and "; complete: " in text, text)


COPY = """    .reg .b64 %rd<2>;
    .shared .align 16 .b8 part[256];
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, part;
    mad.lo.u32 %r2, %r1, 4, %r2;
    setp.eq.u32 %p1, %r1, 0;
    @%p1 bra LATER;
    st.shared.u32 [%r2], %r1;
    fence.proxy.async.shared::cta;
    bra MEET;
LATER:
    st.shared.u32 [part], %r1;
    fence.proxy.async.shared::cta;
MEET:
    BARRIER
    setp.ne.u32 %p1, %r1, 32;
    @%p1 ret;
    ld.param.u64 %rd1, [out];
    cvta.to.global.u64 %rd1, %rd1;
    cp.async.bulk.global.shared::cta.bulk_group [%rd1], [part], 256;
    cp.async.bulk.commit_group;
    cp.async.bulk.wait_group 0;
    ret;
"""


def copy_of(folder, barrier, threads=64, copies=32):
    """The manifest of a kernel whose threads fill an array, lane 0 after the others of its warp, and come to the barrier;
    then thread `copies` copies the array in bulk."""
    manifest = write_kernel(folder, threads, COPY.replace("BARRIER", barrier).replace("%r1, 32;", f"%r1, {copies};"))
    whole = json.loads(manifest.read_text())
    whole["buffers"]["out"]["count"] = 64
    manifest.write_text(json.dumps(whole))
    return manifest


@case
def lanes_that_meet_come_before_what_follows(muster, folder):
    """Lanes of a warp that come apart to a barrier, or to bar.warp.sync and then a barrier, have done all before it that
    they do: what follows is ordered, and the search complete."""
    for barrier, *of in ("bar.sync 0;",), ("bar.warp.sync 0xffffffff; bar.sync 0;",), ("bar.warp.sync 0xffffffff;", 32, 0):
        report, text = explore(muster, folder, copy_of(folder, barrier, *of), 0)
        expect(report["complete"] and not report["left_out"], f"{barrier}: {text}")
    # In three parts: the copy is of a lane of the second one.
    manifest = copy_of(folder, "bar.warp.sync 0xffffffff;", 32, 20)
    kernel = folder / "k.ptx"
    kernel.write_text(kernel.read_text().replace("LATER:\n", """FIRST:
    st.shared.u32 [%r2], %r1;
    fence.proxy.async.shared::cta;
    bra MEET;
LATER:
""").replace("bra LATER;\n", "bra LATER;\n    setp.lt.u32 %p1, %r1, 16;\n    @%p1 bra FIRST;\n"))
    report, text = explore(muster, folder, manifest, 0)
    expect(report["complete"] and not report["left_out"], f"three parts: {text}")


@case
def what_comes_between_pieces_is_named(muster, folder):
    """A bulk copy that nothing orders with other accesses: the report names the copy and each of them, the text says so
    in one line."""
    report, text = explore(muster, folder, copy_of(folder, ""), 7)
    copy, store = line_of(folder, "cp.async.bulk.global"), line_of(folder, "st.shared.u32 [%r2]")
    expect(f"nothing orders the bulk copy at line {copy} with the access at line {store}, which may come between its "
           "pieces in a run, and not in these orders" in report["left_out"], report["left_out"])
    line, = [line for line in text.split("\n") if line.startswith("Not in these orders")]
    expect("between the pieces of a bulk copy another access may come in a run: " in line and
           line.count(f"line {copy} with line {store}") == 1 and len(line) < 300, line)


# Each pair of words is written and read by two warps, with nothing between.
MANY_RACES = "".join(f"""    @%p1 st.shared.u32 [words+{4 * i}], %r1;
    @!%p1 ld.shared.u32 %r2, [words+{4 * i}];
    add.u32 %r3, %r3, %r2;
""" for i in range(24))


@case
def findings_keep_to_the_time(muster, folder):
    """Many findings, which take long to be driven to, to be run on the unit and to be shrunk: the time is for all of
    that, and what could not be shrunk says so."""
    manifest = write_kernel(folder, 512, f"""    .shared .align 4 .b8 words[96];
    .reg .pred %q;
    mov.u32 %r1, %tid.x;
    and.b32 %r2, %r1, 32;
    setp.eq.u32 %p1, %r2, 0;
    mov.u32 %r0, 0;
    mov.u32 %r3, 0;
LOOP:
{MANY_RACES}    add.u32 %r0, %r0, 1;
    setp.lt.u32 %q, %r0, 6;
    @%q bra LOOP;
    ret;
""")
    text, said = run(muster, "explore", manifest, "--time", 6, "--report", folder / "r.json", code=7)
    report = json.loads((folder / "r.json").read_text())
    jsonschema.validate(report, SCHEMA)
    expect(len(report["findings"]) + len(report["suspicions"]) >= 20 and report["seconds"] < 15, (report["seconds"], said))
    left = [finding for finding in report["findings"] if not finding["minimal"] and finding["order"]]
    # The first five are told in full.
    expect(text.count("it could not be made shorter") == min(len(left), 5) != 0, text)


@case
def nothing_searched(muster, folder):
    """A launch whose first runs take all the time: no order was searched, which is said, and is an exit code of its own."""
    manifest = write_kernel(folder, 1024, """    mov.u32 %r1, 0;
LOOP:
    atom.shared.add.u32 %r2, [x], 1;
    add.u32 %r1, %r1, 1;
    setp.lt.u32 %p1, %r1, 3000;
    @%p1 bra LOOP;
    ret;
""")
    report, text = explore(muster, folder, manifest, 6, "--time", 1)
    expect(report["classes"] == 0 and "\nNo order was searched: the time was over before that\n" in text, text)


@case
def what_to_mend_comes_first(muster, folder):
    """Two events that nothing orders are told before the bad ends that they lead to."""
    mend.write(folder)
    run(muster, "explore", PAIRS / "shared_barrier_id" / "wrong.json", "--report", folder / "r.json", code=7)
    pairs = ["second" in finding and finding["first"] != finding["second"]
             for finding in json.loads((folder / "r.json").read_text())["findings"]]
    expect(pairs == sorted(pairs, reverse=True), pairs)


@case
def deadlock_says_what_is_lacking(muster, folder):
    """A deadlock that every order ends in says what the barriers lack, as run does, with its hint."""
    manifest = write_kernel(folder, 64, """    .shared .align 8 .b64 bar;
    mov.u32 %r1, %tid.x;
    setp.ne.u32 %p1, %r1, 0;
    @%p1 bra READY;
    mbarrier.init.shared::cta.b64 [bar], 3;
READY:
    bar.sync 0;
WAIT:
    mbarrier.try_wait.parity.shared::cta.b64 %p1, [bar], 0;
    @!%p1 bra WAIT;
    ret;
""")
    report, text = explore(muster, folder, manifest, 3)
    finding, = report["findings"]
    run(muster, "run", manifest, "--report", folder / "run.json", code=3)
    causes = json.loads((folder / "run.json").read_text())["causes"]
    expect(finding["lacks"][:len(causes)] == causes and "3 of 3 arrivals are lacking" in causes[0], (finding, causes))
    expect(f"     lacks    {causes[0]}\n" in text and "     lacks    hint: no phase has completed here" in text, text)


@case
def finding_outlives_its_witness(muster, folder):
    """Where the file of a witness cannot be written, the finding is told, and says so; the others have theirs."""
    manifest = write_kernel(folder, 64, """    .shared .align 4 .b32 y;
    mov.u32 %r1, %tid.x;
    st.shared.u32 [x], %r1;
    bar.sync 0;
    st.shared.u32 [y], %r1;
    ret;
""")
    (folder / "w.2.json").mkdir()
    report = folder / "r.json"
    text, _ = run(muster, "explore", manifest, "--witness", folder / "w.json", "--report", report, code=7)
    findings = json.loads(report.read_text())["findings"]
    jsonschema.validate(json.loads(report.read_text()), SCHEMA)
    expect(len(findings) == 2 and "2. data_race" in text, text)
    expect("witness" in findings[0] and "w.2.json" in findings[1]["unwritten"] and "the witness is not written" in text, text)
    expect((folder / "w.json").exists(), "the first witness is not written")


@case
def fault_has_a_place(muster, folder):
    """A fault is told with line, warp and lanes: of the unit, of a collective, of an access, of an mbarrier."""
    for body, lanes in (("bar.sync 0, 40;", "0xffffffff"), ("shfl.sync.idx.b32 %r2, %r1, 0, 31, 1;", "0xffffffff"),
                        ("@%p1 ld.shared.u32 %r2, [x+4096];", "0x00000020"),
                        ("@%p1 mbarrier.arrive.shared::cta.b64 _, [x+2];", "0x00000020")):
        manifest = write_kernel(folder, 64, f"""    mov.u32 %r1, %tid.x;
    setp.lt.u32 %p1, %r1, 32;
    @%p1 ret;
    setp.eq.u32 %p1, %r1, 37;
    {body}
    ret;
""")
        report, text = explore(muster, folder, manifest, 7)
        finding, = report["findings"]
        place = {"cta": 0, "warp": 1, "lanes": lanes, "line": line_of(folder, body), "what": ""}
        expect(finding["kind"] == "fault" and finding["first"] == place, f"{body}: {finding}")
        who = "thread (37,0,0), warp 1" if lanes == "0x00000020" else f"warp 1, lanes {lanes}"
        expect(f"     place    {who} at line {place['line']}\n" in text, text)
        run(muster, "run", manifest, "--report", folder / "run.json", code=5)
        fault, = json.loads((folder / "run.json").read_text())["faults"]
        expect(all(fault[key] == place[key] for key in ("cta", "warp", "lanes", "line")), fault)


@case
def hazard_has_a_place(muster, folder):
    """So is a hazard: warp 1 arrives twice."""
    manifest = write_kernel(folder, 96, """    mov.u32 %r1, %tid.x;
    and.b32 %r2, %r1, 32;
    setp.eq.u32 %p1, %r2, 0;
    @%p1 ret;
    bar.arrive 1, 96;
    bar.arrive 1, 96;  // again
    bar.sync 1, 96;
    ret;
""")
    report, text = explore(muster, folder, manifest, 7)
    hazard, = [finding for finding in report["findings"] if finding["why"] == "meets the hazard repeated_arrival"]
    line = line_of(folder, "again")
    expect(all(hazard["first"][key] == value for key, value in
               (("warp", 1), ("lanes", "0xffffffff"), ("line", line))), hazard)
    expect(f"     place    warp 1, lanes 0xffffffff at line {line}\n" in text, text)


UNROLLED = """    .shared .align 4 .b32 part[8];
    .loc 1 4 5
    mov.u32 %r1, %tid.x;
    setp.lt.u32 %p1, %r1, 32;
    @%p1 bra READ;
    setp.ne.u32 %p1, %r1, 32;
    @%p1 ret;
    .loc 1 5 9
STORES
    ret;
READ:
    setp.ne.u32 %p1, %r1, 0;
    @%p1 ret;
    .loc 1 7 9
LOADS
    ret;
"""
STORES = "".join(f"    st.shared.u32 [part+{4 * i}], %r1;\n" for i in range(4))
LOADS = "".join(f"    ld.shared.u32 %r2, [part+{4 * i}];\n" for i in range(4))


@case
def copies_of_a_line_are_one_finding(muster, folder):
    """A loop that is unrolled four times races with another one: one finding, with three more in the report. Without
    lines of the source each pair of lines of the PTX is its own."""
    body = UNROLLED.replace("STORES\n", STORES).replace("LOADS\n", LOADS)
    manifest = write_kernel(folder, 64, body, after='.file 1 "mine.cu"\n')
    report, text = explore(muster, folder, manifest, 7)
    finding, = report["findings"]
    expect("1 finding," in text and "     and 3 more with this cause: 3 data_race\n" in text, text)
    pairs = {tuple(sorted((one[side]["line"] for side in ("first", "second")))) for one in (finding, *finding["more"])}
    expect(len(pairs) == 4 and finding["first"]["source"][0]["line"] in (5, 7), finding)
    manifest = write_kernel(folder, 64, "\n".join(line for line in body.split("\n") if ".loc" not in line))
    report, text = explore(muster, folder, manifest, 7)
    expect(len(report["findings"]) == 4 and not any("more" in finding for finding in report["findings"]), text)


@case
def other_variables_are_other_findings(muster, folder):
    """The same two lines with two variables have two causes."""
    body = UNROLLED.replace("STORES\n", "    st.shared.u32 [part], %r1;\n    st.shared.u32 [x], %r1;\n")
    body = body.replace("LOADS\n", "    ld.shared.u32 %r2, [part];\n    ld.shared.u32 %r2, [x];\n")
    report, text = explore(muster, folder, write_kernel(folder, 64, body, after='.file 1 "mine.cu"\n'), 7)
    expect(sorted(finding["object"].split()[0] for finding in report["findings"]) == ["part", "x"] and
           len(report["findings"]) == 2, text)


@case
def the_more_specific_kind_is_told(muster, folder):
    """A line that reads memory and copies it in bulk, and one that writes there: the race is counted below the source
    that is overwritten."""
    manifest = write_kernel(folder, 64, """    .reg .b64 %rd<2>;
    .shared .align 16 .b8 part[64];
    .loc 1 4 5
    ld.param.u64 %rd1, [out];
    cvta.to.global.u64 %rd1, %rd1;
    mov.u32 %r1, %tid.x;
    setp.eq.u32 %p1, %r1, 32;
    @%p1 bra OVER;
    setp.ne.u32 %p1, %r1, 0;
    @%p1 ret;
    .loc 1 9 5
    ld.shared.u32 %r2, [part];
    cp.async.bulk.global.shared::cta.bulk_group [%rd1], [part], 16;
    .loc 1 10 5
    cp.async.bulk.commit_group;
    cp.async.bulk.wait_group 0;
    ret;
OVER:
    .loc 1 12 5
    st.shared.u32 [part+4], %r1;
    st.shared.u32 [part], %r1;
    ret;
""", after='.file 1 "mine.cu"\n')
    whole = json.loads(manifest.read_text())
    whole["buffers"]["out"]["count"] = 4
    manifest.write_text(json.dumps(whole))
    report, text = explore(muster, folder, manifest, 7)
    races = [finding for finding in report["findings"] if finding["kind"] != "differing_result"]
    finding, = races
    more = {one["kind"] for one in finding["more"]}
    expect(finding["kind"] == "source_overwritten" and "data_race" in more, text)


@case
def wait_before_the_first_phase(muster, folder):
    """A wait for the parity of the phase before the first is over at once: a note says so, and a race that comes of it
    names the wait."""
    manifest = write_kernel(folder, 64, """    .shared .align 8 .b64 bar;
    mov.u32 %r1, %tid.x;
    setp.ne.u32 %p1, %r1, 0;
    @%p1 bra READY;
    mbarrier.init.shared::cta.b64 [bar], 1;
READY:
    bar.sync 0;
    setp.eq.u32 %p1, %r1, 32;
    @%p1 bra READ;
    setp.ne.u32 %p1, %r1, 0;
    @%p1 ret;
    st.shared.u32 [x], %r1;
    mbarrier.arrive.shared::cta.b64 _, [bar];
    ret;
READ:
    mbarrier.try_wait.parity.shared::cta.b64 %p1, [bar], 1;
    @!%p1 bra READ;
    ld.shared.u32 %r2, [x];
    ret;
""")
    report, text = explore(muster, folder, manifest, 3)
    note, = [note for note in report["notes"] if note["kind"] == "before_first"]
    wait = line_of(folder, "try_wait")
    expect(note["first"]["line"] == line_of(folder, "mbarrier.init") and note["second"]["line"] == wait and
           note["second"]["warp"] == 1 and note["object"].startswith("bar "), note)
    line, = [line for line in text.split("\n") if "before_first" in line]
    expect(f"waits at line {wait}: it is over at once, for the phase before the first" in line, line)
    race, = [finding for finding in report["findings"] if finding["kind"] == "data_race"]
    which = "second" if race["second"]["warp"] == 1 else "first"
    expect(f"the wait before the {which}, at line {wait}, was over at once" in race["why"], race)
    told, _ = run(muster, "run", manifest, "--report", folder / "run.json")
    note, = json.loads((folder / "run.json").read_text())["notes"]
    expect((note["note"], note["line"], note["warp"], note["count"]) == ("before_first", wait, 1, 1) and
           note["mbarrier"].startswith("bar ") and "before the first" in note["message"], note)
    expect(f"k.ptx:{wait}: note before_first, 1 time: mbarrier bar (0x8) of CTA (0,0,0): a wait is over" in told, told)


@case
def passed_without(muster, folder):
    """Threads leave before a barrier that the others pass, three times: one note for the barrier, with where they left;
    the exit code is 0. `run` notes the same. A barrier that all pass, and one at which threads arrive and leave, have
    none."""
    manifest = write_kernel(folder, 96, """    mov.u32 %r1, %tid.x;
    mov.u32 %r2, 0;
    bar.sync 1;
    setp.ge.u32 %p1, %r1, 70;
    @%p1 exit;  // 26 of them
    setp.eq.u32 %p1, %r1, 3;
    @%p1 exit;  // one
MEET:
    bar.sync 0;
    add.u32 %r2, %r2, 1;
    setp.ne.u32 %p1, %r2, 3;
    @%p1 bra MEET;
    ret;
""")
    report, text = explore(muster, folder, manifest, 0)
    note, = report["notes"]
    barrier, some, one = (line_of(folder, words) for words in ("bar.sync 0", "26 of them", "// one"))
    left = {(place["line"], place["warp"], place["lanes"]) for place in note["without"]}
    expect(note["kind"] == "passed_without" and note["second"]["line"] == barrier and
           left == {(some, 2, "0xffffffc0"), (one, 0, "0x00000008")}, note)
    told = f"27 threads, of which 26 left at line {some}, 1 at line {one}"
    expect(f"  -  passed_without: barrier 0 at line {barrier}: passed without {told}\n" in text, text)
    said, _ = run(muster, "run", manifest, "--report", folder / "run.json")
    note, = json.loads((folder / "run.json").read_text())["notes"]
    expect((note["note"], note["line"], note["barrier"], note["count"]) == ("passed_without", barrier, 0, 3), note)
    where = f"k.ptx:{barrier}: note passed_without, 3 times: barrier 0 of CTA (0,0,0)"
    expect(f"{where}: passed without {told}\n" in said, said)
    manifest = write_kernel(folder, 64, """    mov.u32 %r1, %tid.x;
    setp.ge.u32 %p1, %r1, 32;
    @%p1 bra STAY;
    bar.arrive 1, 64;
    ret;
STAY:
    bar.sync 1, 64;
    ret;
""")
    report, text = explore(muster, folder, manifest, 0)
    expect(not report["notes"], text)


@case
def cluster_passed_without(muster, folder):
    """The same of barrier.cluster."""
    manifest = write_kernel(folder, 64, """    mov.u32 %r1, %tid.x;
    setp.lt.u32 %p1, %r1, 32;
    @%p1 exit;
    barrier.cluster.arrive;
    barrier.cluster.wait;
    ret;
""")
    report, text = explore(muster, folder, manifest, 0)
    note, = report["notes"]
    expect(note["kind"] == "passed_without" and [place["warp"] for place in note["without"]] == [0], note)
    line = line_of(folder, "cluster.arrive")
    expect(f"barrier.cluster at line {line}: passed without 32 threads, which left at line" in text, text)


@case
def hazard_of_another_order(muster, folder):
    """32 lanes fill a phase, and a thread of another warp, which comes later, arrives in the next; if it comes first, the
    last of the 32 arrives past the phase. The run goes well; the other order is found, and its witness meets the hazard."""
    manifest = write_kernel(folder, 64, """    .reg .pred %late;
    .shared .align 8 .b64 object;
    mov.u32 %r1, %tid.x;
    setp.eq.u32 %p1, %r1, 0;
    setp.ge.u32 %late, %r1, 32;
    @%p1 mbarrier.init.shared.b64 [object], 32;
    bar.sync 0;
    @%late bra LATE;
    mbarrier.arrive.shared.b64 _, [object];
    ret;
LATE:
    setp.ne.u32 %p1, %r1, 32;
    @%p1 ret;
""" + "    ld.volatile.shared.u32 %r2, [x];\n" * 40 + """    mbarrier.arrive.shared.b64 _, [object];
    ret;
""")
    text, _ = run(muster, "run", manifest)
    expect("arrival_past_phase" not in text, text)
    run(muster, "explore", manifest, "--report", folder / "r.json", "--witness", folder / "w.json", code=7)
    findings = json.loads((folder / "r.json").read_text())["findings"]
    found = [finding for finding in findings if finding["kind"] == "hazard"]
    expect(len(found) == 1 and "arrival_past_phase" in found[0]["why"], findings)
    text, _ = run(muster, "run", manifest, "--schedule", found[0]["witness"])
    expect("hazard arrival_past_phase" in text, text)
    named = json.loads(manifest.read_text())
    for count, code in ((0, 7), (1, 8)):
        manifest.write_text(json.dumps({**named, "hazards": {"arrival_past_phase": count}}))
        text, _ = run(muster, "explore", manifest, code=code)
        expect(("meets the hazard" in text) == (count == 0), text)


LAUNCHES = """.version 8.0
.target sm_90
.address_size 64
.visible .entry first(.param .u64 a)
{
    .reg .pred %p; .reg .b32 %r<4>; .reg .b64 %d;
    .shared .align 16 .b32 tile[4];
    mov.u32 %r1, %tid.x; setp.ne.u32 %p, %r1, 0; @%p ret;
    ld.param.u64 %d, [a]; mov.u32 %r2, tile; mov.u32 %r3, 5; st.shared.u32 [%r2], %r3;
    fence.proxy.async;
    TRIGGER
    cp.async.bulk.global.shared::cta.bulk_group [%d], [%r2], 16;
    cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0;
    ret;
}
.visible .entry second(.param .u64 a)
{
    .reg .pred %p; .reg .b32 %r<4>; .reg .b64 %d;
    mov.u32 %r1, %tid.x; setp.ne.u32 %p, %r1, 0; @%p ret;
    ld.param.u64 %d, [a];
    WAIT
    ld.global.u32 %r2, [%d]; st.global.u32 [%d+16], %r2;
    ret;
}
"""


@case
def launches_overlap(muster, folder):
    """A launch that waits for the one before sees a copy to global memory that nobody has waited for, in all orders;
    without the wait it does not."""
    trigger, wait = "griddepcontrol.launch_dependents;", "griddepcontrol.wait;"
    launches = [{"kernel": "first", "block": [32, 1, 1], "args": [{"buffer": "a"}]},
                {"kernel": "second", "block": [32, 1, 1], "args": [{"buffer": "a"}], "programmatic": True}]
    (folder / "k.json").write_text(json.dumps({"ptx": "k.ptx", "launches": launches,
                                               "buffers": {"a": {"type": "u32", "count": 5}},
                                               "expect": {"a": [5, 0, 0, 0, 5]}}))
    for begins, waits, code in ((trigger, wait, 0), ("", wait, 0), (trigger, "", 7), ("", "", 7)):
        (folder / "k.ptx").write_text(LAUNCHES.replace("TRIGGER", begins).replace("WAIT", waits))
        text, _ = run(muster, "explore", folder / "k.json", code=code)
        expect(("complete: every order" in text and "data_race" not in text) if waits else "data_race" in text, text)


@case
def minimal_witness(muster, folder):
    """Of the 52 turns of an order two are needed, which text and report tell in sentences with lines of the source; the
    witness has no others, and a run that keeps to them ends as it should."""
    manifest = PAIRS / "early_return_skips_arrive" / "wrong.json"
    text, _ = run(muster, "explore", manifest, "--witness", folder / "w.json", "--report", folder / "r.json", code=3)
    finding = json.loads((folder / "r.json").read_text())["findings"][0]
    schedule = json.loads((folder / "w.json").read_text())
    expect(finding["minimal"] and len(schedule["turns"]) == len(finding["order"]) == 2, finding)
    expect(all(sentence in text and "wrong.cu" in sentence for sentence in finding["order"]), text)
    text, _ = run(muster, "run", manifest, "--schedule", folder / "w.json", "--timeline", folder / "t.html", code=3)
    expect("schedule: all 2 turns, in order" in text, text)
    marks = json.loads(re.search(r'"turns":(\[\[.*?\]\])', (folder / "t.html").read_text())[1])
    wanted = [(number, turn["line"]) for number, turn in enumerate(schedule["turns"], 1)]
    expect([(mark[1], mark[2]) for mark in marks] == wanted and marks[0][3] <= marks[1][3], marks)


@case
def written_kernel(muster, folder):
    """The kernel of a file's order: of all its symbols the manifest keeps those it has, paths are those of the new files, and a
    second launch of it in the same folder does not hinder. It waits for a turn that cannot come for a while only."""
    (folder / "in").mkdir()
    manifest = write_kernel(folder / "in", 64, """    mov.u32 %r1, %tid.x;
    setp.lt.u32 %p1, %r1, 32;
    /* a store; and a load */ @%p1 st.shared.u32 [x], 7; @!%p1 ld.shared.u32 %r2, [x];
    ld.param.u64 %d1, [out];
    @!%p1 st.global.u32 [%d1], %r2;
    @!%p1 st.global.u32 [total], %r2; // ; }
    ret;
""")
    ptx = manifest.with_suffix(".ptx")
    ptx.write_text(ptx.read_text().replace(".visible .entry", ".visible .global .u32 total = 5;\n.visible .entry")
                   .replace(".reg .b32 %r<4>;", ".reg .b32 %r<4>; .reg .b64 %d1;"))
    lines = ptx.read_text().splitlines()
    line = next(i for i, text in enumerate(lines, 1) if "a store" in text)
    manifest.write_text(json.dumps({**json.loads(manifest.read_text()), "symbols": {"total": {"type": "u32"}},
                                    "expect": {"out": [7], "total": [7]}}))
    turns = [{"cta": 0, "warp": 1, "lanes": "0xffffffff", "line": line, "part": 1},
             {"cta": 0, "warp": 0, "lanes": "0xffffffff", "line": line}]
    order, out = folder / "o.json", folder / "k.ptx"

    def write(*turns, code=0):
        order.write_text(json.dumps({"muster": "schedule", "version": 1, "turns": turns}))
        return run(muster, "explore", manifest, "--schedule", order, "--emit-ptx", out, "--report", folder / "r.json", code=code)

    write(*turns)
    report = json.loads((folder / "r.json").read_text())
    jsonschema.validate(report, SCHEMA)
    expect(report["emitted"]["turns"] == 2 and report["emitted"]["unit"] == {"outcome": "completes", "wrong": True, "kept": True}, report)
    text, _ = run(muster, "run", folder / "k.json", code=1)
    expect("total differs" in text and "[0] is 0, not 7" in text, text)
    write(*reversed(turns))
    run(muster, "run", folder / "k.json")
    write({**turns[0], "time": 2}, turns[1])
    report = json.loads((folder / "r.json").read_text())
    expect(not report["emitted"]["unit"]["kept"], report)
    # What has turn words already, and what would write over an input.
    for arguments, message in (((folder / "k.json", "--schedule", order, "--emit-ptx", folder / "l.ptx"), "turn words already"),
                               ((manifest, "--schedule", order, "--emit-ptx", ptx), "k.ptx"),
                               ((manifest, "--schedule", order), "--schedule goes with --emit-ptx"),
                               ((manifest, "--target", "cuda"), "--target goes with --emit-ptx"),
                               ((manifest, "--times", 3, "--emit-ptx", folder / "l.ptx"), "--times goes with --target"),
                               ((manifest, "--emit-ptx", folder / "l.ptx", "--target", "uart:x"), "cuda or cuda:N")):
        before = ptx.read_text()
        order.write_text(json.dumps({"muster": "schedule", "version": 1, "turns": []}))
        _, errors = run(muster, "explore", *arguments, code=2)
        expect(message in errors and before == ptx.read_text(), errors)


@case
def scope_too_small(muster, folder):
    """A race past an acquire whose release has a scope that is too small names that acquire and the scope."""
    run(muster, "explore", PAIRS / "release_cta_scope" / "wrong.json", "--report", folder / "r.json", code=7)
    findings = json.loads((folder / "r.json").read_text())["findings"]
    expect(any("has seen a release of it, but" in finding["why"] and ".cta" in finding["why"] for finding in findings), findings)


@case
def unawaited(muster, folder):
    """A barrier at which warps arrive and none ever waits is noted; not one that has waiters in another generation, nor
    an mbarrier in a deadlock, at which threads still wait."""
    body = """    mov.u32 %r1, %tid.x;
    setp.ge.u32 %p1, %r1, 32;
    bar.arrive 1, 64;
{wait}    ret;
"""
    for wait, notes in (("", 1), ("    bar.sync 0;\n    bar.sync 1, 64;\n", 0)):
        manifest = write_kernel(folder, 64, body.format(wait=wait))
        run(muster, "explore", manifest, "--report", folder / "r.json")
        told = [note for note in json.loads((folder / "r.json").read_text())["notes"] if note["kind"] == "unawaited"]
        expect(len(told) == notes, f"{wait}: {told}")
    run(muster, "explore", KERNELS / "mb_deadlock" / "mb_deadlock.json", "--report", folder / "r.json", code=3)
    expect(not json.loads((folder / "r.json").read_text())["notes"], "a note in a deadlock")


@case
def unawaited_stands_at_its_race(muster, folder):
    """A thread stores, and arrives where no thread waits; another one loads: the note is in the race that a wait would
    order, and not among the others. An arrival before the store orders nothing: its note is among the others."""
    for arrives in ("mbarrier.arrive.shared::cta.b64 _, [bar]", "bar.arrive 1, 32"):
        for before, after in (("", f"    {arrives};\n"), (f"    {arrives};\n", "")):
            manifest = write_kernel(folder, 64, f"""    .shared .align 8 .b64 bar;
    mov.u32 %r1, %tid.x;
    setp.ne.u32 %p1, %r1, 0;
    @%p1 bra READY;
    mbarrier.init.shared::cta.b64 [bar], 32;
READY:
    bar.sync 0;
    setp.ge.u32 %p1, %r1, 32;
    @%p1 bra READ;
{before}    st.shared.u32 [x], %r1;
{after}    ret;
READ:
    ld.shared.u32 %r2, [x];
    ret;
""")
            report, text = explore(muster, folder, manifest, 7)
            race, = [one for one in report["findings"] if {one["first"]["line"], one["second"]["line"]} ==
                     {line_of(folder, "st.shared"), line_of(folder, "ld.shared")}]
            told, = (race.get("notes", []) if after else report["notes"])
            expect(told["kind"] == "unawaited" and told["first"]["line"] == line_of(folder, arrives), report)
            expect(bool(report["notes"]) == (not after) and ("     note     unawaited: " in text) == bool(after) and
                   ("  -  unawaited: " in text) == (not after), text)


@case
def nearest_order(muster, folder):
    """What no order confirms has the order that came nearest to it, as a schedule that `run` takes."""
    manifest = write_kernel(folder, 64, """    .shared .align 8 .b64 m;
    mov.u32 %r1, %tid.x;
    setp.ne.u32 %p1, %r1, 0;
    @!%p1 mbarrier.init.shared::cta.b64 [m], 2;
    bar.sync 0;
    and.b32 %r1, %r1, 31;
    setp.ne.u32 %p1, %r1, 0;
    @%p1 ret;
    mbarrier.arrive.shared::cta.b64 _, [m];
    mbarrier.arrive.shared::cta.b64 _, [m];
    ret;
""")
    text, _ = run(muster, "explore", manifest, "--report", folder / "r.json", "--witness", folder / "w.json", code=8)
    report = json.loads((folder / "r.json").read_text())
    jsonschema.validate(report, SCHEMA)
    expect(not report["findings"] and report["suspicions"], text)
    for suspicion in report["suspicions"]:
        expect(suspicion["witness"] in text and "nearest" in text, text)
        run(muster, "run", manifest, "--schedule", suspicion["witness"])


@case
def whole_warp_orders_events(muster, folder):
    """Lanes pass a word with movmatrix between: the warp waits there for all lanes, so that no order shows the race, and the run
    itself does; the memory is not ordered."""
    manifest = write_kernel(folder, 32, """    mov.u32 %r1, %tid.x;
    setp.eq.u32 %p1, %r1, 0;
    @%p1 st.shared.u32 [x], %r1;
    movmatrix.sync.aligned.m8n8.trans.b16 %r2, %r1;
    setp.eq.u32 %p1, %r1, 1;
    @%p1 ld.shared.u32 %r3, [x];
    ret;
""")
    report, text = explore(muster, folder, manifest, 7)
    race, = report["findings"]
    expect(race["kind"] == "data_race" and not report["suspicions"] and "shown by the run itself" in text, text)


@case
def a_wait_looked_at_twice(muster, folder):
    """A thread looks twice in a row at a phase that is complete, and then races at a word which the phase does not order: the
    second look is not told as its cause."""
    manifest = write_kernel(folder, 96, """    .shared .align 8 .b64 bar;
    mov.u32 %r1, %tid.x;
    setp.ne.u32 %p1, %r1, 0;
    @%p1 bra READY;
    mbarrier.init.shared::cta.b64 [bar], 1;
READY:
    bar.sync 0;
    and.b32 %r2, %r1, 31;
    setp.ne.u32 %p1, %r2, 0;
    @%p1 ret;
    setp.eq.u32 %p1, %r1, 32;
    @%p1 bra READ;
    setp.eq.u32 %p1, %r1, 64;
    @%p1 bra RACE;
    mbarrier.arrive.shared::cta.b64 _, [bar];
    ret;
RACE:
    st.shared.u32 [x], %r1;
    ret;
READ:
    mbarrier.try_wait.parity.shared::cta.b64 %p1, [bar], 0;
    @!%p1 bra READ;
AGAIN:
    mbarrier.try_wait.parity.shared::cta.b64 %p1, [bar], 0;
    @!%p1 bra AGAIN;
    ld.shared.u32 %r2, [x];
    ret;
""")
    report, text = explore(muster, folder, manifest, 7)
    race, = report["findings"]
    expect(race["kind"] == "data_race" and "over at once" not in race["why"], text)


@case
def nearest_order_ends_badly(muster, folder):
    """Where no order has the second event before the first one, it is not said that none ended badly: the nearest one does."""
    manifest = write_kernel(folder, 64, """    .shared .align 8 .b64 m[2];
    mov.u32 %r1, %tid.x;
    setp.ne.u32 %p1, %r1, 0;
    @%p1 bra READY;
    mov.u32 %r2, 0;
    st.shared.u32 [x], %r2;
    mbarrier.init.shared::cta.b64 [m], 1;
    mbarrier.init.shared::cta.b64 [m+8], 1;
    mbarrier.inval.shared::cta.b64 [m+8];
READY:
    bar.sync 0;
    setp.eq.u32 %p1, %r1, 32;
    @%p1 bra B;
    setp.ne.u32 %p1, %r1, 0;
    @%p1 ret;
    mbarrier.arrive.shared::cta.b64 _, [m];
    mov.u32 %r2, 1;
    st.shared.u32 [x], %r2;
    ret;
B:
    ld.shared.u32 %r2, [x];
    setp.eq.u32 %p1, %r2, 1;
    @%p1 mbarrier.arrive.shared::cta.b64 _, [m];
    mbarrier.arrive.shared::cta.b64 _, [m+8];
    ret;
""")
    report, text = explore(muster, folder, manifest, 7)
    suspicion, = [one for one in report["suspicions"] if one["kind"] == "other_phase"]
    expect(suspicion["tried"].endswith("in none the second came first; the nearest one ends badly, in word_exhausted"), text)


@case
def report_to_standard_output(muster, folder):
    """`--json -` writes the report, and nothing else, to the standard output, and the text to the other; there is no file of
    that name. So it is of --needless."""
    mend.write(folder)
    wrong = PAIRS / "reduction_without_barrier" / "wrong.json"
    for arguments, code in (((wrong,), 7), ((folder / "reduction_without_barrier" / "mended.json", "--needless", "--time", "5"), (0, 1))):
        done = subprocess.run([pathlib.Path(muster).resolve(), "explore", *map(str, arguments), "--json", "-"], capture_output=True, text=True, check=False, cwd=folder)
        expect(done.returncode in (code if isinstance(code, tuple) else (code,)), done.stdout + done.stderr)
        report = json.loads(done.stdout)
        expect(report["muster"].startswith("explore") and "reduction_without_barrier" in done.stderr, done.stderr)
        expect(not (folder / "-").exists(), "there is a file named -")


@case
def found_at_once(muster, folder):
    """What is found is said at once on the standard error, once for each kind and places, before the report; of a kernel in which
    nothing is found, nothing is."""
    mend.write(folder)
    for manifest, code in ((PAIRS / "reduction_without_barrier" / "wrong.json", 7),
                           (folder / "reduction_without_barrier" / "mended.json", 0)):
        text, said = run(muster, "explore", manifest, "--report", folder / "r.json", code=code)
        told = [line for line in said.split("\n") if line.startswith("found after ")]
        expect(bool(told) == bool(code) and len(set(told)) == len(told) and "found after" not in text, said)
        for finding in json.loads((folder / "r.json").read_text())["findings"]:
            expect(any(f"s: {finding['kind']}" in line for line in told), said)


@case
def another_lane_ends_the_spin(muster, folder):
    """Lane 0 reads a word again and again that nobody changes, until a vote tells it of the rounds that lane 5 has counted:
    it repeats nothing for ever."""
    manifest = write_kernel(folder, 32, """
    .reg .pred %q, %fifth;
    mov.u32 %r1, %laneid;
    mov.u32 %r2, 0;
    setp.eq.u32 %p1, %r1, 0;
    setp.eq.u32 %fifth, %r1, 5;
    selp.b32 %r1, 1, 0, %fifth;
ROUND:
    @%p1 bra READ;
VOTE:
    add.u32 %r2, %r2, %r1;
    setp.gt.u32 %q, %r2, 20;
    vote.sync.any.pred %q, %q, 0xffffffff;
    @!%q bra ROUND;
    ret;
READ:
    ld.volatile.shared.u32 %r3, [x];
    bra VOTE;
""")
    text, _ = run(muster, "explore", manifest)
    expect("0 suspicions" in text and "complete: every order" in text, text)


RING = """.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out, .param .u32 rounds)
{
    .reg .pred %p, %q;
    .reg .b32 %tid, %n, %i, %s, %full, %empty, %slot, %turn, %v, %sum;
    .reg .b64 %out;
    .shared .align 8 .b64 full[4];
    .shared .align 8 .b64 empty[4];
    .shared .align 4 .b32 ring[4];
    ld.param.u64 %out, [out];
    ld.param.u32 %n, [rounds];
    mov.u32 %tid, %tid.x;
    mov.u32 %i, 0;
    mov.u32 %sum, 0;
    setp.ne.u32 %p, %tid, 0;
    @%p bra READY;
MAKE:
    shl.b32 %s, %i, 3;
    mov.u32 %full, full; add.u32 %full, %full, %s;
    mov.u32 %empty, empty; add.u32 %empty, %empty, %s;
    mbarrier.init.shared::cta.b64 [%full], 1;
    mbarrier.init.shared::cta.b64 [%empty], 1;
    add.u32 %i, %i, 1;
    setp.lt.u32 %q, %i, 4;
    @%q bra MAKE;
    mov.u32 %i, 0;
READY:
    bar.sync 0;
    and.b32 %s, %tid, 31;
    setp.ne.u32 %q, %s, 0;
    @%q ret;
ROUND:
    and.b32 %s, %i, 3;
    shl.b32 %slot, %s, 2; mov.u32 %v, ring; add.u32 %slot, %slot, %v;
    shl.b32 %s, %s, 3;
    mov.u32 %full, full; add.u32 %full, %full, %s;
    mov.u32 %empty, empty; add.u32 %empty, %empty, %s;
    bfe.u32 %turn, %i, 2, 1;
    @%p bra CONSUME;
    xor.b32 %turn, %turn, 1;
    WRONG
FREE:
    mbarrier.try_wait.parity.shared::cta.b64 %q, [%empty], %turn;
    @!%q bra FREE;
FILL:
    st.shared.u32 [%slot], %i;
    mbarrier.arrive.shared::cta.b64 _, [%full];
    bra NEXT;
CONSUME:
    mbarrier.try_wait.parity.shared::cta.b64 %q, [%full], %turn;
    @!%q bra CONSUME;
    ld.shared.u32 %v, [%slot];
    add.u32 %sum, %sum, %v;
    mbarrier.arrive.shared::cta.b64 _, [%empty];
NEXT:
    add.u32 %i, %i, 1;
    setp.lt.u32 %q, %i, %n;
    @%q bra ROUND;
    @%p st.global.u32 [%out], %sum;
    ret;
}
"""


def ring(muster, folder, wrong, rounds, code):
    """Explores a ring of four stages with a line that is wrong. Returns the text."""
    (folder / "k.ptx").write_text(RING.replace("WRONG", wrong))
    return run(muster, "explore", folder / "k.ptx", "--block", 64, "--arg", "out=u32[1]", "--arg", rounds,
               "--expect", f"out={sum(range(rounds))}", "--bound", 500, code=code)[0]


@case
def fifth_round(muster, folder):
    """A producer that waits for the first use of each stage only is found from the five rounds in which it uses one again;
    one with the right parity is not, nor the wrong one where four rounds are all."""
    ring(muster, folder, "mov.u32 %turn, 1;", 4, 0)
    text = ring(muster, folder, "mov.u32 %turn, 1;", 5, 3)
    expect("data_race" in text and "the 5th time" in text and "complete: every order" in text, text)
    ring(muster, folder, "", 9, 0)


@case
def slots_are_free_at_first(muster, folder):
    """The first waits of a producer for a free slot are over at once, and no note says so: the arrivals that free the slot come
    after them. A consumer that waits for the phase before the first has the note, beside its race."""
    text = ring(muster, folder, "", 9, 0)
    expect("before_first" not in text and "Notes" not in text, text)
    (folder / "late.ptx").write_text(RING.replace("WRONG", "").replace("CONSUME:", "CONSUME:\n    xor.b32 %turn, %turn, 1;"))
    text, _ = run(muster, "explore", folder / "late.ptx", "--block", 64, "--arg", "out=u32[1]", "--arg", 4, "--bound", 500, code=3)
    expect("before_first: full" in text, text)


@case
def more_arrive_than_are_expected(muster, folder):
    """Three warps free a slot whose mbarrier expects one arrival, so that phases complete early: a deadlock comes first, with
    who waits for what, and says how many arrive each round; and so do the arrivals that count in other phases."""
    (folder / "k.ptx").write_text(RING.replace("WRONG", ""))
    for threads, warps in ((64, 0), (128, 3)):
        text, _ = run(muster, "explore", folder / "k.ptx", "--block", threads, "--arg", "out=u32[1]", "--arg", 12, "--bound", 500,
                      "--report", folder / "r.json", code=3 if warps else 0)
        report = json.loads((folder / "r.json").read_text())
        jsonschema.validate(report, SCHEMA)
        said = f"expects 1 arrival, and {warps} warps arrive each round, at "
        if not warps:
            expect("arrive each round" not in text, text)
            continue
        first = report["findings"][0]
        expect(first["kind"] == "deadlock" and any(said in hint and hint.startswith("mbarrier empty") for hint in first["hints"]), text)
        expect(text.lstrip().startswith("1. deadlock") and f"     hint     mbarrier empty" in text and "     waits    " in text, text)
        others = [one for one in report["findings"] + report["suspicions"] if one["kind"] == "other_phase"]
        others += [more for one in report["findings"] for more in one.get("more", ()) if more["kind"] == "other_phase"]
        expect(any(said in one.get("hint", "") for one in others), report)


@case
def rounds_that_differ(muster, folder):
    """Of rounds that the launch does not have nothing is said: a kernel whose eighth round alone does not wait has a finding
    from eight rounds on, and none in seven."""
    wrong = "setp.eq.u32 %q, %i, 7; @%q bra FILL;"
    ring(muster, folder, wrong, 7, 0)
    text = ring(muster, folder, wrong, 8, 3)
    expect("data_race" in text and "the 8th time" in text, text)


@case
def copy_comes_after_its_thread(muster, folder):
    """An arrival that waits for a store completes a phase, and then a copy of the same thread counts in the next: in every
    order of explore, and with every seed of run."""
    (folder / "k.ptx").write_text(""".version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out)
{
    .reg .pred %p;
    .reg .b32 %r<3>;
    .reg .b64 %in, %out;
    .shared .align 8 .b64 m;
    .shared .align 16 .b32 tile[4];
    mov.u32 %r1, %tid.x;
    setp.ne.u32 %p, %r1, 0;
    @%p ret;
    ld.param.u64 %in, [in];
    ld.param.u64 %out, [out];
    mbarrier.init.shared::cta.b64 [m], 1;
    fence.proxy.async;
    st.global.u32 [%out], %r1;
    mbarrier.arrive.shared::cta.b64 _, [m];
    cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%in], 16, [m];
    mbarrier.arrive.expect_tx.shared::cta.b64 _, [m], 16;
WAIT:
    mbarrier.try_wait.parity.shared::cta.b64 %p, [m], 1;
    @!%p bra WAIT;
    ld.shared.u32 %r2, [tile];
    st.global.u32 [%out], %r2;
    ret;
}
""")
    launch = [folder / "k.ptx", "--block", 32, "--arg", "in=u32[4]:7", "--arg", "out=u32[1]", "--expect", "out=7"]
    text, _ = run(muster, "explore", *launch)
    expect("complete: every order, in 1 class" in text, text)
    run(muster, "run", *launch, "--seeds", 64)


@case
def copy_comes_after_what_its_thread_has_sent(muster, folder):
    """A thread arrives at another CTA's mbarrier, and a copy of that thread to the CTA then counts in the next phase: in
    every order. Where another thread arrives, the bytes may come first, and the phase never completes."""
    kernel = """.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out)
{
    .reg .pred %p;
    .reg .b32 %r<6>;
    .reg .b64 %in, %out;
    .shared .align 8 .b64 m;
    .shared .align 16 .b32 tile[4];
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, %cluster_ctarank;
    ld.param.u64 %in, [in];
    ld.param.u64 %out, [out];
    setp.ne.u32 %p, %r1, 0;
    @%p bra READY;
    mbarrier.init.shared::cta.b64 [m], 1;
    fence.mbarrier_init.release.cluster;
READY:
    barrier.cluster.arrive;
    barrier.cluster.wait;
    setp.eq.u32 %p, %r2, 1;
    @%p bra SECOND;
    mov.u32 %r3, m;
    mapa.shared::cluster.u32 %r4, %r3, 1;
    mov.u32 %r3, tile;
    mapa.shared::cluster.u32 %r5, %r3, 1;
    setp.ne.u32 %p, %r1, ARRIVES;
    @!%p mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r4];
    setp.ne.u32 %p, %r1, 0;
    @!%p cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r5], [%in], 16, [%r4];
    bra DONE;
SECOND:
    setp.ne.u32 %p, %r1, 0;
    @%p bra DONE;
FIRST:
    mbarrier.try_wait.parity.shared::cta.b64 %p, [m], 0;
    @!%p bra FIRST;
    mbarrier.arrive.expect_tx.shared::cta.b64 _, [m], 16;
WAIT:
    mbarrier.try_wait.parity.shared::cta.b64 %p, [m], 1;
    @!%p bra WAIT;
    ld.shared.u32 %r3, [tile];
    st.global.u32 [%out], %r3;
DONE:
    barrier.cluster.arrive;
    barrier.cluster.wait;
    ret;
}
"""
    launch = ["--grid", 2, "--cluster", 2, "--block", 64, "--arg", "in=u32[4]:7", "--arg", "out=u32[1]", "--expect", "out=7"]
    for thread, code in ((0, 0), (32, 3)):
        (folder / "k.ptx").write_text(kernel.replace("ARRIVES", str(thread)))
        text, _ = run(muster, "explore", folder / "k.ptx", *launch, code=code)
        expect("complete: every order" in text, text)


@case
def init_that_another_cta_uses(muster, folder):
    """An mbarrier that one CTA makes and another arrives at: after a relaxed arrival at the barrier between them nothing makes the init
    visible there but fence.mbarrier_init; the arrival without a qualifier releases. Within a CTA bar.sync is enough."""
    kernel = """.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out)
{
    .reg .pred %p;
    .reg .b32 %r<6>;
    .shared .align 8 .b64 m;
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, %cluster_ctarank;
    setp.ne.u32 %p, %r1, 0;
    @%p bra READY;
    mbarrier.init.shared::cta.b64 [m], 1;
    FENCE
READY:
    MEET
    setp.ne.u32 %p, %r1, 32;
    @%p bra WAIT;
    mov.u32 %r3, m;
    xor.b32 %r4, %r2, OTHER;
    mapa.shared::cluster.u32 %r5, %r3, %r4;
    mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r5];
WAIT:
    mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p, [m], 0;
    @!%p bra WAIT;
    barrier.cluster.arrive;
    barrier.cluster.wait;
    ret;
}
"""
    fence = "fence.mbarrier_init.release.cluster;"
    relaxed = "barrier.cluster.arrive.relaxed; barrier.cluster.wait;"
    released = "barrier.cluster.arrive; barrier.cluster.wait;"
    for make, meet, other, found in (("", relaxed, 1, True), (fence, relaxed, 1, False), ("", released, 1, False), ("", "bar.sync 0;", 0, False)):
        (folder / "k.ptx").write_text(kernel.replace("FENCE", make).replace("MEET", meet).replace("OTHER", str(other)))
        text, _ = run(muster, "explore", folder / "k.ptx", "--grid", 2, "--cluster", 2, "--block", 64, "--arg", "out=u32[1]", code=7 if found else 0)
        expect("complete: every order" in text and ("lifetime" in text and "no release and acquire" in text if found else "0 findings" in text), text)


@case
def time_within_a_step(muster, folder):
    """Threads that compute for long between what others can notice: the time limit ends a run in the middle of that, and
    what the run has shown until then is told."""
    manifest = write_kernel(folder, 1024, """    mov.u32 %r1, %tid.x;
    st.shared.u32 [x], %r1;
    mov.u32 %r3, 0;
ROUND:
    mov.u32 %r2, 0;
LOOP:
    add.u32 %r2, %r2, 1;
    setp.lt.u32 %p1, %r2, 300000;
    @%p1 bra LOOP;
    st.shared.u32 [x], %r2;
    add.u32 %r3, %r3, 1;
    setp.lt.u32 %p1, %r3, 1000;
    @%p1 bra ROUND;
    ret;
""")
    report, text = explore(muster, folder, manifest, 8, "--time", 2)
    expect(report["seconds"] < 12 and report["classes"] == 0 and not report["findings"], text)
    expect("data_race" in text and "the time was over" in text, text)


@case
def repeated_wait_is_one_cause(muster, folder):
    """A consumer waits with the parity of the phase before: what races at the slots that it reads, and that the wait may
    be late, is one finding, which names the wait. With the right parity, and a second look at the phase, there is none."""
    manifest = write_kernel(folder, 128, """    .shared .align 8 .b64 full;
    .shared .align 8 .b64 empty;
    .shared .align 4 .b32 y;
    mov.u32 %r1, %tid.x;
    setp.ne.u32 %p1, %r1, 0;
    @%p1 bra READY;
    mbarrier.init.shared::cta.b64 [full], 1;
    mbarrier.init.shared::cta.b64 [empty], 1;
READY:
    bar.sync 0;
    and.b32 %r2, %r1, 31;
    setp.ne.u32 %p1, %r2, 0;
    @%p1 ret;
    mov.u32 %r3, 0;
    setp.gt.u32 %p1, %r1, 32;
    @%p1 ret;
    setp.ne.u32 %p1, %r1, 0;
    @%p1 bra CONSUME;
PRODUCE:
    st.shared.u32 [x], %r3;
    st.shared.u32 [y], %r3;
    mbarrier.arrive.shared::cta.b64 _, [full];
FREE:
    mbarrier.try_wait.parity.shared::cta.b64 %p1, [empty], %r3;
    @!%p1 bra FREE;
    add.u32 %r3, %r3, 1;
    setp.lt.u32 %p1, %r3, 2;
    @%p1 bra PRODUCE;
    ret;
CONSUME:
    mbarrier.try_wait.parity.shared::cta.b64 %p1, [full], PARITY;
    @!%p1 bra CONSUME;
AGAIN:
    mbarrier.try_wait.parity.shared::cta.b64 %p1, [full], PARITY;
    @!%p1 bra AGAIN;
    ld.shared.u32 %r2, [x];
    ld.shared.u32 %r2, [y];
    mbarrier.arrive.shared::cta.b64 _, [empty];
    add.u32 %r3, %r3, 1;
    setp.lt.u32 %p1, %r3, 2;
    @%p1 bra CONSUME;
    ret;
""")
    text = (folder / "k.ptx").read_text()
    again = text[text.index("AGAIN:"):text.index("    ld.shared.u32 %r2, [x]")]
    (folder / "k.ptx").write_text(text.replace("PARITY", "%r3"))
    explore(muster, folder, manifest, 0)
    (folder / "k.ptx").write_text(text.replace(again, "").replace("PARITY", "0"))
    wait = line_of(folder, "CONSUME:") + 1
    report, text = explore(muster, folder, manifest, 3)
    pairs = [finding for finding in report["findings"] if finding.get("second", finding["first"]) != finding["first"]]
    told = [finding for finding in pairs if f"at line {wait}, was over at once: it waited for a phase for which" in finding["why"]]
    expect(len(told) == 1 and len(told[0]["more"]) >= 2, text)
    expect("late_wait" in {finding["kind"] for finding in told[0]["more"]}, told)
    expect(not [finding for finding in pairs if finding["kind"] == "late_wait" and finding["first"]["line"] == wait], text)


@case
def tensor_witness_is_small(muster, folder):
    """The witness of an accumulator that is read too early lists the read and the product, and not the allocation before
    them, which the unit then lets happen."""
    run(muster, "explore", PAIRS / "accumulator_not_awaited" / "wrong.json", "--report", folder / "r.json", code=7)
    findings = json.loads((folder / "r.json").read_text())["findings"]
    expect(findings and all(finding["minimal"] and finding["turns"] <= 3 for finding in findings), findings)


def main_of(cases):
    if sys.argv[1:] == ["--list"]:
        print("\n".join(cases))
        return
    muster, name = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        cases[name](muster, pathlib.Path(folder))


if __name__ == "__main__":
    main_of(CASES)
