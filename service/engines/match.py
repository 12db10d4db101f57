"""Matches between engines: balanced openings, each played twice with sides changed, until enough is known."""

from __future__ import annotations

import random
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import ExitStack
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import islice
from queue import Empty, SimpleQueue

from inkeek.records import Game, IllegalMove, Kind, Move, Outcome, Ply, Position, Rules, Side
from inkeek.records.analysis import Limits, analyse
from inkeek.records.analysis.protocol import Info, Search
from inkeek.records.analysis.strength import MatchScore
from inkeek.records.notation.commands import Elapsed, Evaluation
from inkeek.records.notation.tags import described
from inkeek.records.rules.ruleset import format_value
from inkeek.service.terminal import visible

from .client import MOVE_GRACE, EngineError, EngineProcess

MAX_OPENING_VALUE = 2.0  # seeds: an opening whose estimate is farther from 0 is not played
OPENING_NODES = 20_000  # for that estimate
OPENING_MEMORY = 4  # MiB
MAX_TRIES = 200  # random openings that are looked at for each one played
MAX_DEPTH = 9999  # that a record can hold
MAX_PLIES = 1000  # of a game; then it is adjudicated by the seeds in stores and special pits
REPETITIONS = 3  # that end a game under rules that leave it to the players


def game_end(rules: Rules, position: Position, times: int) -> Outcome | None:
    """How a game between programs ends in a position that came up `times` times; None if it continues.

    It ends by the rules, by repetition also where they leave that to the players, and after `MAX_PLIES` turns.
    """
    outcome = rules.outcome(position) or rules.repetition(position, times)
    if outcome is not None:
        return outcome
    is_endless = rules.options["repetition"] == 0 and times >= REPETITIONS
    if position.ply - rules.start().ply >= MAX_PLIES or is_endless:
        return Outcome.of("adjudication", rules.score(position))
    return None


@dataclass(frozen=True, slots=True)
class TimeControl:
    """What limits a move. Times are in seconds: `clock` for the whole game, `increment` is what each move adds."""

    move: float | None = None
    clock: float | None = None
    increment: float = 0.0
    depth: int | None = None
    nodes: int | None = None


@dataclass(frozen=True, slots=True)
class Entrant:
    """An engine of a match: its name, its command line, and the options to set."""

    name: str
    command: str
    options: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True)
class PlayedGame:
    """One game of a match. `point` is A's: 1, 0.5 or 0. `failures`: which engine failed in it, 0 for A, and how; the
    record's last comments say so too."""

    record: Game
    point: float
    failures: tuple[tuple[int, str], ...] = ()


