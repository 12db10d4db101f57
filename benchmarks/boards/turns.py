"""From a turn on a board to its event on a stream, and the cost of idle boards: ``python -m benchmarks.boards.turns``.

The service and its desk are real. The boards are the firmware itself behind TCP ports of this process; turns are laid
out and committed at once. The delay is measured from the last byte of a commit on the line until the event, by then
durable, arrives on a stream (server-sent events, one for each game). All of it runs on one machine.
"""

from __future__ import annotations

import argparse
import json
import os
import selectors
import socket
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from drivers.detection.detector import detect
from drivers.detection.verdicts import Clear
from firmware_sim.firmware.board import BoardFirmware
from firmware_sim.firmware.buttons import contact
from records import SOUTH, Position, Turn, ruleset

from ..service.http_client import Connection
from ..service.throughput import at, served

OPTIONS = {"pits": 8, "setup": "fours-right"}
LOOK_MS = 50  # of the sensors' time between two readings
LAID_BEFORE = 0.4  # seconds from the last seed to the button
UP_WITHIN = 60.0
MAX_TURNS = 25  # longer random games are rarely found


@dataclass
class Table:
    """One board, its line and its game. Times are of `time.perf_counter`."""

    number: int
    board: BoardFirmware
    listener: socket.socket
    due: float = 0.0
    line: socket.socket | None = None
    game: str = ""
    now: int = 0
    ply: int = 0
    laid: bool = False
    pressed: float = 0.0
    took: list[float] = field(default_factory=list)

    def sense(self, position: Position, contacts: int = 0, looks: int = 4) -> None:
        """Let the sensors see a position until it has settled."""
        counts = [100 * seeds for seeds in (*position.pits, *position.stores)]
        for _ in range(looks):
            self.now += LOOK_MS
            self.board.sense(list(counts), contacts, self.now)

    def send(self) -> None:
        if self.line is not None:
            waiting = self.board.output(round(time.perf_counter() * 1000))
            if waiting:
                self.line.sendall(waiting)
                self.board.mark_sent(len(waiting))

    def accept(self, selector: selectors.BaseSelector) -> None:
        """Take the host's connection."""
        self.line, _ = self.listener.accept()
        self.line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        selector.register(self.line, selectors.EVENT_READ, self)
        self.send()


def new_table(number: int, position: Position, selector: selectors.BaseSelector) -> Table:
    """A board with a position on it, behind a port of this process."""
    listener = socket.create_server(("127.0.0.1", 0))
    listener.setblocking(False)
    table = Table(number, BoardFirmware(8, True, f"BENCH-{number}", f"{number:08x}"), listener)
    table.sense(position)
    selector.register(listener, selectors.EVENT_READ, table)
    return table


def line_of_turns(count: int) -> list[Turn]:
    """A random game whose turns a board can distinguish from all others."""
    rules, rng = ruleset("enkeshui", **OPTIONS), Random(7)
    while True:
        position, turns = rules.start(), []
        while len(turns) < count and (legal := rules.legal_moves(position, limit=200)):
            possible = [rules.play(position, move) for move in legal]
            clear = [turn for turn in possible if _is_clear(rules, position, turn)]
            if not clear:
                break
            turns.append(rng.choice(clear))
            position = turns[-1].position
        if len(turns) == count and rules.outcome(position) is None:
            return turns


def _is_clear(rules: object, position: Position, turn: Turn) -> bool:
    counts = [float(seeds) for seeds in (*turn.position.pits, *turn.position.stores)]
    verdict = detect(rules, position, counts, pressed_by=position.to_move)  # type: ignore[arg-type]
    return isinstance(verdict, Clear) and verdict.turn.move == turn.move


