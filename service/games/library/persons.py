"""Persons: a player's name is spelled otherwise, two names are joined, a person is shown by initials or taken out.

A person is the key of a name; names that were joined to it lead there. Tags of games keep what was written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any
from unicodedata import normalize

from inkeek.records.notation.tags import MAX_VALUE
from inkeek.service.errors import Conflict, Forbidden, Invalid, NotFound, OutsideLimit
from inkeek.service.games.events.plan import EventPlan, EventPlayer, check_plan, plan_of
from inkeek.service.games.events.planning import Events, Expected, MendedName, check_expected, have_played
from inkeek.service.games.events.standings import as_written
from inkeek.service.games.record_check import check_shown_name
from inkeek.service.games.repository import Games
from inkeek.service.games.validation import check_actor
from inkeek.service.games.write import Write
from inkeek.service.storage import Change, EventPlanRow, NameRow, PersonRow
from inkeek.service.storage.clock import stamp, utc_now
from inkeek.service.storage.ids import random_id
from inkeek.service.storage.rows import REMOVAL
from inkeek.service.storage.search import MAX_KEY, NAMELESS, alike_keys, name_key
from inkeek.service.storage.store import Store
from inkeek.service.storage.transaction import Transaction

MAX_JOINED = 100  # names of a person
MAX_GAMES = 10_000  # of a person whose names are joined or separated: they are stored again in one transaction
MAX_HIDDEN = 1000  # persons who are shown by initials: each page looks for them
MAX_CHANGES = 100  # that are listed
TAKEN_AT_ONCE = 300  # games whose tags are changed when a person is taken out
RENAMING = "name"  # the kind of a change that writes a person in another way
MAX_NEAR = 40  # characters of a name whose neighbors are looked for
NEAR_SHOWN = 3
_LETTERS = "abcdefghijklmnopqrstuvwxyz '’-."
_ACCENTED = "áàâäãåçéèêëíìîïĩñóòôöõúùûüũýÿ"


@dataclass(frozen=True, slots=True)
class PersonEntry:
    """A person: their key, the names joined to it, whether they are shown by initials, and the newest changes."""

    key: str
    joined: tuple[str, ...]
    initials: bool
    changes: tuple[Change, ...]


@dataclass(frozen=True, slots=True)
class Quote:
    """A text of a game."""

    game: str
    text: str


@dataclass(frozen=True, slots=True)
class Removal:
    """Games in which a person was replaced by the player `name`, and whether there are `more` to do. `quoted`: texts
    that still have the name in their words, each with the id of its game: a person must decide about them."""

    name: str
    games: int
    more: bool
    quoted: tuple[Quote, ...] = ()


def load_person(store: Store, name: str) -> PersonEntry:
    """The person to whom a name belongs, who may have no games."""
    with store.reading() as transaction:
        key = transaction.persons.owner(name)
        row = transaction.persons.rows([key]).get(key, PersonRow(key))
        joined = tuple(one.key for one in transaction.persons.joined_to(key))
        changes = transaction.changes.newest("person", [key, *joined], MAX_CHANGES)
        return PersonEntry(key, joined, row.initials, tuple(changes))


def near_players(store: Store, name: str) -> list[NameRow]:
    """The players whose names differ from this one by one letter or two that are swapped, in their order, or only
    in the script of letters that look alike; but for those against whom the player has played."""
    key = name_key(name)
    if len(key) > MAX_NEAR or key in NAMELESS:
        return []
    with store.reading() as transaction:
        person, met = transaction.persons.owner(key), transaction.persons.games_of_both
        found = [one for one in transaction.persons.playing(neighbors(key)) if not met(person, one)][:NEAR_SHOWN]
        rows, shown = transaction.persons.rows(found), transaction.names.shown(found)
        return [NameRow(one, shown.get(one, one)) for one in found if one not in rows or not rows[one].initials]


def are_near(name: str, other: str) -> bool:
    """Whether two names may be spellings of one, as `near_players` compares them."""
    key, other = name_key(name), name_key(other)
    return key == other or (len(key) <= MAX_NEAR and key not in NAMELESS and other in neighbors(key))


def change_plan(
    events: Events, store: Store, key: str, version: Expected, edit: Callable[[EventPlan], EventPlan], write: Write
) -> EventPlanRow:
    """Change the plan of an event as `Events.change` does. A player who has played, or whose spelling it mends, is
    written so everywhere.

    :raises Conflict: somebody who has played would be another person. :raises OutsideLimit: the writer is limited to
        the event, and somebody who has played would be written in another way.
    """
    with store.together() as transaction:
        row = events.load(key)
        check_expected(row, version)
        before = as_written(transaction, plan_of(row))
        after = check_plan(edit(before)).by_id
        played = have_played(transaction, before)
        for old in before.players:
            new = after.get(old.id, old)
            if new.name != old.name:
                _follow_plan(events, store, transaction, old, new, write, has_played=old.id in played)
        now = events.load(key).version  # which has the new names
        return events.change(key, version if now == row.version else now, edit, write)


def _follow_plan(
    events: Events,
    store: Store,
    transaction: Transaction,
    old: EventPlayer,
    new: EventPlayer,
    write: Write,
    *,
    has_played: bool,
) -> None:
    """Write the person of a player as a plan does now, unless it seats somebody else."""
    person, other = transaction.persons.owner(old.key), transaction.persons.owner(new.key)
    is_free = not transaction.persons.rows([other]) and not transaction.persons.playing([other])
    if other != person and not is_free:
        if has_played:
            raise Conflict(
                "players: %(before)r has played in this event, and %(name)r is another person. Exchange players at "
                "the table of their game before it is played. If both are one person, join them on the player's page.",
                before=old.name,
                name=new.name,
            )
        return
    mends = has_played or other == person or are_near(old.name, new.name)
    if not (mends and transaction.persons.playing([person])):
        return
    if write.limit is None:
        rename(events, store, person, new.name, write)
    elif has_played or other == person:
        raise OutsideLimit(
            "The key is limited to %(limit)s. How %(name)r is written, who has games, is changed on the player's page.",
            limit=write.limit,
            name=old.name,
        )


def neighbors(key: str) -> set[str]:
    """The keys at an edit distance of one, by Latin letters and those of the key; its words reversed; its look-alikes.

    They are looked up one by one: how many players there are does not matter.
    """
    letters, found = {*_LETTERS, *key}, {" ".join(reversed(key.split()))}
    for place in range(len(key) + 1):
        before, after = key[:place], key[place:]
        found.update(before + letter + after for letter in letters)
        if after:
            others = letters | {letter for letter in _ACCENTED if normalize("NFD", letter)[0] == after[0]}
            found.add(before + after[1:])
            found.update(before + letter + after[1:] for letter in others)
            found.add(before + after[1:2] + after[0] + after[2:])
    return {" ".join(name.split()) for name in found | alike_keys(key)} - {key, *NAMELESS}


def rename(events: Events, store: Store, key: str, name: str, write: Write) -> str:
    """Write a person in another way, also in the events that are not over; the old name leads to the new one. Return
    the key.

    :raises Invalid: nothing can be called so. :raises Conflict: it is the name of another person.
    """
    shown = " ".join(name.split())
    check_shown_name("name", shown, MAX_VALUE)
    new = name_key(shown)
    if new in NAMELESS or len(shown) > MAX_KEY:
        raise Invalid(
            "name is %(name)r: expected a person's name of at most %(most)s characters",
            field="name",
            name=shown[:80],
            most=MAX_KEY,
        )
    with store.together() as transaction:
        row, joined = _person(transaction, key)
        if new == row.key:
            return _apply(transaction, RENAMING, {new: row._replace(name=shown)}, write, events)
        other = transaction.persons.rows([new]).get(new)
        is_free = other is None and not transaction.persons.playing([new])
        if not is_free and new not in joined:
            raise Conflict("there is a player %(name)r already: join the two names if they are one person", name=shown)
        if is_free:
            _check_may_be_one(transaction, events, row.key, new)
        after = _moved(row, joined, PersonRow(new, shown, None, row.initials))
        return _apply(transaction, RENAMING, after, write, events)


def first_key(transaction: Transaction, key: str) -> str:
    """The key of the name that a person had before they were written in another way, however often."""
    number = None
    while True:
        renamings = transaction.changes.newest("person", [key], MAX_CHANGES, number, kind=RENAMING)
        change = next((one for one in renamings if not one.undone), None)
        if change is None or change.data is None:
            return key
        before, number = change.data["before"], change.number
        key = next((one for one, row in before.items() if one != key and not (row and row["joined"])), key)


def join(events: Events, store: Store, key: str, other: str, write: Write) -> str:
    """Have the person `key` be the same as the person of the name `other`, whose name counts. Return their key.

    :raises Invalid: they are one already. :raises NotFound: one has no games. :raises Conflict: they have played each
        other, or both play in one event.
    """
    with store.together() as transaction:
        row, joined = _person(transaction, key)
        into, names = _person(transaction, transaction.persons.owner(other))
        if row.key == into.key:
            raise Invalid("%(name)r is the same person already: nothing is joined", name=other[:80])
        if len(joined) + len(names) + 1 > MAX_JOINED:
            raise Invalid("a person has at most %(most)s names", most=MAX_JOINED)
        _check_may_be_one(transaction, events, row.key, into.key)
        shown = into.name or transaction.names.shown([into.key])[into.key]
        after = _moved(row, joined, PersonRow(into.key, shown, None, row.initials or into.initials))
        return _apply(transaction, "join", after, write, events)


def set_initials(store: Store, key: str, initials: bool, write: Write) -> str:
    """Have a person be shown by their initials, or by their name. Return their key.

    :raises Invalid: too many are. :raises NotFound: nobody has that name.
    """
    with store.writing() as transaction:
        row, _ = _person(transaction, key)
        if initials and transaction.persons.count_hidden() >= MAX_HIDDEN:
            raise Invalid("at most %(most)s persons can be shown by initials", most=MAX_HIDDEN)
        return _apply(transaction, "initials", {row.key: row._replace(initials=initials)}, write)


def person_fault(row: PersonRow) -> str | None:
    """Why a row cannot be what somebody said about a name; None: it can."""
    for name in (row.key, row.joined):
        if name is not None and (not name or name_key(name) != name or len(name) > MAX_KEY):
            return f"{name[:80]!r} is no key of a name"
    if row.joined == row.key or (row.joined is not None and row.initials):
        return f"{row.key[:80]!r} is joined to a person, and is one"
    if row.name is not None:
        if not row.name.strip():
            return f"{row.key[:80]!r} is written as {row.name[:80]!r}"
        try:
            check_shown_name("name", row.name, MAX_VALUE)
        except Invalid as error:
            return str(error)
    return None


def bring(store: Store, rows: Iterable[PersonRow], write: Write) -> None:
    """Take over what another store says about persons: of each of whom nothing is said here, unless two of their names
    are two persons here, who have played each other or both play in one event."""
    persons: dict[str, dict[str, PersonRow | None]] = {}
    for row in rows:
        persons.setdefault(row.joined or row.key, {})[row.key] = row
    for person, after in persons.items():
        keys = sorted({person, *after})
        with store.writing() as transaction:
            table = transaction.persons
            is_known = bool(table.rows(keys)) or any(map(table.joined_to, keys))
            if is_known or len(keys) > MAX_JOINED or _are_two(transaction, keys):
                continue
            is_written = any(row is not None and row.name for row in after.values())
            kind = "join" if len(keys) > 1 else RENAMING if is_written else "initials"
            _apply(transaction, kind, after, write)


def _are_two(transaction: Transaction, keys: Sequence[str]) -> bool:
    met = transaction.persons.games_of_both
    if any(met(*pair) for pair in combinations(transaction.persons.playing(keys), 2)):
        return True
    plans = filter(None, map(transaction.event_plans.get, transaction.event_plans.newest(None)))
    return any(sum(player.key in keys for player in plan_of(row).players) > 1 for row in plans)


def undo(events: Events, store: Store, key: str, number: int, write: Write, *, is_admin: bool) -> str:
    """Take a change of a person back, also in events. Return the key of whom it was about.

    :raises NotFound: there is no such change. :raises Conflict: it was taken back, or there is a later one.
    :raises Forbidden: only an administrator may take it back.
    """
    with store.together() as transaction:
        persons = transaction.persons
        key = persons.owner(key)
        keys = [key, *(one.key for one in persons.joined_to(key))]
        change = next(iter(transaction.changes.newest("person", keys, 1, number=number)), None)
        if change is None or change.data is None or change.kind == REMOVAL:
            raise NotFound("there is no change %(number)s of the player %(name)r", number=number, name=key[:80])
        if change.kind == "initials" and not is_admin:
            raise Forbidden("only an administrator decides whether a person is shown by initials")
        rows = change.data["after"]
        now = persons.rows(rows)
        if change.undone or any(_json(now.get(one)) != row for one, row in rows.items()):
            raise Conflict("change %(number)s was taken back, or another came after it: undo that first", number=number)
        before = {one: None if row is None else PersonRow(**row) for one, row in change.data["before"].items()}
        for one, row in before.items():
            if row is not None and row.joined and persons.owner(row.joined) != persons.owner(one):
                _check_may_be_one(transaction, events, one, str(row.joined))
        kind = "initials" if change.kind == "initials" else "undo"
        person = _apply(transaction, kind, before, write, events, undoes=change)
        playing = persons.playing({persons.owner(one) for one in rows})
        if not playing:
            raise NotFound("no game has a player with the name %(key)r", key=key[:80])
        return person if person in playing else playing[0]


def take_out(games: Games, events: Events, store: Store, key: str, write: Write) -> Removal:
    """Replace the names of a person by that of a stand-in, wherever they name somebody in at most `TAKEN_AT_ONCE`
    games; with the last of them in all plans too, and forget what was said about them. Repeat it while there are more;
    the stand-in is another one each time.

    :raises NotFound: nobody has that name.
    """
    check_actor(write.actor)
    with store.reading() as transaction:
        row, joined = _person(transaction, key)
        keys = {row.key, *joined}
        ids = transaction.games.naming(keys)
    name = f"Player {random_id()[:6]}"
    quoted: list[Quote] = []
    changed, more = 0, False
    for game_id in ids:
        more = changed == TAKEN_AT_ONCE
        if more:
            break
        texts = games.take_out(game_id, keys, name, write)
        changed += texts is not None
        quoted += (Quote(game_id, text) for text in texts or ())
    if not more:
        with store.together() as transaction:
            events.take_out(keys, name, write)
            transaction.persons.forget(keys)
            data = {"changes": transaction.changes.forget(keys)}
            change = Change(0, stamp(utc_now()), write.actor, write.source, "person", REMOVAL, name_key(name), data)
            transaction.changes.note(change)
    return Removal(name, changed, more, tuple(quoted))


def _person(transaction: Transaction, key: str) -> tuple[PersonRow, list[str]]:
    """A person and the keys of the names that were joined.

    :raises NotFound: nobody has that name.
    """
    key = transaction.persons.owner(key)
    row = transaction.persons.rows([key]).get(key)
    joined = [one.key for one in transaction.persons.joined_to(key)]
    if not transaction.persons.playing([key]):
        raise NotFound("no game has a player with the name %(key)r", key=key[:80])
    return row or PersonRow(key), joined


def _check_may_be_one(transaction: Transaction, events: Events, name: str, other: str) -> None:
    """:raises Conflict: the persons of two names have played each other, or both play in one event."""
    persons = transaction.persons
    keys = [persons.owner(name), persons.owner(other)]
    met = persons.games_of_both(*keys)
    if met:
        raise Conflict(
            "%(name)r and %(other)r have played each other (%(games)s games): they are two persons",
            name=keys[0],
            other=keys[1],
            games=met,
        )
    event = events.with_both(*({key, *(one.key for one in persons.joined_to(key))} for key in keys))
    if event is not None:
        raise Conflict(
            "%(name)r and %(other)r both play in %(event)r: they are two persons. If they are one, take one of "
            "them out of the event first.",
            name=keys[0],
            other=keys[1],
            event=event,
        )


def _moved(row: PersonRow, joined: Sequence[str], into: PersonRow) -> dict[str, PersonRow | None]:
    """The rows after a person and their names were joined to another."""
    names = {row.key: row, **{key: PersonRow(key) for key in joined}}
    moved = {key: one._replace(joined=into.key, initials=False) for key, one in names.items()}
    return {**moved, into.key: into}


def _apply(
    transaction: Transaction,
    kind: str,
    after: Mapping[str, PersonRow | None],
    write: Write,
    events: Events | None = None,
    undoes: Change | None = None,
) -> str:
    """Set the rows, with all that follows from them, also in `events`, and note the change. Return the key of the
    person it is about."""
    check_actor(write.actor)
    persons = transaction.persons
    if events is not None:
        events.lock_plans()
    before = persons.rows(after)
    moved = {key for key, row in after.items() if (row and row.joined) != before.get(key, PersonRow(key)).joined}
    old = {persons.owner(key) for key in moved}
    if any(transaction.games.player_exceeds(key, MAX_GAMES) for key in old):
        raise Invalid(
            "the player has more than %(most)s games: their names cannot be joined or separated", most=MAX_GAMES
        )
    if moved:
        persons.lock_joins(alone=True)
    for key, row in after.items():
        persons.put(key, row)
    for key in old:
        transaction.games.derive_players(key)
    person = persons.owner(next(iter(after)))
    data: dict[str, Any] = {
        "before": {key: _json(before.get(key)) for key in after},
        "after": {key: _json(row) for key, row in after.items()},
        "events": [] if events is None else _mend_events(transaction, events, person, write, undoes),
    }
    number = None if undoes is None else undoes.number
    transaction.changes.note(
        Change(0, stamp(utc_now()), write.actor, write.source, "person", kind, person, data, number)
    )
    return person


def _mend_events(
    transaction: Transaction, events: Events, person: str, write: Write, undoes: Change | None
) -> list[MendedName]:
    """Write a person in events as they are written now, or as they were before the change that is undone."""
    if undoes is not None:
        return events.restore_names((undoes.data or {}).get("events", ()), write)
    row = transaction.persons.rows([person])[person]
    keys = {person, *(one.key for one in transaction.persons.joined_to(person))}
    return events.rename_player(keys, row.name, write) if row.name else []


def _json(row: PersonRow | None) -> dict[str, object] | None:
    return None if row is None else row._asdict()
