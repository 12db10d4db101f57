"""What a ruling changes: which turns stay, which are played again or no longer can be, and how the game ends. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Any

from inkeek.records import IllegalMove, Kind, Move, Outcome, Ply, Position, RecordsError, Rules, Turn
from inkeek.records.notation.commands import commands_in
from inkeek.records.replay import play_ply
from inkeek.service.errors import Conflict, ErrorText, Illegal, Invalid
from inkeek.service.games.endings import manual_end
from inkeek.service.games.plies import BY_RULES
from inkeek.service.games.record_check import KEPT
from inkeek.service.games.snapshot import position_of, rules_of
from inkeek.service.games.state import GameState, game_state
from inkeek.service.games.validation import irregular
from inkeek.service.storage import GameEvent

from .courses import Course
from .terms import Terms

BY_RULES_ENDED = ErrorText("the rules ended the game on the board: retract its last turn, or correct it")
END = ("termination", "winner", "result", "score", "by")  # what an end says


@dataclass(frozen=True, slots=True)
class LaterTurn:
    """A turn after a corrected one, as it was, and as it would be: `turn` is None where it can no longer be played, and
    `why` says why. `same`: it does what it did."""

    ply: int
    move: str
    turn: Turn | None
    same: bool
    why: str = ""


@dataclass(frozen=True, slots=True)
class Effects:
    """What a ruling would change. `keeps`: how many turns stay as they are; `turns`: those that would be played, with
    their comments. `later`: what becomes of the turns after a corrected one if they are kept. `end`: how the game is
    ended by hand then, as an event says it; None: it is not. `position`: the last one; `outcome`: how the rules end the
    game there."""

    keeps: int
    turns: tuple[tuple[Turn, tuple[str, ...]], ...]
    later: tuple[LaterTurn, ...]
    end: Mapping[str, Any] | None
    position: Position
    outcome: Outcome | None

    @property
    def result(self) -> str:
        """The result then."""
        return self.end["result"] if self.end is not None else self.outcome.result if self.outcome else "*"


@dataclass(frozen=True, slots=True)
class _Line:
    """The events of turns, and the end of the game."""

    turns: tuple[GameEvent, ...]
    end: GameEvent | None

    @property
    def is_ended_by_rules(self) -> bool:
        return self.end is not None and self.end.source == BY_RULES


def is_ended_by_rules(state: GameState, course: Course) -> bool:
    """Whether the rules ended the game that the dispute is about: then no ruling ends it in another way."""
    return _disputed_line(state, course).is_ended_by_rules


def effects_of(state: GameState, course: Course, terms: Terms) -> Effects:
    """What a ruling with these terms on a dispute of the game would change.

    :raises Conflict: the disputed turn or end was taken back, or the rules ended the game. :raises Invalid: terms that
        do not fit. :raises Illegal: the rules forbid the move. :raises RecordsError: a position does not fit the game.
    """
    row, rules = course.row, rules_of(state.row)
    terms.verify(row.about)
    line = _disputed_line(state, course)
    _check_stands(state, course, line, terms)
    if row.about == "end" and terms.outcome == "reopened" and state.end is None and course.ruling is not None:
        line = _Line(_turns(state), None)  # it was reopened already, and goes on
    positions = [position_of(state.positions[0]), *(position_of(event.data["position"]) for event in line.turns)]
    if terms.outcome == "retracted":
        to = row.ply - 1 if terms.to is None else terms.to
        if not 0 <= to < row.ply:
            raise Invalid(
                "to is %(to)s: the last turn that stays must be before turn %(ply)s, from 0",
                field="to",
                to=to,
                ply=row.ply,
            )
        return _effects(state, rules, line.turns[:to], (), (), None, positions[to])
    if terms.outcome == "corrected" and row.about == "turn":
        return _effects_of_correction(state, rules, line, row.ply, terms, positions)
    end = None if line.end is None or line.end.source == BY_RULES else _end_data(line.end)
    if terms.outcome == "reopened":
        end = None
    elif terms.end is not None:
        if line.is_ended_by_rules:
            raise Conflict(BY_RULES_ENDED, current=state.row)
        new = terms.end
        end = manual_end(new.termination, new.winner, "", rules, positions, new.score)
        if row.about == "end" and state.end is not None and same_end(end, state.end.data):
            how = f"{end['termination']}, {end['result']}"
            raise Invalid("the game has ended so already (%(how)s): nothing is corrected", how=how)
    return _effects(state, rules, line.turns, (), (), end, positions[-1])


def _effects_of_correction(
    state: GameState, rules: Rules, line: _Line, ply: int, terms: Terms, positions: Sequence[Position]
) -> Effects:
    before = positions[ply - 1]
    if terms.position is not None:
        recorded = [Move.parse(event.data["turn"]["move"]) for event in line.turns[ply - 1 : ply]]
        meant = Move.parse(terms.move) if terms.move is not None else _as_irregular(*recorded)
        turn, after = irregular(rules, before, meant, terms.position)
        comments: tuple[str, ...] = (after,)
    else:
        assert terms.move is not None
        previous = Move.parse(line.turns[ply - 2].data["turn"]["move"]) if ply > 1 else None
        try:
            turn, comments = rules.play(before, Move.parse(terms.move), previous), ()
        except IllegalMove as error:
            raise Illegal(error, rules) from error
    later = _replay_later_turns(rules, turn, line.turns[ply:], ply + 1)
    kept = [one for one in later if one.turn is not None] if terms.keeps else []
    played = [(turn, comments)]
    for one, event in zip(kept, line.turns[ply:], strict=False):
        assert one.turn is not None
        played.append((one.turn, own_comments(event)))
    whole = len(kept) == len(line.turns[ply:])
    end = _end_data(line.end) if line.end is not None and line.end.source != BY_RULES and whole else None
    return _effects(state, rules, line.turns[: ply - 1], played, later, end, played[-1][0].position)


def _replay_later_turns(rules: Rules, turn: Turn, events: Sequence[GameEvent], ply: int) -> tuple[LaterTurn, ...]:
    """What becomes of the turns after `turn` if they are played again, until one no longer can be."""
    found: list[LaterTurn] = []
    previous, why = turn, ""
    for number, event in enumerate(events, ply):
        text = event.data["turn"]["move"]
        move = Move.parse(text)
        if not why:
            try:
                if move.kind is Kind.IRREGULAR:
                    raise RecordsError(
                        ErrorText("%(text)s was irregular: nobody knows where it would lead now", text=text)
                    )
                played = rules.play(previous.position, move.choice, previous.move)
            except IllegalMove as error:
                why = error.message
            except RecordsError as error:
                why = str(error)
        if why:
            found.append(LaterTurn(number, text, None, False, why))
            continue
        found.append(LaterTurn(number, text, played, str(played.move) == text))
        previous = played
    return tuple(found)


def _effects(
    state: GameState,
    rules: Rules,
    stay: Sequence[GameEvent],
    played: Sequence[tuple[Turn, tuple[str, ...]]],
    later: tuple[LaterTurn, ...],
    end: Mapping[str, Any] | None,
    position: Position,
) -> Effects:
    """The effects of a line of stored turns that `stay` and others that are `played` then."""
    same = list(takewhile(lambda pair: pair[0].seq == pair[1], zip(stay, state.turns, strict=False)))
    restored: list[tuple[Turn, tuple[str, ...]]] = []
    before = position_of(stay[len(same) - 1].data["position"] if same else state.positions[0])
    for event in stay[len(same) :]:
        comments = own_comments(event)
        turn = play_ply(rules, before, Ply(Move.parse(event.data["turn"]["move"]), comments=comments))
        restored.append((turn, comments))
        before = turn.position
    return Effects(
        len(same), (*restored, *played), later, end, position, None if end is not None else rules.outcome(position)
    )


def _disputed_line(state: GameState, course: Course) -> _Line:
    """The line that the ruling is about: the game as it stands, unless an earlier ruling on this dispute changed what
    was disputed; then as it stood before that."""
    rulings = course.of("ruling")
    if not rulings:
        return _Line(_turns(state), state.end)
    before = game_state(state.events[: rulings[0].seq - 1])
    changed = _Line(_turns(before), before.end)
    if course.row.about == "end":
        return changed if course.row.outcome != "stands" else _Line(_turns(state), state.end)
    if state.turns[: len(before.turns)] != before.turns:
        return changed
    by_ruling = state.end is not None and state.end.data.get("dispute") == course.row.seq
    return _Line(_turns(state), before.end if by_ruling else state.end)


def _turns(state: GameState) -> tuple[GameEvent, ...]:
    return tuple(state.events[seq - 1] for seq in state.turns)


def _check_stands(state: GameState, course: Course, line: _Line, terms: Terms) -> None:
    """:raises Conflict: the ruling changes a turn or an end that was changed already."""
    row = course.row
    standing = [event.seq for event in line.turns] if row.about == "turn" else [line.end.seq] if line.end else []
    if terms.outcome != "stands" and row.turn not in standing and not row.is_unrecorded:
        values = {"dispute": row.id, "outcome": terms.outcome}
        message = ErrorText("the turn of dispute %(dispute)s was changed: it cannot be %(outcome)s", **values)
        if row.about == "end":
            message = ErrorText("the end of dispute %(dispute)s was changed: it cannot be %(outcome)s", **values)
        raise Conflict(message, current=state.row)
    if row.about == "end" and terms.outcome == "reopened" and line.is_ended_by_rules:
        raise Conflict(BY_RULES_ENDED, current=state.row)


def _end_data(end: GameEvent) -> dict[str, Any]:
    return {name: end.data[name] for name in END}


def same_end(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether two ends are the same, whoever said so."""
    return all(one[name] == other[name] for name in ("termination", "result", "score"))


def own_comments(event: GameEvent) -> tuple[str, ...]:
    """The comments of a turn that may be played again, without those that tell what happened at the board then."""
    return without_course(event.data["turn"]["comments"])


def without_course(comments: Sequence[str]) -> tuple[str, ...]:
    """Comments without those that tell of people, disputes and changed ends."""
    return tuple(text for text in comments if not any(commands_in([text], *KEPT)))


def _as_irregular(move: Move | None = None) -> Move:
    return Move.parse(f"~{move.pit}") if move is not None and move.pit else Move.parse("~?")
