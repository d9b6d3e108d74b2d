#!/usr/bin/env python3
# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""How `muster explore` ends, and what it writes: options, bad input, limits, witnesses.

  command.py MUSTER CASE   runs one case, in a folder of its own
  command.py --list        the names of all cases
"""

import json
import pathlib
import subprocess
import sys
import tempfile

import jsonschema

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
SCHEMA = json.loads((ROOT / "sim" / "explore" / "explore.schema.json").read_text())
KERNELS = ROOT / "sim" / "kernels"
PAIRS = KERNELS / "explore"
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


def write_kernel(folder, threads, body):
    """Writes a kernel of one CTA with a word `x` in shared memory, and its manifest, whose path it returns."""
    (folder / "k.ptx").write_text(f""".version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out)
{{
    .reg .pred %p<2>;
    .reg .b32 %r<4>;
    .shared .align 4 .b32 x;
{body}}}
""")
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
    manifest = PAIRS / "atomic_and_plain_load" / "mended.json"
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
    manifest = HERE / "litmus" / "warp_shfl.json"
    text, _ = run(muster, "explore", manifest, "--report", folder / "r.json")
    report = json.loads((folder / "r.json").read_text())
    jsonschema.validate(report, SCHEMA)
    note, = report["notes"]
    expect(note["kind"] == "collective_order" and [one["line"] for one in note["collectives"]] == [27], note)
    line, = [line for line in text.split("\n") if "collective_order" in line]
    for words in ("at line 26", "at line 29", "shfl.sync at line 27", "PTX does not promise", "__syncwarp()"):
        expect(words in line, text)


@case
def bad_input(muster, folder):
    """One sentence, and exit code 2."""
    manifest = PAIRS / "one_lane_arrives" / "mended.json"
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
    """The file of the second witness may be the manifest: it is not written over."""
    pair = PAIRS / "one_lane_arrives"
    manifest = folder / "w.2.json"
    whole = json.loads((pair / "wrong.json").read_text())
    manifest.write_text(json.dumps({**whole, "ptx": str(pair / whole["ptx"])}))
    before = manifest.read_text()
    run(muster, "explore", manifest, "--report", folder / "r.json", code=7)
    expect(len(json.loads((folder / "r.json").read_text())["findings"]) > 1, "one finding has one witness")
    _, errors = run(muster, "explore", manifest, "--witness", folder / "w.json", code=2)
    expect("w.2.json" in errors and manifest.read_text() == before, errors)


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
    text, _ = run(muster, "explore", manifest, "--time", "3", "--report", folder / "r.json")
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
        run(muster, "explore", manifest, "--time", "10", "--bound", "2000", "--report", folder / name)
        return json.loads((folder / name).read_text())
    patient, gives_up = explore("p.json", "WAIT"), explore("g.json", "LATE")
    expect(patient["complete"] and patient["classes"] <= 2, patient)
    expect(gives_up["classes"] > patient["classes"], gives_up)


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
    named["hazards"] = {"arrival_past_phase": 0}
    manifest.write_text(json.dumps(named))
    text, _ = run(muster, "explore", manifest, code=8)
    expect("0 findings" in text, text)


def main():
    if sys.argv[1:] == ["--list"]:
        print("\n".join(CASES))
        return
    muster, name = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        CASES[name](muster, pathlib.Path(folder))


if __name__ == "__main__":
    main()
