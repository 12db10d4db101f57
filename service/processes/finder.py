"""Findings in a child process: a search keeps a core busy and holds the interpreter's lock for up to a second.

``python -m service.processes.finder`` is the child: it reads pickled questions from its standard input, and writes
pickled answers, each after its length, to its standard output. It ends when its parent is gone.
"""

from __future__ import annotations

import os
import pickle
import select
import struct
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from typing import IO, Any

from records import Move, Position, RecordsError, Rules
from records.findings import Evidence, Finding, SeveralTurns, find, find_since
from records.ruleset import load_ruleset
from service.errors import ServiceError, TooBusy, TookTooLong

from . import child_process

NICE = 10  # of the child: recording goes first
_LENGTH = struct.Struct("!Q")
_Question = tuple[str, dict[str, Any], Position, str, tuple[Any, ...]]  # game, options, set-up, function, arguments


class FindingProcess:
    """Answers questions one by one in a child process, which it starts for the first one.

    At most `places` callers ask or wait at once, and at most half of them may be unknown: they leave room for arbiters.
    An answer may take `seconds`.
    """

    def __init__(self, places: int, seconds: float) -> None:
        self._seconds = seconds
        self._places = threading.BoundedSemaphore(places)
        self._of_unknown = threading.BoundedSemaphore((places + 1) // 2)
        self._turn = threading.Lock()
        self._child: subprocess.Popen[bytes] | None = None
        self._finalizer: weakref.finalize[[subprocess.Popen[bytes]], FindingProcess] | None = None

    def find(
        self, rules: Rules, evidence: Evidence, slips: int | None = None, language: str = "en", *, known: bool = True
    ) -> Finding:
        """What happened in a turn (`records.findings.find`). `known`: the caller has a key.

        :raises PositionError: the evidence does not fit the rules. :raises TooBusy: all places are taken.
        :raises TookTooLong: there was no answer in time.
        """
        evidence.verify()
        rules.verify_position(evidence.before)
        found: Finding = self._ask(rules, "find", (evidence, slips, language), known)
        return found

    def find_since(
        self, rules: Rules, position: Position, moves: Sequence[Move], evidence: Evidence, language: str = "en",
        *, known: bool = True,
    ) -> SeveralTurns:  # fmt: skip
        """What happened since a certain position (`records.findings.find_since`); raises what `find` raises."""
        evidence.verify()
        rules.verify_position(position)
        found: SeveralTurns = self._ask(rules, "find_since", (position, tuple(moves), evidence, language), known)
        return found

    def close(self) -> None:
        """End the child process."""
        with self._turn:
            self._stop()

    def _ask(self, rules: Rules, function: str, arguments: tuple[Any, ...], known: bool) -> Any:
        with _taken(self._places), nullcontext() if known else _taken(self._of_unknown):
            deadline = time.monotonic() + self._seconds
            if not self._turn.acquire(timeout=self._seconds):
                raise TooBusy("Other findings took too long. Try again.")
            try:
                question = (rules.id, dict(rules.options), rules.start(), function, arguments)
                answer = self._answer(question, deadline)
            finally:
                self._turn.release()
        if isinstance(answer, RecordsError):
            raise answer
        return answer

    def _answer(self, question: _Question, deadline: float) -> Any:
        if self._child is None or child_process.ended(self._child) is not None:
            self._start()
        child = self._child
        assert child is not None
        assert child.stdin is not None
        assert child.stdout is not None
        try:
            pickle.dump(question, child.stdin)
            child.stdin.flush()
            size = _LENGTH.unpack(_read(child.stdout, _LENGTH.size, deadline))[0]
            answer = pickle.loads(_read(child.stdout, size, deadline))
        except BaseException as error:
            self._stop()  # what it still writes would be taken for the next answer
            if isinstance(error, TimeoutError):
                raise TookTooLong(f"There was no answer within {self._seconds:g} s.") from error
            if isinstance(error, OSError | EOFError):
                raise ServiceError("The process that finds what happened has ended.") from error
            raise
        return answer

    def _start(self) -> None:
        self._stop()
        self._child = child_process.start(["-m", "service.processes.finder"], {}, stdout=subprocess.PIPE)
        self._finalizer = weakref.finalize(self, _kill, self._child)

    def _stop(self) -> None:
        if self._finalizer is not None:
            self._finalizer()
        self._child = self._finalizer = None


@contextmanager
def _taken(places: threading.BoundedSemaphore) -> Iterator[None]:
    """One of the places.

    :raises TooBusy: all are taken.
    """
    if not places.acquire(blocking=False):
        raise TooBusy("Too many findings at once. Try again.")
    try:
        yield
    finally:
        places.release()


def _kill(child: subprocess.Popen[bytes]) -> None:
    with suppress(BrokenPipeError):  # it ended before it read a question
        child_process.stop(child, within=0.0)
    if child.stdout is not None:
        child.stdout.close()


def _read(pipe: IO[bytes], size: int, deadline: float) -> bytes:
    """So many bytes.

    :raises TimeoutError: they did not arrive in time. :raises EOFError: the other end is closed.
    """
    parts, poll = [], select.poll()
    poll.register(pipe, select.POLLIN)
    while size:
        left = deadline - time.monotonic()
        if left <= 0 or not poll.poll(1000 * left):
            raise TimeoutError
        part = os.read(pipe.fileno(), min(size, 1 << 20))
        if not part:
            raise EOFError
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def answer_questions(questions: IO[bytes], answers: IO[bytes]) -> None:
    """In the child: answer until there are no more questions."""
    while True:
        try:
            game, options, start, function, arguments = pickle.load(questions)
        except EOFError:
            return
        rules = Rules(load_ruleset(game), options, start)
        try:
            answer: object = find(rules, *arguments) if function == "find" else find_since(rules, *arguments)
        except RecordsError as error:
            answer = error
        data = pickle.dumps(answer)
        answers.write(_LENGTH.pack(len(data)) + data)
        answers.flush()


if __name__ == "__main__":
    os.nice(NICE)
    answer_questions(sys.stdin.buffer, sys.stdout.buffer)
