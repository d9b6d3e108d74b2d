#!/usr/bin/env python3
# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""`muster run` and `muster suite` with --target cuda, on a stand-in for NVIDIA's driver (standin.cpp).

  command.py MUSTER CASE   runs one case, in a folder of its own
  command.py --list        the names of all cases

The environment's STANDIN and STANDIN_OLD name the stand-in and one that is older than clusters.
"""

import json
import os
import pathlib
import shutil
import struct
import sys
import time
import xml.etree.ElementTree as ElementTree

import jsonschema

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.append(str(ROOT / "tb" / "kernel"))

import program  # noqa: E402
from program import main_of, run  # noqa: E402

SCHEMA = json.loads((ROOT / "sim" / "gpu" / "gpu.schema.json").read_text())
OUT = [{"buffer": "out"}]
NO_GPU = 9


def check(condition, message, result=None):
    program.check(condition, str(message), result)


def manifest(folder, kernel, name="k", block=64, args=(), count=64, **keys):
    """A manifest of a kernel of kernels.ptx, whose buffer `out` begins with nines."""
    if not (folder / "kernels.ptx").exists():
        shutil.copy(HERE / "kernels.ptx", folder)
    path = folder / f"{name}.json"
    path.write_text(json.dumps({
        "ptx": "kernels.ptx", "kernel": kernel, "block": [block, 1, 1], "args": [*OUT, *args],
        "buffers": {"out": {"type": "u32", "count": count, "init": {"fill": 9}}}, **keys}))
    return path


def fill(folder, name="k", plus=5, expected=5, **keys):
    return manifest(folder, "fill", name, args=[{"u32": plus}],
                    expect={"out": [i + expected for i in range(64)]}, **keys)


def standin(folder, library="STANDIN", **settings):
    """The environment of a run: the library, and what it is told."""
    return {**os.environ, "MUSTER_LIBCUDA": os.environ[library], "STANDIN_LOG": str(folder / "calls"),
            **{f"STANDIN_{key.upper()}": str(value) for key, value in settings.items()}}


def calls(folder, name=""):
    """(process, name, what it was given) of the calls so far, or of those of that name."""
    rows = [line.split(" ", 2) for line in (folder / "calls").read_text().splitlines()]
    return [(row[0], row[1], row[2] if len(row) == 3 else "") for row in rows if name in ("", row[1])]


def on_gpu(muster, folder, path, *options, code=0, library="STANDIN", **settings):
    """Runs a manifest, and returns what it said with its report, which must fit its schema."""
    report = folder / "r.json"
    report.unlink(missing_ok=True)
    result = run(muster, "run", path, "--target", "cuda", "--report", report, *options,
                 env=standin(folder, library, **settings))
    check(result.returncode == code, f"expected exit code {code}", result)
    told = json.loads(report.read_text()) if report.exists() else None
    if told is not None:
        jsonschema.validate(told, SCHEMA)
    return result, told


def refused(result, code, says):
    check(result.returncode == code and says in result.stderr and result.stderr.count("\n") == 1 and
          not result.stdout, f"expected exit code {code} and one sentence with: {says}", result)


def no_gpu(muster, folder):
    """No driver, something else in its place, a driver without a GPU, that does not start, that dies: one sentence, exit
    code 9. No such target: one sentence, exit code 2."""
    path = fill(folder)
    commands = (("run", path, "--target", "cuda"), ("suite", path, "--target", "cuda"), ("suite", path, "--against", "cuda"))
    for library, says in ((folder / "libcuda.so.1", "libcuda.so.1 cannot be opened"), ("libm.so.6", "has no function cuInit")):
        for command in commands:
            result = run(muster, *command, env={**os.environ, "MUSTER_LIBCUDA": str(library)})
            check(result.returncode == NO_GPU and says in result.stderr and result.stderr.count("\n") == 1,
                  f"{command}: expected a sentence", result)
    for settings, says in (({"devices": 0}, "the driver finds no GPU here"),
                           ({"fail": "cuInit=803"}, "the driver does not start: system_driver_mismatch"),
                           ({"fail": "cuDevicePrimaryCtxRetain=2"}, "makes no context on the GPU: out_of_memory"),
                           ({"kill": "cuInit"}, "the driver has ended the process")):
        refused(run(muster, "run", path, "--target", "cuda", env=standin(folder, **settings)), NO_GPU, says)
    for target in ("cuda:x", "cuda:", "cuda:-1", "cuda:0", "cuda:65"):
        for command in ("run", "suite"):
            refused(run(muster, command, path, "--target", target), 2, "after the colon comes how many kernels run at a time")
        refused(run(muster, "suite", path, "--against", target), 2, "--against " + target + ": after the colon")
    refused(run(muster, "run", path, "--target", "cuda:2"), 2, "--target cuda:N is for muster suite")
    refused(run(muster, "run", path, "--target", "gpu"), 2, "there are verilated, uart:DEVICE, cuda and cuda:N")


def completes(muster, folder):
    """Buffers, report and texts of a kernel that completes."""
    result, told = on_gpu(muster, folder, fill(folder), "--show", "out", "--dump", f"out={folder}/out.bin", devices=2)
    expected = list(range(5, 69))
    check("fill: grid 1x1x1, block 64x1x1, on Stand-in 0 (sm_90, CUDA 12.4)\ncompletes after " in result.stdout and
          "as expected\nbuffer out, 64 elements\n  [0] 5 6 7" in result.stdout, "the text", result)
    check(told["outcome"] == "completes" and told["buffers"] == {"out": expected} and told["differences"] == [] and
          told["gpu"] == {"name": "Stand-in 0", "architecture": "sm_90", "driver": "12.4"}, told)
    check(struct.unpack("<64I", (folder / "out.bin").read_bytes()) == tuple(expected), "the bytes")
    check(calls(folder, "cuDevicePrimaryCtxRetain")[0][2] == "40", "the GPU is the first")
    check([row[2] for row in calls(folder, "cuLaunchKernel")] == ["fill 1,1,1 64,1,1 0"], calls(folder))
    check([len(calls(folder, name)) for name in ("cuMemHostUnregister", "cuModuleUnload", "cuDevicePrimaryCtxRelease_v2")] == [1, 1, 1], calls(folder))
    result, told = on_gpu(muster, folder, fill(folder, expected=6), code=1)
    check("NOT AS EXPECTED: buffer out differs in 64 of 64 elements: [0] is 5, not 6" in result.stdout and
          len(told["differences"]) == 1, "a difference", result)
    keys = {"buffers": {"out": {"type": "f32", "count": 64}}, "expect": {"out": [1e-44] * 64}}
    on_gpu(muster, folder, manifest(folder, "fill", args=[{"u32": 1}], **keys), code=1)
    on_gpu(muster, folder, manifest(folder, "fill", args=[{"u32": 1}], tolerance={"out": {"absolute": 1e-40}}, **keys))


def hangs(muster, folder):
    """A kernel that does not end is ended when its time is up; what it had written is there."""
    path = manifest(folder, "crossed")
    begin = time.monotonic()
    result, told = on_gpu(muster, folder, path, "--show", "out", "--time-limit", "0.4", code=3)
    check(0.4 <= time.monotonic() - begin < 20, "the limit", result)
    check("hangs: ended after 0.4 s" in result.stdout and "[0] 7 7 7 7" in result.stdout and
          "the outcome is hangs, where completes was expected" in result.stdout and f"Next: muster run {path}" in result.stdout,
          "the text", result)
    check(told["outcome"] == "hangs" and told["buffers"]["out"] == [7] * 64 and told["seconds"] == 0.4, told)
    for outcome, code in (("deadlock", 0), ("timeout", 0), ("fault:count_mismatch", 1), ("memory_fault", 1)):
        on_gpu(muster, folder, manifest(folder, "crossed", outcome=outcome), "--time-limit", "0.2", code=code)
    on_gpu(muster, folder, fill(folder, outcome="deadlock"), code=1)
    on_gpu(muster, folder, manifest(folder, "trap", outcome="deadlock"), trap=702)  # the driver's own limit
    begin = time.monotonic()
    on_gpu(muster, folder, manifest(folder, "crossed"), code=3)
    check(time.monotonic() - begin >= 2.5, "the limit without an option")
    pids = {row[0] for row in calls(folder)}
    check(not [pid for pid in pids if pathlib.Path(f"/proc/{pid}").exists()], "a process is left")


def traps(muster, folder):
    """The name of each trap, the exit code, and which outcomes of a manifest it is."""
    for code, name, outcomes in ((715, "illegal_instruction", ("fault:count_mismatch", "memory_fault")),
                                 (700, "illegal_address", ("memory_fault",)), (716, "misaligned_address", ("memory_fault",)),
                                 (719, "launch_failed", ("fault:bad_count",)), (710, "assert", ("assert",)),
                                 (799, "error_799", ("memory_fault",))):
        result, told = on_gpu(muster, folder, manifest(folder, "trap"), "--show", "out", code=5, trap=code)
        check(told["outcome"] == f"trap: {name}" and f"the outcome is trap: {name}, where completes" in result.stdout and
              told["buffers"]["out"] == [5] * 64 and "[0] 5 5 5" in result.stdout, told, result)
        for outcome in outcomes:
            on_gpu(muster, folder, manifest(folder, "trap", outcome=outcome), trap=code)
    on_gpu(muster, folder, manifest(folder, "trap", outcome="assert"), code=1)
    on_gpu(muster, folder, manifest(folder, "trap", outcome="memory_fault"), code=1, trap=710)


def late_traps(muster, folder):
    """A trap of which the driver tells when its kernel has ended is that kernel's; of one that comes later yet, no other kernel suffers."""
    _, told = on_gpu(muster, folder, manifest(folder, "late"), code=5)
    check(told["outcome"] == "trap: illegal_instruction", told)
    paths = [manifest(folder, "later", "a_later"), fill(folder, "b"), fill(folder, "c")]
    result = run(muster, "suite", *paths, "--target", "cuda", env=standin(folder))
    check(result.returncode == 0 and "3 kernels: 3 as their manifests say" in result.stdout and
          "a_later.json had completed when the driver told of a trap: illegal_instruction" in result.stderr, "the suite", result)


