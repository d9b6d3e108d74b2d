#!/usr/bin/env python3
# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""How `muster run` ends, and what it says: exit codes, bad input, report, log, wave, determinism.

  program.py MUSTER CASE   runs one case, in a folder of its own
  program.py --list        the names of all cases
"""

import json
import os
import pathlib
import random
import re
import shlex
import shutil
import struct
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

ROOT = pathlib.Path(__file__).resolve().parents[2]
KERNELS = ROOT / "sim" / "kernels"

PTX = """.version 7.5
.target sm_80
.address_size 64

.visible .entry k(
    .param .u64 out
)
{
    .reg .pred %p<4>;
    .reg .b32 %r<8>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %tid.x;
BODY
    mul.wide.u32 %rd2, %r1, 4;
    add.s64 %rd2, %rd1, %rd2;
    st.global.u32 [%rd2], %r1;
    ret;
}
"""
BODY_LINE = PTX[:PTX.index("BODY")].count("\n") + 1  # the body's first line

# A kernel that writes its thread ids, and does what the case puts in its place.
MANIFEST = {"ptx": "k.ptx", "block": [64, 1, 1], "args": [{"buffer": "out"}],
            "buffers": {"out": {"type": "u32", "count": 64, "init": "zero"}},
            "expect": {"out": list(range(64))}}

CROSSED = """
    setp.lt.u32 %p1, %r1, 32;
    @%p1 bar.sync 3, 64;
    @!%p1 bar.sync 4, 64;
"""
MIXED = """
    setp.lt.u32 %p1, %r1, 32;
    @%p1 bar.sync 3;
    @!%p1 bar.sync 3, 64;
"""
FOREVER = "AGAIN: bra AGAIN;"
BAD_COUNT = "    bar.sync 0, 40;"
OUTSIDE = "    ld.global.u32 %r2, [%rd1+4096];"


def case(code, says, body="    bar.sync 0;", options=(), text=None, ptx=None, **keys):
    """A run of MANIFEST with keys replaced (None: left out), or of the manifest given as text; its
    exit code, and a pattern that what it says must match."""
    return {"code": code, "says": says, "body": body, "options": options, "text": text, "ptx": ptx,
            "keys": keys}


def buffer(**keys):
    """MANIFEST's buffer, changed."""
    return {"out": {**MANIFEST["buffers"]["out"], **keys}}


EXIT_CODES = {
    "completes": case(0, ""),
    "differing_buffer": case(1, r"out\b.*\b5\b",
                             expect={"out": [0, 1, 2, 3, 4, 6, *range(6, 64)]}),
    "differing_hazard": case(1, "repeated_arrival", hazards={"repeated_arrival": 1}),
    "differing_outcome": case(1, "deadlock.*completes|completes.*deadlock", outcome="deadlock"),
    "differing_fault": case(1, "count_not_multiple", body=BAD_COUNT, outcome="fault:bad_count"),
    "differing_kind_of_end": case(1, "deadlock", body=CROSSED, outcome="timeout"),
    "deadlock": case(3, r"barrier 3", body=CROSSED),
    "deadlock_lines": case(3, rf"(?s)line {BODY_LINE + 1}\b.*line {BODY_LINE + 2}\b",
                            body=CROSSED),
    "fault": case(5, rf"k\.ptx:{BODY_LINE}: count_not_multiple", body=BAD_COUNT),
    "fault_where_there_are_none": case(5, rf"k\.ptx:{BODY_LINE + 2}: count_mismatch", body=MIXED,
                                       options=("--config", "vortex_like")),
    "memory_fault": case(5, rf"k\.ptx:{BODY_LINE}: memory_fault", body=OUTSIDE),
    "memory_fault_null": case(5, rf"k\.ptx:{BODY_LINE + 1}: memory_fault",
                              body="    mov.u64 %rd3, 0;\n    st.global.u32 [%rd3], %r1;"),
    "memory_fault_misaligned": case(5, rf"k\.ptx:{BODY_LINE}: memory_fault",
                                    body="    ld.global.u32 %r2, [%rd1+2];"),
    "memory_fault_thread": case(5, r"(?i)thread \(?33\b",
                                body="    setp.ne.u32 %p1, %r1, 33;\n    @%p1 bra OVER;\n"
                                     "    ld.global.u32 %r2, [%rd1+256];\nOVER:"),
    "trap": case(5, rf"k\.ptx:{BODY_LINE}: assert", body="    trap;"),
    "trap_expected": case(0, "", body="    trap;", outcome="assert"),
    "timeout": case(6, "", body=FOREVER, options=("--max-cycles", "2000")),
    "timeout_expected": case(0, "", body=FOREVER, options=("--max-cycles", "2000"),
                             outcome="timeout"),
}

BAD_MANIFESTS = {
    "malformed": case(2, r"k\.json.*\b2\b", text='{ "ptx": "k.ptx",\n "block": [64 1 1] }'),
    "empty": case(2, r"k\.json", text=""),
    "truncated": case(2, r"k\.json", text='{ "ptx": "k.ptx", "block": [64, 1'),
    "not_an_object": case(2, r"k\.json", text="[]"),
    "no_ptx": case(2, r"k\.json.*ptx", keys_without="ptx"),
    "no_block": case(2, r"k\.json.*block", keys_without="block"),
    "unknown_key": case(2, r"k\.json.*blocks", blocks=[64, 1, 1]),
    "unknown_buffer_key": case(2, r"k\.json.*lenght", buffers=buffer(lenght=64)),
    "unknown_init": case(2, r"k\.json.*out\.init", buffers=buffer(init="ramp")),
    "unknown_type": case(2, r"k\.json.*out\.type", buffers=buffer(type="u24")),
    "unknown_outcome": case(2, r"k\.json.*outcome", outcome="finishes"),
    "unknown_fault": case(2, r"k\.json.*too_late", outcome="fault:too_late"),
    "unknown_hazard": case(2, r"k\.json.*too_late", hazards={"too_late": 0}),
    "unknown_argument": case(2, r"k\.json.*u24", args=[{"u24": 1}]),
    "wrong_type_of_ptx": case(2, r"k\.json.*ptx", **{"ptx_key": 7}),
    "wrong_type_of_block": case(2, r"k\.json.*block", block="64"),
    "wrong_type_of_extent": case(2, r"k\.json.*block", block=[64, 1, "1"]),
    "wrong_length_of_block": case(2, r"k\.json.*block", block=[64, 1, 1, 1]),
    "negative_block": case(2, r"k\.json.*block", block=[-64, 1, 1]),
    "empty_block": case(2, r"k\.json.*block", block=[64, 0, 1]),
    "empty_grid": case(2, r"k\.json.*grid", grid=[0, 1, 1]),
    "cluster": case(2, r"k\.json.*3x1x1.*clusters of 2x1x1", cluster=2, grid=[3, 1, 1]),
    "wrong_length_of_init": case(2, r"k\.json.*out", buffers=buffer(init=[1, 2, 3])),
    "wrong_length_of_expect": case(2, r"k\.json.*out", expect={"out": [1, 2, 3]}),
    "wrong_length_of_file": case(2, r"k\.json.*k\.ptx", buffers=buffer(init={"file": "k.ptx"})),
    "missing_init_file": case(2, r"k\.json.*absent\.bin",
                              buffers=buffer(init={"file": "absent.bin"})),
    "missing_expect_file": case(2, r"k\.json.*absent\.bin", expect={"out": {"file": "absent.bin"}}),
    "value_out_of_range": case(2, r"k\.json.*out\.init.*range",
                               buffers=buffer(type="u8", init={"fill": 300})),
    "argument_out_of_range": case(2, r"k\.json.*args\[0\].*range", args=[{"u8": 256}]),
    "float_out_of_range": case(2, r"k\.json.*args\[0\]\.f32.*range", args=[{"f32": 1e300}]),
    "unknown_config": case(2, r"k\.json:1: config .*nope.*default", config="nope"),
    "not_text": case(2, r"k\.json:1: .*not text", text='{"ptx": "k.ptx",\0'),
    "nested": case(2, r"k\.json:2: .*brackets", text='{"ptx":\n' + "[" * 100_000),
    "number_too_large": case(2, r"k\.json:2: .*1e999", text='{"ptx": "k.ptx",\n"seed": 1e999}'),
    "control_characters": case(2, r"k\.json:1: a\\x0ab\\x1b is not a known key",
                               **{"a\nb\x1b": 1}),
    "buffer_too_large": case(2, r"k\.json:1: buffers\.out\.count", buffers=buffer(count=1 << 40)),
    "buffers_too_large": case(2, r"k\.json:1: buffers\.b .*more than \d+ bytes", args=[], expect={},
                              buffers={name: {"type": "u8", "count": 1 << 28} for name in "ab"}),
    "ptx_is_a_folder": case(2, r"k\.json:1: ptx names .*, which cannot be read",
                            **{"ptx_key": "."}),
    "init_is_a_device": case(2, r"k\.json:1: .*/dev/zero",
                             buffers=buffer(init={"file": "/dev/zero"})),
    "missing_buffer": case(2, r"k\.json.*absent", args=[{"buffer": "absent"}]),
    "expect_of_missing_buffer": case(2, r"k\.json.*absent", expect={"absent": [1]}),
    "too_few_arguments": case(2, r"k\.json.*argument", args=[]),
    "too_many_arguments": case(2, r"k\.json.*argument", args=[{"buffer": "out"}, {"u32": 1}]),
    "argument_of_wrong_size": case(2, r"k\.json.*args\[0\].*\bout\b", args=[{"u32": 1}]),
    "block_above_all_configs": case(2, r"k\.json.*block", block=[64, 64, 1]),
    "block_above_config": case(2, r"k\.json.*small", block=[288, 1, 1],
                               options=("--config", "small")),
    "shared_above_2_to_31": case(2, r"k\.json.*shared", dynamic_shared=1 << 31),
    "shared_above_limit": case(2, r"k\.json.*shared", dynamic_shared=1 << 20),
}

