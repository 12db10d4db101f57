"""Make the collection of self-play that ships, and its pictures: ``python -m benchmarks.analysis.self_play``.

Plays the games of every rule set (or of those named), writes them into `records/analysis/self_play/games`, and draws
the pictures of docs/selfplay.md from all that are there; ``make docs`` writes its tables. The same seed makes the same
games. With ``--games 0`` only the pictures are drawn again.
"""

from __future__ import annotations

import argparse
import bz2
import json
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from itertools import islice
from pathlib import Path
from random import Random

from inkeek.records import Position, Rules, ruleset, ruleset_ids
from inkeek.records.analysis.search import load_weights
from inkeek.records.analysis.self_play.collection import (
    VALUED_TURNS,
    VALUES_PER_SEED,
    Making,
    SelfPlayGame,
    file_name,
    read_collection,
)

from . import self_play_picture
from .playing import Player, play_game, random_opening
from .self_play_figures import Mean, SelfPlayFigures, figures_of, quantile

ROOT = Path(__file__).parents[2]
GAMES = ROOT / "records" / "analysis" / "self_play" / "games"
IMAGES = ROOT / "docs" / "img"
PICTURES = {
    "selfplay-differences.svg": self_play_picture.differences,
    "selfplay-lengths.svg": self_play_picture.lengths,
    "selfplay-captures.svg": self_play_picture.captures,
}
OPENINGS = (4, 6, 8)  # random turns before the players choose; even numbers, so that South goes on
MAX_TRIES = 50  # random openings that are looked at for one with a new position


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=2000, help="of each rule set; 0: only draw the pictures again")
    parser.add_argument("--game", action="append", choices=ruleset_ids(), help="one rule set; may be repeated")
    parser.add_argument("--nodes", type=int, default=300, help="positions searched for a turn")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--into", type=Path, default=GAMES, help="folder of the games")
    parser.add_argument("--pictures", type=Path, default=IMAGES, help="folder of the pictures")
    options = parser.parse_args()
    for id in options.game or ruleset_ids() if options.games else []:
        making = Making(id, options.seed, options.nodes, load_weights(id))
        began = time.process_time()
        data = write_collection(making, islice(make_games(ruleset(id), making), options.games))
        (options.into / file_name(id)).write_bytes(data)
        taken = time.process_time() - began
        print(f"{id}: {options.games} games, {len(data):,} bytes, {taken:.0f} s of processor time", flush=True)
    figures = read_figures(options.into)
    for name, draw in PICTURES.items():
        (options.pictures / name).write_text(draw(named(figures)), "utf-8")


def make_games(rules: Rules, making: Making) -> Iterator[SelfPlayGame]:
    """Play game after game, each from a random opening that no game before came to, as long as there are such. The
    same `making` gives the same games again."""
    rng = Random(f"{making.seed} {making.game}")
    seen: set[Position] = set()
    while True:
        plies = rng.choice(OPENINGS)
        for _ in range(MAX_TRIES):
            opening, position = random_opening(rules, rng, plies)
            if position not in seen:
                break
        players = (Player(rules, making.nodes, making.weights), Player(rules, making.nodes, making.weights))
        played = play_game(rules, opening, players)
        board = rules.board(rules.start())
        for move in played.moves[: max(OPENINGS)]:
            board.push(move)
            seen.add(board.position())
        yield SelfPlayGame(played.moves, tuple(map(_round_value, played.values[:VALUED_TURNS])), played.outcome)


def _round_value(value: float) -> float:
    return round(VALUES_PER_SEED * value) / VALUES_PER_SEED


def write_collection(making: Making, games: Iterable[SelfPlayGame]) -> bytes:
    """The collection as a compressed text."""
    return bz2.compress("\n".join([json.dumps(asdict(making)), *map(_line, games), ""]).encode())


def _line(game: SelfPlayGame) -> str:
    moves = " ".join(move.choice_text for move in game.moves)
    values = " ".join(str(round(VALUES_PER_SEED * value)) for value in game.values)
    return f"{moves}|{values}|{game.outcome.termination}|{game.outcome.score[0]}-{game.outcome.score[1]}"


def read_figures(folder: Path) -> dict[str, SelfPlayFigures]:
    """The figures of every rule set whose games are in a folder."""
    files = {id: folder / file_name(id) for id in ruleset_ids()}
    return {
        id: figures_of(ruleset(id), read_collection(file.read_bytes()).games)
        for id, file in files.items()
        if file.is_file()
    }


def named(figures: Mapping[str, SelfPlayFigures]) -> dict[str, SelfPlayFigures]:
    """By the name of the game instead of the rule set's id."""
    return {ruleset(id).info.name: found for id, found in figures.items()}


def tables(figures: Mapping[str, SelfPlayFigures]) -> str:
    """The tables of the page."""
    won = [
        [
            id,
            f"{found.games:,}",
            f"{found.south:,}",
            f"{found.drawn:,}",
            f"{found.north:,}",
            _mean(found.score, 100),
            _mean(found.difference, 1, sign="+"),
        ]
        for id, found in figures.items()
    ]
    played = [
        [
            id,
            *(f"{quantile(found.lengths, share)}" for share in (0.1, 0.5, 0.9)),
            f"{max(found.lengths)}",
            *(f"{100 * found.terminations[name] / found.games:.1f} %" for name in ("normal", "repetition")),
        ]
        for id, found in figures.items()
    ]
    taken = [
        [id, f"{100 * found.capturing:.0f} %", f"{found.captured:.1f}", f"{found.largest}", f"{100 * found.lost:.1f} %"]
        for id, found in figures.items()
    ]
    special = [
        [id, _mean(found.specials, 1), f"{100 * found.with_specials:.0f} %", f"{100 * found.special_seeds:.0f} %"]
        for id, found in figures.items()
        if "special" in ruleset(id).info.terms
    ]
    return "\n".join(
        [
            "## Who wins\n",
            *_table(["rule set", "games", "South wins", "draws", "North wins", "South's score", "difference"], won),
            "\n![Differences of seeds at the end, for each game](img/selfplay-differences.svg)\n",
            "## How long\n",
            *_table(["rule set", "10 %", "median", "90 %", "longest", "end by the rules", "by repetition"], played),
            "\n![Numbers of turns, for each game](img/selfplay-lengths.svg)\n",
            "## Captures\n",
            *_table(["rule set", "turns that capture", "seeds each", "most", "turns that give seeds away"], taken),
            "\n![Seeds captured by the number of the turn, for each game](img/selfplay-captures.svg)\n",
            "## Special pits\n",
            *_table(["rule set", "at the end of a game", "games with any", "of all seeds in them"], special),
            "",
        ]
    )


def _mean(mean: Mean, times: int, sign: str = "") -> str:
    unit = " %" if times == 100 else ""
    text = f"{times * mean.value:{sign}.{1 if unit else 2}f} ± {times * mean.error:.{1 if unit else 2}f}{unit}"
    return text.replace("-", "−")


def _table(head: list[str], rows: Iterable[list[str]]) -> list[str]:
    return [f"| {' | '.join(head)} |", "|---" + "|--:" * (len(head) - 1) + "|", *(f"| {' | '.join(r)} |" for r in rows)]


if __name__ == "__main__":
    main()