def does_not_load(muster, folder):
    """PTX that the assembler refuses, with its log; a kernel that the driver does not find; a kernel for other GPUs;
    a driver that does not answer. The front end need not know the instructions."""
    path = fill(folder)
    text = (HERE / "kernels.ptx").read_text()
    def with_text(new):
        (folder / "kernels.ptx").write_text(new)
    with_text(text.replace("add.u32 %r2, %r2, %r1;", "no_such_instruction.b32 %r1;"))
    line = text[:text.index("add.u32 %r2, %r2, %r1;")].count("\n") + 1
    result, told = on_gpu(muster, folder, path, "--show", "out", code=2)
    log = f"ptxas application ptx input, line {line}; error"
    check(log in result.stdout and log in told["message"] and told["outcome"] == "does not load: invalid_ptx" and
          told["buffers"] == {} and "buffer out is not known after this" in result.stdout, told, result)
    result = run(muster, "run", path)
    check(result.returncode == 2 and "no_such_instruction" in result.stderr, "the unit refuses it itself", result)
    with_text(text.replace("add.u32 %r2, %r2, %r1;", "instruction_of_tomorrow.b32 %r1; add.u32 %r2, %r2, %r1;"))
    on_gpu(muster, folder, path)
    with_text(text)
    result, told = on_gpu(muster, folder, manifest(folder, "hidden"), code=2)
    check(told["outcome"] == "does not load: not_found" and "finds no kernel hidden: is it .visible?" in result.stdout, told)
    for target, capability, fits in (("sm_100", 90, False), ("sm_90a", 100, False), ("sm_90a", 90, True), ("sm_80", 90, True),
                                     ("sm_100f", 103, True), ("sm_100f", 120, False), ("sm_120", 100, False)):
        with_text(text.replace(".target sm_90", f".target {target}"))
        result, told = on_gpu(muster, folder, fill(folder), code=0 if fits else 2, capability=capability)
        check(fits or (told["outcome"] == "does not fit" and
                       f"is for {target}, and the GPU is an sm_{capability}" in result.stdout), target, result)
    with_text("no PTX")
    refused(run(muster, "run", path, "--target", "cuda", env=standin(folder)), 2, "kernels.ptx:1")


