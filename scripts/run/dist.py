#!/usr/bin/env python3
# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""Makes the files of a release in build/dist, and tries each in an empty folder. Arguments name the parts; without any, all are made.

  source     muster-VERSION.tar.gz: the tree, as it is committed or about to be
  rtl        muster-rtl-VERSION.tar.gz: the RTL, its file lists, the bench of tb/smoke, the constraints of the boards
  verilog    muster-verilog-VERSION.tar.gz: each profile as one module of plain Verilog, with a map of its ports; needs npm
  documents  muster-documents-VERSION.tar.gz: the pages as a site, to be read without a network; needs PyPI

SHA256SUMS has the sums of all that are there. One tree makes the same tar files each time. Exit code 1: a part cannot be made, or does not
work where nothing else is.
"""

import argparse
import gzip
import hashlib
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile

from root import ROOT
import filelists

OUT = ROOT / "build/dist"
VERSION = filelists.version()
PROFILES = ("small", "default", "full", "vortex_like")
RTL = ("rtl/", "tb/smoke/", "constraints/", "LICENSE", "CHANGELOG.md")


def run(*command, folder=ROOT):
    """The messages of a command, which must not fail."""
    done = subprocess.run([str(word) for word in command], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True)
    if done.returncode:
        sys.exit(f"in {folder}: {' '.join(map(str, command))}\n{done.stdout}")
    return done.stdout


def tracked():
    """The files of the tree: those that Git knows, or in a tree without Git all that are there but the build's."""
    if (ROOT / ".git").exists():
        names = run("git", "ls-files", "-co", "--exclude-standard").splitlines()
    else:
        names = [str(path.relative_to(ROOT)) for path in ROOT.rglob("*")]
    return sorted(name for name in names if not name.startswith("build/") and "__pycache__" not in name and
                  ((ROOT / name).is_file() or (ROOT / name).is_symlink()))


def pack(out, part, folder, names):
    """Packs files of a folder. Times and owners say nothing of the machine."""
    stem = f"muster{'' if part == 'source' else '-' + part}-{VERSION}"
    target = out / f"{stem}.tar.gz"

    def plain(info):
        info.uid = info.gid = info.mtime = 0
        info.uname = info.gname = ""
        info.mode = 0o755 if info.mode & 0o100 else 0o644
        return info
    with open(target, "wb") as file, gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0) as zipped, \
            tarfile.open(fileobj=zipped, mode="w", format=tarfile.GNU_FORMAT) as tar:
        for name in names:
            tar.add(folder / name, arcname=f"{stem}/{name}", recursive=False, filter=plain)
    return target, stem


def source():
    def works(folder):
        run("cmake", "-S", folder, "-B", folder / "build", "-G", "Ninja", "-DMUSTER_CONFIGS=small", "-DMUSTER_TESTS=OFF", folder=folder)
        run("cmake", "--build", folder / "build", "--target", "muster", "-j", os.environ.get("JOBS", str(os.cpu_count())), folder=folder)
        muster = folder / "build/sim/app/muster"
        if VERSION not in run(muster, "--version"):
            sys.exit(f"{muster} --version does not say {VERSION}")
        run(muster, "run", "sim/kernels/block_sum/block_sum.json", "--config", "small", folder=folder)
    return ROOT, tracked(), works


def rtl():
    def works(folder):
        run("verilator", "--lint-only", "-Wall", "rtl/muster.vlt", "-F", "rtl/muster.f", "--top-module", "muster", folder=folder)
        run("verilator", "--lint-only", "--timing", "-Wall", "rtl/muster.vlt", "-F", "rtl/muster.f", "tb/smoke/muster_smoke.sv",
            "--top-module", "muster_smoke", folder=folder)
    return ROOT, [name for name in tracked() if name.startswith(RTL)], works


def verilog():
    folder = ROOT / "build/verilog"
    for profile in PROFILES:
        run("scripts/synth/verilog.py", "--config", profile)
    shutil.copy(ROOT / "LICENSE", folder)

    def works(where):
        for profile in PROFILES:
            run("verilator", "--lint-only", "-Wno-lint", "--language", "1364-2005", f"muster_{profile}.v", folder=where)
    ends = (".v", "_wrapper.sv", "_ports.json", "_ports.md")
    return folder, ["LICENSE", *sorted(f"muster_{profile}{end}" for profile in PROFILES for end in ends)], works


def documents():
    run("scripts/pages/website.py")
    folder = ROOT / "build/site/html"

    def works(where):
        for name in ("index.html", "rtl/THEORY.html", "search/search_index.js"):
            if not (where / name).is_file():
                sys.exit(f"the documents have no {name}")
    return folder, sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()), works


PARTS = {"source": source, "rtl": rtl, "verilog": verilog, "documents": documents}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="part", help=", ".join(PARTS))
    parser.add_argument("--untried", action="store_true", help="make the files, and do not try them")
    parser.add_argument("--out", type=pathlib.Path, default=OUT, help="a folder (default: build/dist)")
    args = parser.parse_args()
    unknown = [part for part in args.parts if part not in PARTS]
    if unknown:
        sys.exit(f"there is no part {unknown[0]}; there are {', '.join(PARTS)}")
    args.out.mkdir(parents=True, exist_ok=True)
    for part in args.parts or PARTS:
        folder, names, works = PARTS[part]()
        target, stem = pack(args.out, part, folder, names)
        if not args.untried:
            with tempfile.TemporaryDirectory() as empty:
                with tarfile.open(target) as tar:
                    tar.extractall(empty)
                works(pathlib.Path(empty) / stem)
        print(f"{os.path.relpath(target)}: {len(names)} files, {target.stat().st_size / 1e6:.1f} MB{'' if args.untried else ', tried'}", flush=True)
    made = sorted(path for path in args.out.iterdir() if path.name.endswith(f"{VERSION}.tar.gz"))
    (args.out / "SHA256SUMS").write_text("".join(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in made))


if __name__ == "__main__":
    main()
