"""Games on a remote board over a bad network: ``python -m tests.far --rounds 100``.

In every round simulated hands play a game on a board that `inkeek board attach` connects to a service through a proxy.
The proxy drops, cuts, delays and swallows data, or answers with errors of its own. `attach` gets SIGKILL at random
moments, and so does the service, whole or in parts. In the end the record must be what the hands played, no turn may
be there twice, and nothing may wait in the spool. Exit status 1: it was not so.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sqlite3
import tempfile
import threading
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import click

from inkeek.records import read_games, ruleset_ids
from inkeek.service.demo.client import DemoFailed
from inkeek.service.demo.demo import Child
from tests.e2e.chain import read_record
from tests.e2e.network import Network
from tests.e2e.processes import PARTS, UP_WITHIN, Service, SimulatedBoard
from tests.e2e.troubles import draw
from tests.service.waiting import until

PATIENCE = 60.0  # seconds between two events of the hands, whatever goes wrong
LIVES = 6.0  # longest life of an agent, in seconds, before it is killed
KILLS = 9  # of the agent, in a round, at most
DIES_EARLY = 0.2  # the probability that its life counts from its start, and not from when it plays
SERVICE_DIES = 0.4  # the probability that the service is killed together with the agent


@dataclass
class Tally:
    """What happened in a round."""

    seconds: float = 0.0
    plies: int = 0
    events: int = 0
    kills: int = 0
    deaths: Counter[str] = field(default_factory=Counter)
    met: Counter[str] = field(default_factory=Counter)
    wrong: str | None = None


class RemoteAgentProcess:
    """`inkeek board attach` as a process that can be killed and restarted."""

    def __init__(self, folder: Path, arguments: list[str]) -> None:
        self._folder = folder
        self._arguments = [
            "-m",
            "inkeek.service.processes.child_process",
            "inkeek.service.cli",
            "board",
            "attach",
            *arguments,
        ]
        self._stack = ExitStack()
        self.starts = 0
        self.lines: list[str] = []

    def start(self) -> None:
        self.starts += 1
        self.lines = []
        log = self._folder / f"attach-{self.starts}.log"
        self._child = self._stack.enter_context(Child("the agent", self._arguments, log))

    def kill(self) -> None:
        """SIGKILL; returns when it is dead."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self._child.pid, signal.SIGKILL)
        until(lambda: self._child.ended(0.01))
        self._stack.close()

    def end(self) -> None:
        """SIGTERM; returns when it has ended."""
        os.kill(self._child.pid, signal.SIGTERM)
        assert self.exit_status() == 0, self.errors()

    def exit_status(self) -> int:
        """Wait until it ends by itself."""
        until(lambda: self._child.ended(0.01), UP_WITHIN)
        return int(self._child._process.returncode)

    def up(self) -> float:
        """When it plays, by the monotonic clock."""
        until(lambda: any("plays game" in line for line in self.output()), UP_WITHIN)
        return time.monotonic()

    def output(self) -> list[str]:
        """The lines that it has printed so far."""
        with contextlib.suppress(DemoFailed):
            while True:
                self.lines.append(self._child.line(0.01))
        return self.lines

    def errors(self) -> str:
        return self._child.errors()

    def stop(self) -> None:
        self._stack.close()


