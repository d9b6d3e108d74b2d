#!/usr/bin/env python3
# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""What is around the programs: scripts, targets of the Makefile, files and folders.

  surroundings.py BUILD CASE   runs one case, in a folder of its own
  surroundings.py --list       the names of all cases
"""

import concurrent.futures
import fcntl
import json
import os
import pathlib
import pty
import re
import shutil
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ElementTree

ROOT = pathlib.Path(__file__).resolve().parents[2]
KERNELS = ROOT / "sim/kernels"
SKIPPED = 77
SLOW_BUILD = """rule slow
  command = sleep 1; echo x >> $out
build one: slow
build two: slow one
build build.ninja: phony
"""
sys.path.insert(0, str(ROOT / "scripts/common"))
import root  # noqa: E402, F401, finds the scripts


def run(*command, **options):
    return subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, errors="replace", **options)


def check(condition, message, result=None):
    if not condition:
        if result is not None:
            message += f"\nexit code {result.returncode}\n{result.stdout}"
        sys.exit(message)


def temporary_folders(build, folder):
    """Tests that write files leave nothing in the system's temporary folder."""
    temporary = folder / "temporary"
    temporary.mkdir()
    for program, tests in (("golden/golden_test", "GoldenLog.*"), ("unit/ptx_test", "PtxManifest.*"),
                           ("lockstep/lockstep_test", "Regress.WritesResults:*RunTest.LogReplays/0")):
        result = run(build / "tb" / program, f"--gtest_filter={tests}",
                     env=os.environ | {"TMPDIR": str(temporary), "TEST_TMPDIR": f"{temporary}/"})
        check(result.returncode == 0 and "PASSED" in result.stdout, "expected tests to pass", result)
        check(not list(temporary.iterdir()), f"{program} leaves {list(temporary.iterdir())}")


def copy_tree(copy):
    """Copies the sources, built ones left out."""
    listed = run("git", "-C", ROOT, "ls-files", "-co", "--exclude-standard")
    if listed.returncode:
        listed = run("find", ".", "-path", "./build*", "-prune", "-o", "-not", "-type", "d", "-print", cwd=ROOT)
    for file in listed.stdout.splitlines():
        if (ROOT / file).is_file():
            (copy / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / file, copy / file)


def path_with_a_space(build, folder):
    """A checkout in such a path configures and builds, and in one configuration if that is asked for."""
    copy = folder / "a path with spaces"
    copy_tree(copy)
    result = run(copy / "scripts/run/build.sh", "--config", "small",
                 "sim/lockstep/verilated/Vsmall/Vsmall_fast.cpp", "muster_isa")
    check(result.returncode == 0, "expected it to build", result)
    rules = (copy / "build/small/build.ninja").read_text()
    check("muster_unit_small" in rules and "muster_unit_default" not in rules, "one unit alone")


def presets(build, folder):
    """Each preset configures its own folder with its own options, and with the preset dev one builds and tests."""
    copy_tree(folder)
    for preset, out, switch in (("dev", "build", None), ("asan", "build/asan", "MUSTER_SANITIZE"),
                                ("coverage", "build/coverage/build", "MUSTER_COVERAGE")):
        result = run("cmake", "--preset", preset, "-DMUSTER_UNITS=OFF", cwd=folder)
        check(result.returncode == 0, f"{preset}: expected it to configure", result)
        cache = (folder / out / "CMakeCache.txt").read_text()
        for name in ("MUSTER_SANITIZE", "MUSTER_COVERAGE"):
            on = re.search(f"^{name}:BOOL=ON$", cache, re.MULTILINE)
            check(bool(on) == (name == switch), f"{preset}: {name}")
        result = run("ctest", "--preset", preset, "-N", cwd=folder)
        check(result.returncode == 0, f"{preset}: expected a list of tests", result)
    # As scripts/run/build.sh: what has been compiled in another copy of the tree is in the compiler's cache.
    environment = os.environ | {"CCACHE_BASEDIR": str(folder), "CCACHE_NOHASHDIR": "1"}
    result = run("cmake", "--build", "--preset", "dev", "--target", "hwprobe_golden", cwd=folder,
                 env=environment)
    check(result.returncode == 0, "expected it to build", result)
    result = run("ctest", "--preset", "dev", "-R", "hwprobe", cwd=folder)
    check(result.returncode == 0 and "hwprobe.compare" in result.stdout, "expected a test to pass", result)


def unknown_config(build, folder):
    """CONFIG= of no configuration, and for a target that takes none, is refused in a sentence."""
    for words, says in ((["regress", "CONFIG=nope"], "There is no configuration 'nope'; there are small"),
                        (["run", "CONFIG=../x"], "There is no configuration '../x'"),
                        (["wave", "KERNEL=vote", "CONFIG=nope"], "There is no configuration 'nope'"),
                        (["asic", "CONFIG=nope"], "--config: there are all, small"),
                        (["mutants", "CONFIG=small"], "mutants takes no CONFIG=; run regress")):
        result = run("make", "-C", ROOT, *words, "SETUP=no", "JOBS=1")
        check(result.returncode == 2 and says in result.stdout, f"make {words}: expected a sentence", result)
    check(not (ROOT / "x").exists(), "a folder outside of build/")


