from __future__ import annotations

import re
from random import Random

import pytest
from hypothesis import example, given, settings, strategies as st

from inkeek.drivers.detection import detector
from inkeek.drivers.detection.detector import detect
from inkeek.drivers.detection.noise_model import NoiseModel
from inkeek.drivers.detection.verdicts import Ambiguous, Begun, Clear, NoFit, Several, TakenBack, Unchanged
from inkeek.records import NORTH, PASS, SOUTH, Move, Position, Rules, Turn, ruleset, ruleset_ids
from inkeek.records.kernel.loader import kernel_module
from tests.drivers.detection.weighing import places, random_turns, weigh
from tests.records.findings.slip_scenes import Scene, every_slip

ENKESHUI = ruleset("enkeshui", pits=8, setup="fours-right")
START = ENKESHUI.start()
# The cause that the detector names for a slip of the hands.
NAMES = {
    "left-behind": "left-behind",
    "picked-elsewhere": "picked-up",
    "wrong-way": "wrong-way",
    "pit-skipped": "skipped",
    "pit-given-two": "doubled",
    "dropped-elsewhere": "dropped-elsewhere",
    "seed-lost": "seed-lost",
    "seed-added": "seed-added",
    "stopped-early": "unfinished",
    "relayed-too-far": "relayed-on",
    "special-emptied": "special-emptied",
    "other-lap": "wrong-pit",
    "capture-missed": "captured-left",
    "capture-partial": "captured-part",
    "capture-wrong-pit": "captured-elsewhere",
    "capture-wrong-store": "wrong-store",
    "capture-wrongly": "captured-wrongly",
    "special-missed": "unmarked",
    "special-wrongly": "wrong-mark",
    "other-row": "wrong-row",
    "special-started": "special-emptied",
    "moved-twice": "moved-twice",
    "next-turn": "two-turns",
    "out-of-turn": "wrong-side",
    "previous-unfinished": "previous-unfinished",
    "bumped": "bumped",
}


def exact(position: Position, stores: bool = False) -> list[float]:
    return [float(count) for count in places(position, stores)]


def after(text: str) -> Turn:
    return ENKESHUI.play(START, Move.parse(text))


def words(sentence: str) -> set[str]:
    return set(re.findall(r"\w+", sentence))


