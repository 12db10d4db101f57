"""`inkeek demo`: starts the service and a simulated board, plays a game, and prints what happens.

It uses only public interfaces: both command lines, and HTTP.
"""

from __future__ import annotations

import json
import math
import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import timedelta
from pathlib import Path
from typing import IO, Any

from inkeek.records import Game, Position, read_games
from inkeek.records.notation.movetext import cite_turn
from inkeek.service.games.record_check import DERIVED_TAGS
from inkeek.service.http.access.caller import LINK, TOKEN, UNNAMED
from inkeek.service.http.access.keys import Keys, open_keys
from inkeek.service.http.addresses import sign_in_url
from inkeek.service.processes import child_process
from inkeek.service.processes.listening import free_or_any
from inkeek.service.settings import read_settings

from .client import DemoFailed, ServiceClient

KEPT_LINES = 1000  # of output, until they are read


class Child:
    """A Python process that stops with its parent. Its standard error goes to the file `errors`."""

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
        child_process.stop(self._process, within=child_process.STOP_FAMILY_WITHIN)
        while self._reader.is_alive():  # it may wait for room in the queue
            self._drain()
            self._reader.join(0.05)
        assert self._process.stdout is not None
        self._process.stdout.close()

    @property
    def pid(self) -> int:
        return self._process.pid

    def line(self, timeout: float) -> str:
        """Return the next line of output.

        :raises DemoFailed: none came in time, or the process ended.
        """
        try:
            line = self._lines.get(timeout=timeout)
        except queue.Empty as error:
            raise DemoFailed(f"{self._name} printed nothing for {timeout:g} seconds\n{self.errors()}") from error
        if line is None:
            self._lines.put(None)
            status = self._process.wait()
            raise DemoFailed(f"{self._name} ended with status {status}\n{self.errors()}")
        return line

    def event(self, timeout: float) -> dict[str, Any]:
        """Return the next line of output, which is a JSON object.

        :raises DemoFailed: it is not, or `line` fails.
        """
        line = self.line(timeout)
        try:
            event = json.loads(line)
        except json.JSONDecodeError as error:
            raise DemoFailed(f"{self._name} printed {line!r}: expected JSON") from error
        if not isinstance(event, dict):
            raise DemoFailed(f"{self._name} printed {line!r}: expected an object")
        return event

    def ended(self, wait: float) -> bool:
        """Return whether the process has ended, or ends within `wait` seconds."""
        try:
            self._process.wait(wait)
        except subprocess.TimeoutExpired:
            return False
        return True

    def errors(self) -> str:
        """Return the end of its standard error."""
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


CLI = "inkeek.service.cli"
START_WITHIN = 30.0  # seconds for the service or the simulated board to start
TURN_WITHIN = 180.0  # seconds of the players' time for a turn; after them something must be wrong
LEAST_WAIT = 120.0  # seconds of real time for a turn, however fast the players are
PREFERRED_PORT = 8000
TOKEN_LIFETIME = timedelta(days=1)  # limits the token of a demonstration that was killed
LINK_LIFETIME = timedelta(hours=1)