def unit_from_elsewhere(build, folder):
    """With other sources in the place of the unit's, as scripts/synth/gates.py has them, there is the regression of that unit alone."""
    result = run("cmake", "-G", "Ninja", "-S", ROOT, "-B", folder / "build", "-DMUSTER_CONFIGS=small", "-DMUSTER_RTL=netlist.v")
    check(result.returncode == 0, "expected it to configure", result)
    result = run("ctest", "--test-dir", folder / "build", "-N", "--label-regex", "^regress$")
    names = set(re.findall(r"Test +#\d+: (\S+)", result.stdout))
    check("regress.small.1" in names and not any("gpc" in name for name in names), "expected tests of small alone", result)


def config_without_kernels(build, folder):
    """A configuration that no kernel can run in is refused in a sentence."""
    import configs
    file = folder / "configs.json"
    file.write_text(configs.text_of({"odd": configs.UNIT["small"] | {"WarpSize": 8}}))
    result = run("cmake", "-G", "Ninja", "-S", ROOT, "-B", folder / "build", f"-DMUSTER_CONFIGS_FILE={file}",
                 "-DMUSTER_UNITS=OFF", "-DMUSTER_TESTS=OFF")
    said = " ".join(result.stdout.split())
    check(result.returncode == 1 and f"The configuration odd of {file} has WarpSize 8, but" in said and
          "Make it 32, or build the regression alone with -DMUSTER_REGRESS_ONLY=ON" in said, "expected a sentence", result)


def one_build_at_a_time(build, folder):
    """Two builds in one folder: the second waits, says so, and finds nothing to do."""
    (folder / "build.ninja").write_text(SLOW_BUILD)
    environment = os.environ | {"BUILD": str(folder), "CMAKE_OPTIONS": ""}
    first = subprocess.Popen([ROOT / "scripts/run/build.sh"], env=environment, stdout=subprocess.DEVNULL)
    while not (folder / ".ninja_log").exists():
        time.sleep(0.05)
    second = run(ROOT / "scripts/run/build.sh", env=environment)
    check(first.wait() == 0 and second.returncode == 0, "expected both to build", second)
    check(f"Another build is at work in {folder}/; this one waits" in second.stdout, "a sentence", second)
    check((folder / "one").read_text() + (folder / "two").read_text() == "x\nx\n", "each is built once")


def nothing_to_build(build, folder):
    """Where nothing has changed a build configures nothing, and says nothing."""
    for _ in range(2):
        result = run(ROOT / "scripts/run/build.sh", "muster_golden",
                     env=os.environ | {"BUILD": str(build), "CMAKE_OPTIONS": ""})
        check(result.returncode == 0, "expected it to build", result)
    check(not result.stdout, "expected not a word", result)


def build_in_a_terminal(build, folder):
    """In a terminal a build shows how far it is before it ends."""
    (folder / "build.ninja").write_text(SLOW_BUILD)
    terminal, end = pty.openpty()
    started = subprocess.Popen([ROOT / "scripts/run/build.sh"], stdout=end, stderr=end,
                               env=os.environ | {"BUILD": str(folder), "CMAKE_OPTIONS": "", "TERM": "vt100"})
    os.close(end)
    shown = b""
    while b"build 1/2" not in shown:
        try:
            shown += os.read(terminal, 4096)
        except OSError:
            break
    check(b"build 1/2" in shown and started.poll() is None, f"shown before its end: {shown}")
    check(started.wait() == 0, "expected it to build")


def one_run_at_a_time(build, folder):
    """A folder in which a script works is taken: another run says so and touches nothing."""
    path = ROOT / "build/mutants.lock"
    path.parent.mkdir(exist_ok=True)
    with open(path, "a+", encoding="ascii") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            lock.truncate(0)
            lock.write("4711")
            lock.flush()
        except BlockingIOError:
            pass  # another run has it: as good
        result = run(ROOT / "scripts/mutation/mutants.py", "--none", "small")
        check(result.returncode == 2 and
              re.fullmatch(r"build/mutants/ is in use by another run \(process \d+\); begin again when "
                           r"that has ended\.\n", result.stdout), "expected a sentence", result)


def needs_fst2vcd():
    if not shutil.which("fst2vcd"):
        print("skipped: there is no fst2vcd here; scripts/run/setup.sh wave installs it")
        sys.exit(SKIPPED)


