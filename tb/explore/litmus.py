#!/usr/bin/env python3
# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""Writes the litmus tests of the tables in tb/explore/litmus (litmus/README.md): NAME.ptx and NAME.json of each test
into the folder that the command line names, and what is expected of all of them into FOLDER.json beside it."""

import argparse
import json
import pathlib
import re
import textwrap
import tomllib

TABLES = pathlib.Path(__file__).resolve().parent / "litmus"

# The words of the tables that stand for several instructions, or for a long one.
WORDS = {
    "PEER": ["mov.u32 %r6, x", "mapa.shared::cluster.u32 %r7, %r6, 1",  # addresses of CTA 1, and a value
             "mov.u32 %r6, bar", "mapa.shared::cluster.u32 %r8, %r6, 1", "mov.u32 %r5, 42"],
    "TILE": ["mov.u32 %r7, tile", "mov.u32 %r8, bar"],
    "FILL": ["mov.u32 %r5, 42", "mov.u32 %r6, 0", "st.shared.v4.u32 [tile], {%r5, %r6, %r6, %r6}"],
    "LOAD": ["cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r7], [%rd3], 16, [%r8]"],
    "STORE": ["mov.u32 %r7, tile", "cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r7], 16"],
    "DONE": ["cp.async.bulk.commit_group", "cp.async.bulk.wait_group 0"],
    "COLUMNS": ["tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [columns], 32",
                "bar.warp.sync 0xffffffff", "ld.shared.u32 %r9, [columns]", "mov.u32 %r7, rows",
                "shr.b32 %r7, %r7, 4", "cvt.u64.u32 %rd4, %r7", "or.b64 %rd4, %rd4, 0x400000000000"],
    "ROWS": ["tcgen05.cp.cta_group::1.4x256b [%r9], %rd4"],  # to tensor memory
    "COMMIT": ["tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [bar]"],
    "RELEASE": ["tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r9, 32"],
    "EXPECT": ["mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 16"],
    "ARRIVE": ["mbarrier.arrive.shared::cta.b64 _, [bar]"],
    "WAIT": ["until mbarrier.try_wait.parity.shared::cta.b64 [bar], 0"],
}

# The version and the target of a test.
PLAIN = [".version 8.6", ".target sm_90"]
TENSOR = [".version 8.7", ".target sm_100a"]
SEVERAL = [".version 9.1", ".target sm_90"]  # GPUs

BUFFERS = {  # by the register with the address
    "%rd1": ("mail", {"type": "u32", "count": 4, "init": "zero"}),
    "%rd3": ("in", {"type": "u32", "count": 8, "init": [42, 43, 44, 45, 46, 47, 48, 49]}),
    "%rd2": ("out", {"type": "u32", "count": 4, "init": "zero"}),
}
# Other arguments, likewise: what the manifest has of each, and the buffers that it needs.
WORDS_OF_4 = {"buffer": "mail", "type": "u32", "size": [4]}
OBJECTS = {
    "%rd5": ("surface", {"textures": {"words": WORDS_OF_4}}, {"surface": "words"}),
    "%rd6": ("texture", {"textures": {"words": WORDS_OF_4}}, {"texture": "words"}),
    "%rd7": ("both", {"multicast": {"copies": {"buffers": ["mail", "twin"]}}}, {"multicast": "copies"}),
}
REGISTERS = {"complete": ".pred complete", "state": ".b64 state", "%h1": ".b16 %h<2>"}
SHARED = {"x": ".align 8 .b32 x", "xx": ".align 8 .b64 xx", "tile": ".align 16 .b32 tile[4]", "y": ".align 4 .b32 y",
          "rows": ".align 128 .b32 rows[16]", "columns": ".align 4 .b32 columns",
          "bar": ".align 8 .b64 bar", "flag": ".align 4 .b32 flag", "other": ".align 4 .b32 other"}

# Which threads go on and how they part, and the launch.
CLUSTER = {"grid": [2, 1, 1], "block": [32, 1, 1], "cluster": [2, 1, 1]}
TO_CTA_1 = "mov.u32 %r3, %ctaid.x; setp.eq.u32 %p1, %r3, 1; @%p1 bra B"
THREADS = {
    "one": ("setp.ne.u32 %p1, %r1, 0; @%p1 ret", {"block": [32, 1, 1]}),
    "two lanes": ("setp.gt.u32 %p1, %r1, 1; @%p1 ret; setp.ne.u32 %p2, %r1, 0", {"block": [32, 1, 1]}),
    "three lanes": ("setp.ge.u32 %p1, %r1, 3; @%p1 ret; setp.eq.u32 %p2, %r1, 0; setp.eq.u32 %p3, %r1, 1",
                    {"block": [32, 1, 1]}),
    "warps": ("and.b32 %r2, %r1, 31; setp.ne.u32 %p1, %r2, 0; @%p1 ret; setp.eq.u32 %p1, %r1, 32; @%p1 bra B",
              {"block": [64, 1, 1]}),
    "three warps": ("and.b32 %r2, %r1, 31; setp.ne.u32 %p1, %r2, 0; @%p1 ret; setp.eq.u32 %p1, %r1, 32; @%p1 bra B; "
                    "setp.eq.u32 %p1, %r1, 64; @%p1 bra C", {"block": [96, 1, 1]}),
    "two lanes of warps": ("and.b32 %r2, %r1, 31; setp.gt.u32 %p1, %r2, 1; @%p1 ret; setp.ne.u32 %p2, %r2, 0; "
                           "setp.ge.u32 %p1, %r1, 32; @%p1 bra B", {"block": [64, 1, 1]}),
    "all of a warp": ("setp.eq.u32 %p2, %r1, 0", {"block": [32, 1, 1]}),
    "all of four warps": ("", {"block": [128, 1, 1]}),
    "CTAs": (f"setp.ne.u32 %p1, %r1, 0; @%p1 ret; {TO_CTA_1}",
             {"grid": [2, 1, 1], "block": [32, 1, 1], "cooperative": True}),
    "cluster": (f"setp.ne.u32 %p1, %r1, 0; @%p1 ret; {TO_CTA_1}", CLUSTER),
    "two lanes of a cluster": (f"setp.gt.u32 %p1, %r1, 1; @%p1 ret; {TO_CTA_1}; setp.eq.u32 %p1, %r1, 1; @%p1 bra C",
                               CLUSTER),
    "clusters": ("setp.ne.u32 %p1, %r1, 0; @%p1 ret; mov.u32 %r3, %ctaid.x; setp.eq.u32 %p1, %r3, 2; @%p1 bra B; "
                 "setp.ne.u32 %p1, %r3, 0; @%p1 bra C", {**CLUSTER, "grid": [4, 1, 1], "cooperative": True}),
}


def tests():
    """The rows of all tables, by name."""
    rows = {}
    for path in sorted(TABLES.glob("*.toml")):
        for name, row in tomllib.loads(path.read_text()).items():
            if name in rows:
                raise ValueError(f"{path.name}: {name} is in another table, too")
            rows[name] = row
    return dict(sorted(rows.items()))


def split(code):
    """The instructions, labels and words of `code`, in order; a remark ends a line."""
    apart = re.sub(r"\b([A-Z]+:)(?!:)", r"\1;", re.sub("#.*", "", code))
    return [one.strip() for one in re.split(r"[;\n]", apart) if one.strip()]


def expand(code):
    """The instructions and labels that `code` stands for. A mark or a guard goes to the last instruction of a word."""
    plain = []
    for one in code:
        before, _, word = re.fullmatch(r"(\*?(@!?%p\d )?)(.*)", one).groups()
        plain += [*WORDS[word][:-1], before + WORDS[word][-1]] if word in WORDS else [one]
    done = []
    for one in plain:
        store = re.fullmatch(r"(\*?(?:@!?%p\d )?st\.\S+ \[.*\]), (\d+)", one)
        loop = re.fullmatch(r"(\*?)until (\S+) (.*?)(?: == (\d+))?", one)
        label = f"LOOK{len(done)}"
        if store:  # a number is stored from a register
            register = "%r6" if store[2] in ("1", "2") else "%r5"
            done += [f"mov.u32 {register}, {store[2]}", f"{store[1]}, {register}"]
        elif loop and loop[4]:
            done += [f"{label}:", f"{loop[1]}{loop[2]} %r6, {loop[3]}", f"setp.ne.u32 %p1, %r6, {loop[4]}",
                     f"@%p1 bra {label}"]
        elif loop:
            done += [f"{label}:", f"{loop[1]}{loop[2]} complete, {loop[3]}", f"@!complete bra {label}"]
        else:
            done.append(one)
    return done


def names(what, code):
    """Whether the code has the name `what`, which is no part of another one or of an instruction's."""
    return re.search(rf"(?<![\w%.]){re.escape(what)}(?![\w.])", code) is not None


