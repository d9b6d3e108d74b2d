#!/usr/bin/env python3
# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""The regression on corners of the unit's parameters, in a build folder of its own.

A corner is a configuration like those of rtl/configs.json, whose name lists its parameters:
w5c1p2_no_faults_limit has five warps, one CTA, two ports, no EnFaults, no EnMbLimit, and w8c2p1l4 warps of four
lanes instead of 32. There is a corner for
each feature switch that is off alone, for each odd size, and for each pair of values of two parameters
that are legal together. --quick takes two small corners instead, one with all features and one with few. --draw takes configurations at random instead, with parameters that need be at no corner.
Names after the options are the corners to run, or, with --list, to show.
"""

import argparse
import itertools
import os
import random
import subprocess
import sys
import time

from root import ROOT
import configs
import ctest
import lock
import trees

TREE = ROOT / "build/corners"
BUILD = TREE / "build"
SIZES = {"NumWarps": "w", "NumCtas": "c", "NumIssue": "p", "WarpSize": "l"}
SWITCHES = {"EnReduce": "reduce", "EnResult": "result", "EnState": "state", "EnFaults": "faults", "EnDrain": "drain",
            "EnLanes": "lanes", "EnSplit": "split", "EnJoin": "join", "EnMbarrier": "mbarrier",
            "EnMbLimit": "limit", "EnReport": "report"}
WITH = {"EnReduce": {"EnState": 0}}  # off together
OF_MBARRIERS = ["EnMbLimit", "EnReport", "SmemBytes", "MbResponses", "ClockPeriodPs", "WaitLimitNs"]
# Each parameter's plain value first.
VALUES = {"NumWarps": [8, 4, 5, 12, 32, 33, 40, 63, 64], "NumCtas": [2, 1, 3, 32],
          "NumIssue": [1, 2, 4], "WarpSize": [32, 4, 8, 16], **{switch: [1, 0] for switch in SWITCHES},
          "SmemBytes": [65536, 1024], "MbResponses": [4, 2, 1], "ClockPeriodPs": [1000, 1500, 700],
          "WaitLimitNs": [4000]}
PLAIN = {name: values[0] for name, values in VALUES.items()}
SMALL = {"SmemBytes": 1024, "ClockPeriodPs": 1500}
QUICK = [PLAIN | SMALL | {"NumWarps": 5, "NumCtas": 1},
         PLAIN | SMALL | dict.fromkeys(SWITCHES, 0) |
         {"EnReduce": 1, "EnLanes": 1, "EnMbarrier": 1, "NumWarps": 12, "NumCtas": 3, "NumIssue": 2, "WarpSize": 4}]

ON = 0.8  # the share of switches of a drawn configuration that are on


def legal(corner, values):
    """Whether rtl/muster.sv takes these parameters, of which some may be missing; and those that nothing reads,
    without mbarriers or reductions, are the plain ones."""
    return not (corner.get("EnReduce") == 0 and (corner.get("EnState") == 1 or corner.get("EnResult") == 0) or
                corner.get("EnLanes") == 1 and corner.get("EnMbarrier") == 1 and
                corner.get("MbResponses") == 1 or
                corner.get("EnMbarrier") == 0 and
                any(corner.get(name, values[name][0]) != values[name][0] for name in OF_MBARRIERS))


def possible(corner, values):
    """Whether a legal corner has these parameters: none that is missing forbids it."""
    missing = [name for name in ("EnState", "EnResult", "EnReduce", "EnLanes", "EnMbarrier", "MbResponses")
               if name not in corner]
    return any(legal(corner | dict(zip(missing, rest)), values)
               for rest in itertools.product(*(values[name] for name in missing)))


def pairs(values):
    """Each two values of two parameters that may go together, as shown() has them."""
    return {pair for a, b in itertools.combinations(values, 2)
            for pair in itertools.product([(a, v) for v in values[a]], [(b, v) for v in values[b]])
            if possible(dict(pair), values)}


def shown(corner):
    """The pairs of values for which a corner stands. Without mbarriers, these are only the pairs with
    EnMbarrier itself: what other switches do at mbarriers is not there to be seen."""
    have = [(name, corner[name]) for name in VALUES if name in corner]
    return {pair for pair in itertools.combinations(have, 2)
            if corner["EnMbarrier"] or ("EnMbarrier", 0) in pair}


def covering(values, needed):
    """Corners that show the needed pairs, and of the others as many as they can: the usual greedy
    choice, the same at each call."""
    needed, missing = set(needed), pairs(values)
    names = sorted(values, key=lambda name: name in SIZES)
    order = {name: index for index, name in enumerate(names)}
    corners = []
    while needed:
        first = min(needed, key=lambda pair: sorted((order[name], values[name].index(value))
                                                    for name, value in pair))
        corner = {"EnMbarrier": 1} | dict(first)
        for name in names:
            if name in corner:
                continue

            def gain(value, name=name):
                pairs_shown = shown(corner | {name: value})
                return len(needed & pairs_shown), len(missing & pairs_shown)
            corner[name] = max((value for value in values[name]
                                if possible(corner | {name: value}, values)), key=gain)
        needed -= shown(corner)
        missing -= shown(corner)
        corners.append({name: corner[name] for name in values})
    return corners


def alone():
    """Corners that differ from the plain one in a size, or in a switch and what that needs."""
    changes = [{name: value} for name in SIZES for value in VALUES[name][1:]]
    changes += [{switch: 0} | WITH.get(switch, {}) for switch in SWITCHES]
    return [PLAIN] + [PLAIN | change for change in changes]


def name_of(corner):
    off = [word for switch, word in SWITCHES.items() if not corner[switch]]
    return "".join(letter + str(corner[size]) for size, letter in SIZES.items()
                   if (size, corner[size]) != ("WarpSize", 32)) + \
        ("_no_" + "_".join(off) if off else "")


def named(corners):
    """By name; of several that differ in nothing that the name says, all but the first with a number."""
    found = {}
    for corner in corners:
        name = name_of(corner)
        while name in found and found[name] != corner:
            number = name.removeprefix(name_of(corner)).removeprefix("_v") or "1"
            name = f"{name_of(corner)}_v{int(number) + 1}"
        found[name] = corner
    return found


def words_of(corner):
    """A corner's sizes, the switches that are off, and of the other parameters those that are not the plain ones."""
    sizes = ", ".join(f"{corner[size]} {noun}{'s' * (corner[size] != 1)}" for size, noun in (
        ("NumWarps", "warp"), ("NumCtas", "CTA slot"), ("NumIssue", "port"), ("WarpSize", "lane")))
    off = [switch for switch in SWITCHES if not corner[switch]]
    rest = [f"{name} {corner[name]}" for name in VALUES
            if name not in SIZES and name not in SWITCHES and corner[name] != VALUES[name][0]]
    return "; ".join([sizes, *(["without " + ", ".join(off)] if off else []), *rest])


