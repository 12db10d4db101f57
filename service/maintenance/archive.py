"""All events of a store as lines of JSON (NDJSON), and back. What follows from the events is not written.

The first line is ``{"inkeek": "events", "version": 1}``. Then come the local rule sets, one a line, as
``{"ruleset": {"id", "text", "added", "by"}}``, what is said about players, as ``{"person": {"key", "name", "joined",
"initials"}}``, the plans of events without the boards at their tables, as ``{"event": {"event", "name", "version",
"plan", "updated"}}``, and the games, each as its events in order, one a line,
with the fields of `storage.GameEvent`; then ``{"end": {"games", "events"}}``, without which the file was cut short.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import asdict, dataclass, field
from itertools import chain, islice
from typing import IO, Any

import msgspec

from inkeek.records import OptionError, RecordsError
from inkeek.records.json_codec import JsonError, from_json
from inkeek.service.errors import Conflict, Invalid, ServiceError
from inkeek.service.games.events.plan import changed_parts, check_plan, plan_of
from inkeek.service.games.events.results import PLACE, check_keeps_place
from inkeek.service.games.integrity import chain_faults, record_faults
from inkeek.service.games.library.persons import bring, person_fault
from inkeek.service.games.new_game import content_key, update_contents
from inkeek.service.games.record_check import OTHER_TAG
from inkeek.service.games.repository import is_earlier
from inkeek.service.games.rulesets import read_local
from inkeek.service.games.state import game_state
from inkeek.service.games.write import Write
from inkeek.service.storage import Change, EventPlanRow, GameEvent, GameRow, PersonRow, RulesetRow
from inkeek.service.storage.clock import stamp, utc_now
from inkeek.service.storage.game_rows import event_row, new_rows
from inkeek.service.storage.ids import derived_id
from inkeek.service.storage.integrity.chain import GENESIS, seal
from inkeek.service.storage.redaction import redacted, with_names
from inkeek.service.storage.search import name_key
from inkeek.service.storage.store import Store
from inkeek.service.storage.transaction import Transaction

HEAD = {"inkeek": "events", "version": 1}
BATCH = 100  # games a transaction
MAX_LINE = 1 << 24  # characters; far more than any event that the service writes
MAX_EVENTS = 1_000_000  # of a game; they are held in memory together
MAX_FAULTS = 100  # reported of a file: in one that is no archive every line is a fault


@dataclass(frozen=True, slots=True)
class ArchiveCounts:
    """What an archive holds."""

    games: int = 0
    events: int = 0


@dataclass(frozen=True, slots=True)
class StoredCounts:
    """What was stored of an archive: games, later events of games included; `beside` are the ids under which games are
    kept whose own ids have other events here, by these ids; `present` are those of the stored games that have the same
    content, by the ids that these games have in the archive."""

    games: int = 0
    events: int = 0
    beside: Mapping[str, str] = field(default_factory=dict)
    present: Mapping[str, str] = field(default_factory=dict)


def lines_of(file: IO[str]) -> Iterator[str]:
    """The lines of a file, cut after `MAX_LINE` characters."""
    return iter(lambda: file.readline(MAX_LINE + 1), "")


def export(store: Store) -> Iterator[str]:
    """The lines of the archive, games in the order they were stored in.

    Memory does not grow with their number. A game that goes on meanwhile is whole up to some event.
    """
    yield _line(HEAD)
    with store.reading() as transaction:
        rulesets, persons = transaction.rulesets.all(), transaction.persons.all()
        plans = [transaction.event_plans.get(key) for key in sorted(transaction.event_plans.newest(None))]
    for row in rulesets:
        yield _line({"ruleset": row._asdict()})
    for person in persons:
        yield _line({"person": person._asdict()})
    for planned in filter(None, plans):  # before the games: those of its rounds are there when they are read
        plan = {name: value for name, value in planned.plan.items() if name != "boards"}
        yield _line({"event": planned._replace(plan=plan)._asdict()})
    games = events = after = 0
    while True:
        with store.reading() as transaction:
            numbered = transaction.games.numbered(after, BATCH)
        if not numbered:
            break
        for _, game_id in numbered:
            with store.reading() as transaction:
                game = transaction.games.events(game_id)
            yield from (_line(event._asdict()) for event in game)
            games, events = games + 1, events + len(game)
        after = numbered[-1][0]
    yield _line({"end": asdict(ArchiveCounts(games, events))})


def check(store: Store, lines: Iterable[str], *, as_stored: bool = False) -> list[str]:
    """List what keeps the archive from being stored, at most `MAX_FAULTS` faults. If there are none, `load` takes it.

    A game that an import of its record would refuse is a fault, unless `as_stored` is set: an older version may have
    taken it.
    """
    archive = _Reader(lines)
    faults = archive.faults
    ids: set[str] = set()
    for events in archive.games():
        game_id = events[0].game
        found = chain_faults(events)
        if game_id in ids:
            found.append("it is in the file twice")
        if not (found or as_stored):
            found = record_faults(game_state(events))
        ids.add(game_id)
        faults += [f"game {game_id}: {fault}" for fault in found]
        if len(faults) >= MAX_FAULTS:
            return faults[:MAX_FAULTS]
    faults += [fault for row in archive.rulesets for fault in _ruleset_faults(row)]
    faults += [fault for row in archive.plans for fault in _plan_faults(row)]
    faults += [f"person: {fault}" for fault in map(person_fault, archive.persons) if fault is not None]
    return faults[:MAX_FAULTS]


def _ruleset_faults(row: RulesetRow) -> list[str]:
    try:
        return [] if read_local(row.text).id == row.id else [f"rule set {row.id[:80]}: its text has another id"]
    except OptionError as error:
        return [f"rule set {row.id[:80]}: {error}"]


def _plan_faults(row: EventPlanRow) -> list[str]:
    try:
        plan = check_plan(msgspec.structs.replace(plan_of(row), games=()))  # whose rule sets may come with the archive
    except (msgspec.ValidationError, RecordsError, ServiceError) as error:
        return [f"event {row.event[:80]}: {error}"]
    return [] if name_key(plan.name) == row.event else [f"event {row.event[:80]}: its plan has another name"]


def load(store: Store, lines: Iterable[str]) -> StoredCounts:
    """Store an archive in which `check` found no fault, each game whole or not at all; return what was stored.

    Of games that are stored already, the events that are missing at the end are stored. A game whose content came
    before, as a record or typed in here too, is not stored again. One that is stored with other content is kept beside,
    under an id that follows from its events, so that it is stored once. A plan that is
    stored already stays, unless the archive has it with the same rounds and later ones; so does what is said about a
    player.

    :raises Conflict: another writer has stored one of the games meanwhile.
    """
    archive = _Reader(lines)
    games = more = 0
    beside: dict[str, str] = {}
    present: dict[str, str] = {}
    added: set[str] = set()  # two games of the archive are two games, whatever was played in them
    update_contents(store)
    all_games = archive.games()
    first = list(islice(all_games, 1))
    bring(store, archive.persons, Write("import"))  # before the games, among which a person may play themselves
    all_games = chain(first, all_games)
    while batch := list(islice(all_games, BATCH)):
        with store.writing() as transaction:
            transaction.games.lock_contents()
            new: list[list[GameEvent]] = []
            for events in batch:
                own = events[0].game
                row = transaction.games.get(own, lock=True)
                if row is not None and _agrees(transaction, events, row):
                    if row.seq < len(events):
                        _add_rest(transaction, events, row.seq)
                        more += len(events) - row.seq
                    continue
                events = list(with_names(events, transaction.games.names_out(own)))
                other = None if row is None else _beside(events)
                if other is not None and transaction.games.get(other[0].game, lock=True) is not None:
                    continue
                stored = _same(transaction, events, added)
                if stored is not None:
                    present[own] = stored
                    continue
                if other is not None:
                    beside[own] = other[0].game
                new.append(other or events)
            states = [game_state(events) for events in new]
            transaction.games.add_all(
                [
                    new_rows(state.row, state.positions, list(map(event_row, events)))
                    for state, events in zip(states, new, strict=True)
                ]
            )
            for state in states:
                if state.disputes:
                    transaction.disputes.replace(state.row.id, state.disputes)
        games, more = games + len(new), more + sum(map(len, new))
        added |= {state.row.id for state in states}
    with store.writing() as transaction:
        for ruleset in archive.rulesets:
            if transaction.rulesets.get(ruleset.id) is None:  # else the stored one stays: games bring their own
                transaction.rulesets.add(ruleset)
        for planned in archive.plans:
            _put_plan(transaction, planned)
    store.update_statistics()
    return StoredCounts(games, more, beside, present)


def _put_plan(transaction: Transaction, row: EventPlanRow) -> None:
    stored, plan = transaction.event_plans.get(row.event, lock=True), plan_of(row)
    before = None if stored is None else plan_of(stored)
    if before is not None:
        begun = len(before.rounds)
        if not 0 < begun < len(plan.rounds) or plan.rounds[:begun] != before.rounds:
            return
        plan = msgspec.structs.replace(plan, boards=before.boards)
    version = row.version if stored is None else max(row.version, stored.version + 1)
    transaction.event_plans.put(row._replace(version=version, plan=msgspec.to_builtins(plan)))
    data = {"parts": changed_parts(before, plan)}
    kind = "created" if before is None else "plan"
    transaction.changes.note(Change(0, stamp(utc_now()), "", "import", "event", kind, row.event, data))


def _agrees(transaction: Transaction, events: list[GameEvent], row: GameRow) -> bool:
    """Whether the events begin with those that are stored of a game and keep its place in an event, or are the first of
    those."""
    if len(events) <= row.seq:
        (last,) = transaction.games.events(row.id, len(events) - 1, 1)
        return last.hash == events[-1].hash
    if events[row.seq - 1].hash != row.hash:
        return False
    tags = game_state(events).row.tags
    try:
        check_keeps_place(transaction, row, {name: tags.get(name) for name in PLACE})
    except Conflict:
        return False
    return True


def _same(transaction: Transaction, events: Sequence[GameEvent], added: Set[str]) -> str | None:
    """The id of a stored game that has, or had, the content of an archived one; None: there is none.

    The content alone tells little of a game without turns, of one of a match, and of those that were `added` with it.
    """
    own, state = events[0].game, game_state(events)
    content = content_key(state)
    found = transaction.games.with_contents([content]).get(content)
    if found is None:
        return own if is_earlier(transaction, own, state.row.ply, content) else None
    is_telling = state.row.ply > 0 and state.row.match_id is None and found not in added
    return found if found == own or is_telling else None


def _beside(events: Sequence[GameEvent]) -> list[GameEvent]:
    """The events of a game under another id, which says whose other version it is, and as a game of no match."""
    own = events[0].game
    game_id, prev_hash = derived_id(f"{own} {events[-1].hash}"), GENESIS
    made = []
    for event in redacted(events):
        data = event.data
        if event.kind == "created":
            data = {name: value for name, value in data.items() if name != "match"}
            data["tags"] = {**data["tags"], OTHER_TAG: own}
        made.append(seal(game_id, *event[1:6], data, prev_hash))
        prev_hash = made[-1].hash
    return made


def _add_rest(transaction: Transaction, events: list[GameEvent], stored: int) -> None:
    state = game_state(events)
    for event in events[stored:]:
        transaction.games.append(event)
    transaction.games.replace(state.row, state.positions)
    transaction.disputes.replace(state.row.id, state.disputes)


class _Reader:
    """Reads an archive. `faults`, `rulesets`, `persons` and `plans` fill while `games` is followed."""

    def __init__(self, lines: Iterable[str]) -> None:
        self.faults: list[str] = []
        self.rulesets: list[RulesetRow] = []
        self.persons: list[PersonRow] = []
        self.plans: list[EventPlanRow] = []
        self._lines = lines

    def games(self) -> Iterator[list[GameEvent]]:
        """The events of each game."""
        game: list[GameEvent] = []
        games = events = 0
        end: ArchiveCounts | None = None
        for item in self._items():
            if game and not (isinstance(item, GameEvent) and item.game == game[0].game):
                yield game
                game = []
            if isinstance(item, GameEvent):
                games, events = games + (not game), events + 1
                game.append(item)
                if len(game) > MAX_EVENTS:
                    self.faults.append(f"game {item.game}: more than {MAX_EVENTS} events")
                    return
            else:
                end = item
        if game:
            yield game
        found = ArchiveCounts(games, events)
        if end is None and len(self.faults) < MAX_FAULTS:
            self.faults.append('the file has no last line {"end": …}: it was cut short')
        elif end is not None and end != found:
            self.faults.append(f"the file holds {found}, but its last line says {end}")

    def _items(self) -> Iterator[GameEvent | ArchiveCounts]:
        number, ended = 0, False
        for number, line in enumerate(self._lines, 1):
            if len(self.faults) >= MAX_FAULTS:
                return
            try:
                item = _parse(line, number)
            except Invalid as error:
                self.faults.append(f"line {number}: {error.message}")
                if number == 1:
                    return
                continue
            if ended:
                self.faults.append(f"line {number}: it stands after the end")
                return
            ended = isinstance(item, ArchiveCounts)
            if isinstance(item, RulesetRow):
                self.rulesets.append(item)
            elif isinstance(item, PersonRow):
                self.persons.append(item)
            elif isinstance(item, EventPlanRow):
                self.plans.append(item)
            elif item is not None:
                yield item
        if number == 0:
            self.faults.append("the file is empty")


def _parse(line: str, number: int) -> GameEvent | ArchiveCounts | RulesetRow | PersonRow | EventPlanRow | None:
    """What a line holds; None for the first one, and for a board, as earlier versions exported them.

    :raises Invalid: it is not a line of an archive.
    """
    if len(line) > MAX_LINE:
        raise Invalid(f"{len(line)} characters: a line has at most {MAX_LINE}")
    try:
        value = msgspec.json.decode(line)
    except (ValueError, RecursionError) as error:
        raise Invalid(f"{line[:60]!r} is not JSON: {error}") from error
    if number == 1:
        if value != HEAD:
            raise Invalid(f"{line[:60].strip()!r}: an archive of this version begins with {_line(HEAD).strip()}")
        return None
    keys = value.keys() if isinstance(value, dict) else set()
    try:
        if keys == {"board"}:
            return None
        if keys == {"ruleset"}:
            return from_json(value["ruleset"], RulesetRow)
        if keys == {"person"}:
            return from_json(value["person"], PersonRow)
        if keys == {"event"}:
            return from_json(value["event"], EventPlanRow)
        if keys == {"end"}:
            return from_json(value["end"], ArchiveCounts, is_tolerant=True)
        return from_json(value, GameEvent)
    except JsonError as error:
        raise Invalid(str(error)) from error


def _line(value: dict[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False) + "\n"
