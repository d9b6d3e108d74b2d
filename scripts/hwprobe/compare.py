#!/usr/bin/env python3
# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""Compares what the probe found on hardware with what the golden model decided.

Compared is what an operation returns, the upper half of a token and the answer of a wait, and where a script ends by a
trap. What a load sees of the word is not: an H100 keeps mbarriers apart from memory. Names each scenario as one of:

  agrees     what is returned is the same, to the end, or both refuse the same step
  stricter   the golden model refuses a step as misuse which the hardware carried out: with what it made of it
  differs    with the first step that does
  open       nothing that is returned shows what the last step did; or the probe itself failed
  not asked  the recording is of an older probe

Exit code 0: nothing differs; 1: something does; 2: bad input.
"""

import argparse
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
GOLDEN = ROOT / "build/scripts/hwprobe/hwprobe_golden"
RETURNED = ("first", "last")
VERDICTS = ("agrees", "stricter", "differs", "open", "not asked")
PROBE_FAILED = "the process of this launch"  # so begins the error then (probe.cu)


class BadInput(Exception):
    pass


def golden(program):
    if not program.exists():
        raise BadInput(f"{program} is not there: build it with scripts/run/build.sh hwprobe_golden")
    return json.loads(subprocess.run([program], capture_output=True, text=True, check=True).stdout)


def hardware(path):
    try:
        found = json.loads(path.read_text())
        for scenario in found["scenarios"]:
            for step in scenario["steps"]:
                assert all(int(step[field], 16) >= 0 for field in RETURNED) and step["do"]
        assert found["device"] and all(scenario["name"] for scenario in found["scenarios"])
        return found
    except (OSError, ValueError) as error:
        raise BadInput(f"{path} cannot be read: {error}") from error
    except (AssertionError, KeyError, TypeError) as error:
        raise BadInput(f"{path} is not what hwprobe writes: {error!r}") from error


def returns(step):
    """What of a step is compared: the shift of its values; None: it returns nothing."""
    op = step["do"].split()[0]
    if "_wait" in op:
        return 0
    return 32 if op.startswith("arrive") else None


def told(step):
    """What a step has returned: the fields of the token's upper half as sim/golden/mbarrier.md draws them."""
    def value(text):
        token = int(text, 16)
        if returns(step) == 0:
            return str(token)
        return (f"{token >> 32:#x} (phase {token >> 63}, pending {-(token >> 43) & 0xFFFFF}, "
                f"upper bits of tx {token >> 32 & 0x3FF:#x})")
    if returns(step) is None:
        return "no trap"
    return value(step["first"]) + (f" to {value(step['last'])}" if step["lanes"] > 1 else "")


def compare(ours, theirs):
    """(verdict, lines that say why) of a scenario."""
    if theirs["error"].startswith(PROBE_FAILED):
        return "open", [theirs["error"]]
    for number, mine in enumerate(ours["steps"]):
        where = f"step {number + 1}, {mine['do']}"
        found = theirs["steps"][number] if number < len(theirs["steps"]) else None
        if found is None and not theirs["error"]:
            raise BadInput(f"{ours['name']}: it ends at {where}, and does not say why")
        if found is not None and (found["do"], found["lanes"]) != (mine["do"], mine["lanes"]):
            raise BadInput(f"{ours['name']}: its steps are not those of this version of the probe")
        if "refused" in mine and found is None:
            return "agrees", [f"{where}: refused, {mine['refused']}; {theirs['error']}"]
        if "refused" in mine:
            lines = [f"{where}: the golden model refuses it, {mine['refused']}"]
            lines += [f"{step['do']} on hardware: {told(step)}" for step in theirs["steps"][number:]]
            lines += [f"on hardware it ends there: {theirs['error']}"] if theirs["error"] else []
            return "stricter", lines
        if found is None:
            return "differs", [f"{where}: on hardware it ends there: {theirs['error']}"]
        shift = returns(mine)
        if shift is not None and any(int(found[field], 16) >> shift != int(mine[field], 16) >> shift for field in RETURNED):
            return "differs", [where, f"golden model: {told(mine)}", f"hardware:     {told(found)}"]
    if theirs["error"]:
        return "differs", [f"on hardware it ends after its last step: {theirs['error']}"]
    if returns(ours["steps"][-1]) is None:
        return "open", ["what the last step did shows in nothing that is returned"]
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
    print(f"{found['device']}, of kind {found['kind']}")
    verdicts = []
    for scenario in ours["scenarios"]:
        asked = theirs.get(scenario["name"])
        verdict, lines = compare(scenario, asked) if asked else ("not asked", [])
        verdicts.append(verdict)
        print(f"{verdict:9} {scenario['name']}: {scenario['question']}")
        print("".join(f"            {line}\n" for line in lines), end="")
    print_measured(found)
    print(", ".join(f"{verdicts.count(verdict)} {verdict}" for verdict in VERDICTS))
    return int("differs" in verdicts)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except BadInput as problem:
        print(f"compare.py: {problem}", file=sys.stderr)
        sys.exit(2)
