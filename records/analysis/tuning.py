"""Tuning the weights of the estimate by self-play: of two sets of weights, the one that wins shows the way."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, astuple
from random import Random

from records.play import Rules
from records.position import Position

from .results import Limits
from .search import analyse
from .weights import Weights

MAX_PLIES = 400  # of a game; a longer one counts as it stands
OPENING = 6  # random turns, so that games differ


def tune(rules: Rules, weights: Weights, rng: Random, nodes: int, step: float = 0.05) -> Iterator[Weights]:
    """Yield better and better weights, one set after each pair of games (SPSA).

    A pair of games from one random opening, sides changed, is played with all weights a random step up or down against
    the opposite steps; the weights then move towards the winner's, by the seeds it won. `nodes`: positions searched for
    a turn; `step`: in seeds.
    """
    has_specials = "special" in rules.info.terms
    while True:
        signs = [rng.choice((-1, 1)) if name != "special" or has_specials else 0 for name in asdict(weights)]
        one, other = (
            Weights(*(value + way * sign * step for value, sign in zip(astuple(weights), signs, strict=True)))
            for way in (1, -1)
        )
        start = random_opening(rules, rng)
        gain = play_game(rules, start, (one, other), nodes) - play_game(rules, start, (other, one), nodes)
        move = step * gain / (2 * rules.seeds)
        weights = Weights(*(value + sign * move for value, sign in zip(astuple(weights), signs, strict=True)))
        yield weights


def random_opening(rules: Rules, rng: Random) -> Position:
    """A position after a few random turns, at which the game goes on."""
    while True:
        board = rules.board(rules.start())
        for _ in range(OPENING):
            legal = board.legal()
            if not legal:
                break
            board.push(rng.choice(legal))
        if board.legal():
            return board.position()


def play_game(rules: Rules, position: Position, weights: tuple[Weights, Weights], nodes: int) -> int:
    """A game between two sets of weights, for (South, North); South's seeds less North's at its end."""
    passed: list[Position] = []
    needed = int(rules.options.get("repetition", 3)) or MAX_PLIES
    while len(passed) < MAX_PLIES:
        same = [one for one in passed if one[:4] == position[:4]]
        found = analyse(
            rules, position, Limits(nodes=nodes), memory=1, history=passed, weights=weights[position.to_move]
        )
        if not found.lines[0].moves or len(same) + 1 >= needed:
            break
        passed.append(position)
        position = rules.play(position, found.lines[0].moves[0]).position
    south, north = rules.final_score(position)
    return south - north
