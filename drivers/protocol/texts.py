"""What a session says when a board cannot be used, or has lost events."""

from __future__ import annotations

from inkeek.records.errors import ErrorText

from .limits import LOSSES_WITHIN, MAX_LOSSES, PROTOCOL

IGNORED = ErrorText("the board is ignored for a while")
ANOTHER = ErrorText("another board answered")


def other_version(serial: str, spoken: tuple[int, int]) -> str:
    """The board speaks another version of the protocol."""
    return ErrorText(
        "board %(serial)r speaks protocol version %(spoken)s and this host %(version)s.x",
        serial=serial,
        spoken=".".join(map(str, spoken)),
        version=PROTOCOL[0],
    )


def refused_version(reason: str) -> str:
    """The board refuses the host's version of the protocol, for its own `reason`."""
    version = ".".join(map(str, PROTOCOL))
    return ErrorText("the board refuses protocol version %(version)s: %(reason)s", version=version, reason=reason)


def loss(boot: str, event: int, run: str, *, is_same: bool) -> str:
    """A new run, `boot`, began after `event` of the `run` before; `is_same`: on the same board."""
    values = {"boot": boot, "event": event, "run": run}
    if is_same:
        return ErrorText(
            "the board restarted (boot %(boot)s): events after %(event)s of boot %(run)s are lost", **values
        )
    return ErrorText("another board (boot %(boot)s): events after %(event)s of boot %(run)s are lost", **values)


def same_boot(boot: str, reason: str, event: int) -> str:
    """The board restarted with the same boot id, as `reason` shows."""
    return ErrorText(
        "the board restarted and uses boot id %(boot)s again: %(reason)s, but it has sent %(event)s. "
        "Events in between may be lost",
        boot=boot,
        reason=reason,
        event=event,
    )


def other_size(boot: str, before: int, now: int, event: int) -> str:
    """The board restarted with the same boot id, and another number of sensors."""
    return ErrorText(
        "the board uses boot id %(boot)s again, and has %(now)s sensors instead of %(before)s: it has restarted. "
        "Events after %(event)s may be lost",
        boot=boot,
        now=now,
        before=before,
        event=event,
    )


def ignored(serial: str) -> str:
    """The board has lost events too often."""
    return ErrorText(
        "board %(serial)r restarted, lost events or changed its version %(losses)s times within %(seconds)g "
        "seconds and is ignored for that time: check its power supply and cable",
        serial=serial,
        losses=MAX_LOSSES,
        seconds=LOSSES_WITHIN,
    )
