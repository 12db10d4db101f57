"""The engine of Inkeek as a program: it reads commands of the engine protocol line by line and writes its answers."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

from inkeek.records import Position, RecordsError, Rules, __version__, ruleset
from inkeek.records.analysis import Analysis, Limits, analyse
from inkeek.records.analysis.protocol import (
    MAX_LINE,
    VERSION,
    Answer,
    EngineOption,
    Info,
    ProtocolError,
    Search,
    answer_text,
    info_text,
    option_text,
    read_number,
    read_position,
    read_rules,
    read_search,
)
from inkeek.records.analysis.search import MAX_DEPTH, SearchTable
from inkeek.records.analysis.tables import Tables

MOST_MEMORY = 65_536  # MiB; and half of the machine's
MAX_ERROR = 1000  # characters
COMMANDS = ("inkeek", "isready", "set", "newgame", "rules", "position", "go", "stop", "quit")


def offered_options() -> tuple[EngineOption, ...]:
    """What a host can set on this machine."""
    most = min(MOST_MEMORY, max(64, (memory() or MOST_MEMORY) // 2))
    return (
        EngineOption("Memory", 64, 1, most),  # MiB for the transposition table
        EngineOption("Threads", 1, 1, 64),  # but a search takes no more than there are processors
        EngineOption("Overhead", 30, 0, 10_000),  # milliseconds that a move needs besides the search
    )


class Engine:
    """One conversation. `write` takes a line; it is called from two threads, never at once.

    `tables`: endgame tables that searches use.
    """

    def __init__(self, write: Callable[[str], None], tables: Tables | None = None) -> None:
        self._write = write
        self._tables = tables
        self._writing = threading.Lock()
        self._options = {option.name: option for option in offered_options()}
        self._values = {name: option.default for name, option in self._options.items()}
        self._table: SearchTable | None = None  # made once it is needed
        # As the host named them, None if they were refused; and with the position's seeds.
        self._rules: Rules | None = ruleset("kalah")
        self._position_rules = self._rules
        self._positions = [self._rules.start()]  # none if the last one was refused
        self._received = 0.0  # when the last line came
        self._stop = threading.Event()
        self._search: threading.Thread | None = None
        self._searching = False

    def run(self, lines: Iterable[str]) -> None:
        """Answer each line, until ``quit`` or the end."""
        try:
            for line in lines:
                self._received = time.monotonic()
                words = line[: MAX_LINE + 1].split()
                if (words or len(line) > MAX_LINE) and not self._answer(words, line):
                    break
        finally:
            self._stop_search()

    def _answer(self, words: list[str], line: str) -> bool:
        """Answer one line; False after ``quit``. Rules and position are lost with a line that should have set them."""
        command, rest = (words[0], words[1:]) if words else ("", [])
        is_too_long = len(line) > MAX_LINE
        try:
            if command == "position":
                self._positions = []
            elif command == "rules" or (is_too_long and command not in COMMANDS):  # what it was is cut off
                self._rules, self._positions = None, []
            if is_too_long:
                raise ProtocolError(f"the line is longer than {MAX_LINE} characters")
            if command == "quit":
                return False
            if command == "inkeek":
                self._introduce(rest)
            elif command == "isready":
                self._current_table()
                self._say("readyok")
            elif command == "stop":
                self._stop_search()
            elif command in ("set", "rules", "position", "newgame", "go"):
                if self._searching:
                    raise ProtocolError(f"{command}: a search is running: send 'stop' and wait for 'bestmove'")
                self._prepare(command, rest)
            else:
                raise ProtocolError(f"{command[:40]!r} is unknown: expected {', '.join(COMMANDS)}")
        except Exception as error:  # noqa: BLE001 - the engine goes on, whatever failed
            self._report(error)
        return True

    def _introduce(self, words: list[str]) -> None:
        read_number("inkeek", words[0] if words else "", 1, 1000)  # the host's version; this one knows but one
        self._say(f"id name Inkeek {__version__}")
        self._say("id author the authors of Inkeek")
        for option in self._options.values():
            self._say(option_text(option))
        self._say(f"inkeekok {VERSION}")

    def _prepare(self, command: str, words: list[str]) -> None:
        if command == "set":
            self._set(words)
        elif command == "newgame":
            self._current_table().clear()
        elif command == "rules":
            rules = read_rules(words)
            self._set_position(rules, [rules.start()])
            self._rules = rules
        elif command == "position":
            if self._rules is None:
                raise ProtocolError("position: the last rules were refused: send 'rules' again")
            self._set_position(*read_position(self._rules, words))
        elif command == "go":
            search, table = read_search(words), self._current_table()
            self._stop_search()  # its thread may still be leaving
            self._stop.clear()
            self._searching = True
            of = self._position_rules, self._positions
            self._search = threading.Thread(target=self._think, args=(search, table, self._received, *of))
            self._search.start()

    def _set(self, words: list[str]) -> None:
        option = self._options.get(words[0]) if len(words) == 2 else None
        if option is None:
            names = ", ".join(self._options)
            raise ProtocolError(f"set: {' '.join(words)[:80]!r}: expected 'set NAME NUMBER' with one of {names}")
        value = read_number(f"set {option.name}", words[1], option.least, option.most)
        if option.name == "Memory":
            self._table = None  # first, so that there is room for the new one
            self._table = SearchTable(value)
        self._values[option.name] = value

    def _current_table(self) -> SearchTable:
        if self._table is None:
            self._table = SearchTable(self._values["Memory"])
        return self._table

    def _set_position(self, rules: Rules, positions: list[Position]) -> None:
        """Clear the table now if the next search has to, so that it has all of its time."""
        self._current_table().prepare(rules, positions[-1], positions[:-1], tables=self._tables)
        self._position_rules, self._positions = rules, positions

    def _think(
        self, search: Search, table: SearchTable, received: float, rules: Rules, positions: list[Position]
    ) -> None:
        """Search, and answer whatever happens: the host waits for it. If the host has left, nobody has to know."""
        answer = Answer(None)
        with suppress(OSError):
            try:
                answer = self._find(search, table, received, rules, positions)
            except Exception as error:  # noqa: BLE001 - the engine goes on, whatever failed
                self._report(error)
        self._searching = False  # before the host knows, who may then send the next command
        with suppress(OSError):
            self._say(answer_text(answer))

    def _find(
        self, search: Search, table: SearchTable, received: float, rules: Rules, positions: list[Position]
    ) -> Answer:
        if not positions:
            raise ProtocolError("go: the last rules or position were refused: send others")
        *history, position = positions
        if rules.outcome(position) is not None:
            return Answer(None)
        seconds = None
        milliseconds = search.time_for(position.to_move, self._values["Overhead"])
        if milliseconds is not None:
            seconds = max(0.001, received + milliseconds / 1000 - time.monotonic())
        found = analyse(
            rules,
            position,
            Limits(seconds=seconds, depth=min(search.depth or MAX_DEPTH, MAX_DEPTH), nodes=search.nodes),
            lines=search.lines,
            threads=min(self._values["Threads"], processors()),
            history=history,
            tables=self._tables,
            table=table,
            stop=self._stop,
            on_progress=lambda found: self._tell(infos_of(found)),
        )
        infos = infos_of(found)
        self._tell(infos)
        if infos[0].moves:
            return Answer(infos[0].moves[0], infos[0])
        return Answer(rules.legal_moves(position, 1)[0].choice, infos[0])  # stopped before the first line was found

    def _tell(self, infos: list[Info]) -> None:
        for info in infos:
            self._say(info_text(info))

    def _stop_search(self) -> None:
        self._stop.set()
        if self._search is not None:
            self._search.join()
            self._search = None

    def _report(self, error: Exception) -> None:
        text = str(error) if isinstance(error, RecordsError) else f"{type(error).__name__}: {error}"
        self._say(f"error {' '.join(text[:MAX_ERROR].split())}")

    def _say(self, line: str) -> None:
        with self._writing:
            self._write(line)


def infos_of(found: Analysis) -> list[Info]:
    """What an analysis found, as the protocol says it."""
    milliseconds = round(1000 * found.seconds)
    return [
        Info(float(line.value), line.exact, found.depth, number, found.nodes, milliseconds, line.moves)
        for number, line in enumerate(found.lines, 1)
    ]


CONTAINER_LIMIT = Path("/sys/fs/cgroup/memory.max")  # Linux; a number, or "max"


def processors() -> int:
    """The processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def memory() -> int | None:
    """The MiB that this process may use; None if the system does not say."""
    found = []
    if hasattr(os, "sysconf"):
        found.append(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    with suppress(OSError, ValueError):  # no container, or one without a limit
        found.append(int(CONTAINER_LIMIT.read_text()))
    return min(found) >> 20 if found else None
