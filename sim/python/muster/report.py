# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""What came of a run, or of exploring a launch; and the exceptions that say it."""

from __future__ import annotations

from typing import Any


class InputError(ValueError):
    """What was given cannot be run: a sentence for each problem, with line and column where there are any."""


class Failure(Exception):
    """A run or an exploration that did not go well. `report` has all of it, and so has the text."""

    def __init__(self, report: Report | Exploration):
        super().__init__(str(report))
        self.report = report


class Deadlock(Failure):
    """Every warp that is left waits, and none can let another go on; of an exploration: in an order that can happen."""


class Mismatch(Failure):
    """The RTL and the golden model disagree: a bug of Muster."""


class Fault(Failure):
    """The kernel did what the hardware refuses, such as a barrier id above 15, or an access outside of its memory."""


class Timeout(Failure):
    """The run took more cycles than max_cycles."""


class Finding(Failure):
    """Exploring has found a race, or an order in which the kernel ends otherwise."""


# By exit code of `muster run` and `muster explore`.
_FAILURES = {3: Deadlock, 4: Mismatch, 5: Fault, 6: Timeout, 7: Finding}


class _Told:
    def __init__(self, code: int, text: str, json: dict[str, Any], ptx: str):
        self.code = code  #: the exit code that `muster run` or `muster explore` would have
        self.text = text  #: what they would print
        self.json = json  #: the report that they would write
        self.ptx = ptx  #: the text of the kernel's PTX, which the line numbers are of

    def __str__(self) -> str:
        return self.text.rstrip("\n")

    __repr__ = __str__

    @property
    def config(self) -> str:
        """The configuration of the unit."""
        return self.json["config"]

    @property
    def seed(self) -> int:
        """The seed of the warps' order and of the stalls."""
        return self.json["seed"]


class Report(_Told):
    """What came of a run. Its repr is the text that `muster run` prints; `json` is the whole report."""

    def __init__(self, code: int, text: str, json: dict[str, Any], ptx: str, unknown: list[str]):
        super().__init__(code, text, json, ptx)
        self.unknown = unknown  #: arrays of which it is not known what the kernel has left; they are as they were

    @property
    def ok(self) -> bool:
        """Whether the kernel has completed."""
        return self.code == 0

    @property
    def outcome(self) -> str:
        """How it ended: completes, deadlock, timeout, mismatch, memory_fault, or fault:CAUSE, and others that a manifest may expect."""
        return self.json["outcome"]

    @property
    def cycles(self) -> int:
        """The clock cycles that the run took."""
        return self.json["cycles"]

    @property
    def operations(self) -> dict[str, int]:
        """How many operations of each kind the unit has carried out at named barriers."""
        return self.json["operations"]

    @property
    def barriers(self) -> list[dict[str, Any]]:
        """The named barriers: generations, cycles waited, who came last."""
        return self.json["barriers"]

    @property
    def mbarriers(self) -> list[dict[str, Any]]:
        """The mbarriers: phases, arrivals, waits."""
        return self.json["mbarriers"]

    @property
    def deadlock(self) -> list[dict[str, Any]]:
        """After a deadlock, each barrier at which warps wait: who came, and who is missing."""
        return self.json.get("deadlock", [])

    @property
    def faults(self) -> list[dict[str, Any]]:
        """The faults: cause, line, cycle, CTA, warp, and a sentence."""
        return self.json["faults"]

    @property
    def hazards(self) -> list[dict[str, Any]]:
        """What the hardware lets pass and a programmer seldom means, such as a thread that arrives twice."""
        return self.json["hazards"]

    @property
    def late(self) -> dict[str, Any]:
        """Of a run with late=True: how many `loads` were late, how many `drains` fences asked for, how often a warp was `held_back` for want of room, and in `missed` which found an old value, and whose store they did not find."""
        return self.json.get("late", {})

    def check(self) -> Report:
        """Returns the report. Raises Deadlock, Fault, Timeout or Mismatch, all of them Failure, if the kernel has not completed."""
        if not self.ok:
            raise _FAILURES.get(self.code, Failure)(self)
        return self


class Exploration(_Told):
    """What the orders of a launch can come to. Its repr is the text that `muster explore` prints."""

    @property
    def ok(self) -> bool:
        """Whether there is no finding; suspicions, which nothing has confirmed, are none."""
        return not self.findings and self.code not in _FAILURES

    @property
    def findings(self) -> list[dict[str, Any]]:
        """Deadlocks, races and other ends that an order leads to, each of which the unit has followed."""
        return self.json["findings"]

    @property
    def suspicions(self) -> list[dict[str, Any]]:
        """What may be wrong, and no order has shown."""
        return self.json["suspicions"]

    @property
    def notes(self) -> list[dict[str, Any]]:
        """What is worth knowing, and no fault of the kernel."""
        return self.json["notes"]

    @property
    def complete(self) -> bool:
        """Whether every order has been seen."""
        return self.json["complete"]

    @property
    def classes(self) -> int:
        """How many classes of orders have been seen."""
        return self.json["classes"]

    def check(self) -> Exploration:
        """Returns the exploration. Raises Deadlock, Finding or Mismatch, all of them Failure, if there is a finding."""
        if not self.ok:
            raise _FAILURES.get(self.code, Finding)(self)
        return self
