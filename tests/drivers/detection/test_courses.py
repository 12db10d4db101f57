"""Several turns on the board: recorded only where one course alone can have been played."""

import random

import pytest

from inkeek.drivers.detection.courses import MAX_TRACED, boards_after, find_courses, is_being_sown, may_lie_turned
from inkeek.drivers.detection.detector import detect
from inkeek.drivers.detection.evidence import BoardReports
from inkeek.drivers.detection.verdicts import Begun, Clear, NoFit, Several
from inkeek.drivers.orientation import turn_values
from inkeek.records import NORTH, SOUTH, Position, ruleset
from inkeek.records.findings.account_steps import boards_during

GAMES = ("kalah", "oware", "enkeshui", "enkeshui-wikipedia", "anywoli", "layli-goobalay", "bof")


def after(rules, position, *moves):
    """The turns that the moves are."""
    turns = []
    for move in moves:
        turns.append(rules.play(turns[-1].position if turns else position, move))
    return tuple(turns)


def counts(position, stores=True):
    return tuple(map(float, (*position.pits, *(position.stores if stores else ()))))


def unexplained(*_):
    """In place of the search for what happened: these tests are about what is certain."""
    return NoFit("unknown", 0.0, None, {}, ()), 0.0


def hands(rules, course):
    """The pits that hands empty in order, by the trace."""
    events = [event for turn in course for event in rules.trace(turn.before, turn.move).events]
    return tuple(event.pit for event in events if event.kind in ("lift", "take") and event.pit >= 0)


def certain(verdict):
    return verdict.certain if isinstance(verdict, Several) else None


def test_all_extra_moves_of_kalah_and_one_press_are_one_course():
    rules, position = ruleset("kalah"), Position.parse("5.5.1.6.5.0/5.0.6.6.5.0 2-2 s 4")
    played = after(rules, position, "b", "f", "c")
    verdict = detect(rules, position, counts(played[-1].position), pressed_by=SOUTH, explain=unexplained)
    assert certain(verdict) == played


def test_reports_on_the_way_that_contradict_the_only_course_are_asked_about():
    rules, position = ruleset("kalah"), Position.parse("5.5.1.6.5.0/5.0.6.6.5.0 2-2 s 4")
    board = counts(after(rules, position, "b", "f", "c")[-1].position)
    verdict = detect(rules, position, board, pressed_by=SOUTH, seen=BoardReports((5, 1, 2)), explain=unexplained)
    assert isinstance(verdict, Several)
    assert verdict.certain is None


def test_choices_that_leave_equal_counts_are_asked_about():
    rules, position = ruleset("enkeshui", pits=8), Position.parse("1.9.0.1.2.0.1.6/12.0.5.1.2.1.2.3 2-0 s 2")
    board = counts(after(rules, position, "b<=G", "A<")[-1].position)
    verdict = detect(rules, position, board, pressed_by=NORTH, explain=unexplained)
    assert isinstance(verdict, Several)
    assert verdict.certain is None
    assert ["b<=G", "A<"] in [[str(turn.move) for turn in course] for course in verdict.courses]


@pytest.mark.parametrize(
    ("position", "moves", "is_certain"),
    [
        # c and a seed that slipped: then South would have pressed
        ("0.4.2.0.0.0/2.0.1.0.0.0 24-15 s 118", ("c", "C"), True),
        # a, D and a seed that slipped: North would have pressed too
        ("1.0.1.7.0.3/3.0.2.16.3.0 2-10 s 40", ("c", "Dx7"), False),
    ],
)
def test_two_turns_are_no_slip_after_a_turn_of_the_side_that_did_not_press(position, moves, is_certain):
    rules, position = ruleset("oware"), Position.parse(position)
    played = after(rules, position, *moves)
    board = counts(played[-1].position, stores=False)
    verdict = detect(rules, position, board, pressed_by=NORTH, explain=unexplained)
    assert certain(verdict) == (played if is_certain else None)
    assert certain(detect(rules, position, board, pressed_by=None, explain=unexplained)) is None
    (other,) = after(rules, position, "b" if is_certain else "d")
    seen = BoardReports(boards=(other.position.pits,))  # what lay there is of neither turn
    assert certain(detect(rules, position, board, pressed_by=NORTH, seen=seen, explain=unexplained)) is None


