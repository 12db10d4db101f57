"""What is asked of a finding, by the API and by the page: checked, with the field that is wrong in each message."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from inkeek.records import Move, Position, RecordsError, Rules, Turn, ruleset
from inkeek.records.errors import EvidenceError
from inkeek.records.findings import Evidence, Finding, Reading, Seen, find, find_since
from inkeek.records.findings.engine import MAX_MOVES
from inkeek.records.findings.evidence import (
    Count,
    claimed_captures,
    pit_index,
    read_board,
    verify_evidence,
    verify_moves,
)
from inkeek.records.position import MARK_LETTERS
from inkeek.service.errors import Invalid
from inkeek.service.http.context import find_ruleset
from inkeek.service.processes.places import Sender
from inkeek.service.processes.workers.calculator import Calculator

MIN_SPREAD, MAX_SPREAD = 0.01, 1000.0  # seeds
FAR = 5  # spreads beyond what any place can hold: no reading, but a mistake of who sent it
MAX_EARLIER = 100  # positions before
MAX_QUESTION = 64 << 10  # bytes of a question, earlier positions and all


@dataclass(frozen=True)
class FindingRequest:
    """A question. With `moves`, it is about several turns since `evidence.before`."""

    rules: Rules
    evidence: Evidence
    moves: tuple[Move, ...]
    slips: int | None
    language: str

    def answer(self, findings: Calculator, sender: Sender) -> Finding:
        """Find what happened."""
        rules, evidence, language = self.rules, self.evidence, self.language
        found: Finding
        if self.moves:
            found = findings.call(find_since, rules, evidence.before, self.moves, evidence, language, sender=sender)
        else:
            found = findings.call(find, rules, evidence, self.slips, language, sender=sender)
        return found


def read_request(sent: Mapping[str, Any]) -> FindingRequest:
    """Read a question, in the form of the body of ``POST /findings``; all of its fields are there.

    :raises Invalid: a value is impossible; names the field.
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
        captured=_read_captured(sent["captured"], claimed, before),
        seen=tuple(_read_seen(sent["seen"], before)),
        seen_all=sent["seen_all"],
        previous=_read_previous(rules, sent["previous"], before),
        earlier=tuple(_read_position(f"earlier.{at}", text, rules) for at, text in enumerate(sent["earlier"])),
    )
    moves = [_read_move(f"moves.{at}", text) for at, text in enumerate(sent["moves"] or ())]
    try:
        verify_evidence(rules, evidence)
        verify_moves(rules, before, moves)
    except EvidenceError as error:
        name, fault = error.faults[0]
        raise Invalid("%(field)s: %(error)s", field=_sent_name(name, sent), error=fault) from error
    return FindingRequest(rules, evidence, tuple(moves), sent["slips"], sent["language"])


def read_rules(
    game: str, options: Mapping[str, Any], position: str | None, seeds: int | None
) -> tuple[Rules, Position]:
    """The rules, for a game set up with `seeds` seeds, and the position: by default the set-up.

    :raises Invalid: they do not fit together.
    """
    try:
        rules = ruleset(find_ruleset(game), **options)
    except RecordsError as error:
        named = "options" if options else "game"
        raise Invalid("%(code)s: %(error)s", field=error.field or named, code=named, error=error) from error
    if position is None:
        if seeds is not None:
            raise Invalid("seeds is %(seeds)s, and there is no position. Send that, too.", field="seeds", seeds=seeds)
        return rules, rules.start()
    with field("position"):
        before = Position.parse(position)
        if before.row == rules.row and before.seeds == seeds:
            rules = rules.starting_from(before)
        rules.verify_position(before)
    if seeds is not None and seeds != before.seeds:
        raise Invalid(
            "seeds is %(seeds)s: the position has %(wanted)s.", field="seeds", seeds=seeds, wanted=before.seeds
        )
    return rules, before


def _sent_name(name: str, sent: Mapping[str, Any]) -> str:
    """The name by which this field of the evidence was sent."""
    if name in ("counts", "marks") and sent["board"] is not None:
        return "board"
    if name == "captured" and sent["captured"] is None:
        return "claimed"
    return name


@contextmanager
def field(name: str) -> Iterator[None]:
    """Errors of `records` within name the field that they are about.

    :raises Invalid: instead of them.
    """
    try:
        yield
    except RecordsError as error:
        raise Invalid("%(field)s: %(error)s", field=name, error=error) from error


