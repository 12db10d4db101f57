"""What the page of quarrels shows, as plain values in one language."""

from __future__ import annotations

import functools
import threading
from collections.abc import Sequence
from dataclasses import dataclass

from records import RuleSet
from records.findings import Account, find
from records.findings.kinds import UNKNOWN
from records.findings.verdict import percent, share_words, verdict_sentence
from records.language import Language, load_language
from records.ruleset import RuleText, format_value
from service.http.language import gettext

from .finding_view import BoardPicture, board_now
from .quarrels import QUARRELS, Quarrel
from .svg import Highlights

MAX_ACCOUNTS = 3
LEAST = 0.01  # the probability from which an account is shown
_lock = threading.Lock()


@dataclass(frozen=True, slots=True)
class QuarrelAccount:
    """An account in sentences. `kinds` are those of `records.findings`; `ply` is the number of the turn, from 1, where
    several are examined."""

    share: str
    percent: str
    is_equal: bool
    kinds: tuple[str, ...]
    sentences: tuple[str, ...]
    distinction: str
    ply: int | None = None


@dataclass(frozen=True, slots=True)
class QuarrelFinding:
    """What was found, apart from any page."""

    verdict: str
    accounts: tuple[QuarrelAccount, ...]
    rule: RuleText | None


@dataclass(frozen=True, slots=True)
class QuarrelView:
    """A quarrel on the page."""

    id: str
    title: str
    story: str
    game: str
    written: str
    before: BoardPicture
    now: BoardPicture
    finding: QuarrelFinding
    rule: str
    advice: str


@functools.cache
def _finding(quarrel_id: str, language_id: str) -> QuarrelFinding:
    quarrel = next(quarrel for quarrel in QUARRELS if quarrel.id == quarrel_id)
    language, evidence = load_language(language_id), quarrel.evidence
    if quarrel.since:
        since = quarrel.find_since(language_id)
        verdict = language.text("findings.verdict.agreed", agreed=since.agreed, count=len(quarrel.moves))
        if not since.agreed:
            verdict = language.text("findings.verdict.agreed-none")
        accounts = [one.account for one in since.accounts]
        plies = [None if one.ply is None else one.ply + 1 for one in since.accounts]
        return QuarrelFinding(verdict, _accounts(accounts, plies, language), accounts[0].rule)
    found = find(quarrel.rules, evidence, language=language_id)
    verdict = verdict_sentence(found, evidence, language)
    shown = _accounts(found.accounts, [None] * len(found.accounts), language)
    return QuarrelFinding(verdict, shown, found.accounts[0].rule)


def quarrel_finding(quarrel: Quarrel, language: Language) -> QuarrelFinding:
    """What is found of a quarrel; worked out once in each language."""
    with _lock:  # many who ask at once wait for one
        return _finding(quarrel.id, language.id)


def _accounts(
    accounts: Sequence[Account], plies: Sequence[int | None], language: Language
) -> tuple[QuarrelAccount, ...]:
    """The accounts that count, at most `MAX_ACCOUNTS`."""
    following = [*accounts[1:], None]
    return tuple(
        QuarrelAccount(
            share=share_words(account.probability, language),
            percent=percent(account.probability),
            is_equal=account.equal,
            kinds=account.kinds,
            sentences=account.sentences,
            distinction=account.distinction if after is not None and after.kind != UNKNOWN else "",
            ply=ply,
        )
        for account, after, ply in list(zip(accounts, following, plies, strict=True))[:MAX_ACCOUNTS]
        if account is accounts[0] or account.probability >= LEAST
    )


def quarrel_views(language: Language) -> list[QuarrelView]:
    """All quarrels, in a language that gettext speaks too."""
    return [_view(quarrel, language) for quarrel in QUARRELS]


def _view(quarrel: Quarrel, language: Language) -> QuarrelView:
    evidence, finding = quarrel.evidence, quarrel_finding(quarrel, language)
    move = evidence.claimed
    start = None if move is None else move.pit_index(evidence.before.row)
    before = BoardPicture(evidence.before, gettext("The board before"), Highlights(start=start))
    return QuarrelView(
        id=quarrel.id,
        title=gettext(quarrel.title),
        story=gettext(quarrel.story),
        game=game_text(quarrel.rules.info, quarrel),
        written=quarrel.since or quarrel.claimed,
        before=before,
        now=board_now(evidence, gettext("The board now")),
        finding=finding,
        rule="" if finding.rule is None else gettext(finding.rule.says),
        advice=gettext(quarrel.advice),
    )


def game_text(info: RuleSet, quarrel: Quarrel) -> str:
    """The game with the options that are not as usual."""
    options = " ".join(f"{name}={format_value(value)}" for name, value in quarrel.options.items())
    return f"{info.name} ({options})" if options else info.name