def does_not_launch(muster, folder):
    """A launch that the driver refuses; buffers that it does not map; a process that ends by itself."""
    path = fill(folder)
    for settings, outcome in (({"fail": "cuLaunchKernel=701"}, "does not launch: launch_out_of_resources"),
                              ({"fail": "cuMemHostRegister_v2=2"}, "does not launch: out_of_memory"),
                              ({"fail": "cuModuleLoadDataEx=2"}, "does not load: out_of_memory"),
                              ({"kill": "cuLaunchKernel"}, "lost")):
        result, told = on_gpu(muster, folder, path, code=2, **settings)
        check(told["outcome"] == outcome and outcome in result.stdout, told, result)
    check("its process has ended by signal 9" in result.stdout, "the signal", result)


def arguments(muster, folder):
    """Numbers, buffers and a structure by value arrive as a GPU expects them; a wrong one is refused."""
    members = {"struct": [{"u32": 11}, {"u64": "0x2200000000"}, {"u8": 33}]}
    _, told = on_gpu(muster, folder, manifest(folder, "unpack", args=[members]))
    check(told["buffers"]["out"][:4] == [11, 0x22, 33, 9], told)
    for args, says in (([], '"args" has 1 arguments, but the kernel fill takes 2'),
                       ([{"u64": 1}], "args[1] has 8 bytes, but the parameter plus has 4")):
        refused(run(muster, "run", manifest(folder, "fill", args=args), "--target", "cuda", env=standin(folder)), 2, says)


def tensor_maps(muster, folder):
    """Tensor maps by value and in a buffer are the driver's; what it is told of them; a driver that refuses, or has none."""
    tile = {"buffer": "out", "type": "bf16", "dims": [16, 2], "box": [8, 1], "swizzle": "128B_atom_32B", "fill": "nan", "l2_promotion": "128B"}
    column = {"buffer": "out", "type": "f64", "dims": [2, 2, 2, 1], "im2col": {"lower": [-1, 0], "upper": [0, 1], "channels": 2, "pixels": 4}}
    path = manifest(folder, "mapped", args=[{"tensor_map": "tile"}, {"buffer": "held"}], tensor_maps={"tile": tile, "column": column})
    keys = json.loads(path.read_text())
    keys["buffers"]["held"] = {"type": "u8", "count": 256, "init": {"tensor_maps": ["column", "tile"]}}
    path.write_text(json.dumps(keys))
    _, told = on_gpu(muster, folder, path)
    check(told["buffers"]["out"][:3] == [0x01040209, 0x00000408, 9], told)
    check([row[2] for row in calls(folder, "cuTensorMapEncodeTiled")] == ["dims 16,2 strides 32 box 8,1 steps 1,1 0 2"] and
          [row[2] for row in calls(folder, "cuTensorMapEncodeIm2col")] == ["dims 2,2,2,1 lower -1,0 upper 0,1 2 4"], calls(folder))
    for settings, says in (({"fail": "cuTensorMapEncodeTiled=1"}, "does not launch: invalid_value"),
                           ({"library": "STANDIN_OLD"}, "does not launch: no_tensor_maps")):
        result, _ = on_gpu(muster, folder, path, code=2, **settings)
        check(says in result.stdout and "the driver does not make the tensor map" in result.stdout, says, result)


