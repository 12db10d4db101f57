"""A child process of the demonstration whose output is read line by line."""

from __future__ import annotations

import json
import queue
import subprocess
import threading
from pathlib import Path
from typing import IO, Any

from inkeek.service.processes import child_process

from .client import DemoFailed

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
