"""The lessons of a game as its page of rules shows them, in the language of the page."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

from inkeek.records import IllegalMove, Kind, Move, Position, Rules
from inkeek.records.explain import explain_outcome, explain_refusal
from inkeek.records.language import Language, load_language
from inkeek.records.notation.tags import format_options
from inkeek.records.rules.lessons import Lesson, LessonTurn, load_lessons
from inkeek.records.rules.ruleset import Value, format_value
from inkeek.service.http.answers.rules import traced_turn_json
from inkeek.service.http.answers.shape import to_builtins
from inkeek.service.http.language import gettext


@dataclass(frozen=True, slots=True)
class ShownTurn:
    """A turn of a lesson. `title` tells it from the other turns of the lesson. `refusals` is JSON: by letter,
    why pits cannot be played. `trace` is JSON too, as the API answers it; empty: the API knows the rules."""

    title: str
    move: Move
    options: str
    position: Position
    sentences: Sequence[str]
    refusals: str
    trace: str


@dataclass(frozen=True, slots=True)
class ShownLesson:
    """A lesson with its turns; `options` are those that decide between them."""

    lesson: Lesson
    turns: Sequence[ShownTurn]
    options: Sequence[str]


@cache
def lessons_by_rule(game: str, language_id: str) -> Mapping[str, Sequence[ShownLesson]]:
    """The lessons of a game under the rules that they show. `language_id` is the language of the page."""
    found: dict[str, list[ShownLesson]] = {}
    for lesson in load_lessons(game).values():
        found.setdefault(lesson.rule, []).append(_shown(lesson, load_language(language_id)))
    return found


def _shown(lesson: Lesson, language: Language) -> ShownLesson:
    names = [name for turn in lesson.turns[:1] for name in turn.options if _differs(lesson, name)]
    return ShownLesson(lesson, [_turn(lesson, turn, names, language) for turn in lesson.turns], names)


def _value_words(value: Value) -> str:
    if isinstance(value, bool):
        return gettext("yes") if value else gettext("no")
    return gettext(format_value(value))


def _differs(lesson: Lesson, name: str) -> bool:
    return len({turn.options.get(name) for turn in lesson.turns}) > 1


def _turn(lesson: Lesson, turn: LessonTurn, names: Sequence[str], language: Language) -> ShownTurn:
    rules, move = lesson.rules(turn), Move.parse(turn.move)
    values = [_value_words(turn.options[name]) for name in names]
    ways = [gettext("clockwise") if way == "<" else gettext("counter-clockwise") for way in move.choices]
    shown = shown_turn(rules, lesson.position, move, turn.position, language, format_options(turn.options))
    return replace(shown, title=", ".join([*values, *ways]))


def shown_turn(
    rules: Rules,
    before: Position,
    move: Move,
    after: Position,
    language: Language,
    options: str = "",
    *,
    traced: bool = False,
) -> ShownTurn:
    """A turn, with what it does in sentences. `traced`: with its trace."""
    sentences = rules.explain(before, move, language.id)
    outcome = rules.outcome(after)
    if move.kind is not Kind.SOW:  # all that may differ from another turn
        sentences.append(gettext("%(side)s is to move.", side=language.sides[after.to_move]))
    if outcome is not None:
        sentences.append(explain_outcome(outcome, language))
    refusals = json.dumps(_refusals(rules, before, language), ensure_ascii=False)
    trace = ""
    if traced:
        turn = rules.play(before, move)
        answer = traced_turn_json(after.ply, turn, rules.trace(before, turn.move), sentences)
        trace = json.dumps(answer, ensure_ascii=False, default=to_builtins)
    return ShownTurn("", move, options, after, sentences, refusals, trace)


def _refusals(rules: Rules, position: Position, language: Language) -> dict[str, str]:
    """By letter, why pits cannot be played."""
    refusals = {}
    for pit in range(2 * position.row):
        letter = position.letter(pit)
        try:
            rules.play(position, letter)
        except IllegalMove as error:
            refusals[letter] = explain_refusal(error, language)[0]
    return refusals
