# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""A plugin of pytest: a test with @pytest.mark.muster fails with the report where a kernel that it runs deadlocks, faults, or has a finding.

    @pytest.mark.muster(config="small", seeds=10, explore=True)
    def test_sum():
        out = np.zeros(2, np.uint32)
        muster.run("sum.ptx", 2, [values, out], block=256)
        assert (out == expected).all()

seeds: the test runs once with each seed from 1 on. late: as of muster.run. explore: each launch is explored first, with the first seed, for
`seconds` (60) at most. config: the unit's configuration. What the test itself gives to muster.run comes first.
"""

from __future__ import annotations

import traceback
from typing import Any

import pytest

from muster.launch import Launch, runner
from muster.report import Failure, Report

_SEED = "_muster_seed"
_OPTIONS = ("config", "seeds", "late", "explore", "seconds")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "muster(config, seeds, late, explore, seconds): fail with the report where a kernel that the test runs by muster "
                                       "deadlocks, faults or has a finding")


def _options(marker: pytest.Mark) -> dict[str, Any]:
    wrong = [repr(arg) for arg in marker.args] + [name for name in marker.kwargs if name not in _OPTIONS]
    if wrong:
        raise pytest.UsageError(f"@pytest.mark.muster has no option {wrong[0]}: there are {', '.join(_OPTIONS)}, by name")
    seeds = marker.kwargs.get("seeds", 1)
    if not isinstance(seeds, int) or seeds < 1:
        raise pytest.UsageError(f"@pytest.mark.muster(seeds={seeds!r}): it is a number from 1 on")
    return marker.kwargs


@pytest.fixture
def _muster_seed(request: pytest.FixtureRequest) -> int:
    return request.param


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    marker = metafunc.definition.get_closest_marker("muster")
    if marker is not None and "seeds" in _options(marker):
        metafunc.fixturenames.append(_SEED)
        metafunc.parametrize(_SEED, range(1, marker.kwargs["seeds"] + 1), indirect=True, ids=lambda seed: f"seed{seed}")


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Any:
    marker = pyfuncitem.get_closest_marker("muster")
    if marker is None:
        return (yield)
    options = _options(marker)
    given = {name: options[name] for name in ("config",) if name in options}
    of_run = {name: options[name] for name in ("config", "late") if name in options}
    callspec = getattr(pyfuncitem, "callspec", None)
    if callspec is not None and _SEED in callspec.params:
        of_run["seed"] = callspec.params[_SEED]

    def run(launch: Launch, own: dict[str, Any]) -> Report:
        if options.get("explore") and of_run.get("seed", 1) == 1:
            how = {"seconds": options.get("seconds", 60)} | given | {name: own[name] for name in ("config", "without") if name in own}
            launch.explore(**how).check()
        return launch.run_once(of_run | own).check()

    token = runner.set(run)
    try:
        return (yield)
    except Failure as raised:
        failure = raised
    finally:
        runner.reset(token)
    frames = [frame for frame in traceback.extract_tb(failure.__traceback__) if frame.filename == str(pyfuncitem.path)]
    where = f"{pyfuncitem.path.name}:{frames[-1].lineno}: {frames[-1].line}\n" if frames else ""
    pytest.fail(f"{where}{type(failure).__name__}\n{failure}", pytrace=False)
