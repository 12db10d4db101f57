"""Games for the benchmarks: mancala records and chess games of as many plies, played at random, as files."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

import chess
import chess.pgn

from records import Game, Move, Ply, Position, Rules, ruleset, write_game

CHOICES = 50  # legal moves that one is drawn from: enough, and few positions have more


@dataclass(frozen=True)
class Corpus:
    """Two files with as many games of as many plies."""

    pmn: Path
    pgn: Path
    games: int
    plies: int


def random_plies(rng: Random, rules: Rules) -> Iterator[tuple[Position, Move]]:
    """A game played at random to its end or to 200 plies: every position with the move that is played in it."""
    position = rules.start()
    for _ in range(200):
        moves = rules.legal_moves(position, limit=CHOICES)
        if not moves:
            return
        move = rng.choice(moves)
        yield position, move
        position = rules.play(position, move).position


def clock(ply: int) -> str:
    """What a board writes beside a move."""
    return f"[%clk 0:{59 - ply // 4 % 60:02}:{59 - ply * 7 % 60:02}]"


def mancala_game(rng: Random, rules: Rules, number: int, clocks: bool) -> Game:
    """A record of a random game that is right, whose result says that it was broken off where it did not end."""
    plies = []
    position = rules.start()
    for ply, (before, move) in enumerate(random_plies(rng, rules)):
        plies.append(Ply(move, comments=(clock(ply),) if clocks else ()))
        position = rules.play(before, move).position
    outcome = rules.outcome(position)
    tags = {
        "Event": f"Random game {number}",
        "Site": "here",
        "Date": "2026.11.21",
        "Round": str(number),
        "Result": outcome.result if outcome else "*",
        "Game": rules.id,
    }
    return Game(tags, tuple(plies))


def chess_game(rng: Random, number: int, plies: int, clocks: bool) -> chess.pgn.Game:
    """A random game of chess of exactly so many plies: one that ends before is begun again."""
    while True:
        game = chess.pgn.Game()
        game.headers.update(Event=f"Random game {number}", Site="here", Date="2026.11.21", Round=str(number))
        node: chess.pgn.GameNode = game
        board = chess.Board()
        for ply in range(plies):
            moves = list(board.legal_moves)
            if not moves:
                break
            move = rng.choice(moves)
            node = node.add_variation(move, comment=clock(ply) if clocks else "")
            board.push(move)
        else:
            return game


def make(folder: Path, games: int, clocks: bool, game: str) -> Corpus:
    """Write both files into `folder`; with the same arguments always the same."""
    rng = Random(game)
    rules = ruleset(game)
    name = "clocks" if clocks else "plain"
    corpus = Corpus(folder / f"{name}.pmn", folder / f"{name}.pgn", games, 0)
    plies = 0
    with corpus.pmn.open("w", encoding="utf-8") as pmn, corpus.pgn.open("w", encoding="utf-8") as pgn:
        for number in range(1, games + 1):
            record = mancala_game(rng, rules, number, clocks)
            plies += len(record.plies)
            print(write_game(record), file=pmn)
            print(chess_game(rng, number, len(record.plies), clocks), end="\n\n", file=pgn)
    return Corpus(corpus.pmn, corpus.pgn, games, plies)


def in_turn(rounds: int, *tasks: Callable[[], object], clock: Callable[[], float] = time.process_time) -> list[float]:
    """The median seconds of each task, all of them run one after the other in every round: A B A B … Processor time of
    this process, which other work on the machine hardly changes, unless another clock is given."""
    took: list[list[float]] = [[] for _ in tasks]
    for _ in range(rounds):
        for task, seconds in zip(tasks, took, strict=True):
            began = clock()
            task()
            seconds.append(clock() - began)
    return [statistics.median(seconds) for seconds in took]
