"""Invitations to an event or a game, the roles they give, and the guests who came with them."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta, tzinfo
from typing import Any, Literal, NamedTuple

from inkeek.records.notation.dates import whole_day
from inkeek.service.errors import Conflict, Invalid, NotFound, gettext_later as later
from inkeek.service.games.events.plan import EventPlan, changed_part, plan_of
from inkeek.service.games.record_check import check_shown_name, check_text
from inkeek.service.games.write import Write
from inkeek.service.storage import Change, KeyRow, Limit, event_of
from inkeek.service.storage.clock import Clock, moment, stamp, utc_now
from inkeek.service.storage.search import name_key, reading, table_and_event, table_limit
from inkeek.service.storage.store import Store
from inkeek.service.storage.transaction import Transaction

from .caller import LINK, NOBODY, SESSION, Caller, network_of
from .keys import MAX_DAYS, Keys, check_gift, check_key, digest, is_full, is_good
from .limiter import Guesses, random_code, read_code
from .limits import MAX_LIMIT

NOWHERE = "?"  # instead of a table: no game has it


def follow_players(transaction: Transaction, before: EventPlan, after: EventPlan) -> None:
    """Lead the guests with names of players where these play after a change of the plan, and spell them as it does.

    A guest who keeps the score at another table than the own one stays there until the player's table changes.
    """
    ids, players = {player.key: player.id for player in before.players}, after.by_id
    old, new = _places(before), _places(after)
    for key in transaction.keys.guests(name_key(after.name)):
        id = ids.get(name_key(key.name))
        if id is None or id not in players or key.revoked is not None:
            continue
        found = key._replace(name=players[id].name)
        if old.get(id) != new.get(id) and key.limit is not None and key.limit.kind == "table":
            table = str(new[id][1]) if id in new else NOWHERE
            found = found._replace(limit=table_limit(after.name, table))
            if (key.asked is not None and _was_invited_to_keep(transaction, key)) or role_of(key.scopes) == KEEPER:
                found = found._replace(scopes=ROLES[KEEPER].scopes, asked=None)
        if found != key:
            transaction.keys.put(found)


def _was_invited_to_keep(transaction: Transaction, key: KeyRow) -> bool:
    row = transaction.keys.invitation_of(key)
    return row is not None and role_of(row.scopes) == KEEPER


def plays_at(transaction: Transaction, event: str, name: str, table: str) -> bool:
    """Whether a player of that name plays at the table in the last round of the event with that key."""
    row = transaction.event_plans.get(event)
    plan = EventPlan("") if row is None else plan_of(row)
    places = _places(plan)
    return any(
        player.id in places and str(places[player.id][1]) == name_key(table)
        for player in plan.players
        if player.key == name_key(name)
    )


def table_of_guest(key: KeyRow) -> str:
    """The table that a guest's session is limited to; empty: none."""
    return "" if key.table == NOWHERE else key.table


def _places(plan: EventPlan) -> dict[int, tuple[int, int]]:
    """The last round and the table in it, by the players who have an opponent."""
    return {
        id: (round.number, one.table)
        for round in plan.rounds[-1:]
        for one in round.pairings
        if one.north is not None
        for id in one.players
    }


class Role(NamedTuple):
    """What a guest is. `place`: whether the role is for a ``table``, for the whole ``event``, or for ``either``.
    `most`: the people that an invitation is for unless it says otherwise."""

    name: str
    scopes: tuple[str, ...]
    place: Literal["table", "event", "either"]
    most: int


WATCH, KEEPER, ARBITER, ORGANIZER = "watch", "keeper", "arbiter", "organizer"
ROLES = {
    WATCH: Role(later("Spectator"), ("read",), "either", 100),
    KEEPER: Role(later("Scorekeeper"), ("record",), "table", 6),
    ARBITER: Role(later("Arbiter"), ("record", "arbiter"), "event", 1),
    ORGANIZER: Role(later("Organizer"), ("record", "board", "arbiter", "invite"), "event", 1),
}


