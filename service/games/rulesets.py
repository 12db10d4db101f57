"""Local rule sets: games that are none of ours, as files in the database or in the user's folder.

Each game that is begun by one carries it in its tag `Rules`, and is played by that for ever.
"""

from __future__ import annotations

from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from inkeek.records import OptionError, ruleset
from inkeek.records.errors import ErrorText, message_of
from inkeek.records.notation.tags import MAX_RULES
from inkeek.records.rules.ruleset import (
    OTHER_ID,
    RuleSet,
    RuleSetFile,
    load_ruleset,
    read_ruleset,
    read_ruleset_json,
    read_rulesets,
    write_ruleset_json,
)
from inkeek.service.errors import Conflict, NotFound
from inkeek.service.storage import GameFilter, GameRow, RulesetRow
from inkeek.service.storage.clock import Clock, stamp, utc_now

if TYPE_CHECKING:
    from inkeek.service.storage.store import Store
    from inkeek.service.storage.transaction import Transaction

MAX_RULESETS = 500  # in the database
COMPARED = 200  # games, the newest ones, whose rules are compared with those of a new file

_read = lru_cache(MAX_RULESETS)(read_ruleset)  # rule sets never change


def read_local(text: str) -> RuleSet:
    """The rule set of a file, if a record can carry it.

    :raises OptionError: the file is not a rule set; says what is wrong, and where.
    """
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise OptionError(f"character {error.start + 1} of the file is half of a character: remove it") from error
    info = _read(text)
    if (length := len(write_ruleset_json(info))) > MAX_RULES:
        raise OptionError(
            f"rule set {info.id}: {length} characters in a record: expected at most {MAX_RULES}; shorten its texts"
        )
    rules = ruleset(info)
    start = rules.start()
    if not rules.turns(start, 1):
        raise OptionError(
            ErrorText(
                "rule set %(id)s: no turn can be played at the start: every pit has too few seeds (start.least), or a "
                "turn from it goes on for ever",
                id=info.id,
            )
        )
    return info


def folder_files(folder: Path) -> list[RuleSetFile]:
    """The rule sets of the user's folder; they are read again when a file changes."""
    files = ((file, file.stat()) for file in sorted(folder.glob("*.toml")))
    return _files(folder, tuple((str(file), stat.st_mtime_ns, stat.st_size) for file, stat in files))


@lru_cache(4)
def _files(folder: Path, _: tuple[tuple[str, int, int], ...]) -> list[RuleSetFile]:
    return read_rulesets(folder, read_local)


def find_in_folder(folder: Path, id: str) -> RuleSet | None:
    """The rule set of the folder with this id.

    :raises OptionError: several files have it.
    """
    file = next((file for file in folder_files(folder) if file.id == id), None)
    if file is not None and file.info is None:
        raise OptionError(ErrorText("%(where)s: %(message)s", where=str(file.path), message=file.error))
    return None if file is None else file.info


