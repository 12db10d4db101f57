"""Games and their turns as tables of data: a row a game, a row a turn (`docs/data.md`); and what people count."""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from statistics import median
from typing import Any, Generic, NamedTuple, TypeVar

from inkeek.records import NORTH, SOUTH, Kind, Side, Turn
from inkeek.records.notation.commands import Command, Elapsed, Entering, Moment, commands_in
from inkeek.records.notation.tags import ROSTER, TAGS, Tag, carried_rules, format_options
from inkeek.records.position import UNKNOWN
from inkeek.records.text import read_instant
from inkeek.service.games.plies import NotedPly
from inkeek.service.games.record_check import OTHER_TAG
from inkeek.service.games.repository import Games
from inkeek.service.games.snapshot import GameSnapshot, position_of, was_played_before
from inkeek.service.storage import GameFilter, GameRow
from inkeek.service.storage.clock import stamp
from inkeek.service.storage.search import game_key

from .transfer import READ, export_games

# What a spreadsheet takes for the beginning of a formula.
FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


class _Echo:
    """A file that hands back what is written, which `csv.writer` returns."""

    def write(self, text: str) -> str:
        return text


def safe_cell(value: object) -> object:
    """A cell; text that a spreadsheet would run as a formula has an apostrophe before it."""
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA) else value


def csv_lines(head: Sequence[str], rows: Iterable[Sequence[object]]) -> Iterator[str]:
    """The lines of a table, one after another. None is an empty cell."""
    writer = csv.writer(_Echo())
    yield writer.writerow(head)
    for row in rows:
        yield writer.writerow(list(map(safe_cell, row)))


R = TypeVar("R")
C = TypeVar("C", bound=Command)
Tags = Mapping[str, str]
ShowTags = Callable[[GameRow], Tags | None]


class Column(NamedTuple, Generic[R]):
    """A column: its name, its `datatype` as CSV on the Web names it, what it says, and its cell in a row."""

    name: str
    datatype: str
    says: str
    cell: Callable[[R], Any]


@dataclass(frozen=True, slots=True)
class GameLine:
    """A row of the games: what is stored, and the tags as the reader may see them."""

    row: GameRow
    tags: Tags


@dataclass(frozen=True, slots=True)
class TurnLine:
    """A row of the turns: a turn of a game, its ply, and the one before."""

    row: GameRow
    tags: Tags
    turn: Turn
    ply: NotedPly
    previous: NotedPly

    @property
    def is_sown(self) -> bool:
        """Whether the rules say what the turn did."""
        return self.turn.move.kind not in (Kind.IRREGULAR, Kind.GAP) and self.turn.before.is_known

    @property
    def side(self) -> Side | None:
        """Whose turn it is; of a gap nobody's."""
        return None if self.turn.move.kind is Kind.GAP else self.turn.before.to_move

    def captured(self, by: Side) -> int | None:
        """What a side captured, as the rules say, or else the record."""
        known = self.is_sown or self.turn.move.captured is not None
        return self.turn.captured[by] if known else None

    @property
    def time(self) -> datetime | None:
        """When the turn was played: as its command `at` says, else when it was entered."""
        return _time_of(self.ply, self.row)

    @property
    def seconds(self) -> Any:
        """How long the turn took: as its command `emt` says, else since the time of the turn before, if both times are
        those of play."""
        said = _said(self.ply, Elapsed)
        if said is not None:
            return said.seconds
        now, before = (_said(ply, Moment) for ply in (self.ply, self.previous))
        if now is not None and before is not None:
            return round((now.at - before.at).total_seconds(), 3) if now.at >= before.at else None
        if now or before or self.previous.event.kind != "turn" or self.turn.move.kind is Kind.GAP:
            return None
        entered, earlier = _time_of(self.ply, self.row), _time_of(self.previous, self.row)
        if entered is None or earlier is None or entered < earlier:
            return None
        eve = f"{earlier - timedelta(days=1):%Y-%m-%d}"  # since days begin elsewhere earlier
        if was_played_before(self.row, eve):
            return None
        return round((entered - earlier).total_seconds(), 3)


def _said(ply: NotedPly, kind: type[C]) -> C | None:
    return next((command for command in commands_in(ply.comments) if isinstance(command, kind)), None)


def _time_of(ply: NotedPly, row: GameRow) -> datetime | None:
    moment = _said(ply, Moment) or _said(ply, Entering)
    if moment is not None:
        return moment.at
    is_timed = ply.event.time != row.created  # a game that is stored as a whole has one time
    return read_instant(ply.event.time) if is_timed else None


def _tag(name: str) -> Callable[[GameLine | TurnLine], str | None]:
    return lambda line: line.tags.get(name)


