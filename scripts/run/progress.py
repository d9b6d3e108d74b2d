# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""How far a long run has come: so many of so many, and the time left."""

import sys
import time

BETWEEN = 0.5 if sys.stdout.isatty() else 20  # seconds


def duration(seconds):
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"


def time_left(begun, share):
    """In words, when this share of the work has been done since then."""
    return f", {duration((time.monotonic() - begun) / share * (1 - share))} left" if 0 < share < 1 else ""


class Progress:
    """On a terminal one line that changes, else a line now and then. `before`: what an earlier run has done."""

    def __init__(self, total, what, before=0):
        self.total = total
        self.what = what
        self.before = before
        self.begun = time.monotonic()
        self.said = -BETWEEN if sys.stdout.isatty() else self.begun
        self.length = 0  # of the line that stands there

    def show(self, count, note="", left=None):
        """So many are done. The note follows their number; `left`: a better estimate than theirs."""
        now = time.monotonic()
        if now - self.said < BETWEEN and count != self.total:
            return
        self.said = now
        left = time_left(self.begun, (count - self.before) / (self.total - self.before or 1)) if left is None else left
        line = f"{count} of {self.total} {self.what}{note}{left}"
        if not sys.stdout.isatty():
            print(line, flush=True)
            return
        self.clear()
        self.length = len(line)
        print(line, end="\n" if count == self.total else "", flush=True)
        self.length *= count != self.total

    def clear(self):
        """Makes place for other lines."""
        if self.length:
            print("\r\033[K", end="", flush=True)
        self.length = 0
