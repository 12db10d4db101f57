"""Lessons: each does what it says, and they cover the rules, the sentences of the sources and the options."""

import pytest

from inkeek.records import IllegalMove, Kind, Move, ruleset_ids
from inkeek.records.kernel.codes import REASONS
from inkeek.records.rules.lessons import Lesson, load_lessons, reasons_without_lesson
from inkeek.records.rules.ruleset import load_ruleset
from tests.records.positions import NO_MATTER

LESSONS = [lesson for game in ruleset_ids() for lesson in load_lessons(game).values()]
NEEDS_NO_LESSON = {*NO_MATTER, "pits", "seeds"}


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: f"{lesson.game}-{lesson.id}")
def test_every_turn_does_what_its_lesson_says(lesson: Lesson) -> None:
    for turn in lesson.turns:
        rules = lesson.rules(turn)
        played = rules.play(lesson.position, turn.move)
        trace = rules.trace(lesson.position, turn.move)
        outcome = rules.outcome(turn.position)
        assert (played.position, played.laps) == (turn.position, turn.laps)
        assert played.move.captured == Move.parse(turn.move).captured  # what is not claimed, does not happen
        assert played.move.special == Move.parse(turn.move).special
        assert (trace.events[-1].reason if played.move.kind is Kind.SOW else "") == turn.end
        assert (outcome.score if outcome else None) == turn.score
    for pit, reason in lesson.refused.items():
        with pytest.raises(IllegalMove) as refusal:
            lesson.rules(lesson.turns[0]).play(lesson.position, pit)
        assert refusal.value.reason == reason


@pytest.mark.parametrize("game", ruleset_ids())
def test_every_rule_sentence_and_option_has_a_lesson_or_a_reason(game: str) -> None:
    info, lessons = load_ruleset(game), load_lessons(game)
    assert {lesson.rule for lesson in lessons.values()} == set(info.rules)
    assert not lessons.keys() & reasons_without_lesson().keys()
    assert {clause.lesson for clause in info.clauses} <= {*lessons, *reasons_without_lesson()}
    values = {option.name: set[object]() for option in info.options if option.name not in NEEDS_NO_LESSON}
    for lesson in lessons.values():
        for turn in lesson.turns if len(lesson.turns) > 1 else ():
            for name, value in turn.options.items():
                values[name].add(value)
    assert [name for name, shown in values.items() if len(shown) < 2] == []


def test_every_reason_why_a_turn_ends_is_shown() -> None:
    assert {turn.end for lesson in LESSONS for turn in lesson.turns} == set(REASONS) - {"stopped"}  # of local games