def _tag_columns(is_wanted: Callable[[Tag], bool]) -> Iterator[Column[GameLine]]:
    for tag in TAGS:
        if tag.column and is_wanted(tag):
            yield Column(tag.name.lower(), "string", tag.column, _tag(tag.name))


def _score(side: int) -> Callable[[GameLine], int | None]:
    return lambda line: None if line.row.score is None else line.row.score[side]


CELLS = "Text that a spreadsheet would take for a formula (it begins with = + - or @) has an apostrophe before it."
GAME_COLUMNS: tuple[Column[GameLine], ...] = (
    Column("game", "string", "id of the game", lambda line: line.row.id),
    Column("rules", "string", "rule set id", lambda line: line.row.game),
    Column("options", "string", "options that differ from the rule set's", lambda one: format_options(one.row.options)),
    *_tag_columns(lambda tag: tag.name in ROSTER and tag.holds != "person"),
    Column("match", "string", "id of the match", lambda line: line.row.match_id),
    Column("match_game", "integer", "which game of the match it is, from 1", lambda line: line.row.match_game),
    *_tag_columns(lambda tag: tag.name in ROSTER and tag.holds == "person"),
    Column("begins", "string", "the side with the first turn", lambda one: str(position_of(one.row.start).to_move)),
    Column("start", "string", "position before the first turn", lambda line: line.row.start),
    Column("state", "string", "live: it has not ended; or ended", lambda line: line.row.state),
    Column("turns", "integer", "number of turns in the record; a gap is one", lambda line: line.row.ply),
    Column("position", "string", "position after the last turn", lambda line: line.row.position),
    Column("result", "string", "the tag Result", lambda line: line.row.result),
    Column("winner", "string", "South or North; empty: nobody, or not known", lambda line: line.row.winner),
    Column("termination", "string", "how it ended, as in the tag Termination", lambda line: line.row.termination),
    Column("south_score", "integer", "seeds that South won", _score(0)),
    Column("north_score", "integer", "seeds that North won", _score(1)),
    Column("created", "dateTime", "when the game was stored", lambda line: line.row.created),
    Column("updated", "dateTime", "when it was changed last", lambda line: line.row.updated),
    *_tag_columns(lambda tag: tag.name not in ROSTER),  # new tags move what follows: find columns by name
    Column(
        "other_version",
        "string",
        "id of the game of which this is another version",
        lambda one: one.tags.get(OTHER_TAG),
    ),
    Column(
        "carried_rules",
        "string",
        "key of the rules that a local game carries: games of one rule set id with different keys are different games",
        lambda line: carried_rules(line.row.tags),
    ),
)
TURN_COLUMNS: tuple[Column[TurnLine], ...] = (
    Column("game", "string", "id of the game", lambda line: line.row.id),
    Column(
        "number", "integer", "number of the turn, from 1; of a gap that of its last", lambda one: one.turn.position.ply
    ),
    Column("side", "string", "South or North; empty: a gap", lambda line: line.side and str(line.side)),
    Column("name", "string", "name of that side", lambda line: line.tags.get(str(line.side))),
    Column(
        "pit", "string", "the pit it began in; empty: a pass, a rearrangement, a gap", lambda one: one.turn.move.pit
    ),
    Column("move", "string", "the whole move, as in the notation", lambda line: str(line.turn.move)),
    Column(
        "laps",
        "integer",
        "handfuls that were sown; empty: not known",
        lambda one: one.turn.laps if one.is_sown else None,
    ),
    Column(
        *("captured", "integer", "seeds that the side captured, without those sown into a store; empty: not known"),
        lambda line: None if line.side is None else line.captured(line.side),
    ),
    Column(
        *("lost", "integer", "seeds that the other side captured in this turn; empty: not known"),
        lambda line: None if line.side is None else line.captured(line.side.other),
    ),
    Column("south_seeds", "integer", "seeds in South's row after the turn", lambda line: _in_row(line, SOUTH)),
    Column("north_seeds", "integer", "seeds in North's row after the turn", lambda line: _in_row(line, NORTH)),
    Column("south_store", "integer", "seeds South has won, after the turn", lambda line: _in_store(line, SOUTH)),
    Column("north_store", "integer", "seeds North has won, after the turn", lambda line: _in_store(line, NORTH)),
    Column(
        "position", "string", "position after the turn; ? where seeds are not known", lambda one: str(one.turn.position)
    ),
    Column(
        "time",
        "dateTime",
        "when it was played, as the record says, else when it was entered",
        lambda one: one.time and stamp(one.time),
    ),
    Column(
        "seconds",
        "decimal",
        "how long it took, as the record says, else since the turn before was entered, if that was on the day of play",
        lambda one: one.seconds,
    ),
    Column("irregular", "boolean", "whether it stood whatever the rules say", lambda one: _is(one, Kind.IRREGULAR)),
    Column("gap", "boolean", "whether it stands for turns that nobody saw", lambda one: _is(one, Kind.GAP)),
    Column("unseen", "integer", "of a gap how many; empty: not known", lambda one: one.turn.move.unseen),
)