@pytest.mark.parametrize("pressed", [NORTH, SOUTH, None])
def test_seeds_that_are_put_away_are_no_turn(pressed):
    rules, position = ruleset("oware"), Position.parse("1.0.4.2.0.0/0.0.1.2.2.13 2-21 n 51")
    verdict = detect(rules, position, (0.0,) * 12, pressed_by=pressed, explain=unexplained)
    assert not isinstance(verdict, Clear)
    assert certain(verdict) is None


def test_the_last_turn_before_the_seeds_are_taken_is_asked_about():
    rules, position = ruleset("kalah"), Position.parse("0.0.0.0.0.1/0.0.2.0.0.0 20-25 s 40")
    (turn,) = after(rules, position, "f")
    swept = (0.0,) * 12 + (21.0, 27.0)
    verdict = detect(rules, position, swept, pressed_by=SOUTH, explain=unexplained)
    assert isinstance(verdict, Several)
    assert (verdict.courses, verdict.certain) == (((turn,),), None)


def played(rules, rng, length):
    """A random course from a random position; None: the game ended."""
    position = rules.start()
    for _ in range(rng.randrange(30)):
        turns = list(rules.turns(position))
        if not turns or rules.outcome(position):
            return None
        position = rng.choice(turns).position
    course = []
    for _ in range(length):
        turns = list(rules.turns(position))
        if not turns or rules.outcome(position):
            return None
        course.append(rng.choice(turns))
        position = course[-1].position
    return None if str(course[-1].move) == "--" else tuple(course)


@pytest.mark.parametrize("game", GAMES)
def test_a_course_is_certain_only_if_it_was_played(game):
    """With reports on the way it always is."""
    rules, rng = ruleset(game), random.Random(4)
    for number in range(40):
        course = played(rules, rng, 2 + number % 3)
        if course is None:
            continue
        start, last = course[0].before, course[-1]
        seen = BoardReports(hands(rules, course))
        board, side = counts(last.position, stores=number % 2), last.before.to_move
        verdict = detect(rules, start, board, pressed_by=side, explain=unexplained)
        assert certain(verdict) in (None, course)
        verdict = detect(rules, start, board, pressed_by=side, seen=seen, explain=unexplained)
        assert certain(verdict) == course or find_courses(rules, start, tuple(map(round, board))).searched < len(course)


@pytest.mark.parametrize("game", GAMES)
def test_a_seed_that_went_astray_makes_no_other_turns_of_both_sides(game):
    rules, rng = ruleset(game), random.Random(7)
    for _ in range(40):
        course = played(rules, rng, 2)
        if course is None or course[0].before.to_move is course[1].before.to_move:
            continue
        board = list(counts(course[-1].position))
        source = rng.choice([pit for pit, seeds in enumerate(board[:-2]) if seeds])
        board[source] -= 1
        board[(source + rng.choice((-1, 1))) % (len(board) - 2)] += 1
        for pressed in (SOUTH, NORTH):
            verdict = detect(rules, course[0].before, board, pressed_by=pressed, explain=unexplained)
            assert certain(verdict) is None
            assert not isinstance(verdict, Begun) or verdict.first.position == course[0].position


def seen_boards(rules, start, boards):
    """What a board reports of those that lay there."""
    found = ()
    for board in boards:
        if any(board in some for some in boards_after(rules, start, found, len(board))) and board not in found[-1:]:
            found = (*found, board)
    return BoardReports(boards=found)


@pytest.mark.parametrize("game", GAMES)
def test_the_board_between_two_turns_tells_them_from_others_and_a_slip(game):
    rules, rng = ruleset(game), random.Random(8)
    unclear = 0
    for number in range(40):
        course = played(rules, rng, 2)
        if course is None or course[0].before.to_move is course[1].before.to_move:
            continue
        start, stores = course[0].before, number % 2
        board = counts(course[1].position, stores)
        for pressed in (course[1].before.to_move, None):
            if certain(detect(rules, start, board, pressed_by=pressed, explain=unexplained)) is not None:
                continue
            unclear += 1
            lay = [tuple(map(int, counts(turn.position, stores))) for turn in course]
            for boards in (lay[:1], lay):
                seen = seen_boards(rules, start, boards)
                found = detect(rules, start, board, pressed_by=pressed, seen=seen, explain=unexplained)
                assert certain(found) == course
    assert unclear > 4


