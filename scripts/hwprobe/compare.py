#!/usr/bin/env python3
# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""Compares what the probe found on hardware with what the golden model decided.

Names each scenario as one of: `agrees`; `differs`, with the first step that does; `open`, where the
golden model refuses a step that the PTX text leaves undefined, with what the hardware made of it.
Exit code 0: nothing differs; 1: something does; 2: bad input.
"""

import argparse
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
GOLDEN = ROOT / "build/scripts/hwprobe/hwprobe_golden"
FIELDS = ("word", "first", "last")
VERDICTS = ("agrees", "differs", "open")


class BadInput(Exception):
    pass


def golden(program):
    if not program.exists():
        raise BadInput(f"{program} is not there: build it with scripts/build.sh hwprobe_golden")
    return json.loads(subprocess.run([program], capture_output=True, text=True, check=True).stdout)


def hardware(path):
    try:
        found = json.loads(path.read_text())
        for scenario in found["scenarios"]:
            for step in scenario["steps"]:
                assert all(int(step[field], 16) >= 0 for field in FIELDS) and step["do"]
        assert found["device"] and all(scenario["name"] for scenario in found["scenarios"])
        return found
    except (OSError, ValueError) as error:
        raise BadInput(f"{path} cannot be read: {error}") from error
    except (AssertionError, KeyError, TypeError) as error:
        raise BadInput(f"{path} is not what hwprobe writes: {error!r}") from error


def word(text):
    """The fields of a word as sim/golden/mbarrier.md draws them."""
    value = int(text, 16)
    tx = -(value >> 21) & 0x1FFFFF
    return (f"{text} (phase {value >> 63}, pending {-(value >> 43) & 0xFFFFF}, "
            f"tx {tx - (tx >> 20 << 21)}, expected {-(value >> 1) & 0xFFFFF})")


def told(step):
    text = word(step["word"])
    if step["first"] != "0x0" or step["last"] != "0x0":
        text += f", returned {step['first']}"
        text += f" to {step['last']}" if step["lanes"] > 1 else ""
    return text


def compare(ours, theirs):
    """(verdict, lines that say why) of a scenario."""
    for number, mine in enumerate(ours["steps"]):
        where = f"step {number + 1}, {mine['do']}"
        found = theirs["steps"][number] if number < len(theirs["steps"]) else None
        if found is not None and (found["do"], found["lanes"]) != (mine["do"], mine["lanes"]):
            raise BadInput(f"{ours['name']}: its steps are not those of this version of the probe")
        if "refused" in mine:
            lines = [f"{where}: the golden model refuses it, {mine['refused']}"]
            lines += [f"{step['do']} on hardware: {told(step)}"
                      for step in theirs["steps"][number:]]
            lines += [f"on hardware it ends there: {theirs['error']}"] if theirs["error"] else []
            return "open", lines
        if found is None:
            return "differs", [f"{where}: on hardware it ends there: {theirs['error']}"]
        if any(int(found[field], 16) != int(mine[field], 16) for field in FIELDS):
            return "differs", [where, f"golden model: {told(mine)}", f"hardware:     {told(found)}"]
    return "agrees", []


def print_measured(found):
    """What only hardware has."""
    for limit in found.get("limits", []):
        hint = "no hint" if limit["hint_ns"] is None else f"hint {limit['hint_ns']} ns"
        print(f"try_wait, {hint}: answers {limit['answer']} after {limit['ns']} ns {limit['error']}")
    rows = {}
    for row in found.get("cycles", []):
        count = row["ctas"] if row["what"].startswith("barrier.cluster") else row["warps"]
        if count & (count - 1) == 0:
            rows.setdefault(row["what"], []).append(f"{count}: {row['cycles']:.0f}")
    for what, cycles in rows.items():
        by = "CTAs" if what.startswith("barrier.cluster") else "warps"
        print(f"cycles of {what}, by {by}  {'  '.join(cycles)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("found", type=pathlib.Path, help="what hwprobe printed")
    parser.add_argument("--golden", type=pathlib.Path, default=GOLDEN, help="hwprobe_golden")
    args = parser.parse_args()
    ours = golden(args.golden)
    found = hardware(args.found)
    theirs = {scenario["name"]: scenario for scenario in found["scenarios"]}
    missing = [scenario["name"] for scenario in ours["scenarios"] if scenario["name"] not in theirs]
    if missing:
        raise BadInput(f"{args.found} lacks {', '.join(missing)}: it is of another version")
    print(f"{found['device']}, of kind {found['kind']}")
    verdicts = []
    for scenario in ours["scenarios"]:
        verdict, lines = compare(scenario, theirs[scenario["name"]])
        verdicts.append(verdict)
        print(f"{verdict:8} {scenario['name']}: {scenario['question']}")
        print("".join(f"           {line}\n" for line in lines), end="")
    print_measured(found)
    print(", ".join(f"{verdicts.count(verdict)} {verdict}" for verdict in VERDICTS))
    return int("differs" in verdicts)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except BadInput as problem:
        print(f"compare.py: {problem}", file=sys.stderr)
        sys.exit(2)
