#!/usr/bin/env python3
# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""What the targets of the Makefile say at their end: a regression that fails, tests that lack a package, a test plan without a build.

  targets.py BUILD CASE   runs one case, in a folder of its own
  targets.py --list       the names of all cases
"""

import contextlib
import io
import json
import os
import pathlib
import shutil
import subprocess
import sys

from surroundings import ROOT, SKIPPED, check, main, run

sys.path.insert(0, str(ROOT / "scripts/common"))
import root  # noqa: E402, F401, finds the scripts

JUNIT = """<testsuite tests="4">
<testcase name="regress.CONFIG.1" status="run"/>
<testcase name="regress.CONFIG.2" status="fail"><failure message=""/><system-out>it differs</system-out></testcase>
<testcase name="regress.CONFIG.3" status="fail"><failure message=""/><system-out>an assertion fails
and these are its last words</system-out></testcase>
<testcase name="regress.cover" status="notrun"><skipped message=""/></testcase>
</testsuite>
"""


def captured(action, *arguments):
    with contextlib.redirect_stdout(io.StringIO()) as said:
        action(*arguments)
    return said.getvalue()


def failed_shard(build, folder):
    """A regression of which one shard differs, and one ends without results: both are named, after what has passed; the mismatch is last."""
    import configs
    program = build / "tb/lockstep/regress"
    (folder / "tb/lockstep").mkdir(parents=True)
    (folder / "tb/gpc").mkdir()
    (folder / "regress").mkdir()
    shard = folder / "shard.json"
    config = next((name for name in configs.NAMES
                   if run(program, "--config", name, "--seeds", 1, "--cycles", 3000, "--json", shard).returncode == 0), None)
    check(config, "no configuration was built")
    results = json.loads(shard.read_text())
    (folder / f"regress/{config}.1.json").write_text(json.dumps(results))
    results["mismatches"] = [{"config": config, "seed": 7, "cycle": 41, "what": "release.warps", "report": "release.warps differs\n"}]
    (folder / f"regress/{config}.2.json").write_text(json.dumps(results))
    shutil.copy(folder / f"regress/{config}.1.json", folder / "regress/gpc.1.json")
    for name in ("tb/lockstep/regress", "tb/gpc/gpc_regress"):
        (folder / name).symlink_to(program.resolve())
    (folder / "regress.xml").write_text(JUNIT.replace("CONFIG", config))
    code = f"import sys; sys.path.insert(0, {str(ROOT / 'scripts/run')!r}); import pathlib, ctest; ctest.show_results(pathlib.Path({str(folder)!r}))"
    said = subprocess.run([sys.executable, "-c", code], text=True, stdout=subprocess.PIPE, check=True).stdout
    rows = [line.split() for line in said.splitlines() if line.startswith(config)]
    check([row[1:3] for row in rows if len(row) > 8 and row[1].isdigit()] == [["1", "0"], ["2", "1"]], f"the row of what failed is not last:\n{said}")
    check(f"regress.{config}.3 failed, and has left no results" in said and "and these are its last words" in said, said)
    check(said.rstrip().endswith("release.warps differs"), f"the first mismatch is not last:\n{said}")


def lacking_packages(build, folder):
    """What was skipped for want of packages is one line, with the command that installs them; other reasons are none of it."""
    import ctest
    import junit
    xml = folder / "test.xml"
    skip = '<testcase name="{}"><skipped message="SKIP"/><system-out>{}</system-out></testcase>'
    rows = [("timeline.page", "skipped: there is no browser here; scripts/run/setup.sh browser installs one"),
            ("page.wide", "skipped: there is no browser here; scripts/run/setup.sh browser installs one"),
            ("mutations.in_cpp", "skipped: there is no clang++ here; `make setup` installs it"),
            ("headers.groups", "skipped: there is no nvcc; `make suites` brings one, and NVCC=... names another"),
            ("python.run", "skipped: the Python package is not built; `make python` builds it, with packages of PyPI"),
            ("Split.A/0", "x.cpp:38: Skipped\nno other unit has news\n\n[  SKIPPED ] Split.A/0\n")]
    xml.write_text("<testsuite>" + "".join(skip.format(*row) for row in rows) + '<testcase name="a"/></testsuite>')
    said = captured(ctest.show_lacking, xml)
    check(said == "5 tests were skipped for want of packages (headers, mutations, page, python, timeline); to install them: "
          "scripts/run/setup.sh browser && make python setup suites\n", said)
    check(junit.reason(rows[5][1]) == "no other unit has news" and junit.reason("") == "it says no reason", "the reason of GoogleTest's")
    xml.write_text("<testsuite>" + skip.format(*rows[5]) + "</testsuite>")
    check(captured(ctest.show_lacking, xml) == "", "nothing is lacking")
    groups = run("grep", "-o", r"^  \[[a-z]*\]", ROOT / "scripts/run/setup.sh").stdout
    for file in [*(ROOT / "tb").rglob("*.py"), ROOT / "scripts/hwprobe/build.sh"]:
        for group in junit.groups(file.read_text()):
            check(f"[{group}]" in groups, f"{file}: setup.sh has no group {group}")
    rules = (ROOT / "Makefile").read_text()
    for target in (target for why in (*(row[1] for row in rows), (ROOT / "scripts/run/python_tests.py").read_text()) for target in junit.targets(why)):
        check(f"\n{target}:" in rules, f"the Makefile has no target {target}")


def plan_without_build(build, folder):
    """Without a whole build the test plan is not compared: one sentence that says so."""
    script = ROOT / "scripts/check/check_testplan.py"
    (folder / "CTestTestfile.cmake").write_text("add_test(golden_test_NOT_BUILT golden_test_NOT_BUILT)\nadd_test(a true)\n")
    for where, says in ((folder / "no", "run this again"), (folder, "1 test programs are missing, among them golden_test")):
        result = run(script, "--build", where)
        check(result.returncode == 2 and result.stdout.count("\n") == 1 and says in result.stdout and "scripts/run/build.sh" in result.stdout,
              "expected one sentence", result)


def wave_of_mbarriers(build, folder):
    """The picture of a kernel is about what happens most often in it; --at moves it; GTKWave opens there."""
    if not shutil.which("fst2vcd"):
        print("skipped: there is no fst2vcd here; scripts/run/setup.sh wave installs it")
        sys.exit(SKIPPED)
    import waveform
    fst, picture, save = folder / "r.fst", folder / "wave/r.svg", folder / "wave/r.gtkw"
    result = run(build / "sim/app/muster", "run", ROOT / "sim/kernels/mb_ring/mb_ring.json", "--wave", fst)
    check(result.returncode == 0, "expected a run", result)

    def drawn(*options):
        result = run(ROOT / "scripts/run/wave.py", "--fst", fst, *options, env=os.environ | {"BUILD": str(folder), "DISPLAY": "", "SETUP": "no"})
        check(result.returncode == 0 and (options or "the first mb_wake_o, in cycle" in result.stdout), "expected a picture", result)
        lines = save.read_text().splitlines()
        start = int(next(line for line in lines if line.startswith("[timestart]")).split()[1])
        zoom, marker = next(line for line in lines if line.startswith("*")).removeprefix("*").split()[:2]
        return picture.read_text(), start // waveform.CYCLE, float(zoom), int(marker) // waveform.CYCLE
    text, start, zoom, event = drawn()
    check(">mbarrier, commit<" in text and ">woken<" in text and ">release<" not in text, "the picture is not of the mbarriers")
    check(start < event < start + 24 and -8 < zoom < -5, f"GTKWave opens at {start}, with its marker at {event} and the zoom {zoom}")
    text, start, zoom, event = drawn("--at", 600, "--cycles", 40)
    check(start == 580 and event == 600 and ">600<" in text and -8 < zoom < -6, f"--at 600: {start}, {event}, {zoom}")
    result = run(ROOT / "scripts/run/wave.py", "--fst", fst, "--at", 99999, env=os.environ | {"BUILD": str(folder), "DISPLAY": "", "SETUP": "no"})
    check(result.returncode == 2 and "cycle 99999 is not in it; it has cycles 0 to" in result.stdout, "expected a sentence", result)
    dry = run("make", "-n", "wave", "KERNEL=mb_ring", "AT=600", "CYCLES=40", cwd=ROOT).stdout
    check("--at 600 --cycles 40" in dry, dry)


CASES = {"failed_shard": failed_shard, "lacking_packages": lacking_packages, "plan_without_build": plan_without_build,
         "wave_of_mbarriers": wave_of_mbarriers}

if __name__ == "__main__":
    main(CASES)