def textures(muster, folder):
    """Textures are copied to arrays, and surfaces back; what the driver is told of them, on the unit as there; a driver that
    refuses one; variables for textures and multicast objects, which are refused."""
    read = {"buffer": "texels", "type": "u32", "size": [4, 3], "pitch": 32, "offset": 16}
    kinds = {"volume": {"buffer": "texels", "type": "u8", "components": 4, "size": [2, 2, 2], "read": "normalized", "filter": "linear",
                        "address": ["wrap", "mirror", "border"], "normalized_coordinates": True},
             "layers": {"buffer": "texels", "type": "f16", "size": [6], "layers": 3}}
    surface = {"buffer": "surface", "type": "u32", "size": [4, 2]}
    def mapped(**keys):
        path = manifest(folder, "textured", args=[{"texture": "read"}, {"surface": "stored"}],
                        textures={"read": read, "stored": surface, **kinds}, **keys)
        told = json.loads(path.read_text())
        told["buffers"].update({"texels": {"type": "u32", "count": 32, "init": [100 + i for i in range(32)]},
                                "surface": {"type": "u32", "count": 8, "init": {"fill": 3}}})
        path.write_text(json.dumps({**told, "expect": {"out": [105] + [9] * 63, "surface": [3, 105] + [3] * 6}}))
        return path
    path = mapped()
    check(run(muster, "run", path).returncode == 0, "the unit")
    on_gpu(muster, folder, path)
    check(sorted(row[2] for row in calls(folder, "cuArray3DCreate_v2")) == ["2,2,2 1x4 2", "4,2,0 3x1 2", "4,3,0 3x1 2", "6,0,3 16x1 3"] and
          sorted(row[2] for row in calls(folder, "cuTexObjectCreate")) == ["0,2,3 1 2", "1,1,1 0 0", "1,1,1 0 1", "1,1,1 0 1"], calls(folder))
    check(sorted(row[2] for row in calls(folder, "cuMemcpy3D_v2")) ==
          ["1 to 3: 12,1,3", "1 to 3: 16,2,1", "1 to 3: 16,3,1", "1 to 3: 8,2,2", "3 to 1: 16,2,1"], "what is copied")
    for name in ("cuArrayDestroy", "cuTexObjectDestroy", "cuSurfObjectDestroy"):
        check(len(calls(folder, name)) == 4, "all is given back")
    for name in ("cuArray3DCreate_v2", "cuMemcpy3D_v2", "cuTexObjectCreate", "cuSurfObjectCreate"):
        result, told = on_gpu(muster, folder, path, code=2, fail=f"{name}=2")
        check(told["outcome"] == "does not launch: out_of_memory" and "does not make the texture" in result.stdout, told, result)
    text = (folder / "kernels.ptx").read_text()
    (folder / "kernels.ptx").write_text(text.replace(".extern .shared", ".global .texref read;\n.extern .shared", 1))
    refused(run(muster, "run", path, "--target", "cuda", env=standin(folder)), 2,
            ": read is a variable for a texture: on a GPU, textures are arguments of the kernel")
    result = run(muster, "run", manifest(folder, "shape", multicast={"m": {"buffers": ["out"]}}), "--target", "cuda", env=standin(folder))
    refused(result, 2, "has multicast objects, which span several GPUs, and --target cuda runs on one")


def shapes(muster, folder):
    """Clusters, portable and not, cooperative grids, dynamic shared memory: what the driver is told."""
    ex = "cuLaunchKernelEx"
    cases = (
        ({}, "cuLaunchKernel", "shape 1,1,1 64,1,1 49152", [], [1, 1, 49152]),
        ({"grid": [4, 2, 1], "dynamic_shared": 64}, "cuLaunchKernel", "shape 4,2,1 64,1,1 64", [], [1, 8, 64]),
        ({"grid": [4, 2, 1], "cluster": [2, 2, 1]}, ex, "shape 4,2,1 64,1,1 49152 cluster 2,2,1", [], [4, 8, 49152]),
        ({"grid": [16, 1, 1], "cluster": 16}, ex, "shape 16,1,1 64,1,1 49152 cluster 16,1,1", ["14 1"], [16, 16, 49152]),
        ({"grid": [2, 1, 1], "cooperative": True}, "cuLaunchCooperativeKernel", "shape 2,1,1 64,1,1 49152", [], [1, 2, 49152]),
        ({"grid": [2, 1, 1], "cluster": 2, "cooperative": True}, ex,
         "shape 2,1,1 64,1,1 49152 cluster 2,1,1 cooperative 1", [], [2, 2, 49152]),
        ({"dynamic_shared": 100000}, "cuLaunchKernel", "shape 1,1,1 64,1,1 100000", ["8 100000"], [1, 1, 100000]))
    for keys, call, given, attributes, out in cases:
        (folder / "calls").unlink(missing_ok=True)
        result, told = on_gpu(muster, folder, manifest(folder, "shape", **keys))
        check([row[2] for row in calls(folder, call)] == [given] and
              [row[2] for row in calls(folder, "cuFuncSetAttribute")] == attributes, (keys, calls(folder)))
        check(told["buffers"]["out"][:4] == [*out, 9], told, result)
    check("grid 1x1x1, block" in result.stdout, "the text", result)
    result, told = on_gpu(muster, folder, manifest(folder, "shape", grid=[2, 1, 1], cluster=2), code=2, library="STANDIN_OLD")
    check(told["outcome"] == "does not launch: no_clusters" and "clusters came with CUDA 11.8" in result.stdout, told)
    on_gpu(muster, folder, fill(folder), library="STANDIN_OLD")
    required = (HERE / "kernels.ptx").read_text().replace(
        ".visible .entry shape(.param .u64 out)\n", ".visible .entry shape(.param .u64 out)\n.reqnctapercluster 16, 1, 1\n")
    (folder / "kernels.ptx").write_text(required)
    (folder / "calls").unlink()
    on_gpu(muster, folder, manifest(folder, "shape", grid=[16, 1, 1], cluster=16), code=2, fail="cuLaunchKernel=912")
    check(not calls(folder, ex) and calls(folder, "cuFuncSetAttribute")[0][2] == "14 1",
          "a cluster that the kernel requires is not asked for again")


