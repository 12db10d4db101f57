"""Reads the texts of command-line options. A bad one is quoted, with what was expected."""

from __future__ import annotations

import re
from collections.abc import Callable
from math import inf
from typing import TypeVar

import click

from .hands.hands import MOMENTS, Moment
from .hands.mistakes import MISTAKES
from .scenarios.scenario import MAX_SECONDS

MAX_SPEED = 1000.0
UNPLUGGED_S = 2.0  # unless another time is given
_MOMENTS = f"MOMENT {', '.join(MOMENTS[:-1])} or {MOMENTS[-1]}"

Value = TypeVar("Value")


def _expects(what: str) -> Callable[[Callable[[str], Value]], Callable[[str], Value]]:
    """Turn a reader's `ValueError` into click's error."""

    def decorate(read: Callable[[str], Value]) -> Callable[[str], Value]:
        def read_or_explain(text: str) -> Value:
            try:
                return read(text)
            except ValueError as error:
                raise click.BadParameter(f"{text!r}: expected {what}") from error

        return read_or_explain

    return decorate


@_expects(f"a factor above 0, up to {MAX_SPEED:g}, or 'max'")
def read_speed(text: str) -> float:
    """Read a factor; infinity for ``max``."""
    return inf if text == "max" else _check(float(text), 1e-9, MAX_SPEED)


def number(least: float, most: float) -> Callable[[str], float]:
    """Read a number in a range. NaN is in every range of click."""
    return _expects(f"a number from {least:g} to {most:g}")(lambda text: _check(float(text), least, most))


@_expects("HOST:PORT, as 127.0.0.1:0 (0: any free port)")
def read_address(text: str) -> tuple[str, int]:
    """Read ``HOST:PORT``."""
    host, _, port = text.rpartition(":")
    number = _check(_whole(port), 0, 65535)
    if not host:
        raise ValueError
    return host.strip("[]"), int(number)


@_expects(f"PLY:KIND with KIND one of {', '.join(MISTAKES)}, as 7:skip")
def read_mistake(text: str) -> tuple[int, str]:
    """Read ``PLY:KIND``."""
    ply, _, kind = text.partition(":")
    if kind not in MISTAKES:
        raise ValueError
    return _moment(ply)[0], kind


@_expects(f"PLY[@MOMENT][:SECONDS] ({_MOMENTS}; up to {MAX_SECONDS:g} s), as 9:2.5")
def read_unplug(text: str) -> tuple[Moment, float]:
    """Read ``PLY[@MOMENT][:SECONDS]``."""
    moment, colon, seconds = text.partition(":")
    return _moment(moment), _check(float(seconds), 0, MAX_SECONDS) if colon else UNPLUGGED_S


@_expects(f"PLY or PLY@MOMENT ({_MOMENTS}), as 9@button")
def read_restart(text: str) -> Moment:
    """Read ``PLY`` or ``PLY@MOMENT``."""
    return _moment(text)


@_expects("KEY=VALUE, as pits=8")
def read_option(text: str) -> tuple[str, str]:
    """Read ``KEY=VALUE``."""
    key, equals, value = text.partition("=")
    if not key or not equals:
        raise ValueError
    return key, value


def _moment(text: str) -> Moment:
    ply, at, moment = text.partition("@")
    if at and moment not in MOMENTS:
        raise ValueError
    return int(_check(_whole(ply), 1, inf)), moment or "middle"


def _whole(text: str) -> int:
    if not re.fullmatch(r"\d{1,6}", text, re.ASCII):
        raise ValueError
    return int(text)


def _check(number: float, least: float, most: float) -> float:
    if not least <= number <= most:
        raise ValueError
    return number
