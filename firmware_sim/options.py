"""The words of the command line: what an option's text means, and what is said of one that means nothing."""

from __future__ import annotations

from math import inf

import click

from .hands.hands import MOMENTS
from .hands.mistakes import MISTAKES

MAX_SPEED = 1000.0
MAX_PULL = 3600.0  # seconds
PULL = 2.0  # seconds, when none are given
MOMENTS_TOLD = ", ".join(MOMENTS[:-1]) + f" or {MOMENTS[-1]}"


def read_speed(text: str) -> float:
    """A factor; infinity for ``max``."""
    speed = inf if text == "max" else _number(text, MAX_SPEED)
    if not speed > 0:
        raise _expected(text, f"a factor above 0, up to {MAX_SPEED:g}, or 'max'")
    return speed


def read_address(text: str) -> tuple[str, int]:
    """``HOST:PORT``."""
    host, _, port = text.rpartition(":")
    number = _whole(port)
    if not host or not 0 <= number <= 65535:
        raise _expected(text, "HOST:PORT, as 127.0.0.1:0 (0: any free port)")
    return host.strip("[]"), number


def read_mistake(text: str) -> tuple[int, str]:
    """``PLY:KIND``."""
    ply, _, kind = text.partition(":")
    if _whole(ply) < 1 or kind not in MISTAKES:
        raise _expected(text, f"PLY:KIND with KIND one of {', '.join(MISTAKES)}, as 7:skip")
    return int(ply), kind


def read_pull(text: str) -> tuple[tuple[int, str], float]:
    """``PLY``, then perhaps ``@MOMENT``, then perhaps ``:SECONDS``."""
    told, colon, after = text.partition(":")
    moment = _moment(told)
    seconds = _number(after, MAX_PULL) if colon else PULL
    if moment is None or seconds < 0:
        raise _expected(text, f"PLY[@MOMENT][:SECONDS] (MOMENT {MOMENTS_TOLD}; up to {MAX_PULL:g} s), as 9:2.5")
    return moment, seconds


def read_restart(text: str) -> tuple[int, str]:
    """``PLY`` or ``PLY@MOMENT``."""
    moment = _moment(text)
    if moment is None:
        raise _expected(text, f"PLY or PLY@MOMENT (MOMENT {MOMENTS_TOLD}), as 9@button")
    return moment


def _moment(text: str) -> tuple[int, str] | None:
    ply, at, moment = text.partition("@")
    moment = moment if at else "middle"
    return (int(ply), moment) if _whole(ply) >= 1 and moment in MOMENTS else None


def read_option(text: str) -> tuple[str, str]:
    """``KEY=VALUE``."""
    key, equals, value = text.partition("=")
    if not key or not equals:
        raise _expected(text, "KEY=VALUE, as pits=8")
    return key, value


def _expected(text: str, what: str) -> click.BadParameter:
    return click.BadParameter(f"{text!r}: expected {what}")


def _whole(text: str) -> int:
    """A whole number of up to six digits; -1 for anything else."""
    return int(text) if len(text) <= 6 and text.isascii() and text.isdecimal() else -1


def _number(text: str, most: float) -> float:
    """A number from 0 to `most`; -1 for anything else."""
    try:
        number = float(text)
    except ValueError:
        return -1.0
    return number if 0 <= number <= most else -1.0
