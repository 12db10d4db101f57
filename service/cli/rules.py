"""``inkeek rules``: the user's folder of local rule sets."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from inkeek.records import OptionError
from inkeek.records.rules.ruleset import MAX_FILE, RuleSetFile, write_ruleset_json
from inkeek.records.text import decode_utf8
from inkeek.service.files import read_bounded, written_file
from inkeek.service.games.rulesets import find_in_folder, folder_files, read_local
from inkeek.service.settings import Settings

from .options import as_json, emit, with_settings

id_argument = click.argument("id")


@click.group()
def rules() -> None:
    """Add, list, show and remove local rule sets: games as files, which commands and the service then know."""


@rules.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@with_settings
def add(settings: Settings, file: Path) -> None:
    """Check the rule set in FILE and copy it into the user's folder. Nothing is copied if something is wrong."""
    data = read_bounded(file, 4 * MAX_FILE)
    info = read_local(decode_utf8(data))
    known = find_in_folder(settings.rules_folder, info.id)
    if known is not None:
        path = _file(settings, info.id).path
        if write_ruleset_json(known) != write_ruleset_json(info):
            raise OptionError(
                f"{path} has other rules {info.id}: give these another id, or remove those first: "
                f"inkeek rules remove {info.id}"
            )
        click.echo(f"{info.id} is there already: {path}")
        return
    path = settings.rules_folder / f"{info.id.replace(':', '.')}.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    with written_file(path) as target:
        target.write(data)
    click.echo(f"{info.id}: {info.title}. Play a turn: inkeek play --game {info.id} a")


@rules.command("list")
@as_json("one object per file: `file`, `id`, `name`, `error` (empty: the file is a rule set)")
@with_settings
def list_rules(settings: Settings, as_json: bool) -> None:
    """List the files of the user's folder, and what is wrong with those that cannot be read.

    Exit with status 1 if there is one.
    """
    files = folder_files(settings.rules_folder)
    for path, info, error, _ in files:
        id, name = (info.id, info.name) if info else (None, None)
        if as_json:
            emit({"file": str(path), "id": id, "name": name, "error": error})
        else:
            click.echo(f"{id}: {name} ({path})" if info else f"{path}: {error}", err=not info)
    sys.exit(0 if all(file.info for file in files) else 1)


@rules.command()
@id_argument
@with_settings
def show(settings: Settings, id: str) -> None:
    """Print the file of the rule set ID."""
    click.echo(_file(settings, id).path.read_text("utf-8"), nl=False)


@rules.command()
@id_argument
@with_settings
def remove(settings: Settings, id: str) -> None:
    """Remove the rule set ID, or a file by its name, from the user's folder. Games keep the rules of theirs."""
    path = _file(settings, id).path
    path.unlink()
    click.echo(f"Removed {path}.")


def _file(settings: Settings, id: str) -> RuleSetFile:
    """The file with that rule set, or of that name.

    :raises OptionError: there is none.
    """
    files = folder_files(settings.rules_folder)
    for file in files:
        if id in (file.path.name, file.info.id if file.info else ""):
            return file
    names = ", ".join(file.info.id if file.info else file.path.name for file in files)
    raise OptionError(f"no rule set {id!r} in {settings.rules_folder}, which has: {names or 'nothing'}")
