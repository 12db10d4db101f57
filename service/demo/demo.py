"""`inkeek demo`: the service and a simulated board as two processes, and an onlooker who talks to them from outside.

The demonstration uses what anyone could: the command line of both, and HTTP.
"""

from __future__ import annotations

import json
import math
import os
import queue
import signal
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import timedelta
from importlib import resources
from pathlib import Path
from typing import IO, Any

from records import Game, Position, read_games
from records.notation.move_numbers import cite_turn
from service.games.state import DERIVED_TAGS
from service.http.access.caller import LINK, TOKEN
from service.http.access.keys import Keys
from service.http.services import build_services
from service.processes import child_process
from service.processes.supervisor import sign_in_url
from service.settings import read_settings

from .client import Client, DemoFailed

START_WITHIN = 30.0  # seconds for the service or the simulated board to come up
QUIET_FOR = 180.0  # seconds of the players' time without a turn after which something must be wrong
LEAST_QUIET = 30.0  # seconds of real time, however fast the players are
FAVOURITE_PORT = 8000
TOKEN_LIFETIME = timedelta(days=1)  # of a demonstration that is killed and revokes nothing
LINK_LIFETIME = timedelta(hours=1)
KEPT_LINES = 1000  # of a child's output, until they are read

__all__ = ["Demo", "DemoFailed"]


class Demo:
    """One demonstration. `speed` is a factor or ``max``, `mistake` what the hands do wrong, `say` prints a line."""

    def __init__(
        self, *, speed: str, port: int | None, data: str | None, mistake: str | None, say: Callable[[str], None]
    ) -> None:
        self._speed = speed
        self._port = port
        self._data = data
        self._mistake = mistake
        self._say = say

    def run(self, leave: bool) -> None:
        """Play the game; then, with `leave`, check the record and end, else serve on until Ctrl-C.

        :raises DemoFailed: something does not come up, stops, or is not as the hands played it.
        """
        quiet = _quiet(self._speed)
        with ExitStack() as stack:
            before = signal.signal(signal.SIGTERM, _interrupt)
            stack.callback(signal.signal, signal.SIGTERM, before)
            folder = Path(self._data or stack.enter_context(tempfile.TemporaryDirectory(prefix="inkeek-demo-")))
            folder.mkdir(parents=True, exist_ok=True)
            text = resources.files("service.demo").joinpath("demo.pmn").read_text("utf-8")
            game = _only_game(text)
            keys, token = stack.enter_context(own_token(folder))
            client = self._start_service(stack, folder, token)
            record = folder / "demo-hands.pmn"
            record.write_text(text, "utf-8")
            sim, port = self._start_board(stack, record)
            game_id = _create(client, game)
            for left in client.get("/api/v1/boards")["items"]:  # by a demonstration that was cut short
                if left["port"] == port:
                    client.delete(f"/api/v1/boards/{left['id']}")
            board = client.post("/api/v1/boards", {"port": port, "driver": "inkeek", "game": game_id})
            self._say(f"Live page:   {client.url}/games/{game_id}/live")
            self._say(f"Review page: {client.url}/games/{game_id}/review")
            if not leave:
                link = keys.create(LINK, "page", ("admin",), LINK_LIFETIME)[1]
                self._say(f"To change things there, sign in, once and soon: {sign_in_url(client.url, link)}")
            self._say(f"A simulated board at {port} plays {game.tags['South']} against {game.tags['North']}.\n")
            self._watch(client, game_id, board["id"], sim, quiet)
            finished = _finished(sim)
            self._say("\n" + client.text(f"/api/v1/games/{game_id}.pmn"))
            if leave:
                faults = check(client, game_id, board["id"], game, finished, self._mistake)
                if faults:
                    raise DemoFailed("the record is not what the hands played: " + "; ".join(faults))
                self._say(f"Checked: {len(finished['moves'])} turns, read back over HTTP, are those the hands played.")
                return
            self._say(f"The game is over. {client.url}/games/{game_id}/review shows it; Ctrl-C stops the service.")
            while not client.child.ended(1.0):
                pass
            raise DemoFailed(f"the service ended\n{client.child.errors()}")

    def _start_service(self, stack: ExitStack, folder: Path, token: str) -> Client:
        port = self._port if self._port is not None else _free_or_any(FAVOURITE_PORT)
        arguments = ["-m", "service.cli", "serve", "--exit-with-parent", "--port", str(port), "--data", str(folder)]
        service = stack.enter_context(Child("the service", arguments, folder / "demo-service.log"))
        line = service.line(START_WITHIN)
        url = next((word.rstrip("/") for word in line.split() if word.startswith("http://")), None)
        if url is None:
            raise DemoFailed(f"the service said {line!r} instead of its address")
        client = Client(url, service, token)
        client.wait_ready(START_WITHIN)
        return client

    def _start_board(self, stack: ExitStack, record: Path) -> tuple[Child, str]:
        arguments = ["-m", "service.processes.child_process", "firmware_sim", "--json", "--play", str(record)]
        arguments += ["--pty", "--link", str(record.with_suffix(".board"))]
        arguments += ["--speed", self._speed]
        if self._mistake is not None:
            arguments += ["--mistake", self._mistake]
        sim = stack.enter_context(Child("the simulated board", arguments, record.with_suffix(".log")))
        told = sim.event(START_WITHIN)
        if told.get("event") != "listening":
            raise DemoFailed(f"the simulated board said {told} instead of where it listens")
        return sim, str(told["url"])

    def _watch(self, client: Client, game_id: str, board_id: str, sim: Child, quiet: float) -> None:
        """Print what happens until the game has ended."""
        logged, refused = 0, -1
        turn_by = time.monotonic() + quiet
        positions: list[Position] = []
        for kind, data in client.events(f"/api/v1/games/{game_id}/events"):
            if kind == "created":
                positions.append(Position.parse(data["position"]))
            if kind in ("turn", "board"):
                # The log is ahead of the stream: what was refused is told when its turn is the next.
                for entry in client.get(f"/api/v1/boards/{board_id}/log?after={logged}")["items"]:
                    if entry["data"].get("ply", 0) > len(positions):
                        break
                    logged = entry["number"]
                    if entry["kind"] == "refused":
                        refused = entry["data"]["ply"]
                    self._tell_log(entry["kind"], entry["data"])
            if kind == "turn":
                turn_by = time.monotonic() + quiet
                turn = cite_turn(positions, data["data"]["turn"]["move"])
                positions.append(Position.parse(data["position"]))
                self._say(f"{turn:<14} {positions[-1]}")
                if data["data"]["ply"] == refused:
                    self._say("    mended      The turn is recorded.")
            elif kind == "ended":
                end = data["data"]
                score = "" if end["score"] is None else " {}-{}".format(*end["score"])
                self._say(f"The game is over: {end['winner'] or 'nobody'} wins{score} ({end['termination']}).")
                return
            if sim.ended(0):
                raise DemoFailed(f"the simulated board ended before the game\n{sim.errors()}")
            if time.monotonic() > turn_by:
                raise DemoFailed(f"no turn was recorded for {quiet:.0f} seconds")
        raise DemoFailed("the live stream ended before the game")

    def _tell_log(self, kind: str, data: dict[str, Any]) -> None:
        if kind == "refused":
            self._say(f"{data['number']:<4}refused     {' '.join(data['sentences'])}")
        elif kind == "gap":
            self._say(f"    gap         {data['reason']}")


