"""The kernel held against the reference and against itself: `prove` in small, and what must be true of any turn."""

from random import Random

import pytest
from hypothesis import given, settings

from inkeek.records import PASS, IllegalMove, Move, Position, ruleset, ruleset_ids
from inkeek.records.kernel.loader import MODES, kernel_module
from tests.records import positions, prove, reference

TURNS = (4_000, 20_000)  # compared of each rule set in the quick tier and in all tests; `make proof` compares more


@pytest.mark.parametrize("id", ruleset_ids())
@pytest.mark.parametrize("turns", TURNS)
def test_both_twins_sow_as_the_reference_does(turns, id):
    count = prove.prove(id, turns, seed=1)
    assert count["turns"] >= turns
    assert count["long"] < count["positions"] // 100


@pytest.mark.parametrize("direction", ["cw", "ccw"])
@pytest.mark.parametrize(("id", "pits"), [("layli-goobalay", 6), ("layli-goobalay", 12), ("bof", 5)])
def test_twins_sow_every_handful_from_every_pit_alike(id, pits, direction):
    rules = ruleset(id, pits=pits, direction=direction)
    size = 2 * pits
    for start in range(size):
        side, index = divmod(start, pits)
        for hand in range(1, 2 * size + 2):
            for elsewhere in (0, 1, 3):
                board = [elsewhere] * size
                board[start] = hand
                turns = []
                for mode in MODES:
                    kernel = kernel_module(mode).Kernel(rules.family, rules.options, rules.seeds)
                    kernel.load(tuple(board), (0,) * size, (0, 0), side, 9)
                    status = kernel.sow(side, index, 0, 0)
                    turns.append((status, kernel.failure(), kernel.result()))
                assert turns[0] == turns[1], (board, start)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("id", ruleset_ids())
def test_perft_counts_what_legal_moves_lists(id, mode):
    rng = Random(id)
    for _ in range(5 if mode == "compiled" else 2):
        rules = positions.random_rules(rng, id, mode)
        for position in (positions.constructed(rng, rules), rules.start()):
            if len(rules.legal_moves(position)) > 40:
                continue
            counts = [0, 0, 0, 0]
            stack = [(position, 0)]
            while stack:
                now, depth = stack.pop()
                counts[depth] += 1
                if depth < (3 if rules.row < 8 else 2):
                    stack += [(rules.play(now, move).position, depth + 1) for move in rules.legal_moves(now)]
            for depth, count in enumerate(counts[: 4 if rules.row < 8 else 3]):
                assert rules.perft(position, depth) == count, f"{rules!r} in {position}, depth {depth}"


@settings(max_examples=200)
@given(positions.games())
def test_what_is_not_listed_is_refused_and_what_is_listed_is_played(game):
    rules, position = game
    moves = rules.legal_moves(position, limit=200)
    for move in moves:
        turn = rules.play(position, move)
        assert (turn.move, turn.move.captured, turn.move.special) == (move, move.captured, move.special)
        assert turn.position.seeds == position.seeds
    if not moves.complete:
        return
    starts = {move.pit for move in moves}
    for pit in range(2 * rules.row):
        letter = position.letter(pit)
        if letter in starts:
            continue
        with pytest.raises(IllegalMove) as caught:
            rules.play(position, Move(letter))
        assert caught.value.reason == expected_reason(rules, position, pit), f"{letter} in {position}"
    if PASS not in moves:
        with pytest.raises(IllegalMove) as caught:
            rules.play(position, PASS)
        assert caught.value.reason == "must-move"
    assert (rules.outcome(position) is None) == bool(moves)


def expected_reason(rules, position, pit):
    mark = position.marks[pit]
    if position.side_of(pit) is not position.to_move:
        return "not-your-pit"
    if mark == 3:
        return "closed-pit"
    if mark:
        return "special-pit"
    if position.pits[pit] == 0:
        return "empty-pit"
    if rules.options.get("first_move") == "right-end" and position.ply == 0 and pit % rules.row != rules.row - 1:
        return "first-move"
    if pit not in reference.starts(reference.board_of(rules.info.family, rules.options, position)):
        return "game-over" if rules.outcome(position) else "must-feed"
    return "endless-sowing"


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("id", "options", "move", "text"),
    [
        ("enkeshui", {}, "D", "1.3.2.1.0.3.0.3.0.6.3.1/3.2.1.2.3.4.1.2.1.0.1.5 0-0 n 0"),
        ("layli-goobalay", {}, "C", "1.0.1.0.1.4.3.0.1.0.1.2/0.6.8.1.5.0.1.2.6.0.1.6 35-11 n 27"),
        ("bof", {"direction": "cw"}, "E", "12.10.12.x.x/x.x.x.x.6 0-0 n 4"),
    ],
)
def test_a_cycle_has_the_length_that_keeping_every_state_finds(id, options, move, text, mode):
    rules, position = ruleset(id, kernel=mode, **options), Position.parse(text)
    move = Move.parse(move)
    (endless,) = (
        turn
        for turn in reference.all_turns(rules.info.family, rules.options, position, 200_000)
        if isinstance(turn, reference.Endless) and turn.pit == move.pit_index(rules.row) and not turn.choices
    )
    trace = rules.trace(position, move)
    assert trace.cycle == endless.cycle
    assert trace.turn is None
    with pytest.raises(IllegalMove, match=f"repeats every {endless.cycle} laps"):
        rules.play(position, move)


def test_the_twins_tell_a_long_cycle_alike():
    position = Position.parse("5.3.4.8.2.3/4.3.6.5.2.3 0-0 s 1")
    messages = set()
    for mode in MODES:
        rules = ruleset("layli-goobalay", pits=6, kernel=mode).starting_from(position)
        with pytest.raises(IllegalMove) as caught:
            rules.play(position, Move("a"))
        messages.add(caught.value.message)
    assert messages == {"the sowing never ends: it repeats every 241358 laps"}


LONG = "<><<<<><<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<>><<<<<<<><"
# Of this position's turns many have dozens of choices, and some of these run into cycles of very many laps.
WIDE = Position.parse("2.1.1.2.2.3.4.4/6.3.2.3.3.6.2.4 0-0 s 1")


def cycle_of(rules, position, move):
    """Return the laps after which this turn repeats, found by remembering every state."""
    board = reference.board_of(rules.info.family, rules.options, position)
    choices = [-1 if sign == "<" else 1 for sign in move.choices]
    at, laps = move.pit_index(rules.row), 0
    states = {(tuple(board.pits), at, board.direction): 0}
    while True:
        at, laps = reference.lap(board, at), laps + 1
        state = (tuple(board.pits), at, board.direction)
        if state in states:
            return laps - states[state]
        states[state] = laps
        if reference.may_choose(board):
            board.sown = frozenset()
            if choices:
                board.direction = choices.pop(0)


def test_a_turn_comes_back_to_where_it_was_before_its_choices():
    rules, move = ruleset("enkeshui", pits=8), Move.parse("d" + LONG)
    with pytest.raises(IllegalMove, match=f"repeats every {cycle_of(rules, WIDE, move)} laps"):
        rules.play(WIDE, move)


@pytest.mark.parametrize("mode", MODES)
def test_turns_with_very_many_choices_are_listed_as_far_as_asked_for(mode):
    rules = ruleset("enkeshui", pits=8, kernel=mode)
    limit = 100 if mode == "compiled" else 5
    moves = rules.legal_moves(WIDE, limit)
    assert len(moves) == limit
    assert not moves.complete
    for move in moves:
        assert rules.play(WIDE, move).move == move
