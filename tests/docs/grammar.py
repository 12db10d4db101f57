"""A recognizer for the EBNF of the documentation, independent of the reader.

It follows all alternatives at once (a set of places per rule), so that ambiguity does not matter. For short texts only.
"""

from __future__ import annotations

import re
from collections.abc import Callable

Places = frozenset[int]
Parser = Callable[[int], Places]
_TOKEN = re.compile(
    r"""\s*(?:(?P<string>"(?:[^"\\]|\\.)*"|'[^']*')|(?P<set>\[(?:[^\]\\]|\\.)+\])|(?P<word>\w+)|(?P<sign>[()|*+?&]))"""
)


class Grammar:
    """Rules as ``name ::= expression``, one per line."""

    def __init__(self, text: str) -> None:
        self.rules = dict(re.findall(r"^(\w+)\s*::=\s*(.+)$", text, re.MULTILINE))
        named = {word for body in self.rules.values() for word in _words(body)}
        assert named - {"EOF"} <= set(self.rules), f"rules that are used but not defined: {named - set(self.rules)}"
        self.unused = set(self.rules) - named

    def accepts(self, rule: str, text: str) -> bool:
        """Whether the whole text is one `rule`."""
        return len(text) in _Run(self.rules, text).rule(rule)(0)


def _words(body: str) -> list[str]:
    return [match["word"] for match in _TOKEN.finditer(body) if match["word"]]


class _Run:
    """The grammar over one text. Each rule is parsed once per place."""

    def __init__(self, rules: dict[str, str], text: str) -> None:
        self.rules = rules
        self.text = text
        self.parsers: dict[str, Parser] = {}

    def rule(self, name: str) -> Parser:
        if name == "EOF":
            return lambda at: frozenset({at} if at == len(self.text) else ())
        if name not in self.parsers:
            results: dict[int, Places] = {}
            inner: list[Parser] = []

            def parse(at: int) -> Places:
                if at not in results:
                    results[at] = inner[0](at)
                return results[at]

            self.parsers[name] = parse
            tokens = [match for match in _TOKEN.finditer(self.rules[name]) if match[0].strip()]
            inner.append(self.choice(tokens))
            assert not tokens, f"{name}: cannot parse {tokens[0][0]!r}"
        return self.parsers[name]

    def choice(self, tokens: list[re.Match[str]]) -> Parser:
        choices = [self.sequence(tokens)]
        while tokens and tokens[0]["sign"] == "|":
            tokens.pop(0)
            choices.append(self.sequence(tokens))
        return lambda at: frozenset().union(*(choice(at) for choice in choices))

    def sequence(self, tokens: list[re.Match[str]]) -> Parser:
        parts: list[Parser] = []
        while tokens and tokens[0]["sign"] not in ("|", ")"):
            parts.append(self.item(tokens))

        def parse(at: int) -> Places:
            places: Places = frozenset({at})
            for part in parts:
                places = frozenset().union(*(part(place) for place in places))
            return places

        return parse

    def item(self, tokens: list[re.Match[str]]) -> Parser:
        token = tokens.pop(0)
        if token["sign"] == "&":
            ahead = self.item(tokens)
            return lambda at: frozenset({at} if ahead(at) else ())
        if token["sign"] == "(":
            part = self.choice(tokens)
            assert tokens.pop(0)["sign"] == ")"
        elif token["word"]:
            name = token["word"]

            def part(at: int) -> Places:
                return self.rule(name)(at)
        else:
            part = self.terminal(token)
        while tokens and tokens[0]["sign"] in ("*", "+", "?"):
            part = _repeated(part, tokens.pop(0)["sign"])
        return part

    def terminal(self, token: re.Match[str]) -> Parser:
        if token["set"]:
            pattern = re.compile(token["set"])
        else:
            pattern = re.compile(
                re.escape(re.sub(r"\\(.)", lambda match: {"n": "\n"}.get(match[1], match[1]), token["string"][1:-1]))
            )

        def parse(at: int) -> Places:
            match = pattern.match(self.text, at)
            return frozenset({match.end()} if match else ())

        return parse


def _repeated(part: Parser, sign: str) -> Parser:
    def parse(at: int) -> Places:
        found: set[int] = set() if sign == "+" else {at}
        new = {at}
        while new:
            new = set().union(*(part(place) for place in new)) - found
            found |= new
            if sign == "?":
                break
        return frozenset(found)

    return parse
