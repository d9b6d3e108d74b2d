#!/usr/bin/env python3
# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""Which barriers, fences and waits a kernel needs: `muster explore --needless` and `--without`.

  needless.py MUSTER CASE   runs one case, in a folder of its own
  needless.py --list        the names of all cases
"""

import json
import pathlib
import subprocess
import sys

import jsonschema

from command import KERNELS, PAIRS, ROOT, SCHEMA, expect, line_of, main_of, run, write_kernel

NEEDLESS_SCHEMA = json.loads((ROOT / "sim" / "explore" / "needless.schema.json").read_text())
FINDING_SCHEMA = {**SCHEMA["properties"]["findings"]["items"], "definitions": SCHEMA["definitions"]}
TWO_BUFFERS = KERNELS / "two_buffers" / "two_buffers.json"
CASES = {}


def case(function):
    """Makes a function a case of this name."""
    CASES[function.__name__] = function
    return function


def needless(muster, folder, manifest, code, *options):
    """What it says of each place, by number, its report, which must fit its schema, and its text."""
    text, _ = run(muster, "explore", manifest, "--needless", "--report", folder / "n.json", *options, code=code)
    report = json.loads((folder / "n.json").read_text())
    jsonschema.validate(report, NEEDLESS_SCHEMA)
    for place in report["places"]:
        if "finding" in place:
            jsonschema.validate(place["finding"], FINDING_SCHEMA)
    expect([place["number"] for place in report["places"]] == list(range(1, len(report["places"]) + 1)), text)
    return {place["number"]: place for place in report["places"]}, report, text


def verdicts(places):
    """The verdicts in the order of the places."""
    return [places[number]["verdict"] for number in sorted(places)]


@case
def shipped(muster, folder):
    """Of two_buffers the fence and the second barrier are not needed, in every order, and not both together either; the
    first one is, or its accesses race. No file changes."""
    files = sorted(TWO_BUFFERS.parent.iterdir())
    before = [file.read_bytes() for file in files]
    places, report, text = needless(muster, folder, TWO_BUFFERS, 1)
    expect(verdicts(places) == ["not_shown", "needed", "not_shown"], text)
    expect([places[number]["what"] for number in (1, 2, 3)] == ["fence.sc.cta", "bar.sync 0", "bar.sync 0"], text)
    expect(all(places[number]["seen"]["complete"] for number in (1, 3)) and text.count("seen     in every order") == 2, text)
    expect("weaker machine" in places[1]["why"] and "why" not in places[3], report)
    expect(places[2]["finding"]["kind"] == "data_race" and "  2. needed: bar.sync 0 at line" in text, text)
    expect(report["together"]["numbers"] == [1, 3] and "Without 1,3 together nothing is found either, in every order" in text, text)
    expect([file.read_bytes() for file in sorted(TWO_BUFFERS.parent.iterdir())] == before, "a file has changed")


@case
def without_names_places(muster, folder):
    """--without explores the kernel without some places: nothing is found without those that are not needed. A witness
    is repeated by muster run with the same words."""
    run(muster, "explore", TWO_BUFFERS, "--without", "1,3")
    text, _ = run(muster, "explore", TWO_BUFFERS, "--without", "2", "--witness", folder / "w.json",
                  "--report", folder / "r.json", code=7)
    report = json.loads((folder / "r.json").read_text())
    jsonschema.validate(report, SCHEMA)
    expect("--without 2 --schedule" in text and report["findings"], text)
    finding = next(finding for finding in report["findings"] if finding["kind"] == "wrong_result")
    text, _ = run(muster, "run", TWO_BUFFERS, "--without", "2", "--schedule", finding["witness"], code=1)
    expect("NOT AS EXPECTED" in text, text)
    run(muster, "run", TWO_BUFFERS, "--without", "1", "--without", "3")


@case
def one_stands_in_for_the_other(muster, folder):
    """Of two barriers in a row neither is shown to be needed, and one of them is."""
    manifest = write_kernel(folder, 64, """    mov.u32 %r1, %tid.x;
    setp.eq.u32 %p1, %r1, 0;
    @%p1 st.shared.u32 [x], %r1;
    bar.sync 0;
    bar.sync 0;
    setp.eq.u32 %p1, %r1, 32;
    @%p1 ld.shared.u32 %r2, [x];
    ret;