BAD_PTX = {
    "missing_ptx": case(2, r"k\.json:1: ptx names .*absent\.ptx", **{"ptx_key": "absent.ptx"}),
    "missing_kernel": case(2, r"k\.(json|ptx).*absent", kernel="absent"),
    "no_entry": case(2, r"k\.ptx", ptx=".version 7.5\n.target sm_80\n.address_size 64\n"),
    "two_entries": case(2, r"k\.(json|ptx)",
                        ptx=PTX.replace("BODY", "") + PTX[PTX.index(".visible"):]
                        .replace("BODY", "").replace("entry k", "entry k2")),
    "not_ptx": case(2, r"k\.ptx.*\b1\b", ptx="int main() { return 0; }\n"),
    "binary": case(2, r'k\.ptx:1:1: .*found "\\x7f"', ptx="\x7fELF\x02\x01\0\0"),
    "endless": case(2, r"/dev/zero: the PTX file is larger", **{"ptx_key": "/dev/zero"}),
    "nested_scopes": case(2, rf"k\.ptx:{BODY_LINE}:101: .*brackets", body="{" * 50_000),
    "nested_operands": case(2, rf"k\.ptx:{BODY_LINE}:.*brackets",
                            body="    mov.u32 %r1, " + "{" * 50_000),
    "number_above_64_bits": case(2, rf"k\.ptx:{BODY_LINE}:18: .*64 bits",
                                 body="    mov.u32 %r2, 18446744073709551616;"),
    "octal_number": case(2, rf"k\.ptx:{BODY_LINE}:18: .*64 bits", body="    mov.u32 %r2, 08;"),
    "parameter_of_no_type": case(2, r"k\.ptx:6:.*\.u65",
                                 ptx=PTX.replace("BODY", "").replace(".u64 out", ".u65 out")),
    "parameter_too_large": case(2, r"k\.ptx:6:.*\bout\b", ptx=PTX.replace("BODY", "")
                                .replace(".u64 out", ".b8 out[4294967304]")),
    "variables_too_large": case(2, rf"k\.ptx:{BODY_LINE}:.*\by\b",
                                body="    .local .b8 x[400000]; .local .b8 y[400000];"),
    "syntax": case(2, rf"k\.ptx.*\b{BODY_LINE}\b", body="    add.s32 %r2, %r1 %r1;"),
    "unterminated": case(2, r"k\.ptx", ptx=PTX.replace("BODY", "")[:-20]),
    "unsupported_instruction": case(2, rf"k\.ptx.*\b{BODY_LINE}\b.*istypep",
                                    body="    istypep.texref %p1, %rd3;"),
    "unknown_instruction": case(2, rf"k\.ptx.*\b{BODY_LINE}\b.*frobnicate",
                                body="    frobnicate.u32 %r2, %r1;"),
    "unknown_register": case(2, rf"k\.ptx.*\b{BODY_LINE}\b.*%q1", body="    mov.u32 %r2, %q1;"),
    "register_of_wrong_size": case(2, rf"k\.ptx.*\b{BODY_LINE}\b.*%rd3",
                                   body="    add.u32 %rd3, %r1, 1;"),
    "unknown_label": case(2, rf"k\.ptx.*\b{BODY_LINE}\b.*NOWHERE", body="    bra NOWHERE;"),
    "unknown_function": case(2, rf"k\.ptx.*\b{BODY_LINE}\b.*absent",
                             body="    call.uni absent;"),
    "too_many_registers": case(2, rf"k\.ptx.*\b{BODY_LINE}\b.*%z",
                               body="    .reg .b32 %z<4294967295>;"),
    "variable_too_large": case(2, rf"k\.ptx.*\b{BODY_LINE}\b.*\bx\b",
                               body="    .shared .b8 x[4294967296][4294967296];"),
    "arrive_without_count": case(2, rf"k\.ptx.*\b{BODY_LINE}\b", body="    bar.arrive 0;"),
}

BAD_USAGE = {
    "unknown_config": case(2, "huge", options=("--config", "huge")),
    "unknown_option": case(2, "--faster", options=("--faster",)),
    "seed_not_a_number": case(2, "seed", options=("--seed", "one")),
    "seed_below_zero": case(2, "seed", options=("--seed", "-1")),
    "seed_above_64_bits": case(2, "seed", options=("--seed", "18446744073709551616")),
    "no_cycles": case(2, "max-cycles", options=("--max-cycles", "0")),
    "empty_report": case(2, "--report.*empty", options=("--report", "")),
    "empty_log": case(2, "--log.*empty", options=("--log", "")),
    "empty_wave": case(2, "--wave.*empty", options=("--wave", "")),
    "no_wave": case(2, "wave-from.*wave", options=("--wave-from", "1")),
    "wave_backwards": case(2, "wave-to",
                           options=("--wave", "w.fst", "--wave-from", "2", "--wave-to", "1")),
}

CASES = {f"{group}.{name}": what
         for group, cases in (("exit", EXIT_CODES), ("manifest", BAD_MANIFESTS), ("ptx", BAD_PTX),
                              ("usage", BAD_USAGE))
         for name, what in cases.items()}


def write(folder, what):
    """The case's files; returns the path of the manifest."""
    keys = dict(what["keys"])
    manifest = dict(MANIFEST)
    if "ptx_key" in keys:
        manifest["ptx"] = keys.pop("ptx_key")
    without = keys.pop("keys_without", None)
    manifest.update(keys)
    manifest.pop(without, None)
    path = folder / "k.json"
    path.write_text(what["text"] if what["text"] is not None else json.dumps(manifest))
    (folder / "k.ptx").write_text(what["ptx"] or PTX.replace("BODY", what["body"].strip("\n")))
    return path


def run(*command, **options):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True,
                          errors="replace", timeout=50, check=False, **options)


def check(condition, message, result=None):
    if not condition:
        if result is not None:
            message += f"\nexit code {result.returncode}\n{result.stdout}{result.stderr}"
        sys.exit(message)


def run_case(muster, folder, what):
    result = run(muster, "run", write(folder, what), *what["options"])
    check(result.returncode == what["code"], f"expected exit code {what['code']}", result)
    said = result.stdout + result.stderr
    check(re.search(what["says"], said), f"expected to read /{what['says']}/", result)
    if what["code"] == 2:
        sentence = result.stderr.removesuffix("Run with --help for more information.\n").rstrip()
        check(sentence and "\n" not in sentence, "expected one sentence on stderr", result)
        check(not result.stdout, "expected nothing on stdout", result)


# ------------------------------------------------------------------------------------------------
# Cases of more than one run
# ------------------------------------------------------------------------------------------------

def missing_manifest(muster, folder):
    result = run(muster, "run", folder / "absent.json")
    check(result.returncode == 2 and "absent.json" in result.stderr, "expected exit code 2", result)


def no_manifest(muster, folder):
    result = run(muster, "run")
    check(result.returncode == 2 and result.stderr, "expected exit code 2", result)


def folder_as_manifest(muster, folder):
    result = run(muster, "run", folder)
    check(result.returncode == 2 and str(folder) in result.stderr, "expected exit code 2", result)


def report(muster, folder):
    path = folder / "report.json"
    result = run(muster, "run", KERNELS / "exit_red" / "exit_red.json", "--report", path,
                 "--config", "full", "--seed", "7")
    check(result.returncode == 0, "expected success", result)
    said = json.loads(path.read_text())
    keys = {"outcome", "cycles", "warp_instructions", "thread_instructions", "operations",
            "releases", "barriers", "faults", "hazards", "simulated_khz", "config", "seed"}
    check(keys <= set(said), f"keys: {sorted(said)}")
    check(said["outcome"] == "completes" and said["config"] == "full" and said["seed"] == 7, said)
    # 21 reductions over the warps that have not exited: warp w takes part in 3 w + w % 3 of them.
    arrivals = sum(3 * warp + warp % 3 for warp in range(7)) + 21
    counted = said["operations"]
    check(sum(counted[kind] for kind in ("red_and", "red_or", "red_popc")) == arrivals, counted)
    check(said["releases"] == 21, f"releases: {said['releases']}")
    barrier = {"cta", "id", "generations", "wait_cycles", "longest_wait", "last_arriver"}
    check(all(set(row) == barrier for row in said["barriers"]), said["barriers"])
    check([(row["id"], row["generations"]) for row in said["barriers"]] == [(0, 21)],
          said["barriers"])


