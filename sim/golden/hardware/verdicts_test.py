#!/usr/bin/env python3
# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""verdicts.py refuses rows that are not what happens: on ends that are made up here."""

import json

import verdicts
from verdicts import AS_H100, OPEN, STRICTER, End, Reason, Row

THERE = End("ends", "ends", [1, 2, 3, 4])
HANGS = End("hangs", "hangs", [1, 2, 3, 4])
TRAP = End("trap", "trap: illegal_instruction", [9, 9, 9, 9])
SAME = Reason(AS_H100, [], "")


def complains(unit, reason, there, here, about=None):
    said = verdicts.problem(Row(unit, ""), reason, there, here)
    assert said is None if about is None else said and about in said, said


def here(kind, outcome, out=(1, 2, 3, 4)):
    return End(kind, outcome, list(out))


def rows(**changes):
    file = {"reasons": {"cut": {"verdict": STRICTER, "why": "it cuts"}}, "pairs": AS_H100,
            "groups": [{"title": "all", "readings": {"one": ["completes", AS_H100], "two": ["fault:x", "cut"]}}]}
    return verdicts.Verdicts(json.dumps(file | changes))


def refuses(about, **changes):
    try:
        rows(**changes)
    except verdicts.Wrong as what:
        assert about in str(what), what
    else:
        raise AssertionError(f"nothing is said of: {about}")


def main():
    complains("completes", SAME, THERE, here("ends", "completes"))
    complains("deadlock", SAME, HANGS, here("hangs", "deadlock"))
    complains("fault:x", SAME, TRAP, here("trap", "fault:x"))
    complains("memory_fault", SAME, THERE, here("ends", "completes"), "and not as memory_fault")
    complains("deadlock", SAME, THERE, here("hangs", "deadlock"), "an H100 ends, the unit deadlock")
    complains("completes", SAME, TRAP, here("ends", "completes"), "illegal_instruction")
    complains("timeout", SAME, HANGS, here("timeout", "timeout"), "the unit timeout")
    complains("completes", SAME, THERE, here("ends", "completes", (1, 2, 3, 5)), "out[3] is 0x4 on an H100 and 0x5")
    complains("deadlock", SAME, HANGS, here("hangs", "deadlock", (0, 2, 3, 4)), "out[0]")
    complains("completes", SAME, THERE, here("ends", "completes", (1, 2, 3)), "as many words")
    complains("completes", SAME, None, here("ends", "completes"), "not in the recording")
    times = Reason(AS_H100, ["1::2"], "")
    complains("completes", times, THERE, here("ends", "completes", (1, 7, 3, 8)))
    complains("completes", times, THERE, here("ends", "completes", (1, 7, 2, 8)), "out[2]")
    complains("completes", times, THERE, here("ends", "completes"), "does not differ in 1::2")
    complains("completes", Reason(AS_H100, ["0", "1:3"], ""), THERE, here("ends", "completes", (0, 2, 0, 4)))
    stricter = Reason(STRICTER, [], "")
    complains("fault:x", stricter, THERE, here("trap", "fault:x"))
    complains("fault:x", stricter, HANGS, here("trap", "fault:x"))
    complains("fault:x", stricter, TRAP, here("trap", "fault:x"), "is not stricter")
    complains("completes", stricter, THERE, here("ends", "completes"), "is not stricter")
    complains("completes", stricter, TRAP, here("ends", "completes"), "is not stricter")
    complains("completes", Reason(OPEN, [], ""), None, here("ends", "completes"))
    complains("completes", Reason(OPEN, [], ""), THERE, here("ends", "completes", (1, 2, 3, 5)))
    complains("completes", Reason(OPEN, [], ""), THERE, here("ends", "completes"), "open, but ends as on an H100")
    complains("deadlock", Reason(OPEN, [], ""), THERE, here("ends", "completes"), "and not as deadlock")

    assert not list(verdicts.missing(rows(), {"one", "two", "pair_A_B"}, {"one": THERE, "pair_A_B": THERE}))
    assert list(verdicts.missing(rows(), {"one", "three"}, {"four": THERE})) == [
        "four: it has a row or a recording, but no kernel", "three: it has no row in verdicts.json",
        "two: it has a row or a recording, but no kernel"]
    refuses("two rows", groups=[{"title": "all", "readings": {"one": ["completes", "other"]}}])
    refuses("no reading has the reason cut", groups=[])
    refuses("no verdict", reasons={"cut": {"verdict": "agrees", "why": ""}})


if __name__ == "__main__":
    main()