def every():
    return named(alone() + covering(VALUES, pairs(VALUES)))


def quick():
    return named(QUICK)


def drawn_once(dice):
    """A configuration at random, which rtl/muster.sv takes."""
    drawn = {switch: int(dice.random() < ON) for switch in SWITCHES}
    drawn |= {"NumWarps": dice.randint(4, 64), "NumIssue": dice.choice([1, 2, 4]), "WarpSize": dice.choice([4, 8, 16, 32])}
    if not drawn["EnReduce"]:
        drawn |= WITH["EnReduce"] | {"EnResult": 1}
    drawn |= {"NumCtas": dice.randint(1, 32), "SmemBytes": 2 ** dice.randint(8, 18), "MbResponses": dice.randint(1 + drawn["EnLanes"], 12),
              "ClockPeriodPs": dice.randint(250, 4000), "WaitLimitNs": dice.randint(1000, 12000)}
    if not drawn["EnMbarrier"]:
        drawn |= {name: VALUES[name][0] for name in OF_MBARRIERS}
    return {name: drawn[name] for name in VALUES}


def drawn(count, seed):
    """So many configurations at random, the same for the same seed; the first ones do not depend on their number."""
    return named([drawn_once(random.Random(f"{seed} {number}")) for number in range(count)])


def check():
    """The complaints: what the corners should have and lack."""
    wrong = [f"drawn {name} is not legal" for name, corner in drawn(1000, 1).items() if not legal(corner, VALUES)]
    for name in VALUES:
        values = {corner[name] for corner in drawn(1000, 1).values()}
        if name in SWITCHES and values != {0, 1} or name == "NumWarps" and values != {*range(4, 65)} or \
                name == "NumCtas" and values != {*range(1, 33)} or name in ("NumIssue", "WarpSize") and values != {*VALUES[name]}:
            wrong.append(f"drawn values of {name} are only {sorted(values)}")
    met = set().union(*(shown(corner) for corner in every().values()))
    wrong += [f"no corner has {first} and {second}" for first, second in pairs(VALUES) - met]
    wrong += [f"{name} is not legal" for name, corner in (every() | quick()).items() if not legal(corner, VALUES)]
    wrong += [f"no corner differs from the plain one in {switch} alone" for switch in SWITCHES
              if PLAIN | {switch: 0} | WITH.get(switch, {}) not in every().values()]
    return wrong