""")
    places, report, text = needless(muster, folder, manifest, 1)
    expect(verdicts(places) == ["not_shown", "not_shown"] and "together" not in report, text)
    expect("Without 1 something is found if 2 is gone, too" in text, text)
    run(muster, "explore", manifest, "--without", "1,2", code=7)


@case
def all_needed(muster, folder):
    """Of a ring of stages each barrier and wait is needed: exit code 0. Each comes with its race or deadlock."""
    for name, count in (("mb_ring", 5), ("wgmma_ring", 6), ("producer_consumer", 4), ("pipeline", 4)):
        places, _, text = needless(muster, folder, KERNELS / name / f"{name}.json", 0)
        expect(verdicts(places) == count * ["needed"] and text.count("     without  ") == count, text)


@case
def launches_that_overlap(muster, folder):
    """The wait for the launch before is needed where launches overlap."""
    subprocess.run([sys.executable, KERNELS / "explore" / "mend.py", folder], check=True)
    places, _, text = needless(muster, folder, folder / "launch_not_awaited" / "mended.json", 0)
    expect(verdicts(places) == ["needed"] and places[1]["what"] == "griddepcontrol.wait", text)


@case
def what_stands_instead(muster, folder):
    """A reduction's result without the others is that of the thread's own predicate; a wait answers true at once. What a
    kernel stores of them shows it, also of predicates that are negated."""
    manifest = write_kernel(folder, 64, """    .reg .b64 %rd1;
    .reg .pred %q<4>;
    .shared .align 8 .b64 bar;
    mov.u32 %r1, %tid.x;
    setp.eq.u32 %p1, %r1, 0;
    bar.red.popc.u32 %r2, 0, %p1;
    bar.red.popc.u32 %r3, 0, !%p1;
    bar.red.and.pred %q0, 0, %p1;
    bar.red.or.pred %q1, 0, !%p1;
    @%p1 mbarrier.init.shared::cta.b64 [bar], 1;
    bar.sync 0;
    mbarrier.test_wait.parity.shared::cta.b64 %q2, [bar], 0;
    @!%p1 ret;
    shl.b32 %r3, %r3, 8;
    or.b32 %r2, %r2, %r3;
    @%q0 or.b32 %r2, %r2, 0x10000;
    @%q1 or.b32 %r2, %r2, 0x20000;
    @%q2 or.b32 %r2, %r2, 0x40000;
    ld.param.u64 %rd1, [out];
    cvta.to.global.u64 %rd1, %rd1;
    st.global.u32 [%rd1], %r2;
    ret;
""")
    for without, value in ((None, 0x23F01), ("1", 0x23F01), ("2", 0x20001), ("3", 0x33F01), ("4", 0x03F01), ("6", 0x63F01),
                           ("1,2,3,4", 0x10001)):
        options = [] if without is None else ["--without", without]
        run(muster, "run", manifest, *options, "--dump", f"out={folder / 'out.bin'}")
        found = int.from_bytes((folder / "out.bin").read_bytes(), "little")
        expect(found == value, f"without {without}: {found:#x}, not {value:#x}")


@case
def other_results_are_found(muster, folder):
    """A manifest that expects nothing: a result that is another without the reduction, in every order, is a finding."""
    manifest = write_kernel(folder, 64, """    .reg .b64 %rd1;
    mov.u32 %r1, %tid.x;
    setp.lt.u32 %p1, %r1, 40;
    bar.red.popc.u32 %r2, 0, %p1;
    setp.ne.u32 %p1, %r1, 0;
    @%p1 ret;
    ld.param.u64 %rd1, [out];
    cvta.to.global.u64 %rd1, %rd1;
    st.global.u32 [%rd1], %r2;
    ret;
""")
    places, _, text = needless(muster, folder, manifest, 0)
    expect(verdicts(places) == ["needed"] and places[1]["finding"]["kind"] == "differing_result", text)


@case
def copies_of_a_line_are_one_place(muster, folder):
    """A barrier in a loop that is unrolled is one place with the lines of all copies; another instruction of the line is
    another place; without lines of the source each copy is a place. barrier.cluster is one place with its wait."""
    body = """    .loc 1 4 5
    mov.u32 %r1, %tid.x;
    .loc 1 5 5
    bar.sync 0;  // A
    membar.cta;
    bar.sync 0;  // B
    .loc 1 6 5
    bar.sync 0;
    barrier.cluster.arrive;
    barrier.cluster.wait;
    ret;
