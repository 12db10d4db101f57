import copy
import io
import pickle
from random import Random

import pytest

from inkeek.records import (
    NORTH,
    Board,
    IllegalMove,
    Move,
    MoveSyntaxError,
    Position,
    RecordsError,
    read_games,
    ruleset,
    ruleset_ids,
    write_game,
)
from inkeek.records.analysis import Limits, analyse
from inkeek.records.analysis.annotation import annotate
from inkeek.records.rules.play import rules_at


@pytest.mark.parametrize("id", ruleset_ids())
def test_a_game_that_is_played_can_be_written_copied_compared_and_taken_back(id):
    rng, board = Random(id), Board(ruleset(id))
    while not board.is_game_over() and len(board.turns) < 60:
        move = rng.choice(board.legal_moves)
        board.push(rng.choice([move, str(move), move.choice_text]))
    game = board.game(South="A")
    (read,) = read_games(io.StringIO(write_game(game)))
    assert [problem.code for problem in read.problems if problem.code != "missing-race"] == []
    assert (tuple(read), read.tags["Result"], read.rules()) == (board.turns, board.result(), board.rules)
    assert (board.outcome() is None) == (read.replay().outcome is None)
    assert hash(pickle.loads(pickle.dumps(read))) == hash(copy.deepcopy(read)) == hash(read)
    assert "\n" not in repr(read)
    other = copy.copy(board)
    assert other == pickle.loads(pickle.dumps(board)) == board
    assert [other.pop() for _ in board.turns] == list(reversed(board.turns))
    assert other == Board(ruleset(id))
    assert other != board
    with pytest.raises(IndexError):
        other.pop()


def test_a_copy_has_all_turns_or_the_last_ones_or_none():
    board = Board(ruleset("oware"))
    for move in ("c", "C", "a"):
        board.push(move)
    whole, last, bare = board.copy(), board.copy(stack=1), board.copy(stack=False)
    assert whole == board == board.copy(stack=9)
    assert (last.start, last.turns) == (board.turns[2].before, board.turns[2:])
    assert (bare.start, bare.turns) == (board.position, ())
    whole.pop()
    assert len(board.turns) == 3
    assert Board(board.rules).copy() == Board(board.rules)


RULES = ruleset("oware")
START = str(RULES.start())
OF_RULES = [Board, lambda rules: analyse(rules, RULES.start(), Limits(depth=1))]
OF_A_POSITION = [
    lambda position: Board(RULES, position),
    lambda position: analyse(RULES, position, Limits(depth=1)),
    lambda position: analyse(RULES, RULES.start(), Limits(depth=1), history=[position]),
    lambda position: RULES.play(position, "c"),
    lambda position: RULES.is_legal(position, "c"),
    lambda position: RULES.explain(position, "c"),
    lambda position: RULES.perft(position, 1),
    *(RULES.turns, RULES.legal_moves, RULES.outcome, RULES.board, RULES.verify_position, RULES.starting_from),
    *(RULES.score, RULES.final_score, lambda position: RULES.repetition(position, 3)),
    lambda position: rules_at("oware", {}, position),
]
OF_A_GAME = [write_game, lambda game: annotate(game, Limits(depth=1))]


@pytest.mark.parametrize(
    ("call", "value"),
    [(call, value) for call in OF_RULES for value in ("bof", b"bof", None, Board(RULES))]
    + [(call, value) for call in OF_A_POSITION for value in (START, START.encode(), 3, RULES, Board(RULES))]
    + [(call, value) for call in OF_A_GAME for value in ("games.pmn", None, Board(RULES), Move.parse("c"))]
    + [(Position.parse, None), (Position.parse, START.encode()), (Move.parse, b"c"), (Board(RULES).push, None)]
    + [(lambda limits: analyse(RULES, RULES.start(), limits), 1.0)]
    + [(lambda value: write_game(Board(RULES).game(Round=value)), 3)],
)
def test_what_is_of_another_kind_is_refused_with_what_would_be_right(call, value):
    if (call, value) == (OF_A_POSITION[0], START):
        return  # a board takes the text of a position
    with pytest.raises(TypeError, match="expected") as raised:
        call(value)
    assert repr(value)[:80] in str(raised.value)


def test_a_repetition_ends_the_game_unless_nobody_claims_it():
    start = Position.parse("0.0.0.0.0.1/0.0.0.0.0.1 23-23 s 40")
    board = Board(ruleset("oware", majority_end=False).starting_from(start))
    while not board.is_game_over():
        board.push(board.legal_moves[0])
    assert not board.is_game_over(repetition=False)
    assert (board.outcome().termination, board.result(repetition=False)) == ("repetition", "*")
    (game,) = read_games(io.StringIO(write_game(board.game())))
    assert (game.problems, game.replay().outcome.result) == ((), board.result())
    board.pop()
    assert not board.is_game_over()


def test_a_text_does_for_a_move():
    rules = ruleset("bof")
    start = rules.start()
    assert rules.play(start, "a") == rules.play(start, Move.parse("a"))
    assert rules.is_legal(start, "a")
    assert not rules.is_legal(start, "ax1")
    assert rules.explain(start, "A") == rules.explain(start, Move.parse("A"))
    assert rules.trace(start, "a").turn == rules.play(start, "a")
    board = Board(rules)
    for text, error in (("A", IllegalMove), ("what", MoveSyntaxError), (3, TypeError), (None, TypeError)):
        with pytest.raises(error):
            board.push(text)
    assert board.turns == ()


def test_rules_are_equal_by_value():
    rules = ruleset("oware")
    other = rules.starting_from(Position.parse("0.0.0.0.0.1/0.0.0.0.0.1 23-23 s 40"))
    assert {rules, ruleset("oware"), pickle.loads(pickle.dumps(rules))} == {rules}
    assert len({rules, other, ruleset("oware", repetition=0), ruleset("kalah")}) == 4
    assert rules != "oware"


def test_a_position_may_be_a_text_and_an_unknown_tag_is_refused():
    rules = ruleset("oware")
    board = Board(rules, str(Board(rules).push("c").position))
    assert board.position.to_move is NORTH
    assert board.game(South="A", my_note="x").tags["my_note"] == "x"
    with pytest.raises(RecordsError, match="'Sout': did you mean South"):
        board.game(Sout="A")


def test_the_repr_of_a_move_is_what_makes_it():
    assert eval(repr(Move.parse("cx16"))) == Move.parse("c")