def wave_shows(build, folder):
    """Each signal that the save file names is in the trace, in every configuration that was built; the
    picture shows a release two cycles after the last commit before it, and the words of mbarriers."""
    needs_fst2vcd()
    import configs
    import waveform
    seen = 0
    for config in configs.NAMES:
        for kernel in ("block_sum", "mb_ring", *([] if seen else ["warp_forms", "cluster_forms"])):
            fst, svg = folder / f"{config}-{kernel}.fst", folder / "x.svg"
            result = run(build / "sim/app/muster", "run", KERNELS / kernel / f"{kernel}.json",
                         "--config", config, "--wave", fst)
            if "built without the configuration" in result.stdout:
                continue
            check(result.returncode == 0, "expected a run", result)
            result = run(ROOT / "scripts/run/wave.py", "--fst", fst, "--svg", svg,
                         env=os.environ | {"BUILD": str(folder), "DISPLAY": ""})
            check(result.returncode == 0, "expected a picture", result)
            saved = (folder / "wave" / f"{config}-{kernel}.gtkw").read_text()
            check(f"{waveform.UNIT.path}.mb_commit_o.word.pending[19:0]" in saved, saved)
            ElementTree.parse(svg)
            for scope, signal in (("warp", "answer_o.lanes[31:0]"), ("cluster", "release_o[3][31:0]")):
                beside = folder / "wave" / f"{config}-{kernel}.{scope}"
                if kernel.startswith(scope):
                    saved = beside.with_name(f"{beside.name}.gtkw").read_text()
                    check(signal in saved, f"{kernel}: {saved}")
                    ElementTree.parse(beside.with_name(f"{beside.name}.svg"))
            if kernel == "block_sum":
                traced = waveform.Trace(fst, 24)
                row = {row.signal: row for rows in traced.groups.values() for row in rows}
                released = traced.shown(row["release_o"], [traced.event])[0]
                check(re.fullmatch(r"\d+-\d+", released) and f">{released}</text>" in svg.read_text(),
                      f"{config}: the release of eight warps: {svg.read_text()}")
                cycles = range(traced.event - 2, traced.event + 1)
                check(config != "small" or any(traced.values("commit_o.valid", cycles)[:1]) and
                      traced.shown(row["release_o"], cycles)[:2] == ["", ""], "the commit before it")
            seen += 1
    check(seen, "no configuration was built")


def theory(build, folder):
    """The waveforms of rtl/THEORY.md and the picture of README.md are those of runs."""
    needs_fst2vcd()
    result = run(build / "sim/app/muster", "run", KERNELS / "vote/vote.json", "--config", "small")
    if "built without the configuration" in result.stdout:
        print("skipped: the configuration small was not built")
        sys.exit(SKIPPED)
    result = run(ROOT / "scripts/pages/theory.py", "--check", "--muster", build / "sim/app/muster")
    check(result.returncode == 0 and not result.stdout, "expected pages that agree with runs", result)


def kernels_counted(build, folder):
    """README.md says how many kernels `make run` runs: those of the tree, and the mended ones that the build makes."""
    made = build / "sim/kernels"
    if not made.exists():
        print("skipped: the mended kernels were not built")
        sys.exit(SKIPPED)
    manifests = [path for of in (KERNELS, made) for path in of.rglob("*.json")]
    said = re.search(r"runs (\d+) PTX kernels", (ROOT / "README.md").read_text())
    check(said and int(said[1]) == len(manifests), f"there are {len(manifests)} kernels, and README.md says {said[1] if said else 'nothing'}")


def wave_of_joins(build, folder):
    """Of a lifecycle operation a picture has the fields that mean something for it, and no others."""
    needs_fst2vcd()
    import configs
    import waveform
    fields = {"Launch": {"cta", "warps", "size"}, "Open": {"cta", "size"}, "Join": {"cta", "warp", "lanes"},
              "Suspend": {"cta"}, "End": {"cta"}}
    regress, fst = build / "tb/lockstep/regress", folder / "x.fst"
    for config in (name for name in configs.NAMES if configs.UNIT[name]["EnJoin"]):
        result = run(regress, "--config", config, "--seed", 1, "--cycles", 4000, "--wave", fst)
        if fst.exists():
            break
    check(fst.exists(), "expected a run", result)
    traced = waveform.Trace(fst, 4000, 0)
    cycles = range(traced.last + 1)
    shown = {row.label: traced.shown(row, cycles) for row in traced.groups["lifecycle"]}
    seen = set()
    for cycle in cycles:
        named = {label for label, cells in shown.items() if label not in ("valid", "ready", "op") and cells[cycle]}
        op = shown["op"][cycle]
        check(named == fields.get(op, set()) or op == "Launch" and named == {"cta", "size"},  # of no warp
              f"cycle {cycle}: {op} shows {named}")
        seen.add(op)
    check(seen == {"", *fields}, f"expected each operation: {seen}")


def wave_of_no_run(build, folder):
    """What cannot run leaves no picture, not even an old one, and is an error."""
    needs_fst2vcd()
    (folder / "wave").mkdir()
    (folder / "sim/app").mkdir(parents=True)
    shutil.copy(build / "sim/app/muster", folder / "sim/app")
    (folder / "build.ninja").write_text("build muster: phony\nbuild build.ninja: phony\n")
    old = [folder / "wave" / f"vote.{kind}" for kind in ("fst", "svg", "gtkw")]
    for options, says in ((["--seed", "x"], "--seed"), (["--kernel", "vot"], "no kernel 'vot' among those of sim/kernels, but vote"),
                          (["--config", "nope"], "no configuration 'nope'")):
        for path in old:
            path.write_text("old")
        result = run(ROOT / "scripts/run/wave.py", *([] if "--kernel" in options else ["--kernel", "vote"]),
                     *options, env=os.environ | {"BUILD": str(folder), "DISPLAY": "", "SETUP": "no",
                                                 "CMAKE_OPTIONS": ""})
        check(result.returncode == 2 and says in result.stdout, f"{options}: expected exit code 2", result)
        check(".svg" not in result.stdout, f"{options}: no picture", result)
    for path in old:
        path.write_text("old")
    result = run(ROOT / "scripts/run/wave.py", "--kernel", "vote", "--seed", "x",
                 env=os.environ | {"BUILD": str(folder), "DISPLAY": "", "SETUP": "no", "CMAKE_OPTIONS": ""})
    check(not any(path.exists() for path in old), "the old picture is gone")