def instructions(row):
    """All instructions and labels of a test, in order."""
    own = "\n".join(expand(split(";".join(row.get(part, "") for part in ("init", "A", "B", "C")))))
    code = []
    for register, (name, _) in BUFFERS.items():
        if register in own or name == "out":
            code += [f"ld.param.u64 {register}, [{name}]", f"cvta.to.global.u64 {register}, {register}"]
    for register, (name, _, _) in OBJECTS.items():
        if register in own:
            code += [f"ld.param.u64 {register}, [{name}]"]
    code += ["mov.u32 %r1, %tid.x"]

    init = []
    if names("bar", own):
        init += [f"mbarrier.init.shared::cta.b64 [bar], {row.get('arrivals', 1)}",
                 "fence.mbarrier_init.release.cluster", "fence.proxy.async.shared::cta"]
    for place in ("x", "flag", "other"):
        if place == row.get("zero") or place != "x" and names(place, own):
            init += ["mov.u32 %r2, 0", f"st.shared.u32 [{place}], %r2"]
    init += split(row.get("init", ""))
    if init:
        meet = ["barrier.cluster.arrive.release", "barrier.cluster.wait.acquire"]
        code += ["setp.ne.u32 %p1, %r1, 0", "@%p1 bra READY", *init, "READY:",
                 *(meet if row["threads"] == "cluster" else ["bar.sync 0"])]

    code += split(THREADS[row["threads"]][0])
    last = "B" if "B" in row else "A"
    result = {"three lanes": "@%p3 ", "all of a warp": "@%p2 "}.get(row["threads"], "") + "st.global.u32 [%rd2], %r5"
    for part in ("A", "C", "B"):
        if part in row:
            code += [] if part == "A" else [f"{part}:"]
            code += split(row[part]) + ([result] if part == last else []) + ["ret"]
    return expand(code)


