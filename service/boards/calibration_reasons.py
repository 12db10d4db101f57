"""Why a step of a board's calibration failed, in words (`docs/protocol.md`, "Version 1.1")."""

from __future__ import annotations

from inkeek.service.errors import ErrorText

REASONS = {
    "moving": ErrorText("its load did not rest. Keep hands off the board and try again"),
    "silent": ErrorText("its sensor does not answer, or repeats one value. Check its cable and amplifier"),
    "overload": ErrorText("its sensor is overloaded. Check what the bowl rests on"),
    "not-empty": ErrorText("it is not empty. Take out its seeds and try again"),
    "untared": ErrorText("it was not set to zero before. Empty every pit and set all sensors to zero first"),
    "too-light": ErrorText(
        "it holds too little weight for that many seeds. Count the seeds, and check that they lie in this pit"
    ),
}
UNKNOWN = ErrorText("the board does not say why. Keep hands off the board and try again")


def reason_text(reason: str) -> str:
    """Say in words why a step failed. `reason`: the board's word, "" if it gave none."""
    return REASONS.get(reason) or (ErrorText("the board says %(word)r", word=reason) if reason else UNKNOWN)
