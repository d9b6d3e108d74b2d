#!/usr/bin/env python3
# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""Checks the pages (*.md), the names of scripts, and the top level of the tree.

  check_pages.py [TREE]   complains, a line each; exit code 1

A link names a file that is there, and a heading of it if it names one. A page has no commit and no date: what was measured
on which sources is in a file that a script writes. README.md is short. A script that a page, a source or a rule of the build
names is there. The top level has what the table below allows, and waveforms, which reports of a mismatch leave there.
"""

import pathlib
import re
import sys

from root import ROOT

TOP = {"rtl", "tb", "sim", "constraints", "scripts", "CMakeLists.txt", "CMakePresets.json", "Makefile", "README.md", "CHANGELOG.md", "LICENSE",
       "CONTRIBUTING.md", "build"}
README_WORDS = 900
LINK = re.compile(r"!?\[(?:[^\[\]]|\[[^\]]*\])*\]\(([^()\s]+)\)")
COMMIT = re.compile(r"\bcommit `?[0-9a-f]{7,40}\b|`(?=[0-9a-f]*[0-9])(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}`")
DATE = re.compile(r"\b20[0-9]{2}-[01][0-9]-[0-3][0-9]\b")
SCRIPT = re.compile(r"(?<!tb/)\b(scripts/[\w/]+\.(?:py|sh|json|cmake))\b|\$\{(scripts\}/[\w/]+\.(?:py|sh))\b")
NAMING = {".md", ".txt", ".cmake", ".in", ".py", ".sh", ".json", ".sv", ".h", ".cpp", ".f", ".core", ".yml", ".yaml", ""}  # files that name scripts
DATED = {"CHANGELOG.md"}
OF_OTHERS = {"rtl/adapters/ventus/README.md", "rtl/adapters/vortex/README.md"}  # they say which sources of another project they are for


def without_code(text):
    """The page, blocks and spans of code left out; lines stay lines."""
    text = re.sub(r"^```.*?^```", lambda block: "\n" * block[0].count("\n"), text, flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"`[^`\n]*`", "``", text)


def anchors(text):
    """The names of a page's headings, as GitHub makes them."""
    found, names = {}, set()
    for heading in re.findall(r"^#+ +(.*?) *$", re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL), re.MULTILINE):
        heading = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        name = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        names.add(name if name not in found else f"{name}-{found[name]}")
        found[name] = found.get(name, 0) + 1
    return names


def of_page(tree, page, text):
    """The sentences about a page."""
    name_of = page.relative_to(tree).as_posix()
    for number, line in enumerate(without_code(text).splitlines(), 1):
        for link in LINK.findall(line):
            if re.match(r"[a-z]+:", link):
                continue
            path, _, name = link.partition("#")
            target = (page.parent / path).resolve() if path else page
            if not target.exists():
                yield f"{number}: there is no {path}"
            elif name and target.suffix == ".md" and name not in anchors(target.read_text(encoding="utf-8")):
                yield f"{number}: {path or 'this page'} has no heading {name}"
    for number, line in enumerate(text.splitlines(), 1):
        if name_of not in OF_OTHERS and COMMIT.search(line):
            yield f"{number}: a commit: {COMMIT.search(line)[0]}"
        if name_of not in DATED and DATE.search(line):
            yield f"{number}: a date: {DATE.search(line)[0]}"


def scripts_named(tree):
    """The sentences about scripts that are named and not there."""
    files = [path for top in sorted(TOP - {"build"}) for path in ([tree / top] if (tree / top).is_file() else sorted((tree / top).rglob("*")))]
    for path in [*files, tree / ".pre-commit-config.yaml"]:
        if path.suffix in NAMING and path.is_file():
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
                for name in ((found[1] or found[2].replace("}", "", 1)) for found in SCRIPT.finditer(line)):
                    if not (tree / name).exists():
                        yield f"{path.relative_to(tree)}:{number}: there is no {name}"


def complaints(tree):
    for path in sorted(tree.iterdir()):
        if not path.name.startswith((".", "build")) and not path.name.endswith((".fst", ".fst.hier")) and path.name not in TOP:
            yield f"{path.name}: the top level has {', '.join(sorted(TOP - {'build'}))} and nothing else"
    pages = [path for top in sorted(TOP) for path in ([tree / top] if top.endswith(".md") else sorted((tree / top).rglob("*.md"))) if top != "build"]
    for page in [*pages, *sorted((tree / ".github").rglob("*.md"))]:
        if page.exists():
            for sentence in of_page(tree, page, page.read_text(encoding="utf-8")):
                yield f"{page.relative_to(tree)}:{sentence}"
    words = len((tree / "README.md").read_text(encoding="utf-8").split())
    if words > README_WORDS:
        yield f"README.md has {words} words, and {README_WORDS} are the most"
    yield from scripts_named(tree)


def main():
    wrong = list(complaints(pathlib.Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else ROOT))
    print("\n".join([*wrong, f"pages: {len(wrong)} complaints"]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
