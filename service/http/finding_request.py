"""What is asked of a finding, by the API and by the page: checked, with the field that is wrong in each message."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from records import Move, Position, RecordsError, Rules, Turn, ruleset
from records.findings import Evidence, Finding, Reading, Seen, SeveralTurns
from records.findings.evidence import Count
from records.findings.evidence_text import pit_index, read_board
from records.findings.several_turns import MAX_MOVES
from records.position import MARK_LETTERS
from service.errors import ErrorText, Invalid
from service.processes.finder import FindingProcess

MIN_SPREAD, MAX_SPREAD = 0.01, 1000.0  # seeds
MAX_EARLIER = 100  # positions before


@dataclass(frozen=True)
class FindingRequest:
    """A question. With `moves`, it is about several turns since `evidence.before`."""

    rules: Rules
    evidence: Evidence
    moves: tuple[Move, ...]
    slips: int | None
    language: str

    def answer(self, finder: FindingProcess, *, known: bool) -> Finding | SeveralTurns:
        """Find what happened. `known`: the caller has a key."""
        if self.moves:
            return finder.find_since(
                self.rules, self.evidence.before, self.moves, self.evidence, self.language, known=known
            )
        return finder.find(self.rules, self.evidence, self.slips, self.language, known=known)


def read_request(sent: Mapping[str, Any]) -> FindingRequest:
    """Read a question, in the form of the body of ``POST /findings``; all of its fields are there.

    :raises Invalid: something cannot be; names the field.
    """
    rules, before = read_rules(sent["game"], sent["options"], sent["position"], sent["seeds"])
    if sent["moves"] is not None:
        _refuse_with_moves(sent)
    counts, marks = _read_board(sent, before)
    claimed = None if sent["claimed"] is None else _read_move("claimed", sent["claimed"])
    evidence = Evidence(
        before=before,
        counts=counts,
        marks=marks,
        hand=sent["hand"],
        claimed=claimed,
        captured=_captured(sent["captured"], claimed, before),
        seen=tuple(_read_seen(sent["seen"], before)),
        seen_all=sent["seen_all"],
        previous=_read_previous(rules, sent["previous"], before),
        earlier=tuple(_read_position(f"earlier.{at}", text, rules) for at, text in enumerate(sent["earlier"])),
    )
    with field("board" if sent["counts"] is None else "counts"):
        evidence.verify()
    moves = [_read_move(f"moves.{at}", text) for at, text in enumerate(sent["moves"] or ())]
    return FindingRequest(rules, evidence, tuple(moves), sent["slips"], sent["language"])


def read_rules(
    game: str, options: Mapping[str, Any], position: str | None, seeds: int | None
) -> tuple[Rules, Position]:
    """The rules, for a game set up with so many `seeds`, and the position: by default the set-up.

    :raises Invalid: they do not fit together.
    """
    with field("game" if not options else "options"):
        rules = ruleset(game, **options)
    if position is None:
        return rules, rules.start()
    with field("position"):
        before = Position.parse(position)
        if before.row == rules.row and before.seeds == seeds:
            rules = rules.starting_from(before)
        rules.verify_position(before)
    return rules, before


@contextmanager
def field(name: str) -> Iterator[None]:
    """Errors of `records` within name the field that they are about.

    :raises Invalid: instead of them.
    """
    try:
        yield
    except RecordsError as error:
        raise Invalid(ErrorText("%(field)s: %(error)s", field=name, error=error)) from error


def _refuse_with_moves(sent: Mapping[str, Any]) -> None:
    if not 0 < len(sent["moves"]) <= MAX_MOVES:
        count = len(sent["moves"])
        raise Invalid(ErrorText("moves has %(count)s moves. Expected 1 to %(most)s.", count=count, most=MAX_MOVES))
    for name in ("claimed", "captured", "previous", "slips"):
        if sent[name] is not None:
            raise Invalid(f"{name} is about one turn, and moves has {len(sent['moves'])}. Send one of them.")


def _read_board(sent: Mapping[str, Any], before: Position) -> tuple[tuple[Count, ...], tuple[int | None, ...] | None]:
    if (sent["board"] is None) == (sent["counts"] is None):
        raise Invalid("Expected what lies there now as board or as counts, one of them.")
    if sent["board"] is not None:
        for name in ("spreads", "marks"):
            if sent[name] is not None:
                raise Invalid(f"{name} goes with counts, and board is {sent['board'][:40]!r}. Send counts instead.")
        with field("board"):
            return read_board(sent["board"], before)
    marks = None
    if sent["marks"] is not None:
        marks = tuple(None if mark is None else MARK_LETTERS.index(mark) for mark in sent["marks"])
    spreads = sent["spreads"] or [None] * len(sent["counts"])
    if len(spreads) != len(sent["counts"]):
        raise Invalid(f"spreads has {len(spreads)} values, and counts has {len(sent['counts'])}. Send as many.")
    return tuple(_count(at, *pair) for at, pair in enumerate(zip(sent["counts"], spreads, strict=True))), marks


def _count(at: int, count: float | None, spread: float | None) -> Count:
    if count is None or spread is not None:
        return None if count is None else Reading(count, spread or MIN_SPREAD)
    if count < 0 or count != int(count):
        raise Invalid(f"counts.{at} is {count:g}. Expected a whole number of seeds, or its spread in spreads.{at}.")
    return int(count)


def _read_move(name: str, text: str) -> Move:
    with field(name):
        return Move.parse(text)


def _read_position(name: str, text: str, rules: Rules) -> Position:
    with field(name):
        position = Position.parse(text)
        rules.verify_position(position)
    return position


def _captured(sent: Sequence[int] | None, claimed: Move | None, before: Position) -> tuple[int, int] | None:
    """The captures that are claimed: those of the move, by its side and by the other, unless they are given."""
    if sent is not None:
        return sent[0], sent[1]
    if claimed is None or claimed.captured is None:
        return None
    own, other = claimed.captured
    return (own, other) if before.to_move == 0 else (other, own)


def _read_seen(sent: Sequence[Mapping[str, str]], before: Position) -> Iterator[Seen]:
    for at, one in enumerate(sent):
        with field(f"seen.{at}.pit"):
            yield Seen(one["kind"], pit_index(one["pit"], before))


def _read_previous(rules: Rules, sent: Mapping[str, str] | None, before: Position) -> Turn | None:
    """The turn before, which must lead to the position.

    :raises Invalid: it does not.
    """
    if sent is None:
        return None
    position = _read_position("previous.position", sent["position"], rules)
    with field("previous.move"):
        turn = rules.play(position, Move.parse(sent["move"]))
    if turn.position != before:
        raise Invalid(
            ErrorText(
                "previous: %(move)r leads to %(position)s. The position is %(before)s.",
                move=sent["move"][:40],
                position=turn.position,
                before=before,
            )
        )
    return turn
