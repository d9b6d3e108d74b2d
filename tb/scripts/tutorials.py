#!/usr/bin/env python3
# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""The tutorials: the commands of each page are executed as they stand, and print what the page shows.

  tutorials.py BUILD CASE   runs the page of one case
  tutorials.py --list       the names of all cases; --list more: of those that need more than Debian's packages of `make test`

A block ```sh of a page goes to one shell, in a folder that has the tree and the build; it must end with exit code 0. A block ```text that follows
is what it prints, where `...` stands for anything. A section whose heading ends with "(needs TOOL)" is run by the case PAGE_TOOL, the
others by the case PAGE.
"""

import pathlib
import re
import sys
import tempfile
import time

from surroundings import ROOT, check, run

PAGES = {"architect": "rtl/TUTORIAL.md", "verification": "tb/TUTORIAL.md", "board": "rtl/fpga/TUTORIAL.md", "kernel": "sim/TUTORIAL.md"}
BLOCK = re.compile(r"^```sh\n(.*?)^```\n(?:\n```text\n(.*?)^```\n)?", re.MULTILINE | re.DOTALL)
MARK = "== end of block"


def sections(page):
    """(what it needs or None, its text) of each section of a page."""
    for text in re.split(r"^(?=## )", (ROOT / page).read_text(encoding="utf-8"), flags=re.MULTILINE):
        need = re.match(r"## .*\(needs (\w+)\)$", text.partition("\n")[0])
        yield need and need[1], text


def cases(more):
    for name, page in PAGES.items():
        needs = dict.fromkeys(need for need, _ in sections(page) if need)
        yield from (f"{name}_{need}" for need in needs) if more else [name]


def same(shown, printed):
    """Whether a page shows what was printed."""
    pattern = "".join(r"(?:.*\n)*?" if line.strip() == "..." else ".*?".join(map(re.escape, line.split("..."))) + r"\n"
                      for line in shown.splitlines())
    return re.fullmatch(pattern, "".join(f"{line.rstrip()}\n" for line in printed.splitlines()))


def execute(build, folder, blocks):
    """Runs the blocks in one shell, and checks what each prints."""
    for path in ROOT.iterdir():
        if path.name != "build" and not path.name.startswith("."):
            (folder / path.name).symlink_to(path)
    (folder / "build").symlink_to(build.resolve())
    script = "".join(f'{commands}\necho "$?{MARK}"\n' for commands, _ in blocks)
    result = run("bash", "-c", script, cwd=folder)
    printed = result.stdout.split(f"{MARK}\n")
    for (commands, shown), text in zip(blocks, printed):
        text, _, code = text.rpartition("\n") if "\n" in text else ("", "", text)
        check(code == "0", f"exit code {code} of\n{commands}\nwhich prints\n{text}")
        check(not shown or same(shown, text), f"{commands}\nprints\n{text}\nwhere the page shows\n{shown}")
    check(len(printed) == len(blocks) + 1, "the shell has ended before the last block")


def main():
    if sys.argv[1:2] == ["--list"]:
        print("\n".join(cases(more=sys.argv[2:] == ["more"])))
        return
    name, _, need = sys.argv[2].partition("_")
    blocks = [block for wanted, text in sections(PAGES[name]) if wanted in (None, need) for block in BLOCK.findall(text)]
    check(blocks, f"{PAGES[name]} has no commands")
    begun = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        execute(pathlib.Path(sys.argv[1]), pathlib.Path(folder), blocks)
    print(f"{PAGES[name]}: {len(blocks)} blocks in {time.monotonic() - begun:.0f} s")


if __name__ == "__main__":
    main()
