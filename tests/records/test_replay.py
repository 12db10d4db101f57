"""A line that the kernel plays at one go is the line that is played move by move."""

from dataclasses import replace
from random import Random

import pytest

from inkeek.records import Game, IllegalMove, Move, Position, Rules, ruleset, ruleset_ids
from inkeek.records.errors import RecordsError
from inkeek.records.kernel.loader import MODES
from inkeek.records.moves import PASS
from inkeek.records.record import Ply
from inkeek.records.replay import LinePlayer, play_ply

from . import positions


def played(rules, start, moves):
    """The turns of the moves one by one, and the error that ends them."""
    turns, now = [], start
    for index, move in enumerate(moves):
        try:
            turns.append(play_ply(rules, now, Ply(move), moves[index - 1] if index else None))
        except RecordsError as error:
            return turns, str(error)
        now = turns[-1].position
    return turns, None


def followed(rules, start, moves):
    """The same with a `LinePlayer`."""
    player = LinePlayer(rules, start, moves)
    while True:
        player.play()
        at = player.count
        if at == len(moves):
            assert player.texts() == list(map(str, player.positions()))
            return player.turns(player.positions()), None
        try:
            player.add(play_ply(rules, player.position(at), Ply(moves[at]), moves[at - 1] if at else None))
        except RecordsError as error:
            return player.turns(player.positions()), str(error)


def spoilt(rng: Random, move: Move) -> Move:
    """The move with one thing about it changed; it may still be right."""
    return rng.choice(
        [
            replace(move, pit=rng.choice("abcdefghlmzABCDEFGHLMZ")),
            replace(move, choices=move.choices + rng.choice(["<", ">", "<>" * 40])),
            replace(move, captured=(rng.randrange(5), rng.randrange(2))),
            replace(move, special=rng.choice(["", "a", "bB", "aa", "z"])),
            replace(move, captured=None, special=None),
            PASS,
        ]
    )


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("id", ruleset_ids())
def test_a_line_is_played_as_move_by_move(id, mode):
    rng = Random(f"{id} line")
    for _ in range(12 if mode == "compiled" else 4):
        rules = positions.random_rules(rng, id)
        rules = ruleset(id, kernel=mode, **rules.options)
        moves = []
        now = rules.start()
        while len(moves) < 40 and (legal := rules.legal_moves(now, 30)):
            moves.append(rng.choice(legal))
            now = rules.play(now, moves[-1]).position
        assert followed(rules, rules.start(), moves) == played(rules, rules.start(), moves)
        for _ in range(8):
            wrong = list(moves)
            at = rng.randrange(len(wrong))
            wrong[at] = spoilt(rng, wrong[at])
            assert followed(rules, rules.start(), wrong) == played(rules, rules.start(), wrong)


def test_a_line_goes_on_after_a_turn_that_sows_nothing():
    rules = ruleset("enkeshui", pits=8, rearrangement="initial")
    moves = [Move.parse(text) for text in ("gh@a4b4", "a", "B", "c", "~?", "E", "f")]
    comments = {4: ('[%after "0.0.0.4.4.4.4.4/0.0.5.5.5.5.5.3 0-0 n 9"]',)}
    plies = tuple(Ply(move, comments=comments.get(index, ())) for index, move in enumerate(moves))
    replay = Game({"Game": "enkeshui", "Options": "pits=8"}, plies).replay()
    now, turns = rules.start(), []
    for index, ply in enumerate(plies):
        turns.append(play_ply(rules, now, ply, moves[index - 1] if index else None))
        now = turns[-1].position
    assert list(replay.turns) == turns
    assert replay.texts == list(map(str, replay.positions))
    assert [position.ply for position in replay.positions] == [0, 0, 1, 2, 3, 9, 10, 11]


def test_moves_without_a_code():
    assert PASS.code is None
    assert Move.parse("~d").code is None
    assert Move("a", "<" * 65).code is None
    assert Move("a", special="bb").code is None
    assert Move("C", "><", captured=(3, 1), special="bD").code == (1, 2, 0b01, 2, 3, 1, 0b10, 0b1000)


@pytest.mark.parametrize("mode", MODES)
def test_an_illegal_move_leaves_the_player_where_it_was(mode):
    rules: Rules = ruleset("bof", kernel=mode)
    player = LinePlayer(rules, rules.start(), [Move.parse("a"), Move.parse("b")])
    player.play()
    assert player.count == 1
    with pytest.raises(IllegalMove):
        rules.play(player.position(1), Move.parse("b"))
    assert player.position(1) == Position.parse("0.0.5.5.5/0.5.5.5.5 5-0 n 1")