def installed(build, folder):
    """What is installed is enough to run a kernel and to lint the unit."""
    prefix = folder / "pre fix"
    result = run("cmake", "--install", build, "--prefix", prefix)
    check(result.returncode == 0, "expected it to install", result)
    result = run(prefix / "bin/muster", "check", KERNELS / "vote/vote.ptx", cwd=folder)
    check(result.returncode == 0, "expected the program to run", result)
    for file in ("man/man1/muster.1", "bash-completion/completions/muster", "zsh/site-functions/_muster", "fish/vendor_completions.d/muster.fish"):
        check((prefix / "share" / file).is_file(), f"expected share/{file}")
    link = folder / "prefix"
    link.symlink_to(prefix)  # Verilator cuts names at a space, and make knows none
    rtl = link / "share/muster/rtl"
    result = run("verilator", "--lint-only", "-Wall", rtl / "muster.vlt", "-F", rtl / "muster.f", "--top-module", "muster", cwd=folder)
    check(result.returncode == 0, "expected clean sources", result)
    words = (rtl / "example/README.md").read_text().split("\n\n    ")[1].split("\n\n")[0]
    command = words.replace("/usr/local", str(link))
    result = run("bash", "-c", command, cwd=folder)
    check(result.returncode == 0 and re.search(r"0xf are released.*\n.*mbarrier is complete\n.*all warps have exited", result.stdout),
          "expected the example to run", result)


LANES = "WarpSize must be 4, 8, 16 or 32, and LanesPerBeat a power of two up to it"
OF_WARPS = {"NumWarps": "NumWarps must be 4 to 64", "WarpSize": LANES, "LanesPerBeat": LANES}
OF_ATOMICS = {"NumWarps": "NumWarps must be 4 to 64", "NumCtas": "NumCtas must be 1 to 32", "SmemBytes": "SmemBytes must be a power of two"}
OF_MBARRIERS = OF_ATOMICS | {"MbResponses": "MbResponses must be 1 at least, and 2 with EnLanes", "ClockPeriodPs": "ClockPeriodPs must be 1 at least"}
OF_CLUSTERS = {"NumUnits": "NumUnits must be 1 to 16", "NumWarps": "NumWarps must be 4 to 64", "NumCtas": "NumCtas must be 1 to 32",
               "NumClusters": "NumClusters must be 1 to 64", "NumGrids": "NumGrids must be 1 to 8", "NumRanks": "NumRanks must be 16 or 32"}
OF_GPCS = {name: says for name, says in OF_CLUSTERS.items() if name != "NumUnits"} | {
    "NumIssue": "NumIssue must be 1, 2 or 4", "LanesPerBeat": LANES, "SmemBytes": "SmemBytes must be a power of two"}
FLOATS = "Floats must be 0 to 3"
# (module, parameters, what it says): of each parameter a value alone, and other values all at once.
ILLEGAL = (
    *(("muster", {name: value}, [says]) for name, value, says in (
        ("NumWarps", 65, "NumWarps must be 4 to 64"), ("NumCtas", 33, "NumCtas must be 1 to 32"), ("NumIssue", 3, "NumIssue must be 1, 2 or 4"),
        ("WarpSize", 12, "WarpSize must be 4, 8, 16 or 32"), ("EnReduce", 0, "EnState needs EnReduce"), ("SmemBytes", 1000, "SmemBytes must be a power of two"),
        ("MbResponses", 1, "MbResponses must be 1 at least, and 2 with EnLanes"), ("ClockPeriodPs", 0, "ClockPeriodPs must be 1 at least"))),
    ("muster", {"NumWarps": 3, "NumCtas": 0, "SmemBytes": 8, "MbResponses": 0, "EnLanes": 0},
     [*OF_ATOMICS.values(), OF_MBARRIERS["MbResponses"]]),
    ("muster", {"Cfg": {"NumWarps": 0, "NumCtas": 33, "NumIssue": 3, "WarpSize": 12, "EnReduce": 0, "SmemBytes": 1000, "MbResponses": 1, "ClockPeriodPs": 0}},
     [*OF_MBARRIERS.values(), "NumIssue must be 1, 2 or 4", "WarpSize must be 4, 8, 16 or 32", "EnState needs EnReduce"]),
    *((top, {name: value}, [says]) for top, of, value in (("muster_warp", OF_WARPS, 65), ("muster_cluster", OF_CLUSTERS, 65), ("muster_mbarrier", OF_MBARRIERS, 0),
                                                          ("muster_atomics", OF_ATOMICS, 65)) for name, says in of.items()),
    *((top, dict.fromkeys(of, value), of.values()) for top, of, value in (("muster_warp", OF_WARPS, 0), ("muster_cluster", OF_CLUSTERS, 0),
                                                                          ("muster_mbarrier", OF_ATOMICS, 65), ("muster_atomics", OF_ATOMICS, 0))),
    ("muster_cluster", {"NumRanks": 24}, ["NumRanks must be 16 or 32"]),
    ("muster_atomics", {"Floats": 4}, [FLOATS]),
    ("muster_gpc", {"NumUnits": 0, "Floats": 4}, [OF_CLUSTERS["NumUnits"], FLOATS]),
    ("muster_gpc", {"NumUnits": 1, **dict.fromkeys(OF_GPCS, 65)}, OF_GPCS.values()),
)