@contextmanager
def own_token(folder: Path) -> Iterator[tuple[Keys, str]]:
    """The keys in the database in `folder`, and a token of one's own to write with; revoked in the end."""
    services = build_services(read_settings(os.environ, {"data": str(folder)}))
    try:
        services.store.upgrade()
        key, token = services.keys.create(TOKEN, "demo", ("record", "board"), TOKEN_LIFETIME)
        try:
            yield services.keys, token
        finally:
            services.keys.revoke(key.id)
    finally:
        services.store.close()


class Child:
    """A process that ends with this one. Its standard output is read line by line, and whose errors go to a file."""

    def __init__(self, name: str, arguments: list[str], errors: Path) -> None:
        self._name = name
        self._arguments = arguments
        self._errors = errors
        self._lines: queue.Queue[str | None] = queue.Queue(KEPT_LINES)

    def __enter__(self) -> Child:
        with self._errors.open("wb") as errors:
            self._process = child_process.start(self._arguments, {}, stdout=subprocess.PIPE, stderr=errors)
        output = self._process.stdout
        assert output is not None
        self._reader = threading.Thread(target=self._read, args=(output,), name=self._name, daemon=True)
        self._reader.start()
        return self

    def __exit__(self, *_: object) -> None:
        child_process.stop(self._process)
        while self._reader.is_alive():  # it may wait for room in the queue
            self._drain()
            self._reader.join(0.05)
        assert self._process.stdout is not None
        self._process.stdout.close()

    @property
    def pid(self) -> int:
        return self._process.pid

    def line(self, timeout: float) -> str:
        """The next line of output.

        :raises DemoFailed: none came in time, or the process ended.
        """
        try:
            line = self._lines.get(timeout=timeout)
        except queue.Empty as error:
            raise DemoFailed(f"{self._name} said nothing for {timeout:g} seconds\n{self.errors()}") from error
        if line is None:
            self._lines.put(None)
            status = self._process.wait()
            raise DemoFailed(f"{self._name} ended with status {status}\n{self.errors()}")
        return line

    def event(self, timeout: float) -> dict[str, Any]:
        """The next line of output, which is a JSON object."""
        line = self.line(timeout)
        try:
            told = json.loads(line)
        except json.JSONDecodeError as error:
            raise DemoFailed(f"{self._name} said {line!r}: expected JSON") from error
        if not isinstance(told, dict):
            raise DemoFailed(f"{self._name} said {line!r}: expected an object")
        return told

    def ended(self, wait: float) -> bool:
        """Whether the process has ended, or does within `wait` seconds."""
        try:
            self._process.wait(wait)
        except subprocess.TimeoutExpired:
            return False
        return True

    def errors(self) -> str:
        """The end of what it wrote to standard error."""
        return self._errors.read_text("utf-8", "replace")[-2000:]

    def _read(self, output: IO[bytes]) -> None:
        for line in output:
            self._lines.put(line.decode("utf-8", "replace").rstrip("\n"))
        self._lines.put(None)

    def _drain(self) -> None:
        try:
            while True:
                self._lines.get_nowait()
        except queue.Empty:
            return