def launches(muster, folder):
    """Several launches in order, on what those before have left; values of symbols, and what they hold in the end."""
    def sequence(kernels, **keys):
        path = manifest(folder, "fill")
        told = json.loads(path.read_text())
        for key in ("kernel", "block", "args"):
            del told[key]
        rows = [{"kernel": kernel, "block": [64, 1, 1], "args": [*OUT, *([{"u32": 1 + i}] if kernel == "fill" else [])]}
                for i, kernel in enumerate(kernels)]
        path.write_text(json.dumps({**told, "launches": rows, **keys}))
        return path
    symbols = {"rounds": {"type": "u32", "init": [100]}, "step": {"type": "u32", "init": [7]}}
    path = sequence(["fill", "fill"], symbols=symbols, expect={"rounds": [114], "out": list(range(2, 66))})
    result, told = on_gpu(muster, folder, path, "--show", "rounds")
    check("launch 2 of 2, kernel fill: grid" in result.stdout and "symbol rounds, 1 elements\n  [0] 114" in result.stdout and
          told["buffers"]["rounds"] == [114] and told["launch"] == told["launches_in_manifest"] == 2, told, result)
    check(len(calls(folder, "cuModuleLoadDataEx")) == 1 and
          [row[1] for row in calls(folder) if row[1] in ("cuLaunchKernel", "cuCtxSynchronize")] ==
          ["cuLaunchKernel", "cuCtxSynchronize"] * 2 + ["cuCtxSynchronize"] * 2, calls(folder))
    on_gpu(muster, folder, sequence(["fill", "fill"], symbols={"rounds": {"type": "u32"}}, expect={"rounds": [2]}))
    for kernel, code, outcome in (("crossed", 3, "hangs"), ("trap", 5, "trap: illegal_instruction")):
        (folder / "calls").unlink()
        result, told = on_gpu(muster, folder, sequence(["fill", kernel, "fill"], symbols=symbols), "--show", "rounds",
                              "--show", "out", "--time-limit", "0.3", code=code)
        check(f"launch 2 of 3, kernel {kernel}: the outcome is {outcome}, where completes was expected" in result.stdout and
              "symbol rounds is not known after this" in result.stdout and "[0] " in result.stdout and
              told["launch"] == 2 and list(told["buffers"]) == ["out"], told, result)
        check(len(calls(folder, "cuLaunchKernel")) == 2, "the third launch does not begin")
    result, _ = on_gpu(muster, folder, sequence(["fill", "fill"]), code=2, fail="cuCtxSynchronize=0,cuLaunchKernel=701")
    check("launch 1 of 2, kernel fill: the outcome is does not launch" in result.stdout, "which launch", result)
    (folder / "kernels.ptx").write_text((HERE / "kernels.ptx").read_text().replace(".visible .global", ".global"))
    result, told = on_gpu(muster, folder, sequence(["fill"], symbols=symbols), code=2)
    check("no access to the variable rounds of" in result.stdout and "is it .visible?" in result.stdout, told, result)


