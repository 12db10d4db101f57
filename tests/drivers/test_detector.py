from __future__ import annotations

import re
from pathlib import Path
from random import Random

import pytest

import drivers.detector
from drivers.detector import Ambiguous, Clear, Model, NoFit, Unchanged, detect
from drivers.errors import ReadingError
from drivers.mistakes import mistakes_in
from records import NORTH, PASS, SOUTH, Move, Position, Rules, Turn, ruleset, ruleset_ids

from .weighing import places, weigh

ENKESHUI = ruleset("enkeshui", pits=8, setup="fours-right")
START = ENKESHUI.start()


def exact(position: Position, stores: bool = False) -> list[float]:
    return [float(count) for count in places(position, stores)]


def after(text: str) -> Turn:
    return ENKESHUI.play(START, Move.parse(text))


@pytest.mark.parametrize("stores", [False, True])
@pytest.mark.parametrize("pressed", [None, SOUTH])
@pytest.mark.parametrize("move", ["c", "d", "e", "f", "g", "g<", "g><", "g><>", "h"])
def test_each_legal_turn_is_found(move: str, pressed: object, stores: bool) -> None:
    turn = after(move)
    verdict = detect(ENKESHUI, START, exact(turn.position, stores), mover_pressed=pressed)  # type: ignore[arg-type]
    assert isinstance(verdict, Clear)
    assert verdict.turn == turn
    assert str(verdict.turn.move) == str(turn.move)
    assert verdict.confidence > 0.999


@pytest.mark.parametrize("pressed", [None, SOUTH, NORTH])
def test_a_board_that_was_not_touched(pressed: object) -> None:
    verdict = detect(ENKESHUI, START, exact(START), mover_pressed=pressed)  # type: ignore[arg-type]
    assert isinstance(verdict, Unchanged)
    assert verdict.confidence > 0.999


def test_the_wrong_button() -> None:
    verdict = detect(ENKESHUI, START, exact(after("e").position), mover_pressed=NORTH)
    assert isinstance(verdict, NoFit)
    assert (verdict.cause, verdict.nearest, verdict.mend) == ("wrong-button", after("e"), {})
    assert verdict.sentences == ("The board shows South's turn e, but North pressed the button: South has to.",)


def test_a_reading_between_two_boards_is_not_clear() -> None:
    counts = exact(after("e").position)
    counts[5] -= 0.75
    verdict = detect(ENKESHUI, START, counts, mover_pressed=SOUTH, model=Model(sensor=0.15))
    assert isinstance(verdict, Ambiguous)
    assert [candidate.turn for candidate in verdict.candidates] == [after("e")]
    assert verdict.candidates[0].probability < 0.99
    assert verdict.sentences == ("The weights fit e, but not well enough to be sure.",)


def test_a_board_that_fits_badly_is_not_clear_however_probable() -> None:
    counts = exact(after("e").position)
    counts[0] += 0.5
    assert isinstance(detect(ENKESHUI, START, counts, mover_pressed=SOUTH), NoFit)


def test_turns_that_leave_the_same_board_are_not_told_apart() -> None:
    rules = ruleset("anywoli")
    position = Position.parse("0.0.0.0.3.1.3.0.0.0.0.0/0.0.1.0.0.0.0.0.0.0.0.0 39-49 s 10")
    turn = rules.play(position, Move.parse("e"))
    assert turn.position == rules.play(position, Move.parse("f")).position
    verdict = detect(rules, position, exact(turn.position, True), mover_pressed=SOUTH)
    assert isinstance(verdict, Ambiguous)
    assert [str(candidate.turn.move) for candidate in verdict.candidates] == ["ex8", "fx8"]
    assert [candidate.probability for candidate in verdict.candidates] == pytest.approx([0.5, 0.5], abs=0.01)
    assert verdict.sentences == ("These turns leave the same board: ex8, fx8. The board cannot tell which was played.",)


PASSING = Position.parse("1.1.0.0.0.0.2.0.2.1.1.0/0.0.0.0.0.0.0.0.0.0.0.0 44-44 n 35")


