"""The EBNF of the documentation as a recognizer, independent of the reader: Lark parses with it.

A rule that does not contain itself becomes a terminal of Lark, which is a regular expression; the others stay rules.
"""

from __future__ import annotations

import re
from functools import cache

from lark import Lark
from lark.exceptions import UnexpectedInput

_TOKEN = re.compile(
    r"""\s*(?:(?P<string>"(?:[^"\\]|\\.)*"|'[^']*')|(?P<set>\[(?:[^\]\\]|\\.)+\])|(?P<word>\w+)|(?P<sign>[()|*+?&]))"""
)


class Grammar:
    """Rules as ``name ::= expression``, one per line."""

    def __init__(self, text: str) -> None:
        self._rules = {
            name: [match for match in _TOKEN.finditer(body) if match[0].strip()]
            for name, body in re.findall(r"^(\w+)\s*::=\s*(.+)$", text, re.MULTILINE)
        }
        self._used = {name: {token["word"] for token in body if token["word"]} for name, body in self._rules.items()}
        named = set().union(*self._used.values())
        assert named - {"EOF"} <= set(self._rules), f"rules that are used but not defined: {named - set(self._rules)}"
        self.unused = set(self._rules) - named
        recursive = {name for name in self._rules if name in self._reached(name)}
        self._nested = {name for name in self._rules if ({name} | self._reached(name)) & recursive}
        lines = [f"{name}: {self._as_lark(name)}" for name in sorted(self._nested)]
        lines += [
            f"{name.upper()}: {_lark_pattern(self._as_pattern(name))}"
            for name in sorted(set(self._rules) - self._nested)
            if any(name in self._used[user] for user in self._nested)
        ]
        self._lark = Lark("\n".join(lines), start=sorted(self._nested), parser="earley", lexer="dynamic")

    def accepts(self, rule: str, text: str) -> bool:
        """Whether the whole text is one `rule`."""
        if rule not in self._nested:
            return re.fullmatch(self._as_pattern(rule), text) is not None
        try:
            self._lark.parse(text, start=rule)
        except UnexpectedInput:
            return False
        return True

    def _reached(self, name: str) -> set[str]:
        """The rules that a rule uses, and those that these use."""
        reached: set[str] = set()
        waiting = {name}
        while waiting:
            used = self._used.get(waiting.pop(), set()) - reached
            reached |= used
            waiting |= used
        return reached

    def _as_lark(self, name: str) -> str:
        parts = []
        for token in self._rules[name]:
            assert token["sign"] != "&", f"{name}: Lark looks ahead in terminals only"
            word = token["word"]
            literal = _lark_pattern(_literal(token)) if token["string"] or token["set"] else ""
            parts.append(literal or token["sign"] or (word if word in self._nested else word.upper()))
        return " ".join(parts)

    @cache  # noqa: B019 - there is one grammar
    def _as_pattern(self, name: str) -> str:
        """A regular expression for a rule that does not contain itself."""
        if name == "EOF":
            return r"\Z"
        parts: list[str] = []
        ahead = False
        for token in self._rules[name]:
            if token["sign"] == "&":
                ahead = True
            elif token["sign"] == "(":
                parts.append("(?=" if ahead else "(?:")
                ahead = False
            elif token["sign"]:
                parts.append(token["sign"])
            else:
                body = self._as_pattern(token["word"]) if token["word"] else _literal(token)
                parts.append(f"(?{'=' if ahead else ':'}{body})")
                ahead = False
        return "".join(parts)


def _lark_pattern(pattern: str) -> str:
    return "/" + pattern.replace("/", r"\x2f") + "/"


def _literal(token: re.Match[str]) -> str:
    if token["set"]:
        return token["set"]
    text = re.sub(r"\\(.)", lambda match: {"n": "\n"}.get(match[1], match[1]), token["string"][1:-1])
    return re.escape(text).replace("\n", "n")