class Demo:
    """One demonstration. `speed` is a factor or ``max``, `mistake` a mistake of the hands; `say` prints a line."""

    def __init__(
        self, *, speed: str, port: int | None, data: str | None, mistake: str | None, say: Callable[[str], None]
    ) -> None:
        self._speed = speed
        self._port = port
        self._data = data
        self._mistake = mistake
        self._say = say

    def run(self, leave: bool) -> None:
        """Play the game. Then, with `leave`, check the record and return; else keep serving until Ctrl-C.

        :raises DemoFailed: a process does not start or stops, or the record differs from what the hands played.
        """
        patience = _turn_timeout(self._speed)
        with ExitStack() as stack:
            before = signal.signal(signal.SIGTERM, _interrupt)
            stack.callback(signal.signal, signal.SIGTERM, before)
            folder = Path(self._data or stack.enter_context(tempfile.TemporaryDirectory(prefix="inkeek-demo-")))
            folder.mkdir(parents=True, exist_ok=True)
            text = (Path(__file__).parents[1] / "accounts" / "example.pmn").read_text("utf-8")
            game = _only_game(text)
            keys, token = stack.enter_context(own_token(folder))
            client = self._start_service(stack, folder, token)
            record = folder / "demo-hands.pmn"
            record.write_text(text, "utf-8")
            sim, port = self._start_board(stack, record)
            game_id = _create(client, game)
            for old in client.get("/api/v1/boards")["items"]:  # left by a demonstration that was killed
                if old["port"] == port:
                    client.delete(f"/api/v1/boards/{old['id']}")
            board = client.post("/api/v1/boards", {"port": port, "driver": "inkeek", "game": game_id})
            self._say(f"Live page:   {client.url}/games/{game_id}/live")
            self._say(f"Review page: {client.url}/games/{game_id}/review")
            if not leave and not sys.stdout.isatty():  # the output may be kept as a log, for others to read
                self._say(f"To make changes there: inkeek token link --url {client.url} --data {folder}")
            elif not leave:
                link = keys.create(LINK, UNNAMED, ("admin",), LINK_LIFETIME)[1]
                self._say(f"To make changes there, sign in with this link, once, soon: {sign_in_url(client.url, link)}")
            self._say(f"A simulated board at {port} plays {game.tags['South']} against {game.tags['North']}.\n")
            self._watch(client, game_id, board["id"], sim, patience)
            finished = _wait_for_end(sim)
            self._say("\n" + client.text(f"/api/v1/games/{game_id}.pmn"))
            if leave:
                faults = check(client, game_id, board["id"], game, finished, self._mistake)
                if faults:
                    raise DemoFailed("the record differs from what the hands played: " + "; ".join(faults))
                self._say(f"Checked: {len(finished['moves'])} turns, read back over HTTP, match what the hands played.")
                return
            self._say("The game is over. Press Ctrl-C to stop the service.")
            while not client.child.ended(1.0):
                pass
            raise DemoFailed(f"the service ended\n{client.child.errors()}")

    def _start_service(self, stack: ExitStack, folder: Path, token: str) -> ServiceClient:
        port = self._port if self._port is not None else free_or_any(PREFERRED_PORT)
        arguments = ["-m", CLI, "serve", "--exit-with-parent", "--port", str(port), "--data", str(folder)]
        service = stack.enter_context(Child("the service", arguments, folder / "demo-service.log"))
        line = service.line(START_WITHIN)
        url = next((word.rstrip("/") for word in line.split() if word.startswith("http://")), None)
        if url is None:
            raise DemoFailed(f"the service printed {line!r} instead of its address")
        client = ServiceClient(url, service, token)
        client.wait_ready(START_WITHIN)
        return client

    def _start_board(self, stack: ExitStack, record: Path) -> tuple[Child, str]:
        arguments = ["-m", child_process.__name__, child_process.SIMULATOR, "--json", "--play", str(record)]
        has_pty = hasattr(os, "openpty")  # not on Windows
        arguments += ["--pty", "--link", str(record.with_suffix(".board"))] if has_pty else ["--tcp", "127.0.0.1:0"]
        arguments += ["--speed", self._speed]
        if self._mistake is not None:
            arguments += ["--mistake", self._mistake]
        sim = stack.enter_context(Child("the simulated board", arguments, record.with_suffix(".log")))
        event = sim.event(START_WITHIN)
        if event.get("event") != "listening":
            raise DemoFailed(f"the simulated board printed {event} instead of its port")
        return sim, str(event["url"])

    def _watch(self, client: ServiceClient, game_id: str, board_id: str, sim: Child, patience: float) -> None:
        logged, refused = 0, -1
        turn_by = time.monotonic() + patience
        positions: list[Position] = []
        for kind, data in client.events(f"/api/v1/games/{game_id}/events"):
            if kind == "created":
                positions.append(Position.parse(data["position"]))
            if kind in ("turn", "board"):
                # The log is ahead of the stream: print a refusal when its turn is the next.
                for entry in client.get(f"/api/v1/boards/{board_id}/log?after={logged}")["items"]:
                    if entry["data"].get("ply", 0) > len(positions):
                        break
                    logged = entry["number"]
                    if entry["kind"] == "refused":
                        refused = entry["data"]["ply"]
                    self._print_entry(entry["kind"], entry["data"])
            if kind == "turn":
                turn_by = time.monotonic() + patience
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
                raise DemoFailed(f"no turn was recorded for {patience:.0f} seconds")
        raise DemoFailed("the live stream ended before the game")

    def _print_entry(self, kind: str, data: dict[str, Any]) -> None:
        if kind == "refused":
            self._say(f"{data['number']:<4}refused     {' '.join(data['sentences'])}")
        elif kind == "gap":
            self._say(f"    gap         {data['reason']}")


