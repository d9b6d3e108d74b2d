#!/usr/bin/env python3
# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""completions.py MUSTER FOLDER: what shells and man know of the program, from what its --help says.

Leaves muster.bash, _muster (zsh), muster.fish and muster.1 in the folder. So an option stands in the program, and nowhere else.
"""

import pathlib
import re
import subprocess
import sys

OPTION = re.compile(r"^  (-\S+)(?: (\S.*?))?(?:  +(\S.*))?$")
PLACE = re.compile(r"^  (\w+)(?: (?:[A-Z]\S*|\.\.\.))*(?:  +(\S.*))?$")


class Help:
    """What one --help says: sentence, usage, options as (flags, value, text), subcommands and positionals as (name, text), the rest."""

    def __init__(self, muster, *command):
        text = subprocess.run([muster, *command, "--help"], capture_output=True, text=True, check=True).stdout
        self.sentence = text.splitlines()[0]
        self.options, self.subcommands, self.positionals, self.rest = [], [], [], []
        section = None
        for line in text.splitlines()[1:]:
            heading = re.fullmatch(r"([A-Z][\w ]*):", line)
            option, place = OPTION.match(line), PLACE.match(line)
            if line.startswith("Usage:"):
                self.usage = re.sub(r"^Usage: \S+", "muster", line)
            elif heading:
                section = heading[1]
            elif section and section not in ("Positionals", "Subcommands") and option:
                value = re.sub(r"( Needs:.*| REQUIRED|:.*)$", "", option[2] or "")
                self.options.append([option[1].split(","), value, option[3] or ""])
            elif section in ("Positionals", "Subcommands") and place:
                getattr(self, section.lower()).append([place[1], place[2] or ""])
            elif section and line.startswith("   "):  # goes on
                last = {"Positionals": self.positionals, "Subcommands": self.subcommands}.get(section, self.options)[-1]
                last[-1] = f"{last[-1]} {line.strip()}".strip()
            elif line.strip():
                section = None
                self.rest.append(line)


def names_file(value):
    return "FILE" in value or value == "PREFIX"


def flags(told):
    return [flag for names, _, _ in told.options for flag in names]


def bash(top, of):
    cases = "".join(f"    {name}) words='{' '.join(flags(told))}' ;;\n" for name, told in of.items())
    taking = {flag: value for told in of.values() for names, value, _ in told.options for flag in names if value}
    files = "|".join(sorted(flag for flag, value in taking.items() if names_file(value)))
    others = "|".join(sorted(flag for flag, value in taking.items() if not names_file(value)))
    return f"""# Completion of muster for bash. Written by scripts/run/completions.py.
_muster() {{
  local cur=${{COMP_WORDS[COMP_CWORD]}} prev=${{COMP_WORDS[COMP_CWORD-1]}} words='{' '.join([*of, *flags(top)])}'
  case ${{COMP_WORDS[1]}} in
{cases}  esac
  ((COMP_CWORD > 1)) || words='{' '.join([*of, *flags(top)])}'
  COMPREPLY=()
  case $prev in
    {files}) mapfile -t COMPREPLY < <(compgen -f -- "$cur"); return ;;
    {others}) return ;;
  esac
  if [[ $cur == -* || $COMP_CWORD -eq 1 ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
  else
    mapfile -t COMPREPLY < <(compgen -f -- "$cur")
  fi
}}
complete -o filenames -F _muster muster
"""


def zsh(top, of):
    def quoted(text):
        return re.sub(r"([\[\]:])", r"\\\1", text.replace("'", "'\\''"))

    def argument(names, name, value, text):
        apart = f"({' '.join(names)})" if len(names) > 1 else ""
        taking = f":{value.split()[0].lower()}:{'_files' if names_file(value) else ''}" if value else ""
        return f"      '{apart}{name}[{quoted(text)}]{taking}' \\\n"

    def arguments(told):
        return "".join(argument(names, name, value, text) for names, value, text in told.options for name in names)
    commands = "".join(f"      '{name}:{quoted(told.sentence)}'\n" for name, told in of.items())
    cases = "".join(f"    {name}) _arguments \\\n{arguments(told)}      '*:file:_files' ;;\n" for name, told in of.items())
    return (f"#compdef muster\n# Completion of muster for zsh. Written by scripts/run/completions.py.\n_muster() {{\n  local -a commands\n"
            f"  if ((CURRENT == 2)); then\n    commands=(\n{commands}    )\n    _describe command commands\n"
            f"    _arguments \\\n{arguments(top)}      && return\n    return\n  fi\n"
            f"  local command=$words[2]\n  shift words\n  ((CURRENT--))\n  case $command in\n{cases}  esac\n}}\n_muster \"$@\"\n")


def fish(top, of):
    def quoted(text):
        return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"

    def option(names, value, text):
        parts = [f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in names]
        return " ".join([*parts, *(["-r" if names_file(value) else "-x"] if value else []), "-d", quoted(text)])
    lines = ["# Completion of muster for fish. Written by scripts/run/completions.py."]
    lines += [f"complete -c muster -n __fish_use_subcommand -f -a {name} -d {quoted(told.sentence)}" for name, told in of.items()]
    lines += [f"complete -c muster -n __fish_use_subcommand {option(*row)}" for row in top.options]
    lines += [f"complete -c muster -n '__fish_seen_subcommand_from {name}' {option(*row)}" for name, told in of.items() for row in told.options]
    return "\n".join(lines) + "\n"


def manual(top, of, version):
    def plain(text):
        return text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq")

    def rows(told):
        out = []
        for name, text in told.positionals:
            out += [".TP", f".I {name}", plain(text) or "."]
        for names, value, text in told.options:
            out += [".TP", ", ".join(f"\\fB{plain(name)}\\fR" for name in names) + (f" \\fI{plain(value)}\\fR" if value else ""), plain(text) or "."]
        for number, line in enumerate(told.rest):
            out += [*([".PP", ".nf"] if not number else []), plain(line)]
        return out + ([".fi"] if told.rest else [])
    lines = [f'.TH MUSTER 1 "" "Muster {version}" "User commands"', ".SH NAME", f"muster \\- {plain(top.sentence.removeprefix('Muster: '))}",
             ".SH SYNOPSIS", ".B muster", ".I subcommand", "[options]", ".SH OPTIONS", *rows(top)]
    for name, told in of.items():
        lines += [f'.SH "MUSTER {name.upper()}"', plain(told.sentence) + ".", ".PP", plain(told.usage), *rows(told)]
    return "\n".join(lines) + "\n"


def main():
    muster, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    top = Help(muster)
    of = {name: Help(muster, name) for name, _ in top.subcommands}
    version = subprocess.run([muster, "--version"], capture_output=True, text=True, check=True).stdout.split()[-1]
    for name, text in (("muster.bash", bash(top, of)), ("_muster", zsh(top, of)), ("muster.fish", fish(top, of)),
                       ("muster.1", manual(top, of, version))):
        (folder / name).write_text(text)


if __name__ == "__main__":
    main()
