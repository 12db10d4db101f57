"""Large imports in other processes: one would keep a core busy for seconds, and hold up the requests of this one."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass

from inkeek.records import read_games
from inkeek.records.game import read_json_lines
from inkeek.service.games.library.transfer import ImportResult, import_records
from inkeek.service.games.repository import Games
from inkeek.service.games.write import Write
from inkeek.service.processes.garbage import collect_less
from inkeek.service.processes.places import Places, Sender
from inkeek.service.settings import Settings
from inkeek.service.storage.store import Store

from .calculator import reports

SMALL = 32 << 10  # bytes of a text that is imported at once: it takes less time than to start a process
RUNNING, WAITING = 2, 4  # large imports at once
PATIENCE = 10.0  # seconds that one waits
LONGEST = 3600.0  # seconds that one may take


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
    """Imports texts into a database, large ones in a process."""

    def __init__(self, games: Games, settings: Settings) -> None:
        self._games = games
        self._settings = settings
        self._places = Places("Imports", RUNNING, WAITING)

    @contextmanager
    def results(self, text: ImportText, sender: Sender) -> Iterator[Iterator[ImportResult]]:
        """Have an iterator for the block that imports the games, and yields what became of each.

        :raises TooBusy: too many imports run or wait, or of this sender.
        """
        if os.path.getsize(text.file) <= SMALL:
            yield text.results(self._games)
            return
        # Requests wait for the lock on the database that the process holds: it does not give way to them.
        with (
            self._places.taken(sender, PATIENCE),
            closing(reports(_import, self._settings, text, seconds=LONGEST, nice=0)) as results,
        ):
            yield results


def _import(report: Callable[[ImportResult], None], settings: Settings, text: ImportText) -> None:
    collect_less()
    with closing(Store(settings.database_url, settings.lock_timeout)) as store:
        for result in text.results(Games.of(store, settings)):
            report(result)
