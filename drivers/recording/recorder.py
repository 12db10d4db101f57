"""Records a session with a board: the bytes on its line, their times, and what the caller did.

A connection depends on nothing else (`base.Environment`), so `playback` can replay a recording exactly. The clock that
a recorded connection sees stands still between two reads of its line: the times in the file are the times it saw.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from inkeek.drivers.base import (
    ByteStream,
    Connection,
    DeclaresNoise,
    Driver,
    Environment,
    Guidance,
    NamesPort,
    OpenPort,
    PortReport,
    Resume,
    SupportsCalibration,
    SupportsCounters,
    SupportsPortReport,
    SupportsRecording,
)
from inkeek.drivers.detection.noise_model import NoiseModel
from inkeek.drivers.errors import DriverError, RecordingError, TransportError
from inkeek.drivers.events import Event, Numbered

from .file import Item, RecordingWriter
from .json_form import guidance_json


def record(
    driver: Driver, url: str, resume: Resume | None, open_writer: Callable[[], RecordingWriter]
) -> RecordingConnection:
    """Open a board with `driver` on the port `url`, and record the session.

    `open_writer` is called when the port is open, so that a port that cannot be opened leaves no file.

    :raises RecordingError: the driver does not support recording, or the file cannot be created.
    :raises DriverError: as `base.Driver.open`.
    """
    if not isinstance(driver, SupportsRecording):
        raise RecordingError(
            f"driver {driver.name!r} does not support recording: it has no method 'connect' (docs/drivers.md)"
        )
    recorder = _RecordingEnvironment(driver.environment(url), open_writer)
    try:
        return RecordingConnection(driver.connect(recorder, resume), recorder)
    except BaseException:
        recorder.stop()
        raise


class RecordingConnection:
    """A connection that records its session with `writer`."""

    def __init__(self, connection: Connection, recorder: _RecordingEnvironment) -> None:
        self._connection = connection
        self._recorder = recorder

    @property
    def writer(self) -> RecordingWriter:
        assert self._recorder.writer is not None  # a connection has opened its port
        return self._recorder.writer

    @property
    def stopped(self) -> str | None:
        """Why nothing more is recorded; None: everything is."""
        return self.writer.stopped

    @property
    def counters(self) -> Mapping[str, int]:
        """See `base.SupportsCounters.counters`."""
        return self._connection.counters if isinstance(self._connection, SupportsCounters) else {}

    @property
    def noise(self) -> NoiseModel:
        """See `base.DeclaresNoise.noise`."""
        return self._connection.noise if isinstance(self._connection, DeclaresNoise) else NoiseModel()

    @property
    def port_report(self) -> PortReport:
        """See `base.SupportsPortReport.port_report`."""
        if isinstance(self._connection, SupportsPortReport):
            return self._connection.port_report
        return PortReport("connected", self._recorder.open_port)

    def poll(self, timeout: float) -> Sequence[Event]:
        return self._connection.poll(timeout)

    def acknowledge(self, event: Numbered) -> None:
        self._connection.acknowledge(event)
        self._recorder.add("ack", [event.boot, event.seq])

    def show(self, guidance: Guidance) -> None:
        self._connection.show(guidance)
        self._recorder.add("show", guidance_json(guidance))

    def calibrate(self, pit: int | None, seeds: int = 0) -> None:
        """See `base.SupportsCalibration.calibrate`."""
        if not isinstance(self._connection, SupportsCalibration):
            raise DriverError("this kind of board does not support calibration over the line")
        self._connection.calibrate(pit, seeds)
        self._recorder.add("calibrate", [pit, seeds])

    def close(self) -> None:
        if not self._recorder.stopped:
            self._recorder.add("end", True)
        try:
            self._connection.close()
        finally:
            self._recorder.stop()


class _RecordingEnvironment:
    """An environment that records what passes through it."""

    def __init__(self, environment: Environment, open_writer: Callable[[], RecordingWriter]) -> None:
        self.stopped = False
        self.writer: RecordingWriter | None = None
        self.wait = environment.wait
        self._environment = environment
        self._open_writer = open_writer
        self._start = 0.0  # the environment's time when the recording began
        self._time = 0.0
        self._is_open = False

    def open(self) -> ByteStream:
        stream = self._environment.open()
        try:
            if self.writer is None:
                self.writer, self._start = self._open_writer(), self._environment.clock()
        except BaseException:
            stream.close()
            raise
        self.advance()
        self.add("open", True)
        self._is_open = True
        return _RecordingStream(stream, self)

    @property
    def open_port(self) -> OpenPort | None:
        """See `base.NamesPort.open_port`."""
        return self._environment.open_port if isinstance(self._environment, NamesPort) else None

    def clock(self) -> float:
        if not self._is_open:
            self.advance()
        return self._time

    def token(self) -> str:
        token = self._environment.token()
        self.add("token", token)
        return token

    def advance(self) -> None:
        """Let the clock advance to now, in whole microseconds as in the file."""
        if self.writer is not None:
            self._time = max(self._time, round(self._environment.clock() - self._start, 6))

    def stream_closed(self) -> None:
        """From now on the clock advances by itself."""
        self._is_open = False

    def add(self, kind: str, value: Any, unsent: bytes | None = None) -> None:
        if self.writer is not None:
            self.writer.add(Item(self._time, kind, value, unsent))

    def stop(self) -> None:
        self.stopped = True
        if self.writer is not None:
            self.writer.close()


class _RecordingStream:
    """An open port that records the bytes that pass through it."""

    def __init__(self, stream: ByteStream, recorder: _RecordingEnvironment) -> None:
        self._stream = stream
        self._recorder = recorder
        self._end_recorded = False

    def read(self) -> bytes:
        try:
            data = self._stream.read()
        except TransportError as error:
            self._recorder.advance()
            self._record_end("lost", str(error))
            raise
        self._recorder.advance()
        if data:
            self._recorder.add("board", data.decode("latin-1"))
        return data

    def write(self, data: bytes) -> None:
        try:
            self._stream.write(data)
        except TransportError as error:
            self._record_end("lost", str(error), data)
            raise
        if data:
            self._recorder.add("host", data.decode("latin-1"))

    def close(self) -> None:
        if not self._end_recorded:
            self._record_end("close", True)
        self._recorder.stream_closed()
        self._stream.close()

    def _record_end(self, kind: str, value: Any, unsent: bytes | None = None) -> None:
        self._end_recorded = True
        self._recorder.add(kind, value, unsent)
