# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""Why a test was skipped, and which command installs what it lacked: as the tests say it, in what they print."""

import re

SETUP = "scripts/run/setup.sh"


def reason(output):
    """A sentence of a test that was skipped: of a program "skipped: WHY", or its last line; of GoogleTest the line after "Skipped"."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    for number, line in enumerate(lines):
        if line.startswith("skipped: "):
            return line.removeprefix("skipped: ")
        if re.search(r":\d+: Skipped$", line) and number + 1 < len(lines):
            return lines[number + 1]
    return lines[-1] if lines else "it says no reason"


def groups(why):
    """The groups of packages that the reason names, as arguments of setup.sh."""
    return re.findall(rf"{re.escape(SETUP)} (\w+)", why)


def targets(why):
    """The targets of the Makefile that the reason names, which install packages of PyPI and build with them."""
    return re.findall(r"`make (\w+)`", why)


def lacking(reasons):
    """One line about the tests that were skipped for want of a package: {test: reason}; empty: none was."""
    wanted = {test: why for test, why in reasons.items() if groups(why) or targets(why)}
    if not wanted:
        return ""
    names = sorted({group for why in wanted.values() for group in groups(why)})
    made = sorted({target for why in wanted.values() for target in targets(why)})
    commands = [*([" ".join([SETUP, *names])] if names else []), *([" ".join(["make", *made])] if made else [])]
    kinds = sorted({test.split(".")[0] for test in wanted})
    several = "s were" if len(wanted) > 1 else " was"
    return f"{len(wanted)} test{several} skipped for want of packages ({', '.join(kinds)}); to install them: {' && '.join(commands)}"
