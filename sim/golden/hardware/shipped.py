#!/usr/bin/env python3
# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""Writes the section of README.md on the kernels that ship: what h200_shipped.json recorded, and why kernels differ (shipped.toml).

  shipped.py --write    writes the section
  shipped.py            exit code 1 if the page has another one, or a kernel that differs has no reason

The recording is what `muster suite --against cuda:8 sim/kernels PAIRS --json FILE` printed, without the reports.
"""

import json
import pathlib
import sys
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
PAGE = HERE / "README.md"
MARKS = "<!-- shipped.py writes this -->\n", "<!-- shipped.py: to here -->\n"


def section(recording, reasons):
    kernels = recording["kernels"]
    counts = [sum(row["same"] is same for row in kernels.values()) for same in (True, False, None)]
    text = (f"{len(kernels)} kernels that ship, the pairs of `explore` among them, on an {recording['gpu']['name']}: {counts[0]} end as on the unit and with "
            f"the same results, {counts[1]} do not, and {counts[2]} are for other GPUs.\n\n| why | kernel | the unit | the GPU |\n|---|---|---|---|\n")
    for reason in reasons:
        for number, name in enumerate(reason["kernels"]):
            row = kernels[name]
            text += f"| {reason['why'] if number == 0 else ''} | `{name}` | {row['unit']} | {row['gpu']} |\n"
    return text


def complaints(recording, reasons):
    differ = {name for name, row in recording["kernels"].items() if row["same"] is False}
    known = [name for reason in reasons for name in reason["kernels"]]
    for name in sorted(differ - set(known)):
        yield f"{name} ends otherwise on the GPU, and shipped.toml has no reason"
    for name in sorted(known):
        if name not in differ or known.count(name) > 1:
            yield f"{name}: shipped.toml has a reason too many"


def main():
    recording = json.loads((HERE / "h200_shipped.json").read_text())
    reasons = tomllib.loads((HERE / "shipped.toml").read_text())["reason"]
    wrong = list(complaints(recording, reasons))
    if not wrong:
        page = PAGE.read_text()
        before, rest = page.split(MARKS[0])
        new = before + MARKS[0] + section(recording, reasons) + MARKS[1] + rest.split(MARKS[1])[1]
        if sys.argv[1:] == ["--write"]:
            PAGE.write_text(new)
        elif new != page:
            wrong.append(f"{PAGE.name}: its section is not that of the recording; run shipped.py --write")
    print("".join(f"{what}\n" for what in wrong) + f"{len(recording['kernels'])} kernels, {len(wrong)} complaints")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