def _refuse_with_moves(sent: Mapping[str, Any]) -> None:
    if not sent["moves"]:
        raise Invalid(
            "moves is empty. Expected 1 to %(most)s moves, or no moves at all.", field="moves", most=MAX_MOVES
        )
    if len(sent["moves"]) > MAX_MOVES:
        count = len(sent["moves"])
        raise Invalid("moves has %(count)s moves. Expected 1 to %(most)s.", field="moves", count=count, most=MAX_MOVES)
    for name in ("claimed", "captured", "previous", "slips"):
        if sent[name] is not None:
            raise Invalid(
                "%(field)s is about one turn, and moves has %(moves)s. Send one of them.",
                field=name,
                moves=len(sent["moves"]),
            )


def _read_board(sent: Mapping[str, Any], before: Position) -> tuple[tuple[Count, ...], tuple[int | None, ...] | None]:
    if (sent["board"] is None) == (sent["counts"] is None):
        raise Invalid("Expected what lies there now as board or as counts, one of them.")
    if sent["board"] is not None:
        for name in ("spreads", "marks"):
            if sent[name] is not None:
                raise Invalid(
                    "%(field)s goes with counts, and board is %(board)r. Send counts instead.",
                    field=name,
                    board=sent["board"][:40],
                )
        with field("board"):
            return read_board(sent["board"], before)
    marks = None
    if sent["marks"] is not None:
        marks = tuple(None if mark is None else MARK_LETTERS.index(mark) for mark in sent["marks"])
    spreads = sent["spreads"] or [None] * len(sent["counts"])
    if len(spreads) != len(sent["counts"]):
        raise Invalid(
            "spreads has %(spreads)s values, and counts has %(counts)s. Send as many.",
            field="spreads",
            spreads=len(spreads),
            counts=len(sent["counts"]),
        )
    pairs = enumerate(zip(sent["counts"], spreads, strict=True))
    return tuple(_count(at, *pair, before.seeds) for at, pair in pairs), marks


def _count(at: int, count: float | None, spread: float | None, seeds: int) -> Count:
    if count is None:
        return None
    if spread is not None:
        if not -FAR * spread <= count <= seeds + FAR * spread:
            raise Invalid(
                "counts.%(at)s is %(count)g ± %(spread)g. Expected 0 to %(seeds)s seeds, or a larger spread.",
                field=f"counts.{at}",
                at=at,
                count=count,
                spread=spread,
                seeds=seeds,
            )
        return Reading(count, spread)
    if count < 0 or count != int(count):
        raise Invalid(
            "counts.%(at)s is %(count)g. Expected a whole number of seeds, or its spread in spreads.%(at)s.",
            field=f"counts.{at}",
            at=at,
            count=count,
        )
    return int(count)


def _read_move(name: str, text: str) -> Move:
    with field(name):
        return Move.parse(text)


def _read_position(name: str, text: str, rules: Rules) -> Position:
    with field(name):
        position = Position.parse(text)
        rules.verify_position(position)
    return position


def _read_captured(sent: Sequence[int] | None, claimed: Move | None, before: Position) -> tuple[int, int] | None:
    """The captures that are claimed: those of the move, by its side and by the other, unless they are given."""
    by_move = None if claimed is None else claimed_captures(claimed, before)
    if sent is None:
        return by_move
    if by_move is not None and by_move != tuple(sent):
        raise Invalid(
            "captured is %(sent)s, and claimed is %(claimed)r, which is %(by_move)s. Send one of them.",
            field="captured",
            sent=sent,
            claimed=str(claimed),
            by_move=list(by_move),
        )
    return sent[0], sent[1]


def _read_seen(sent: Sequence[Mapping[str, str]], before: Position) -> Iterator[Seen]:
    for at, one in enumerate(sent):
        with field(f"seen.{at}.pit"):
            yield Seen(one["kind"], pit_index(one["pit"], before))


def _read_previous(rules: Rules, sent: Mapping[str, str] | None, before: Position) -> Turn | None:
    """:raises Invalid: the turn before does not lead to the position."""
    if sent is None:
        return None
    position = _read_position("previous.position", sent["position"], rules)
    with field("previous.move"):
        turn = rules.play(position, Move.parse(sent["move"]))
    if turn.position != before:
        raise Invalid(
            "previous: %(move)r leads to %(position)s. The position is %(before)s.",
            field="previous",
            move=sent["move"][:40],
            position=turn.position,
            before=before,
        )
    return turn
