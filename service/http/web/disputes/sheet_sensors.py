"""What the sensors of a board noticed in a disputed turn, for the sheet."""

from __future__ import annotations

from inkeek.records import Position, Side
from inkeek.records.findings.sentences import place_text
from inkeek.records.language import Language
from inkeek.service.boards.turn_recording import Touch, TurnRecording
from inkeek.service.http.language import gettext, local_time

MAX_TOUCHES = 60  # of a recording


def sensor_entries(recording: TurnRecording, position: Position, language: Language) -> tuple[tuple[str, str], ...]:
    """What the sensors noticed, each with its time of day."""
    return tuple((_time_of_day(touch), _noticed(touch, position, language)) for touch in recording.touches)


def _time_of_day(touch: Touch) -> str:
    time = local_time(touch.time)
    return f"{time:%H:%M:%S}.{time.microsecond // 100_000}"


def _noticed(touch: Touch, position: Position, language: Language) -> str:
    if touch.kind == "button":
        side = language.sides[Side(touch.pit)]
        return gettext("%(side)s pressed %(button)s", side=side, button=_button(touch.action))
    place = place_text(position, touch.pit, language) if touch.pit < len(position.pits) + 2 else "?"
    if touch.kind == "lift":
        return gettext("%(pit)s lifted", pit=place)
    return f"{place} {touch.seeds:.1f}".removesuffix(".0")


def _button(action: str) -> str:
    words = {
        "commit": gettext("commit"),
        "undo": gettext("undo"),
        "dispute": gettext("dispute"),
        "trial": gettext("trial"),
        "accept": gettext("accept"),
    }
    return words.get(action, action)


def sensors_note(recording: TurnRecording, count: int) -> str:
    """What is missing from the list of `count` entries."""
    notes = []
    if count > MAX_TOUCHES:
        notes.append(gettext("%(count)s later entries are not listed.", count=count - MAX_TOUCHES))
    if not recording.complete:
        notes.append(gettext("A recording could not be read whole."))
    return " ".join(notes)
