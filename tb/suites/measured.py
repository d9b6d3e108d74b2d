#!/usr/bin/env python3
# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""What came of the kernels of this folder, and the table of the page.

  suite.py --file     files what came of all kernels in measured.json, by language and architecture
  measured.py         writes the table of the page from measured.json
  measured.py --check exit code 1 if the table is not what the file makes
"""

import collections
import json
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
PAGE, FILE = HERE / "README.md", HERE / "measured.json"
BEGIN, END = "<!-- measured: written by tb/suites/measured.py -->\n", "<!-- end of measured -->\n"
LANGUAGES = {"cuda": "CUDA C++", "triton": "Triton", "cute": "CuTe DSL", "tilelang": "TileLang"}
UNITS = ("wgmma", "tcgen05")  # of which the kernels are counted
NOT_ACCEPTED = ("not compiled", "refused")


def file(rows, folder):
    """Files the rows of suite.py, whose PTX is in the folder."""
    filed = {}
    for row in rows:
        language, _, architecture = row["kernel"].split(".")
        of = filed.setdefault(language, {}).setdefault(architecture, {
            "kernels": 0, "lines": 0, **dict.fromkeys(UNITS, 0), "accepted": 0, "right": 0,
            "refused": collections.Counter(), "others": collections.Counter(), "seconds": 0.0})
        text = (folder / f"{row['kernel']}.ptx").read_text() if row["state"] != "not compiled" else ""
        of["kernels"] += 1
        of["lines"] += text.count("\n")
        for unit in UNITS:
            of[unit] += f"{unit}." in text
        of["accepted"] += row["state"] not in NOT_ACCEPTED
        of["right"] += row["state"] == "right"
        if row["state"] == "refused":
            of["refused"].update(row["by"])
        elif row["state"] != "right":
            of["others"][row["state"]] += 1
        of["seconds"] = round(of["seconds"] + row["seconds"], 2)
    in_order = {language: {key: filed[language][key] for key in sorted(filed[language], key=lambda name: int(re.sub(r"\D", "", name)))}
                for language in LANGUAGES if language in filed}
    FILE.write_text(json.dumps(in_order, indent=1) + "\n")


def counted(reasons):
    return ", ".join(f"{count} ({reason})" for reason, count in sorted(reasons.items())) or "0"


def table():
    filed = json.loads(FILE.read_text())
    lines = ["| in | for | kernels | lines of PTX | with `wgmma` | with `tcgen05` | accepted | right | refused | others | seconds |\n", f"|{'---|' * 11}\n"]
    total = collections.Counter()
    columns = ("kernels", "lines", *UNITS, "accepted", "right")
    for language, by_architecture in filed.items():
        for architecture, row in by_architecture.items():
            cells = [LANGUAGES[language], architecture, *(f"{row[key]:,}" for key in columns),
                     counted(row["refused"]), counted(row["others"]), f"{row['seconds']:.0f}"]
            lines.append(f"| {' | '.join(cells)} |\n")
            total.update({key: row[key] for key in (*columns, "seconds")})
            total["refused"] += sum(row["refused"].values())
            total["others"] += sum(row["others"].values())
    cells = ["all", "", *(f"{total[key]:,}" for key in columns), total["refused"], total["others"], f"{total['seconds']:.0f}"]
    lines.append(f"| {' | '.join(map(str, cells))} |\n")
    return "".join(lines)


def main(arguments):
    text = PAGE.read_text()
    before, rest = text.split(BEGIN)
    new = before + BEGIN + table() + END + rest.split(END)[1]
    if arguments == ["--check"]:
        if new != text:
            sys.exit(f"{PAGE}: its table is not that of {FILE}; run tb/suites/measured.py")
    elif arguments:
        sys.exit(__doc__)
    else:
        PAGE.write_text(new)


if __name__ == "__main__":
    main(sys.argv[1:])
