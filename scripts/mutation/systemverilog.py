# Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
"""SystemVerilog as tokens, none of which is lost: blanks, comments and directives stay before the token that they precede."""

import re

TOKEN = re.compile(r"""
    (?P<gap>(?:\s|//[^\n]*|/\*.*?\*/)+)
  | (?P<directive>`(?:include|define|ifdef|ifndef|else|elsif|endif|undef|default_nettype|timescale)\b[^\n]*)
  | (?P<string>"(?:[^"\\]|\\.)*")
  | (?P<number>\d[\d_]*\s*'s?[bdohBDOH][\da-fA-F_xzXZ?]+|'s?[bdohBDOH][\da-fA-F_xzXZ?]+|'[01xz](?!\w)|\d[\d_]*)
  | (?P<name>[`$]?[A-Za-z_]\w*)
  | (?P<sign><<<=|>>>=|<<<|>>>|===|!==|==\?|!=\?|<<=|>>=|->>|\|->|\|=>|&&|\|\||==|!=|<=|>=|<<|>>|\+:|-:|\+=|-=|\*=|/=
      |%=|&=|\|=|\^=|\+\+|--|~&|~\||~\^|\^~|::|\*\*|->|'\{|'\(|@\*|[-+*/%&|^~!<>=?:;,.(){}\[\]#@'])
""", re.VERBOSE | re.DOTALL)
OPENS = {"(": ")", "[": "]", "{": "}", "'{": "}", "'(": ")"}
BLANKS = re.compile(r"\s+|//[^\n]*|/\*.*?\*/|`(?:ifdef|ifndef|else|endif|include)[^\n]*", re.DOTALL)


class SyntaxProblem(Exception):
    """The text is not what this reads."""


class Tokens:
    """A text as a list of tokens, each with the blanks and comments before it."""

    def __init__(self, text, path):
        self.path = path
        self.items = []  # (kind, text, blanks before it, line)
        at, line, gap = 0, 1, ""
        while at < len(text):
            match = TOKEN.match(text, at)
            if not match:
                raise SyntaxProblem(f"{path}:{line}: cannot read {text[at:at + 20]!r}")
            if match.lastgroup in ("gap", "directive"):
                gap += match[0]
            else:
                self.items.append((match.lastgroup, match[0], gap, line))
                gap = ""
            line += match[0].count("\n")
            at = match.end()
        self.items.append(("end", "", gap, line))
        self.at = 0

    def peek(self, ahead=0):
        return self.items[min(self.at + ahead, len(self.items) - 1)][1]

    def kind(self, ahead=0):
        return self.items[min(self.at + ahead, len(self.items) - 1)][0]

    @property
    def line(self):
        return self.items[self.at][3]

    def take(self, wanted=None):
        """The next token with the blanks before it."""
        _, text, gap, line = self.items[self.at]
        if wanted is not None and text != wanted:
            raise SyntaxProblem(f"{self.path}:{line}: {text!r}, not {wanted!r}")
        if self.at == len(self.items) - 1:
            raise SyntaxProblem(f"{self.path}:{line}: the text ends")
        self.at += 1
        return gap + text

    def balanced(self):
        """A bracket and all up to its counterpart."""
        closing = OPENS[self.peek()]
        text = self.take()
        while self.peek() != closing:
            text += self.balanced() if self.peek() in OPENS else self.take()
        return text + self.take()

    def until(self, *ends):
        """All up to one of these tokens outside brackets, and that one."""
        text = ""
        while self.peek() not in ends:
            text += self.balanced() if self.peek() in OPENS else self.take()
        return text + self.take()


def split_gap(text):
    """The blanks and comments before a text, and the text."""
    at = 0
    while match := BLANKS.match(text, at):
        at = match.end()
    return text[:at], text[at:]
