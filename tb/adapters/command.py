#!/usr/bin/env python3
# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""The program `adapters`: what it prints, how it ends, and that its command repeats a failure.

  command.py ADAPTERS CASE   runs one case
  command.py --list          the names of all cases
"""

import shlex
import subprocess
import sys

CASES = {}


def case(function):
    """Makes a function a case of this name."""
    CASES[function.__name__] = function
    return function


def run(adapters, *arguments, code=0):
    """Runs the program, which must end so. Returns what it prints."""
    done = subprocess.run([adapters, *arguments], capture_output=True, text=True, check=False)
    if done.returncode != code:
        sys.exit(f"{' '.join(arguments)}: exit code {done.returncode}, not {code}\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def expect(holds, what):
    """Says what does not hold, and ends."""
    if not holds:
        sys.exit(what)


@case
def right_unit(adapters):
    text = run(adapters, "--seeds", "1-2000")
    expect(text.startswith("example: 2000 programs, ") and text.endswith("nothing wrong\n"), text)


@case
def failure_repeats(adapters):
    """The last line is a command that leaves the same report, but for the number of runs; so it does with options."""
    for options in ("--fault 2b", "--fault 11 --without shown,reductions --set accept_within=6"):
        text = run(adapters, *options.split(), code=1)
        command = text.splitlines()[-1].removeprefix("again: ")
        expect(f"adapters {options} --seeds " in command, command)
        again = run(*shlex.split(command), code=1)
        without_runs = [line for line in text.splitlines() if not line.startswith("shortest trace")]
        expect(without_runs == [line for line in again.splitlines() if not line.startswith("shortest trace")],
               f"{text}\n{again}")


@case
def single_warp(adapters):
    text = run(adapters, "--set", "warps=1", code=1)
    expect(text == "nothing tested: one warp alone, which never waits: that tests nothing\n", text)


@case
def wrong_options(adapters):
    for options, sentence in (("--fault 13", "the example has no fault 13"),
                              ("--unit nobodys", "nobodys is not in this build"),
                              ("--without sleep", "there is no feature sleep"),
                              ("--set warps", "warps is no NAME=NUMBER"),
                              ("--set warps=9", "warps=9 is more than the unit has"),
                              ("--set warps=many", "'many' is no number"),
                              ("--seeds 1-x", "'x' is no number"),
                              ("--seeds 0x1", "'0x1' is no number")):
        text = run(adapters, *options.split(), code=2)
        expect(sentence in text, f"{options}: {text}")


def main():
    if sys.argv[1:] == ["--list"]:
        print("\n".join(CASES))
        return
    adapters, name = sys.argv[1:]
    CASES[name](adapters)


if __name__ == "__main__":
    main()