def check(
    client: Client, game_id: str, board_id: str, game: Game, finished: dict[str, Any], mistake: str | None
) -> list[str]:
    """How the record, read back over HTTP, differs from what the hands played; empty when it does not."""
    played = [str(turn.move) for turn in game.replay().turns]
    end = str(game.replay().positions[-1])
    replay = client.get(f"/api/v1/games/{game_id}/replay")
    stored = client.get(f"/api/v1/games/{game_id}")
    written = _only_game(client.text(f"/api/v1/games/{game_id}.pmn"))
    entries = client.get(f"/api/v1/boards/{board_id}/log")["items"]
    integrity = client.get(f"/api/v1/games/{game_id}/integrity")
    wanted: list[tuple[str, object, object]] = [
        ("what the hands say they played", finished["moves"], played),
        ("the position the hands left", finished["position"], end),
        ("the moves of the replay", [ply["move"] for ply in replay["plies"]], played),
        ("the moves of the record", [str(turn.move) for turn in written.replay().turns], played),
        ("the final position", stored["position"], end),
        ("the result", stored["result"], game.tags["Result"]),
        ("the state", stored["state"], "ended"),
        ("the chain of events", integrity["faults"], []),
        ("mistakes caught", [e["kind"] for e in entries].count("refused"), 0 if mistake is None else 1),
        ("mistakes mended", [e["kind"] for e in entries].count("mended"), 0 if mistake is None else 1),
    ]
    return [f"{what}: {found}, expected {expected}" for what, found, expected in wanted if found != expected]


def _create(client: Client, game: Game) -> str:
    rules = game.rules()
    tags = {name: value for name, value in game.tags.items() if name not in DERIVED_TAGS}
    created = client.post("/api/v1/games", {"game": rules.id, "options": rules.changed, "tags": tags})
    return str(created["id"])


def _finished(sim: Child) -> dict[str, Any]:
    """What the hands say they played."""
    deadline = time.monotonic() + START_WITHIN
    while time.monotonic() < deadline:
        told = sim.event(START_WITHIN)
        if told.get("event") == "finished":
            return told
    raise DemoFailed("the simulated board never said that the game was finished")


def _only_game(text: str) -> Game:
    games = list(read_games(text.splitlines(keepends=True)))
    if len(games) != 1 or games[0].errors:
        raise DemoFailed(f"expected one good record: {[str(error) for game in games for error in game.errors]}")
    return games[0]


def _quiet(speed: str) -> float:
    """How long no turn may come, by the speed of the hands.

    :raises DemoFailed: it is no speed.
    """
    try:
        factor = math.inf if speed == "max" else float(speed)
    except ValueError as error:
        raise DemoFailed(f"speed is {speed!r}: expected a factor, as 20, or max") from error
    if not factor > 0:
        raise DemoFailed(f"speed is {speed!r}: expected a factor above 0, or max")
    return max(LEAST_QUIET, QUIET_FOR / factor)


def _free_or_any(port: int) -> int:
    """`port` when nobody holds it, else 0, which asks for any."""
    try:
        socket.create_server(("127.0.0.1", port)).close()
    except OSError:
        return 0
    return port


def _interrupt(*_: object) -> None:
    raise KeyboardInterrupt