def served_elsewhere(muster, folder):
    """Atomics on the memory of other CTAs are updates of their units, which the network carries."""
    path = folder / "report.json"
    result = run(muster, "run", KERNELS / "cluster_atomics" / "cluster_atomics.json", "--report", path)
    check(result.returncode == 0, "expected success", result)
    served = json.loads(path.read_text())["served"]
    # Of 256 lanes, a quarter of each atomic is at home: of a `red`, its lanes of a warp are one update.
    check(served["shared_memory"] == 2 * 256 + 2 * (192 + 8), served)
    check(served["cluster"] > 4 * 192, served)


def served_async(muster, folder):
    """Updates of st.async and red.async are those of the unit that they go to, whose mbarriers then count their bytes."""
    path = folder / "report.json"
    result = run(muster, "run", KERNELS / "cluster_async" / "cluster_async.json", "--report", path)
    check(result.returncode == 0, "expected success", result)
    served = json.loads(path.read_text())["served"]
    # Of each of 128 threads three stores, one of which is of 128 bits and so two updates, and five reductions.
    check(served["shared_memory"] >= 128 * (9 + 8), served)
    check(served["cluster"] >= 128 * 8, served)


def report_rows(muster, folder):
    """Every row of a fault and of a hazard names the PTX line."""
    for kernel, rows, code in (("fault_count_mismatch", "faults", 0),
                               ("fault_divergent_operand", "faults", 0),
                               ("hazard_repeated_arrival", "hazards", 0)):
        path = folder / f"{kernel}.json"
        result = run(muster, "run", KERNELS / kernel / f"{kernel}.json", "--report", path)
        check(result.returncode == code, f"{kernel}: expected success", result)
        said = json.loads(path.read_text())[rows]
        source = (KERNELS / kernel / f"{kernel}.ptx").read_text().split("\n")
        check(len(said) == 1, f"{kernel}: {said}")
        check("bar." in source[said[0]["line"] - 1], f"{kernel}: {said}")


def same_seed(muster, folder):
    """The same seed is the same run, bit for bit; another seed is another."""
    logs = []
    for name, seed in (("a", 11), ("b", 11), ("c", 12)):
        path = folder / f"{name}.jsonl"
        result = run(muster, "run", KERNELS / "pipeline" / "pipeline.json", "--seed", seed,
                     "--log", path)
        check(result.returncode == 0, "expected success", result)
        logs.append(path.read_text().split("\n", 1)[1])
    check(logs[0] == logs[1], "two runs of one seed differ")
    check(logs[0] != logs[2], "two seeds make the same run")


def replay(muster, folder):
    """What the run logged, the golden model alone confirms; a falsified log it does not."""
    path = folder / "log.jsonl"
    result = run(muster, "run", KERNELS / "exit_red" / "exit_red.json", "--log", path)
    check(result.returncode == 0, "expected success", result)
    result = run(muster, "replay", path)
    check(result.returncode == 0, "replay: expected success", result)
    text = path.read_text()
    falsified = text.replace('"operand":"0xaaaaaaaa"', '"operand":"0xaaaaaaa8"', 1)
    check(falsified != text, "the log holds no popc of the odd lanes")
    path.write_text(falsified)
    result = run(muster, "replay", path)
    check(result.returncode == 4, "replay of a falsified log: expected exit code 4", result)


LOCATED = """.version 7.5
.target sm_80
.address_size 64
.visible .entry located(.param .u64 out)
{
    .loc 1 5 1
    .reg .b32 %r<8>; .reg .b64 %rd<4>; .shared .b64 full;
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, full;
    mov.u32 %r2, %tid.x;
    .reg .pred %p;
    setp.ne.u32 %p, %r2, 0;
    @%p bra OVER;
    mbarrier.init.shared.b64 [%r1], 64;
OVER:
    .loc 1 9 1
    bar.sync 0;
    .loc 2 240 1, function_name L0, inlined_at 1 10 1
    mbarrier.arrive.shared.b64 %rd2, [%r1];
    .loc 1 12 1
    ret;
}
.file 1 "/home/me/mine.cu"
.file 2 "/usr/include/barrier.h"
.section .debug_str
{
L0:
.b8 97, 114, 114, 105, 118, 101, 0
}
"""


INLINED = """.version 8.0
.target sm_80, debug
.address_size 64
.visible .entry k()
{
    .loc 1 10 0
A:
    .loc 1 7 3
    bar.sync 0;
B:
    .loc 1 4 3
    bar.sync 1;
C:
    .loc 1 15 1
    bar.sync 2;
D:
    .loc 1 4 3
    bar.sync 3;
E:
    .loc 1 4 3
    bar.sync 4;
F:
    bar.sync 5;
G:
    bar.sync 6;
H:
    .loc 1 22 1
    ret;
}
.file 1 "/home/me/k.cu"
"""


def inlined_sections():
    """DWARF of INLINED, as clang writes it: meet, of line 6, is called in line 14, and calls wait, of line 3, in line 7; wait is also called in lines
    20 and 21, of which the code is mixed between F and G."""
    def text(word):
        return [*map(ord, word), 0]

    def bytes_of(*values):
        return "".join(f".b8 {value}\n" if isinstance(value, int) else value for value in values)

    number = {"ref": 0x13, "address": 0x01, "byte": 0x0b, "text": 0x08}
    place = [0x03, number["text"], 0x3a, number["byte"], 0x3b, number["byte"], 0, 0]
    abbreviations = [1, 0x11, 1, 0x03, number["text"], 0, 0, 2, 0x2e, 0, *place, 3, 0x2e, 1, *place,
                     4, 0x1d, 1, 0x31, number["ref"], 0x11, number["address"], 0x12, number["address"], 0x58, number["byte"], 0x59, number["byte"], 0, 0, 0]
    wait, meet = 17, 25  # where their entries begin

    def called(function, begin, end, line, *inside):
        return [4, f".b32 {function}\n", f".b64 {begin}\n", f".b64 {end}\n", 1, line, *inside, 0]
    entries = [1, *text("k.cu"), 2, *text("wait"), 1, 3, 2, *text("meet"), 1, 6, 3, *text("k"), 1, 10,
               *called(meet, "A", "D", 14, *called(wait, "B", "C", 7)), *called(wait, "E", "G", 20), *called(wait, "F", "H", 21), 0, 0]
    size = 7 + sum({".b32": 4, ".b64": 8}[value[:4]] if isinstance(value, str) else 1 for value in entries)
    return (f".section .debug_abbrev\n{{\n{bytes_of(*abbreviations)}}}\n"
            f".section .debug_info\n{{\n.b32 {size}\n.b8 2\n.b8 0\n.b32 .debug_abbrev\n.b8 8\n{bytes_of(*entries)}}}\n")


def inlined_calls(muster, folder):
    """What clang's debug information tells of calls that are inlined: each call, the outermost first. Code of the caller between a call's labels is
    the caller's, and of code of two calls nothing is told."""
    path, log = folder / "k.ptx", folder / "l.jsonl"
    path.write_text(INLINED + inlined_sections())
    result = run(muster, "run", path, "--block", 32, "--log", log)
    check(result.returncode == 0, "expected success", result)
    lines = INLINED.split("\n")
    told = {}
    for record in map(json.loads, log.read_text().splitlines()[1:]):
        if record.get("op") == "sync":
            told[lines[record["ptx"]["line"] - 1].strip()] = [(one["line"], one["function"]) for one in record["ptx"]["source"]]
    of_wait = [(4, "k")]
    expected = {"bar.sync 0;": [(14, "k"), (7, "meet")], "bar.sync 1;": [(14, "k"), (7, "meet"), (4, "wait")], "bar.sync 2;": [(15, "k")],
                "bar.sync 3;": of_wait, "bar.sync 4;": [(20, "k"), (4, "wait")], "bar.sync 5;": of_wait, "bar.sync 6;": [(21, "k"), (4, "wait")]}
    check(told == expected, f"{told}, not {expected}")
    for length in range(0, len(inlined_sections()), 97):  # what is cut off is not understood, and no more
        path.write_text(INLINED + inlined_sections()[:length].rpartition("\n")[0] + ("\n}\n" if length > 30 else ""))
        result = run(muster, "check", path)
        check(result.returncode in (0, 2), f"cut after {length}: expected no crash", result)


