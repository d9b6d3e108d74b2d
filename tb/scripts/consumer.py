#!/usr/bin/env python3
# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""Projects outside of the tree that use its parts: tb/consumer, built in each way that there is.

  consumer.py BUILD CASE   runs one case, in a folder of its own
  consumer.py --list       the names of all cases
"""

import os
import re
import shutil

from surroundings import ROOT, check, main, run

CONSUMER = ROOT / "tb/consumer"
# A project of others says how it is compiled. These only save time here.
os.environ["CCACHE_NOHASHDIR"] = "1"
LAUNCHER = ["-DCMAKE_CXX_COMPILER_LAUNCHER=ccache"] if shutil.which("ccache") else []


def configure(source, folder, *options, **more):
    return run("cmake", "-G", "Ninja", "-S", source, "-B", folder, *LAUNCHER, *options, **more)


def use(folder, tests, *options):
    """Builds the consumer and runs what it has built: these tests and no other. It looks for no JSON library."""
    out = folder / "build"
    result = configure(CONSUMER, out, *options)
    check(result.returncode == 0 and "Warning" not in result.stdout, "expected it to configure", result)
    result = run("cmake", "--build", out)
    check(result.returncode == 0, "expected it to build", result)
    result = run("ctest", "--test-dir", out)
    check(result.returncode == 0 and re.findall(r"Test +#\d+: (\w+)", result.stdout) == tests,
          f"expected {tests} to pass", result)
    check("nlohmann_json_DIR" not in (out / "CMakeCache.txt").read_text(), "a JSON library was looked for")
    return out


def install(build, prefix):
    result = run("cmake", "--install", build, "--prefix", prefix)
    check(result.returncode == 0, "expected it to install", result)
    return prefix


def installed(build, folder):
    """find_package: each target, and every header that is installed."""
    prefix = install(build, folder / "prefix")  # Verilator 5.006 takes no source from a path with a space
    headers = sorted((prefix / "include/muster").rglob("*.h"))
    every = folder / "headers.cpp"
    every.write_text("".join(f'#include "{header.relative_to(prefix / "include/muster")}"\n'
                             for header in headers))
    use(folder, ["golden", "bcu", "tlm", "rtl"], "-DKIND=package", f"-DCMAKE_PREFIX_PATH={prefix}",
        "-DCOMPONENTS=tlm", f"-DHEADERS={every}", "-DVERILATE=ON")


def untouched(out, folder):
    """Nothing of how the consumer is built, tested and installed comes from Muster."""
    cache = (out / "CMakeCache.txt").read_text()
    check(re.search(r"^CMAKE_BUILD_TYPE:\w+=$", cache, re.MULTILINE), "a build type was set")
    check("CCACHE:" not in cache, "a compiler launcher was looked for")
    check("GTest_DIR" not in cache and "verilator_DIR" not in cache, "what only tests need was looked for")
    rules = (out / "build.ninja").read_text()
    check("-march=native" not in rules and "-Wextra" not in rules, "flags of ours")
    prefix = folder / "nothing"
    result = run("cmake", "--install", out, "--prefix", prefix)
    check(result.returncode == 0 and not prefix.exists(), "expected nothing to install", result)


def subdirectory(build, folder):
    """add_subdirectory: the libraries alone, by their names, and no setting of the consumer's changes."""
    untouched(use(folder, ["golden", "bcu"], "-DKIND=subdirectory", f"-DMUSTER={ROOT}"), folder)


def fetched(build, folder):
    """FetchContent in place of an installed package, with SystemC because the consumer asks for it."""
    untouched(use(folder, ["golden", "bcu", "tlm"], "-DKIND=fetched", f"-DMUSTER={ROOT}", "-DMUSTER_TLM=ON"),
              folder)


def without_units(build, folder):
    """The switch MUSTER_UNITS: without Verilator, SystemC and CLI11 the libraries build, and their tests."""
    hidden = [f"-DCMAKE_DISABLE_FIND_PACKAGE_{name}=ON" for name in ("verilator", "PkgConfig", "CLI11")]
    result = configure(ROOT, folder, "-DMUSTER_UNITS=OFF", "-DCMAKE_BUILD_TYPE=Debug",
                       "-DMUSTER_UNIT_OPTIONS=-O0", *hidden)
    check(result.returncode == 0, "expected it to configure", result)
    result = run("cmake", "--build", folder, "--target", "muster_bcu")  # subdirectory() builds all of them so
    check(result.returncode == 0, "expected it to build", result)
    targets = run("ninja", "-C", folder, "-t", "targets", "all").stdout
    check("golden_test:" in targets and "ptx_test:" in targets, "the tests that need no unit")
    check("muster_unit_" not in targets and "regress:" not in targets, "nothing that needs one")
    result = configure(ROOT, folder / "whole", *hidden)
    check(result.returncode and "-DMUSTER_UNITS=OFF" in result.stdout, "expected the switch to be named", result)


def components(build, folder):
    """find_package of an installation in a path with a space: of the libraries, and of what is not there,
    which ends with the reason."""
    prefix = install(build, folder / "pre fix")
    for component, says in (("", None), ("nope", "nope"), ("tlm", "needs SystemC")):
        result = configure(CONSUMER, folder / f"{component}-", "-DKIND=package", f"-DCMAKE_PREFIX_PATH={prefix}",
                           f"-DCOMPONENTS={component}", env=os.environ | {"PKG_CONFIG_LIBDIR": str(folder)})
        check((result.returncode != 0) == bool(says) and (says or "") in result.stdout,
              f"component {component!r}: expected {says or 'success'}", result)


CASES = {
    "installed": installed,
    "subdirectory": subdirectory,
    "fetched": fetched,
    "without_units": without_units,
    "components": components,
}


if __name__ == "__main__":
    main(CASES)