def role_of(scopes: Collection[str]) -> str:
    """The role of a guest with these scopes."""
    return next((role for role, kind in ROLES.items() if set(kind.scopes) == set(scopes)), WATCH)


MAX_PEOPLE = 200  # for whom an invitation is
MAX_NIGHTS = 31
MAX_OPEN = 200  # invitations that can be used at once
MAX_GUESTS = 800  # sessions of guests; others need some too
OPEN_OF_EVENT, GUESTS_OF_EVENT = MAX_OPEN // 2, MAX_GUESTS // 2  # so that one event leaves room for others
MAX_TABLE = 20  # characters of a table's number
MORNING = time(6)  # when an evening ends
SHORTEST = timedelta(hours=6)
NOON = time(12)


@dataclass(frozen=True, slots=True)
class Guest:
    """A guest's session, the role and the table it has now, and the role of the invitation."""

    key: KeyRow
    role: str
    invited: str
    table: str
    good: bool

    @property
    def asks(self) -> bool:
        """Whether the guest would keep the score of the table, which somebody else does."""
        return self.good and self.key.asked is not None and self.role != KEEPER


def morning(now: datetime, zone: tzinfo, nights: int = 1) -> datetime:
    """When an evening that goes on now ends after so many nights: at six o'clock in that zone, also when its clocks
    change meanwhile."""
    day = now.astimezone(zone).date()
    if datetime.combine(day, MORNING, zone) - now < SHORTEST:
        day += timedelta(days=1)
    return datetime.combine(day + timedelta(days=nights - 1), MORNING, zone)


def _evening_of(transaction: Transaction, event: str, now: datetime, zone: tzinfo) -> datetime:
    """When an event begins, if that is to come within the life of a key; else now."""
    row = transaction.event_plans.get(name_key(event))
    day = whole_day(plan_of(row).first_date) if row is not None else None
    begins = datetime.combine(day, NOON, zone) if day else now
    return begins if now < begins <= now + timedelta(days=MAX_DAYS - MAX_NIGHTS) else now