def log_lines(muster, folder):
    """Records of a log have the PTX line, and the place in the source where the file tells it."""
    path, log = folder / "k.ptx", folder / "l.jsonl"
    path.write_text(LOCATED)
    result = run(muster, "run", path, "--block", 64, "--arg", "out=u32[1]", "--log", log)
    check(result.returncode == 0, "expected success", result)
    records = [json.loads(line) for line in log.read_text().split("\n")[1:-1]]
    lines = LOCATED.split("\n")

    def place(file, line, function):
        return {"file": file, "line": line, "function": function}

    own = "/home/me/mine.cu"
    expected = {"sync": ("bar.sync", [place(own, 9, "located")]),
                "init": ("mbarrier.init", [place(own, 5, "located")]),
                "arrive": ("mbarrier.arrive", [place(own, 10, "located"),
                                               place("/usr/include/barrier.h", 240, "arrive")]),
                "exit": ("ret;", [place(own, 12, "located")])}
    seen = set()
    for record in records:
        kind = record.get("mb", record.get("op"))
        if kind not in expected:
            check(kind in ("launch", "end", "leave") and "ptx" not in record, f"a place of none: {record}")
            continue
        seen.add(kind)
        text, source = expected[kind]
        check(text in lines[record["ptx"]["line"] - 1] and record["ptx"]["source"] == source, record)
    check(seen == set(expected), f"seen: {seen}")
    check(run(muster, "replay", log).returncode == 0, "replay: expected success")
    log.write_text(log.read_text().replace('"lanes":"0xffffffff","operand":"0x0"', '"lanes":"0x0","operand":"0x0"'))
    result = run(muster, "replay", log)
    check(result.returncode == 4 and f"(mine.cu:9 in located, PTX line {lines.index('    bar.sync 0;') + 1})"
          in result.stdout, "expected the place of a difference", result)
    result = run(muster, "run", KERNELS / "vote" / "vote.json", "--log", log)
    records = [json.loads(line) for line in log.read_text().split("\n")[1:-1]]
    source = (KERNELS / "vote" / "vote.ptx").read_text().split("\n")
    check(all("bar" in source[record["ptx"]["line"] - 1] for record in records
              if record.get("op") in ("sync", "red_popc", "red_and", "red_or")), "lines without a source")


def check_ptx(muster, folder):
    """muster check names what a compiler would refuse, and runs nothing."""
    path = folder / "k.ptx"
    for body, code, says in (("    bar.sync 0, 64;", 0, []),
                             ("    bar.sync 16;", 1, [f"{path}:{BODY_LINE}:14: there is no"]),
                             ("    frob;\n    bar.arrive 1, 40;", 2,
                              [f"{path}:{BODY_LINE}:5: the instruction frob",
                               f"{path}:{BODY_LINE + 1}:19: the thread count 40"])):
        path.write_text(PTX.replace("BODY", body))
        result = run(muster, "check", path)
        lines = result.stdout.split("\n")[:-1]
        check(result.returncode == code and len(lines) == len(says) and
              all(line.startswith(text) for line, text in zip(lines, says)), "findings", result)
    for kernel in sorted(KERNELS.glob("*/*.ptx")):
        if not kernel.stem.startswith("fault_"):
            result = run(muster, "check", kernel)
            check(result.returncode == 0 and not result.stdout, f"{kernel}: nothing", result)


def printed(muster, folder):
    """What a kernel prints comes first on the standard output, and is in the report."""
    path = folder / "report.json"
    result = run(muster, "run", KERNELS / "prints" / "prints.json", "--report", path)
    check(result.returncode == 0, "expected success", result)
    line = re.compile(r"block [0-2]: \d{3} at \d+ +\( \d\d\.\d% of 1000\)")
    lines = result.stdout.split("\n")
    check(all(line.fullmatch(text) for text in lines[:3]) and lines[3].startswith("prints:"),
          "three lines before the report", result)
    check(json.loads(path.read_text())["printed"].split("\n")[:-1] == lines[:3], "printed", result)


def wave(muster, folder):
    path = folder / "wave.fst"
    result = run(muster, "run", KERNELS / "vote" / "vote.json", "--wave", path)
    check(result.returncode == 0, "expected success", result)
    before = path.read_bytes()
    check(len(before) > 1000, "the wave is empty")
    for file in (path, folder / "new.fst"):
        result = run(muster, "run", KERNELS / "vote" / "vote.json", "--wave", file,
                     "--wave-from", 9999999)
        check(result.returncode == 0 and f"{file} is not written: --wave-from" in result.stdout,
              "expected to read that there is no wave", result)
    check(path.read_bytes() == before and not (folder / "new.fst").exists(), "the wave is lost")
    check(not (folder / "wave.warp.fst").exists(), "a wave of a warp scope that the kernel does not use")
    result = run(muster, "run", KERNELS / "warp_forms" / "warp_forms.json", "--wave", path)
    check(result.returncode == 0 and (folder / "wave.warp.fst").stat().st_size > 1000,
          "expected a wave of the warp scope", result)
    check(not (folder / "wave.fences.fst").exists(), "a wave of trackers, though nothing is late")
    late = KERNELS / "late" / "message_passing_writer" / "mended.json"
    result = run(muster, "run", late, "--late", "--wave", path)
    check(result.returncode == 0 and (folder / "wave.fences.fst").stat().st_size > 1000,
          "expected a wave of a tracker of fences", result)
    cluster = folder / "wave.cluster.fst"
    check(not cluster.exists(), "a wave of a cluster scope that the kernels do not use")
    kernel = KERNELS / "cluster_forms" / "cluster_forms.json"
    sizes = []
    for last in (100, 9999999):
        result = run(muster, "run", kernel, "--wave", path, "--wave-to", last)
        check(result.returncode == 0, "expected a wave of the cluster scope", result)
        sizes.append(cluster.stat().st_size)
    check(sizes[0] < sizes[1], f"the waves have {sizes} bytes, of 100 cycles and of all")
    cluster.unlink()
    cluster.mkdir()
    result = run(muster, "run", kernel, "--wave", path)
    check(result.returncode == 2 and f"{cluster}: a waveform is written to a plain file" in result.stdout + result.stderr,
          "expected a sentence", result)