class Bench:
    """One service for all rounds, with its data in `folder`."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.folder = folder
        self.service = Service(folder)
        self.service.start()
        self.token = folder / "token"
        self.token.write_text(str(self.service.client._headers["Authorization"]).split()[1])
        self._seed = seed

    def close(self) -> None:
        self.service.stop()

    def play(self, number: int) -> Tally:
        """One round."""
        random = Random(f"{self._seed}:{number}")
        tally, began = Tally(), time.monotonic()
        folder = self.folder / f"round-{number}"
        folder.mkdir()
        network = Network(self.service.port, random.getrandbits(31))
        try:
            self._play(random, folder, network, tally)
        except Exception as error:  # noqa: BLE001 - every failure is a finding
            tally.wrong = "".join(traceback.format_exception(error)) + self.service.errors()[-3000:]
        finally:
            network.close()
        tally.seconds, tally.met = time.monotonic() - began, network.met
        return tally

    def _play(self, random: Random, folder: Path, network: Network, tally: Tally) -> None:
        path = folder / "game.pmn"
        troubles = draw(random, ruleset_ids(), path)
        record = read_record(path)
        rules = record.rules()
        client = self.service.client
        game = str(client.post("/api/v1/games", {"game": rules.id, "options": dict(rules.changed)})["id"])
        hands = ["--play", str(path), "--speed", troubles.speed, *troubles.options]
        with SimulatedBoard(folder, "--pty", "--link", str(folder / "board"), *hands) as board, ExitStack() as stack:
            arguments = [board.url, "--to", network.url, "--game", game, "--token-file", str(self.token)]
            agent = RemoteAgentProcess(folder, [*arguments, "--spool", str(folder / "spool")])
            agent.start()
            stack.callback(agent.stop)
            weather = stack.enter_context(_weather(network))
            finished = self._make_trouble(random, board, agent, tally, game)
            weather.set()
            moves = [str(turn.move) for turn in record.replay().turns]
            assert finished["moves"] == moves, f"the hands played {finished['moves']}, not {moves}"
            board_id = str(self.service.client.get(f"/api/v1/games/{game}")["board"]["id"])
            until(lambda: self._ply(game) == len(moves), PATIENCE)
            tally.plies = len(moves)
            self._check(game, moves, finished)
            self._check_sources(game, tally)
            agent.end()
            self._check_spool(folder / "spool")
            self.service.client.delete(f"/api/v1/boards/{board_id}")  # so few may be open at once

    def _make_trouble(
        self, random: Random, board: SimulatedBoard, agent: RemoteAgentProcess, tally: Tally, game: str
    ) -> dict[str, Any]:
        """Kill processes now and then until the hands have finished, and return their last event."""
        kills = random.randint(1, KILLS)
        kill_at = agent.up() + random.uniform(0, LIVES)
        quiet_by = time.monotonic() + PATIENCE
        while True:
            try:
                event = board._child.event(0.05)
            except DemoFailed as error:
                if board._child.ended(0) or time.monotonic() > quiet_by:
                    error.add_note(f"the hands' last events: {board.events_so_far[-6:]}\n{agent.output()}")
                    error.add_note(agent.errors() + self._log(game))
                    raise
            else:
                quiet_by = time.monotonic() + PATIENCE
                board.events_so_far.append(event)
                if event["event"] == "finished":
                    return event
            if tally.kills < kills and time.monotonic() >= kill_at:
                agent.kill()
                tally.kills += 1
                if random.random() < SERVICE_DIES:
                    part = random.choice(PARTS)
                    tally.deaths[part] += 1
                    self.service.kill(part)
                agent.start()
                up = time.monotonic() if random.random() < DIES_EARLY else agent.up()
                kill_at = up + random.uniform(0, LIVES)
                quiet_by = time.monotonic() + PATIENCE

    def _log(self, game: str) -> str:
        board = self.service.client.get(f"/api/v1/games/{game}")["board"]
        entries = self.service.client.get(f"/api/v1/boards/{board['id']}/log?after=0")["items"][-12:]
        return "".join(f"\n{entry['time']} {entry['kind']} {str(entry['data'])[:600]}" for entry in entries)

    def _ply(self, game: str) -> int:
        return int(self.service.client.get(f"/api/v1/games/{game}")["ply"])

    def _check(self, game: str, moves: list[str], finished: dict[str, Any]) -> None:
        """The record is what the hands played."""
        client = self.service.client
        stored = client.get(f"/api/v1/games/{game}")
        assert [ply["move"] for ply in client.get(f"/api/v1/games/{game}/replay")["plies"]] == moves
        assert stored["position"] == finished["position"]
        assert client.get(f"/api/v1/games/{game}/integrity")["faults"] == []
        (written,) = read_games(client.text(f"/api/v1/games/{game}.pmn").splitlines(keepends=True))
        assert [str(turn.move) for turn in written.replay().turns] == moves

    def _check_sources(self, game: str, tally: Tally) -> None:
        """No event of the board did two things."""
        lines = self.service.client.text(f"/api/v1/games/{game}/events?format=ndjson").splitlines()
        sources = [json.loads(line)["source"] for line in lines]
        from_board = [source for source in sources if source.startswith("board:")]
        assert len(set(from_board)) == len(from_board), from_board
        tally.events = len(from_board)

    def _check_spool(self, folder: Path) -> None:
        """Everything is delivered."""
        (path,) = folder.glob("*.spool")
        with contextlib.closing(sqlite3.connect(path)) as connection:
            assert connection.execute("SELECT count(*) FROM reports").fetchone() == (0,)


@contextlib.contextmanager
def _weather(network: Network) -> Iterator[threading.Event]:
    """Change the weather until the event is set or the block is left; then clear it."""
    over = threading.Event()

    def change() -> None:
        while not over.wait(network.change()):
            pass
        network.weather = "clear"

    thread = threading.Thread(target=change, daemon=True)
    thread.start()
    try:
        yield over
    finally:
        over.set()
        thread.join()


@click.command()
@click.option("--rounds", type=click.IntRange(1), default=100, show_default=True, help="How many games.")
@click.option("--seed", type=int, default=1, show_default=True, help="Of everything but the clock.")
@click.option("--only", type=click.IntRange(0), help="Play this round alone.")
def main(rounds: int, seed: int, only: int | None) -> None:
    """Play games on a remote board over a bad network."""
    began = time.monotonic()
    tallies: list[Tally] = []
    with tempfile.TemporaryDirectory(prefix="inkeek-far-") as folder:
        bench = Bench(Path(folder), seed)
        try:
            for number in range(rounds) if only is None else [only]:
                tally = bench.play(number)
                tallies.append(tally)
                click.echo(
                    f"{number:>4}  {'wrong' if tally.wrong else 'right'}  {tally.seconds:5.1f} s  {tally.plies} turns  "
                    f"{tally.events} events  killed {tally.kills}, service {dict(tally.deaths)}  {dict(tally.met)}"
                )
                if tally.wrong:
                    click.echo(f"{tally.wrong}\nagain: python -m tests.far --seed {seed} --only {number}")
        finally:
            bench.close()
    wrong = sum(tally.wrong is not None for tally in tallies)
    click.echo(f"{len(tallies)} games in {time.monotonic() - began:.0f} s: {wrong} wrong")
    raise SystemExit(1 if wrong else 0)


if __name__ == "__main__":
    main()