class Invitations:
    """The invitations in a store."""

    def __init__(
        self, store: Store, keys: Keys, guesses: Guesses, *, clock: Clock = utc_now, zone: tzinfo = UTC
    ) -> None:
        self._store = store
        self._keys = keys
        self._guesses = guesses
        self._clock = clock
        self._zone = zone

    def create(
        self,
        role: str,
        event: str,
        table: str,
        write: Write,
        *,
        giver: Caller = NOBODY,
        most: int | None = None,
        nights: int = 1,
    ) -> KeyRow:
        """Invite people. The `giver` does; without one, whoever runs the service.

        :raises Invalid: an unknown role, a table where the role has none or needs one, or a number out of bounds.
        :raises Forbidden: the role is more than the giver has.
        """
        _check(role, event, table, most, nights)
        limit = table_limit(event, table) if table else Limit("event", event)
        with self._store.writing() as transaction:
            row = self._add(transaction, role, limit, giver, most, nights)
            self._note(transaction, name_key(event), changed_part("invitation", role, None, table), write)
        return row

    def create_for_game(self, game_id: str, giver: Caller) -> KeyRow:
        """Invite people to a game: each of them may record its turns.

        :raises Invalid: there are too many invitations. :raises Forbidden: the role is more than the giver has.
        """
        with self._store.writing() as transaction:
            found = transaction.keys.invitation_to(Limit("game", game_id), stamp(self._clock()))
            return found or self._add(transaction, KEEPER, Limit("game", game_id), giver)

    def for_game(self, game_id: str) -> KeyRow | None:
        """The invitation to a game that can be used; None: there is none."""
        with self._store.reading() as transaction:
            return transaction.keys.invitation_to(Limit("game", game_id), stamp(self._clock()))

    def _add(
        self,
        transaction: Transaction,
        role: str,
        limit: Limit,
        giver: Caller,
        most: int | None = None,
        nights: int = 1,
    ) -> KeyRow:
        now, event = self._clock(), "" if limit.kind == "game" else reading(limit).value
        here = [row for row in transaction.keys.invitations(name_key(event)) if self.is_open(row)]
        for most_open, there in (
            (OPEN_OF_EVENT, len(here)),
            (MAX_OPEN, transaction.keys.count_invitations(stamp(now))),
        ):
            if there >= most_open:
                raise Invalid("There are %(most)s invitations already. Withdraw one first.", most=most_open)
        code = random_code()
        while transaction.keys.by_hash(digest(code)):
            code = random_code()
        until = morning(_evening_of(transaction, event, now, self._zone), self._zone, nights)
        most = ROLES[role].most if most is None else most
        by, scopes = giver.id or None, ROLES[role].scopes
        return self._keys.add(transaction, LINK, giver.name, scopes, until, limit, giver=by, code=code, most=most)[0]

    def find(self, code: str, address: str | None) -> KeyRow:
        """The invitation with this code. Looking at it changes nothing.

        :raises NotFound: there is none that can be used. :raises TooManyRequests: too many codes were wrong.
        """
        network = network_of(address or "")
        self._guesses.begin(network)
        with self._store.reading() as transaction:
            row = transaction.keys.by_hash(digest(read_code(code)))
        if row is None or row.code is None or not self.is_open(row):
            raise _unknown_code()
        self._guesses.was_right(network)
        return row

    def is_open(self, row: KeyRow) -> bool:
        """Whether an invitation can be used now, if anybody may still come."""
        return is_good(row, self._clock())

    def join(
        self, invitation_id: str, name: str, *, watches: bool = False, caller: Caller = NOBODY
    ) -> tuple[KeyRow, str, timedelta]:
        """A session for a guest with that name, its secret, and for how long. Where somebody keeps the score of the
        table already, another one asks for it, and watches, unless it is the phone of somebody who plays there. With
        `watches` the guest wants no more. A `caller` who had joined the same event leaves the old place.

        :raises NotFound: the invitation is over. :raises Conflict: everybody whom it is for has come.
        :raises Invalid: the name cannot be one, or there are too many guests.
        """
        with self._store.writing() as transaction:
            now = self._clock()
            row = transaction.keys.get(invitation_id, lock=True)
            if row is None or row.code is None or not self.is_open(row):
                raise _unknown_code()
            if is_full(row):
                raise Conflict("Everybody whom this invitation is for has joined. Ask for another one.")
            self._leave(transaction, caller, row)
            sessions = [key for key in transaction.keys.of_kinds((SESSION,)) if is_good(key, now)]
            came = {one.id for one in transaction.keys.invitations(name_key(row.event))}
            guests = [key for key in sessions if transaction.keys.invitation_of(key) is not None]
            if len(guests) >= MAX_GUESTS or sum(key.giver in came for key in guests) >= GUESTS_OF_EVENT:
                raise Invalid("There are %(most)s guests already.", most=len(guests))
            keeping = [key for key in sessions if key.lender is None and _keeps(key, row.event, row.table)]
            if keeping and plays_at(transaction, name_key(row.event), name, row.table):
                keeping = [key for key in keeping if name_key(key.name) == name_key(name)]
            waits = role_of(row.scopes) == KEEPER and not watches and bool(keeping)
            until = moment(str(row.expires))
            scopes = ROLES[WATCH].scopes if waits or watches else row.scopes
            check_key(name, scopes, until - now)
            key, secret = self._keys.use(transaction, row, name, until, scopes, asked=stamp(now) if waits else None)
        return key, secret, until - now

    def _leave(self, transaction: Transaction, caller: Caller, row: KeyRow) -> None:
        """Have a caller who had joined the same event leave the old place. :raises Conflict: they gave to others."""
        old, now = transaction.keys.get(caller.id, lock=True) if caller.id else None, self._clock()
        left = transaction.keys.invitation_of(old)
        if old is None or left is None or not is_good(old, now) or name_key(left.event) != name_key(row.event):
            return
        if any(key.lender is None and is_good(key, now) for key in transaction.keys.given(old.id)):
            raise Conflict(
                "You are here as %(name)s, and invited people: they would have to leave. Use another browser.",
                name=old.name,
            )
        transaction.keys.put(old._replace(revoked=stamp(now)))
        if old.lender is None:  # the same person’s other device was not counted
            transaction.keys.put(left._replace(joined=max((left.joined or 0) - 1, 0)))

    def of_event(self, event: str) -> tuple[list[KeyRow], list[Guest]]:
        """The invitations to the event with that key that can be used, oldest first, and who has come."""
        with self._store.reading() as transaction:
            rows = transaction.keys.invitations(event)
            keys = transaction.keys.guests(event)
        by_id, now = {row.id: row for row in rows}, self._clock()
        guests = [
            Guest(
                key, role_of(key.scopes), role_of(by_id[str(key.giver)].scopes), table_of_guest(key), is_good(key, now)
            )
            for key in keys
        ]
        return [row for row in rows if self.is_open(row)], guests

    def event_name(self, key: str) -> str:
        """The name of the event with that key, as its plan, its games or its invitations write it.

        :raises NotFound: there is no such event.
        """
        with self._store.reading() as transaction:
            found = transaction.event_plans.get(key) or transaction.names.event(key)
            rows = transaction.keys.invitations(key) if found is None else []
        if found is not None:
            return found.name
        if not rows:
            raise NotFound("There is no event %(key)r. Make it first.", key=key[:80])
        return rows[-1].event

    def place(self, caller: Caller) -> tuple[KeyRow, KeyRow] | None:
        """The invitation, with the table that the guest is at now, and the session; None for everybody else."""
        with self._store.reading() as transaction:
            key = transaction.keys.get(caller.id) if caller.kind == SESSION else None
            row = transaction.keys.invitation_of(key)
        return None if key is None or row is None else (_at_place(row, key), key)

    def keeper(self, event: str, table: str) -> str:
        """Who keeps the score of a table; empty: nobody yet."""
        with self._store.reading() as transaction:
            keys = [key for key in transaction.keys.guests(name_key(event)) if is_good(key, self._clock())]
        return next((key.name for key in keys if _keeps(key, event, table)), "")

    def left_alone(self, caller: Caller, row: KeyRow) -> KeyRow | None:
        """The invitation to another table of the same event, whose score the caller keeps and where nobody else has
        joined; None if there is no such table."""
        place = self.place(caller)
        if place is None or place[1].limit is None or name_key(place[0].event) != name_key(row.event):
            return None
        before, key = place
        if not _keeps(key, key.event, key.table) or name_key(before.table) == name_key(row.table):
            return None
        with self._store.reading() as transaction:
            own = transaction.keys.sharers(key.id)
        others = [one for one in self.of_event(name_key(row.event))[1] if one.good and one.key.id not in own]
        return None if any(name_key(one.table) == name_key(before.table) for one in others) else before

    def withdraw(self, event: str, invitation_id: str, write: Write) -> None:
        """Withdraw an invitation: nobody else can join with it, and those who did have to leave.

        :raises NotFound: there is none to the event with that key.
        """
        with self._store.writing() as transaction:
            row = transaction.keys.get(invitation_id, lock=True)
            if row is None or row.code is None or name_key(row.event) != event:
                raise NotFound("There is no invitation %(id)r to this event.", id=invitation_id[:80])
            if row.revoked is None:
                transaction.keys.put(row._replace(revoked=stamp(self._clock())))
                if event:
                    part = changed_part("invitation", role_of(row.scopes), row.table, None)
                    self._note(transaction, event, part, write)

    def set_keeper(self, event: str, guest_id: str, write: Write, giver: Caller = NOBODY) -> None:
        """Have a guest keep the score of the table; whoever did until now watches.

        :raises NotFound: there is no such guest. :raises Conflict: the guest came for no table, or is gone.
        :raises Forbidden: it is more than the giver has.
        """
        with self._store.writing() as transaction:
            transaction.keys.invitations(event, lock=True)
            guest, now = _guest(transaction, event, transaction.keys.holder(guest_id)), self._clock()
            if guest.limit is None or guest.limit.kind != "table" or not is_good(guest, now):
                raise Conflict("%(name)s has not joined a table, or has left.", name=guest.name)
            by = transaction.keys.get(giver.id) if giver.id else None
            check_gift(transaction, by, ROLES[KEEPER].scopes, guest.limit, now)
            before = None
            for key in transaction.keys.guests(event):
                if key.id != guest.id and _keeps(key, guest.event, guest.table):
                    transaction.keys.put(key._replace(scopes=ROLES[WATCH].scopes))
                    before = key.name
            transaction.keys.put(guest._replace(scopes=ROLES[KEEPER].scopes, asked=None))
            table, _ = table_and_event(guest.limit)
            self._note(transaction, event, changed_part("keeper", table, before, guest.name), write)

    def end(self, event: str, guest_id: str, write: Write) -> None:
        """End a guest's session.

        :raises NotFound: there is no such guest.
        """
        with self._store.writing() as transaction:
            guest = _guest(transaction, event, guest_id)
            if guest.revoked is None:
                transaction.keys.put(guest._replace(revoked=stamp(self._clock())))
                part = changed_part("guest", role_of(guest.scopes), guest.name, None)
                self._note(transaction, event, part, write)

    def _note(self, transaction: Transaction, event: str, part: dict[str, Any], write: Write) -> None:
        parts, now = {"parts": [part]}, stamp(self._clock())
        transaction.changes.note(Change(0, now, write.actor, write.source, "event", "people", event, parts))

    def ask(self, caller: Caller) -> None:
        """Have a guest ask to keep the score of the table.

        :raises Conflict: the caller has not joined a table.
        """
        with self._store.writing() as transaction:
            key = transaction.keys.get(caller.lender or caller.id, lock=True)
            if key is None or not key.table or transaction.keys.invitation_of(key) is None:
                raise Conflict("Only who has joined a table can keep its score.")
            transaction.keys.put(key._replace(asked=stamp(self._clock())))


