from __future__ import annotations

import re
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import drivers.detection.detector
from drivers.detection.detector import Ambiguous, Clear, NoFit, NoiseModel, TakenBack, TwoTurns, Unchanged, detect
from drivers.detection.sowing_errors import mistakes_in
from drivers.errors import ReadingError
from records import NORTH, PASS, SOUTH, Move, Position, Rules, Side, Turn, ruleset, ruleset_ids
from tests.drivers.detection.weighing import places, weigh

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
    verdict = detect(ENKESHUI, START, counts, mover_pressed=SOUTH, model=NoiseModel(sensor=0.15))
    assert isinstance(verdict, Ambiguous)
    assert [candidate.turn for candidate in verdict.candidates] == [after("e")]
    assert verdict.candidates[0].probability < 0.99
    assert verdict.sentences == ("The weights fit e, but not well enough to be sure.",)


def test_a_board_that_fits_badly_is_not_clear_however_probable() -> None:
    counts = exact(after("e").position)
    counts[0] += 0.5
    verdict = detect(ENKESHUI, START, counts, mover_pressed=SOUTH)
    assert isinstance(verdict, Ambiguous)
    assert verdict.candidates[0].turn == after("e")
    assert verdict.sentences == ("The weights are nearest to e, but not near enough to be sure.",)
    counts[0] += 0.2
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
    monkeypatch.setattr(drivers.detection.detector, "MAX_TURNS", 3)
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


@pytest.mark.parametrize(("stores", "known"), [(False, False), (True, False), (True, True)])
@pytest.mark.parametrize("game", ruleset_ids())
def test_a_mistake_is_never_recorded_unless_the_rules_allow_that_very_board(
    game: str, stores: bool, known: bool
) -> None:
    """`known`: what the board read before, with seeds all alike; else how much they vary."""
    stone = 0.0 if known else 0.03
    rules, random, named, refused = ruleset(game), Random(5), 0, 0
    for turn in turns_of(rules, 2, 40)[known::2]:
        if turn.move == PASS:
            continue
        mistakes = list(mistakes_in(rules.trace(turn.before, turn.move)))
        if not mistakes:
            continue  # one seed that falls into the store
        mistake = random.choice(mistakes)
        lies = mistake.board.counts[: None if stores else -2]
        verdict = detect(
            rules,
            turn.before,
            weigh(lies, random, stone),
            mover_pressed=turn.before.to_move,
            model=None if known else NoiseModel(sensor=0.03, stone=0.03),
            before=weigh(places(turn.before, stores), random, stone) if known else None,
        )
        if isinstance(verdict, Clear):
            assert places(verdict.turn.position, stores) == lies
        elif isinstance(verdict, NoFit):
            refused += 1
            named += mistake.cause in (verdict.cause, *verdict.alike)
            target = places(verdict.nearest.position if verdict.nearest else turn.before, stores)
            assert tuple(count + verdict.mend.get(pit, 0) for pit, count in enumerate(lies)) == target
    assert refused > 0
    assert named >= 0.95 * refused


def played(rules: Rules, *moves: str) -> list[Position]:
    """The positions of a game, the start and the last one with them."""
    positions = [rules.start()]
    for move in moves:
        positions.append(rules.play(positions[-1], Move.parse(move)).position)
    return positions


GAME = played(ENKESHUI, "e", "E", "d")


@pytest.mark.parametrize("plies", [1, 2, 3])
def test_turns_taken_back(plies: int) -> None:
    *earlier, now = GAME
    verdict = detect(ENKESHUI, now, exact(earlier[-plies], True), mover_pressed=None, earlier=earlier)
    assert isinstance(verdict, TakenBack)
    assert (verdict.plies, verdict.position) == (plies, earlier[-plies])
    assert verdict.confidence > 0.99
    told = ["The last turn was taken back: the board lies as before it."]
    if plies > 1:
        told = [f"The last {('two', 'three')[plies - 2]} turns were taken back: the board lies as before them."]
    assert list(verdict.sentences) == told