def kernel(name, row):
    """The PTX of a test; the lines of the accesses that are marked; those of the collectives that are marked."""
    code = instructions(row)
    said = "\n".join(code)
    why = textwrap.fill(("A race. " if row["race"] else "No race. ") + row["why"], 97)
    lines = ["// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0", "//",
             *(f"// {line}" for line in why.split("\n")),
             "", *(TENSOR if "tcgen05." in said else SEVERAL if "multimem." in said else PLAIN), ".address_size 64", "", f".visible .entry {name}("]
    buffers = [f"\t.param .u64 {name}" for register, (name, *_) in {**BUFFERS, **OBJECTS}.items() if f", [{name}]" in said]
    lines += [*(f"{buffer}," for buffer in buffers[:-1]), buffers[-1], ")", "{", "\t.reg .pred %p<8>;", "\t.reg .b32 %r<16>;", "\t.reg .b64 %rd<8>;"]
    lines += [f"\t.reg {register};" for what, register in REGISTERS.items() if names(what, said)]
    lines += [f"\t.shared {place};" for what, place in SHARED.items() if names(what, said)]
    lines.append("")
    between, collectives = [], []
    for one in code:
        if one[0] in "*+":
            (between if one[0] == "*" else collectives).append(len(lines) + 1)
        lines.append(one if one.endswith(":") else f"\t{one.lstrip('*+')};")
    return "\n".join([*lines, "}", ""]), between, collectives


def manifest(name, row, text):
    """The launch of a test. Where there is no race, the buffer `out` is compared."""
    buffers = dict(value for value in BUFFERS.values() if f".param .u64 {value[0]}" in text)
    objects = [value for value in OBJECTS.values() if f".param .u64 {value[0]}" in text]
    launch = {"ptx": f"{name}.ptx", **THREADS[row["threads"]][1],
              "args": [*({"buffer": buffer} for buffer in buffers), *(argument for _, _, argument in objects)]}
    if objects:
        words = BUFFERS["%rd1"][1]
        buffers = {**buffers, "mail": words, **({"twin": words} if any("multicast" in keys for _, keys, _ in objects) else {})}
    launch["buffers"] = buffers
    for _, keys, _ in objects:
        launch.update(keys)
    out = row.get("out", not row["race"] and 42)
    return launch if out is False else {**launch, "expect": {"out": [out, 0, 0, 0]}}


def expected(row, between, collectives):
    """What a report has to say of a test."""
    what = {"race": bool(row["race"]), "between": between, "kinds": row["race"], "collectives": collectives}
    return {key: value for key, value in {**what, **{key: row[key] for key in ("edge", "why", "sometimes", "doubt")
                                                     if key in row}}.items() if value != []}


def write(folder):
    """All tests into the folder. Returns what is expected of them."""
    folder.mkdir(parents=True, exist_ok=True)
    wanted = {}
    for name, row in tests().items():
        text, between, collectives = kernel(name, row)
        wanted[name] = expected(row, between, collectives)
        (folder / f"{name}.ptx").write_text(text)
        (folder / f"{name}.json").write_text(json.dumps(manifest(name, row, text), indent=2) + "\n")
    return wanted


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    folder = parser.parse_args().folder
    folder.with_suffix(".json").write_text(json.dumps(write(folder), indent=2) + "\n")


if __name__ == "__main__":
    main()
