"""Large imports in child processes: one would keep a core busy for seconds, and so hold up the requests of this one."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass

from records import read_games
from records.json_lines import read_json_lines
from service.games.library.transfer import ImportResult, import_records
from service.games.repository import Games
from service.games.write import Write
from service.processes.garbage import collecting_less
from service.processes.places import Sender
from service.settings import Settings
from service.storage import Store

from .calculator import Calculator, Report

SMALL = 32 << 10  # bytes of a text that is imported without a child: it takes less time than to start one
CHILDREN = 2
PLACES = 6  # imports that run or wait
PATIENCE = 10.0  # seconds that one waits


@dataclass(frozen=True, slots=True)
class ImportText:
    """A text of games in a file: lines of JSON, or else the notation. At most `most` games are read."""

    file: str
    is_json: bool
    most: int
    write: Write
    dry_run: bool

    def results(self, games: Games) -> Iterator[ImportResult]:
        """Import the games."""
        with open(self.file, "rb") as lines:
            records = read_json_lines(lines) if self.is_json else ((game, 0) for game in read_games(lines))
            yield from import_records(games, records, self.most, self.write, dry_run=self.dry_run)


class Importer:
    """Imports texts into a database, large ones in child processes."""

    def __init__(self, games: Games, settings: Settings) -> None:
        self._games = games
        self._database = (settings.database_url, settings.lock_timeout, settings.max_plies)
        # Requests wait for the lock on the database that a child holds: a child does not wait for them.
        self._children = Calculator("Imports", PLACES, CHILDREN, nice=0)
        self.close = self._children.close

    @contextmanager
    def results(self, text: ImportText, sender: Sender) -> Iterator[Iterator[ImportResult]]:
        """Have an iterator for the block that imports the games, and yields what became of each.

        :raises TooBusy: too many imports run or wait, or of this sender.
        """
        if os.path.getsize(text.file) <= SMALL:
            yield text.results(self._games)
            return
        with (
            self._children.child(sender, patience=PATIENCE) as child,
            closing(child.parts(_import, *self._database, text)) as results,
        ):
            yield results


def _import(
    report: Report, _stop: threading.Event, database: str, lock_timeout: float, max_plies: int, text: ImportText
) -> None:
    with closing(Store(database, lock_timeout)) as store, collecting_less():
        for result in text.results(Games(store, max_plies=max_plies)):
            report(result)
