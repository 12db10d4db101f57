"""The process of a driver: ``python -m inkeek.drivers.foreign.host <fd>`` imports one and answers calls on the channel.

All code of a driver runs here. It may end, hang or fill this process: whoever started it looks after that, and trusts
nothing that comes from it.
"""

from __future__ import annotations

import importlib
import itertools
import os
import resource
import select
import signal
import socket
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from inkeek.drivers.base import (
    Connection,
    DeclaresNoise,
    Driver,
    SupportsCalibration,
    SupportsCounters,
    SupportsPortReport,
    SupportsRecording,
    SupportsSelfTest,
)
from inkeek.drivers.boards.recorded import RecordedBoard
from inkeek.drivers.errors import DriverError, MessageError, RecordingError, UrlError
from inkeek.drivers.events import Event, Numbered
from inkeek.drivers.ports.remembering import RememberingDriver
from inkeek.drivers.recording.file import Header, Recording, RecordingWriter
from inkeek.drivers.recording.json_form import event_json, read_event, read_guidance
from inkeek.drivers.recording.playback import Playback
from inkeek.drivers.recording.recorder import RecordingConnection, record
from inkeek.records.json_codec import from_json, to_json

from .faults import clipped
from .limits import DriverLimits
from .messages import HEAD, frame
from .process import GREW_STATUS

MOST_EVENTS = DriverLimits().events  # in one answer; one more is a fault
NOT_FOREIGN = (__file__, importlib.__file__)
PART = 200  # events of a playback in one answer
NICE = 10  # recording on other boards goes first
GRACE = 60  # seconds of processor time for one call: an end for a process whose parent is gone


class NotValid(Exception):
    """What a driver returned is not what its contract says."""


