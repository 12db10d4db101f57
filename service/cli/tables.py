"""``inkeek tables``: endgame tables, which hold exact values of positions with few seeds."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from inkeek.records import Position, Rules
from inkeek.records.analysis.tables import (
    TableError,
    TableHeader,
    TableLayer,
    build_table,
    check_table,
    closing_patterns,
    pattern_of,
    read_header,
    special_patterns,
    table_folders,
    table_name,
)
from inkeek.service.settings import Settings
from inkeek.service.terminal import terminal

from .options import as_json, emit_or_echo, tables_option, with_rules, with_settings

MEGABYTE = 1 << 20

jobs_option = click.option(
    "--jobs", type=click.IntRange(1, 64), default=os.cpu_count() or 1, help="Threads. [one for each processor]"
)
names = click.argument("names", nargs=-1, metavar="[NAME]...")


@click.group()
def tables() -> None:
    """Build, list and check endgame tables."""


@tables.command()
@with_rules
@click.option("--seeds", type=click.IntRange(0, 100), required=True, help="The most seeds in ordinary pits.")
@click.option(
    "--specials",
    type=click.IntRange(1, 24),
    help="Positions with up to so many special pits may have all the seeds. [none]",
)
@click.option("--closed", is_flag=True, help="Add all ways to close pits.")
@click.option("--position", help="Add the special and closed pits of this position.")
@click.option(
    "--memory", type=click.IntRange(0, 1 << 20), default=1024, show_default=True, help="MB of memory to keep turns in."
)
@jobs_option
@tables_option
@with_settings
def build(
    settings: Settings,
    rules: Rules,
    seeds: int,
    specials: int | None,
    closed: bool,
    position: str | None,
    memory: int,
    jobs: int,
) -> None:
    """Build a table, or go on with one whose building was stopped; with more seeds, extend it."""
    roots = roots_from(rules, specials, closed, position)
    folder = settings.tables_folder / table_name(rules, roots)
    click.echo(f"Table {folder.name} in {settings.tables_folder}.")
    header = build_table(folder, rules, seeds, roots, jobs, memory * MEGABYTE, show_progress(), show_layer)
    click.echo(summary(header))


@tables.command("list")
@tables_option
@as_json(
    "one object per table: `name`, `game`, `options` that the values depend on, `seeds` covered, `of` how"
    " many it is to cover, `positions`, `bytes`, `version`"
)
@with_settings
def list_tables(settings: Settings, as_json: bool) -> None:
    """List the tables and what they cover."""
    for folder in table_folders(settings.tables_folder):
        header = read_header(folder)
        emit_or_echo(as_json, {"name": folder.name, **table_json(header)}, f"{folder.name}: {summary(header)}")


@tables.command()
@names
@jobs_option
@tables_option
@with_settings
def verify(settings: Settings, names: tuple[str, ...], jobs: int) -> None:
    """Check the checksums of tables, and work out each position once more from those its turns lead to."""
    folders = choose_folders(settings, names)
    if not folders:
        raise TableError(f"there are no tables in {settings.tables_folder}")
    for folder in folders:
        header = check_table(folder, jobs, show_progress())
        click.echo(f"{folder.name}: {header.positions:,} positions follow from each other.")


def roots_from(rules: Rules, specials: int | None, closed: bool, position: str | None) -> list[int]:
    """Return the patterns of special and closed pits that a table starts from.

    :raises click.UsageError: the game has no such pits, or two options say it.
    """
    if (specials is not None) + closed + (position is not None) > 1:
        raise click.UsageError("--specials, --closed and --position exclude each other: give one of them")
    if specials is not None:
        if "special" not in rules.info.terms:
            raise click.UsageError(f"--specials {specials}: {rules.id} has no special pits")
        return special_patterns(rules.row, specials)
    if closed:
        if not rules.info.closes_pits:
            raise click.UsageError(f"--closed: {rules.id} closes no pits")
        return closing_patterns(rules.row)
    if position is not None:
        given = Position.parse(position)
        rules.starting_from(given)
        return [pattern_of(given)]
    return [0]


def choose_folders(settings: Settings, names: tuple[str, ...]) -> list[Path]:
    """Return the folders of the tables with these names, of all without one.

    :raises TableError: there is no such table; lists those there are.
    """
    found = {folder.name: folder for folder in table_folders(settings.tables_folder)}
    for name in names:
        if name not in found:
            there = ", ".join(found) or "none"
            raise TableError(f"no table {name!r} in {settings.tables_folder}: there are {there}")
    return [found[name] for name in names or found]


def summary(header: TableHeader) -> str:
    """Return a line about what a table covers."""
    if header.covered < 0:
        return f"{header.game}, not one number of seeds is finished."
    until = "" if header.covered >= header.seeds else f" (to be {header.seeds})"
    return (
        f"{header.game} 2×{header.options['pits']}, up to {header.covered} seeds{until}: "
        f"{header.positions:,} positions, {header.size:,} bytes."
    )


def show_layer(layer: TableLayer) -> None:
    """Print a line about the positions with one number of seeds."""
    notes = f", {layer.differing:,} depend on repetition" if layer.differing else ""
    notes += f", {layer.unsettled:,} turns not settled" if layer.unsettled else ""
    click.echo(f"{layer.seeds:3} seeds: {layer.positions:,} positions, {layer.sweeps} sweeps{notes}")


def show_progress() -> Callable[[int, int, int, int], None]:
    """Return a function that shows how far a layer is, on a terminal."""

    def report(seeds: int, sweep: int, done: int, positions: int) -> None:
        if sys.stderr.isatty():
            end = "\r\033[K" if done == positions else "\r"
            share = 100 * done // max(positions, 1)
            click.echo(f"{seeds:3} seeds, sweep {sweep}: {share} %  {end}", terminal(sys.stderr), nl=False)

    return report


def table_json(header: TableHeader) -> dict[str, Any]:
    """Return what a table covers as JSON."""
    return {
        "game": header.game,
        "options": header.options,
        "seeds": header.covered,
        "of": header.seeds,
        "positions": header.positions,
        "bytes": header.size,
        "version": header.version,
    }
