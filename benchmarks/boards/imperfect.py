"""How well turns are found on boards that are not ideal: ``python -m benchmarks.boards.imperfect``.

Random games on the boards of `imperfect_boards.py`. The detector gets what a board's controller gives it, by
its public interface alone: the counts when the button was pressed, those before, and what was learned since the game
began. A question is answered by a person, who enters the turn on the page. Counted for each kind of board:

* of turns that were played correctly, how many were asked about, or recorded as another turn (*wrong*). Turns that
  leave the same board as another legal turn are left out;
* of boards with one or two seeds in a wrong place, lost or added, how many were recorded as the turn that was played
  (*slipped*); recorded as another turn they are *wrong*. The hands put right what was noticed, and press again;
* for the likeliest turn of every verdict, its stated probability, and how often it was played.

Seeds from 1000 on are kept for reports: no weight and no threshold was chosen with them.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path
from random import Random
from typing import Any

from drivers.detection.detector import detect
from drivers.detection.noise_estimate import NoiseEstimate
from drivers.detection.noise_model import NoiseModel
from drivers.detection.verdicts import Ambiguous, Candidate, Clear, NoFit, TwoTurns, Unchanged, Verdict
from records import Position, Rules, Turn, ruleset, ruleset_ids
from records.findings.account_steps import boards_during
from service.boards.controller.game_view import MAX_DIFFERENCE, NEAR_SHARE
from service.boards.status import SAME

from .detection import BOARDS
from .imperfect_boards import KINDS, SURE, ImperfectBoard

REPORT_SEED = 1000
MAX_PLIES = 200
MAX_TURNS = 2000  # legal turns of a position
EARLIER = 4  # positions that the controller compares a board with
SAME_SHARE = 0.08  # for each seed in a pit: by how much more than `SAME` a count may be off to be learned from
BINS = (0.0, 0.2, 0.4, 0.6, 0.8, 0.9, 0.95, 0.99, 0.999, 0.9999)  # of probability, each up to the next


@dataclass
class Cell:
    """The results of many turns of one game on one kind of board.

    `stated` has the sum of the likeliest turns' probabilities, `verdicts` their number, and `right` how many of them
    were played, by the index in `BINS` and ``clear`` (recorded) or ``asked``.
    """

    kind: str
    game: str
    row: int
    stores: bool
    results: Counter[str] = field(default_factory=Counter)
    verdicts: Counter[str] = field(default_factory=Counter)
    stated: Counter[str] = field(default_factory=Counter)
    right: Counter[str] = field(default_factory=Counter)

    @property
    def turns(self) -> int:
        return self.results["right"] + self.results["asked"] + self.results["wrong"]

    @property
    def asked(self) -> float:
        return self.results["asked"] / max(self.turns, 1)


class Controller:
    """What a board's controller keeps between two turns, and gives to the detector."""

    def __init__(self, rules: Rules, kind: str) -> None:
        self._rules = rules
        faults = KINDS[kind]
        # The driver of a camera says so; of all other boards it says nothing.
        model = NoiseModel() if faults.miscounts is None else NoiseModel(miscounts=faults.miscounts, countable=SURE)
        self._estimate = NoiseEstimate(model)
        self._before: tuple[float, ...] | None = None
        self.positions = [rules.start()]

    @property
    def position(self) -> Position:
        return self.positions[-1]

    def compare(self, counts: tuple[float, ...]) -> None:
        """Look whether the board agrees with the record, as after a turn was entered elsewhere."""
        if isinstance(self._detect(counts, pressed=False), Unchanged):
            if self._before is None:
                self._estimate = self._estimate.with_position(self.position, counts)
            self._before = counts

    def press(self, counts: tuple[float, ...]) -> Verdict:
        """Look what was played. Nothing is recorded yet."""
        return self._detect(counts, pressed=True)

    def record(self, turn: Turn, counts: tuple[float, ...]) -> None:
        """Go on from a turn that was clear."""
        if self._before is not None:
            self._estimate = self._estimate.with_turn(turn, self._before, counts)
        self._before = counts
        self.positions.append(turn.position)

    def enter(self, turn: Turn, counts: tuple[float, ...], verdict: Verdict) -> None:
        """Go on from a turn that a person entered, after this verdict."""
        held = (*turn.position.pits, *turn.position.stores)
        off = [(abs(count - seeds), seeds) for count, seeds in zip(counts, held, strict=False)]
        if is_offered(verdict, turn) and all(far < SAME + SAME_SHARE * seeds for far, seeds in off):
            self.record(turn, counts)  # an answer to the question: the counts are known to be right
            return
        self.positions.append(turn.position)
        if all(far < MAX_DIFFERENCE + NEAR_SHARE * seeds for far, seeds in off):
            self.compare(counts)

    def _detect(self, counts: tuple[float, ...], pressed: bool) -> Verdict:
        return detect(
            self._rules,
            self.position,
            counts,
            pressed_by=self.position.to_move if pressed else None,
            model=self._estimate.model(),
            before=self._before,
            earlier=self.positions[-1 - EARLIER : -1],
        )