@dataclass
class EngineMatch:
    """A match of A against B. `plies` random turns open each game."""

    rules: Rules
    entrants: tuple[Entrant, Entrant]
    control: TimeControl
    games: int
    plies: int = 6
    seed: int = 1
    concurrency: int = 1
    date: str = "????.??.??"
    _stop: threading.Event = field(default_factory=threading.Event, init=False)
    _idle: SimpleQueue[list[EngineProcess]] = field(default_factory=SimpleQueue, init=False)

    def play(self) -> Iterator[tuple[MatchScore, Sequence[PlayedGame]]]:
        """Play, and yield the standing and both games after each opening. It ends after `games` games.

        :raises EngineError: an engine does not start.
        """
        pairs: list[list[float]] = []
        openings = enumerate(self._openings(self.games // 2), 1)
        with ExitStack() as engines, ThreadPoolExecutor(self.concurrency) as pool:
            running: set[Future[list[PlayedGame]]] = set()
            try:
                while True:
                    for number, opening in islice(openings, self.concurrency - len(running)):
                        running.add(pool.submit(self._play_pair, engines, number, opening))
                    if not running:
                        return
                    done, running = wait(running, return_when=FIRST_COMPLETED)
                    for future in done:
                        played = future.result()
                        pairs.append([game.point for game in played])
                        yield MatchScore.of(pairs), played
            finally:
                self._stop.set()

    def _openings(self, count: int) -> Iterator[list[Move]]:
        """Random openings that are about even, no two with the same position as long as there are others."""
        chance = random.Random(self.seed)
        seen: set[Position] = set()
        for _ in range(count):
            for attempt in range(MAX_TRIES):
                moves, position = self._random_line(chance)
                fresh = position not in seen or attempt > MAX_TRIES // 2
                if (
                    fresh
                    and self.rules.outcome(position) is None
                    and abs(self._estimate(position)) <= MAX_OPENING_VALUE
                ):
                    break
            seen.add(position)
            yield moves

    def _random_line(self, chance: random.Random) -> tuple[list[Move], Position]:
        position, moves = self.rules.start(), []
        for _ in range(self.plies):
            turns = self.rules.turns(position)
            if not turns:
                break
            turn = chance.choice(turns)
            moves.append(turn.move)
            position = turn.position
        return moves, position

    def _estimate(self, position: Position) -> float:
        return float(analyse(self.rules, position, Limits(nodes=OPENING_NODES), memory=OPENING_MEMORY).lines[0].value)

    def _play_pair(self, processes: ExitStack, number: int, opening: list[Move]) -> list[PlayedGame]:
        """Both games of an opening, by engines that are idle or by new ones, which `processes` ends."""
        try:
            engines = self._idle.get_nowait()
        except Empty:
            engines = [self._start(processes, entrant) for entrant in self.entrants]
        games = [self._play_game(engines, number, opening, south) for south in (0, 1) if not self._stop.is_set()]
        self._idle.put(engines)
        return games

    def _start(self, processes: ExitStack, entrant: Entrant) -> EngineProcess:
        engine = processes.enter_context(EngineProcess(entrant.command, entrant.name, entrant.options))
        engine.start()
        engine.new_game(self.rules)  # one that is never ready does not start
        return engine

    def _play_game(self, engines: Sequence[EngineProcess], number: int, opening: list[Move], south: int) -> PlayedGame:
        """One game in which `engines[south]` plays South."""
        sides = (engines[south], engines[1 - south])
        start = position = self.rules.start()
        moves: list[Move] = []
        plies: list[Ply] = []
        times: Counter[object] = Counter()
        clocks = [self.control.clock or 0.0] * 2
        outcome: Outcome | None = None
        failures = [(at, reason) for at, engine in enumerate(engines) if (reason := self._begin(engine))]
        while outcome is None:
            times[position.pits, position.marks, position.to_move] += 1
            outcome = game_end(self.rules, position, times[position.pits, position.marks, position.to_move])
            if outcome is not None:
                break
            side = position.to_move
            comments: tuple[str, ...] = ()
            first = self.rules.turns(position, 1)[0].move
            if len(moves) < len(opening):
                move = opening[len(moves)]
            elif first.kind is Kind.PASS:
                move = first
            else:
                began = time.monotonic()
                try:
                    answer = self._ask(sides[side], start, moves, clocks, side)
                except EngineError as error:
                    failures.append((engines.index(sides[side]), error.message))
                    outcome = _lost(side, "forfeit", self.rules, position)
                    sides[side].start()
                    break
                taken = time.monotonic() - began
                if _is_overstepped(taken, self.control, clocks, side):
                    reason = f"Engine {sides[side].name!r} took {taken:.2f} s for a move: too long."
                    failures.append((engines.index(sides[side]), reason))
                    outcome = _lost(side, "time", self.rules, position)
                    break
                move = answer[0]
                comments = (_comment(answer[1], taken, side),)
            try:
                turn = self.rules.play(position, move, moves[-1] if moves else None)
            except IllegalMove as error:
                reason = f"Engine {sides[side].name!r} answers {error}: no legal move."
                failures.append((engines.index(sides[side]), reason))
                outcome = _lost(side, "forfeit", self.rules, position)
                break
            moves.append(turn.move)
            plies.append(Ply(turn.move, comments=comments))
            position = turn.position
        notes = tuple(_as_words(reason) for _, reason in failures)
        if plies:
            plies[-1] = plies[-1]._replace(comments=plies[-1].comments + notes)
        record = self._record(number, (sides[0].name, sides[1].name), plies, () if plies else notes, outcome)
        winner = None if outcome.winner is None else sides[outcome.winner]
        point = 0.5 if winner is None else 1.0 if winner is engines[0] else 0.0
        return PlayedGame(record, point, tuple(failures))

    def _begin(self, engine: EngineProcess) -> str | None:
        """Tell an engine of the new game. If it fails, because it left after its last answer, say, start it again and
        return how."""
        try:
            engine.new_game(self.rules)
        except EngineError as error:
            engine.start()
            engine.new_game(self.rules)
            return error.message
        return None

    def _ask(
        self,
        engine: EngineProcess,
        start: Position,
        moves: list[Move],
        clocks: list[float],
        side: Side,
    ) -> tuple[Move, Info | None]:
        control = self.control
        search = Search(
            depth=control.depth,
            nodes=control.nodes,
            move_time=None if control.move is None else max(1, round(1000 * control.move)),
            clocks=None if control.clock is None else (round(1000 * clocks[0]), round(1000 * clocks[1])),
            increments=(round(1000 * control.increment),) * 2,
        )
        limits = [
            seconds + MOVE_GRACE for seconds in (control.move, control.clock and clocks[side]) if seconds is not None
        ]
        answer = engine.search(start, moves, search, min(limits, default=None))
        if answer.move is None:
            raise EngineError(f"Engine {engine.name!r} answers none before the end of the game: no legal move.")
        return answer.move, answer.info

    def _record(
        self, number: int, names: tuple[str, str], plies: list[Ply], comments: tuple[str, ...], outcome: Outcome
    ) -> Game:
        options = " ".join(f"{name}={format_value(value)}" for name, value in self.rules.changed.items())
        tags = {
            "Event": f"{self.entrants[0].name} against {self.entrants[1].name}",
            "Site": "?",
            "Date": self.date,
            "Round": str(number),
            "South": names[0],
            "North": names[1],
            "Result": outcome.result,
            **described(self.rules.info),
            **({"Options": options} if options else {}),
            "Score": f"{outcome.score[0]}-{outcome.score[1]}",
            "Termination": outcome.termination,
        }
        return Game(tags=tags, plies=tuple(plies), comments=comments)


def _is_overstepped(taken: float, control: TimeControl, clocks: list[float], side: Side) -> bool:
    """Count the time of a move, and say whether it was too long."""
    if control.clock is not None:
        clocks[side] -= taken
        if clocks[side] < -MOVE_GRACE:
            return True
        clocks[side] = max(0.0, clocks[side]) + control.increment
    return control.move is not None and taken > control.move + MOVE_GRACE


def _lost(side: Side, termination: str, rules: Rules, position: Position) -> Outcome:
    return Outcome(termination, side.other, rules.score(position))


def _as_words(reason: str) -> str:
    return " ".join(visible(reason).split()).replace("[%", "[").replace("}", ")")


def _comment(info: Info | None, seconds: float, side: Side) -> str:
    """The evaluation as records have it, for South, and the time of the move."""
    commands = []
    if info is not None:
        seeds = Decimal(f"{info.value if side is Side.SOUTH else -info.value:.2f}")
        commands.append(str(Evaluation(seeds, depth=min(info.depth, MAX_DEPTH))))
    commands.append(str(Elapsed(Decimal(f"{seconds:.3f}"))))
    return " ".join(commands)
