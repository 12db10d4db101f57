"""Talks to an engine in a process of its own. Nothing that the engine does can hang or fill the host."""

from __future__ import annotations

import os
import shlex
import subprocess
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from queue import Empty, Full, Queue
from types import TracebackType
from typing import IO, TypeVar

from inkeek.records import PASS, IllegalMove, Move, Position, RecordsError, Rules
from inkeek.records.analysis.protocol import (
    MAX_LINE,
    MAX_OPTIONS,
    VERSION,
    Answer,
    Info,
    Introduction,
    Search,
    position_text,
    read_answer,
    read_info,
    read_number,
    read_option,
    rules_text,
    search_text,
)
from inkeek.records.errors import is_whole
from inkeek.service.errors import ServiceError

T = TypeVar("T")
START_SECONDS = 20.0  # until an engine has introduced itself
READY_SECONDS = 30.0  # until it has made its memory, and knows the rules
STOP_SECONDS = 3.0  # until it has left, or has answered after `stop`
MOVE_GRACE = 0.25  # seconds by which a move may pass its limit
MAX_WAITING = 100  # lines that were not read yet, of either side: more, and the engine has to wait, or is given up
MAX_SILENCE = 600.0  # seconds that a search without a limit of time may take
WINDOWS = os.name == "nt"


class EngineError(ServiceError):
    """An engine does not start, does not answer in time, or answers something that is not of the protocol."""

    slug = "engine"
    title = "The engine failed."


