from __future__ import annotations

from random import Random

import pytest

from inkeek.records import Kind, Move, Position, PositionError, Rules, Turn, ruleset
from inkeek.records.findings import Evidence, find_since

from .slipped_turns import SlippedTurn, random_position, slipped_turn

ENKESHUI = ruleset("enkeshui", pits=8, setup="fours-right")
OWARE = ruleset("oware")


def played_on(rng: Random, rules: Rules, wrong: SlippedTurn, count: int) -> tuple[list[Move], Position] | None:
    """So many turns after a slipped one, on the board that it left; None if the rules allow fewer."""
    position = wrong.turn.position
    pits = len(position.pits)
    position = position.replaced(pits=wrong.board[:pits], stores=wrong.board[pits:])
    moves = [wrong.turn.move.choice]
    try:
        rules = rules.starting_from(position)
    except PositionError:  # a bull was emptied: nobody could write down what follows
        return None
    for _ in range(count):
        turns = [turn for turn in rules.turns(position, limit=40) if turn.move.kind is Kind.SOW]
        if not turns:
            return None
        turn = rng.choice(turns)
        moves.append(turn.move.choice)
        position = turn.position
    return moves, position


def evidence(position: Position, now: Position) -> Evidence:
    return Evidence(before=position, counts=(*now.pits, *now.stores))


def some_turns(rng: Random, rules: Rules, count: int) -> list[Turn]:
    turns: list[Turn] = []
    position = random_position(rng, rules)
    for _ in range(count):
        legal = [turn for turn in rules.turns(position, limit=40) if turn.move.kind is Kind.SOW]
        if not legal:
            break
        turns.append(rng.choice(legal))
        position = turns[-1].position
    return turns


@pytest.mark.parametrize("rules", [ENKESHUI, OWARE], ids=["enkeshui", "oware"])
def test_turns_that_agree_with_the_board_all_do(rules: Rules) -> None:
    turns = some_turns(Random(1), rules, 6)
    found = find_since(
        rules, turns[0].before, [turn.move for turn in turns], evidence(turns[0].before, turns[-1].position)
    )
    assert found.agreed == len(turns) == found.played
    assert found.accounts[0].legal


@pytest.mark.parametrize("rules", [ENKESHUI, OWARE], ids=["enkeshui", "oware"])
@pytest.mark.parametrize("later", [0, 1, 4])
def test_the_turn_that_went_wrong_is_found(rules: Rules, later: int) -> None:
    rng, tried, right, listed = Random(10 + later), 0, 0, 0
    for code in ("skip", "double", "lose", "instead", "reverse", "break-off", "jump", "other-pit"):
        wrong = slipped_turn(rng, rules, code)
        after = wrong and not wrong.held and wrong.turn.position.ply and played_on(rng, rules, wrong, later)
        if not wrong or not after:
            continue
        moves, now = after
        found = find_since(rules, wrong.turn.before, moves, evidence(wrong.turn.before, now))
        tried += 1
        truth = [
            one for one in found.accounts if one.ply == 0 and one.kinds == wrong.kinds and one.board == wrong.board
        ]
        listed += bool(truth)
        right += found.agreed == 0
    assert tried >= 4
    assert listed >= tried - 1
    # Where the slip changed nothing that the later turns met, it may as well have happened in one of these.
    assert right >= 0.4 * tried


def test_a_turn_that_cannot_be_played_as_written_ends_what_is_certain() -> None:
    # c skips e; then D is played by the rules from that board, and so on. What is written fits the wrong board only.
    wrong = next(turn for seed in range(50) if (turn := slipped_turn(Random(seed), OWARE, "skip")) is not None)
    after = played_on(Random(3), OWARE, wrong, 3)
    assert after is not None
    moves, now = after
    found = find_since(
        OWARE, wrong.turn.before, [*moves, Move.parse("a")][: len(moves)], evidence(wrong.turn.before, now)
    )
    assert 1 <= found.played <= len(moves)
    assert (found.wrong is None) == (found.played == len(moves))


def test_mending_leads_to_the_position_after_all_turns() -> None:
    wrong = next(turn for seed in range(50) if (turn := slipped_turn(Random(seed), ENKESHUI, "lose")) is not None)
    after = played_on(Random(5), ENKESHUI, wrong, 2)
    assert after is not None
    moves, now = after
    found = find_since(ENKESHUI, wrong.turn.before, moves, evidence(wrong.turn.before, now))
    for account in found.accounts:
        if account.ply == 0 and account.target is not None and found.wrong is None:
            mended = [n + (account.mend or {}).get(place, 0) for place, n in enumerate((*now.pits, *now.stores))]
            assert tuple(mended) == (*account.target.pits, *account.target.stores)


def test_no_moves_are_refused() -> None:
    with pytest.raises(ValueError, match="0 moves"):
        find_since(OWARE, OWARE.start(), [], evidence(OWARE.start(), OWARE.start()))
