"""Random games with random troubles: mistakes, cables, supplies, and killed processes."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from inkeek.firmware_sim.errors import SimulatorError
from inkeek.firmware_sim.hands.hands import MOMENTS
from inkeek.firmware_sim.hands.mistakes import MISTAKES, counts_at_button, make_mistake
from inkeek.firmware_sim.hands.plan import LEGAL_LIMIT, draw_turns, plan_turns
from inkeek.records import Game, Move, Ply, Position, Rules, ruleset, write_game
from tests.e2e.processes import PARTS

MAX_PLIES = 60
MAX_RESTARTS = 3  # of the board; the host stops listening to one that starts again and again


@dataclass(frozen=True)
class Death:
    """Part `part` of the service is killed `after` seconds after turn `ply`, and restarted `away` seconds later."""

    ply: int
    after: float
    part: str
    away: float


@dataclass(frozen=True)
class Troubles:
    """One game and what happens to it. `options` are the simulator's."""

    title: str
    plies: int
    options: tuple[str, ...]
    tcp: bool
    speed: str
    mistakes: int
    pulls: int
    restarts: int
    deaths: tuple[Death, ...]


def draw(random: Random, games: Sequence[str], record: Path) -> Troubles:
    """Draw a game and its troubles, and write the game to `record`."""
    game = random.choice(games)
    options: dict[str, int | str] = (
        {"pits": 8, "setup": "fours-right"} if game == "enkeshui" and random.random() < 0.5 else {}
    )
    rules = ruleset(game, kernel=None, **options)
    moves, positions = draw_game(random, rules)
    tags = {"Game": game, **({"Options": "pits=8 setup=fours-right"} if options else {})}
    outcome = rules.outcome(rules.play(positions[-1], moves[-1]).position)
    tags["Result"] = "*" if outcome is None else outcome.result
    record.write_text(write_game(Game(tags, tuple(Ply(move) for move in moves))), "utf-8")
    plies = range(1, len(moves) + 1)

    def some(most: int) -> list[int]:
        return sorted(random.sample(plies, min(len(plies), random.randint(0, most))))

    mistakes = [
        f"{ply}:{kind}" for ply in some(8) if (kind := _mistake(random, rules, positions[ply - 1], moves[ply - 1]))
    ][:4]
    pulls = [f"{ply}@{random.choice(MOMENTS)}:{random.uniform(0.02, 1.5):.2f}" for ply in some(4)]
    restarts = [f"{ply}@{random.choice(MOMENTS)}" for ply in some(MAX_RESTARTS)]
    deaths = [
        Death(ply, random.uniform(0, 0.4), random.choice(PARTS), random.choice([0.0, random.uniform(0, 1.5)]))
        for ply in some(4)
    ]
    given = ["--seed", str(random.getrandbits(31)), "--stores" if random.random() < 0.7 else "--no-stores"]
    for option, values in (("--mistake", mistakes), ("--unplug", pulls), ("--restart", restarts)):
        for value in values:
            given += [option, value]
    return Troubles(
        f"{game} {len(moves)}",
        len(moves),
        tuple(given),
        random.random() < 0.4,
        random.choice(["max", "300", "100"]),
        len(mistakes),
        len(pulls),
        len(restarts),
        tuple(deaths),
    )


def draw_game(random: Random, rules: Rules) -> tuple[list[Move], list[Position]]:
    """Turns that a board can distinguish from all others by its pits, and the positions before them."""
    moves = draw_turns(rules, random, MAX_PLIES)
    positions = [rules.start()]
    for move in moves:
        positions.append(rules.play(positions[-1], move).position)
    return moves, positions[: len(moves)]


def _mistake(random: Random, rules: Rules, position: Position, move: Move) -> str | None:
    """A kind of mistake that is possible in the turn and leaves a board that no legal turn leaves, nor this one with
    the next: that one would have begun."""
    kinds = random.sample(sorted(MISTAKES), len(MISTAKES))
    legal = {rules.play(position, other).position.pits for other in rules.legal_moves(position, LEGAL_LIMIT)}
    after = rules.play(position, move).position
    legal |= {rules.play(after, other).position.pits for other in rules.legal_moves(after, LEGAL_LIMIT)}
    for kind in kinds:
        try:
            pits = _mistaken(rules, position, move, kind)
        except SimulatorError:
            continue  # not possible in this turn
        if pits not in legal | {position.pits}:
            return kind
    return None


def _mistaken(rules: Rules, position: Position, move: Move, kind: str) -> tuple[int, ...]:
    """The pits after the hands have played the turn with a mistake in it."""
    plan = plan_turns(rules, position, [move])
    return counts_at_button(plan.counts, make_mistake(kind, plan, 1))[: 2 * rules.row]