def test_a_turn_is_taken_back_after_the_end_of_the_game_too() -> None:
    last = turns_of(ENKESHUI, 1, 500)[-1]
    assert ENKESHUI.outcome(last.position) is not None
    verdict = detect(ENKESHUI, last.position, exact(last.before, True), mover_pressed=None, earlier=[last.before])
    assert isinstance(verdict, TakenBack)
    assert verdict.plies == 1


def test_a_legal_turn_to_an_earlier_board_is_only_taken_for_one_when_its_button_says_so() -> None:
    then = ENKESHUI.play(GAME[-1], Move.parse("B")).position
    counts = exact(then, True)
    assert isinstance(detect(ENKESHUI, GAME[-1], counts, mover_pressed=NORTH, earlier=[then]), Clear)
    verdict = detect(ENKESHUI, GAME[-1], counts, mover_pressed=None, earlier=[then])
    assert isinstance(verdict, Ambiguous)
    assert verdict.sentences == (
        "Nobody pressed a button, and the board may also be one on the way to another turn, or as it was before.",
    )


@pytest.mark.parametrize("pressed", [None, SOUTH, NORTH])
def test_two_turns_at_once(pressed: Side | None) -> None:
    first = after("e")
    second = ENKESHUI.play(first.position, Move.parse("D"))
    verdict = detect(ENKESHUI, START, exact(second.position, True), mover_pressed=pressed)
    assert isinstance(verdict, TwoTurns)
    assert (verdict.first, verdict.second, verdict.complete) == (first, second, True)
    assert verdict.confidence >= NoiseModel().clear
    assert verdict.sentences == (f"Two turns lie on the board: South's {first.move} and then North's {second.move}.",)


def test_two_turns_that_are_not_sure_enough_are_refused() -> None:
    first = after("e")
    second = ENKESHUI.play(first.position, Move.parse("D"))
    vague = NoiseModel(sensor=0.3, clear=0.9999)
    verdict = detect(ENKESHUI, START, exact(second.position, True), mover_pressed=NORTH, model=vague)
    assert isinstance(verdict, NoFit)
    assert (verdict.cause, verdict.nearest) == ("two-turns", first)


def test_a_turn_begun_before_the_last_one_was_committed() -> None:
    first = after("e")
    lies = [*places(first.position, True)]
    lies[11], lies[12], lies[13] = 0, lies[12] + 1, lies[13] + 1  # D is lifted, and two of its seeds are sown
    verdict = detect(ENKESHUI, START, [float(count) for count in lies], mover_pressed=SOUTH)
    assert isinstance(verdict, TwoTurns)
    assert (verdict.first, verdict.second.move.pit, verdict.complete) == (first, "D", False)
    assert verdict.confidence >= NoiseModel().clear
    assert verdict.sentences[0].startswith("South's e is complete, and North has already begun D")


def test_a_board_on_the_way_to_a_turn_is_not_taken_for_another_one_while_nobody_has_pressed() -> None:
    """Where stores are not weighed, half of e's turn leaves the pits as all of c's does."""
    rules = ruleset("bof")
    position = Position.parse("1.11.1.0.7/4.0.0.6.1 5-4 s 4")
    turn = rules.play(position, Move.parse("c"))
    pressed = detect(rules, position, exact(turn.position), mover_pressed=SOUTH)
    assert isinstance(pressed, Clear)
    assert pressed.turn == turn
    assert isinstance(detect(rules, position, exact(turn.position), mover_pressed=None), Ambiguous)
    assert isinstance(detect(rules, position, exact(turn.position, True), mover_pressed=None), Clear)


