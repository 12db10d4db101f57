"""``inkeek validate``: check records."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path

import click

from inkeek.records import Game, RecordError
from inkeek.service.errors import Invalid
from inkeek.service.games.record_check import check_record, check_turns
from inkeek.service.http.answers.rules import ImportErrorJson
from inkeek.service.settings import read_settings

from .options import as_json, emit, files
from .record_files import games_in


@dataclass(frozen=True, slots=True)
class CheckedRecord:
    """What a check found."""

    plies: int
    error: RecordError | None
    warnings: tuple[RecordError, ...]


@click.command()
@files
@click.option("--strict", is_flag=True, help="Count warnings as errors.")
@as_json(
    "one object per game: `file`, `index` (from 0), `ok`, `plies` (valid turns), `error` (null or "
    "`line`, `column`, `ply`, `message`, `legal`, `code`, `kind`, `severity`); if there are any, `warnings` (sentences)"
)
def validate(files: tuple[Path, ...], strict: bool, as_json: bool) -> None:
    """Check records: the notation, every turn, the tags, and what a service stores. Exit with status 1 if any record is
    wrong; a record with warnings alone is good, but with --strict."""
    good = bad = warned = 0
    unread: list[Path] = []
    max_plies = read_settings(os.environ, {}).max_plies
    for name, game in games_in(files, unread):
        record = _check(game, strict, max_plies)
        good, bad = good + (not record.error), bad + bool(record.error)
        warned += bool(record.warnings)
        if as_json:
            error = record.error and ImportErrorJson.of(record.error)
            fields = {"file": name, "index": game.index, "ok": not record.error, "plies": record.plies, "error": error}
            warnings = [warning.note for warning in record.warnings]
            emit({**fields, "warnings": warnings} if warnings else fields)
            continue
        for warning in record.warnings:
            click.echo(f"{name}: game {game.index + 1}: warning: {warning.note}")
        if record.error:
            click.echo(f"{name}: game {game.index + 1}: {record.error}")
    if not as_json:
        click.echo(f"{good} good{f' ({warned} with warnings)' if warned else ''}, {bad} bad")
    sys.exit(1 if bad or unread else 0)


def _check(game: Game, strict: bool, max_plies: int) -> CheckedRecord:
    errors = game.problems if strict else game.errors
    error = errors[0] if errors else _refusal(game, max_plies)
    warnings = () if error else tuple(one for one in game.problems if one.severity == "warning")
    return CheckedRecord(game.replay().count, error, warnings)


def _refusal(game: Game, max_plies: int) -> RecordError | None:
    """Why an import would refuse a record without errors."""
    try:
        check_record(game)
        check_turns(game.replay().count, max_plies)
    except Invalid as error:
        line = game.source.first_line if game.source else 0
        return RecordError(error.message, line, 1, code="not-stored")
    return None