def _is(line: TurnLine, kind: Kind) -> str:
    return "true" if line.turn.move.kind is kind else "false"


def _in_row(line: TurnLine, side: Side) -> int | None:
    position = line.turn.position
    seeds = [position.pits[pit] for pit in position.pits_of(side)]
    return None if UNKNOWN in seeds else sum(seeds)


def _in_store(line: TurnLine, side: Side) -> int | None:
    seeds = line.turn.position.stores[side]
    return None if seeds == UNKNOWN else seeds


def csv_of(name: str, games: Games, where: GameFilter, shown: ShowTags) -> Iterator[str]:
    """A table of the games that match, line by line: a page of games is in memory. `shown`: tags as the reader may see
    them; None leaves the game out."""
    table = TABLES[name]
    lines = table.lines(games, where, shown)
    return csv_lines(
        [column.name for column in table.columns], ([column.cell(line) for column in table.columns] for line in lines)
    )


def _game_lines(games: Games, where: GameFilter, shown: ShowTags) -> Iterator[GameLine]:
    rows, cursor = games.page(READ, None, where)
    while rows:
        yield from (GameLine(row, tags) for row in rows if (tags := shown(row)) is not None)
        rows, cursor = games.page(READ, cursor, where) if cursor else ([], None)


def _turn_lines(games: Games, where: GameFilter, shown: ShowTags) -> Iterator[TurnLine]:
    for _, game in export_games(games, where):
        if (tags := shown(game.row)) is not None:
            yield from _turns_of(game, tags)


def _turns_of(game: GameSnapshot, tags: Tags) -> Iterator[TurnLine]:
    plies = game.state.plies
    for turn, previous, ply in zip(game.record, plies, plies[1:], strict=False):
        yield TurnLine(game.row, tags, turn, ply, previous)


class DataTable(NamedTuple):
    """A table: what it holds, its columns, and its rows."""

    says: str
    columns: tuple[Column[Any], ...]
    lines: Callable[[Games, GameFilter, ShowTags], Iterator[Any]]


TABLES = {
    "games": DataTable("A row a game, the newest first", GAME_COLUMNS, _game_lines),
    "turns": DataTable("A row a turn; turns that were taken back are left out", TURN_COLUMNS, _turn_lines),
}


def describe(name: str) -> dict[str, Any]:
    """What stands in ``games.csv`` or ``turns.csv``, as CSV on the Web describes a table (W3C, 2015)."""
    table = TABLES[name]
    return {
        "@context": "http://www.w3.org/ns/csvw",
        "url": f"{name}.csv",
        "dc:description": f"{table.says}. {CELLS}",
        "tableSchema": {
            "columns": [
                {"name": one.name, "titles": one.name, "datatype": one.datatype, "dc:description": one.says}
                for one in table.columns
            ]
        },
    }


class GameCounts(NamedTuple):
    """Of ended games, alike by `search.game_key`, of which each turn is recorded: how many, their turns, how many seeds
    a turn won, and of how many that one side won, the side that began won."""

    game: str
    games: int
    shortest: int
    median: float
    longest: int
    won_a_turn: float
    decided: int
    won_by_first: int


def count_games(rows: Iterable[GameRow]) -> list[GameCounts]:
    """The counts of games as they were played; of those with all their turns, and whose seeds at the end are known. A
    game counts once, whatever other versions of it are stored."""
    by_game: dict[str, list[GameRow]] = defaultdict(list)
    for row in rows:
        start, end = position_of(row.start), position_of(row.position)
        is_whole = start.is_known and end.is_known and end.ply - start.ply == row.ply
        if row.state == "ended" and row.ply and is_whole and OTHER_TAG not in row.tags:
            by_game[game_key(row.game, row.tags)].append(row)
    return [_count(game, found) for game, found in sorted(by_game.items())]


def _count(game: str, rows: list[GameRow]) -> GameCounts:
    turns = [row.ply for row in rows]
    won = sum(sum(position_of(row.position).stores) - sum(position_of(row.start).stores) for row in rows)
    firsts = [row.winner == str(position_of(row.start).to_move) for row in rows if row.winner]
    spread = (min(turns), median(turns), max(turns))
    return GameCounts(game, len(rows), *spread, won / sum(turns), len(firsts), sum(firsts))
