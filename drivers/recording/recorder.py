"""Recording a session with a board: what comes and goes on its line, when, and what its caller did.

That is all a connection depends on (`base.Environment`), so that what is recorded can be played again bit for bit
(`playback`). The time that a recorded connection sees stands still between two looks at its line: then the times in the
file are the times it saw.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from drivers.base import (
    ByteStream,
    Connection,
    Driver,
    Environment,
    Guidance,
    Resume,
    SupportsCalibration,
    SupportsCounters,
    SupportsRecording,
)
from drivers.errors import DriverError, RecordingError, TransportError
from drivers.events import Event, Numbered

from .file import Item, RecordingWriter
from .json_form import guidance_json


def record(driver: Driver, url: str, resume: Resume | None, tape: Callable[[], RecordingWriter]) -> RecordedConnection:
    """Open a board with `driver` on the port `url`, and record the session.

    `tape` makes the file; it is asked when the port is open, so that one that cannot be opened leaves no file.
    :raises RecordingError: sessions of this driver cannot be recorded, or the file cannot be made.
    :raises DriverError: as `base.Driver.open`.
    """
    if not isinstance(driver, SupportsRecording):
        raise RecordingError(
            f"sessions of driver {driver.name!r} cannot be recorded: it has no method 'connect' (docs/drivers.md)"
        )
    recorder = _Recorder(driver.environment(url), tape)
    try:
        return RecordedConnection(driver.connect(recorder, resume), recorder)
    except BaseException:
        recorder.stop()
        raise


class RecordedConnection:
    """A connection whose session is recorded on `tape`."""

    def __init__(self, connection: Connection, recorder: _Recorder) -> None:
        self._connection = connection
        self._recorder = recorder

    @property
    def tape(self) -> RecordingWriter:
        return self._recorder.tape

    @property
    def counters(self) -> Mapping[str, int]:
        """See `base.SupportsCounters.counters`."""
        return self._connection.counters if isinstance(self._connection, SupportsCounters) else {}

    def poll(self, timeout: float) -> Sequence[Event]:
        return self._connection.poll(timeout)

    def acknowledge(self, event: Numbered) -> None:
        self._connection.acknowledge(event)
        self._recorder.note("ack", [event.boot, event.seq])

    def show(self, guidance: Guidance) -> None:
        self._connection.show(guidance)
        self._recorder.note("show", guidance_json(guidance))

    def calibrate(self, pit: int | None, seeds: int = 0) -> None:
        """See `base.SupportsCalibration.calibrate`."""
        if not isinstance(self._connection, SupportsCalibration):
            raise DriverError("this kind of board cannot be calibrated from here")
        self._connection.calibrate(pit, seeds)
        self._recorder.note("calibrate", [pit, seeds])

    def close(self) -> None:
        if not self._recorder.stopped:
            self._recorder.note("end", True)
        try:
            self._connection.close()
        finally:
            self._recorder.stop()


class _Recorder:
    """A environment that records what it hands on."""

    def __init__(self, environment: Environment, tape: Callable[[], RecordingWriter]) -> None:
        self.stopped = False
        self._environment = environment
        self._make = tape
        self._tape: RecordingWriter | None = None
        self._start = 0.0  # the environment's time when the recording began
        self._time = 0.0
        self._open = False

    @property
    def tape(self) -> RecordingWriter:
        assert self._tape is not None  # no connection is made without an open port
        return self._tape

    def open(self) -> ByteStream:
        line = self._environment.open()
        try:
            if self._tape is None:
                self._tape, self._start = self._make(), self._environment.clock()
        except BaseException:
            line.close()
            raise
        self.look()
        self.note("open", True)
        self._open = True
        return _RecordedLine(line, self)

    def clock(self) -> float:
        if not self._open:
            self.look()
        return self._time

    def wait(self, seconds: float) -> None:
        self._environment.wait(seconds)

    def token(self) -> str:
        token = self._environment.token()
        self.note("token", token)
        return token

    def look(self) -> None:
        """Let time pass; microseconds will do, and are written as they are seen."""
        if self._tape is not None:
            self._time = max(self._time, round(self._environment.clock() - self._start, 6))

    def closed(self) -> None:
        """The line is gone: time passes by itself again."""
        self._open = False

    def note(self, kind: str, value: Any, unsent: bytes | None = None) -> None:
        if self._tape is not None:
            self._tape.add(Item(self._time, kind, value, unsent))

    def stop(self) -> None:
        self.stopped = True
        if self._tape is not None:
            self._tape.close()


class _RecordedLine:
    """A line that writes down what passes over it."""

    def __init__(self, line: ByteStream, recorder: _Recorder) -> None:
        self._line = line
        self._recorder = recorder
        self._told = False  # that it is gone

    def read(self) -> bytes:
        try:
            data = self._line.read()
        except TransportError as error:
            self._recorder.look()
            self._gone("lost", str(error))
            raise
        self._recorder.look()
        if data:
            self._recorder.note("board", data.decode("latin-1"))
        return data

    def write(self, data: bytes) -> None:
        try:
            self._line.write(data)
        except TransportError as error:
            self._gone("lost", str(error), data)
            raise
        if data:
            self._recorder.note("host", data.decode("latin-1"))

    def close(self) -> None:
        if not self._told:
            self._gone("close", True)
        self._recorder.closed()
        self._line.close()

    def _gone(self, kind: str, value: Any, unsent: bytes | None = None) -> None:
        self._told = True
        self._recorder.note(kind, value, unsent)
