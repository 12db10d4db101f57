"""`inkeek board check`: the lines of a board with what is wrong with each, and a check against the protocol."""

from __future__ import annotations

import json
import os
import sys
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict
from queue import Empty, SimpleQueue

import click

from inkeek.drivers.boards.standard import StandardBoard
from inkeek.drivers.conformance.board_check import (
    FAILED,
    PASSED,
    SKIPPED,
    BoardLine,
    LoggedLine,
    Nobody,
    Person,
    StepResult,
    run_check,
)
from inkeek.records import __version__
from inkeek.service.cli.options import Number, as_json
from inkeek.service.storage.clock import stamp, utc_now

PAGE = "docs/protocol.md"
MAX_ANSWER = 200  # bytes that a person types at once


class Terminal:
    """The person at a terminal: `ask` prints, and a thread reads what is typed on a file descriptor."""

    def __init__(self, descriptor: int, output: Callable[[str], None]) -> None:
        self._descriptor = descriptor
        self._output = output
        self._lines: SimpleQueue[str] = SimpleQueue()
        self._thread: threading.Thread | None = None
        self._ends = False

    def ask(self, task: str, text: str) -> bool:
        """See `inkeek.drivers.conformance.board_check.Person`."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._read, name="terminal", daemon=True)
            self._thread.start()
        while self.answer() is not None:
            pass  # typed before the question
        self._output(f"\n>>> {text}\n")
        return not self._ends

    def answer(self) -> str | None:
        """See `inkeek.drivers.conformance.board_check.Person`."""
        try:
            return self._lines.get_nowait()
        except Empty:
            return None

    def _read(self) -> None:
        while data := os.read(self._descriptor, MAX_ANSWER):
            for line in data.decode("utf-8", "replace").splitlines():
                self._lines.put(line)
        self._ends = True


class Printer:
    """Prints lines and results, as text or as JSON."""

    def __init__(self, port: str, as_json: bool) -> None:
        self._as_json = as_json
        self._write(f"{port}, checked at {stamp(utc_now())} by inkeek {__version__}", {"check": {"port": port}})

    def line(self, line: LoggedLine) -> None:
        """Print a line of the board or the host."""
        sign = "<" if line.sender == "board" else ">"
        text = f"{line.seconds:10.3f} {sign} {line.report.line}"
        if line.report.fault:
            state = "remark" if line.report.accepted else "refused"
            text += f"\n{'':13}{state} ({line.report.fault}): {line.report.reason}"
        value = {"seconds": round(line.seconds, 3), "sender": line.sender, **asdict(line.report)}
        self._write(text, {"line": value})

    def result(self, result: StepResult) -> None:
        """Print how a step came out."""
        text = f"{result.outcome:8}{result.name}: {result.title} ({result.seconds:.1f} s)"
        if result.outcome == FAILED:
            text += f"\n        came: {result.came}\n        expected: {result.expected}"
            text += f'\n        see "{result.section}" in {PAGE}'
        elif result.outcome == SKIPPED:
            text += f"\n        why: {result.why}"
        text += "".join(f"\n        note: {note}" for note in result.notes)
        self._write(text, {"step": asdict(result)})

    def end(self, results: list[StepResult]) -> None:
        """Print how many steps came out in which way, and repeat what failed."""
        counts = Counter(result.outcome for result in results)
        failed = [result.name for result in results if result.outcome == FAILED]
        outcomes = {outcome: counts[outcome] for outcome in (PASSED, FAILED, SKIPPED)}
        text = ", ".join(f"{count} {outcome}" for outcome, count in outcomes.items())
        self._write(f"{text}. Failed: {', '.join(failed)}." if failed else f"{text}.", {"end": outcomes})

    def text(self, text: str) -> None:
        """Print something for a person."""
        click.echo(text, err=self._as_json)

    def _write(self, text: str, value: object) -> None:
        click.echo(json.dumps(value, ensure_ascii=False) if self._as_json else text)


@click.command()
@click.argument("port")
@click.option("--listen", is_flag=True, help="Only print the board's lines; send nothing.")
@click.option("--seconds", type=Number(), help="With --listen: stop after this many seconds.  [at Ctrl-C]")
@click.option("--alone", is_flag=True, help="Ask nobody to do anything at the board.  [if there is no terminal]")
@click.option("--calibrate", is_flag=True, help="Allow steps that tare the sensors: the board must be calibrated anew.")
@as_json(
    "one object per line: `check` (the port), then `line` (`seconds`, `sender`, `line`, `accepted`, "
    "`fault`, `reason`) and `step` (`name`, `title`, `section`, `outcome`, `seconds`, `came`, `expected`,"
    " `why`, `notes`) as they come, and at the end `end` (how many steps `passed`, `failed`, were "
    "`skipped`)"
)
def check(
    port: str,
    listen: bool,
    seconds: float | None,
    alone: bool,
    calibrate: bool,
    as_json: bool,
) -> None:
    """Check a board that you build: print every line with what is wrong with it, then try what the protocol demands.

    It acknowledges events, and the board forgets them: use no board of a running game. Exit with status 1 if a step
    failed.
    """
    if seconds is not None and not listen:
        raise click.UsageError("--seconds needs --listen: the check ends by itself")
    environment = StandardBoard().environment(port)
    printer = Printer(port, as_json)
    if listen:
        _listen(BoardLine(environment, printer.line), seconds)
        return
    person: Person = Nobody()
    if not alone and sys.stdin.isatty():
        person = Terminal(sys.stdin.fileno(), printer.text)
    results = []
    for result in run_check(environment, log=printer.line, person=person, calibrate=calibrate):
        printer.result(result)
        results.append(result)
    printer.end(results)
    if any(result.outcome == FAILED for result in results):
        sys.exit(1)


def _listen(line: BoardLine, seconds: float | None) -> None:
    line.open()
    try:
        while seconds is None or line.now < seconds:
            line.read()
            line.received.clear()
    except KeyboardInterrupt:
        return
    finally:
        line.close()