def programmatic(muster, folder):
    """A launch that waits for a store of the next one, which overlaps; what the driver is told, and in which order. Without the
    overlap it hangs; what the report says of launches that overlap; a driver that has none."""
    def sequence(rows, **keys):
        path = manifest(folder, "fill")
        told = json.loads(path.read_text())
        for key in ("kernel", "block", "args"):
            del told[key]
        path.write_text(json.dumps({**told, "launches": [{"block": [1, 1, 1], "args": OUT, **row} for row in rows], **keys}))
        return path
    awaits, stores = {"kernel": "awaits"}, {"kernel": "stores", "programmatic": True}
    expect = {"out": [6, 7, 7] + [9] * 61}
    path = sequence([awaits, stores, {**awaits, "kernel": "shape"}], expect={"out": [1, 1, 49152] + [9] * 61})
    result, told = on_gpu(muster, folder, path)
    order = ("cuModuleGetFunction", "cuLaunchKernel", "cuLaunchKernelEx", "cuCtxSynchronize")
    check([row[1:] for row in calls(folder) if row[1] in order] ==
          [("cuModuleGetFunction", "awaits"), ("cuModuleGetFunction", "stores"), ("cuLaunchKernel", "awaits 1,1,1 1,1,1 0"),
           ("cuLaunchKernelEx", "stores 1,1,1 1,1,1 0 programmatic 1"), ("cuCtxSynchronize", ""), ("cuModuleGetFunction", "shape"),
           ("cuLaunchKernel", "shape 1,1,1 1,1,1 49152")] + [("cuCtxSynchronize", "")] * 3, calls(folder))
    check(told["kernel"] == "shape" and told["launch"] == 3 and "programmatic" not in told, told)
    check([row[2] for row in calls(folder, "cuStreamCreate")] == ["0"] and len(calls(folder, "cuStreamDestroy_v2")) == 1, calls(folder))
    path = sequence([awaits, stores], expect=expect)
    check(run(muster, "run", path).returncode == 0, "the unit")
    result, told = on_gpu(muster, folder, path)
    check(told["kernel"] == "awaits" and told["launch"] == 1 and told["programmatic"] == ["stores"] and
          "launch 1 of 2, kernel awaits: grid" in result.stdout and "launch 2 of 2, kernel stores: grid" in result.stdout, told, result)
    (folder / "calls").unlink()
    on_gpu(muster, folder, sequence([awaits, {**stores, "cluster": 1}], expect=expect))
    check([row[2] for row in calls(folder, "cuLaunchKernelEx")] == ["stores 1,1,1 1,1,1 0 cluster 1,1,1 programmatic 1"], calls(folder))
    result, told = on_gpu(muster, folder, sequence([awaits, {**stores, "programmatic": False}]), "--time-limit", "0.3", code=3)
    check("launch 1 of 2, kernel awaits: the outcome is hangs" in result.stdout and told["launch"] == 1, told, result)
    fills = {"kernel": "fill", "args": [*OUT, {"u32": 1}]}
    for kernel, code, outcome in (("crossed", 3, "hangs"), ("trap", 5, "trap: illegal_instruction")):
        result, told = on_gpu(muster, folder, sequence([fills, {"kernel": kernel}, {**fills, "programmatic": True}]),
                              "--time-limit", "0.3", code=code)
        check(f"launch 2 of 3, kernel {kernel}, or one that overlaps with it: the outcome is {outcome}" in result.stdout and
              told["launch"] == 2 and told["programmatic"] == ["fill"], told, result)
    result, told = on_gpu(muster, folder, path := sequence([fills, stores]), code=2, fail="cuLaunchKernelEx=701")
    check("launch 2 of 2, kernel stores: the outcome is does not launch" in result.stdout and told["launch"] == 2, told, result)
    result, told = on_gpu(muster, folder, path, code=2, library="STANDIN_OLD")
    check(told["outcome"] == "does not launch: no_programmatic_launches" and "programmatic launches came with CUDA 11.8" in result.stdout and
          told["launch"] == 2, told)


def direct(muster, folder):
    """A launch by options; what a kernel prints; options of the unit and of the GPU where they mean nothing."""
    fill(folder)
    ptx = folder / "kernels.ptx"
    options = ("--block", 64, "--arg", "out=u32[64]", "--arg", 3, "--expect", "out=3", "--target", "cuda")
    result = run(muster, "run", ptx, "fill", *options, env=standin(folder))
    check(result.returncode == 1 and "differs in 63 of 64 elements: [1] is 4, not 3" in result.stdout, "a launch", result)
    result, told = on_gpu(muster, folder, manifest(folder, "say"))
    check(result.stdout.startswith("said by the kernel\nsay: grid") and told["printed"] == "said by the kernel\n", told, result)
    for option in (("--config", "full"), ("--seed", 1), ("--seeds", 3), ("--max-cycles", 9), ("--progress", 1),
                   ("--schedule", "s.json"), ("--wave", "w.fst"), ("--wave-from", 1), ("--log", "l"), ("--timeline", "t"),
                   ("--trace", "t")):
        extra = ("--wave", "w.fst") if option[0] == "--wave-from" else ()
        result = run(muster, "run", fill(folder), "--target", "cuda", *option, *extra, env=standin(folder))
        refused(result, 2, "is of the unit: it does not go with --target cuda")
    for command in (("run", "--time-limit", 1), ("suite", "--time-limit", 1)):
        refused(run(muster, command[0], fill(folder), *command[1:]), 2, "is of a GPU: it goes with --target cuda")
    refused(run(muster, "suite", fill(folder), "--against", "cuda", "--target", "cuda"), 2, "does not go with --against")
    refused(run(muster, "suite", fill(folder), "--against", "verilated"), 2, "there are cuda and cuda:N")
    result = run(muster, "run", fill(folder), "--target", "cuda", "--report", ptx, env=standin(folder))
    refused(result, 2, "this output would replace")
    refused(run(muster, "run", fill(folder), "--target", "cuda", "--show", "none", env=standin(folder)), 2, "no such buffer")


