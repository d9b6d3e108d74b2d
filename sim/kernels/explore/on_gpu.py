#!/usr/bin/env python3
# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""How often each wrong kernel goes wrong on a GPU, as it is and in the order that `muster explore` has found; and the
mended one, which must not.

  on_gpu.py prepare MUSTER FOLDER   without a GPU: explores all pairs, and writes FOLDER, which needs nothing of this tree:
                                    the kernels, the orders, muster and its libraries, this script
  on_gpu.py run FOLDER              on a machine with a GPU, its driver and Python 3; a line for each pair, and all in
                                    FOLDER/on_gpu.json

Options of `run`: --times N (10) runs of each kernel, --seconds S (20) for a kernel at most, about, --time-limit L (0.5)
seconds until a launch counts as hanging, --target cuda:N (cuda:4), --jobs N (1) pairs at a time, --json FILE, --only NAME... for some pairs.
"""

import argparse
import concurrent.futures
import difflib
import json
import os
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent


# ------------------------------------------------------------------------------------------------
# Without a GPU
# ------------------------------------------------------------------------------------------------

def as_rows(recording):
    """A recording as JSON, a line for each pair."""
    rows = (json.dumps(value) if not isinstance(value, dict) else
            "{\n" + ",\n".join(f"  {json.dumps(name)}: {json.dumps(row)}" for name, row in value.items()) + "}" for value in recording.values())
    return "{" + ",\n".join(f"{json.dumps(key)}: {text}" for key, text in zip(recording, rows)) + "}\n"


def libraries(program):
    """The shared libraries of a program, but for those of the C library, which every system has."""
    lines = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout.splitlines()
    files = [line.split("=>")[1].split()[0] for line in lines if "=>" in line]
    system = ("libc.so", "libm.so", "libdl.so", "libpthread.so", "librt.so")
    return [file for file in files if not pathlib.Path(file).name.startswith(system)]


def rank(finding):
    """Sorts findings: first those whose kernel shows the bug by itself, last those that no order shows."""
    emitted = finding["emitted"]
    unit = emitted.get("unit", {"wrong": False, "kept": False})
    return ("unwritten" in emitted, not (unit["wrong"] and unit["kept"]), len(emitted.get("unforced", [])))


def order_of_mended(order, wrong, mended):
    """The same order of the mended kernel: turns of lines that both have."""
    blocks = difflib.SequenceMatcher(None, wrong.splitlines(), mended.splitlines(), autojunk=False).get_matching_blocks()
    lines = {block.a + i + 1: block.b + i + 1 for block in blocks for i in range(block.size)}
    needed = order.get("needed", len(order["turns"]))
    turns = []
    for index, turn in enumerate(order["turns"]):
        if "line" not in turn or turn["line"] in lines:
            turns.append({**turn, **({"line": lines[turn["line"]]} if "line" in turn else {})})
        elif index < order.get("needed", len(order["turns"])):
            needed -= 1
    return {**order, "turns": turns, "needed": needed}


def prepare(muster, folder):
    import mend  # needs Python 3.11
    mend.write(folder)
    pairs = {}
    for name in mend.rows():
        if "launches" in json.loads((HERE / name / "wrong.json").read_text()):
            continue  # no kernel is written of several launches
        place = folder / name
        for file in (HERE / name).glob("wrong.*"):
            shutil.copy(file, place)
        report, witness = place / "report.json", place / "witness.json"
        subprocess.run([muster, "explore", place / "wrong.json", "--report", report, "--witness", witness,
                        "--emit-ptx", place / "found.ptx"], stdout=subprocess.DEVNULL, check=False)
        finding = min(json.loads(report.read_text())["findings"], key=rank)
        order = json.loads(pathlib.Path(finding["witness"]).read_text())
        (place / "wrong.order.json").write_text(json.dumps(order))
        mended = order_of_mended(order, (place / "wrong.ptx").read_text(), (place / "mended.ptx").read_text())
        (place / "mended.order.json").write_text(json.dumps(mended))
        for file in [report, *place.glob("found*"), *place.glob("witness*")]:
            file.unlink()
        emitted = {key: value for key, value in finding["emitted"].items() if key not in ("ptx", "manifest")}
        pairs[name] = {"kind": finding["kind"], "ending": finding["ending"], **emitted}
        print(f"{name}: {finding['kind']}, {emitted.get('unwritten') or emitted['unit']}", flush=True)
    (folder / "pairs.json").write_text(json.dumps(pairs, indent=1))
    (folder / "bin").mkdir(exist_ok=True)
    for file in [muster, *libraries(muster)]:
        shutil.copy(file, folder / "bin")
    shutil.copy(__file__, folder)


# ------------------------------------------------------------------------------------------------
# With one
# ------------------------------------------------------------------------------------------------

def compare(folder, name, kernel, options):
    """Runs a kernel as it is and in the order; what `muster explore` reports of that, or what went wrong."""
    place, report = folder / name, folder / name / (kernel + ".report.json")
    command = [folder / "bin" / "muster", "explore", place / (kernel + ".json"), "--schedule", place / (kernel + ".order.json"),
               "--emit-ptx", place / (kernel + ".turns.ptx"), "--target", options.target, "--times", options.times,
               "--time", options.seconds, "--time-limit", options.time_limit, "--report", report]
    library_path = str(folder / "bin") + os.pathsep + os.environ.get("LD_LIBRARY_PATH", "")
    if report.exists():
        report.unlink()
    try:
        done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              timeout=2 * options.seconds + 30, check=False,
                              env={**os.environ, "LD_LIBRARY_PATH": library_path.rstrip(os.pathsep)})
    except subprocess.TimeoutExpired:
        return {"error": "took too long"}
    if done.returncode != 0 or not report.exists():
        return {"error": (done.stderr or done.stdout).decode(errors="replace").strip(), "code": done.returncode}
    return json.loads(report.read_text())["emitted"]


def rate(result, which):
    """ "3 of 10" """
    gpu = result.get("gpu", {})
    if which not in gpu or "not_run" in gpu:
        return "-"
    return "%d of %d" % (gpu[which]["wrong"], gpu[which]["runs"])


def outcomes(result):
    """How the kernel went in the order, where it was kept and how often."""
    if "error" in result:
        return result["error"].splitlines()[-1][:100]
    gpu = result["gpu"]
    if "not_run" in gpu:
        return gpu["not_run"].splitlines()[0][:100]
    return "; ".join("%s %d" % item for item in gpu["in_order"]["outcomes"].items())


def both_kernels(folder, name, options):
    return {kernel: compare(folder, name, kernel, options) for kernel in ("wrong", "mended")}


def tell(name, pair, both):
    """Prints the row of a pair, and returns it."""
    cells = [rate(both[kernel], which) for kernel in ("wrong", "mended") for which in ("as_is", "in_order")]
    print("%-28s %-18s %-10s %-10s %-10s %-10s %s" % (name, pair["kind"], *cells, outcomes(both["wrong"])), flush=True)
    return dict(pair, **both)


def run(folder, options):
    pairs = json.loads((folder / "pairs.json").read_text())
    unknown = [name for name in options.names if name not in pairs]
    if unknown:
        sys.exit("there are no pairs " + ", ".join(unknown))
    results = {}
    print("%-28s %-18s %-10s %-10s %-10s %-10s %s" % ("goes wrong", "finding", "as is", "in order", "mended", "in order",
                                                      "in order, the wrong one"))
    names = options.names or list(pairs)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        runs = {name: pool.submit(both_kernels, folder, name, options) for name in names}
        for name, done in runs.items():
            results[name] = tell(name, pairs[name], done.result())
            options.json.write_text(as_rows({"times": options.times, "time_limit": options.time_limit, "pairs": results}))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command")
    one = commands.add_parser("prepare")
    one.add_argument("muster", type=pathlib.Path)
    one.add_argument("folder", type=pathlib.Path)
    two = commands.add_parser("run")
    two.add_argument("folder", type=pathlib.Path)
    two.add_argument("--only", nargs="+", default=[], dest="names", metavar="NAME")
    two.add_argument("--target", default="cuda:4")
    two.add_argument("--jobs", type=int, default=1)
    two.add_argument("--times", type=int, default=10)
    two.add_argument("--seconds", type=int, default=20)
    two.add_argument("--time-limit", type=float, default=0.5)
    two.add_argument("--json", type=pathlib.Path)
    options = parser.parse_args()
    if options.command == "prepare":
        prepare(options.muster, options.folder)
    elif options.command == "run":
        options.json = options.json or options.folder / "on_gpu.json"
        run(options.folder.resolve(), options)
    else:
        parser.error("prepare or run")


if __name__ == "__main__":
    main()