def test_a_pass_is_a_press_on_an_unchanged_board() -> None:
    rules = ruleset("anywoli")
    assert rules.legal_moves(PASSING) == [PASS]
    verdict = detect(rules, PASSING, exact(PASSING), mover_pressed=NORTH)
    assert isinstance(verdict, Clear)
    assert verdict.turn.move == PASS
    assert isinstance(detect(rules, PASSING, exact(PASSING), mover_pressed=None), Unchanged)
    refused = detect(rules, PASSING, exact(PASSING), mover_pressed=SOUTH)
    assert isinstance(refused, NoFit)
    assert refused.cause == "wrong-button"


def test_more_turns_than_are_looked_at_are_never_clear(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drivers.detector, "MAX_TURNS", 3)
    verdict = detect(ENKESHUI, START, exact(after("e").position), mover_pressed=SOUTH)
    assert isinstance(verdict, Ambiguous)
    assert verdict.sentences[-1] == "More turns are legal here than could be looked at."


def test_readings_of_another_board() -> None:
    with pytest.raises(ReadingError, match="24 readings: a board with 8 pits a row has 16, or 18 with stores"):
        detect(ENKESHUI, START, [0.0] * 24, mover_pressed=None)


def turns_of(rules: Rules, seed: int, length: int) -> list[Turn]:
    """A game of random turns."""
    random, position, turns = Random(seed), rules.start(), []
    for _ in range(length):
        moves = rules.legal_moves(position)
        if not moves:
            break
        turns.append(rules.play(position, random.choice(moves)))
        position = turns[-1].position
    return turns


@pytest.mark.parametrize("stores", [False, True])
@pytest.mark.parametrize(("spread", "wanted"), [(0.03, 1.0), (0.08, 0.95)])
@pytest.mark.parametrize("game", ruleset_ids())
def test_noisy_boards_give_the_turn_or_a_question_but_never_another_turn(
    game: str, spread: float, wanted: float, stores: bool
) -> None:
    rules, random, clear, total = ruleset(game), Random(11), 0, 0
    for seed in range(4):
        for turn in turns_of(rules, seed, 40):
            readings = weigh(places(turn.position, stores), random, spread, spread)
            verdict = detect(rules, turn.before, readings, mover_pressed=turn.before.to_move)
            if isinstance(verdict, Clear):
                assert verdict.turn == turn
                clear += 1
            else:
                assert isinstance(verdict, Ambiguous | NoFit)
            total += 1
    assert clear >= wanted * total


@pytest.mark.parametrize("stores", [False, True])
@pytest.mark.parametrize("game", ruleset_ids())
def test_a_mistake_is_never_recorded_unless_the_rules_allow_that_very_board(game: str, stores: bool) -> None:
    rules, random, named, refused = ruleset(game), Random(5), 0, 0
    for turn in turns_of(rules, 2, 40):
        if turn.move == PASS:
            continue
        mistakes = list(mistakes_in(rules.trace(turn.before, turn.move)))
        if not mistakes:
            continue  # one seed that falls into the store
        mistake = random.choice(mistakes)
        lies = mistake.board[: None if stores else -2]
        verdict = detect(rules, turn.before, weigh(lies, random), mover_pressed=turn.before.to_move)
        if isinstance(verdict, Clear):
            assert places(verdict.turn.position, stores) == lies
        elif isinstance(verdict, NoFit):
            refused += 1
            named += (verdict.cause, verdict.nearest) == (mistake.cause, turn)
            target = places(verdict.nearest.position if verdict.nearest else turn.before, stores)
            assert tuple(count + verdict.mend.get(pit, 0) for pit, count in enumerate(lies)) == target
    assert refused > 0
    assert named >= 0.7 * refused  # some mistakes look like others; most are told by their name


def test_the_documented_model_is_the_one_used() -> None:
    docs = (Path(__file__).parents[2] / "docs" / "drivers.md").read_text("utf-8")
    told = {name: float(value) for name, value in re.findall(r"^\| `(\w+)` \| ([0-9.]+)", docs, re.MULTILINE)}
    assert told == {name: getattr(Model(), name) for name in Model.__dataclass_fields__}
