"""``inkeek rules``: the user's folder of local rule sets."""

from __future__ import annotations

from pathlib import Path

import click

from inkeek.records import OptionError
from inkeek.records.rules.ruleset import MAX_FILE, write_ruleset_json
from inkeek.records.text import decode_utf8
from inkeek.service.files import read_bounded, written_file
from inkeek.service.games.rulesets import find_in_folder, folder_files, read_local
from inkeek.service.settings import Settings

from .options import with_settings


@click.group()
def rules() -> None:
    """Add local rule sets: games as files, which commands and the service then know. To remove one, remove its file."""


@rules.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@with_settings
def add(settings: Settings, file: Path) -> None:
    """Check the rule set in FILE and copy it into the user's folder. Nothing is copied if something is wrong."""
    data = read_bounded(file, 4 * MAX_FILE)
    info = read_local(decode_utf8(data))
    known = find_in_folder(settings.rules_folder, info.id)
    if known is not None:
        files = folder_files(settings.rules_folder)
        path = next(file.path for file in files if file.info is not None and file.info.id == info.id)
        if write_ruleset_json(known) != write_ruleset_json(info):
            raise OptionError(f"{path} has other rules {info.id}: give these another id, or remove that file first")
        click.echo(f"{info.id} is there already: {path}")
        return
    path = settings.rules_folder / f"{info.id.replace(':', '.')}.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    with written_file(path) as target:
        target.write(data)
    click.echo(f"{info.id}: {info.title} ({path}). Play a turn: inkeek play --game {info.id} a")
