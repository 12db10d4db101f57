"""`inkeek board calibrate` and `inkeek board test`: step by step, with a person at the board; events as text."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Sequence
from contextlib import closing
from typing import Protocol

import click

from inkeek.drivers import events as board_events, registry
from inkeek.drivers.base import Connection, Driver, SupportsCalibration, SupportsSelfTest
from inkeek.drivers.events import Calibrated, Connected, Event, Refused, SelfTestReport
from inkeek.drivers.protocol.limits import MAX_SEEDS_LAID
from inkeek.records import Side
from inkeek.records.position import pit_letter
from inkeek.service.boards.status import reason_text
from inkeek.service.cli.options import Whole

POLL = 0.2  # seconds between checks for Ctrl-C, and updates of the view
SILENT_FOR = 30.0  # seconds without a line of the self-test
ANSWER_WITHIN = 15.0  # seconds for a board to connect, or to do a step of its calibration


class CalibratedConnection(Connection, SupportsCalibration, Protocol):
    """A connection to a board that can be calibrated."""


driver_option = click.option(
    "--driver", "driver_name", default="inkeek", show_default=True, help="Driver of the board."
)


@click.command()
@click.argument("port")
@driver_option
@click.option(
    "--seeds",
    type=click.IntRange(1, MAX_SEEDS_LAID),
    default=10,
    show_default=True,
    help="Seeds to put into each pit or store.",
)
@click.option(
    "--pit",
    "pits",
    type=Whole(0),
    multiple=True,
    help="Only the sensor with this index, without a tare; may be repeated.",
)
def calibrate(port: str, driver_name: str, seeds: int, pits: tuple[int, ...]) -> None:
    """Guide you through the calibration of a board.

    First you empty all pits and stores, then you put a known number of seeds into each in turn. Press
    Enter after each step, or enter s to skip a sensor. Events of a game stay on the board. Exit with status 1 if a
    sensor failed and you skipped it.
    """
    driver = find_driver(driver_name, port)
    with closing(driver.open(port)) as connection:
        if not isinstance(connection, SupportsCalibration):
            raise click.ClickException(f"driver {driver_name!r} cannot calibrate boards")
        connected = _until_connected(connection)
        sensors, row = connected.sensors, connected.row
        click.echo(f"Board {connected.serial}: {sensors} sensors.")
        for pit in pits:
            if pit >= sensors:
                raise click.UsageError(f"--pit {pit}: the board has the sensors 0 to {sensors - 1}")
        failed: set[int] = set()
        if not pits:
            click.prompt("Empty every pit and store, then press Enter", default="", show_default=False)
            connection.calibrate(None)
            for pit, reason in sorted(_wait_for_calibration(connection, set(range(sensors)), row).items()):
                if not _tare_again(connection, pit, reason, sensors, row):
                    failed.add(pit)
        for number, pit in enumerate(steps := pits or range(sensors), 1):
            step = f"Step {number} of {len(steps)}. "
            question = f"{step}Put {seeds} seeds into {pit_name(pit, row)}, then press Enter (s: skip)"
            while click.prompt(question, "", show_default=False).strip() != "s":
                connection.calibrate(pit, seeds)
                if not _wait_for_calibration(connection, {pit}, row):
                    failed.discard(pit)
                    break
                failed.add(pit)
    if failed:
        names = ", ".join(pit_name(pit, row) for pit in sorted(failed))
        raise click.ClickException(f"not calibrated: {names}")
    click.echo("Done.")


@click.command("test")
@click.argument("port")
@driver_option
def self_test(port: str, driver_name: str) -> None:
    """Run the self-test of a board: scale by scale, lamp by lamp, button by button.

    The board says what to do, and what it finds. It ends by itself if nobody does anything; Ctrl-C ends it at once.
    Exit with status 1 if something failed.
    """
    driver = find_driver(driver_name, port)
    with closing(driver.open(port)) as connection:
        if not isinstance(connection, SupportsSelfTest):
            raise click.ClickException(f"driver {driver_name!r} has no self-test")
        connected = _until_connected(connection)
        click.echo(f"Board {connected.serial}: {connected.sensors} sensors.")
        connection.run_self_test()
        failed = False
        try:
            for event in _while_heard(connection, SILENT_FOR):
                if isinstance(event, SelfTestReport):
                    click.echo(f"{event.part}: {event.text}")
                    failed = failed or event.result == "failed"
                    if event.result == "end":
                        break
            else:
                raise click.ClickException(f"the board said nothing of its self-test for {SILENT_FOR:g} seconds")
        except KeyboardInterrupt:
            connection.run_self_test(stop=True)
            raise click.Abort from None
    if failed:
        raise click.ClickException("the self-test found faults")


def find_driver(name: str, port: str) -> Driver:
    """The driver, if it can open the port."""
    driver = registry.driver(name)
    registry.check_url(driver, port)
    return driver


def _until_connected(connection: Connection) -> Connected:
    for event in _within(connection, ANSWER_WITHIN):
        if isinstance(event, Connected):
            return event
        if isinstance(event, Refused):
            raise click.ClickException(f"the board cannot be used: {event.reason}")
    raise click.ClickException(f"no board answered within {ANSWER_WITHIN:g} seconds")


def _tare_again(connection: CalibratedConnection, pit: int, reason: str, sensors: int, row: int) -> bool:
    """Set a pit to zero whose first tare failed, as often as the person wants; return whether it worked."""
    while True:
        certain = ", e: it is empty all the same" if reason == "not-empty" else ""
        question = f"{pit_name(pit, row)}: empty it, then press Enter (s: skip{certain})"
        answer = click.prompt(question, "", show_default=False).strip()
        if answer == "s":
            return False
        if answer == "e" and certain:
            connection.calibrate(pit, 0)
            results = _wait_for_calibration(connection, {pit}, row)
        else:
            connection.calibrate(None)
            results = _wait_for_calibration(connection, set(range(sensors)), row, {pit})
        if pit not in results:
            return True
        reason = results[pit]


def _wait_for_calibration(
    connection: Connection, wanted: set[int], row: int, shown: Collection[int] | None = None
) -> dict[int, str]:
    """Wait for the results of these sensors, and return those that failed with the board's reasons.

    :param shown: sensors whose failure is shown; None: all.

    :raises ClickException: the board sent no result for some.
    """
    failed = {}
    for event in _within(connection, ANSWER_WITHIN):
        if isinstance(event, Calibrated) and event.pit in wanted:
            wanted.discard(event.pit)
            if not event.ok:
                failed[event.pit] = event.reason
                if shown is None or event.pit in shown:
                    click.echo(f"{pit_name(event.pit, row)} failed: {reason_text(event.reason)}.")
        if not wanted:
            return failed
    names = ", ".join(pit_name(pit, row) for pit in sorted(wanted))
    raise click.ClickException(f"the board sent no result for {names} within {ANSWER_WITHIN:g} seconds")


def _within(connection: Connection, seconds: float) -> Iterator[Event]:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        yield from connection.poll(POLL)


def _while_heard(connection: Connection, seconds: float) -> Iterator[Event]:
    """Yield the board's events until it has sent no line of its self-test for `seconds`."""
    heard = time.monotonic()
    while time.monotonic() - heard < seconds:
        for event in connection.poll(POLL):
            if isinstance(event, SelfTestReport):
                heard = time.monotonic()
            yield event


