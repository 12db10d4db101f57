"""Why a step of a board's calibration failed, in words (`docs/protocol.md`, "Version 1.1")."""

from __future__ import annotations

REASONS = {
    "moving": "its load did not rest. Keep hands off the board and try again",
    "silent": "its sensor does not answer, or repeats one value. Check its cable and amplifier",
    "overload": "its sensor is overloaded. Check what the bowl rests on",
    "not-empty": "it is not empty. Take out its seeds and try again",
    "untared": "it was not set to zero before. Empty every pit and set all sensors to zero first",
    "too-light": "it holds too little weight for that many seeds. Count the seeds, and check that they lie in this pit",
}
UNKNOWN = "the board does not say why. Keep hands off the board and try again"


def reason_text(reason: str) -> str:
    """Say in words why a step failed. `reason`: the board's word, "" if it gave none."""
    return REASONS.get(reason) or (f"the board says {reason!r}" if reason else UNKNOWN)