def build(text, traced):
    """Builds the regression of these corners in a copy of the tree. Units that are not traced are compiled in half
    of the time."""
    file = BUILD / "configs.json"
    options = (f"-DMUSTER_CONFIGS_FILE={file.relative_to(TREE)} -DMUSTER_REGRESS_ONLY=ON "
               f"-DMUSTER_UNIT_OPTIONS=-O1 -DMUSTER_TRACE={'ON' if traced else 'OFF'}")
    environment = os.environ | {"BUILD": "build"}
    BUILD.mkdir(parents=True, exist_ok=True)
    built = BUILD / "options"  # with which it was configured
    if not file.exists() or file.read_text() != text or not built.exists() or built.read_text() != options:
        file.write_text(text)
        environment["CMAKE_OPTIONS"] = options
        built.write_text(options)
    if subprocess.run([TREE / "scripts/run/build.sh", "regress"], cwd=TREE, env=environment).returncode:
        sys.exit("The build failed.")


def at_least_one(text):
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError("say how many, 1 at least")
    return int(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--draw", type=at_least_one, metavar="N", help="takes N configurations at random")
    parser.add_argument("--draw-seed", metavar="S", default=time.strftime("%Y%m%d"), help="of --draw (the date)")
    parser.add_argument("--list", action="store_true", help="only print them, a line each")
    parser.add_argument("--json", action="store_true", help="of --list: as rtl/configs.json has its configurations")
    parser.add_argument("--check", action="store_true", help="only check that each pair has a corner")
    parser.add_argument("--seeds", help="of each: as those of regress (20; 60 where they are drawn: their rare cases may be rarer)")
    parser.add_argument("--cycles", default="100000", help="of each seed")
    parser.add_argument("names", nargs="*")
    args = parser.parse_args()

    if args.check:
        wrong = check()
        print("\n".join([*wrong, f"{len(every())} corners, {len(quick())} quick ones, "
                         f"{len(wrong)} complaints"]))
        sys.exit(bool(wrong))
    corners = quick() if args.quick else drawn(args.draw, args.draw_seed) if args.draw is not None else every()
    unknown = [name for name in args.names if name not in corners]
    if unknown:
        sys.exit(f"unknown corner {unknown[0]}; --list shows all")
    corners = {name: corners[name] for name in args.names or corners}
    text = configs.text_of(corners)
    if args.list:
        width = max(map(len, corners))
        print(text if args.json else "".join(f"{name:{width}}  {words_of(corner)}\n" for name, corner in corners.items()), end="")
        return
    if args.draw is not None:
        print(f"Drawn with SEED={args.draw_seed}: {', '.join(corners)}", flush=True)
    lock.hold("build/corners")
    trees.copy_to(TREE)
    build(text, traced=not args.quick)
    code = ctest.regress(BUILD.relative_to(ROOT), args.seeds or ("60" if args.draw else "20"), args.cycles)
    if code and args.quick:
        print("Building again, with waveforms, for the commands above.", flush=True)
        build(text, traced=True)
    sys.exit(code)


if __name__ == "__main__":
    main()
