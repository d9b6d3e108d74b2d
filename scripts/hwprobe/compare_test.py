#!/usr/bin/env python3
# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""compare.py, on samples made up from the golden model's own answers: no hardware has seen them.

  compare_test.py HWPROBE_GOLDEN
"""

import copy
import json
import pathlib
import subprocess
import sys
import tempfile

COMPARE = pathlib.Path(__file__).resolve().parent / "compare.py"


def main():
    golden = pathlib.Path(sys.argv[1])
    sample = json.loads(subprocess.run([golden], capture_output=True, text=True, check=True).stdout)
    sample |= {"kind": "made up", "device": "a sample made up from the golden model",
               "limits": [{"hint_ns": None, "answer": 0, "ns": 1234, "error": ""}],
               "cycles": [{"what": "bar.sync", "ctas": 1, "warps": 4, "cycles": 12.5}]}
    scenarios = {scenario["name"]: at for at, scenario in enumerate(sample["scenarios"])}
    total = len(scenarios)
    refusing = sum(any("refused" in step for step in scenario["steps"])
                   for scenario in sample["scenarios"])
    assert 0 < refusing < total

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

    check(json.dumps(sample), 0, f"{total - refusing} agrees, 0 differs, {refusing} open",
          "of kind made up", "no hint: answers 0 after 1234 ns", "by warps  4: 12")
    check(changed("lone_expect_tx", set_step(3, "word", "0x000000000000fffe")), 1,
          f"{total - refusing - 1} agrees, 1 differs, {refusing} open",
          "differs  lone_expect_tx", "step 4, expect_tx 16")
    check(changed("late_parity", set_step(4, "first", "0x1")), 1, "differs  late_parity",
          "step 5, test_wait.parity 0")
    check(changed("lanes", set_step(1, "last", "0x1")), 1, "differs  lanes", "to 0x1")
    check(changed("word", end(2, "an illegal instruction")), 1, "differs  word",
          "ends there: an illegal instruction")
    check(changed("arrive_zero", end(1, "an illegal instruction")), 0, "open     arrive_zero",
          "refuses it, bad_arrive_count", "ends there: an illegal instruction")
    check(changed("word", set_step(0, "do", "init 3")), 2, "not those of this version")
    check(changed("word", set_step(0, "word", "seven")), 2, "cannot be read")
    check(changed("word", lambda scenario: scenario.pop("steps")), 2, "not what hwprobe writes")
    check(changed("word", lambda scenario: scenario.update(name="other")), 2, "lacks word")
    check("{", 2, "cannot be read")


if __name__ == "__main__":
    main()
