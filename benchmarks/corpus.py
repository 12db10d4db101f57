"""Files of random games for the benchmarks: mancala records and chess games with as many plies."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

import chess
import chess.pgn

from inkeek.records import Game, Move, Ply, Position, Rules, ruleset, write_game

CHOICES = 50  # legal moves that one is drawn from: enough, and few positions have more
KINDS = ("moves", "clocks", "annotated")  # nothing but moves; a clock beside every move; see `comment`
TAGS = {"Site": "West hall", "Date": "2026.11.20", "South": "West bench", "North": "East bench"}


@dataclass(frozen=True)
class Corpus:
    """Two files with the same number of games and plies."""

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


def comment(ply: int, kind: str) -> str:
    """The comment on a ply: in an annotated file a clock and who moved, and words at every fifth ply."""
    clock = f"[%clk 0:{59 - ply // 4 % 60:02}:{59 - ply * 7 % 60:02}]"
    if kind == "annotated":
        name = ("Nasieku", "Lemayian")[ply % 2]
        return f'{clock} [%by "{name}"]{" played after a long look at the other row" * (ply % 5 == 0)}'
    return clock if kind == "clocks" else ""


def tags_of(number: int, kind: str) -> dict[str, str]:
    """The tags of a mancala or chess game."""
    more = {**TAGS, "TimeControl": "600+5", "Recorder": "board 12"} if kind == "annotated" else {"Site": "here"}
    return {"Event": f"Random game {number}", "Date": "2026.11.21", "Round": str(number), **more}


def mancala_game(rng: Random, rules: Rules, number: int, kind: str) -> Game:
    """A correct record of a random game. Its result is ``*`` if it was broken off."""
    plies = []
    position = rules.start()
    for ply, (before, move) in enumerate(random_plies(rng, rules)):
        text = comment(ply, kind)
        nags = (1,) if kind == "annotated" and ply % 10 == 0 else ()
        plies.append(Ply(move, nags, (text,) if text else ()))
        position = rules.play(before, move).position
    outcome = rules.outcome(position)
    tags = {**tags_of(number, kind), "Result": outcome.result if outcome else "*", "Game": rules.id}
    if outcome and kind == "annotated":
        tags |= {"Score": f"{outcome.score[0]}-{outcome.score[1]}", "Termination": outcome.termination}
    return Game(tags, tuple(plies))


def chess_game(rng: Random, number: int, plies: int, kind: str) -> chess.pgn.Game:
    """A random game of chess with exactly so many plies. A game that ends earlier is replaced by another."""
    while True:
        game = chess.pgn.Game()
        game.headers.update(
            {
                name.replace("South", "White").replace("North", "Black"): value
                for name, value in tags_of(number, kind).items()
            }
        )
        node: chess.pgn.GameNode = game
        board = chess.Board()
        for ply in range(plies):
            moves = list(board.legal_moves)
            if not moves:
                break
            move = rng.choice(moves)
            nags = [1] if kind == "annotated" and ply % 10 == 0 else []
            node = node.add_variation(move, comment=comment(ply, kind), nags=nags)
            board.push(move)
        else:
            if kind == "annotated":
                game.headers.update(Score="26-22", Termination="normal")
            return game


def make(folder: Path, games: int, kind: str, game: str) -> Corpus:
    """Write both files into `folder`; with the same arguments always the same."""
    rng = Random(game)
    rules = ruleset(game)
    corpus = Corpus(folder / f"{kind}.pmn", folder / f"{kind}.pgn", games, 0)
    plies = 0
    with corpus.pmn.open("w", encoding="utf-8") as pmn, corpus.pgn.open("w", encoding="utf-8") as pgn:
        for number in range(1, games + 1):
            record = mancala_game(rng, rules, number, kind)
            plies += len(record.plies)
            print(write_game(record), file=pmn)
            print(chess_game(rng, number, len(record.plies), kind), end="\n\n", file=pgn)
    return Corpus(corpus.pmn, corpus.pgn, games, plies)


def in_turn(rounds: int, *tasks: Callable[[], object], clock: Callable[[], float] = time.process_time) -> list[float]:
    """The median seconds of each task. Every round runs all tasks, in turn. The default clock is this process's
    processor time, which other work on the machine hardly changes."""
    took: list[list[float]] = [[] for _ in tasks]
    for _ in range(rounds):
        for task, seconds in zip(tasks, took, strict=True):
            began = clock()
            task()
            seconds.append(clock() - began)
    return [statistics.median(seconds) for seconds in took]
