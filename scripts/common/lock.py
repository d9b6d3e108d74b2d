# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""Folders below build/ in which one run at a time can work."""

import fcntl
import os
import sys

from root import ROOT

held = []  # until the process ends


def hold(folder, wait=False):
    """Takes the folder for this process. If another has it, waits for that to end, or ends with a
    sentence and exit code 2. Returns what to close if the folder is not needed to the end."""
    path = ROOT / f"{folder}.lock"
    path.parent.mkdir(parents=True, exist_ok=True)
    file = open(path, "a+", encoding="ascii")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.seek(0)
        print(f"{folder}/ is in use by another run (process {file.read().strip()}); " +
              ("this one waits until that has ended." if wait else "begin again when that has ended."),
              file=sys.stderr)
        if not wait:
            sys.exit(2)
        fcntl.flock(file, fcntl.LOCK_EX)
    file.truncate(0)
    file.write(str(os.getpid()))
    file.flush()
    held.append(file)
    return file