def play(rules: Rules, random: Random, cell: Cell, mistakes: float) -> None:
    """Play one game, until it ends or something wrong was recorded."""
    start = rules.start()
    laid = (*start.pits, *start.stores)
    board = ImperfectBoard(len(laid), len(laid) if cell.stores else len(start.pits), KINDS[cell.kind], random)
    board.lay(laid)
    controller = Controller(rules, cell.kind)
    controller.compare(board.read())
    for _ in range(MAX_PLIES):
        position = controller.position
        turns = rules.turns(position, limit=MAX_TURNS)
        if not turns:
            return
        turn = random.choice(turns)
        board.play(rules.trace(position, turn.move).events)
        seen = [(*other.position.pits, *other.position.stores)[: len(board.counts())] for other in turns]
        seen.append((*position.pits, *position.stores)[: len(board.counts())])
        if random.random() < mistakes:
            right = board.seeds()
            if slip(board, random) and board.counts() not in seen:
                verdict = controller.press(board.read())
                result = judge(cell, verdict, turn, mistaken=True)
                if isinstance(verdict, TwoTurns) and board.counts() in begun(rules, verdict, len(board.counts())):
                    result = "alike"  # by chance, the board is exactly as during the other side's next turn
                cell.results[result] += 1
                if result in ("slipped", "wrong"):
                    return
            board.restore(right)
        readings = board.read()
        verdict = controller.press(readings)
        if seen.count(board.counts()) > 1:
            cell.results["alike"] += 1
        else:
            result = judge(cell, verdict, turn, mistaken=False)
            cell.results[result] += 1
            if result == "wrong":
                return
        if isinstance(verdict, Clear):
            controller.record(turn, readings)
        else:
            controller.enter(turn, readings, verdict)


def slip(board: ImperfectBoard, random: Random) -> bool:
    """Let hands misplace, lose or add one seed, or two in one of four cases. Return whether anything changed."""
    before = board.counts()
    sensors = range(len(before))
    for _ in range(2 if random.random() < 0.25 else 1):
        full = [place for place in sensors if board.counts()[place]]
        if not full:
            return False
        start, what = random.choice(full), random.random()
        if what < 0.5:
            board.slip(start, random.choice([place for place in sensors if place != start]))
        elif what < 0.75:
            board.lose(start)
        else:
            board.add(random.choice(sensors))
    return board.counts() != before


def judge(cell: Cell, verdict: Verdict, turn: Turn, *, mistaken: bool) -> str:
    """Count the verdict's likeliest turn, and return what came of it."""
    likeliest = likeliest_of(verdict)
    if likeliest is not None:
        at = max(bin for bin, least in enumerate(BINS) if likeliest.probability >= least)
        key = f"{'clear' if isinstance(verdict, Clear) else 'asked'} {at}"
        cell.verdicts[key] += 1
        cell.stated[key] += likeliest.probability  # type: ignore[assignment]
        cell.right[key] += likeliest.turn.position == turn.position
    recorded = recorded_of(verdict)
    if recorded and recorded != [turn.position]:
        return "wrong"
    if mistaken:
        return "slipped" if isinstance(verdict, Clear) else "noticed"
    return "right" if recorded else "asked"


def likeliest_of(verdict: Verdict) -> Candidate | None:
    """The likeliest turn, if the verdict names one with a probability."""
    if isinstance(verdict, Clear):
        return Candidate(verdict.turn, verdict.confidence)
    if isinstance(verdict, Ambiguous | NoFit) and verdict.candidates:
        return verdict.candidates[0]
    return None


def is_offered(verdict: Verdict, turn: Turn) -> bool:
    """Whether the page offers the turn as one after which nothing must be corrected."""
    if isinstance(verdict, NoFit):
        return verdict.nearest is not None and verdict.nearest.move == turn.move and not verdict.mend
    return isinstance(verdict, Ambiguous) and any(one.turn.move == turn.move for one in verdict.candidates)


def begun(rules: Rules, verdict: TwoTurns, sensors: int) -> set[tuple[int, ...]]:
    """What the sensors see after the first turn, while the second is played."""
    boards = boards_during(rules.trace(verdict.first.position, verdict.second.move))
    return {tuple(during.counts[:sensors]) for during in boards}


