"""What the page of quarrels shows, as plain values in one language."""

from __future__ import annotations

import functools
import threading
from dataclasses import dataclass, replace

from inkeek.records import RuleSet
from inkeek.records.drawing.svg import Highlights
from inkeek.records.findings import find, find_since
from inkeek.records.language import Language
from inkeek.records.notation.movetext import cite_moves
from inkeek.records.rules.ruleset import format_value
from inkeek.service.http.language import gettext

from .quarrels import QUARRELS, Quarrel
from .view import BoardPicture, FindingView, board_now, finding_view

MAX_ACCOUNTS = 3
LEAST = 0.01  # the probability from which an account is shown
_lock = threading.Lock()


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
    finding: FindingView
    advice: str


@functools.cache
def _finding(quarrel_id: str, language_id: str) -> FindingView:
    quarrel = next(quarrel for quarrel in QUARRELS if quarrel.id == quarrel_id)
    rules, evidence = quarrel.rules, quarrel.evidence
    if quarrel.since:
        found = find_since(rules, evidence.before, quarrel.moves, evidence, language_id)
        cited = cite_moves(evidence.before, quarrel.moves)
    else:
        found, cited = find(rules, evidence, language=language_id), []
    view = finding_view(rules, found, evidence, language_id, cited)
    shown = zip(view.accounts, found.accounts[:MAX_ACCOUNTS], strict=False)
    accounts = tuple(one for one, account in shown if account is found.accounts[0] or account.probability >= LEAST)
    return replace(view, accounts=accounts)


def quarrel_finding(quarrel: Quarrel, language: Language) -> FindingView:
    """What is found of a quarrel, with the accounts that count; worked out once in each language."""
    with _lock:  # many who ask at once wait for one
        return _finding(quarrel.id, language.id)


def quarrel_views(language: Language) -> list[QuarrelView]:
    """All quarrels, in a language that gettext speaks too."""
    return [_view(quarrel, language) for quarrel in QUARRELS]


def _view(quarrel: Quarrel, language: Language) -> QuarrelView:
    evidence = quarrel.evidence
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
        finding=quarrel_finding(quarrel, language),
        advice=gettext(quarrel.advice),
    )


def game_text(info: RuleSet, quarrel: Quarrel) -> str:
    """The game with the options that are not as usual."""
    options = " ".join(f"{name}={format_value(value)}" for name, value in quarrel.options.items())
    return f"{info.name} ({options})" if options else info.name
