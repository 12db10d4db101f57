"""What follows from a ruling beside the game's own turns: hands at the board, later games of the match, standings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from inkeek.records import Game, Position, Rules
from inkeek.records.findings import Evidence, Reading
from inkeek.records.findings.evidence import Count
from inkeek.records.findings.sweeps import swept_position
from inkeek.records.position import ORDINARY
from inkeek.service.games.events.plan import EventPlan, plan_of
from inkeek.service.games.events.standings import KnownPersons, event_rows, known_persons, standings
from inkeek.service.games.events.tie_breaks import Standing
from inkeek.service.games.matches.games import LaterGames, check_follows, end_of, games_that_count, judge_later
from inkeek.service.games.snapshot import position_of, rules_of
from inkeek.service.games.state import LIVE, GameState, end_columns, end_tags, ending
from inkeek.service.storage import GameRow
from inkeek.service.storage.search import name_key, players_of
from inkeek.service.storage.store import Store

from .courses import Course
from .disputes import dispute_evidence, is_counted
from .effects import Effects, without_course


@dataclass(frozen=True, slots=True)
class RankChange:
    """A player's standing in the event, as it is and as it would be."""

    now: Standing
    then: Standing


@dataclass(frozen=True, slots=True)
class Consequences:
    """`position`: how the board lies then. `board`: what to put right, from how it lies; from how it is recorded if it
    was not counted.

    `standings` is None if there are none: no event, or one that the reader may not see or that has too many games.
    """

    position: Position
    board: tuple[BoardPlace, ...]
    is_counted: bool
    later: LaterGames
    standings: tuple[RankChange, ...] | None


def consequences_of(
    store: Store, state: GameState, course: Course, effects: Effects, max_games: int, *, sees_event: bool
) -> Consequences:
    """What follows from a ruling with these effects. Takes the time of reading the match and the event.

    :raises Conflict: the match forbids them.
    """
    row, later, ranks = row_after(state.row, effects), LaterGames(), None
    event = name_key(row.tags.get("Event", ""))
    with store.reading() as transaction:
        if end_of(row) != end_of(state.row):
            later = judge_later(transaction, row, _record_after(state, row, effects))
            check_follows(later, state.row)
        if event and sees_event and not transaction.games.event_exceeds(event, max_games):
            planned = transaction.event_plans.get(event)
            plan = None if planned is None else plan_of(planned)
            rows = event_rows(transaction, event, plan, max_games)
            now = games_that_count(transaction, rows)
            lost, known = {game.id for game in later.lost}, {game.id for game in (row, *now, *later.all)}
            after = [row if game.id == row.id else game for game in rows if game.id in known - lost]
            ranks = _rank_changes(now, after, known_persons(transaction, rows, plan), plan, row)
    counted = _counted(state, course)
    then = effects.position if counted is None else as_it_should_lie(rules_of(state.row), counted, effects.position)
    recorded = position_of(state.row.position)
    as_recorded = Evidence(before=recorded, counts=(*recorded.pits, *recorded.stores), marks=recorded.marks)
    board = differing_places(counted or as_recorded, then)
    return Consequences(then, board, counted is not None, later, ranks)


def row_after(row: GameRow, effects: Effects) -> GameRow:
    """The row of the game as the ruling leaves it, but for its events."""
    end = effects.end
    if end is None and effects.outcome is not None:
        end = ending(effects.outcome)
    ply, position = effects.keeps + len(effects.turns), str(effects.position)
    columns = LIVE if end is None else end_columns(end)
    return row._replace(ply=ply, position=position, **columns)


def _record_after(state: GameState, row: GameRow, effects: Effects) -> Game:
    """The record after the ruling, without the commands that tell how the game came there."""
    record = state.record_json
    played = [
        {"move": str(turn.move), "nags": [], "comments": list(comments), "variations": []}
        for turn, comments in effects.turns
    ]
    tags = {name: value for name, value in record["tags"].items() if name not in ("Score", "Termination")}
    plies = [{**ply, "comments": without_course(ply["comments"])} for ply in record["plies"][: effects.keeps]]
    start = without_course(record["comments"])
    return Game.from_json({**record, "tags": {**tags, **end_tags(row)}, "comments": start, "plies": [*plies, *played]})


def _rank_changes(
    now: Sequence[GameRow], then: Sequence[GameRow], persons: KnownPersons, plan: EventPlan | None, row: GameRow
) -> tuple[RankChange, ...]:
    """The standings of the players of the game whose rank or points change between these games."""
    before, after = ({one.key: one for one in standings(rows, persons, plan)} for rows in (now, then))
    changes = [RankChange(before[key], after[key]) for key in players_of(row.tags, persons.owners) if key in before]
    return tuple(one for one in changes if (one.now.rank, one.now.points) != (one.then.rank, one.then.points))


def _counted(state: GameState, course: Course) -> Evidence | None:
    """What lies on the board, as far as it was counted; None if nobody did, or hands followed a ruling."""
    evidence = None if course.of("ruling") else dispute_evidence(state, course.row)
    return None if evidence is None or not is_counted(evidence) else evidence


@dataclass(frozen=True, slots=True)
class BoardPlace:
    """A pit or a store that is not as it should be: the seeds that lie there, and those that it must hold then.

    `mark_lies` and `mark_then`: the same for what the pit is (`Position.marks`); equal where nobody said. Places are
    pits by index, then the stores, which are ordinary.
    """

    place: int
    lies: int
    then: int
    mark_lies: int = ORDINARY
    mark_then: int = ORDINARY

    @property
    def lacks(self) -> int:
        """The seeds that the place lacks; 0 if only its mark is wrong."""
        return self.then - self.lies

    @property
    def has_wrong_mark(self) -> bool:
        return self.mark_lies != self.mark_then


def differing_places(evidence: Evidence, then: Position) -> tuple[BoardPlace, ...]:
    """Where the board that was counted differs from a position; what nobody counted is left out. The mark of a pit
    that is rightly empty does not count: it was cleared at the end."""
    marks_then = (*then.marks, ORDINARY, ORDINARY)
    marks = marks_then if evidence.marks is None else (*evidence.marks, ORDINARY, ORDINARY)
    found = []
    for place, (count, seeds) in enumerate(zip(evidence.counts, (*then.pits, *then.stores), strict=True)):
        there, mark, mark_then = _seeds(count), marks[place], marks_then[place]
        mark = mark_then if mark is None or there == seeds == 0 else mark
        if there is not None and (there, mark) != (seeds, mark_then):
            found.append(BoardPlace(place, there, seeds, mark, mark_then))
    return tuple(found)


def as_it_should_lie(rules: Rules, evidence: Evidence, position: Position) -> Position:
    """The position as it should lie on a board that was counted. Where the rules ended the game, the sides may have
    taken what was left into their stores: then with empty pits, if the board differs in no more places from that."""
    if rules.outcome(position) is None:
        return position
    both = swept_position(rules, position), position
    return min(both, key=lambda one: len(differing_places(evidence, one)))


def _seeds(count: Count) -> int | None:
    """The number of seeds that were counted; of a noisy count the nearest one."""
    if isinstance(count, Reading):
        return max(0, round(count.mean))
    return count if isinstance(count, int) else None