def illegal_parameters(build, folder):
    """Each parameter that is out of range stops the elaboration with the sentence that says so, before any other and without another
    parameter's; several at once with one each; without it there is none."""
    import configs

    def given(top, parameters):
        unit = configs.UNIT["small"] | parameters.get("Cfg", {})
        if top == "muster":
            return [f"-GCfg={configs.packed(unit)}"] if "Cfg" in parameters else configs.overrides(unit | parameters)
        if top in ("muster_atomics", "muster_mbarrier"):
            own = {name: value for name, value in parameters.items() if name not in unit}
            return configs.overrides({"Cfg": configs.packed(unit | parameters)} | own)
        return configs.overrides(parameters)

    legal = [("muster_gpc", {"NumUnits": 1}), *((top, {}) for top in ("muster", "muster_warp", "muster_mbarrier", "muster_atomics", "muster_cluster"))]
    rows = [(top, given(top, parameters), list(says)) for top, parameters, says in [*((*row, []) for row in legal), *ILLEGAL]]

    def elaborate(row):
        top, parameters, _ = row
        return run("verilator", "--lint-only", "rtl/muster.vlt", "-F", "rtl/muster.f", "--top-module", top, *parameters, cwd=ROOT)
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        for (top, parameters, says), result in zip(rows, pool.map(elaborate, rows)):
            told = [line for line in result.stdout.splitlines() if line.startswith("%") and "Exiting" not in line]
            check(bool(result.returncode) == bool(says) and all(any(sentence in line for sentence in says) for line in told) and
                  all(any(sentence in line for line in told) for sentence in says), f"{top} {parameters}: expected {says} alone", result)


def cocotb_tops(build, folder):
    """The tops of tb/cocotb elaborate: `make cocotb`, which takes PyPI, is not what finds that a port has gone."""
    for top, unit in (("axil_top", "tb/unit/axil_unit_flat.sv"), ("obi_top", "tb/unit/mem_unit_flat.sv")):
        result = run("verilator", "--lint-only", "-Wno-lint", "-Wno-fatal", "+define+MUSTER_OBSERVE", "-F", "rtl/muster.f", "--top-module", top,
                     unit, f"tb/cocotb/{top}.sv", cwd=ROOT)
        check(result.returncode == 0, f"{top}: expected it to elaborate", result)


def synthesis_refused(build, folder):
    """synth.py tells why Yosys refuses a configuration: the sentence of the sources, or else the first error, without colours. It knows the
    parameters of each top that rtl/configs.json has. With Yosys there it ends with exit code 1."""
    sys.path.insert(0, str(ROOT / "scripts/synth"))
    import configs
    import synth
    coloured = "\x1b[36mrtl/a.sv\x1b[0m:7:\x1b[96m5\x1b[0m: \x1b[93mwarning: \x1b[0man error is near\n" \
               "\x1b[36mrtl/a.sv\x1b[0m:9:5: \x1b[91merror: \x1b[0m\x1b[1m{}\x1b[0m\nBuild failed: 1 error\n"
    for said, told in (("$error encountered: N must be 4 to 64", "N must be 4 to 64 (rtl/a.sv:9)"), ("no such type", "rtl/a.sv:9:5: error: no such type")):
        found = synth.first_error(coloured.format(said))
        check(found == told, f"expected {told!r}, not {found!r}")
    check(synth.ALONE.keys() == configs.BY_TOP.keys(), "expected a top for each module of rtl/configs.json")
    small = configs.parameters("muster_gpc", "gpc_small", {"NumUnits": "3", "NumWarps": 16})
    check("Unit" not in small and small["NumUnits"] == "3" and small["Cfg"] == configs.packed(configs.UNIT["small"] | {"NumWarps": 16}), f"{small}")
    if not (ROOT / "build/synth-tools/installed.json").exists():
        return
    for top, config, change, says in (("muster", "small", "NumWarps=65", "NumWarps must be 4 to 64 (rtl/muster.sv:"),
                                      ("muster_gpc", "gpc_bare", "NumUnits=17", "NumUnits must be 1 to 16 (rtl/cluster/muster_cluster.sv:")):
        result = run(ROOT / "scripts/synth/synth.py", "--top", top, "--config", config, "--area", "--set", change, env=os.environ | {"SETUP": "no"})
        check(result.returncode == 1 and f"  {says}" in result.stdout, f"{top} {change}: expected '{says}'", result)


def rooms(build, folder):
    """The includes of sim/ are as the table has them, and a wrong one, a room that is not in the table and
    a use that no file makes are found."""
    result = run(ROOT / "scripts/check/check_rooms.py")
    check(result.returncode == 0, "expected no complaint", result)
    shutil.copytree(ROOT / "sim", folder / "sim")
    with open(folder / "sim/ptx/alu/compute.h", "a", encoding="utf-8") as file:
        file.write('#include "sim/ptx/runtime/on_pins/machine.h"\n')
    (folder / "sim/cellar").mkdir()
    (folder / "sim/cellar/wine.h").write_text("")
    for file in (folder / "sim/board").iterdir():
        file.write_text(file.read_text().replace('"sim/lockstep/', '"elsewhere/'))
    result = run(ROOT / "scripts/check/check_rooms.py", folder)
    check(result.returncode == 1 and result.stdout.count("\n") == 4 and
          "sim/ptx/alu/compute.h includes sim/ptx/runtime/on_pins/machine.h: sim/ptx/alu may use isa ptx/program\n" in
          result.stdout and "has no room sim/cellar\n" in result.stdout and
          "sim/board may use sim/lockstep, and no file of it does\n" in result.stdout,
          "expected three complaints", result)