class EngineProcess:
    """An engine's process, once it is started. A context manager: on leaving, the process is ended.

    `command` is a command line or its words. `name` is what messages call the engine. `options` are set at each start.
    """

    def __init__(self, command: str | Sequence[str], name: str = "", options: Sequence[tuple[str, int]] = ()) -> None:
        self.command = command
        self.name = name or (command if isinstance(command, str) else " ".join(command))
        self.options = tuple(options)
        self.introduction = Introduction()
        self._process: subprocess.Popen[bytes] | None = None
        self._unread: Queue[bytes | None] = Queue(MAX_WAITING)
        self._unsent: Queue[bytes | None] = Queue(MAX_WAITING)
        self._closing = threading.Event()
        self._rules_line = ""  # of the game that the engine knows
        self._complaints = b""  # the end of what it wrote to standard error
        self._hearing = threading.Thread()

    def __enter__(self) -> EngineProcess:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def start(self) -> None:
        """Start the program, read its introduction and set its options. One that ran before is ended.

        :raises EngineError: it does not start, is no engine, or does not offer such an option.
        """
        self.close()
        self._unread, self._unsent, self._closing = Queue(MAX_WAITING), Queue(MAX_WAITING), threading.Event()
        self._rules_line = ""
        try:
            self._process = process = subprocess.Popen(
                _arguments(self.command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
            )
        except (OSError, ValueError, IndexError) as error:
            raise EngineError(f"Engine {self.name!r} does not start: {error}.") from error
        try:
            threading.Thread(target=_read, args=(process.stdout, self._unread, self._closing), daemon=True).start()
            threading.Thread(target=_write, args=(process.stdin, self._unsent), daemon=True).start()
            self._complaints = b""
            self._hearing = threading.Thread(target=self._hear, args=(process.stderr,), daemon=True)
            self._hearing.start()
            self._introduce()
            for name, value in self.options:
                self._set(name, value)
        except BaseException:  # whatever it is: nobody else can end the process
            self.close()
            raise

    def new_game(self, rules: Rules) -> None:
        """Tell the engine under which rules the next positions are.

        :raises EngineError: it does not get ready, or does not know the game.
        """
        self._rules_line = ""
        self._send("newgame")
        self._send(rules_text(rules))
        self._send("isready")
        deadline = time.monotonic() + READY_SECONDS
        while (words := self._next(deadline)) is None or words[0] != "readyok":
            if words is None:
                raise EngineError(f"Engine {self.name!r} did not say 'readyok' within {READY_SECONDS:g} s.")
        self._rules_line = rules_text(rules)

    def play(self, rules: Rules, start: Position, moves: Sequence[Move], search: Search) -> Answer:
        """The engine's move, which is legal, in the position after `moves`; no move if the game is over.

        :raises IllegalMove: one of `moves` is.
        :raises EngineError: the engine fails, or answers with no legal move. Its process is ended.
        """
        position = _position_after(rules, start, moves)
        turns = rules.turns(position, 1)
        if not turns or turns[0].move == PASS:
            return Answer(PASS if turns else None)
        answer = self._ask(rules, start, moves, position, search, None)
        if answer.move is None or not rules.is_legal(position, answer.move):
            self.close()
            raise EngineError(f"Engine {self.name!r} answers {answer.move or 'none'} in {position}: no legal move.")
        return answer

    def analyse(self, rules: Rules, start: Position, moves: Sequence[Move], search: Search) -> tuple[Info, ...]:
        """The best lines of the position after `moves`, each as the engine last reported it.

        :raises IllegalMove: one of `moves` is.
        :raises EngineError: the engine fails, or reports a line that cannot be played. Its process is ended.
        """
        position = _position_after(rules, start, moves)
        lines: dict[int, Info] = {}

        def keep(info: Info) -> None:
            if info.line <= search.lines:
                lines[info.line] = info

        self._ask(rules, start, moves, position, search, keep)
        try:
            for info in lines.values():
                _position_after(rules, position, info.moves)
        except IllegalMove as error:
            self.close()
            raise EngineError(f"Engine {self.name!r} reports a line that cannot be played: {error}") from error
        return tuple(lines[number] for number in sorted(lines))

    def search(
        self,
        start: Position,
        moves: Sequence[Move],
        search: Search,
        seconds: float | None = None,
        on_info: Callable[[Info], None] | None = None,
    ) -> Answer:
        """Have the engine search the position after `moves`. After `seconds` the engine gets the command to stop.

        :raises EngineError: it does not answer, or answers with an error. Its process is ended: a later answer would
            be taken for that of the next search.
        """
        try:
            return self._search(start, moves, search, MAX_SILENCE if seconds is None else seconds, on_info)
        except EngineError:
            self.close()
            raise

    def _search(
        self,
        start: Position,
        moves: Sequence[Move],
        search: Search,
        seconds: float,
        on_info: Callable[[Info], None] | None,
    ) -> Answer:
        self._refuse_early_answer()
        self._send(position_text(start, moves))
        self._send(search_text(search))
        deadline = time.monotonic() + seconds
        stopped = False
        while True:
            words = self._next(deadline)
            if words is None:
                if stopped:
                    raise EngineError(f"Engine {self.name!r} does not answer {STOP_SECONDS:g} s after 'stop'.")
                self._send("stop")
                stopped, deadline = True, time.monotonic() + STOP_SECONDS
            elif words[0] == "info":
                info = self._parse(read_info, words)
                if info is not None and on_info is not None:
                    on_info(info)
            elif words[0] == "bestmove":
                return self._parse(read_answer, words)

    def close(self) -> None:
        """End the process, politely first."""
        process = self._process
        if process is None:
            return
        self._process = None
        self._closing.set()
        with suppress(Full):  # it does not read: it is not asked to leave
            self._unsent.put_nowait(b"stop\nquit\n")
            self._unsent.put_nowait(None)
        try:
            process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def _ask(
        self,
        rules: Rules,
        start: Position,
        moves: Sequence[Move],
        position: Position,
        search: Search,
        on_info: Callable[[Info], None] | None,
    ) -> Answer:
        if self._rules_line != rules_text(rules):
            self.new_game(rules)
        times = [] if search.move_time is None else [search.move_time]
        if search.clocks is not None:
            times.append(search.clocks[position.to_move])
        return self.search(start, moves, search, min(times) / 1000 + MOVE_GRACE if times else None, on_info)

    def _refuse_early_answer(self) -> None:
        """Read what came since the last answer. A second one to the last search is none to the next."""
        for _ in range(MAX_WAITING):
            words = self._next(None)
            if words is None:
                return
            if words[0] == "bestmove":
                raise EngineError(f"Engine {self.name!r} wrote {_shown(words)} without being asked.")

    def _set(self, name: str, value: int) -> None:
        option = next((option for option in self.introduction.options if option.name == name), None)
        if option is None or not is_whole(value, option.least, option.most):
            offered = ", ".join(f"{each.name} {each.least}…{each.most}" for each in self.introduction.options)
            raise EngineError(
                f"Engine {self.name!r} has no option {name}={value!r:.80}. It offers: {offered or 'none'}."
            )
        self._send(f"set {name} {value}")

    def _introduce(self) -> None:
        self._send(f"inkeek {VERSION}")
        deadline = time.monotonic() + START_SECONDS
        name = author = ""
        options = []
        while True:
            words = self._next(deadline)
            if words is None:
                raise EngineError(f"Engine {self.name!r} did not say 'inkeekok' within {START_SECONDS:g} s.")
            if words[0] == "id" and len(words) > 2:
                text = "".join(filter(str.isprintable, " ".join(words[2:])))[:100]
                name, author = (text, author) if words[1] == "name" else (name, text)
            elif words[0] == "option":
                options.append(self._parse(read_option, words))
                if len(options) > MAX_OPTIONS:
                    raise EngineError(f"Engine {self.name!r} offers more than {MAX_OPTIONS} options.")
            elif words[0] == "inkeekok":
                self._parse(lambda rest: read_number("inkeekok", rest[0] if rest else "", 1, VERSION), words)
                self.introduction = Introduction(name, author, tuple(options))
                return

    def _send(self, line: str) -> None:
        if self._process is None:
            raise EngineError(f"Engine {self.name!r} is not running.")
        try:
            self._unsent.put_nowait(line.encode() + b"\n")
        except Full:
            raise EngineError(f"Engine {self.name!r} does not read what it is sent.") from None

    def _hear(self, stream: IO[bytes]) -> None:
        """Keep the end of what the engine writes to standard error."""
        with stream:
            while part := os.read(stream.fileno(), MAX_LINE):
                self._complaints = (self._complaints + part)[-MAX_LINE:]

    def _why(self) -> str:
        """The exit status of an engine that has left, and the last line that it wrote to standard error."""
        status = None
        if self._process is not None:
            with suppress(subprocess.TimeoutExpired):  # it has closed its output, and may take a moment to end
                status = self._process.wait(STOP_SECONDS)
            self._hearing.join(STOP_SECONDS)
        lines = self._complaints.decode("utf-8", "replace").split("\n")
        last = next((line.strip() for line in reversed(lines) if line.strip()), "")
        return f"exit status {status}" + (f": {last[:200]}" if last else "")

    def _next(self, deadline: float | None) -> list[str] | None:
        """The words of the next line that has some; None at the deadline, even if there are lines; without a deadline,
        None if there is no line now.

        :raises EngineError: the engine has left, reports an error or writes a line that is too long.
        """
        while True:
            wait = 0.0 if deadline is None else deadline - time.monotonic()
            if wait < 0:
                return None
            try:
                line = self._unread.get(timeout=wait) if wait else self._unread.get_nowait()
            except Empty:
                return None
            if line is None:
                raise EngineError(f"Engine {self.name!r} has left ({self._why()}).")
            if len(line) > MAX_LINE:
                raise EngineError(f"Engine {self.name!r} wrote a line of more than {MAX_LINE} bytes.")
            words = line.decode("utf-8", "replace").split()
            if words[:1] == ["error"]:
                raise EngineError(f"Engine {self.name!r} reports {_shown(words[1:])}.")
            if words:
                return words

    def _parse(self, read: Callable[[Sequence[str]], T], words: list[str]) -> T:
        try:
            return read(words[1:])
        except RecordsError as error:
            raise EngineError(f"Engine {self.name!r} wrote {_shown(words)}: {error}.") from error


def popen(command: str | Sequence[str], name: str = "", **options: int) -> EngineProcess:
    """Start an engine; use it in a `with` statement, which ends it.

    :raises EngineError: it does not start, is no engine, or does not offer such an option.
    """
    engine = EngineProcess(command, name, tuple(options.items()))
    engine.start()
    return engine


def _arguments(command: str | Sequence[str]) -> str | Sequence[str]:
    """What `Popen` takes. On Windows a command line stays as it is: there the backslash of a path is no escape."""
    return shlex.split(command) if isinstance(command, str) and not WINDOWS else command


def _position_after(rules: Rules, position: Position, moves: Sequence[Move]) -> Position:
    previous = None
    for move in moves:
        position = rules.play(position, move, previous).position
        previous = move
    return position


def _shown(words: Sequence[str]) -> str:
    """What an engine wrote, safe to print on a terminal."""
    return repr(" ".join(words)[:500])


def _write(stream: IO[bytes], lines: Queue[bytes | None]) -> None:
    """Write the lines for an engine, and close its input at None: an engine that does not read hangs only this."""
    with suppress(OSError), stream:  # it has left
        while (line := lines.get()) is not None:
            stream.write(line)
            stream.flush()


def _read(stream: IO[bytes], lines: Queue[bytes | None], closing: threading.Event) -> None:
    """Hand over the lines of an engine, None at their end. While too many wait, so does the engine."""
    with stream:
        line: bytes | None = b"-"
        while line is not None:
            try:
                line = stream.readline(MAX_LINE + 1) or None
            except (OSError, ValueError):  # the process was killed
                line = None
            while not closing.is_set():
                try:
                    lines.put(line, timeout=0.5)
                except Full:
                    continue
                break
            else:
                return
