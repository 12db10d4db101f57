"""The command line: a simulated board on a pseudo-terminal or a TCP port, still or played on."""

from __future__ import annotations

import json
import secrets
import select
import signal
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import click
from click.core import ParameterSource

from .cable.ports import Link, PtyLink, TcpLink
from .device import Device
from .errors import BadScenario, GaveUp, SimulatorError
from .options import read_address, read_mistake, read_option, read_pull, read_restart, read_speed
from .scenarios.scenario import At, BoardPlayedOn, GamePlayed, Scenario, read_scenario
from .scenarios.stage import stage
from .world import Physics

HEARD_S = 5.0  # how long --exit waits for the host to acknowledge the last events
WITH_SCENARIO = {"pty", "link", "tcp", "scenario", "seed", "leave", "as_json"}


@click.command()
@click.option("--pty", is_flag=True, help="Lie on a pseudo-terminal.")
@click.option("--link", type=click.Path(path_type=Path), help="Path of a symbolic link to the pseudo-terminal.")
@click.option("--tcp", type=read_address, metavar="HOST:PORT", help="Listen on HOST:PORT; port 0 for any free one.")
@click.option(
    "--scenario",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A file (.toml) that says what is played and what goes wrong.",
)
@click.option("--play", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="A record to play (.pmn).")
@click.option("--game", type=click.IntRange(1, 10_000), default=1, help="Which game of the file.  [1]")
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
    scenario: Path | None,
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
    if play is None and scenario is None and (mistakes or pulls or restarts or leave):
        raise click.UsageError("--mistake, --unplug, --restart and --exit go with --play only")
    if play is not None and options:
        raise click.UsageError("-o goes without --play only: a record has its options in its tags")
    if scenario is not None:
        context = click.get_current_context()
        given = {name for name in context.params if context.get_parameter_source(name) is ParameterSource.COMMANDLINE}
        for option in context.command.params:
            if option.name in given - WITH_SCENARIO:
                raise click.UsageError(f"{option.opts[-1]} goes without --scenario only: it stands in the file")
    cable: Link = PtyLink(link) if tcp is None else TcpLink(*tcp)
    tell = _tell_json if as_json else _tell_people
    try:
        if scenario is not None:
            told = read_scenario(scenario)
        else:
            told = Scenario(
                speed=speed,
                give_up=give_up,
                game=GamePlayed("" if play is None else str(play), game, game_id, dict(options)),
                board=BoardPlayedOn(serial, stores),
                scales=Physics(stone_sd=stone_sd, noise_sd=noise_sd),
                at=_at(mistakes, pulls, restarts),
            )
        told = told if seed is None else replace(told, seed=seed)
        staged = stage(told, cable, time.monotonic, _wait, tell, _boots())
        device = staged.device
        cable.plug()
        try:
            tell(
                {
                    "event": "listening",
                    "url": cable.url,
                    "serial": told.board.serial,
                    "boot": device.boot,
                    "pits": staged.plan.row,
                }
            )
            device.run(_end(device, leave))
        finally:
            cable.unplug()
    except GaveUp as error:
        tell({"event": "gave-up", "why": str(error)})
        raise click.ClickException(str(error)) from error
    except BadScenario as error:
        raise click.UsageError(str(error)) from error
    except SimulatorError as error:
        raise click.ClickException(str(error)) from error


def _at(
    mistakes: tuple[tuple[int, str], ...],
    pulls: tuple[tuple[tuple[int, str], float], ...],
    restarts: tuple[tuple[int, str], ...],
) -> tuple[At, ...]:
    """What the options say goes wrong; each mistake and each pull of the cable has a turn, or a moment, of its own."""
    _once("--mistake", [str(ply) for ply, _ in mistakes])
    _once("--unplug", ["{}@{}".format(*moment) for moment, _ in pulls])
    return (
        *(At(ply, "mistake", kind=kind) for ply, kind in mistakes),
        *(At(ply, "unplug", moment, seconds) for (ply, moment), seconds in pulls),
        *(At(ply, "restart", moment) for ply, moment in restarts),
    )


def _once(option: str, given: list[str]) -> None:
    if len(set(given)) < len(given):
        raise click.UsageError(f"{option} names a turn twice: {', '.join(given)}")


def _boots() -> Iterator[str]:
    """A new boot id for each start of the board, whatever the seed."""
    while True:
        yield secrets.token_hex(4)


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
