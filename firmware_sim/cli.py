"""The command line: a simulated board on a pseudo-terminal or a TCP port, played on or not."""

from __future__ import annotations

import json
import os
import re
import secrets
import select
import signal
import time
from collections.abc import Callable, Iterator, Mapping
from math import inf
from pathlib import Path
from typing import Any, TypeVar

import click

from .cable import Cable, PtyCable, TcpCable
from .device import SimulatedDevice
from .errors import BadScenario, GaveUp, SimulatorError
from .hands.hands import MOMENTS, Moment
from .hands.mistakes import MISTAKES
from .scenarios import MAX_SECONDS, BoardSetup, GameSetup, Scenario, ScheduledTrouble, stage

ACKNOWLEDGE_S = 5.0  # how long --exit waits for the host to acknowledge the last events
_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


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


@click.command()
@click.option("--pty", is_flag=True, help="Use a pseudo-terminal.  [unless TCP is used]")
@click.option("--link", type=click.Path(path_type=Path), help="Make a symbolic link to it, also after each unplugging.")
@click.option(
    "--tcp",
    type=read_address,
    metavar="HOST:PORT",
    help="Listen there instead (0: any free port); hosts open socket://HOST:PORT."
    "  [127.0.0.1:0 where there are no pseudo-terminals]",
)
@click.option("--play", type=_FILE, help="The record to play (.pmn), without irregular turns or rearrangements.")
@click.option("--game", type=click.IntRange(1, 10_000), default=1, help="Which game of the file.  [1]")
@click.option("--ruleset", default="enkeshui", help="Rule set of the start position, without --play.  [enkeshui]")
@click.option("-o", "options", type=read_option, metavar="KEY=VALUE", multiple=True, help="Option of that rule set.")
@click.option("--stores/--no-stores", default=True, help="Whether the stores are weighed.  [stores]")
@click.option(
    "--speed",
    type=read_speed,
    metavar="FACTOR",
    default="1",
    help="Times faster than a person; max: wait only for the host.  [1]",
)
@click.option(
    "--mistake", "mistakes", type=read_mistake, metavar="PLY:KIND", multiple=True, help="Make a mistake in that turn."
)
@click.option(
    "--unplug",
    "unplugs",
    type=read_unplug,
    metavar="PLY[@MOMENT][:SECONDS]",
    multiple=True,
    help="Unplug the cable at start, middle or button (just after the press).  [middle, 2 s]",
)
@click.option(
    "--restart",
    "restarts",
    type=read_restart,
    metavar="PLY[@MOMENT]",
    multiple=True,
    help="Restart the board: a new boot id, unacknowledged events lost.  [middle]",
)
@click.option("--seed", type=int, help="Seed of all random draws but the boot id.  [random]")
@click.option("--serial", default="SIM-0001", help="The board's serial number.  [SIM-0001]")
@click.option("--exit", "leave", is_flag=True, help="Exit once all events are acknowledged, or after 5 s.")
@click.option("--json", "as_json", is_flag=True, help="Print each event as a JSON object.")
def main(
    pty: bool,
    link: Path | None,
    tcp: tuple[str, int] | None,
    seed: int | None,
    leave: bool,
    as_json: bool,
    **setup: Any,
) -> None:
    """A simulated mancala board on a serial line.

    The first line of output is the address of the board. It runs until SIGTERM or SIGINT or, with --exit, until the
    game given by --play is over. Exit status 1: the hands could not play, or gave up.
    """
    if pty and tcp is not None:
        raise click.UsageError("--pty and --tcp exclude each other: give one of them, or none")
    if not pty and tcp is None:
        pty, tcp = (True, None) if hasattr(os, "openpty") else (False, ("127.0.0.1", 0))
    if pty and not hasattr(os, "openpty"):
        raise click.UsageError("this system has no pseudo-terminals: give --tcp 127.0.0.1:0 instead of --pty")
    if link is not None and not pty:
        raise click.UsageError("--link needs --pty")
    if setup["play"] is None and (leave or _troubles(setup)):
        raise click.UsageError("--mistake, --unplug, --restart and --exit need --play")
    if setup["play"] is not None and setup["options"]:
        raise click.UsageError("-o cannot be used with --play: a record has its options in its tags")
    cable: Cable = PtyCable(link) if tcp is None else TcpCable(*tcp)
    report = _report_json if as_json else _report_text
    try:
        played = _scenario_of(setup, seed)
        staged = stage(played, cable, time.monotonic, _wait, report, _boots())
        device = staged.device
        end = _end(device, leave)  # before anybody knows the board: who stops it at once finds no link left
        cable.plug()
        address = {"url": cable.url, "serial": played.board.serial, "boot": device.boot, "pits": staged.plan.row}
        try:
            report({"event": "listening", **address})
            device.run(end)
        finally:
            cable.unplug()
    except GaveUp as error:
        report({"event": "gave-up", "why": str(error)})
        raise click.ClickException(_visible(str(error))) from error
    except BadScenario as error:
        raise click.UsageError(_visible(str(error))) from error
    except SimulatorError as error:
        raise click.ClickException(_visible(str(error))) from error