def pages(build, folder):
    """The pages have no broken link, no commit and no date, README.md is short, each script that is named is there, and nothing
    else is at the top but the waveform of a mismatch; each of these is found."""
    result = run(ROOT / "scripts/check/check_pages.py")
    check(result.returncode == 0, "expected no complaint", result)
    (folder / "rtl").mkdir()
    (folder / "wine.txt").write_text("")
    (folder / "mismatch.fst").write_text("")
    (folder / "README.md").write_text("# A\n[b](rtl/B.md) [c](rtl/C.md) [d](rtl/B.md#b) [e](rtl/B.md#e) `[f](F.md)`\n" + "word " * 900)
    (folder / "Makefile").write_text("run:\n\tscripts/" "wine.sh\n")
    (folder / "rtl/B.md").write_text("# B\nof commit `0123abc`, on 2026-01-31, of 4096000 cycles\n")
    result = run(ROOT / "scripts/check/check_pages.py", folder)
    wanted = ["wine.txt: the top level has", "README.md:2: there is no rtl/C.md", "README.md:2: rtl/B.md has no heading e",
              "rtl/B.md:2: a commit: commit `0123abc", "rtl/B.md:2: a date: 2026-01-31", "README.md has 907 words", "Makefile:2: there is no scripts/" "wine.sh", "pages: 7 complaints"]
    found = result.stdout.splitlines()
    check(result.returncode == 1 and len(found) == len(wanted) and all(map(str.startswith, found, wanted)), "expected seven complaints", result)


def figures(build, folder):
    """The tables of rtl/FIGURES.md, rtl/atomics/README.md and tb/RUNS.md are those of figures.json. What make bench and make regress leave in build/ is taken, with
    the names of the tools; what is older than the sources is not."""
    result = run(ROOT / "scripts/pages/figures.py", "--check")
    check(result.returncode == 0 and not result.stdout, "expected pages that agree with the file", result)
    copy_tree(folder)
    script, file, page = folder / "scripts/pages/figures.py", folder / "scripts/pages/figures.json", folder / "rtl/FIGURES.md"
    (folder / "build").mkdir()
    area = {"lut": 4321, "ff": 1, "bram": 2, "fmax_mhz": 50.0, "fmax_best_mhz": 60.5}
    waits = {name: {"cycles": 7, "bound": 9} for name in ("issue", "commit", "drain", "launch", "open", "join", "leave", "exit", "response",
                                                         "mb issue", "mb other", "mb commit", "mb drain")}
    scope = {"cycles_per_round": 3.5, "rounds_per_second": 1234}
    rows = json.loads(file.read_text())
    loops = {loop for row in rows["speed"]["rounds"] for loop in row["loops"]}
    for name, content in (("synth-muster.json", {"small": area}), ("bench.json", {
            "configs": {"small": {"release_latency_cycles": 4}}, "front_end": {"thread_instructions_per_second": {"together": 77000001, "apart": 2}},
            "products": {"tile_ms": 0.5, "attention_seconds": 0.25},
            "scopes": {loop: scope for loop in loops},
            "crowds": {row["kernel"]: {"cycles": 54321, "khz": 77, "thread_instructions_per_second": 1} for row in rows["speed"]["crowds"]},
            "atomics": {"histogram": {"cycles": 1250, "ms": 2.0}}, "explore": {"predict": {"x": {"predict_ratio": 2.25}}, "search": {"classes_per_second": 99}}}),
            ("regress.json", {"configs": dict.fromkeys(rows["waits"], {"seeds": 3, "cycles": 6 * 10 ** 8, "commits": 2, "mb_commits": 2, "seconds": 1200.0,
                                                                      "longest_waits": waits}), "mismatches": []})):
        (folder / "build" / name).write_text(json.dumps(content))
    kept = next(line for line in page.read_text().splitlines() if line.startswith("| default: 32 warps, 8 CTAs, 2 ports |"))
    result = run(script, "--take")
    check(result.returncode == 0, "expected it to take the results", result)
    text = page.read_text()
    for row in ("| small: 8 warps, 2 CTAs | 4,321 | 1 | 2 | 50.0 to 60.5 | Yosys ", "| small | 4 | 80 |", "77,000,001 | Verilator", "| `redux` | 3.5 | 1,234 | Verilator", " | 54,321 | 77 | 1 | Verilator",
                "| small | 9 (7) | 9 (7) |", "| small | 9 | 9 | 9 | 9 |", kept):
        check(row in text, f"the page lacks {row}")
    check("| `histogram` | 1,250 | 2.0 | Verilator" in (folder / "rtl/atomics/README.md").read_text(), "the page of atomics lacks a row")
    check("| `build/tb/lockstep/regress --seeds 1-3` | 3,000,000,000 | 10 | 10 | 0 | 100, 50, 1.6 | small 500, default 500, " in (folder / "tb/RUNS.md").read_text(), "the page of long runs lacks a row")
    regress = folder / "build/regress.json"
    whole = json.loads(regress.read_text())
    small = whole["configs"]["small"]
    for configs in (whole["configs"] | {"small": small | {"cycles": 1}} | {"full": small | {"cycles": 1}} | {"large": small | {"cycles": 1}} | {"default": small | {"cycles": 1}},
                    {"small": small | {"cycles": 4 * 10 ** 9}}):
        regress.write_text(json.dumps(whole | {"configs": configs}))
        check(run(script, "--take").returncode == 0 and "| 3,000,000,000 |" in (folder / "tb/RUNS.md").read_text(),
              "a regression that is not long, or not of all configurations, is not taken")
    check("carried over" not in next(line for line in text.splitlines() if "4,321" in line), "a measured row is none that was carried over")
    check(run(script, "--check").returncode == 0, "expected pages that agree")
    file.write_text(file.read_text().replace("4321", "4322", 1))
    result = run(script, "--check")
    check(result.returncode == 1 and "rtl/FIGURES.md: not what" in result.stdout, "expected one page that does not agree", result)
    os.utime(folder / "build/synth-muster.json", (1, 1))
    result = run(script, "--take")
    check("build/synth-muster.json is older than the sources" in result.stdout and "| 4,322 |" in page.read_text(), "an old result", result)