"""
    places, _, text = needless(muster, folder, write_kernel(folder, 64, body, after='.file 1 "mine.cu"\n'), 1)
    lines = [line_of(folder, words) for words in ("// A", "// B", "arrive", "cluster.wait")]
    expect([place["what"] for place in places.values()] ==
           ["bar.sync 0", "fence.sc.cta", "bar.sync 0", "barrier.cluster.arrive and its wait"], text)
    expect(places[1]["lines"] == lines[:2] and places[4]["lines"] == lines[2:] and
           places[1]["source"][0]["line"] == 5 and "bar.sync 0 at mine.cu:5 in k, PTX line" in text, text)
    bare = "\n".join(line for line in body.split("\n") if ".loc" not in line)
    places, _, text = needless(muster, folder, write_kernel(folder, 64, bare), 1)
    expect(len(places) == 5, text)


@case
def what_is_not_tried(muster, folder):
    """Places whose absence the models cannot show are listed with the reason, count for nothing, and cannot be left
    out."""
    manifest = write_kernel(folder, 64, """    fence.proxy.alias;
    ret;
""")
    places, _, text = needless(muster, folder, manifest, 0)
    expect(verdicts(places) == ["not_tried"] and "not tried: 1" in text, text)
    _, errors = run(muster, "explore", manifest, "--without", "1", code=2)
    expect("fence.proxy.alias at" in errors and "stays, since" in errors, errors)


@case
def wrong_as_it_is(muster, folder):
    """Of a kernel that is wrong, what is found is told, with the exit code of explore, and nothing is tried."""
    for name, code in (("early_return_skips_arrive", 3), ("one_lane_arrives", 7)):
        places, report, text = needless(muster, folder, PAIRS / name / "wrong.json", code)
        expect(not places and "finding" in report["whole"] and "as it is" in text, text)


@case
def bounds_are_told(muster, folder):
    """With a bound, what is not shown to be needed is so in as many orders as were seen; the time is for all trials."""
    places, report, text = needless(muster, folder, KERNELS / "histogram" / "histogram.json", 0, "--time", "3", "--bound", "50")
    expect(not report["whole"]["complete"] and report["seconds"] < 20, text)
    manifest = write_kernel(folder, 64, "    atom.shared.add.u32 %r3, [x], 1;\n" * 4 + "    membar.cta;\n    ret;\n")
    places, _, text = needless(muster, folder, manifest, 1, "--bound", "3")
    expect(not places[1]["seen"]["complete"] and "in the 3 classes of orders that were seen" in text, text)


@case
def bad_input(muster, folder):
    """One sentence that names what is wrong, and exit code 2."""
    several = folder / "several.json"
    whole = json.loads(TWO_BUFFERS.read_text())
    launch = {key: whole.pop(key) for key in ("kernel", "block", "args")}
    several.write_text(json.dumps({**whole, "ptx": str(TWO_BUFFERS.parent / whole["ptx"]), "launches": [launch, launch]}))
    for command, arguments, words in (("explore", ("--without", "99"), "--without 99: the kernel two_buffers has 3 barriers"),
                                      ("explore", ("--without", "0"), "numbers from 1 on"),
                                      ("explore", ("--without", "1,x"), "\"x\" is not a whole number"),
                                      ("explore", ("--without", "-1"), "\"-1\" is not a whole number"),
                                      ("run", ("--without", "4"), "--without 4: the kernel"),
                                      ("run", ("--without", "1", "--target", "cuda"), "--without is of the unit"),
                                      ("explore", ("--needless", "--without", "1"), "--without names some"),
                                      ("explore", ("--needless", "--witness", folder / "w.json"), "--witness does not go"),
                                      ("explore", ("--without", "1", "--emit-ptx", folder / "e.ptx"), "--without does not go"),
                                      ("explore", ("--needless", "--report", TWO_BUFFERS), "two_buffers.json")):
        _, errors = run(muster, command, TWO_BUFFERS, *arguments, code=2)
        expect(words in errors and errors.replace("Run with --help for more information.", "").strip().count("\n") == 0,
               f"{arguments}: {errors}")
    for arguments, words in ((("--without", "1"), "one launch"), (("--needless",), "one launch")):
        _, errors = run(muster, "explore", several, *arguments, code=2)
        expect(words in errors, f"{arguments}: {errors}")


if __name__ == "__main__":
    main_of(CASES)