@settings(deadline=None, max_examples=50)
@given(st.sampled_from(ruleset_ids()), st.integers(0, 10**6), st.booleans(), st.booleans(), st.booleans())
def test_every_legal_turn_is_found_or_cannot_be_told_apart(
    game: str, seed: int, stores: bool, known: bool, button: bool
) -> None:
    rules = ruleset(game)
    turns = turns_of(rules, seed, 12)
    position = turns[-1].before
    before = exact(position, stores) if known else None
    ends = [rules.play(position, move) for move in rules.legal_moves(position)]
    boards = [places(end.position, stores) for end in ends]
    for end, board in zip(ends, boards, strict=True):
        counts = exact(end.position, stores)
        pressed = position.to_move if button else None
        verdict = detect(rules, position, counts, mover_pressed=pressed, before=before)
        again = detect(rules, position, counts, mover_pressed=pressed, before=before)
        assert verdict == again
        if boards.count(board) > 1 or (isinstance(verdict, Ambiguous) and not button):
            assert isinstance(verdict, Ambiguous)
            assert end in [candidate.turn for candidate in verdict.candidates]
        elif end.move == PASS and not button:
            assert isinstance(verdict, Unchanged)
        else:
            assert isinstance(verdict, Clear)
            assert verdict.turn == end
            assert verdict.turn.position.seeds == position.seeds


@settings(deadline=None, max_examples=50)
@given(
    st.sampled_from(ruleset_ids()),
    st.integers(0, 10**6),
    st.lists(st.tuples(st.integers(0, 25), st.integers(0, 25)), min_size=1, max_size=4),
    st.booleans(),
)
def test_no_board_that_no_turn_leads_to_is_taken_for_one(
    game: str, seed: int, moved: list[tuple[int, int]], button: bool
) -> None:
    """Seeds moved by chance after a turn; with what the board read before, and weights that are all the same."""
    rules = ruleset(game)
    turn = turns_of(rules, seed, 12)[-1]
    lies = [*places(turn.position, True)]
    for start, end in moved:
        start, end = start % len(lies), end % len(lies)
        if lies[start]:
            lies[start] -= 1
            lies[end] += 1
    verdict = detect(
        rules,
        turn.before,
        [float(count) for count in lies],
        mover_pressed=turn.before.to_move if button else None,
        before=exact(turn.before, True),
    )
    if isinstance(verdict, Clear):
        assert [*places(verdict.turn.position, True)] == lies
    if isinstance(verdict, Unchanged):
        assert [*places(turn.before, True)] == lies
    if isinstance(verdict, TwoTurns) and verdict.complete:
        assert [*places(verdict.second.position, True)] == lies
        assert verdict.second.before == verdict.first.position
    if isinstance(verdict, NoFit):
        target = places(verdict.nearest.position if verdict.nearest else turn.before, True)
        assert [count + verdict.mend.get(pit, 0) for pit, count in enumerate(lies)] == [*target]


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), -20_000.0])
def test_degenerate_counts_are_refused(bad: float) -> None:
    for at in (0, 17):
        counts = exact(START, True)
        counts[at] = bad
        with pytest.raises(ReadingError, match=f"sensor {at} reads"):
            detect(ENKESHUI, START, counts, mover_pressed=SOUTH)
        with pytest.raises(ReadingError, match=f"sensor {at} reads"):
            detect(ENKESHUI, START, exact(START, True), mover_pressed=SOUTH, before=counts)
    for counts in ([], [4.0] * 15, [4.0] * 17):
        with pytest.raises(ReadingError, match="readings: a board with 8 pits a row has"):
            detect(ENKESHUI, START, counts, mover_pressed=SOUTH)


def test_the_documented_model_is_the_one_used() -> None:
    docs = (Path(__file__).parents[3] / "docs" / "drivers.md").read_text("utf-8")
    told = {name: float(value) for name, value in re.findall(r"^\| `(\w+)` \| ([0-9.]+)", docs, re.MULTILINE)}
    assert told == {name: getattr(NoiseModel(), name) for name in NoiseModel.__dataclass_fields__}