@pytest.mark.parametrize("game", ["anywoli", "oware"])
def test_a_clear_turn_takes_one_sowing_of_each_legal_turn(game: str, monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = kernel_module("interpreted").Kernel
    rules, sown, sow = ruleset(game, kernel="interpreted"), [], kernel._play
    turns = rules.turns(rules.start())
    monkeypatch.setattr(kernel, "_play", lambda self, pit: (sown.append(pit), sow(self, pit))[1])
    verdict = detect(
        rules, rules.start(), exact(turns[0].position, True), pressed_by=SOUTH, before=exact(rules.start(), True)
    )
    assert isinstance(verdict, Clear)
    assert len(sown) == len(turns)


@pytest.mark.parametrize("pressed", [None, SOUTH, NORTH])
def test_an_untouched_board_is_unchanged(pressed: object) -> None:
    verdict = detect(ENKESHUI, START, exact(START), pressed_by=pressed)  # type: ignore[arg-type]
    assert isinstance(verdict, Unchanged)
    assert verdict.confidence > 0.999


def test_the_wrong_button_is_refused() -> None:
    verdict = detect(ENKESHUI, START, exact(after("e").position), pressed_by=NORTH)
    assert isinstance(verdict, NoFit)
    assert (verdict.cause, verdict.nearest, verdict.mend) == ("wrong-button", after("e"), {})
    (sentence,) = verdict.sentences
    assert {"South", "North", "e"} <= words(sentence)


def test_a_button_of_no_side_is_an_error() -> None:
    with pytest.raises(ValueError, match="'South'"):
        detect(ENKESHUI, START, exact(START), pressed_by="South")  # type: ignore[arg-type]


def test_a_reading_between_two_boards_is_not_clear() -> None:
    counts = exact(after("e").position)
    counts[5] -= 0.75
    verdict = detect(ENKESHUI, START, counts, pressed_by=SOUTH, model=NoiseModel(sensor=0.15))
    assert isinstance(verdict, Ambiguous)
    assert [candidate.turn for candidate in verdict.candidates] == [after("e")]
    assert verdict.candidates[0].probability > 0.99  # that it is this turn, although a seed may lie wrong
    (sentence,) = verdict.sentences
    assert "e" in words(sentence)


def test_a_board_that_fits_badly_is_not_clear_even_if_probable() -> None:
    counts = exact(after("e").position)
    counts[0] += 0.5
    verdict = detect(ENKESHUI, START, counts, pressed_by=SOUTH)
    assert isinstance(verdict, Ambiguous)
    assert verdict.candidates[0].turn == after("e")
    (sentence,) = verdict.sentences
    assert "e" in words(sentence)
    counts[0] += 0.2
    assert isinstance(detect(ENKESHUI, START, counts, pressed_by=SOUTH), NoFit)


def test_turns_that_leave_the_same_board_are_ambiguous() -> None:
    rules = ruleset("anywoli")
    position = Position.parse("0.0.0.0.3.1.3.0.0.0.0.0/0.0.1.0.0.0.0.0.0.0.0.0 39-49 s 10")
    turn = rules.play(position, Move.parse("e"))
    assert turn.position == rules.play(position, Move.parse("f")).position
    verdict = detect(rules, position, exact(turn.position, True), pressed_by=SOUTH)
    assert isinstance(verdict, Ambiguous)
    assert [str(candidate.turn.move) for candidate in verdict.candidates] == ["ex8", "fx8"]
    assert [candidate.probability for candidate in verdict.candidates] == pytest.approx([0.5, 0.5], abs=0.01)
    (sentence,) = verdict.sentences
    assert "ex8, fx8" in sentence


PASSING = Position.parse("1.1.0.0.0.0.2.0.2.1.1.0/0.0.0.0.0.0.0.0.0.0.0.0 44-44 n 35")


def test_the_movers_button_on_an_unchanged_board_is_a_pass() -> None:
    rules = ruleset("anywoli")
    assert rules.legal_moves(PASSING) == [PASS]
    verdict = detect(rules, PASSING, exact(PASSING), pressed_by=NORTH)
    assert isinstance(verdict, Clear)
    assert verdict.turn.move == PASS
    assert isinstance(detect(rules, PASSING, exact(PASSING), pressed_by=None), Unchanged)
    refused = detect(rules, PASSING, exact(PASSING), pressed_by=SOUTH)
    assert isinstance(refused, NoFit)
    assert refused.cause == "wrong-button"


def test_nothing_is_clear_when_there_are_too_many_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(detector, "MAX_TURNS", 3)
    verdict = detect(ENKESHUI, START, exact(after("e").position), pressed_by=SOUTH)
    assert isinstance(verdict, Ambiguous)
    assert "3" in words(verdict.sentences[-1])


@pytest.mark.parametrize("stores", [False, True])
@pytest.mark.parametrize(("spread", "wanted"), [(0.03, 1.0), (0.08, 0.95)])
@pytest.mark.parametrize("game", ruleset_ids())
def test_noisy_readings_never_give_another_turn(game: str, spread: float, wanted: float, stores: bool) -> None:
    rules, random, clear, total = ruleset(game), Random(11), 0, 0
    for seed in range(4):
        for turn in random_turns(rules, Random(seed), 40):
            readings = weigh(places(turn.position, stores), random, spread, spread)
            verdict = detect(rules, turn.before, readings, pressed_by=turn.before.to_move)
            if isinstance(verdict, Clear):
                assert verdict.turn == turn
                clear += 1
            else:
                assert isinstance(verdict, Ambiguous | NoFit)
            total += 1
    assert clear >= wanted * total


def test_a_mistake_is_never_clear_unless_a_legal_turn_leaves_the_same_board() -> None:
    """Hands that know nothing of the detector slip. `known`: the readings before are known and all seeds weigh the
    same; otherwise seeds vary."""
    random, named, refused = Random(5), 0, 0
    turns = [(rules, turn) for rules in map(ruleset, ruleset_ids()) for turn in random_turns(rules, Random(2), 40)[::6]]
    for rules, turn in turns:
        if turn.move == PASS:
            continue
        slipped = random.choice(list(every_slip(Scene(rules, turn.before, None))))
        kind = slipped.slips[0].kind
        mover = turn.before.to_move
        for stores, known in ((False, False), (True, False), (True, True)):
            stone = 0.0 if known else 0.03
            board = (*slipped.pits, *(slipped.stores if stores else ()))
            verdict = detect(
                rules,
                turn.before,
                weigh(board, random, stone),
                pressed_by=mover.other if kind in ("next-turn", "out-of-turn") else mover,
                model=None if known else NoiseModel(sensor=0.03, stone=0.03, gain=0, relative=0),
                before=weigh(places(turn.before, stores), random, stone) if known else None,
            )
            if isinstance(verdict, Clear):
                assert places(verdict.turn.position, stores) == board
            elif isinstance(verdict, NoFit | Several | Begun):
                refused += 1
                cause = verdict.cause if isinstance(verdict, NoFit) else "two-turns"
                if isinstance(verdict, Several) and kind != "next-turn":
                    continue  # another course looks the same, so people say which
                named += NAMES[kind] in (cause, *verdict.alike)
            if isinstance(verdict, NoFit):
                target = places(verdict.nearest.position if verdict.nearest else turn.before, stores)
                assert tuple(count + verdict.mend.get(pit, 0) for pit, count in enumerate(board)) == target
    assert refused > 50
    assert named >= 0.95 * refused


def played(rules: Rules, *moves: str) -> list[Position]:
    """The positions of a game, the start and the last one with them."""
    positions = [rules.start()]
    for move in moves:
        positions.append(rules.play(positions[-1], Move.parse(move)).position)
    return positions


GAME = played(ENKESHUI, "e", "E", "d")


@pytest.mark.parametrize("plies", [1, 2, 3])
def test_turns_taken_back_are_found(plies: int) -> None:
    *earlier, now = GAME
    verdict = detect(ENKESHUI, now, exact(earlier[-plies], True), pressed_by=None, earlier=earlier)
    assert isinstance(verdict, TakenBack)
    assert (verdict.plies, verdict.position) == (plies, earlier[-plies])
    assert verdict.confidence > 0.99
    (sentence,) = verdict.sentences
    assert str(plies) in words(sentence)


def test_a_turn_can_be_taken_back_after_the_end_of_the_game() -> None:
    last = random_turns(ENKESHUI, Random(1), 500)[-1]
    assert ENKESHUI.outcome(last.position) is not None
    verdict = detect(ENKESHUI, last.position, exact(last.before, True), pressed_by=None, earlier=[last.before])
    assert isinstance(verdict, TakenBack)
    assert verdict.plies == 1


def test_a_legal_turn_back_to_an_earlier_board_needs_its_button() -> None:
    then = ENKESHUI.play(GAME[-1], Move.parse("B")).position
    counts = exact(then, True)
    assert isinstance(detect(ENKESHUI, GAME[-1], counts, pressed_by=NORTH, earlier=[then]), Clear)
    verdict = detect(ENKESHUI, GAME[-1], counts, pressed_by=None, earlier=[then])
    assert isinstance(verdict, Ambiguous)
    assert verdict.sentences == (detector.SETTLED,)


def test_a_board_during_a_turn_is_ambiguous_until_somebody_presses() -> None:
    """If stores are not weighed, half of e's turn leaves the same pits as the whole of c's."""
    rules = ruleset("bof")
    position = Position.parse("1.11.1.0.7/4.0.0.6.1 5-4 s 4")
    turn = rules.play(position, Move.parse("c"))
    pressed = detect(rules, position, exact(turn.position), pressed_by=SOUTH)
    assert isinstance(pressed, Clear)
    assert pressed.turn == turn
    assert isinstance(detect(rules, position, exact(turn.position), pressed_by=None), Ambiguous)
    assert isinstance(detect(rules, position, exact(turn.position, True), pressed_by=None), Clear)


@settings(max_examples=50)
@given(st.sampled_from(ruleset_ids()), st.integers(0, 10**6), st.booleans(), st.booleans(), st.booleans())
def test_every_legal_turn_is_found_or_ambiguous(game: str, seed: int, stores: bool, known: bool, button: bool) -> None:
    rules = ruleset(game)
    turns = random_turns(rules, Random(seed), 12)
    position = turns[-1].before
    before = exact(position, stores) if known else None
    ends = [rules.play(position, move) for move in rules.legal_moves(position)]
    boards = [places(end.position, stores) for end in ends]
    for end, board in zip(ends, boards, strict=True):
        counts = exact(end.position, stores)
        pressed = position.to_move if button else None
        verdict = detect(rules, position, counts, pressed_by=pressed, before=before)
        again = detect(rules, position, counts, pressed_by=pressed, before=before)
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


@settings(max_examples=50)
@given(
    st.sampled_from(ruleset_ids()),
    st.integers(0, 10**6),
    st.lists(st.tuples(st.integers(0, 25), st.integers(0, 25)), min_size=1, max_size=4),
    st.booleans(),
)
@example("layli-goobalay", 104, [(0, 2), (1, 2)], True)
@example("layli-goobalay", 104, [(0, 2), (1, 2)], False)
def test_a_board_that_no_turn_leaves_is_never_clear(
    game: str, seed: int, moved: list[tuple[int, int]], button: bool
) -> None:
    """Seeds moved at random after a turn; the readings before are known and all seeds weigh the same."""
    rules = ruleset(game)
    turn = random_turns(rules, Random(seed), 12)[-1]
    board = [*places(turn.position, True)]
    for start, end in moved:
        start, end = start % len(board), end % len(board)
        if board[start]:
            board[start] -= 1
            board[end] += 1
    verdict = detect(
        rules,
        turn.before,
        [float(count) for count in board],
        pressed_by=turn.before.to_move if button else None,
        before=exact(turn.before, True),
    )
    if isinstance(verdict, Clear):
        assert [*places(verdict.turn.position, True)] == board
    if isinstance(verdict, Unchanged):
        assert [*places(turn.before, True)] == board
    if isinstance(verdict, Several) and verdict.certain:
        assert [*places(verdict.certain[-1].position, True)] == board
    if isinstance(verdict, NoFit):
        target = places(verdict.nearest.position if verdict.nearest else turn.before, True)
        assert [count + verdict.mend.get(pit, 0) for pit, count in enumerate(board)] == [*target]


def test_a_rearrangement_is_asked_about_and_among_the_answers() -> None:
    rules = ruleset("enkeshui-wikipedia", pits=8, setup="fours-right")
    for text in ("ch@a3c1e4", "ce@b1c3e4"):  # the second moves a single seed: a slip leaves that board too
        turn = rules.play(rules.start(), text)
        verdict = detect(rules, rules.start(), exact(turn.position), pressed_by=SOUTH)
        assert isinstance(verdict, Ambiguous | NoFit)
        offered = verdict.candidates[0].turn
        assert offered.position == turn.position
