"""The live view of a board in a terminal: counts, lights, health, and the last events."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import replace

from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from inkeek.drivers import events as board_events
from inkeek.drivers.base import Guidance
from inkeek.drivers.protocol.limits import TRUSTED
from inkeek.records import NORTH, SOUTH
from inkeek.service.terminal import visible

from .events import event_text, pit_name

MAX_SHOWN = 12  # events


class BoardView:
    """The state of a board from its events; `render` draws it."""

    def __init__(self, port: str, driver: str) -> None:
        self._title = visible(f"{port} ({driver})")
        self._board: board_events.Connected | None = None
        self._state = "waiting for the board to answer"
        self._counts: list[float] = []
        self._confidence: tuple[int, ...] = ()
        self._faults: dict[int, str] = {}
        self._status: board_events.Status | None = None
        self._last: deque[str] = deque(maxlen=MAX_SHOWN)
        self.guidance = Guidance(None)

    @property
    def row(self) -> int:
        return self._board.row if self._board is not None else 0

    def add(self, time: float, event: board_events.Event) -> None:
        """Add an event that came `time` seconds after the start."""
        match event:
            case board_events.Connected():
                self._board, self._state = event, "connected"
                if len(self._counts) != event.sensors:
                    self._counts, self._confidence = [], ()
            case board_events.Disconnected(reason=reason) | board_events.Refused(reason=reason):
                self._state = reason
            case board_events.Snapshot(counts=counts, confidence=confidence):
                self._counts, self._confidence = list(counts), confidence
            case board_events.Button(counts=counts):
                self._counts = list(counts)
            case board_events.PitChanged(pit=pit, seeds=seeds) if pit < len(self._counts):
                self._counts[pit] = seeds
            case board_events.Lifted(pit=pit) if pit < len(self._counts):
                self._counts[pit] = 0.0
            case board_events.Fault(pit=pit, code=code):
                self._faults[pit] = code
                if code == "ok":
                    del self._faults[pit]
            case board_events.Status():
                self._status = event
        shown = replace(event, counts=()) if isinstance(event, board_events.Snapshot | board_events.Button) else event
        self._last.append(f"{time:8.2f}  {event_text(shown, self.row).removesuffix(': ')}")

    def render(self, figures: Mapping[str, int]) -> RenderableType:
        """The view; `figures` are those of the line (`inkeek.drivers.base.SupportsCounters`)."""
        return Group(
            Panel(self._pits(), title=Text(self._title), subtitle=Text(visible(self._state)), title_align="left"),
            self._health(figures),
            Text(visible("\n".join(self._last))),
        )

    def _pits(self) -> RenderableType:
        if self._board is None or not self._counts:
            return Text("No counts yet.")
        row, stores = self._board.row, self._board.stores
        table = Table(box=None, padding=(0, 1, 0, 0), show_header=False)  # 2×12 with stores fits 80 columns
        for _ in range(row + 2):
            table.add_column(justify="right", min_width=4)
        north = list(range(2 * row - 1, row - 1, -1))  # as South sees them
        south = list(range(row))
        lamp = {side: "●" if self.guidance.to_move is side or self.guidance.over else "" for side in (SOUTH, NORTH)}
        table.add_row("North", *(pit_name(pit, row) for pit in north), lamp[NORTH], style="dim")
        table.add_row(self._count(2 * row + 1) if stores else "", *map(self._count, north), "")
        table.add_row("", *map(self._count, south), self._count(2 * row) if stores else "")
        table.add_row("South", *(pit_name(pit, row) for pit in south), lamp[SOUTH], style="dim")
        return table

    def _count(self, pit: int) -> Text:
        if pit in self._faults:
            return Text(visible(self._faults[pit]), style="bold red")
        count = self._counts[pit]
        text = f"{count:.2f}" if count < 9.995 else f"{count:.1f}"  # four characters wide
        if pit in self.guidance.errors:
            return Text(text, style="bold red reverse")
        doubtful = pit < len(self._confidence) and self._confidence[pit] < TRUSTED
        return Text(f"{text}?", style="yellow") if doubtful else Text(text, style="bold")

    def _health(self, figures: Mapping[str, int]) -> RenderableType:
        readings = [] if self._status is None else self._status.readings()
        parts = [f"{reading.label}: {reading.text(value)}" for reading, value in readings]
        parts.append(f"damaged lines: {figures.get('damaged', 0)}")
        parts.append(f"unexpected lines: {figures.get('misfits', 0)}")
        parts.append(f"repeated events: {figures.get('duplicates', 0)}")
        return Text(visible("   ".join(parts)))
