"""The quarrels of docs/quarrels.md, and what is found of them."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from inkeek.records.language import load_language
from inkeek.records.rules.ruleset import format_value
from inkeek.service.http.web.findings.quarrels import QUARRELS, Quarrel, game_text, quarrel_finding
from inkeek.service.http.web.findings.view import AccountView

ENGLISH = load_language("en")


def quarrels_page(_: str) -> str:
    """All quarrels with their findings."""
    return "\n".join(line for quarrel in QUARRELS for line in quarrel_lines(quarrel))


def command(quarrel: Quarrel) -> str:
    """The command that answers with this finding."""
    evidence, options = quarrel.evidence, quarrel.options
    words = ["inkeek", "finding", "--game", quarrel.game]
    words += [word for name, value in options.items() for word in ("-o", f"{name}={format_value(value)}")]
    if quarrel.before:
        words += ["--position", str(evidence.before)]
    words += ["--board", quarrel.lies]
    if quarrel.claimed:
        words += ["--claimed", quarrel.claimed]
    if quarrel.since:
        words += ["--moves", quarrel.since]
    return shlex.join(words)


def quarrel_lines(quarrel: Quarrel) -> Iterator[str]:
    """A quarrel with its finding."""
    found = quarrel_finding(quarrel, ENGLISH)
    yield from (f"## {quarrel.title}", "", quarrel.story, "")
    yield f"* Game: {game_text(quarrel.rules.info, quarrel)}"
    yield f"* Before: `{quarrel.evidence.before}`" + (f", after `{quarrel.played}`" if quarrel.played else "")
    yield f"* Now: `{quarrel.lies}`"
    if quarrel.claimed or quarrel.since:
        yield f"* Written: `{quarrel.since or quarrel.claimed}`"
    if not quarrel.played:  # the command knows no turn before
        yield from ("", f"    {command(quarrel)}")
    yield from ("", f"**{found.verdict}**", "")
    for number, account in enumerate(found.accounts, 1):
        yield f"{number}. {account_text(account)}"
    yield from ("", f"*What you may do:* {quarrel.advice}", "")


def account_text(account: AccountView) -> str:
    """An account in words, with sentences if it is one of the likeliest; its probability in words too, because numbers
    change with every rate that is corrected."""
    equal = ", as likely as the one before" if account.account.equal else ""
    kinds = ", ".join(f"`{kind}`" for kind in account.account.kinds)
    head = f"{account.share[0].upper()}{account.share[1:]}{equal} ({kinds})"
    if not account.is_likeliest:
        return f"{head}."
    turn = f"turn {account.cited}: " if account.cited else ""
    distinction = f" *To tell it from the next:* {account.distinction}" if account.distinction else ""
    sentences = " ".join(filter(None, (*account.sentences, account.mend_sentence)))
    return f"{head}: {turn}{sentences}{distinction}"


PARTS = {"quarrels": quarrels_page}
