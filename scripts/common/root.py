# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""The top of the tree; and where a script finds those of other folders.

Each folder of scripts has a link to this file, so that a script finds it beside itself. A script that imports
ROOT from here, before any script of another folder, can import all of them.
"""

import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = ("run", "synth", "mutation", "pages", "check", "common")

sys.path[1:1] = [str(ROOT / "scripts" / folder) for folder in FOLDERS]
