#!/usr/bin/env python3
# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""Makes a site of the pages that are there, with a search, to be read without a network: build/site/html/index.html.

Each page stays at its path, and so does each file that a page links to; a folder without a page gets a list of its files. Material for
MkDocs, which scripts/pages/website.txt pins, makes the HTML; a link to no page or to no heading fails, and so does a resource from
elsewhere. Exit code 1: the site is not whole; 2: the tools cannot be installed.
"""

import json
import os
import re
import shutil
import subprocess
import sys

from root import ROOT
import filelists

sys.path.insert(0, str(ROOT / "scripts/check"))
import check_pages  # noqa: E402

WORK = ROOT / "build/site"
PAGES, HTML, ENVIRONMENT = WORK / "pages", WORK / "html", WORK / "environment"
# What a reader sees first, in this order; all other pages come last.
NAV = {
    "Muster": ["README.md"],
    "Theory": ["rtl/THEORY.md", "rtl/PHASES.md"],
    "Tutorials": ["sim/TUTORIAL.md", "rtl/TUTORIAL.md", "tb/TUTORIAL.md", "rtl/fpga/TUTORIAL.md"],
    "Kernels": ["sim/README.md", "sim/MANIFEST.md", "sim/REPORTS.md", "sim/EXPLORE.md", "sim/LATE.md", "sim/GPU.md", "sim/PTX.md",
                "sim/kernels/README.md", "sim/explore/README.md", "sim/kernels/explore/README.md", "sim/ptx/INSTRUCTIONS.md", "sim/litmus/README.md"],
    "The unit": ["rtl/README.md", "rtl/mbarrier/README.md", "rtl/warp/README.md", "rtl/cluster/README.md", "rtl/atomics/README.md",
                 "rtl/cta/BCU.md", "rtl/WAITS.md", "rtl/FIGURES.md"],
    "Adapters and boards": ["rtl/adapters/axil/README.md", "rtl/adapters/mem/README.md", "rtl/adapters/ventus/README.md",
                            "rtl/adapters/vortex/README.md", "rtl/fpga/README.md"],
    "Golden model": ["sim/golden/README.md", "sim/golden/mbarrier.md", "sim/golden/hardware/README.md", "sim/tlm/README.md"],
    "Tests": ["tb/README.md", "tb/HOWTO.md", "tb/STATE.md", "tb/RUNS.md", "tb/formal/README.md", "tb/adapters/README.md"],
    "Project": ["CONTRIBUTING.md", "CHANGELOG.md", "scripts/TARGETS.md", "scripts/DEPENDENCIES.md"],
}
FENCE = re.compile(r"^ *(```|~~~)")
ITEM = re.compile(r"^ {0,3}(?:[-*+]|\d+\.) ")


def tracked():
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode:  # not a clone: the files of a release
        return {str(path.relative_to(ROOT)) for top in check_pages.TOP - {"build"} for path in [ROOT / top, *(ROOT / top).rglob("*")]
                if path.is_file()}
    return {name for name in listed.stdout.splitlines() if (ROOT / name).is_file()}


def as_markdown(text):
    """The page as Python-Markdown wants it: an empty line before a list or a table that follows a paragraph."""
    lines, fenced, block = [], False, []  # the lines since the last empty one
    for line in text.splitlines():
        fenced ^= bool(FENCE.match(line))
        if block and not fenced and (ITEM.match(line) and not ITEM.match(block[0]) or
                                     line.startswith("|") and not block[-1].startswith("|")):
            lines.append("")
            block = []
        lines.append(line)
        block = [*block, line] if line.strip() else []
    return "\n".join(lines) + "\n"


def links(page, text):
    """The targets in the tree that a page links to: (link, target by its path in the tree)."""
    for link in check_pages.LINK.findall(check_pages.without_code(text)):
        path = link.partition("#")[0]
        if path and not re.match(r"[a-z]+:", link):
            yield link, os.path.normpath(os.path.join(os.path.dirname(page), path))


def collect():
    """Puts the pages, and the files that they link to, into PAGES."""
    shutil.rmtree(PAGES, ignore_errors=True)
    files = tracked()
    pages = sorted(name for name in files if name.endswith(".md") and not name.startswith("."))
    wanted, folders = set(pages), set()
    for page in pages:
        text = (ROOT / page).read_text(encoding="utf-8")
        for link, target in set(links(page, text)):
            if target in files:
                wanted.add(target)
            else:
                folders.add(target)
                index = "README.md" if f"{target}/README.md" in files else "index.md"
                path, hash_, name = link.partition("#")
                text = text.replace(f"]({link})", f"]({path.rstrip('/')}/{index}{hash_}{name})")
        (PAGES / page).parent.mkdir(parents=True, exist_ok=True)
        (PAGES / page).write_text(as_markdown(text), encoding="utf-8")
    for folder in folders:
        if f"{folder}/README.md" not in files:
            inside = sorted(name for name in files if os.path.dirname(name) == folder)
            (PAGES / folder).mkdir(parents=True, exist_ok=True)
            (PAGES / folder / "index.md").write_text(f"# {folder}\n\n" + "".join(f"- [{(short := os.path.basename(name))}]({short})\n" for name in inside))
            wanted |= set(inside)
    for name in sorted(wanted - set(pages)):
        (PAGES / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, PAGES / name)
    return pages


def title(page):
    return re.search(r"^# +(.*)", (ROOT / page).read_text(encoding="utf-8"), re.MULTILINE)[1].replace("`", "")


def config(pages):
    rest = [page for page in pages if not any(page in group for group in NAV.values())]
    nav = [{name: [{title(page): page} for page in group]} for name, group in {**NAV, "More": rest}.items()]
    return {
        "site_name": f"Muster {filelists.version()}", "site_url": "", "docs_dir": str(PAGES), "site_dir": str(HTML), "use_directory_urls": False,
        "theme": {"name": "material", "font": False, "features": ["navigation.tabs", "navigation.top", "toc.follow", "content.code.copy"],
                  "palette": [{"media": "(prefers-color-scheme: light)", "scheme": "default"}, {"media": "(prefers-color-scheme: dark)", "scheme": "slate"}]},
        "plugins": ["search", "offline"],
        "markdown_extensions": ["tables", "attr_list", "sane_lists", "pymdownx.superfences", "pymdownx.highlight",
                                {"toc": {"permalink": True, "slugify": SLUG}}],
        "validation": {"nav": {"omitted_files": "ignore"},
                       "links": {"not_found": "warn", "anchors": "warn", "unrecognized_links": "warn", "absolute_links": "warn"}},
        "nav": nav}


SLUG = "slugify of pymdownx"


def serve_search():
    """Has the search's worker start from a file. A browser starts no worker from one, but from text; Material would fetch a script for
    this from elsewhere."""
    worker = next(HTML.glob("assets/javascripts/workers/search.*.js"))
    text = json.dumps(worker.read_text(encoding="utf-8")).replace("</", "<\\/")
    (HTML / "assets/javascripts/worker.js").write_text(
        'if (location.protocol === "file:") {\n'
        f"  const text = {text};\n"
        "  const Native = window.Worker;\n"
        '  window.Worker = class extends Native { constructor() { super(URL.createObjectURL(new Blob([text]))); } };\n}\n')
    for page in HTML.rglob("*.html"):
        up = "../" * (len(page.relative_to(HTML).parts) - 1)
        page.write_text(page.read_text(encoding="utf-8").replace("https://unpkg.com/iframe-worker/shim", f"{up}assets/javascripts/worker.js"),
                        encoding="utf-8")


def foreign():
    """Resources of the pages that a browser would fetch from elsewhere."""
    for page in sorted(HTML.rglob("*.html")):
        for url in re.findall(r"<(?:script|img|iframe)\b[^>]*\bsrc=\"?(https?:[^\" >]+)|<link\b(?=[^>]*stylesheet)[^>]*\bhref=\"?(https?:[^\" >]+)",
                              page.read_text(encoding="utf-8")):
            yield f"{page.relative_to(HTML)}: {url[0] or url[1]}"


def main():
    for command in (["scripts/run/setup.sh", "site"], ["scripts/run/environment.sh", ENVIRONMENT, "scripts/pages/website.txt"]):
        if subprocess.run(command, cwd=ROOT).returncode:
            sys.exit(2)
    pages = collect()
    # JSON is YAML, but for the one function.
    text = json.dumps(config(pages), indent=1).replace(
        f'"{SLUG}"', '!!python/object/apply:pymdownx.slugs.slugify {kwds: {case: lower}}')
    (WORK / "mkdocs.yml").write_text(text)
    shutil.rmtree(HTML, ignore_errors=True)
    done = subprocess.run([ENVIRONMENT / "bin/mkdocs", "build", "--strict", "--quiet", "-f", WORK / "mkdocs.yml"], cwd=WORK,
                          env=os.environ | {"NO_MKDOCS_2_WARNING": "1"}, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        sys.exit(done.stdout.rstrip())
    serve_search()
    wrong = list(foreign())
    if wrong:
        sys.exit("\n".join(f"not from here: {url}" for url in wrong))
    print(f"{len(pages)} pages: build/site/html/index.html")


if __name__ == "__main__":
    main()