@contextmanager
def own_token(folder: Path) -> Iterator[tuple[Keys, str]]:
    """Open the keys of the database in `folder`, make a token that can write, and revoke it at the end."""
    with open_keys(read_settings(os.environ, {"data": str(folder)})) as keys:
        key, token = keys.create(TOKEN, "demo", ("record", "board"), TOKEN_LIFETIME)
        try:
            yield keys, token
        finally:
            keys.revoke(key.id)


def check(
    client: ServiceClient, game_id: str, board_id: str, game: Game, finished: dict[str, Any], mistake: str | None
) -> list[str]:
    """Compare the record, read back over HTTP, with what the hands played; return the differences."""
    played = [str(turn.move) for turn in game.replay().turns]
    end = str(game.replay().positions[-1])
    replay = client.get(f"/api/v1/games/{game_id}/replay")
    stored = client.get(f"/api/v1/games/{game_id}")
    written = _only_game(client.text(f"/api/v1/games/{game_id}.pmn"))
    entries = client.get(f"/api/v1/boards/{board_id}/log")["items"]
    integrity = client.get(f"/api/v1/games/{game_id}/integrity")
    comparisons: list[tuple[str, object, object]] = [
        ("the moves the hands report", finished["moves"], played),
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
    return [f"{what}: {found}, expected {wanted}" for what, found, wanted in comparisons if found != wanted]


def _create(client: ServiceClient, game: Game) -> str:
    rules = game.rules()
    tags = {name: value for name, value in game.tags.items() if name not in DERIVED_TAGS}
    created = client.post("/api/v1/games", {"game": rules.id, "options": rules.changed, "tags": tags})
    return str(created["id"])


def _wait_for_end(sim: Child) -> dict[str, Any]:
    deadline = time.monotonic() + START_WITHIN
    while time.monotonic() < deadline:
        event = sim.event(START_WITHIN)
        if event.get("event") == "finished":
            return event
    raise DemoFailed("the simulated board did not report the end of the game")


def _only_game(text: str) -> Game:
    games = list(read_games(text.splitlines(keepends=True)))
    if len(games) != 1 or games[0].errors:
        raise DemoFailed(f"expected one valid record: {[str(error) for game in games for error in game.errors]}")
    return games[0]


def _turn_timeout(speed: str) -> float:
    """Return how many seconds to wait for a turn.

    :raises DemoFailed: `speed` is neither a positive number nor ``max``.
    """
    try:
        factor = math.inf if speed == "max" else float(speed)
    except ValueError as error:
        raise DemoFailed(f"speed is {speed!r}: expected a factor such as 20, or max") from error
    if not factor > 0:
        raise DemoFailed(f"speed is {speed!r}: expected a factor above 0, or max")
    return max(LEAST_WAIT, TURN_WITHIN / factor)


def _interrupt(*_: object) -> None:
    raise KeyboardInterrupt
