"""The engine of Inkeek as a program: it reads commands of the engine protocol line by line and writes its answers."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable

from records import Position, RecordsError, Rules, __version__, ruleset
from records.analysis import Analysis, Limits, analyse
from records.analysis.protocol import (
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
from records.analysis.results import MAX_DEPTH
from records.analysis.tables import Tables

OPTIONS = (
    EngineOption("Memory", 64, 1, 65_536),  # MiB for the transposition table
    EngineOption("Threads", 1, 1, 64),
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
        self._values = {option.name: option.default for option in OPTIONS}
        self._rules = ruleset("kalah")
        self._positions = [self._rules.start()]
        self._stop = threading.Event()
        self._search: threading.Thread | None = None
        self._searching = False

    def run(self, lines: Iterable[str]) -> None:
        """Answer each line, until ``quit`` or the end."""
        try:
            for line in lines:
                words = line[: MAX_LINE + 1].split()
                if words and not self._answer(words, line):
                    break
        finally:
            self._stop_search()

    def _answer(self, words: list[str], line: str) -> bool:
        """Answer one line; False after ``quit``. An error changes nothing."""
        try:
            if len(line) > MAX_LINE:
                raise ProtocolError(f"the line is longer than {MAX_LINE} characters")
            command, rest = words[0], words[1:]
            if command == "quit":
                return False
            if command == "inkeek":
                self._introduce(rest)
            elif command == "isready":
                self._say("readyok")
            elif command == "stop":
                self._stop_search()
            elif command in ("set", "rules", "position", "newgame", "go"):
                if self._searching:
                    raise ProtocolError(f"{command}: a search is running: send 'stop' and wait for 'bestmove'")
                self._prepare(command, rest)
            else:
                raise ProtocolError(
                    f"{command[:40]!r} is unknown: expected inkeek, isready, set, newgame, rules, position, go, stop, "
                    "quit"
                )
        except RecordsError as error:
            self._say(f"error {' '.join(str(error).split())}")
        return True

    def _introduce(self, words: list[str]) -> None:
        read_number("inkeek", words[0] if words else "", 1, 1000)  # the host's version; this one knows but one
        self._say(f"id name Inkeek {__version__}")
        self._say("id author the authors of Inkeek")
        for option in OPTIONS:
            self._say(option_text(option))
        self._say(f"inkeekok {VERSION}")

    def _prepare(self, command: str, words: list[str]) -> None:
        if command == "set":
            self._set(words)
        elif command == "rules":
            self._rules = read_rules(words)
            self._positions = [self._rules.start()]
        elif command == "position":
            rules, positions = read_position(self._rules, " ".join(words))
            self._rules, self._positions = rules, positions
        elif command == "go":
            search = read_search(words)
            self._stop_search()  # its thread may still be leaving
            self._stop.clear()
            self._searching = True
            self._search = threading.Thread(target=self._think, args=(self._rules, self._positions, search))
            self._search.start()

    def _set(self, words: list[str]) -> None:
        option = next((option for option in OPTIONS if words[:1] == [option.name]), None)
        if option is None or len(words) != 2:
            names = ", ".join(option.name for option in OPTIONS)
            raise ProtocolError(f"set: {' '.join(words)[:80]!r}: expected 'set NAME NUMBER' with one of {names}")
        self._values[option.name] = read_number(f"set {option.name}", words[1], option.least, option.most)

    def _think(self, rules: Rules, positions: list[Position], search: Search) -> None:
        position = positions[-1]
        try:
            if rules.outcome(position) is not None:
                self._finish(Answer(None))
                return
            milliseconds = search.time_for(position.to_move, self._values["Overhead"])
            found = analyse(
                rules,
                position,
                Limits(
                    seconds=None if milliseconds is None else milliseconds / 1000,
                    depth=min(search.depth or MAX_DEPTH, MAX_DEPTH),
                    nodes=search.nodes,
                ),
                lines=search.lines,
                threads=self._values["Threads"],
                memory=self._values["Memory"],
                history=tuple(positions[:-1]),
                tables=self._tables,
                stop=self._stop,
                on_progress=lambda found: self._tell(infos_of(found)),
            )
            infos = infos_of(found)
            self._tell(infos)
            move = infos[0].moves[0] if infos and infos[0].moves else None
            if move is None:  # stopped before the first line was found
                move = rules.legal_moves(position, 1)[0].choice
            self._finish(Answer(move, infos[0] if infos else None))
        except RecordsError as error:
            self._say(f"error {' '.join(str(error).split())}")
            self._finish(Answer(None))

    def _finish(self, answer: Answer) -> None:
        self._searching = False  # before the host knows, who may then send the next command
        self._say(answer_text(answer))

    def _tell(self, infos: list[Info]) -> None:
        for info in infos:
            self._say(info_text(info))

    def _stop_search(self) -> None:
        self._stop.set()
        if self._search is not None:
            self._search.join()
            self._search = None

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