class Room:
    """Tables and the streams of their games."""

    def __init__(self, port: int, headers: dict[str, str], tables: int, turns: list[Turn]) -> None:
        self._port = port
        self._headers = headers
        self._turns = turns
        self._start = ruleset("enkeshui", **OPTIONS).start()
        self._selector = selectors.DefaultSelector()
        self._heard: dict[str, bytes] = {}
        self.tables = [new_table(number, self._start, self._selector) for number in range(tables)]
        asking = Connection(port, headers)
        for table in self.tables:
            body = json.dumps({"game": "enkeshui", "options": OPTIONS}).encode()
            table.game = json.loads(asking.ask("POST", "/api/v1/games", body)[1])["id"]
            url = f"socket://127.0.0.1:{table.listener.getsockname()[1]}"
            status, answer = asking.ask(
                "POST", "/api/v1/boards", json.dumps({"port": url, "game": table.game}).encode()
            )
            assert status == 201, answer
        self._asking = asking

    def close(self) -> None:
        for key in list(self._selector.get_map().values()):
            assert isinstance(key.fileobj, socket.socket)
            key.fileobj.close()
        self._selector.close()

    def connect(self) -> None:
        """Wait until the desk has all boards."""
        deadline = time.perf_counter() + UP_WITHIN
        while True:
            self._serve(0.2)
            boards = json.loads(self._asking.ask("GET", "/api/v1/boards")[1])["items"]
            if all(board["status"]["state"] == "connected" and board["status"]["counts"] for board in boards):
                return
            assert time.perf_counter() < deadline, [board["status"]["message"] for board in boards]

    def idle(self, seconds: float) -> None:
        """Let time pass at boards that nobody touches."""
        until = time.perf_counter() + seconds
        while (left := until - time.perf_counter()) > 0:
            self._serve(left)

    def follow(self) -> None:
        """Open a stream for each game."""
        heads = "".join(f"{name}: {value}\r\n" for name, value in self._headers.items())
        for table in self.tables:
            stream = socket.create_connection(("127.0.0.1", self._port), timeout=30)
            path = f"/api/v1/games/{table.game}/events"
            stream.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{self._port}\r\n{heads}\r\n".encode())
            self._heard[table.game] = b""
            self._selector.register(stream, selectors.EVENT_READ, table.game)
        self.idle(1.0)

    def play(self, every: float) -> None:
        """Play all turns at all tables, one turn in so many seconds at each, the tables in turn."""
        began = time.perf_counter() + 0.1
        for table in self.tables:
            table.due = began + every * table.number / len(self.tables)
        left = len(self.tables)
        while left:
            now = time.perf_counter()
            for table in self.tables:
                if table.ply < len(self._turns) and not table.pressed and now >= table.due:
                    self._act(table, every)
            waits = [table.due for table in self.tables if table.ply < len(self._turns) and not table.pressed]
            self._serve(min(max(min(waits, default=now + 0.2) - time.perf_counter(), 0), 0.2))
            left = sum(table.ply < len(self._turns) for table in self.tables)
            late = [table for table in self.tables if table.pressed and time.perf_counter() - table.pressed > 20]
            assert not late, [self._asking.ask("GET", f"/api/v1/games/{late[0].game}")[1], late[0].ply]

    def _act(self, table: Table, every: float) -> None:
        turn = self._turns[table.ply]
        if not table.laid:
            table.sense(turn.position)
            table.send()
            table.laid, table.due = True, table.due + min(LAID_BEFORE, every / 2)
            return
        side = "s" if turn.before.to_move is SOUTH else "n"
        table.sense(turn.position, contact(side, "commit"))
        table.send()
        table.pressed = time.perf_counter()
        table.sense(turn.position)
        table.laid, table.due = False, table.due + every - min(LAID_BEFORE, every / 2)

    def _serve(self, seconds: float) -> None:
        """What comes over the lines and streams within so many seconds, at most once."""
        for key, _ in self._selector.select(seconds):
            if isinstance(key.data, str):
                self._hear(key.data, key.fileobj)  # type: ignore[arg-type]
            elif key.fileobj is key.data.listener:
                table: Table = key.data
                table.accept(self._selector)
            else:
                table = key.data
                assert table.line is not None
                table.board.receive(table.line.recv(65536))
                table.send()

    def _hear(self, game: str, stream: socket.socket) -> None:
        came = time.perf_counter()
        more = stream.recv(65536)
        assert more, "a stream ended"
        *lines, self._heard[game] = (self._heard[game] + more).split(b"\n")
        table = next(table for table in self.tables if table.game == game)
        for line in lines:
            if line.strip() == b"event: turn":
                table.took.append(came - table.pressed)
                table.ply, table.pressed = table.ply + 1, 0.0


def processor_seconds(under: int, name: str) -> float:
    """The processor's time that the process below `under` has had whose command line names `name`."""
    parents, times = {}, {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                fields = (folder / "stat").read_text().rpartition(")")[2].split()
                command = (folder / "cmdline").read_bytes()
            except OSError:
                continue  # it has ended meanwhile
            pid = int(folder.name)
            parents[pid] = int(fields[1])
            if name.encode() in command:
                times[pid] = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return sum(seconds for pid, seconds in times.items() if _is_below(pid, under, parents))


def _is_below(pid: int, under: int, parents: dict[int, int]) -> bool:
    while pid in parents and pid != under:
        pid = parents[pid]
    return pid == under


def main() -> None:
    parser = argparse.ArgumentParser(description="How late a turn on a board is out on the stream.")
    parser.add_argument("--boards", type=int, nargs="+", default=[1, 100])
    parser.add_argument(
        "--turns", type=int, choices=range(1, MAX_TURNS + 1), default=15, metavar="N", help="at each board"
    )
    parser.add_argument("--every", type=float, default=4.0, help="seconds a turn at each board")
    parser.add_argument("--idle", type=float, default=20.0, help="seconds that the boards lie idle first")
    options = parser.parse_args()
    print("| boards | turns | p50 | p90 | p99 | most | idle: the desk | idle: the web process |")
    print("|--:|--:|--:|--:|--:|--:|--:|--:|")
    for count in options.boards:
        turns = line_of_turns(options.turns)
        with (
            tempfile.TemporaryDirectory() as folder,
            served(Path(folder), threads=count + 16, max_streams=count + 2, max_boards=count, rate=0) as (
                port,
                headers,
            ),
        ):
            room = Room(port, headers, count, turns)
            room.connect()
            room.follow()
            names = ("service.boards.desk", "service.processes.web_server")
            before = [processor_seconds(os.getpid(), name) for name in names]
            room.idle(options.idle)
            after = [processor_seconds(os.getpid(), name) for name in names]
            idle = " | ".join(f"{100 * (b - a) / options.idle:.1f} %" for a, b in zip(before, after, strict=True))
            room.play(options.every if count > 1 else min(options.every, 0.5))
            took = sorted(seconds for table in room.tables for seconds in table.took)
            figures = " | ".join(f"{at(took, share):.1f} ms" for share in (0.5, 0.9, 0.99, 1.0))
            print(f"| {count} | {len(took)} | {figures} | {idle} |", flush=True)
            room.close()


if __name__ == "__main__":
    main()
