"""The command line: a simulated board on a pseudo-terminal or a TCP port, still or played on."""

from __future__ import annotations

import json
import math
import secrets
import select
import signal
import time
from collections.abc import Callable, Mapping
from itertools import islice
from pathlib import Path
from random import Random
from typing import TypeVar

import click

from records import RecordsError, read_games, ruleset

from .device import Device
from .errors import GaveUp, SimulatorError
from .firmware.board import Board
from .hands import Hands
from .link import Link, PtyLink, TcpLink
from .options import read_address, read_mistake, read_option, read_pull, read_restart, read_speed
from .plan import Plan, plan_game, plan_turns
from .world import Physics, World

T = TypeVar("T")
When = TypeVar("When", int, tuple[int, str])

MAX_GAMES = 10_000  # read from a file to find the one to play
HEARD_S = 5.0  # how long --exit waits for the host to acknowledge the last events


@click.command()
@click.option("--pty", is_flag=True, help="Lie on a pseudo-terminal.")
@click.option("--link", type=click.Path(path_type=Path), help="Path of a symbolic link to the pseudo-terminal.")
@click.option("--tcp", type=read_address, metavar="HOST:PORT", help="Listen on HOST:PORT; port 0 for any free one.")
@click.option("--play", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="A record to play (.pmn).")
@click.option("--game", type=click.IntRange(1, MAX_GAMES), default=1, help="Which game of the file.  [1]")
@click.option("--ruleset", "game_id", default="enkeshui", help="Without --play: whose start lies there.  [enkeshui]")
@click.option("-o", "options", type=read_option, metavar="KEY=VALUE", multiple=True, help="An option of that rule set.")
@click.option("--stores/--no-stores", default=True, help="Whether the stores are weighed.  [stores]")
@click.option("--speed", type=read_speed, metavar="SPEED", default="1", help="Of the hands: a factor, or max.  [1]")
@click.option(
    "--mistake", "mistakes", type=read_mistake, metavar="PLY:KIND", multiple=True, help="PLY:KIND, as 7:skip."
)
@click.option(
    "--unplug",
    "pulls",
    type=read_pull,
    metavar="PLY[@MOMENT][:SECONDS]",
    multiple=True,
    help="Pull the cable, as 9:2 or 9@button:2.",
)
@click.option(
    "--restart", "restarts", type=read_restart, metavar="PLY[@MOMENT]", multiple=True, help="Of the board, as 9@start."
)
@click.option("--give-up", type=click.FloatRange(0.1), help="Seconds to wait for an answer.  [for ever]")
@click.option("--seed", type=int, help="Of the stones' weights, the noise and the thinking.  [by chance]")
@click.option(
    "--stone-sd",
    type=click.FloatRange(0, 0.3),
    default=Physics().stone_sd,
    help="Of a stone's weight.  [0.03]",
)
@click.option("--noise-sd", type=click.FloatRange(0, 6), default=Physics().noise_sd, help="Hundredths of a seed.  [3]")
@click.option("--serial", default="SIM-0001", help="Of the board.  [SIM-0001]")
@click.option("--exit", "leave", is_flag=True, help="End when the game is played.")
@click.option("--json", "as_json", is_flag=True, help="Tell what happens as one JSON object a line.")
def main(
    pty: bool,
    link: Path | None,
    tcp: tuple[str, int] | None,
    play: Path | None,
    game: int,
    game_id: str,
    options: tuple[tuple[str, str], ...],
    stores: bool,
    speed: float,
    mistakes: tuple[tuple[int, str], ...],
    pulls: tuple[tuple[tuple[int, str], float], ...],
    restarts: tuple[tuple[int, str], ...],
    give_up: float | None,
    seed: int | None,
    stone_sd: float,
    noise_sd: float,
    serial: str,
    leave: bool,
    as_json: bool,
) -> None:
    """A simulated mancala board, on a serial line.

    The first line of output tells where it listens. It stays until it is told to end (SIGTERM, SIGINT) or, with
    --exit, until the game given by --play is over. Exit status 1: the hands could not play, or gave up.
    """
    if pty == (tcp is not None):
        raise click.UsageError("give either --pty or --tcp HOST:PORT")
    if link is not None and not pty:
        raise click.UsageError("--link goes with --pty only")
    if play is None and (mistakes or pulls or restarts or leave):
        raise click.UsageError("--mistake, --unplug, --restart and --exit go with --play only")
    if play is not None and options:
        raise click.UsageError("-o goes without --play only: a record has its options in its tags")
    cable: Link = PtyLink(link) if tcp is None else TcpLink(*tcp)
    tell = _tell_json if as_json else _tell_people
    random = Random(seed)
    plan = _start_of(game_id, dict(options)) if play is None else _game_in(play, game)
    world = World(plan.row, stores, random, Physics(stone_sd=stone_sd, noise_sd=noise_sd))
    board = _board(plan.row, stores, serial)
    factor = None if math.isinf(speed) else speed
    device = Device(board, world, cable, time.monotonic, _wait, speed=factor, give_up=give_up, tell=tell)
    try:
        if play is None:
            world.lay(plan.counts)
        else:
            device.hands = Hands(
                plan,
                world,
                board.lights,
                random,
                tell,
                mistakes=_once("--mistake", mistakes),
                pulls=_once("--unplug", pulls),
                pull=device.pull,
                restarts=restarts,
                restart=lambda: device.restart(_board(plan.row, stores, serial)),
            )
        cable.plug()
        try:
            tell({"event": "listening", "url": cable.url, "serial": serial, "boot": board.boot, "pits": plan.row})
            device.run(_end(device, leave))
        finally:
            cable.unplug()
    except GaveUp as error:
        tell({"event": "gave-up", "why": str(error)})
        raise click.ClickException(str(error)) from error
    except SimulatorError as error:
        raise click.ClickException(str(error)) from error