def event_text(event: board_events.Event, row: int) -> str:
    """One line for an event. Pits have the letters of a board with `row` pits in a row."""
    match event:
        case board_events.Connected():
            stores = "with" if event.stores else "without"
            return f"connected: board {event.serial}, 2×{event.row} {stores} stores, boot {event.boot}"
        case board_events.Disconnected(reason=reason):
            return f"disconnected: {reason}"
        case board_events.Refused(reason=reason):
            return f"refused: {reason}"
        case board_events.Gap(reason=reason):
            return f"gap: {reason}"
        case board_events.Snapshot(counts=counts):
            return f"counts: {counts_text(counts)}"
        case board_events.Status():
            return "status: " + ", ".join(f"{one.label} {one.text(value)}" for one, value in event.readings())
        case board_events.Complaint(code=code, text=text):
            return f"the board reports an error: {code} {text}".rstrip()
        case board_events.SelfTestReport(part=part, result=result, text=text):
            return f"self-test: {part} {result}: {text}"
        case board_events.OfferShown(question=question):
            return f"the lights offer an answer to the question of event {question}"
        case board_events.PitChanged(pit=pit, seeds=seeds):
            return f"{event.seq:>5} {pit_name(pit, row)}: {seeds:.2f}"
        case board_events.Lifted(pit=pit):
            return f"{event.seq:>5} {pit_name(pit, row)} was emptied by a hand"
        case board_events.Button(side=side, action=action, counts=counts):
            return f"{event.seq:>5} {side} pressed {action}: {counts_text(counts)}"
        case board_events.Fault(pit=pit, code=code):
            return f"{event.seq:>5} sensor of {pit_name(pit, row)}: {code}"
        case board_events.Calibrated(pit=pit, ok=ok, reason=reason):
            result = "was calibrated" if ok else f"could not be calibrated: {reason or 'no reason given'}"
            return f"{event.seq:>5} {pit_name(pit, row)} {result}"
        case board_events.Unrecognized(kind=kind):
            return f"{event.seq:>5} an event of unknown kind {kind!r}"
    return repr(event)


def counts_text(counts: Sequence[float]) -> str:
    return " ".join(f"{count:.2f}" for count in counts)


def pit_name(pit: int, row: int) -> str:
    """The letter of a pit, or whose store it is."""
    return pit_letter(pit, row) if pit < 2 * row else f"{Side(pit - 2 * row)}'s store"
