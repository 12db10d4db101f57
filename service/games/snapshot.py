"""A stored game as it was read: its record, its rules, its turns and positions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache

from inkeek.records import SOUTH, Game, Kind, Move, Position, Rules, Trace, Turn, write_game
from inkeek.records.language import load_language
from inkeek.records.notation.dates import read_span
from inkeek.records.notation.movetext import cite_turn, number_turns
from inkeek.records.notation.tags import tag_warnings
from inkeek.records.rules.ruleset import RuleSet, Value, load_ruleset, read_ruleset_json
from inkeek.service.errors import NotFound
from inkeek.service.storage import BoardRow, GameEvent, GameRow

from .state import GameState, game_state

MAX_POSITIONS = 4_000


_positions: dict[str, Position] = {}  # parsed positions by their text


def position_of(text: str) -> Position:
    """The position of a stored text; the last ones are remembered."""
    return _positions.get(text) or remember_position(text, Position.parse(text))


def remember_position(text: str, position: Position) -> Position:
    """Remember what a text says, since the next turn is played from there."""
    if len(_positions) >= MAX_POSITIONS:
        _positions.clear()
    _positions[text] = position
    return position


def was_played_before(row: GameRow, day: str) -> bool:
    """Whether the tag `Date` says that all of a game was played before a day, as ``1974-05-21``."""
    span = read_span(row.tags.get("Date", ""))
    return span is not None and bool(span.last) and span.last < day[: len(span.last)]


def _ruleset(game: str, told: str | None) -> RuleSet:
    return load_ruleset(game) if told is None else read_ruleset_json(told)


def ruleset_of(row: GameRow) -> RuleSet:
    """The rule set of a stored game: one of ours, or that of its tag `Rules`."""
    return _ruleset(row.game, row.tags.get("Rules"))


@lru_cache(maxsize=256)
def _rules(game: str, told: str | None, options: tuple[tuple[str, Value], ...], start: str) -> Rules:
    info = _ruleset(game, told)
    position = Position.parse(start)
    # Match, set-up and race were checked against the rules when the game was created.
    return Rules(info, info.resolve({"pits": position.row, **dict(options)}, laid_out=False), position, has_gaps=True)


def rules_of(row: GameRow) -> Rules:
    """The rules of a stored game, from its own start."""
    return _rules(row.game, row.tags.get("Rules"), tuple(row.options.items()), row.start)


@dataclass(frozen=True)
class GameSnapshot:
    """A game: its row, its events and the open board bound to it, read in one transaction."""

    row: GameRow
    events: tuple[GameEvent, ...]
    board: BoardRow | None

    @property
    def id(self) -> str:
        return self.row.id

    @property
    def seq(self) -> int:
        return self.row.seq

    @property
    def ended(self) -> bool:
        return self.row.state == "ended"

    @cached_property
    def rules(self) -> Rules:
        return rules_of(self.row)

    @cached_property
    def position(self) -> Position:
        return position_of(self.row.position)

    @cached_property
    def state(self) -> GameState:
        return game_state(self.events)

    def at(self, seq: int) -> GameSnapshot:
        """The game as it was after event number `seq`, without its board."""
        events = self.events[:seq]
        return GameSnapshot(game_state(events).row, events, None)

    @property
    def record(self) -> Game:
        return self.state.record

    @property
    def warnings(self) -> tuple[str, ...]:
        """What `tag_warnings` finds in the tags, and from where on turns are unchecked."""
        found = tag_warnings(self.row.tags, self.rules).values()
        if not any("?" in text for text in self.state.positions):  # as in most games, which need not be replayed
            return tuple(found)
        return (*found, *(one.message for one in self.record.replay().warnings if one.code == "unchecked"))

    @cached_property
    def _answers(self) -> dict[str, bytes]:
        return {}

    def cached(self, name: str, make: Callable[[GameSnapshot], bytes]) -> bytes:
        """What `make` returns for this snapshot, made once for each name: a snapshot never changes."""
        answer = self._answers.get(name)
        if answer is None:
            answer = self._answers[name] = make(self)
        return answer

    def legal(self, limit: int) -> list[Move]:
        """The legal moves, at most `limit`; none when the game has ended."""
        return [] if self.ended else self.rules.legal_moves(self.position, limit)

    def pmn(self) -> str:
        """The record in the notation, in canonical form."""
        return write_game(self.record)

    def turn(self, ply: int) -> Turn:
        """The turn with that number, from 1.

        :raises NotFound: the game has no such turn.
        """
        if not 1 <= ply <= self.row.ply:
            raise NotFound("game %(id)s has no turn %(ply)s: it has %(last)s", id=self.id, ply=ply, last=self.row.ply)
        return self.record.replay().turns[ply - 1]

    def trace(self, turn: Turn, language: str = "en") -> tuple[Trace | None, list[str]]:
        """A turn seed by seed, and in sentences. No rule says how an irregular turn was sown, and nobody knows how one
        in a position that is not known was."""
        if turn.move.kind is Kind.GAP or not turn.before.is_known:
            name = "gap" if turn.move.kind is Kind.GAP else "unchecked"
            return None, [load_language(language).text(f"turn.{name}")]
        if turn.move.kind is Kind.IRREGULAR:
            return None, [load_language(language).text("turn.irregular")]
        trace = self.rules.trace(turn.before, turn.move)
        return trace, self.rules.describe(trace, language)

    def cite(self, ply: int) -> str:
        """Cite turn `ply`, as `cite_turn` does. The turn that comes next has no move yet."""
        positions = [Position.parse(text) for text in self.state.positions]
        moves = [str(turn.move) for turn in self.record.plies]
        return cite_turn(positions[:ply], *moves[ply - 1 : ply])

    def cited_from(self, first: int) -> list[str]:
        """Cite every turn from turn `first` on."""
        positions = [position_of(text) for text in self.state.positions]
        numbers = number_turns(positions)
        cited = [
            f"{number}{'.' if position.to_move is SOUTH else '…'} {turn.move}"
            for number, position, turn in zip(numbers, positions, self.record.plies, strict=False)
        ]
        return cited[first - 1 :]

    def position_at(self, ply: int) -> Position:
        """The position after turn `ply`; 0 is the start.

        :raises NotFound: the game has no such turn.
        """
        if not 0 <= ply <= self.row.ply:
            raise NotFound(
                "game %(id)s has no position %(ply)s: it has 0 to %(last)s", id=self.id, ply=ply, last=self.row.ply
            )
        return self.record.replay().positions[ply]
