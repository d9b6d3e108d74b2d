# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""Pieces of a page in HTML that needs no other file: sections, tables, plots by gnuplot."""

import html
import pathlib
import re
import shutil
import subprocess
import zlib

STYLE = pathlib.Path(__file__).resolve().parent / "style.css"


class Raw(str):
    """A text that is HTML already."""


def shown(value):
    """A value as HTML: numbers with separators, None as a dash."""
    if value is None:
        return "–"
    if isinstance(value, Raw):
        return value
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:,.1f}"
    return html.escape(str(value))


def tag(name, content, kind=""):
    return Raw(f"<{name}{f' class={kind!r}' if kind else ''}>{shown(content)}</{name}>")


def table(columns, rows):
    """A table; columns whose cells are numbers are aligned to the right."""
    rows = [list(row) for row in rows]
    numbers = [all(row[i] is None or isinstance(row[i], (int, float)) for row in rows) for i in range(len(columns))]
    def line(cell, values):
        return "<tr>" + "".join(tag(cell, value, "number" if number else "") for value, number in zip(values, numbers)) + "</tr>"
    body = "\n".join(line("td", row) for row in rows)
    return Raw(f'<div class="wide"><table><thead>{line("th", columns)}</thead><tbody>\n{body}\n</tbody></table></div>')


def folded(title, content):
    return Raw(f"<details><summary>{shown(title)}</summary>{shown(content)}</details>")


def section(name, title, *parts):
    return Raw(f'<section id="{name}"><h2>{shown(title)}</h2>\n' + "\n".join(map(shown, parts)) + "</section>\n")


def page(title, verdict, sections):
    """The whole page. `sections`: (name, title, parts) in their order; those without parts are left out."""
    links = "".join(f'<a href="#{name}">{shown(heading)}</a>' for name, heading, parts in sections if parts)
    body = "".join(section(name, heading, *parts) for name, heading, parts in sections if parts)
    return (f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{shown(title)}</title>\n'
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            f"<style>\n{STYLE.read_text(encoding='utf-8')}</style></head><body>\n<h1>{shown(title)}</h1>\n{verdict}\n"
            f"<nav>{links}</nav>\n{body}</body></html>\n")


def label(text):
    """A text that gnuplot cannot take for anything else."""
    return re.sub(r"[^\w .:/%+-]", "?", text)


def plot(commands, data, width=560, height=280):
    """An SVG by gnuplot: `commands` plot $data, the lines of `data`. None: there is no gnuplot here."""
    gnuplot = shutil.which("gnuplot")
    if not gnuplot:
        return None
    script = (f"set terminal svg noenhanced size {width},{height} dynamic font 'DejaVu Sans,12' background '#ffffff'\n"
              "set border 3 lc '#5b6675'\nset tics nomirror\nset grid y lc '#d9dee5'\n"
              "$data << EOD\n" + "\n".join(data) + "\nEOD\n" + commands + "\n")
    done = subprocess.run([gnuplot, "-"], input=script, text=True, capture_output=True)
    if done.returncode or "<svg" not in done.stdout:
        raise RuntimeError(f"gnuplot cannot draw a plot: {done.stderr.strip()}")
    svg = done.stdout[done.stdout.index("<svg"):]
    # Names within one plot are not those of the next one.
    prefix = f"p{zlib.crc32(script.encode()):08x}_"
    svg = re.sub(r"\bid='", f"id='{prefix}", svg)
    return Raw(re.sub(r"(href='#|url\(#)", rf"\g<1>{prefix}", svg))