class Rulesets:
    """The local rule sets of the database, and of a `folder`, over which those go."""

    def __init__(self, store: Store, folder: Path | None = None, clock: Clock = utc_now) -> None:
        self._store = store
        self._folder = folder
        self._clock = clock

    def find(self, id: str) -> RuleSet:
        """The rule set with this id: one of ours or a local one, else that of a game whose rules are not known. An id
        with the id of a stored game, such as ``konso:lamlameta@k3x9m2pq7r``, is the one that this game carries.

        :raises OptionError: the id is that of no game.
        """
        ruleset_id, carried, game_id = id.partition("@")
        if not carried:
            return self.local(id) or load_ruleset(id)
        with self._store.reading() as transaction:
            row = transaction.games.get(game_id)
        if row is None or row.game != ruleset_id or "Rules" not in row.tags:
            raise OptionError(ErrorText("no game %(game)r carries rules %(id)r", game=game_id[:80], id=ruleset_id[:80]))
        return read_ruleset_json(row.tags["Rules"])

    def name_of(self, row: GameRow) -> str:
        """The id by which `find` knows the rules of a stored game, also where nobody added them, or others."""
        if "Rules" not in row.tags:
            return row.game
        with suppress(OptionError):
            local = self.local(row.game)
            if local is not None and write_ruleset_json(local) == row.tags["Rules"]:
                return row.game
        return f"{row.game}@{row.id}"

    def local(self, id: str) -> RuleSet | None:
        """The local rule set with this id; None if there is none.

        :raises OptionError: see `find_in_folder`.
        """
        if not OTHER_ID.fullmatch(id):
            return None
        with self._store.reading() as transaction:
            row = transaction.rulesets.get(id)
        if row is not None:
            return _read(row.text)
        return None if self._folder is None else find_in_folder(self._folder, id)

    def all(self) -> list[RuleSet]:
        """The local rule sets that can be read, by their ids; `inkeek db verify` and `inkeek rulesets` name more."""
        files = [] if self._folder is None else folder_files(self._folder)
        found = {file.info.id: file.info for file in files if file.info}
        with self._store.reading() as transaction:
            rows = transaction.rulesets.all()
        for row in rows:
            try:
                found[row.id] = _read(row.text)
            except OptionError:
                found.pop(row.id, None)
        return [found[id] for id in sorted(found)]

    def text(self, id: str) -> str | None:
        """The file of a local rule set; None if there is none."""
        with self._store.reading() as transaction:
            row = transaction.rulesets.get(id)
        if row is not None:
            return row.text
        files = [] if self._folder is None else folder_files(self._folder)
        return next((file.path.read_text("utf-8") for file in files if file.info and file.info.id == id), None)

    def add(self, text: str, by: str) -> tuple[RuleSet, bool]:
        """Store the file of a rule set, and say whether it is new: the same one may come again.

        :raises OptionError: it is no rule set. :raises Conflict: there is another one of this id, or games are played
            by another one, or there are too many.
        """
        info = read_local(text)
        other = self.local(info.id)
        with self._store.writing() as transaction:
            if (row := transaction.rulesets.get(info.id)) is not None:
                other = _read(row.text)
            if other is not None and write_ruleset_json(other) != write_ruleset_json(info):
                raise Conflict(
                    "There is another rule set %(id)s. Give this one another id, such as %(next)s.",
                    id=info.id,
                    next=f"{info.id[:28]}-2",
                )
            if row is not None:
                return info, False
            self._check_games(transaction, info)
            if len(transaction.rulesets.all()) >= MAX_RULESETS:
                raise Conflict("There are %(most)d local rule sets: remove one first.", most=MAX_RULESETS)
            transaction.rulesets.add(RulesetRow(info.id, text, stamp(self._clock()), by))
        return info, True

    def _check_games(self, transaction: Transaction, info: RuleSet) -> None:
        rows, _ = transaction.games.page(COMPARED, None, GameFilter(game=info.id))
        told = write_ruleset_json(info)
        other = next((row for row in rows if row.tags.get("Rules", told) != told), None)
        if other is not None:
            raise Conflict(
                "Game %(game)s is played by other rules %(id)s. Give these another id, such as %(next)s.",
                game=other.id,
                id=info.id,
                next=f"{info.id[:28]}-2",
            )

    def remove(self, id: str) -> None:
        """Forget a rule set of the database.

        :raises NotFound: there is none. :raises Conflict: games are played by it.
        """
        with self._store.writing() as transaction:
            if transaction.rulesets.get(id) is None:
                ids = ", ".join(row.id for row in transaction.rulesets.all()[:20])
                raise NotFound(
                    "There is no local rule set %(id)r here. There are: %(ids)s.", id=id[:80], ids=ids or "–"
                )
            rows, _ = transaction.games.page(1, None, GameFilter(game=id))
            if rows:
                raise Conflict(
                    "Rule set %(id)s stays: games are played by it, such as %(game)s.", id=id, game=rows[0].id
                )
            transaction.rulesets.remove(id)


def row_faults(transaction: Transaction) -> list[str]:
    """Which rule sets of the database cannot be read."""
    faults = []
    for row in transaction.rulesets.all():
        try:
            if _read(row.text).id != row.id:
                faults.append(f"the rule set {row.id[:80]!r} has the id {_read(row.text).id!r}")
        except OptionError as error:
            faults.append(f"the rule set {row.id[:80]!r}: {message_of(error)}")
    return faults
