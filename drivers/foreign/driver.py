"""A driver of another distribution as a `base.Driver`: everything that it does happens in its own process."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from inkeek.drivers.base import Guidance, OpenPort, PortReport, RefusedLine, Resume
from inkeek.drivers.detection.noise_model import NoiseModel
from inkeek.drivers.errors import DriverError, MessageError, ReadingError, RecordingError
from inkeek.drivers.events import Connected, Disconnected, Event, Numbered, Refused
from inkeek.drivers.ports import environment
from inkeek.drivers.recording.file import Header, Recording
from inkeek.drivers.recording.json_form import event_json, guidance_json, read_event
from inkeek.records.errors import ErrorText
from inkeek.records.json_codec import to_json

from . import listing
from .faults import DriverFault, Plugin
from .limits import DriverLimits
from .messages import Opened, PlaybackPart, Polled, Report
from .process import PluginProcess

COUNT_MOST = 1e6  # of a figure in a noise model


class ForeignDriver:
    """One driver in one process, which is started for the first call and ended with the connection, or for a fault.

    Whoever opens a board again and again sets `keeps_process`, and calls `stop` at the end. Once `released` is set, a
    call that waits ends soon.
    """

    def __init__(self, plugin: Plugin, limits: DriverLimits) -> None:
        self.plugin = plugin
        self.name = plugin.name
        self.keeps_process = False
        self.released = threading.Event()
        self._limits = limits
        self._process: PluginProcess | None = None

    @property
    def title(self) -> str:
        """See `base.Driver.title`.

        :raises DriverFault: it cannot be imported.
        """
        listing.ask([self.plugin], self._limits, math.inf)
        return listing.description(self.plugin).title

    @property
    def can_search(self) -> bool:
        """Whether it finds boards by their serial numbers (``board:`` URLs)."""
        return self._started().description.records

    def check_url(self, url: str) -> None:
        """Check that `url` can name a port of this driver; opens nothing.

        :raises UrlError: it cannot; says what is expected. :raises DriverFault: the driver cannot say.
        :raises TooManyChecks: too many others check a port.
        """
        with listing.checking_process(self.plugin, self._limits) as process:
            if process.description.checks_urls:
                process.call("check_url", type(None), self._limits.call, url=url)
                return
        environment.check_url(url)

    def open(self, url: str, resume: Resume | None = None) -> ForeignConnection:
        """See `base.Driver.open`."""
        return self._open(url, resume, None)

    def record(self, url: str, resume: Resume | None, path: Path, header: Header, limit: int) -> ForeignConnection:
        """Open a board and record the session to `path`, which gets at most `limit` bytes.

        :raises RecordingError: the driver does not support recording, or the file cannot be created.
        """
        if not self._started().description.records:
            raise RecordingError(
                f"driver {self.name!r} does not support recording: it has no method 'connect' (docs/drivers.md)"
            )
        return self._open(url, resume, {"path": str(path), "header": to_json(header), "limit": limit})

    def replay(self, url: str, resume: Resume | None) -> ForeignConnection:
        """Open a ``recorded:`` URL whose recording this driver made."""
        return self._open(url, resume, None, replays=True)

    def playback(self, recording: Recording, wait: Callable[[float], None] | None = None) -> ForeignPlayback:
        """Play a recording again that this driver made; see `recording.playback.Playback`."""
        return ForeignPlayback(PluginProcess(self.plugin, self._limits), self._limits, recording, wait)

    def stop(self) -> None:
        """End the process. May be called twice."""
        process, self._process = self._process, None
        if process is not None:
            process.stop()

    def _open(
        self, url: str, resume: Resume | None, recording: dict[str, Any] | None, *, replays: bool = False
    ) -> ForeignConnection:
        process = self._started()
        call = {"url": url, "resume": resume, "recording": recording, "replays": replays}
        try:
            noise = _noise(process, process.call("open", Opened, self._limits.open, **call))
        except DriverError as error:
            if isinstance(error, DriverFault) or not self.keeps_process:
                self.stop()
            raise
        return ForeignConnection(self, process, self._limits, url, noise, paced=not replays)

    def _started(self) -> PluginProcess:
        if self._process is None:
            self._process = PluginProcess(self.plugin, self._limits, self.released)
        return self._process


class ForeignConnection:
    """The connection of a foreign driver. `paced`: events above the limit of the rate are a fault."""

    def __init__(
        self,
        driver: ForeignDriver,
        process: PluginProcess,
        limits: DriverLimits,
        url: str,
        noise: NoiseModel,
        *,
        paced: bool,
    ) -> None:
        self.noise = noise
        self.counters: Mapping[str, int] = {}
        self.stopped: str | None = None  # why the recording ended
        self._driver = driver
        self._process = process
        self._limits = limits
        self._url = url
        self._report: PortReport | None = None
        self._answers = False  # whether a board does, be it one that is refused
        self._is_closed = False
        self._budget = self._most = float(limits.burst) if paced else float("inf")
        self._refilled = time.monotonic()

    @property
    def port_report(self) -> PortReport:
        """See `base.SupportsPortReport.port_report`; of a driver that has none, whether its board was heard."""
        if self._report is not None:
            return self._report
        return PortReport("connected" if self._answers else "silent", OpenPort(self._url))

    def poll(self, timeout: float) -> Sequence[Event]:
        """See `base.Connection.poll`."""
        polled = self._call("poll", Polled, self._limits.poll + timeout, timeout=timeout)
        if len(polled.events) > self._limits.events:
            raise self._flood(ErrorText("it sent more than %(most)s events at once", most=self._limits.events))
        now = time.monotonic()
        refilled = self._budget + (now - self._refilled) * self._limits.rate
        self._budget, self._refilled = min(refilled, self._most) - len(polled.events), now
        if self._budget < 0:
            raise self._flood(ErrorText("it sent more than %(most)g events a second", most=self._limits.rate))
        try:
            events = [read_event(event) for event in polled.events]
        except MessageError as error:
            raise self._nonsense(error) from error
        for event in events:
            if isinstance(event, Connected | Disconnected | Refused):
                self._answers = not isinstance(event, Disconnected)
        self.counters, self.stopped = polled.counters, polled.stopped
        self._report = None if polled.report is None else _port_report(polled.report)
        return events

    def acknowledge(self, event: Numbered) -> None:
        """See `base.Connection.acknowledge`."""
        self._call("acknowledge", type(None), self._limits.call, event=event_json(event))

    def show(self, guidance: Guidance) -> None:
        """See `base.Connection.show`."""
        self._call("show", type(None), self._limits.call, guidance=guidance_json(guidance))

    def calibrate(self, pit: int | None, seeds: int = 0) -> None:
        """See `base.SupportsCalibration.calibrate`."""
        self._call("calibrate", type(None), self._limits.call, pit=pit, seeds=seeds)

    def run_self_test(self, stop: bool = False) -> None:
        """See `base.SupportsSelfTest.run_self_test`."""
        self._call("self_test", type(None), self._limits.call, stop=stop)

    def close(self) -> None:
        """See `base.Connection.close`. After a fault there is nothing left to close."""
        if not self._is_closed:
            try:
                self._call("close", type(None), self._limits.close)
            finally:
                self._is_closed = True
                if not self._driver.keeps_process:
                    self._driver.stop()

    def _call(self, place: str, kind: type[Any], within: float, **arguments: Any) -> Any:
        if self._is_closed:
            raise DriverError("the connection to the board is closed")
        try:
            return self._process.call(place, kind, within, **arguments)
        except DriverFault:
            self._end()
            raise

    def _flood(self, what: str) -> DriverFault:
        self._end()
        return self._process.fault("flooded", "poll", what)

    def _nonsense(self, error: Exception) -> DriverFault:
        self._end()
        return self._process.nonsense("poll", error)

    def _end(self) -> None:
        self._is_closed = True
        self._driver.stop()  # the next call starts another process


class ForeignPlayback:
    """As `recording.playback.Playback`, in the process of the driver that made the recording."""

    def __init__(
        self, process: PluginProcess, limits: DriverLimits, recording: Recording, wait: Callable[[float], None] | None
    ) -> None:
        self.differences: list[str] = []
        self.count = 0
        self._process = process
        self._limits = limits
        self._recording = recording
        self._wait = wait

    def events(self) -> Iterator[tuple[float, Event]]:
        """See `Playback.events`."""
        path: str | None = str(self._recording.path)
        last = 0.0
        try:
            while True:
                part = self._process.call("playback", PlaybackPart, self._limits.open, path=path)
                for seconds, data in part.events:
                    if self._wait is not None and seconds > last:
                        self._wait(seconds - last)
                        last = seconds
                    try:
                        yield seconds, read_event(data)
                    except MessageError as error:
                        raise self._process.nonsense("playback", error) from error
                path = None
                if part.over:
                    self.differences, self.count, self._recording.cut = part.differences, part.count, part.cut
                    return
        finally:
            self._process.stop()


def _noise(process: PluginProcess, opened: Opened) -> NoiseModel:
    if opened.noise is None:
        return NoiseModel()
    try:
        figures = {name: min(value, COUNT_MOST) for name, value in opened.noise.items()}
        with suppress(KeyError):
            figures["countable"] = int(figures["countable"])
        return NoiseModel(**figures)  # type: ignore[arg-type]
    except (TypeError, ReadingError) as error:
        raise process.nonsense("open", error) from error


def _port_report(report: Report) -> PortReport:
    port = None if report.port is None else OpenPort(*report.port)
    lines = tuple(RefusedLine(line.text, line.reason) for line in report.lines)
    return PortReport(report.state, port, report.reason, lines)
