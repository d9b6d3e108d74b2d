#!/usr/bin/env python3
# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""compare.py, on samples made up from the golden model's own answers; or on the recording of an H100.

  compare_test.py HWPROBE_GOLDEN [RECORDING]
"""

import copy
import json
import pathlib
import re
import subprocess
import sys
import tempfile

COMPARE = pathlib.Path(__file__).resolve().parent / "compare.py"
# What an H100 does otherwise, lets pass, or does not show; the rest of what it was asked agrees.
H100 = {"differs": {"lanes", "lanes_of_two_phases", "lanes_that_drop"},
        "stricter": {"drop_to_zero", "nocomplete", "expect_uninitialised", "init_zero", "init_too_large",
                     "arrive_zero", "tx_above_its_range", "pending_overflow"},
        "open": {"init_over_live", "copy_arrive", "copy_arrive_noinc", "nocomplete_with_bytes"}}


def check_recording(golden, recording):
    done = subprocess.run([COMPARE, recording, "--golden", golden], capture_output=True, text=True)
    rows = re.findall(r"^(agrees|stricter|differs|open|not asked) +(\w+): ", done.stdout, re.M)
    asked = {scenario["name"] for scenario in json.loads(recording.read_text())["scenarios"]}
    expected = {name: verdict for verdict, names in H100.items() for name in names}
    wrong = [f"{name}: {verdict}" for verdict, name in rows
             if verdict != (expected.get(name, "agrees") if name in asked else "not asked")]
    assert not wrong and done.returncode == 1 and asked <= {name for _, name in rows}, f"{wrong}\n{done.stdout}{done.stderr}"


def shows(step):
    return step["do"].startswith(("arrive", "test_wait", "try_wait"))


def check_samples(golden):
    sample = json.loads(subprocess.run([golden], capture_output=True, text=True, check=True).stdout)
    made = copy.deepcopy(sample)
    sample |= {"kind": "made up", "device": "a sample made up from the golden model",
               "limits": [{"hint_ns": None, "answer": 0, "ns": 1234, "error": ""}],
               "cycles": [{"what": "bar.sync", "ctas": 1, "warps": 4, "cycles": 12.5}]}
    scenarios = {scenario["name"]: at for at, scenario in enumerate(sample["scenarios"])}
    total = len(scenarios)

    def check(text, code, *expected):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "sample.json"
            path.write_text(text)
            done = subprocess.run([COMPARE, path, "--golden", golden], capture_output=True,
                                  text=True)
        said = done.stdout + done.stderr
        assert done.returncode == code, f"exit code {done.returncode}, not {code}:\n{said}"
        for what in expected:
            assert what in said, f"{what!r} is not in:\n{said}"

    def changed(name, change):
        other = copy.deepcopy(sample)
        change(other["scenarios"][scenarios[name]])
        return json.dumps(other)

    def set_step(step, field, value):
        return lambda scenario: scenario["steps"][step].update({field: value})

    def end(steps, error):
        def change(scenario):
            scenario["steps"] = scenario["steps"][:steps]
            scenario["error"] = error
        return change

    # A refused step that ends the script on hardware agrees; one that does not is stricter.
    for scenario in sample["scenarios"]:
        refused = [at for at, step in enumerate(scenario["steps"]) if "refused" in step]
        if refused:
            end(refused[0], "a trap")(scenario)
    unseen = sum(not any("refused" in step for step in scenario["steps"]) and not shows(scenario["steps"][-1])
                 for scenario in made["scenarios"])
    agree = total - unseen
    check(json.dumps(sample), 0, f"{agree} agrees, 0 stricter, 0 differs, {unseen} open, 0 not asked",
          "of kind made up", "no hint: answers 0 after 1234 ns", "by warps  4: 12")
    check(changed("lone_expect_tx", set_step(3, "word", "0x000000000000fffe")), 0, "agrees    lone_expect_tx")
    check(changed("late_parity", set_step(4, "first", "0x1")), 1, f"{agree - 1} agrees, 0 stricter, 1 differs",
          "differs   late_parity", "step 5, test_wait.parity 0")
    check(changed("lanes", set_step(1, "last", "0x100000000")), 1, "differs   lanes", "to 0x1")
    check(changed("word", set_step(1, "first", "0x7ffff000deadbeef")), 0, "agrees    word")
    check(changed("word", end(2, "an illegal instruction")), 1, "differs   word",
          "ends there: an illegal instruction")
    check(changed("word", lambda scenario: scenario.update(error="a trap")), 1, "ends after its last step: a trap")
    check(changed("word", end(2, "the process of this launch did not come to its end")), 0, "open      word")
    check(changed("arrive_zero", lambda scenario: scenario.update(made["scenarios"][scenarios["arrive_zero"]], error="")), 0,
          "stricter  arrive_zero", "refuses it, bad_arrive_count", "arrive 0 on hardware")
    check(changed("word", lambda scenario: scenario.update(name="other")), 0, "not asked word")
    check(changed("word", end(2, "")), 2, "does not say why")
    check(changed("word", set_step(0, "do", "init 3")), 2, "not those of this version")
    check(changed("word", set_step(0, "last", "seven")), 2, "cannot be read")
    check(changed("word", lambda scenario: scenario.pop("steps")), 2, "not what hwprobe writes")
    check("{", 2, "cannot be read")


def main():
    golden = pathlib.Path(sys.argv[1])
    if len(sys.argv) > 2:
        check_recording(golden, pathlib.Path(sys.argv[2]))
    else:
        check_samples(golden)


if __name__ == "__main__":
    main()