def native(build, folder):
    """What is compiled for this processor alone, as it is in this build if that has no other options, is not with MUSTER_NATIVE off."""
    result = run("cmake", "-G", "Ninja", "-S", ROOT, "-B", folder, "-DMUSTER_CONFIGS=small", "-DMUSTER_TESTS=OFF", "-DMUSTER_NATIVE=OFF")
    check(result.returncode == 0, "expected it to configure", result)
    check("-march=native" not in (folder / "build.ninja").read_text(), "-march=native")
    if re.search(r"^MUSTER_NATIVE:BOOL=ON$.*^MUSTER_UNIT_OPTIONS:STRING=$", (build / "CMakeCache.txt").read_text(), re.MULTILINE | re.DOTALL):
        check("-march=native" in (build / "build.ninja").read_text(), "expected -march=native")


def registers(build, folder):
    """A register map that contradicts itself is refused with a sentence, and nothing is written; one that has
    changed is not what the files say, until they are written."""
    room = folder / "axil"
    shutil.copytree(ROOT / "rtl/adapters/axil", room)
    source, script = room / "registers.json", ROOT / "scripts/pages/registers.py"
    good = source.read_text()
    for old, new, sentence in (
            ('"0x02c"', '"0x028"', "fault_lanes: 0x28 belongs to another register, too"),
            ('"0x02c"', '"0x02e"', "fault_lanes: 0x2e is no word of 12 address bits"),
            ('"0x02c"', '"0x1000"', "fault_lanes: 0x1000 is no word of 12 address bits"),
            ('"13:8"', '"16:8"', "config.num_ctas: bits 16:8 are not below the field before"),
            ('"w1c"', '"w2c"', "irq_pending: there is no access w2c; there are ro, rw, w1c"),
            ('"13:8"', '"13-8"', "num_ctas: bits are high:low, not 13-8"),
            ('"bits": "13:8", ', '', "'bits' is missing, of the map, of a register or of a field"),
            ('"registers": [', '"registers": {', "Expecting property name")):
        check(good.count(old) >= 1, f"the map has no {old} any more")
        source.write_text(good.replace(old, new, 1))
        result = run(script, room)
        check(result.returncode == 1 and result.stdout.startswith(f"{source}: {sentence}") and
              result.stdout.count("\n") == 1, f"expected: {sentence}", result)
    source.write_text(good.replace('"name": "freeze"', '"name": "hold"'))
    result = run(script, room, "--check")
    check(result.returncode == 1 and "muster_axil_pkg.sv, muster_axil.h, muster_axil.rdl, README.md: not what" in result.stdout,
          "expected four files that are not current", result)
    for command in ((script, room), (script, room, "--check")):
        result = run(*command)
        check(result.returncode == 0 and not result.stdout, "expected it to be content", result)
    check("MUSTER_AXIL_CONTROL_HOLD_MASK 0x00000001u" in (room / "muster_axil.h").read_text(),
          "the header lacks the new name")


def smoke(build, folder):
    """The bench of tb/smoke passes, and no warning is in it."""
    sources = ["rtl/muster.vlt", "-F", "rtl/muster.f", "tb/smoke/muster_smoke.sv"]
    result = run("verilator", "--binary", "--timing", "-Wall", "--top-module", "muster_smoke", "--Mdir", folder, "-CFLAGS", "-O0",
                 "-GNumWarps=12", *sources, cwd=ROOT)
    check(result.returncode == 0, "expected it to build", result)
    result = run(folder / "Vmuster_smoke")
    check(result.returncode == 0 and "PASS: 12 warps, 100 rounds" in result.stdout, "expected it to pass", result)


