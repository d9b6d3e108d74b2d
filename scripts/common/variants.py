# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""Wrong variants of the sources: the rows of tb/mutants/*.toml, which tb/HOWTO.md explains."""

import tomllib

from root import ROOT

TABLES = ROOT / "tb/mutants"


class Stale(Exception):
    """Why a variant does not apply to the sources as they are."""


class Variant:
    def __init__(self, kind, name, row):
        self.name = name
        self.full_name = f"{kind}/{name}"
        self.wrong = row["wrong"]
        self.config = row.get("config")
        self.checker = row.get("checker")
        self.breaks = row.get("breaks", [])
        self.edits = [(edit.get("file", row.get("file")), edit["old"], edit["new"])
                      for edit in row.get("edits", [row])]

    @property
    def files(self):
        return {file for file, _, _ in self.edits}

    def texts(self, tree=ROOT):
        """What the files of a tree are in this variant: {path: text}."""
        return self.applied({file: (tree / file).read_text() for file in self.files})

    def applied(self, texts):
        """These texts of its files, with its edits."""
        texts = dict(texts)
        for file, old, new in self.edits:
            if (count := texts[file].count(old)) != 1:
                raise Stale(f"{self.full_name} does not apply: {file} has {count} times, not once:\n{old}\n")
            texts[file] = texts[file].replace(old, new)
        return texts


def of(kind):
    """The variants of a table, in its order."""
    rows = tomllib.loads((TABLES / f"{kind}.toml").read_text())
    return [Variant(kind, name, row) for name, row in rows.items()]


def every():
    return [variant for table in sorted(TABLES.glob("*.toml")) for variant in of(table.stem)]