def _once(option: str, given: tuple[tuple[When, T], ...]) -> dict[When, T]:
    """What is given for each turn, or moment of a turn, once at most."""
    found = dict(given)
    if len(found) < len(given):
        named = (f"{when}" if isinstance(when, int) else "{}@{}".format(*when) for when, _ in given)
        raise click.UsageError(f"{option} names a turn twice: {', '.join(named)}")
    return found


def _game_in(path: Path, number: int) -> Plan:
    """The plan of a game of a file, the first being number 1."""
    try:
        with path.open(encoding="utf-8") as file:
            game = next(islice(read_games(file), number - 1, None), None)
        if game is None:
            raise click.BadParameter(f"{str(path)!r} has fewer than {number} games", param_hint="--game")
        return plan_game(game)
    except (RecordsError, SimulatorError, UnicodeDecodeError) as error:
        raise click.ClickException(f"{path}: game {number}: {error}") from error


def _start_of(game_id: str, options: dict[str, str]) -> Plan:
    """No turns, from the start of a rule set."""
    try:
        rules = ruleset(game_id, **options)
        return plan_turns(rules, rules.start(), [])
    except RecordsError as error:
        raise click.UsageError(str(error)) from error


def _board(row: int, stores: bool, serial: str) -> Board:
    """A board that has just been switched on: its boot id is new, whatever the seed."""
    try:
        return Board(row, stores, serial, secrets.token_hex(4))
    except ValueError as error:
        raise click.UsageError(f"no such board: {error}") from error


def _end(device: Device, leave: bool) -> Callable[[], bool]:
    """What tells when to end: a signal or, if `leave`, that the game is played and the host has heard it all."""
    signals: list[int] = []
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda caught, frame: signals.append(caught))
    played: list[float] = []

    def ended() -> bool:
        if signals or not leave or device.playing:
            return bool(signals)
        played.append(time.monotonic())
        del played[1:]
        return device.heard or time.monotonic() - played[0] > HEARD_S

    return ended


def _wait(files: list[int], seconds: float) -> None:
    select.select(files, [], [], seconds)


def _tell_json(event: Mapping[str, object]) -> None:
    click.echo(json.dumps(event))


def _tell_people(event: Mapping[str, object]) -> None:
    if event["event"] == "listening":
        click.echo(event["url"])
    else:
        told = " ".join(f"{key}={value}" for key, value in event.items() if key != "event")
        click.echo(f"{event['event']} {told}".rstrip())
