#!/usr/bin/env python3
# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""Inputs that a manifest leaves open: `--input` and `--inputs` of `muster run` and `muster explore`.

  inputs.py MUSTER CASE   runs one case, in a folder of its own
  inputs.py --list        the names of all cases
"""

import json
import re

import jsonschema

from command import ROOT, SCHEMA, expect, main_of, run

MANIFEST_SCHEMA = json.loads((ROOT / "sim" / "ptx" / "launch" / "manifest.schema.json").read_text())
CASES = {}


def case(function):
    """Makes a function a case of this name."""
    CASES[function.__name__] = function
    return function


def write(folder, argument, init="zero", expect_out=None):
    """Writes a kernel of two warps in which the second waits at a barrier only if the argument is not 5, and the first
    always: it hangs with 5. It copies the argument and in[tid] into out. Returns the manifest."""
    (folder / "k.ptx").write_text(""".version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out, .param .u32 n)
{
    .reg .pred %p<3>;
    .reg .b32 %r<6>;
    .reg .b64 %rd<6>;
    ld.param.u32 %r1, [n];
    ld.param.u64 %rd1, [in];
    ld.param.u64 %rd2, [out];
    mov.u32 %r2, %tid.x;
    mul.wide.u32 %rd3, %r2, 4;
    add.u64 %rd4, %rd1, %rd3;
    add.u64 %rd5, %rd2, %rd3;
    ld.global.u32 %r3, [%rd4];
    add.u32 %r4, %r3, %r1;
    st.global.u32 [%rd5], %r4;
    setp.ge.u32 %p1, %r2, 32;
    setp.eq.u32 %p2, %r1, 5;
    and.pred %p1, %p1, %p2;
    @%p1 bra DONE;
    bar.sync 0, 64;
DONE:
    ret;
}
""")
    value = {"ptx": "k.ptx", "block": [64, 1, 1],
             "args": [{"buffer": "in"}, {"buffer": "out"}, {"u32": argument}],
             "buffers": {"in": {"type": "u32", "count": 64, "init": init}, "out": {"type": "u32", "count": 64}}}
    if expect_out is not None:
        value["expect"] = {"out": expect_out}
    manifest = folder / "k.json"
    manifest.write_text(json.dumps(value))
    return manifest


def taken(muster, folder, manifest, *options):
    """The argument and the elements of `in` with which it ran, as the report says and as the kernel has seen them."""
    text, _ = run(muster, "run", manifest, *options, "--dump", f"in={folder / 'in'}", "--dump", f"out={folder / 'out'}")
    words = [[int.from_bytes((folder / name).read_bytes()[i:i + 4], "little") for i in range(0, 256, 4)] for name in ("in", "out")]
    said = re.search(r"^input (\d+): args\[2\] = (\d+)", text, re.MULTILINE)
    argument = int(said[2])
    expect(all((a + argument) % 2**32 == b for a, b in zip(*words)), f"the kernel saw other values: {text}")
    return int(said[1]), argument, words[0]


@case
def range_and_any(muster, folder):
    """Input 1 has the least values, input 2 the greatest, others lie between them, and each is the same again."""
    manifest = write(folder, {"any": {"from": 7, "to": 20}}, "any")
    jsonschema.validate(json.loads(manifest.read_text()), MANIFEST_SCHEMA)
    expect(taken(muster, folder, manifest) == (1, 7, [0] * 64), "without an option, not input 1")
    expect(taken(muster, folder, manifest, "--input", 2) == (2, 20, [2**32 - 1] * 64), "input 2")
    drawn = [taken(muster, folder, manifest, "--input", k) for k in (3, 4, 5, 6)]
    expect(all(7 <= argument <= 20 for _, argument, _ in drawn), drawn)
    expect(len({argument for _, argument, _ in drawn}) > 1 and len(set(drawn[0][2])) > 60, "they are hardly drawn")
    expect(taken(muster, folder, manifest, "--input", 3, "--seed", 9) == drawn[0], "the seed changes the input")


@case
def list_of_values(muster, folder):
    """Of a list the first, the last, and some of them; of signed and floating-point types too."""
    manifest = write(folder, {"any": [3, 9, 4]}, {"any": {"from": 1, "to": 2}})
    expect(taken(muster, folder, manifest) == (1, 3, [1] * 64), "input 1")
    expect(taken(muster, folder, manifest, "--input", 2) == (2, 4, [2] * 64), "input 2")
    several = [taken(muster, folder, manifest, "--input", k) for k in range(3, 11)]
    expect({argument for _, argument, _ in several} == {3, 9, 4} and set(several[0][2]) == {1, 2}, several)
    value = json.loads(manifest.read_text())
    value["buffers"]["in"] = {"type": "s32", "count": 64, "init": {"any": {"from": -2, "to": 1}}}
    value["buffers"]["more"] = {"type": "f32", "count": 4, "init": {"any": {"from": -0.5, "to": 0.5}}}
    manifest.write_text(json.dumps(value))
    text, _ = run(muster, "run", manifest, "--input", 2, "--show", "more")
    expect("buffer more = 0.5, 0.5" in text and "buffer in = 1, 1" in text, text)
    text, _ = run(muster, "run", manifest, "--input", 8)
    expect(set(re.search(r"buffer in = ([-0-9, ]+)", text)[1].strip(", ").split(", ")) <= {"-2", "-1", "0", "1"}, text)


@case
def run_inputs(muster, folder):
    """Several inputs: those that do not go as expected are counted, and the first is told."""
    manifest = write(folder, {"any": [1, 5, 2]})
    text, _ = run(muster, "run", manifest, "--inputs", 12, code=3)
    bad = int(re.search(r"muster run \S+ --input (\d+)", text)[1])
    expect("deadlock" in text and "of them" not in text and f"input {bad}: args[2] = 5" in text, text)
    run(muster, "run", manifest, "--input", bad, code=3)
    text, _ = run(muster, "run", write(folder, {"any": [1, 2]}), "--inputs", 4)
    expect(text == "inputs 1 to 4: all as expected\n", text)


@case
def explore_inputs(muster, folder):
    """The input with a finding ends the search; report and witness have it, and `run` takes it from the witness."""
    manifest = write(folder, {"any": [1, 5, 2]})
    text, _ = run(muster, "explore", manifest, "--inputs", 12, "--report", folder / "r.json", "--witness", folder / "w.json",
                  code=3)
    report = json.loads((folder / "r.json").read_text())
    jsonschema.validate(report, SCHEMA)
    expect(report["input"] > 2 and "args[2] = 5" in report["input_text"], report)
    expect(f"a finding with input {report['input']}" in text and f"--input {report['input']} --schedule" in text, text)
    expect(json.loads((folder / "w.json").read_text())["input"] == report["input"], "the witness has no input")
    again, _ = run(muster, "run", manifest, "--schedule", folder / "w.json", code=3)
    expect("args[2] = 5" in again, again)
    again, _ = run(muster, "run", manifest, "--schedule", folder / "w.json", "--input", 1)
    expect("args[2] = 1" in again, again)
    text, _ = run(muster, "explore", write(folder, {"any": [1, 2]}), "--inputs", 3)
    expect(text.endswith("inputs 1 to 3: no finding\n") and text.count("complete: every order") == 3, text)


@case
def refusals(muster, folder):
    """What does not go together, and values that there are not, get one sentence."""
    manifest = write(folder, 1)
    for command in ("run", "explore"):
        for option in ("--input", "--inputs"):
            _, errors = run(muster, command, manifest, option, 3, code=2)
            expect("leaves no input open" in errors and errors.count("\n") == 1, errors)
    for argument, words in (({"any": []}, "args[2].u32"), ({"any": {"from": 1}}, "args[2].u32"), ({"some": 1}, "args[2].u32"),
                            ({"any": {"from": 3, "to": 2}}, "above its"), ({"any": [1, -1]}, "out of the range of its type"),
                            ("every", "must be an integer")):
        _, errors = run(muster, "run", write(folder, argument), code=2)
        expect(words in errors and errors.count("\n") == 1, errors)
    manifest = write(folder, {"any": [1, 2]})
    for arguments in (("explore", "--emit-ptx", folder / "e.ptx"), ("run", "--inputs", 2, "--report", folder / "r.json"),
                      ("run", "--inputs", 2, "--input", 1), ("explore", "--inputs", 2, "--needless"), ("run", "--input", 0)):
        _, errors = run(muster, arguments[0], manifest, *arguments[1:], code=2)
        expect(errors, arguments)


if __name__ == "__main__":
    main_of(CASES)