@pytest.mark.parametrize("game", GAMES)
def test_a_board_that_a_slip_left_between_two_turns_is_none_of_another_turn(game):
    rules, rng = ruleset(game), random.Random(9)
    for number in range(20):
        course = played(rules, rng, 2)
        if course is None or course[0].before.to_move is course[1].before.to_move:
            continue
        lay = [list(map(int, counts(turn.position, number % 2))) for turn in course]
        source = rng.choice([pit for pit, seeds in enumerate(lay[0]) if seeds and lay[1][pit]] or [0])
        for board in lay:
            board[source] -= 1
            board[(source + rng.choice((-1, 1))) % len(board)] += 1
        start, between, end = course[0].before, *map(tuple, lay)
        seen = seen_boards(rules, start, (between, end))
        for pressed in (SOUTH, NORTH):
            verdict = detect(rules, start, tuple(map(float, end)), pressed_by=pressed, seen=seen, explain=unexplained)
            found = certain(verdict)
            assert found is None or (*found[0].position.pits, *found[0].position.stores)[: len(end)] == between


def test_a_turn_out_of_turn_before_another_is_not_two_legal_turns():
    rules = ruleset("kalah")
    start = Position.parse("4.4.4.0.5.5/5.4.4.4.4.4 1-0 n 1")
    (out_of_turn,) = after(rules, start.replaced(to_move=SOUTH), "e")
    (first, second) = legal = after(rules, start, "F", "e")
    boards = [tuple(map(int, counts(turn.position))) for turn in (out_of_turn, first, second)]
    for lay, course in ((boards[:1], None), (boards[1:2], legal)):
        seen = seen_boards(rules, start, [*lay, boards[2]])
        verdict = detect(rules, start, boards[2], pressed_by=SOUTH, seen=seen, explain=unexplained)
        assert certain(verdict) == course


def test_a_turn_is_recorded_whose_button_comes_when_the_other_side_has_begun():
    rules = ruleset("oware")
    (first, second) = after(rules, rules.start(), "c", "C")
    board = next(iter(boards_during(rules.trace(first.position, second.move))))
    verdict = detect(rules, rules.start(), tuple(map(float, board.counts)), pressed_by=SOUTH, explain=unexplained)
    assert isinstance(verdict, Begun)
    assert (verdict.first, verdict.is_certain) == (first, True)
    other = detect(rules, rules.start(), tuple(map(float, board.counts)), pressed_by=NORTH, explain=unexplained)
    assert not isinstance(other, Begun)


def test_where_too_many_turns_are_legal_none_is_certain_because_the_others_do_not_fit():
    rules = ruleset("enkeshui", pits=8, setup="fours-right", direction_choice="each-relay")
    position = Position.parse("3.1.0.2.2.7.3.8/4.1.0.1.0.7.7.2 0-0 n 3")
    turns = rules.turns(position)
    assert len(turns) > MAX_TRACED
    late = next(turn for turn in reversed(turns) if rules.turns(turn.position, MAX_TRACED).complete)
    reply = rules.turns(late.position)[0]
    board = tuple(map(float, next(iter(boards_during(rules.trace(late.position, reply.move)))).counts))
    assert is_being_sown(rules, position, board) is None
    verdict = detect(rules, position, board, pressed_by=NORTH, explain=unexplained)
    assert not isinstance(verdict, Begun)
    assert is_being_sown(rules, position, board, turns=turns[:1]) is False


def test_a_board_that_lies_turned_shows_other_turns_from_the_start():
    rules = ruleset("oware")
    start = rules.start()
    (first, second) = after(rules, start, "e", "F")
    seen = turn_values(counts(second.position), 6)  # South played e, and North F, on a board that lies turned
    assert may_lie_turned(rules, start, seen, SOUTH, 2)
    assert not may_lie_turned(rules, start, seen, NORTH, 2)
    assert not may_lie_turned(rules, start, counts(first.position), SOUTH, 2)