def _at_place(row: KeyRow, key: KeyRow) -> KeyRow:
    if row.game:
        return row
    return row._replace(limit=key.limit if table_of_guest(key) else Limit("event", key.event))


def _keeps(key: KeyRow, event: str, table: str) -> bool:
    if not key.table or role_of(key.scopes) != KEEPER or key.revoked is not None:
        return False
    return (name_key(key.event), name_key(key.table)) == (name_key(event), name_key(table))


def _guest(transaction: Transaction, event: str, guest_id: str) -> KeyRow:
    key = transaction.keys.get(guest_id, lock=True)
    row = transaction.keys.invitation_of(key)
    if key is None or row is None or name_key(row.event) != event:
        raise NotFound("There is no guest %(id)r of this event.", id=guest_id[:80])
    return key


def _unknown_code() -> NotFound:
    return NotFound("This code is not known here, or its evening is over. Ask for a new one.")


def _check(role: str, event: str, table: str, most: int | None, nights: int) -> None:
    if role not in ROLES:
        raise Invalid(
            "role is %(role)r. Expected one of %(roles)s.", field="role", role=role[:40], roles=", ".join(ROLES)
        )
    check_shown_name("event", event, MAX_LIMIT - MAX_TABLE - 1)
    if event_of({"Event": event}) is None:
        raise Invalid("event is %(event)r, which names no event.", field="event", event=event)
    check_text("table", table, MAX_TABLE, ":")
    if table and not name_key(table):
        raise Invalid("table is %(table)r. Expected the number of a table.", field="table", table=table)
    place = ROLES[role].place
    if place != "either" and bool(table) != (place == "table"):
        raise Invalid(
            "table is %(table)r. The role %(role)s is for %(place)s.",
            field="table",
            table=table,
            role=role,
            place="one table" if place == "table" else "the whole event",
        )
    for name, value, bound in (("most", most, MAX_PEOPLE), ("nights", nights, MAX_NIGHTS)):
        if value is not None and not 1 <= value <= bound:
            raise Invalid("%(field)s is %(value)s. Expected 1 to %(bound)s.", field=name, value=value, bound=bound)