def suite_of(folder, fills=12):
    """A folder of manifests: some that complete, one that hangs, one that traps, one that does not fit."""
    for i in range(fills):
        fill(folder, f"fill_{i:02}", plus=i, expected=i)
    manifest(folder, "crossed", "g_hangs", outcome="deadlock")
    manifest(folder, "trap", "h_traps", outcome="fault:count_mismatch")
    tomorrow = (HERE / "kernels.ptx").read_text().replace(".target sm_90", ".target sm_100")
    (folder / "tomorrow.ptx").write_text(tomorrow)
    path = fill(folder, "z_tomorrow")
    path.write_text(path.read_text().replace("kernels.ptx", "tomorrow.ptx"))
    return folder


def suite(muster, folder):
    """Workers serve one kernel after the other; one that hangs or traps costs its own process only. JSON and JUnit have
    the rows in order."""
    suite_of(folder)
    files = {name: folder / "out" / name for name in ("s.json", "s.xml")}
    (folder / "out").mkdir()
    for workers in (1, 3):
        (folder / "calls").unlink(missing_ok=True)
        options = ("--target", f"cuda:{workers}", "--time-limit", "0.5", "--json", files["s.json"], "--junit", files["s.xml"])
        paths = sorted(folder.glob("*.json"))
        result = run(muster, "suite", *paths, *options, env=standin(folder))
        check(result.returncode == 0 and
              "15 kernels: 14 as their manifests say, 0 not, 1 do not fit the GPU" in result.stdout, "the suite", result)
        check("z_tomorrow                         does not fit: " in result.stdout and "tomorrow.ptx is for sm_100" in result.stdout,
              "what does not fit", result)
        processes = {row[0] for row in calls(folder)}
        check(3 <= len(processes) <= workers + 2, f"{len(processes)} processes of {workers} workers")
        ran = [row[2].split()[0] for row in calls(folder, "cuLaunchKernel")]
        check(sorted(ran) == ["crossed"] + 12 * ["fill"] + ["trap"], ran)
        rows = json.loads(files["s.json"].read_text())
        check([row["kernel"] for row in rows] == [path.stem for path in paths], rows)
        for row in rows:
            jsonschema.validate(row["report"], SCHEMA)
        by_name = {row["kernel"]: row for row in rows}
        check(by_name["fill_03"]["report"]["buffers"]["out"][:2] == [3, 4] and by_name["fill_03"]["passed"] and
              by_name["g_hangs"]["report"]["buffers"]["out"] == [7] * 64 and by_name["g_hangs"]["exit_code"] == 0 and
              by_name["h_traps"]["report"]["outcome"] == "trap: illegal_instruction" and
              by_name["z_tomorrow"]["fits"] is False and by_name["z_tomorrow"]["exit_code"] == 2, rows)
        cases = ElementTree.parse(files["s.xml"]).getroot()
        check(len(cases) == 15 and cases.get("failures") == "0" and cases.get("skipped") == "1", "JUnit")
    fill(folder, "a_differs", expected=1)
    (folder / "b_bad.json").write_text("{}")
    result = run(muster, "suite", *sorted(folder.glob("*.json")), *options[:2], "--time-limit", "0.5", "--junit", files["s.xml"],
                 env=standin(folder))
    check(result.returncode == 1 and "17 kernels: 14 as their manifests say, 2 not, 1 do not fit" in result.stdout and
          "differs in 64 of 64" in result.stdout and "b_bad.json" in result.stdout, "two that fail", result)
    cases = ElementTree.parse(files["s.xml"]).getroot()
    check(cases.get("failures") == "2" and cases[0].find("failure") is not None, "JUnit of failures")
    # A process that dies takes its kernel with it, and no other one.
    result = run(muster, "suite", *paths, *options[:4], env=standin(folder, kill="cuModuleGetGlobal_v2"))
    check(result.returncode == 0, "nobody asks for a symbol", result)
    manifest(folder, "fill", "fill_05", args=[{"u32": 5}], symbols={"rounds": {"type": "u32"}}, expect={"rounds": [1]})
    result = run(muster, "suite", *paths, *options[:4], env=standin(folder, kill="cuModuleGetGlobal_v2"))
    check(result.returncode == 1 and "13 as their manifests say, 1 not, 1 do not fit" in result.stdout and
          "its process has ended by signal 9" in result.stdout, "one is lost", result)