def recorded_of(verdict: Verdict) -> list[Position]:
    """The positions after the turns that the controller records when the mover has pressed the button."""
    if isinstance(verdict, Clear):
        return [verdict.turn.position]
    if isinstance(verdict, TwoTurns):
        both = verdict.complete and verdict.second.before.to_move is verdict.first.before.to_move
        return [verdict.first.position, verdict.second.position] if both else [verdict.first.position]
    return []


def measure(kind: str, game: str, row: int, stores: bool, turns: int, mistakes: float, seed: int) -> Cell:
    """Play games until so many turns are judged."""
    cell = Cell(kind, game, row, stores)
    rules = ruleset(game, **BOARDS[row][game])
    random = Random(f"imperfect {seed} {kind} {game} {row} {stores}")
    while cell.turns < turns:
        play(rules, random, cell, mistakes)
    return cell


def print_results(cells: list[Cell]) -> None:
    """Print a row for each kind, with the lowest and the highest share of turns asked about among games and boards."""
    print("| board | turns | right | asked | asked, by game | wrong | seeds in wrong places | slipped |")
    print("|---|--:|--:|--:|--:|--:|--:|--:|")
    for kind in dict.fromkeys(cell.kind for cell in cells):
        own = [cell for cell in cells if cell.kind == kind]
        results = sum((cell.results for cell in own), Counter[str]())
        turns = sum(cell.turns for cell in own)
        shares = [100 * results[name] / turns for name in ("right", "asked")]
        least, most = (100 * find(cell.asked for cell in own) for find in (min, max))
        mistaken = results["slipped"] + results["noticed"]
        print(
            f"| {kind} | {turns:,} | {shares[0]:.2f} % | {shares[1]:.2f} % | {least:.1f} to {most:.1f} % |"
            f" {results['wrong']} | {mistaken:,} | {results['slipped']} |"
        )
    print()


def print_calibration(cells: list[Cell]) -> None:
    """Print the stated probability of the likeliest turn, and how often it was played."""
    print("| probability | verdict | number | stated | played |\n|---|---|--:|--:|--:|")
    for what in ("asked", "clear"):
        for at, least in enumerate(BINS):
            key = f"{what} {at}"
            number = sum(cell.verdicts[key] for cell in cells)
            if number:
                stated, right = (sum(getattr(cell, name)[key] for cell in cells) for name in ("stated", "right"))
                most = BINS[at + 1] if at + 1 < len(BINS) else 1
                shares = " | ".join(f"{100 * part / number:.3f} %" for part in (stated, right))
                print(f"| {least:g} to {most:g} | {what} | {number:,} | {shares} |")


def read(files: Iterable[Path]) -> Iterator[Cell]:
    """Read saved cells."""
    counters = ("results", "verdicts", "stated", "right")
    for file in files:
        for data in json.loads(file.read_text("utf-8")):
            yield Cell(**{name: Counter(value) if name in counters else value for name, value in data.items()})


def main() -> None:
    parser = argparse.ArgumentParser(description="Turns found on boards that are not ideal.")
    parser.add_argument("--turns", type=int, default=300, help="turns of each game on each kind of board")
    parser.add_argument("--kind", action="append", choices=list(KINDS), help="only this kind of board; repeatable")
    parser.add_argument("--game", action="append", choices=ruleset_ids(), help="only this rule set; repeatable")
    parser.add_argument("--mistakes", type=float, default=0.04, help="how often seeds are misplaced, lost or added")
    parser.add_argument("--seed", type=int, default=1, help=f"of all random draws; reports use {REPORT_SEED}")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--by-game", action="store_true", help="also a table for each game and board")
    parser.add_argument("--write", type=Path, help="save the figures")
    parser.add_argument("--read", type=Path, nargs="+", help="saved figures instead of new ones")
    options = parser.parse_args()
    cells = list(read(options.read)) if options.read else list(_measure_all(options))
    if options.write:
        options.write.write_text(json.dumps([vars(cell) for cell in cells]), "utf-8")
    if options.by_game:
        for cell in cells:
            name = f"{cell.kind} {cell.game} 2×{cell.row}{'' if cell.stores else ', no stores'}"
            print(f"{name}: {cell.turns} turns, {100 * cell.asked:.1f} % asked, {dict(cell.results)}")
    print_results(cells)
    print_calibration(cells)


def _measure_all(options: Any) -> Iterator[Cell]:
    wanted = [
        (kind, game, row, stores, options.turns, options.mistakes, options.seed)
        for kind in options.kind or KINDS
        for row, games in BOARDS.items()
        for game in games
        if not options.game or game in options.game
        for stores in (True, False)
    ]
    if options.jobs == 1:
        yield from (measure(*one) for one in wanted)
        return
    with ProcessPoolExecutor(options.jobs, get_context("spawn")) as pool:
        yield from pool.map(measure, *zip(*wanted, strict=True))


if __name__ == "__main__":
    main()