class Host:
    """Answers calls with one driver."""

    def __init__(self) -> None:
        self._driver: Driver | None = None
        self._connection: Connection | None = None
        self._playing: Iterator[tuple[float, Event]] | None = None
        self._playback: Playback | None = None

    def answer(self, place: str, arguments: dict[str, Any]) -> Any:
        """The answer to a call: the method of that name."""
        call: Callable[..., Any] = getattr(self, f"call_{place}")
        return call(**arguments)

    def call_import(self, name: str, target: str, memory: int) -> dict[str, Any]:
        if sys.platform == "linux":
            resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        module, _, attribute = target.partition(":")
        made: Any = importlib.import_module(module)
        for part in attribute.split("."):
            made = getattr(made, part)
        made = made()
        for text in ("name", "title"):
            if not isinstance(getattr(made, text, None), str):
                raise NotValid(f"the driver has no text {text!r}")
        if not callable(getattr(made, "open", None)):
            raise NotValid("the driver has no method 'open'")
        if made.name != name:
            raise NotValid(f"the driver's name is {clipped(made.name)!r}, but its entry point is {name!r}")
        records = isinstance(made, SupportsRecording)
        self._driver = RememberingDriver(made) if records else made
        checks_urls = callable(getattr(made, "check_url", None))
        return {"title": clipped(made.title)[:200], "checks_urls": checks_urls, "records": records}

    def call_check_url(self, url: str) -> None:
        self._driver.check_url(url)  # type: ignore[union-attr]

    def call_open(
        self, url: str, resume: list[Any] | None, recording: dict[str, Any] | None, replays: bool
    ) -> dict[str, Any]:
        assert self._driver is not None
        driver: Driver = self._driver
        if replays:
            driver = RecordedBoard(find=lambda _: self._driver)  # type: ignore[arg-type,return-value]
        after = None if resume is None else (resume[0], resume[1])
        if recording is None:
            self._connection = driver.open(url, after)
        else:
            path, header = Path(recording["path"]), from_json(recording["header"], Header)
            self._connection = record(driver, url, after, lambda: RecordingWriter(path, header, recording["limit"]))
        noise = self._connection.noise if isinstance(self._connection, DeclaresNoise) else None
        if noise is None:
            return {"noise": None}
        return {"noise": {name: value for name, value in to_json(noise).items() if name != "sensors"}}

    def call_poll(self, timeout: float) -> dict[str, Any]:
        connection = self._connection
        assert connection is not None
        events = connection.poll(timeout)
        try:
            first = list(itertools.islice(events, MOST_EVENTS + 1))
        except TypeError as error:
            raise NotValid(f"poll returned {type(events).__name__}: expected a sequence of events") from error
        report = None
        if isinstance(connection, SupportsPortReport):
            found = connection.port_report
            port = None if found.port is None else (found.port.url, found.port.adapter)
            lines = [{"text": clipped(line.text), "reason": clipped(line.reason)} for line in found.lines[:20]]
            report = {"state": found.state, "port": port, "reason": clipped(found.reason), "lines": lines}
        counters = dict(connection.counters) if isinstance(connection, SupportsCounters) else {}
        stopped = connection.stopped if isinstance(connection, RecordingConnection) else None
        return {"events": _events_json(first), "report": report, "counters": counters, "stopped": stopped}

    def call_acknowledge(self, event: dict[str, Any]) -> None:
        numbered = read_event(event)
        assert isinstance(numbered, Numbered)
        self._connection.acknowledge(numbered)  # type: ignore[union-attr]

    def call_show(self, guidance: dict[str, Any]) -> None:
        self._connection.show(read_guidance(guidance))  # type: ignore[union-attr]

    def call_calibrate(self, pit: int | None, seeds: int) -> None:
        if not isinstance(self._connection, SupportsCalibration):
            raise DriverError("this kind of board does not support calibration over the line")
        self._connection.calibrate(pit, seeds)

    def call_self_test(self, stop: bool) -> None:
        if not isinstance(self._connection, SupportsSelfTest):
            raise DriverError("this kind of board has no self-test")
        self._connection.run_self_test(stop)

    def call_close(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    def call_playback(self, path: str | None) -> dict[str, Any]:
        """Begin to play a recording, or go on with it."""
        if path is not None:
            self._playback = Playback(Recording(Path(path)), self._driver)  # type: ignore[arg-type]
            self._playing = self._playback.events()
        assert self._playback is not None
        assert self._playing is not None
        part = list(itertools.islice(self._playing, PART))
        events = list(zip([seconds for seconds, _ in part], _events_json([event for _, event in part]), strict=True))
        playback, over = self._playback, len(part) < PART
        differences = [clipped(text) for text in playback.differences] if over else []
        cut = playback.recording.cut if over else None
        return {"events": events, "over": over, "cut": cut, "count": playback.count, "differences": differences}


def _events_json(events: list[Any]) -> list[dict[str, Any]]:
    try:
        return [event_json(event) for event in events]
    except MessageError as error:
        raise NotValid(str(error)) from error


def _failure(error: BaseException) -> dict[str, str]:
    """What went wrong, as the other end expects it."""
    if isinstance(error, MemoryError):
        return {"kind": "grew", "text": ""}
    if isinstance(error, NotValid):
        return {"kind": "nonsense", "text": clipped(error)}
    for kind, name in ((UrlError, "url"), (RecordingError, "recording"), (DriverError, "driver")):
        if isinstance(error, kind):
            return {"kind": name, "text": clipped(error)}
    steps = [step for step in traceback.extract_tb(error.__traceback__) if step.filename not in NOT_FOREIGN]
    steps = [step for step in steps if not step.filename.startswith("<frozen")]
    at = f" ({Path(steps[-1].filename).name}, line {steps[-1].lineno}, in {steps[-1].name})" if steps else ""
    text = clipped(error)
    return {"kind": "raised", "text": type(error).__name__ + (f": {text}" if text else "") + at}


def serve(channel: socket.socket) -> None:
    """Answer until the other end is closed."""
    host = Host()
    while True:
        data = _read(channel, _length(channel))
        hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
        soft = int(time.process_time()) + GRACE
        resource.setrlimit(resource.RLIMIT_CPU, (soft if hard < 0 else min(soft, hard), hard))
        number, place, arguments = msgspec.json.decode(data)
        try:
            try:
                answer = msgspec.json.encode({"id": number, "value": host.answer(place, arguments)})
            except BaseException as error:  # noqa: BLE001 - foreign code may raise anything
                answer = msgspec.json.encode({"id": number, "failure": _failure(error)})
        except MemoryError:
            os._exit(GREW_STATUS)
        channel.sendall(frame(answer))


def _length(channel: socket.socket) -> int:
    return int(HEAD.unpack(_read(channel, HEAD.size))[0])


def _read(channel: socket.socket, size: int) -> bytes:
    parts = []
    while size:
        part = channel.recv(size)
        if not part:
            os._exit(0)  # our parent is gone
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def _watch(channel: socket.socket) -> None:
    """End this process when the other end of the channel is closed, also while the driver is busy."""
    poll = select.poll()
    poll.register(channel, 0)
    poll.poll()
    os._exit(0)


def main() -> None:
    """Serve on the channel with the file descriptor that the first argument names."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.nice(NICE)
    channel = socket.socket(fileno=int(sys.argv[1]))
    channel.setblocking(True)
    threading.Thread(target=_watch, args=(channel,), name="parent", daemon=True).start()
    serve(channel)


if __name__ == "__main__":
    main()
