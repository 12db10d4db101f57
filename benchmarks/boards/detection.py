"""How well turns are found in noisy counts: ``python -m benchmarks.boards.detection``.

Games are played at random on boards of stones that differ in weight, under sensors that are not exact
(`stones.py`). The detector runs after every turn. It gets what a board's controller has: the readings before
and the noise model learned since the start, never the true counts. In two of a hundred turns, as many as the model
expects, a seed is misplaced, lost or added. Counted for each cell:

* of turns that were played correctly, how many were found (*right*), asked about (*asked*), or taken for another turn
  (*wrong*); turns that leave the same board as another turn are left out;
* of boards with a seed in a wrong place, how many were recorded as the turn that was played (*slipped*); recorded as
  another turn they are *wrong*;
* how sure the detector was of the likeliest turn, and how often that was right.

``--write FILE`` saves the figures; ``--picture FILE`` draws them.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from inkeek.drivers.detection.detector import detect
from inkeek.drivers.detection.noise_estimate import NoiseEstimate
from inkeek.drivers.detection.noise_model import NoiseModel
from inkeek.drivers.detection.verdicts import Ambiguous, Clear, NoFit, Verdict
from inkeek.records import Position, Rules, ruleset, ruleset_ids

from ..corpus import CHOICES
from .picture import draw
from .stones import Stones

STONES = (0.02, 0.03, 0.05, 0.08, 0.10, 0.12, 0.15)
SENSORS = (0.02, 0.05, 0.10)
# Bof and Oware have one board each, and stand beside the small one.
BOARDS: dict[int, dict[str, dict[str, int | str]]] = {
    8: {id: {"pits": 8} for id in ("anywoli", "enkeshui", "enkeshui-wikipedia", "kalah", "layli-goobalay")}
    | {"bof": {}, "oware": {}},
    12: {id: {"pits": 12} for id in ("anywoli", "enkeshui", "enkeshui-wikipedia", "kalah", "layli-goobalay")},
}
for _id in ("enkeshui", "enkeshui-wikipedia"):
    BOARDS[8][_id]["setup"] = "fours-right"
BINS = (0.0, 0.5, 0.8, 0.9, 0.95, 0.99, 0.999, 0.9999, 0.999999)  # of confidence, each up to the next


@dataclass
class Cell:
    """The results of many turns. By the bins of `BINS`: `number` of verdicts, `stated` sum of their confidence, and how
    many were `right`."""

    game: str
    row: int
    stone: float
    sensor: float
    results: Counter[str] = field(default_factory=Counter)
    number: Counter[int] = field(default_factory=Counter)
    stated: Counter[int] = field(default_factory=Counter)
    right: Counter[int] = field(default_factory=Counter)

    def as_json(self) -> dict[str, Any]:
        return {**vars(self), **{name: dict(vars(self)[name]) for name in ("results", "number", "stated", "right")}}


@dataclass(frozen=True)
class Ways:
    """How the detector is used: whether stores are weighed, and what it does not know."""

    stores: bool = True
    before: bool = True
    learning: bool = True
    model: NoiseModel = field(default_factory=NoiseModel)
    mistakes: float = 0.0  # how often a seed is misplaced


def play(rules: Rules, rng: Random, cell: Cell, ways: Ways) -> None:
    """Play one game, and detect each of its turns."""
    position = rules.start()
    stones = Stones(position, rng, cell.stone, cell.sensor)
    before = stones.readings(ways.stores)
    estimate = NoiseEstimate(ways.model).with_position(position, before)
    for _ in range(200):
        moves = rules.legal_moves(position, limit=CHOICES)
        if not moves:
            return
        trace = rules.trace(position, rng.choice(moves))
        assert trace.turn is not None, "a legal turn ends"
        stones.follow(trace.events)
        readings = stones.readings(ways.stores)
        disturbed = stones.copy()
        mistaken = rng.random() < ways.mistakes and disturb(disturbed, rng, len(readings))
        verdict = detect(
            rules,
            position,
            disturbed.readings(ways.stores) if mistaken else readings,
            pressed_by=position.to_move,
            model=estimate.model() if ways.learning else ways.model,
            before=before if ways.before else None,
        )
        counts = disturbed.counts()[: len(readings)]
        note(cell, verdict, counts, trace.turn.position, mistaken, len(readings))
        if ways.learning and not mistaken:
            estimate = estimate.with_turn(trace.turn, before, readings)
        before, position = readings, trace.turn.position


def disturb(stones: Stones, rng: Random, sensors: int) -> bool:
    """Put one seed into a wrong place, lose one, or add one, as `Readings.one_off` has it."""
    full = [place for place, count in enumerate(stones.counts()[:sensors]) if count]
    start, end = rng.choice(full), rng.randrange(sensors)
    what = rng.random()
    if what < 0.5:
        if start == end:
            return False
        stones.carry(start, end)
    elif what < 0.75:
        stones.lose(start)
    else:
        stones.add(end)
    return True


def note(
    cell: Cell, verdict: Verdict, counts: tuple[int, ...], after: Position, mistaken: bool, sensors: int
) -> None:  # fmt: skip
    """Count a verdict: `counts` are the true ones, `after` the position after the turn that was played."""
    likeliest: Position | None = None
    stated = 0.0
    if isinstance(verdict, Clear):
        likeliest, stated = verdict.turn.position, verdict.confidence
    elif isinstance(verdict, Ambiguous | NoFit) and verdict.candidates:
        likeliest = verdict.candidates[0].turn.position
        of = [
            one.probability
            for one in verdict.candidates
            if places(one.turn.position, sensors) == places(likeliest, sensors)
        ]
        stated = sum(of)
        if isinstance(verdict, Ambiguous) and len(of) > 1 and not mistaken and places(likeliest, sensors) == counts:
            cell.results["same"] += 1
            return
    as_played = likeliest is not None and places(likeliest, sensors) == places(after, sensors)
    right = likeliest is not None and places(likeliest, sensors) == counts
    if likeliest is not None:
        at = max(bin for bin, least in enumerate(BINS) if stated >= least)
        cell.number[at] += 1
        cell.stated[at] += stated  # type: ignore[assignment]
        # A clear turn is on the board, every seed of it; a candidate is the turn that was played.
        cell.right[at] += right if isinstance(verdict, Clear) else as_played
    if mistaken:
        slipped = isinstance(verdict, Clear) and not right
        cell.results["noticed" if not slipped else "slipped" if likeliest == after else "wrong"] += 1
    elif isinstance(verdict, Clear):
        cell.results["right" if verdict.turn.position == after else "wrong"] += 1
    else:
        cell.results["asked"] += 1


def places(position: Position, sensors: int) -> tuple[int, ...]:
    return (*position.pits, *position.stores)[:sensors]


def measured(
    turns: int, stones: Iterable[float], sensors: Iterable[float], rows: Iterable[int], games: Iterable[str],
    ways: Ways, seed: str,
) -> Iterator[Cell]:  # fmt: skip
    """A cell for each of all these, with at least so many turns each."""
    games = set(games)
    for row in rows:
        for id, changes in BOARDS[row].items():
            if id not in games:
                continue
            rules = ruleset(id, **changes)
            for stone in stones:
                for sensor in sensors:
                    cell = Cell(id, row, stone, sensor)
                    rng = Random(f"{seed} {id} {row} {stone} {sensor} {ways}")
                    while cell.results.total() < turns:
                        play(rules, rng, cell, ways)
                    yield cell


def table(cells: list[Cell], by: str, title: str) -> None:
    """The results, in rows by an attribute of cells."""
    print(f"| {title} | turns | right | asked | wrong | seeds in wrong places | slipped |")
    print("|---|--:|--:|--:|--:|--:|--:|")
    for value in sorted({vars(cell)[by] for cell in cells}):
        results: Counter[str] = Counter()
        for cell in cells:
            if vars(cell)[by] == value:
                results += cell.results
        turns = results["right"] + results["asked"] + results["wrong"]
        mistakes = results["slipped"] + results["noticed"]
        right, asked = (f"{100 * results[name] / max(turns, 1):.3f} %" for name in ("right", "asked"))
        name = f"{100 * value:g} %" if by == "stone" else f"2×{value}" if by == "row" else value
        print(f"| {name} | {turns:,} | {right} | {asked} | {results['wrong']} | {mistakes:,} | {results['slipped']} |")
    print()


def reliability(cells: list[Cell]) -> None:
    """The stated confidence, and how often it was right."""
    print("| confidence | verdicts | stated | right |\n|---|--:|--:|--:|")
    for bin, least in enumerate(BINS):
        number, stated, right = (sum(vars(cell)[name][bin] for cell in cells) for name in ("number", "stated", "right"))
        if number:
            most = BINS[bin + 1] if bin + 1 < len(BINS) else 1
            print(
                f"| {least:g} to {most:g} | {number:,} | {100 * stated / number:.4f} % | {100 * right / number:.4f} % |"
            )


def read(files: Iterable[Path]) -> list[Cell]:
    """Read saved cells; the keys of bins are texts in JSON."""
    cells = []
    for file in files:
        for data in json.loads(file.read_text("utf-8")):
            counters = {
                name: Counter({int(bin): value for bin, value in data[name].items()})
                for name in ("number", "stated", "right")
            }
            cells.append(Cell(**{**data, **counters, "results": Counter(data["results"])}))
    return cells


def main() -> None:
    parser = argparse.ArgumentParser(description="Turns found in noisy counts.")
    parser.add_argument("--turns", type=int, default=300, help="turns of each game on each board with each noise")
    parser.add_argument("--stone", type=float, action="append", help="standard deviation of a stone's weight")
    parser.add_argument("--sensor", type=float, action="append", help="of a reading, in stones")
    parser.add_argument("--row", type=int, action="append", choices=list(BOARDS), help="pits a row")
    parser.add_argument("--game", action="append", choices=ruleset_ids())
    parser.add_argument("--no-stores", action="store_true", help="the board does not weigh the stores")
    parser.add_argument("--no-before", action="store_true", help="no earlier readings are known")
    parser.add_argument("--fixed", type=float, metavar="STONE", help="a model of stones that never learns")
    parser.add_argument("--mistakes", type=float, default=NoiseModel().mistake, help="how often a seed is misplaced")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--write", type=Path, metavar="FILE", help="save the figures")
    parser.add_argument("--read", type=Path, metavar="FILE", nargs="+", help="read saved figures instead of playing")
    parser.add_argument("--picture", type=Path, metavar="FILE", help="draw them, as SVG")
    options = parser.parse_args()
    model = NoiseModel() if options.fixed is None else NoiseModel(stone=options.fixed)
    ways = Ways(not options.no_stores, not options.no_before, options.fixed is None, model, options.mistakes)
    if options.read:
        cells = read(options.read)
    else:
        games = options.game or ruleset_ids()
        noise = options.stone or STONES, options.sensor or SENSORS
        cells = list(measured(options.turns, *noise, options.row or BOARDS, games, ways, options.seed))
    for by, title in (("stone", "a stone's weight"), ("sensor", "sensor"), ("row", "board"), ("game", "rule set")):
        table(cells, by, title)
    reliability(cells)
    if options.write:
        options.write.write_text(json.dumps([cell.as_json() for cell in cells]), "utf-8")
    if options.picture:
        options.picture.write_text(draw([cell.as_json() for cell in cells], BINS), "utf-8")


if __name__ == "__main__":
    main()
