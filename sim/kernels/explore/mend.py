#!/usr/bin/env python3
# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""Writes the mended kernels: FOLDER/NAME/mended.* for each row NAME of mended.toml, made of NAME/wrong.*.

  mend.py FOLDER
"""

import pathlib
import sys
import textwrap
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
TABLE = HERE / "mended.toml"


def rows():
    return tomllib.loads(TABLE.read_text())


def mended(name, row):
    """The texts of a mended kernel, by their names."""
    texts = {file.name: file.read_text() for file in (HERE / name).glob("wrong.*")}
    for edit in row.get("edits", [row]):
        file = edit.get("file", "wrong.ptx")
        if texts[file].count(edit["old"]) != 1:
            sys.exit(f"{TABLE}: {name}/{file} does not have exactly once:\n{edit['old']}")
        texts[file] = texts[file].replace(edit["old"], edit["new"])
    texts = {file.replace("wrong", "mended"): text.replace("wrong.", "mended.") for file, text in texts.items()}
    head, version, body = texts["mended.ptx"].partition(".version")
    changed = textwrap.fill(f"{name}/wrong.ptx without its bug. Changed: {row['changed']}", 100,
                            initial_indent="// ", subsequent_indent="// ")
    texts["mended.ptx"] = f"{head.splitlines()[0]}\n//\n{changed}\n\n{version}{body}"
    return texts


def write(folder):
    for name, row in rows().items():
        (folder / name).mkdir(parents=True, exist_ok=True)
        for file, text in mended(name, row).items():
            (folder / name / file).write_text(text)


if __name__ == "__main__":
    write(pathlib.Path(*sys.argv[1:]))