def website(build, folder):
    """What `make site` makes its pages from: all links of each page lead to something, and lists are lists."""
    import check_pages
    import website as site
    check(site.as_markdown("text\n- one\n  more\n- two\n\n```\nx\n- y\n```\n") ==
          "text\n\n- one\n  more\n- two\n\n```\nx\n- y\n```\n", "a list after a line of text has no empty line before it")
    check(site.as_markdown("- one\n\n  text\n- two\n| a |\n") == "- one\n\n  text\n\n- two\n\n| a |\n", "likewise, in a list; a table")
    site.PAGES = folder / "pages"
    pages = site.collect()
    check({page for group in site.NAV.values() for page in group} <= set(pages), "the site's order names a page that there is not")
    wrong = [f"{page.relative_to(site.PAGES)}: {link}" for page in site.PAGES.rglob("*.md")
             for link in check_pages.LINK.findall(check_pages.without_code(page.read_text()))
             if not link.startswith(("#", "http")) and not (page.parent / link.partition("#")[0]).is_file()]
    check(not wrong, "links lead nowhere: " + "; ".join(wrong))


def completions(build, folder):
    """Shells complete each subcommand and each option that --help names, and the manual names them."""
    muster = build / "sim/app/muster"
    result = run(ROOT / "scripts/run/completions.py", muster, folder)
    check(result.returncode == 0, "expected the files", result)
    page = (folder / "muster.1").read_text()
    commands = re.findall(r"^  (\w+)  ", run(muster, "--help").stdout.split("Subcommands:")[1], re.MULTILINE)
    check(len(commands) >= 8, f"expected subcommands: {commands}")

    def completed(*words):
        result = run("bash", "-c", f"source {folder}/muster.bash; COMP_WORDS=({' '.join(words)} ''); COMP_WORDS[-1]=${{COMP_WORDS[-1]}}$1; "
                     "COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _muster; echo ${COMPREPLY[@]}", "bash", "--" if len(words) > 1 else "", cwd=ROOT)
        return set(result.stdout.split())
    check(set(commands) <= completed("muster"), "bash does not complete the subcommands")
    for command in commands:
        names = re.findall(r"^  (-\S+)", run(muster, command, "--help").stdout, re.MULTILINE)
        told = {name for together in names for name in together.split(",") if name.startswith("--")}
        check(told and told == completed("muster", command), f"bash completes {completed('muster', command)} of {command}, not {told}")
        check(all(option.replace("-", "\\-") in page for option in told), f"the manual lacks an option of {command}")
        for shell in ("_muster", "muster.fish"):
            text = (folder / shell).read_text()
            check(all(option.lstrip("-") in text for option in told), f"{shell} lacks an option of {command}")
    for shell, file in (("bash", "muster.bash"), ("zsh", "_muster"), ("fish", "muster.fish")):
        if shutil.which(shell):
            result = run(shell, "-n", folder / file)
            check(result.returncode == 0, f"{shell} does not take {file}", result)


def dist(build, folder):
    """The files of a release that need no package but Debian's: the same each time, and what is in them works where nothing else is."""
    first = None
    for _ in range(2):
        result = run(ROOT / "scripts/run/dist.py", "--untried", "source", "rtl", "--out", folder)
        check(result.returncode == 0, "expected the files", result)
        sums = (folder / "SHA256SUMS").read_text()
        check(first in (None, sums), f"expected the same sums:\n{first}{sums}")
        first = sums
    check(run("sha256sum", "-c", "SHA256SUMS", cwd=folder).returncode == 0 and sums.count("\n") == 2, "expected two sums that hold")
    result = run(ROOT / "scripts/run/dist.py", "rtl", "--out", folder)
    check(result.returncode == 0 and ", tried" in result.stdout, "expected the RTL to work", result)
    run("tar", "xf", next(folder.glob("muster-[0-9]*.tar.gz")), cwd=folder)
    tree = next(folder.glob("muster-[0-9]*/"))
    result = run("make", "help", cwd=tree)
    check(result.returncode == 0 and "make run" in result.stdout, "expected the list of targets", result)
    result = run("cmake", "-S", tree, "-B", folder / "built", "-G", "Ninja", "-DMUSTER_CONFIGS=small", "-DMUSTER_TESTS=OFF")
    check(result.returncode == 0, "expected it to configure", result)
    result = run(tree / "scripts/check/check_pages.py")
    check(result.returncode == 0, "expected its pages to be whole", result)


CASES = {
    "completions": completions,
    "dist": dist,
    "website": website,
    "smoke": smoke,
    "rooms": rooms,
    "illegal_parameters": illegal_parameters,
    "cocotb_tops": cocotb_tops,
    "synthesis_refused": synthesis_refused,
    "registers": registers,
    "pages": pages,
    "figures": figures,
    "native": native,
    "temporary_folders": temporary_folders,
    "path_with_a_space": path_with_a_space,
    "presets": presets,
    "unknown_config": unknown_config,
    "config_without_kernels": config_without_kernels,
    "unit_from_elsewhere": unit_from_elsewhere,
    "one_build_at_a_time": one_build_at_a_time,
    "nothing_to_build": nothing_to_build,
    "build_in_a_terminal": build_in_a_terminal,
    "one_run_at_a_time": one_run_at_a_time,
    "wave_shows": wave_shows,
    "wave_of_joins": wave_of_joins,
    "theory": theory,
    "kernels_counted": kernels_counted,
    "installed": installed,
    "wave_of_no_run": wave_of_no_run,
}


def main(cases):
    """Lists the cases, or runs one, as the command line says."""
    if sys.argv[1:] == ["--list"]:
        print("\n".join(cases))
        return
    build, name = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        cases[name](pathlib.Path(build), pathlib.Path(folder))


if __name__ == "__main__":
    main(CASES)
