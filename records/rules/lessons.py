"""Lessons: positions in which one turn shows what a rule says. They are written in `rulesets/lessons.toml`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

from inkeek.records.position import Position

from .play import Rules, rules_at
from .ruleset import LESSONS, Value, load_ruleset, read_file

_data = cache(partial(read_file, LESSONS))


@dataclass(frozen=True, slots=True)
class LessonTurn:
    """A turn under `options`, and what it does.

    `move` claims its captures and special pits. `end` is the reason why the turn ends, a name of
    `inkeek.records.kernel.codes.REASONS`; "" if nothing is sown. `position` is the one after it. `score` is that of
    (South, North) if the game is over then.
    """

    move: str
    laps: int
    end: str
    position: Position
    options: Mapping[str, Value]
    score: tuple[int, int] | None


@dataclass(frozen=True, slots=True)
class Lesson:
    """What a part of a rule says, in one sentence, and a position to see it in.

    `rule` is a key of `RuleSet.rules`. Of several `turns` each shows what another value of an option means, or another
    choice. `refused`: pits that cannot be played under the options of the first turn, with the reason of the error.
    """

    id: str
    game: str
    rule: str
    says: str
    position: Position
    turns: tuple[LessonTurn, ...]
    refused: Mapping[str, str]

    def rules(self, turn: LessonTurn) -> Rules:
        """The rules that the turn is played under."""
        return rules_at(self.game, turn.options, self.position)


@cache
def load_lessons(game: str) -> Mapping[str, Lesson]:
    """The lessons of a game by id, in the order of its rules. A game that extends another has its lessons too, unless
    it has its own of that id.

    :raises OptionError: there is no such game.
    """
    info, data = load_ruleset(game), _data()
    tables = {table["id"]: table for id in dict.fromkeys((info.family, game)) for table in data.get(id, ())}
    lessons = [_parse(game, table) for table in tables.values()]
    rules = list(info.rules)
    return {lesson.id: lesson for lesson in sorted(lessons, key=lambda lesson: rules.index(lesson.rule))}


def reasons_without_lesson() -> Mapping[str, str]:
    """Why a sentence of a source has no lesson: what `Clause.lesson` names instead, in words."""
    reasons: dict[str, str] = _data()["reasons"]
    return reasons


def _parse(game: str, table: Mapping[str, Any]) -> Lesson:
    turns = tuple(
        LessonTurn(
            turn["move"],
            turn["laps"],
            turn["end"],
            Position.parse(turn["position"]),
            turn.get("options", {}),
            tuple(turn["score"]) if "score" in turn else None,
        )
        for turn in table["turns"]
    )
    start, refused = Position.parse(table["position"]), table.get("refused", {})
    return Lesson(table["id"], game, table["rule"], table["says"], start, turns, refused)