def against(muster, folder):
    """A row for each kernel: the unit, the GPU, and whether they are the same."""
    suite_of(folder, fills=2)
    manifest(folder, "clock", "clock")
    manifest(folder, "hidden", "hidden")
    manifest(folder, "shape", "shape", grid=[4, 1, 1], cluster=2, expect={"out": [2, 4, 49152] + [9] * 61})
    shutil.copy(HERE / "kernels.ptx", folder / "new.ptx")
    (folder / "new.ptx").write_text((HERE / "kernels.ptx").read_text().replace(
        "add.u32 %r2, %r2, %r1;", "instruction_of_tomorrow.b32 %r1; add.u32 %r2, %r2, %r1;"))
    path = fill(folder, "y_new")
    path.write_text(path.read_text().replace("kernels.ptx", "new.ptx"))
    (folder / "out").mkdir()
    files = {name: folder / "out" / name for name in ("a.json", "a.xml")}
    options = ("--against", "cuda:2", "--time-limit", "0.5", "--json", files["a.json"], "--junit", files["a.xml"])
    result = run(muster, "suite", folder, *options, "--config", "default", "--seed", 2, env=standin(folder))
    lines = {line.split()[0]: line.split(None, 1)[1] for line in result.stdout.splitlines() if not line.startswith(" ")}
    check([" ".join(lines[name].split()) for name in ("fill_00", "g_hangs", "h_traps", "clock", "hidden", "shape")] ==
          ["completes completes same", "deadlock hangs same", "fault:count_mismatch trap: illegal_instruction same",
           "completes completes NOT THE SAME", "completes does not load: not_found NOT THE SAME", "completes completes same"],
          lines, result)
    check("buffer out differs in 1 of 64 elements: [0] is 12345, not " in result.stdout and
          "the outcome is does not load: not_found: the driver finds no kernel hidden" in result.stdout and
          "9 kernels: 5 the same, 2 not, 2 not compared" in result.stdout and result.returncode == 1, "the sum", result)
    rows = {row["kernel"]: row for row in json.loads(files["a.json"].read_text())}
    check(rows["fill_01"]["same"] and not rows["clock"]["same"] and rows["clock"]["compared"] and
          not rows["z_tomorrow"]["compared"] and not rows["y_new"]["compared"] and
          rows["h_traps"]["unit_report"]["faults"][0]["cause"] == "count_mismatch", rows)
    jsonschema.validate(rows["g_hangs"]["gpu_report"], SCHEMA)
    cases = ElementTree.parse(files["a.xml"]).getroot()
    check(cases.get("tests") == "9" and cases.get("failures") == "2" and cases.get("skipped") == "2", "JUnit")
    for name in ("clock", "hidden", "y_new", "z_tomorrow"):
        (folder / f"{name}.json").unlink()
    paths = sorted(folder.glob("*.json"))
    result = run(muster, "suite", *paths, *options[:4], env=standin(folder))
    check(result.returncode == 0 and "5 kernels: 5 the same, 0 not, 0 not compared" in result.stdout, "all the same", result)
    result = run(muster, "suite", *paths, *options[:4], env=standin(folder, trap=710))
    check(result.returncode == 1 and "the outcome is trap: assert" in result.stdout, "another trap", result)
    (folder / "bad.json").write_text("{}")
    result = run(muster, "suite", folder / "bad.json", folder / "fill_00.json", *options[:4], env=standin(folder))
    check(result.returncode == 1 and "2 kernels: 1 the same, 1 not" in result.stdout, "a manifest that cannot be read", result)


def written(muster, folder):
    """A kernel as it is and in the order that goes wrong: how often each does, and how often the order was kept to; a GPU that
    hangs, that refuses it, and that is not there; a time limit."""
    path = manifest(folder, "raced", count=64, expect={"out": [5] + [9] * 63})
    report, options = folder / "w.json", ("--emit-ptx", folder / "turns.ptx", "--target", "cuda:2", "--report", folder / "w.json")
    schema = json.loads((ROOT / "sim" / "explore" / "explore.schema.json").read_text())

    def gpu(*more, code=7, **settings):
        result = run(muster, "explore", path, *options, *more, env=standin(folder, **settings))
        check(result.returncode == code, f"exit code {code}", result)
        found = json.loads(report.read_text())
        jsonschema.validate(found, schema)
        return result, next(one["emitted"]["gpu"] for one in found["findings"] if one["kind"] == "wrong_result")

    result, both = gpu("--times", 5)
    check("goes wrong in 0 of 5 runs as it is, and in 5 of 5 in this order" in result.stdout, "both rates", result)
    check(both["as_is"] == {"runs": 5, "wrong": 0, "outcomes": {"completes": 5}}, "as it is", result)
    check(both["in_order"] == {"runs": 5, "wrong": 5, "outcomes": {"wrong result": 5}, "kept": 5}, "in order", result)
    result, both = gpu("--times", 3, "--time-limit", 0.2, stuck="cuCtxSynchronize")
    check(both["as_is"]["outcomes"] == both["in_order"]["outcomes"] == {"hangs": 3} and both["in_order"]["kept"] == 0, "hangs", result)
    result, both = gpu("--times", 400, "--time-limit", 0.2, "--time", 2, stuck="cuCtxSynchronize")
    check(0 < both["as_is"]["runs"] < 100, "the time is limited", result)
    result, both = gpu(fail="cuLaunchKernel=701")
    check("does not launch" in both["not_run"] and "launch_out_of_resources" in result.stdout, "refused", result)
    result = run(muster, "explore", path, *options, env=standin(folder, devices=0))
    check(result.returncode == NO_GPU, "there is no GPU", result)


CASES = {
    "no_gpu": no_gpu,
    "completes": completes,
    "hangs": hangs,
    "traps": traps,
    "late_traps": late_traps,
    "does_not_load": does_not_load,
    "does_not_launch": does_not_launch,
    "arguments": arguments,
    "tensor_maps": tensor_maps,
    "textures": textures,
    "shapes": shapes,
    "launches": launches,
    "programmatic": programmatic,
    "direct": direct,
    "suite": suite,
    "against": against,
    "written": written,
}

if __name__ == "__main__":
    main_of(CASES, lambda case, muster, folder: case(muster, folder))
