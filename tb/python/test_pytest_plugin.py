# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""The plugin of pytest, in runs of pytest of its own."""

import pytest
from kernels import RACE, RIGHT, SHIPPED

pytest_plugins = ["pytester"]

HEAD = f"""
import muster, numpy as np, pytest
DEADLOCK = {str(SHIPPED / "deadlock/deadlock.ptx")!r}
RACE = {RACE!r}
RIGHT = {RIGHT!r}
"""


def outcome(pytester, text, *options):
    pytester.makepyfile(HEAD + text)
    return pytester.runpytest("--strict-markers", *options)


def test_a_deadlock_is_a_failure_with_its_report(pytester):
    result = outcome(pytester, """
@pytest.mark.muster
def test_it():
    muster.run(DEADLOCK, 1, block=64)
""")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*test_a_deadlock_is_a_failure_with_its_report.py:8: muster.run(DEADLOCK, 1, block=64)", "Deadlock",
                                 "*Every live warp waits, and none can let another go on:", "*missing  warp 1, which waits at barrier 2 (line 22)"])
    assert "Traceback" not in result.stdout.str() and "During handling" not in result.stdout.str()


def test_without_the_mark_a_report_is_returned(pytester):
    outcome(pytester, """
def test_it():
    assert muster.run(DEADLOCK, 1, block=64).outcome == "deadlock"
""").assert_outcomes(passed=1)


def test_explore_makes_a_race_a_failure(pytester):
    text = """
@pytest.mark.muster(explore=True, seconds=30)
@pytest.mark.parametrize("kernel", [RIGHT, RACE], ids=["right", "race"])
def test_it(kernel):
    out = np.zeros(32, np.uint32)
    muster.run(kernel, 1, [out], block=64)
    assert kernel is RACE or (out == np.arange(32)).all()
"""
    result = outcome(pytester, text, "-v")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*test_it[[]race[]] FAILED*", "Finding", "*data_race: two accesses to the same memory*"])


def test_seeds_are_tests_of_their_own_and_config_is_the_default(pytester):
    result = outcome(pytester, """
seen = []

@pytest.mark.muster(seeds=3, config="small")
def test_it():
    report = muster.run(RIGHT, 1, [np.zeros(32, np.uint32)], block=64)
    seen.append((report.seed, report.config))

@pytest.mark.muster(seeds=2)
def test_own():
    assert muster.run(RIGHT, 1, [np.zeros(32, np.uint32)], block=64, seed=9).seed == 9

def test_seen():
    assert seen == [(1, "small"), (2, "small"), (3, "small")]
""", "-v")
    result.assert_outcomes(passed=6)
    result.stdout.fnmatch_lines(["*test_it[[]seed1[]] PASSED*", "*test_it[[]seed3[]] PASSED*"])


def test_accesses_are_late(pytester):
    result = outcome(pytester, '''
@pytest.mark.muster(late=True)
@pytest.mark.parametrize("own", [{}, {"late": False}], ids=["late", "at_once"])
def test_it(own):
    assert ("loads" in muster.run(RIGHT, 1, [np.zeros(32, np.uint32)], block=64, **own).late) != bool(own)
''')
    result.assert_outcomes(passed=2)


@pytest.mark.parametrize(("mark", "message"), [("seed=3", "*has no option seed: there are config, seeds, late, explore, seconds*"),
                                               ("'small'", "*has no option 'small'*"),
                                               ("seeds=0", "*muster(seeds=0): it is a number from 1 on*"), ("seeds='3'", "*muster(seeds='3'): it is a number from 1 on*")])
def test_a_wrong_option_is_told(pytester, mark, message):
    result = outcome(pytester, f"""
@pytest.mark.muster({mark})
def test_it():
    pass
""")
    assert result.ret != 0
    result.stdout.fnmatch_lines([message])