def skips(muster, folder):
    """While all warps sleep or are parked nothing is run, and time goes on all the same."""
    kernel = KERNELS / "mb_long_wait" / "mb_long_wait.json"
    report, log, wave = folder / "report.json", folder / "log.jsonl", folder / "wave.fst"
    result = run(muster, "run", kernel, "--config", "small", "--report", report, "--log", log, "--wave", wave)
    check(result.returncode == 0 and "of them skipped while all warps slept or were parked" in result.stdout,
          "expected success, and how much was skipped", result)
    told = json.loads(report.read_text())
    ran = told["cycles"] - told["skipped_cycles"]
    check(told["cycles"] > 10_000_000 and ran < 5000, f"{told['cycles']} cycles, of which {ran} ran")
    result = run(muster, "replay", log)
    check(result.returncode == 0, "replay: expected success", result)
    kind, _, begin, end = struct.unpack(">BQQQ", wave.read_bytes()[:25])  # the header of an FST file
    check(kind == 0 and end - begin > 10_000_000, f"the waveform lasts from {begin} to {end}")
    result = run(muster, "run", kernel, "--config", "small", "--max-cycles", ran // 2)
    check(result.returncode == 6, "--max-cycles counts what runs: expected a timeout", result)
    result = run(muster, "run", kernel, "--config", "small", "--max-cycles", 2 * ran)
    check(result.returncode == 0, "--max-cycles counts what runs: expected success", result)


def cuts(muster, folder):
    """Runs of kernels of every scope, cut off in any cycle: each ends in a timeout, or as without the cut."""
    draw = random.Random(1)
    kernels = ("cluster_forms", "cluster_atomics", "cluster_reduction", "steal_clusters", "steal", "warp_cluster", "mb_remote_arrive", "mb_pipeline", "mb_ring", "bulk_copy",
               "warp_forms", "warp_groups", "warp_exits", "exit_red", "pipeline", "grid_sync")
    report = folder / "report.json"
    whole, cut = {}, 0
    runs = 240 if "MUSTER_LONG" in os.environ else 64  # as tb/volume.h
    for number in range(runs):
        kernel = kernels[number % len(kernels)]
        manifest, config, seed = KERNELS / kernel / f"{kernel}.json", draw.choice(("small", "default")), draw.randrange(1, 100)
        if (kernel, config) not in whole:
            fits = run(muster, "run", manifest, "--config", config, "--report", report).returncode
            whole[kernel, config] = json.loads(report.read_text())["cycles"] if fits == 0 else None
        if whole[kernel, config] is None:
            continue
        limit = draw.randrange(1, whole[kernel, config])
        result = run(muster, "run", manifest, "--config", config, "--seed", seed, "--max-cycles", limit)
        check(result.returncode in (0, 6), f"{kernel}, {config}, seed {seed}, --max-cycles {limit}: expected a timeout", result)
        cut += result.returncode == 6
    check(cut > runs * 0.62, f"{cut} of {runs} runs were cut off")


def lazy(muster, folder):
    """With a waveform each cycle is run; without one, not those in which a unit is idle, and nothing else differs."""
    speeds = {"simulated_khz", "thread_instructions_per_second"}
    for kernel, config in (("warp_rounds", "default"), ("warp_gather", "default"), ("cluster_forms", "default"),
                           ("mb_try_wait_timeout", "default"), ("mb_long_wait", "small"), ("pipeline", "full"),
                           ("matmul_async", "large"), ("block_sum", "vortex_like")):
        told = []
        for wave in ([], ["--wave", folder / "wave.fst"]):
            report, log = folder / "report.json", folder / "log.jsonl"
            for left in folder.glob("log*.jsonl"):
                left.unlink()
            result = run(muster, "run", KERNELS / kernel / f"{kernel}.json", "--config", config, "--seed", 3,
                         "--report", report, "--log", log, *wave)
            check(result.returncode == 0, f"{kernel}: expected success", result)
            row = {key: value for key, value in json.loads(report.read_text()).items() if key not in speeds}
            told.append((row, [path.read_text() for path in sorted(folder.glob("log*.jsonl"))]))
        check(told[0][1], f"{kernel}: there is no log")
        check(told[0][0] == told[1][0], f"{kernel}: the reports differ")
        check(told[0][1] == told[1][1], f"{kernel}: the logs differ")


def junit(muster, folder):
    """The JUnit file is well-formed whatever the names of the files and the kernels' output hold."""
    manifest = write(folder, case(1, "", expect={"out": [1] * 64}))
    name = b"k \xff\xc3 \xef\xbf\xbf \x01 \xc3\xa9 <&>\".json"
    os.rename(manifest, os.fsencode(folder) + b"/" + name)
    path = folder / "out.xml"
    result = run(muster, "suite", folder, "--junit", path)
    check(result.returncode == 1, "expected a kernel that fails", result)
    suite = ElementTree.parse(path).getroot()
    names = [found.get("name") for found in suite.iter("testcase")]
    check(names == ["k \ufffd\ufffd ? ? \u00e9 <&>\""], f"names: {names}")


def names(muster, folder):
    """Kernels of one name have those of their folders, as many as it takes."""
    for place in ("a/x", "a/y", "b/y", "b"):
        (folder / place).mkdir(parents=True, exist_ok=True)
        (folder / place / "vote.ptx").write_text((KERNELS / "vote" / "vote.ptx").read_text())
        (folder / place / ("k.json" if "/" in place else "only.json")).write_text((KERNELS / "vote" / "vote.json").read_text())
    report = folder / "out.json"
    result = run(muster, "suite", folder, "--json", report)
    rows = [row["kernel"] for row in json.loads(report.read_text())]
    check(rows == ["x/k", "a/y/k", "only", "b/y/k"] and "\na/y/k " in result.stdout, "the rows", result)


def fits(muster, folder):
    """A kernel that is too large for the configuration asked for is left out of a suite, and said."""
    manifests = [KERNELS / name / f"{name}.json" for name in ("vote", "pairs")]
    report, path = folder / "out.json", folder / "out.xml"
    result = run(muster, "suite", *manifests, "--config", "small", "--json", report, "--junit", path)
    check(result.returncode == 0 and "pairs                              does not fit: " in result.stdout and
          "2 kernels: 1 as their manifests say, 0 not, 1 do not fit" in result.stdout, "one row", result)
    check([row["fits"] for row in json.loads(report.read_text())] == [False, True], report.read_text())
    suite = ElementTree.parse(path).getroot()
    check(suite.get("skipped") == "1" and len(list(suite.iter("skipped"))) == 1, path.read_text())
    result = run(muster, "suite", manifests[1], "--config", "small")
    check(result.returncode == 1, "nothing has run: expected exit code 1", result)
    manifest = write(folder, case(2, "", config="small", block=[512, 1, 1]))
    result = run(muster, "suite", manifest)
    check(result.returncode == 1 and "FAILED" in result.stdout,
          "a manifest that asks for what cannot be: expected exit code 1", result)


def progress(muster, folder):
    """A run that takes long shows signs of life, and one that does not shows none."""
    manifest = write(folder, case(6, "", body="    mov.u32 %r2, 100000000;\nAGAIN:\n"
                                  "    sub.u32 %r2, %r2, 1;\n    setp.ne.u32 %p1, %r2, 0;\n"
                                  "    @%p1 bra AGAIN;\n    bar.sync 0;"))
    options = [manifest, "--config", "small", "--max-cycles"]
    with subprocess.Popen([muster, "run", *options, "1000000000", "--progress", "1"], text=True,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as long:
        lines = [long.stderr.readline() for _ in range(2)]
        long.terminate()
    cycles = [int(found) for found in
              re.findall(r"k\.json: cycle (\d+) of at most 1000000000, 1 operations", "".join(lines))]
    check(len(cycles) == 2 and cycles[0] < cycles[1], f"signs of life: {lines}")
    result = run(muster, "run", *options, 1000)
    check(result.returncode == 6 and not result.stderr, "no sign of life", result)


def version(muster, folder):
    result = run(muster, "--version")
    stated = re.search(r"project\(muster VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text())[1]
    check(result.returncode == 0 and result.stdout == f"muster {stated}\n", "the version", result)


def json_files(muster, folder):
    """Each subcommand has --json, whose file says what is printed, and the exit code."""
    commands = re.findall(r"^  (\w+)  ", run(muster, "--help").stdout.split("Subcommands:")[1], re.MULTILINE)
    for command in commands:
        check("--json" in run(muster, command, "--help").stdout, f"{command} has no --json")
    told, other, log = folder / "told.json", folder / "other.json", folder / "log.jsonl"

    def said(*command, code):
        result = run(muster, *command, "--json", told)
        check(result.returncode == code, f"expected exit code {code}", result)
        return json.loads(told.read_text()), result.stdout
    kernel = KERNELS / "exit_red" / "exit_red.json"
    found, _ = said("run", kernel, "--config", "small", "--seed", 3, "--log", log, code=0)
    run(muster, "run", kernel, "--config", "small", "--seed", 3, "--report", other)
    speeds = {"simulated_khz", "thread_instructions_per_second"}
    same = [{key: value for key, value in report.items() if key not in speeds} for report in (found, json.loads(other.read_text()))]
    check(same[0] == same[1] and found["outcome"] == "completes", "run --json is not what run --report writes")
    found, text = said("replay", log, code=0)
    check(found["exit_code"] == 0 and found["differences"] == 0 and f" {found['operations']} operations" in text, found)
    log.write_text(log.read_text().replace('"operand":"0xaaaaaaaa"', '"operand":"0xaaaaaaa8"', 1))
    found, text = said("replay", log, code=4)
    check(found["exit_code"] == 4 and found["differences"] and found["reports"][0] in text, found)
    path = folder / "k.ptx"
    path.write_text(PTX.replace("BODY", "    bar.sync 16;\n    frob;"))
    found, text = said("check", path, code=2)
    check(found["exit_code"] == 2 and [row["runs"] for row in found["findings"]] == [True, False] and
          text == "".join(row["text"] + "\n" for row in found["findings"]), found)
    source = folder / "bcu.txt"
    source.write_text("BAR.SYNC 1, 64;\nBAR.RED.POPC 0;\n")
    found, text = said("asm", source, code=0)
    check(found == {"words": text.split(), "exit_code": 0} and len(found["words"]) == 2, found)
    source.write_text(text + "f" * 32 + "\n")
    found, text = said("disasm", source, code=2)
    check([row["legal"] for row in found["instructions"]] == [True, True, False] and found["exit_code"] == 2 and
          text == "".join(row["text"] + "\n" for row in found["instructions"]), found)
    for command in ("check", "replay", "asm", "disasm"):
        before = source.read_text()
        result = run(muster, command, source, "--json", source)
        check(result.returncode == 2 and "which is read" in result.stderr and source.read_text() == before, "its input is kept", result)


def unwritable(muster, folder):
    for option in ("--report", "--log", "--wave"):
        result = run(muster, "run", KERNELS / "vote" / "vote.json", option, folder / "absent" / "x")
        check(result.returncode == 2 and "absent" in result.stderr, f"{option}: expected code 2",
              result)


def outputs(muster, folder):
    """An output that is an input, another output, or no plain file is refused; nothing is lost."""
    write(folder, case(0, "", grid=[2, 1, 1], cluster=2,
                       buffers=buffer(init={"file": "in.1.bin"}),
                       expect={"out": {"file": "out.bin"}}))
    (folder / "in.1.bin").write_bytes(bytes(256))
    (folder / "out.bin").write_bytes(b"".join(i.to_bytes(4, "little") for i in range(64)))
    (folder / "soft").symlink_to("k.json")
    (folder / "to_x").symlink_to("x")
    os.link(folder / "k.ptx", folder / "hard")
    os.link(folder / "k.ptx", folder / "w.fst.hier")
    os.mkfifo(folder / "fifo")
    x_again = f"../{folder.name}/x"
    refused = [*(["run", "k.json", *options] for options in (
        # Inputs, by their names and by others.
        ["--report", "k.json"], ["--log", "k.ptx"], ["--wave", "./k.json"], ["--report", "in.1.bin"],
        ["--log", "out.bin"], ["--report", "soft"], ["--log", "hard"],
        # What two units write, and the waveform's writer beside the waveform.
        ["--log", "in.bin"], ["--wave", "in.bin"], ["--wave", "w.fst"],
        ["--log", "x", "--report", "x.1"], ["--wave", "x", "--log", "x.hier"],
        # Each other, before they are there.
        ["--report", "x", "--log", "x"], ["--wave", "x", "--log", x_again],
        ["--report", "x", "--log", "to_x"], ["--wave", "fifo"])),
        *(["suite", ".", *options] for options in (
            ["--json", "k.json"], ["--junit", "k.ptx"], ["--json", "in.1.bin"],
            ["--json", "out.bin"], ["--junit", "soft"], ["--json", "hard"],
            ["--json", "x", "--junit", x_again], ["--json", "x", "--junit", "to_x"]))]
    before = {path: path.is_file() and path.read_bytes() for path in folder.iterdir()}

    def here(*words):
        return subprocess.run([muster, *words], cwd=folder, capture_output=True, text=True,
                              timeout=50, check=False)

    for words in refused:
        result = here(*words)
        check(result.returncode == 2 and result.stderr.count("\n") == 1 and not result.stdout,
              f"{words}: expected exit code 2 and a sentence", result)
        after = {path: path.is_file() and path.read_bytes() for path in folder.iterdir()}
        check(before == after, f"{words}: the files have changed")
    for words in (["run", "k.json", "--log", "to_x", "--report", "y", "--wave", "z.fst"],
                  ["suite", "k.json", "--json", "/dev/null", "--junit", "/dev/null"]):
        result = here(*words)
        check(result.returncode == 0, f"{words}: expected success", result)
    there = ("x", "to_x.1", "y", "z.fst", "z.1.fst")
    check(all((folder / name).stat().st_size > 0 for name in there), "outputs are missing")


def disk_full(muster, folder):
    """What cannot be written is said, and is an error."""
    manifest = write(folder, case(0, ""))
    for options in (["run", manifest, "--report", "/dev/full"],
                    ["run", manifest, "--log", "/dev/full"],
                    ["suite", manifest, "--json", "/dev/full"]):
        result = run(muster, *options)
        check(result.returncode == 2 and re.fullmatch(r"/dev/full: .*\n", result.stderr),
              f"{options}: expected code 2", result)
    with open("/dev/full", "w") as full:
        done = subprocess.run([muster, "run", manifest], stdout=full, stderr=subprocess.PIPE,
                              text=True, timeout=50, check=False)
    check(done.returncode == 2 and "standard output" in done.stderr, "expected code 2")


def wave_cut(muster, folder):
    """A waveform that cannot be written whole, for the length of files or for the disk, is an error in
    a sentence, and not left; a log likewise."""
    kernel = KERNELS / "mb_pipeline" / "mb_pipeline.json"
    path = folder / "w.fst"
    small = ("--config", "small")
    result = run(muster, "run", kernel, *small, "--wave", path)
    check(result.returncode == 0, "expected a waveform", result)
    whole = path.stat().st_size
    for blocks in (1, 8, 64, whole // 2048):  # of 1024 bytes
        result = run("bash", "-c", f"ulimit -f {blocks}; exec \"$@\"", "-", muster, "run", kernel,
                     *small, "--wave", path)
        check(result.returncode == 2 and not result.stdout and
              re.fullmatch(rf"{path}: the waveform cannot be written: .*\n", result.stderr),
              f"{blocks} KiB: expected exit code 2 and a sentence", result)
        check(not path.exists(), f"{blocks} KiB: a cut waveform is left")
    # Of all scopes of a cluster of four.
    result = run("bash", "-c", "ulimit -f 64; exec \"$@\"", "-", muster, "run",
                 KERNELS / "cluster_forms" / "cluster_forms.json", *small, "--wave", path)
    check(result.returncode == 2 and not result.stdout and
          f"{folder}/w.cluster.fst: the waveform cannot be written: " in result.stderr and
          not (folder / "w.cluster.fst").exists(), "expected exit code 2 and a sentence", result)
    result = run("bash", "-c", "ulimit -f 1; exec \"$@\"", "-", muster, "run", kernel, *small, "--log",
                 folder / "log")
    check(result.returncode == 2 and result.stderr.startswith(f"{folder}/log"), "the log", result)
    (folder / "disk").mkdir()
    for where, wave, size in (("disk", "disk/w.fst", whole // 2048), ("/tmp", "w.fst", 16)):
        # The waveform's disk, and that of temporary files, which hides this folder's name.
        if where == "/tmp" and pathlib.Path(muster).resolve().is_relative_to("/tmp"):
            continue
        result = run("unshare", "--user", "--map-root-user", "--mount", "bash", "-c",
                     'mount -t tmpfs -o size="$1"k tmpfs "$2" || exit 99; shift 2; exec "$@"', "-",
                     size, where, muster, "run", kernel, *small, "--wave", wave, cwd=folder)
        if result.returncode == 99 or result.stderr.startswith("unshare"):
            return  # there are no namespaces here; the limits have shown the same
        check(result.returncode == 2 and f"{wave}: the waveform cannot be written: " in result.stderr,
              f"{where} is full: expected exit code 2 and a sentence", result)


def unusable_files(muster, folder):
    """Files of the other commands that are missing, folders, endless, or loops of links."""
    loop = folder / "loop"
    loop.symlink_to(loop)
    (folder / "empty").mkdir()
    (folder / "two.hex").write_text("0" * 32 + " " + "0" * 32 + "\n")
    for command, files in (("suite", [folder / "absent", loop, folder / "empty"]),
                           ("replay", [folder / "absent", loop, folder, "/dev/zero"]),
                           ("asm", [folder / "absent", loop, folder, "/dev/zero"]),
                           ("disasm", [folder / "absent", loop, folder, folder / "two.hex"])):
        for file in files:
            result = run(muster, command, file)
            check(result.returncode == 2 and not result.stdout and result.stderr.count("\n") == 1,
                  f"{command} {file}: expected exit code 2", result)


BLOCK_SUM = KERNELS / "block_sum" / "block_sum.ptx"
SUM_LAUNCH = ("--grid", 2, "--block", 256, "--arg", "in=u32[512]:iota", "--arg", "out=u32[2]", "--arg", 1000)


def direct_run(muster, folder):
    """A launch of options is that of the manifest, and the manifest that it writes does the same."""
    reports = [folder / f"{n}.json" for n in range(3)]
    written = folder / "written.json"
    expect = ("--expect", "out=32640,98176", "--hazard", "repeated_arrival=0")
    for command, report in ((KERNELS / "block_sum" / "block_sum.json",), reports[0]), \
                           ((BLOCK_SUM, *SUM_LAUNCH, *expect, "--write-manifest", written), reports[1]), \
                           ((written,), reports[2]):
        result = run(muster, "run", *command, "--report", report)
        check(result.returncode == 0, f"{command}: expected success", result)
    told = [json.loads(report.read_text()) for report in reports]
    for key in ("cycles", "thread_instructions", "operations", "barriers", "outcome"):
        check(told[0][key] == told[1][key] == told[2][key], f"{key}: {[report[key] for report in told]}")
    result = run(muster, "run", BLOCK_SUM, *SUM_LAUNCH)
    check(result.returncode == 0 and result.stdout.endswith("no buffer was compared, as none has an expected content\n"),
          "expected that nothing was compared", result)
    result = run(muster, "run", BLOCK_SUM, *SUM_LAUNCH, "--expect", "out=32640,1")
    check(result.returncode == 1 and "[1] is 98176, not 1" in result.stdout and
          f"muster run {BLOCK_SUM} --grid 2 --block 256" in result.stdout, "expected a difference", result)


def seeds_hazards(muster, folder):
    """With --seeds a hazard is told with how many seeds met it, the first of them, and its place, as single runs tell it;
    it is no matter of the exit code. A word that the first warp writes decides whether the second one meets it."""
    manifest = write(folder, case(0, "", body="""
    setp.lt.u32 %p1, %r1, 32;
    @%p1 bra FIRST;
    ld.volatile.global.u32 %r2, [%rd1];
    setp.ne.u32 %p2, %r2, 7;
    @%p2 bra JOIN;
    bar.arrive 1, 64;
    bra JOIN;
FIRST:
    mov.u32 %r2, 7;
    st.volatile.global.u32 [%rd1], %r2;
JOIN:
"""))
    single = [run(muster, "run", manifest, "--seed", seed) for seed in range(1, 21)]
    met = [seed for seed, one in enumerate(single, 1) if "hazard unfinished_barrier" in one.stdout]
    check(0 < len(met) < 20 and all(one.returncode == 0 for one in single), f"the hazard is met with seeds {met}")
    result = run(muster, "run", manifest, "--seeds", 20)
    check(result.returncode == 0 and result.stdout.endswith("k.ptx:%d: hazard unfinished_barrier, with %d of 20 seeds, "
          "first with seed %d by warp 1 of CTA (0,0,0) at barrier 1\nseeds 1 to 20: all as expected\n"
          "Next: muster explore %s looks for a bad order that no seed has shown\n" % (BODY_LINE + 5, len(met), met[0], manifest)),
          "expected the hazard", result)


def direct_seeds(muster, folder):
    result = run(muster, "run", BLOCK_SUM, *SUM_LAUNCH, "--seeds", "3-8")
    check(result.returncode == 0 and re.fullmatch(r"seeds 3 to 8: all as expected\nNext: (muster explore .*) looks for .*\n", result.stdout),
          "expected a line, and what to do next", result)
    command = shlex.split(result.stdout.split("Next: muster ")[1].split(" looks for")[0])
    check(run(muster, *command, "--time", 5).returncode == 0, f"expected {command} to run", result)
    kernel = KERNELS / "deadlock" / "deadlock.ptx"
    result = run(muster, "run", kernel, "--block", 64, "--seeds", 12)
    check(result.returncode == 3 and "12 of 12 not as expected: 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, ...;"
          in result.stdout and f"Next: muster run {kernel} --block 64 --config default --seed 1 " in result.stdout,
          "expected the first bad seed", result)
    for seeds in ("0", "x", "5-3", "1-", "-1", "1-99999999999"):
        result = run(muster, "run", BLOCK_SUM, *SUM_LAUNCH, f"--seeds={seeds}")
        check(result.returncode == 2 and "--seeds" in result.stderr, f"{seeds}: expected exit code 2", result)
    for option in ("--wave=x.fst", "--report=x.json", "--log=x.jsonl", "--show=out", "--dump=out=x", "--seed=1"):
        result = run(muster, "run", BLOCK_SUM, *SUM_LAUNCH, "--seeds", 2, option)
        check(result.returncode == 2 and f"{option[:option.index('=')]} is of a single run" in result.stderr,
              f"{option}: expected exit code 2", result)


def direct_buffers(muster, folder):
    """--show and --dump, of manifests too."""
    file = folder / "in.bin"
    result = run(muster, "run", KERNELS / "block_sum" / "block_sum.json", "--show", "out", "--show", "in",
                 "--dump", f"in={file}")
    check(result.returncode == 0 and "buffer out, 2 elements\n  [0] 32640 98176\n" in result.stdout and
          "  [8] 8 9 10 11 12 13 14 15\n" in result.stdout and
          "... and 256 more; --dump in=FILE writes them all" in result.stdout, "expected the buffers", result)
    words = struct.unpack("<512I", file.read_bytes())
    check(words == tuple(range(512)), f"the bytes of a buffer: {words}")
    for option, says in (("--show=no", "--show no: there is no such buffer"),
                         ("--dump=no=x", "--dump no: there is no such buffer"),
                         ("--dump=out", "--dump out is not BUFFER=FILE"),
                         ("--dump=out=", "--dump out= is not BUFFER=FILE"),
                         ("--dump=out=/nowhere/x", "/nowhere/x: the file cannot be written"),
                         (f"--dump=out={BLOCK_SUM}", "would replace")):
        result = run(muster, "run", BLOCK_SUM, *SUM_LAUNCH, option)
        check(result.returncode == 2 and says in result.stderr and not result.stdout,
              f"{option}: expected exit code 2", result)


def causes_first(muster, folder):
    """Of two waits of a deadlock the one that lacks an arrival that no warp comes to is told before the one that lasts because of it; and before all
    else that the run is not as expected. A file that is not there is told before what its launch lacks."""
    (folder / "k.ptx").write_text(""".version 8.0
.target sm_80
.address_size 64
.visible .entry k()
{
    .reg .pred %p;
    .reg .b32 %r<4>;
    .shared .align 8 .b64 full;
    .shared .align 8 .b64 empty;
    mov.u32 %r1, %tid.x;
    setp.ne.u32 %p, %r1, 0;
    @%p bra READY;
    mbarrier.init.shared.b64 [full], 32;
    mbarrier.init.shared.b64 [empty], 33;
READY:
    bar.sync 0;
    setp.ge.u32 %p, %r1, 32;
    @%p bra CONSUMER;
FREE:
    mbarrier.test_wait.parity.shared.b64 %p, [empty], 0;
    @!%p bra FREE;
    mbarrier.arrive.shared.b64 _, [full];
    ret;
CONSUMER:
    mbarrier.arrive.shared.b64 _, [empty];
FILLED:
    mbarrier.test_wait.parity.shared.b64 %p, [full], 0;
    @!%p bra FILLED;
    ret;
}
""")
    result = run(muster, "run", folder / "k.ptx", "--block", 64)
    told = [result.stdout.find(words) for words in ("NOT AS EXPECTED: the outcome is deadlock", "k: grid", "mbarrier empty (0x8): phase 0",
                                                    "mbarrier full (0x0): phase 0", "Next: muster run")]
    check(result.returncode == 3 and told[0] == 0 and told == sorted(told) and "hint" not in result.stdout, "expected the cause first", result)
    for name, what in (("typo.ptx", "PTX file"), ("typo.cu", "CUDA file"), ("typo.json", "manifest")):
        for options in ((), ("--block", 32), ("--arg", "7"), ("--block", "x")):
            result = run(muster, "run", name, *options, cwd=folder)
            check(result.returncode == 2 and result.stderr == f"{name}: the {what} cannot be read\n", f"{name} {options}: expected a sentence", result)


def cuda_header(muster, folder):
    """__syncwarp, of all lanes and of some, and the address of a variable in shared memory, of the header that clang gets: a kernel that
    needs each of them is right in every order, and without either __syncwarp it is not."""
    if not shutil.which("clang"):
        print("skipped: there is no clang; `make setup` installs it")
        sys.exit(77)
    tools = folder / "bin"  # without nvcc, which has headers of its own
    tools.mkdir()
    (tools / "clang").symlink_to(shutil.which("clang"))
    source = """extern "C" __global__ void fold(const unsigned *in, unsigned *out) {
  __shared__ unsigned words[32];
  __shared__ unsigned long long all;
  const unsigned lane = threadIdx.x;
  const unsigned mbarrier = static_cast<unsigned>(__cvta_generic_to_shared(&all));
  if (lane == 0) asm volatile("mbarrier.init.shared.b64 [%0], 32;" ::"r"(mbarrier) : "memory");
  words[lane] = in[lane];
  __syncwarp();
  if (lane < 16) {
    words[lane] += words[31 - lane];
    __syncwarp(0xffff);
    if (lane < 8) words[lane] += words[15 - lane];
  }
  asm volatile(
      "{ .reg .b64 t; .reg .pred p; mbarrier.arrive.shared.b64 t, [%0]; WAIT: mbarrier.test_wait.shared.b64 p, [%0], t; @!p bra WAIT; }" ::"r"(
          mbarrier)
      : "memory");
  out[lane] = words[lane % 8];
}
"""
    for left_out, code in ((None, 0), ("__syncwarp();", 7), ("__syncwarp(0xffff);", 7)):
        (folder / "fold.cu").write_text(source if left_out is None else source.replace(left_out, ""))
        result = run(muster, "explore", folder / "fold.cu", "--block", 32, "--arg", "in=u32[32]:iota", "--arg", "out=u32[32]", "--expect", "out=62",
                     env={"PATH": str(tools)})
        check(result.returncode == code and "complete: every order" in result.stdout and
              ("0 findings" in result.stdout) == (code == 0), f"without {left_out}: expected exit code {code}", result)


def direct_cuda(muster, folder):
    """A CUDA file is compiled by the nvcc or clang of the PATH, which here only takes a copy."""
    source = folder / "a sum.cu"
    source.write_text("// the sum\n")
    tools = folder / "bin"
    tools.mkdir()
    for compiler, option in (("clang", "--cuda-device-only"), ("nvcc", "-ptx")):  # nvcc goes first
        (tools / compiler).write_text(f'#!/bin/sh\n/bin/cp {BLOCK_SUM} "$(eval echo \\"\\${{$#}}\\")"\n')
        (tools / compiler).chmod(0o755)
        result = run(muster, "run", source, *SUM_LAUNCH, "--expect", "out=32640,98176", env={"PATH": str(tools)})
        check(result.returncode == 0 and result.stdout.startswith(f"{compiler} ") and option in result.stdout and
              ("-include" in result.stdout and "/cuda.h" in result.stdout) == (compiler == "clang") and
              (folder / "a sum.cu.ptx").exists(), f"{compiler}: expected its command, and success", result)
        check(compiler != "clang" or "-O2 -g --cuda-noopt-device-debug -S " in result.stdout, "expected debug information", result)
        (tools / compiler).write_text("#!/bin/sh\nexit 1\n")
        result = run(muster, "run", source, *SUM_LAUNCH, env={"PATH": str(tools)})
        check(result.returncode == 2 and f"{source} does not compile for sm_{'80' if compiler == 'clang' else '90a'}" in result.stderr and
              ("nvcc in the PATH" in result.stderr) == (compiler == "clang"), f"{compiler}: expected exit code 2", result)
    (tools / "nvcc").write_text(f'#!/bin/sh\n/bin/cp {BLOCK_SUM} "$(eval echo \\"\\${{$#}}\\")"\n')
    for command in ("run", "explore"):
        for options, says in (((), "nvcc -arch=sm_90a -lineinfo -ptx "),
                              (("--", "-G"), "nvcc -arch=sm_90a -ptx -G "),
                              (("--arch", "sm_100a", "--", "-I", "a folder", "-rdc=true"),
                               "nvcc -arch=sm_100a -lineinfo -ptx -I 'a folder' -rdc=true ")):
            result = run(muster, command, source, *SUM_LAUNCH, *options, env={"PATH": str(tools)})
            check(result.returncode == 0 and result.stdout.startswith(says), f"{command} {options}: expected {says}", result)
        names = {file.name for file in folder.glob("*.ptx")}
        check({"a sum.cu.ptx", "a sum.cu.G.ptx", "a sum.cu.I.a_folder.rdc_true.sm_100a.ptx"} <= names,
              f"{names}: expected a file for each way to compile", result)
        for option in (("--arch", "sm_90a"), ("--", "-DX")):
            result = run(muster, command, BLOCK_SUM, *SUM_LAUNCH, *option)
            check(result.returncode == 2 and "go to the compiler of a CUDA file (.cu), which this is not" in result.stderr,
                  f"{command} {option}: expected a sentence", result)
    result = run(muster, "run", source, *SUM_LAUNCH, env={"PATH": "/nowhere"})
    check(result.returncode == 2 and "neither nvcc nor clang" in result.stderr, "expected exit code 2", result)
    result = run(muster, "run", folder / "none.cu", "--block", 1)
    check(result.returncode == 2 and "none.cu: the CUDA file cannot be read" in result.stderr,
          "expected exit code 2", result)


def direct_misuse(muster, folder):
    """What belongs to a manifest is not said beside one, and what a launch lacks is named."""
    manifest = KERNELS / "block_sum" / "block_sum.json"
    for option in (("--grid", 2), ("--block", 64), ("--cluster", 2), ("--smem", 64), ("--cooperative",),
                   ("--arg", 1), ("--expect", "out=1"), ("--hazard", "x=1"), ("--outcome", "timeout"),
                   ("--after-inval", "hazard"), ("--hint", "ignored"), ("block_sum",)):
        result = run(muster, "run", manifest, *option)
        check(result.returncode == 2 and "the manifest" in result.stderr and result.stderr.count("\n") == 1,
              f"{option}: expected a sentence", result)
    result = run(muster, "run", manifest, "--write-manifest", folder / "x.json")
    check(result.returncode == 2 and not (folder / "x.json").exists(), "expected exit code 2", result)
    result = run(muster, "run", BLOCK_SUM, *SUM_LAUNCH, "--write-manifest", BLOCK_SUM)
    check(result.returncode == 2 and "would replace" in result.stderr, "expected exit code 2", result)
    for launch, says in (((), "--block is missing"), (("--block", 64), "takes 3 arguments"),
                         (("--block", 64, "--arg", "x", *SUM_LAUNCH[4:8]), "--arg x is no number")):
        if launch == ("--block", 64):
            launch = (*launch, "--arg", 1)
        result = run(muster, "run", BLOCK_SUM, *launch)
        check(result.returncode == 2 and says in result.stderr, f"{launch}: expected exit code 2", result)
    result = run(muster, "run", BLOCK_SUM, "--block", 64)
    check(result.returncode == 2 and "--arg is missing: the kernel block_sum takes 3 arguments, such as --arg " in result.stderr,
          "expected the option's name", result)


def subcommand(muster, folder):
    """A subcommand that there is not is named, and those that there are."""
    result = run(muster, "frobnicate", "x")
    check(result.returncode == 2 and "there is no subcommand frobnicate; there are run, " in result.stderr, "expected its name", result)


def misplaced(muster, folder):
    """An option in the wrong place, or misspelt, or of the compiler, is named with what was meant; values may begin with -."""
    manifest = KERNELS / "block_sum" / "block_sum.json"
    (folder / "hang.txt").write_text("warp (0,0,0) 0 at k.ptx:1\n")
    for words, says in ((("--seeds", 3, "run", manifest), "options follow the subcommand: muster run ... --seeds"),
                        (("run", manifest, "--sede", 3), "run has no option --sede: did you mean --seed?"),
                        (("explore", manifest, "--withness=x"), "explore has no option --withness=x: did you mean --witness?"),
                        (("run", "x.cu", "--block", 32, "-DBUG=1"),
                         "run has no option -DBUG=1; options of the compiler follow --: muster run FILE.cu ... -- -DBUG=1"),
                        (("explain", manifest, folder / "hang.txt"),
                         f"{manifest} is no dump of a hung grid: that comes first, as in muster explain hang.txt {manifest}")):
        result = run(muster, *words)
        check(result.returncode == 2 and says in result.stderr and result.stderr.count("\n") == 1,
              f"{words}: expected a sentence", result)
    result = run(muster, "run", BLOCK_SUM, "--block", 64, "--arg", "in=u32[64]:-1", "--arg", "out=u32[1]", "--arg", "-5")
    check("has no option" not in result.stderr, "-5 is a value", result)


# What CUDA's grid.sync() does where the grid is not cooperative; and a kernel that launches one.
GRID = """.version 7.5
.target sm_80
.address_size 64
.visible .entry k() {
    .reg .pred %p; .reg .b32 %r<3>;
    mov.u32 %r1, %envreg1; mov.u32 %r2, %envreg2; or.b32 %r1, %r1, %r2;
    setp.ne.u32 %p, %r1, 0; @%p ret;
    trap;
}
"""
LAUNCHES = """.version 7.5
.target sm_80
.address_size 64
.extern .func (.param .b32 r) __cudaCDP2LaunchDeviceV2(.param .b64 a, .param .b64 b);
.visible .entry k() {
    .reg .b32 %r; .reg .b64 %d<3>;
    mov.u64 %d1, 0; mov.u64 %d2, 0;
    .loc 1 7 3
    { .param .b64 a; .param .b64 b; .param .b32 r;
    st.param.b64 [a], %d1; st.param.b64 [b], %d2;
    call.uni (r), __cudaCDP2LaunchDeviceV2, (a, b);
    }
    .loc 1 9 5
    sparkle.u32 %r, 7;
    ret;
}
.file 1 "mine.cu"
"""


def next_steps(muster, folder):
    """What is proposed helps: a page and other orders where a kernel goes wrong, the option of a cooperative grid; nothing where all is well."""
    (folder / "grid.ptx").write_text(GRID)
    result = run(muster, "run", folder / "grid.ptx", "--block", 32, "--grid", 2)
    check(result.returncode == 5 and "whether its grid is cooperative" in result.stdout and
          re.search(r"\nNext: muster run \S+grid.ptx .*--cooperative \(in a manifest", result.stdout), "expected the option", result)
    result = run(muster, "run", folder / "grid.ptx", "--block", 32, "--grid", 2, "--cooperative")
    check(result.returncode == 0 and "Next:" not in result.stdout, "expected success", result)
    (folder / "k.ptx").write_text(PTX.replace("BODY", CROSSED))
    result = run(muster, "run", folder / "k.ptx", "--block", 64, "--arg", "out=u32[64]")
    check(result.returncode == 3 and re.search(r"\nNext: muster run .* --page run.html .*\n +muster explore .*\n$", result.stdout),
          "expected a page and explore", result)
    result = run(muster, "explore", *re.search(r"muster explore (.*) tries", result.stdout)[1].replace("'", "").split(), "--time", 5)
    check(result.returncode == 3, "expected that the proposed command runs", result)


def refusals(muster, folder):
    """What is refused is named with its line of the source; a kernel that launches a kernel in these words."""
    (folder / "k.ptx").write_text(LAUNCHES)
    for command in (("run", folder / "k.ptx", "--block", 32), ("check", folder / "k.ptx")):
        result = run(muster, *command)
        said = result.stdout + result.stderr
        check(result.returncode == 2 and re.search(r"^mine.cu:7 in k, \S+k.ptx:11:\d+: a kernel cannot launch a kernel here", said, re.MULTILINE) and
              re.search(r"^mine.cu:9 in k, \S+k.ptx:14:\d+: the instruction sparkle.u32 is not supported", said, re.MULTILINE), f"{command}", result)


SCRIPTS = {
    "usage.subcommand": subcommand,
    "usage.next": next_steps,
    "usage.refusals": refusals,
    "direct.run": direct_run,
    "direct.seeds": direct_seeds,
    "direct.seeds_hazards": seeds_hazards,
    "direct.buffers": direct_buffers,
    "direct.cuda": direct_cuda,
    "direct.cuda_header": cuda_header,
    "direct.causes_first": causes_first,
    "direct.misuse": direct_misuse,
    "misplaced": misplaced,
    "manifest.missing": missing_manifest,
    "manifest.folder": folder_as_manifest,
    "usage.no_manifest": no_manifest,
    "usage.unwritable": unwritable,
    "usage.outputs": outputs,
    "usage.disk_full": disk_full,
    "usage.wave_cut": wave_cut,
    "usage.unusable_files": unusable_files,
    "usage.version": version,
    "report.junit": junit,
    "suite.fits": fits,
    "suite.names": names,
    "progress": progress,
    "report.json": json_files,
    "report.counts": report,
    "report.lines": report_rows,
    "check": check_ptx,
    "printed": printed,
    "served.elsewhere": served_elsewhere,
    "served.async": served_async,
    "log.same_seed": same_seed,
    "log.replay": replay,
    "log.lines": log_lines,
    "log.inlined": inlined_calls,
    "skips": skips,
    "cuts": cuts,
    "lazy": lazy,
    "wave": wave,
}


def main_of(cases, act):
    """The names of the cases (--list), or `act` on one of them in a folder of its own."""
    if sys.argv[1:] == ["--list"]:
        print("\n".join(cases))
        return
    muster, name = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        act(cases[name], muster, pathlib.Path(folder))


def act(what, muster, folder):
    if callable(what):
        what(muster, folder)
    else:
        run_case(muster, folder, what)


if __name__ == "__main__":
    main_of({**CASES, **SCRIPTS}, act)