def _scenario_of(setup: Mapping[str, Any], seed: int | None) -> Scenario:
    record = "" if setup["play"] is None else str(setup["play"])
    return Scenario(
        seed=seed,
        speed=setup["speed"],
        game=GameSetup(record, setup["game"], setup["ruleset"], dict(setup["options"])),
        board=BoardSetup(setup["serial"], setup["stores"]),
        at=_troubles(setup),
    )


def _troubles(setup: Mapping[str, Any]) -> tuple[ScheduledTrouble, ...]:
    """Return the mistakes, unplugs and restarts. A turn has one mistake at most, a moment one unplug."""
    mistakes, unplugs, restarts = setup["mistakes"], setup["unplugs"], setup["restarts"]
    moments = [f"{ply}@{moment}" for (ply, moment), _ in unplugs]
    for option, turns in (("--mistake", [str(ply) for ply, _ in mistakes]), ("--unplug", moments)):
        if len(set(turns)) < len(turns):
            raise click.UsageError(f"{option} names a turn twice: {', '.join(turns)}")
    return (
        *(ScheduledTrouble(ply, "mistake", kind=kind) for ply, kind in mistakes),
        *(ScheduledTrouble(ply, "unplug", moment, seconds) for (ply, moment), seconds in unplugs),
        *(ScheduledTrouble(ply, "restart", moment) for ply, moment in restarts),
    )


def _boots() -> Iterator[str]:
    """Yield a new boot id for each start of the board, whatever the seed."""
    while True:
        yield secrets.token_hex(4)


def _end(device: SimulatedDevice, leave: bool) -> Callable[[], bool]:
    """Return what says when to exit: after a signal or, if `leave`, after the game, once the host knows all events."""
    signals: list[int] = []
    for name in ("SIGTERM", "SIGINT", "SIGHUP"):  # Windows has no SIGHUP
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), lambda caught, frame: signals.append(caught))
    played: list[float] = []

    def ended() -> bool:
        if signals or not leave or device.playing:
            return bool(signals)
        played.append(time.monotonic())
        return device.acknowledged or played[-1] - played[0] > ACKNOWLEDGE_S

    return ended


def _wait(files: list[int], seconds: float) -> None:
    if files:
        select.select(files, [], [], seconds)
    else:
        time.sleep(seconds)  # Windows selects nothing of nothing


def _report_json(event: Mapping[str, object]) -> None:
    click.echo(json.dumps(event))


def _report_text(event: Mapping[str, object]) -> None:
    if event["event"] == "listening":
        click.echo(_visible(str(event["url"])))
    else:
        values = " ".join(f"{key}={value}" for key, value in event.items() if key != "event")
        click.echo(_visible(f"{event['event']} {values}").rstrip())


def _visible(text: str) -> str:
    """The text with what a terminal would obey as escapes."""
    return "".join(c if c.isprintable() or c in "\n\t" else f"\\u{ord(c):04x}" for c in text)
