"""Why a board is not used and why events are lost, as sentences for people."""

from __future__ import annotations

from drivers.events import Connected

from .limits import LOSSES_WITHIN, MAX_LOSSES, PROTOCOL


def other_version_reason(board: Connected) -> str:
    """Why a board of another major version is not used."""
    spoken = ".".join(map(str, board.version))
    return f"board {board.serial!r} speaks protocol version {spoken} and this host {PROTOCOL[0]}.x"


def refused_version_reason(text: str) -> str:
    """Why a board that refuses the host's version, as it says in `text`, is not used."""
    return f"the board refuses protocol version {'.'.join(map(str, PROTOCOL))}: {text}"


def losses_reason(serial: str) -> str:
    """Why a board that loses events all the time is ignored for a while."""
    return (
        f"board {serial!r} restarted, lost events or changed its version {MAX_LOSSES} times within "
        f"{LOSSES_WITHIN:g} seconds and is ignored for that time: check its power supply and cable"
    )


def ended_run_reason(board: Connected, *, is_other: bool, delivered: int, run: str) -> str:
    """Why events are lost when `board` greets in another run than `run`, of which `delivered` was the last event.

    `is_other`: it is another board.
    """
    who = "another board" if is_other else "the board restarted"
    return f"{who} (boot {board.boot}): events after {delivered} of boot {run} are lost"


def repeated_boot_reason(boot: str, evidence: str, delivered: int) -> str:
    """Why events may be lost when a board has restarted with the same boot id."""
    return (
        f"the board restarted and uses boot id {boot} again: {evidence}, but it has sent {delivered}. "
        "Events in between may be lost"
    )


def overwritten_reason(expected: int, first: int, run: str) -> str:
    """Why events from `expected` on are lost when `first` is the first one that the board still holds."""
    lost = f"events {expected} to {first - 1}" if first - expected > 1 else f"event {expected}"
    return f"the board no longer holds {lost} of boot {run}"
