"""Talks to an engine in a process of its own. Nothing that the engine does can hang or fill the host."""

from __future__ import annotations

import shlex
import subprocess
import threading
import time
from collections.abc import Callable, Sequence
from queue import Empty, Full, Queue
from types import TracebackType
from typing import IO, TypeVar

from records import Move, Position, RecordsError, Rules
from records.analysis.protocol import (
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
from service.errors import ServiceError

T = TypeVar("T")
START_SECONDS = 20.0  # until an engine has introduced itself
STOP_SECONDS = 3.0  # until it has left, or has answered after `stop`
MAX_WAITING = 10_000  # lines that were not read yet: more, and the engine has to wait
MAX_SILENCE = 600.0  # seconds that a search without a limit of time may take


class EngineError(ServiceError):
    """An engine does not start, does not answer in time, or answers something that is not of the protocol."""

    slug = "engine"
    title = "The engine failed."


class EngineProcess:
    """An engine's process, once it is started. A context manager: on leaving, the process is ended.

    `command` is a command line. `name` is what messages call the engine. `options` are set at each start.
    """

    def __init__(self, command: str, name: str = "", options: Sequence[tuple[str, int]] = ()) -> None:
        self.command = command
        self.name = name or command
        self.options = tuple(options)
        self.introduction = Introduction()
        self._process: subprocess.Popen[bytes] | None = None
        self._lines: Queue[bytes | None] = Queue(MAX_WAITING)
        self._closing = threading.Event()

    def __enter__(self) -> EngineProcess:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def start(self) -> None:
        """Start the program, read its introduction and set its options.

        :raises EngineError: it does not start, is no engine, or does not offer such an option.
        """
        self._lines, self._closing = Queue(MAX_WAITING), threading.Event()
        try:
            words = shlex.split(self.command)
            self._process = subprocess.Popen(
                words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
            )
        except (OSError, ValueError, IndexError) as error:
            raise EngineError(f"Engine {self.name!r} does not start: {error}.") from error
        assert self._process.stdout is not None
        threading.Thread(target=_read, args=(self._process.stdout, self._lines, self._closing), daemon=True).start()
        try:
            self._introduce()
            for name, value in self.options:
                self._set(name, value)
        except EngineError:
            self.close()
            raise

    def new_game(self, rules: Rules) -> None:
        """Tell the engine under which rules the next positions are.

        :raises EngineError: it does not get ready, or does not know the game.
        """
        self._send("newgame")
        self._send(rules_text(rules))
        self._send("isready")
        self._wait_for("readyok", START_SECONDS)

    def search(
        self,
        start: Position,
        moves: Sequence[Move],
        search: Search,
        seconds: float | None = None,
        on_info: Callable[[Info], None] | None = None,
    ) -> Answer:
        """Have the engine search the position after `moves`. After `seconds` the engine gets the command to stop.

        :raises EngineError: it does not answer, or answers with an error.
        """
        self._send(position_text(start, moves))
        self._send(search_text(search))
        deadline = time.monotonic() + (MAX_SILENCE if seconds is None else seconds)
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
        assert process.stdin is not None
        try:
            process.stdin.write(b"stop\nquit\n")
            process.stdin.close()
        except OSError:
            pass  # it has left already
        try:
            process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def _set(self, name: str, value: int) -> None:
        option = next((option for option in self.introduction.options if option.name == name), None)
        if option is None or not option.least <= value <= option.most:
            offered = ", ".join(f"{each.name} {each.least}…{each.most}" for each in self.introduction.options)
            raise EngineError(f"Engine {self.name!r} has no option {name}={value}. It offers: {offered or 'none'}.")
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
                text = " ".join(words[2:])[:100]
                name, author = (text, author) if words[1] == "name" else (name, text)
            elif words[0] == "option":
                options.append(self._parse(read_option, words))
                if len(options) > MAX_OPTIONS:
                    raise EngineError(f"Engine {self.name!r} offers more than {MAX_OPTIONS} options.")
            elif words[0] == "inkeekok":
                self._parse(lambda rest: read_number("inkeekok", rest[0] if rest else "", 1, VERSION), words)
                self.introduction = Introduction(name, author, tuple(options))
                return

    def _wait_for(self, word: str, seconds: float) -> None:
        deadline = time.monotonic() + seconds
        while (words := self._next(deadline)) is not None:
            if words[0] == word:
                return
        raise EngineError(f"Engine {self.name!r} did not say {word!r} within {seconds:g} s.")

    def _send(self, line: str) -> None:
        process = self._process
        if process is None or process.stdin is None:
            raise EngineError(f"Engine {self.name!r} is not running.")
        try:
            process.stdin.write(line.encode() + b"\n")
            process.stdin.flush()
        except OSError as error:
            raise EngineError(f"Engine {self.name!r} has left (exit status {process.poll()}).") from error

    def _next(self, deadline: float) -> list[str] | None:
        """The words of the next line that has some; None at the deadline.

        :raises EngineError: the engine has left, reports an error or writes a line that is too long.
        """
        while True:
            try:
                line = self._lines.get(timeout=max(0.0, deadline - time.monotonic()))
            except Empty:
                return None
            if line is None:
                status = None if self._process is None else self._process.poll()
                raise EngineError(f"Engine {self.name!r} has left (exit status {status}).")
            if len(line) > MAX_LINE:
                raise EngineError(f"Engine {self.name!r} wrote a line of more than {MAX_LINE} bytes.")
            words = line.decode("utf-8", "replace").split()
            if words[:1] == ["error"]:
                raise EngineError(f"Engine {self.name!r} reports: {' '.join(words[1:])[:500]}")
            if words:
                return words

    def _parse(self, read: Callable[[Sequence[str]], T], words: list[str]) -> T:
        try:
            return read(words[1:])
        except RecordsError as error:
            raise EngineError(f"Engine {self.name!r} wrote {' '.join(words)[:200]!r}: {error}.") from error


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
