"""Invitations: an address, a QR code and a short code with a role, for an event, a table of it, or a game.

A guest's session is one as others are, with the scopes of the role and the limit of the invitation.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta, tzinfo
from typing import Any

from records.notation.dates import whole_day
from service.errors import Conflict, Invalid, NotFound
from service.games.events.changes import changed_part
from service.games.events.plan import plan_of
from service.games.texts import check_shown_name, check_text
from service.games.write import Write
from service.storage import Change, InvitationRow, KeyRow, Limit, Store, Transaction, event_of
from service.storage.clock import Clock, moment, stamp, utc_now
from service.storage.ids import random_id
from service.storage.search import name_key, reading, table_and_event, table_limit

from .caller import NOBODY, SESSION, Caller, network_of
from .guesses import Guesses, random_code, read_code
from .keys import KEPT, MAX_DAYS, Keys, check_key, is_good
from .limits import MAX_LIMIT
from .players import plays_at, table_of_guest
from .roles import KEEPER, ROLES, WATCH, role_of

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
        self, role: str, event: str, table: str, by: str, *, most: int | None = None, nights: int = 1
    ) -> InvitationRow:
        """Invite people. `by` is who does.

        :raises Invalid: an unknown role, a table where the role has none or needs one, or a number out of bounds.
        """
        _check(role, event, table, most, nights)
        return self._add(role, event, table, by, ROLES[role].most if most is None else most, nights)

    def create_for_game(self, game_id: str, by: str) -> InvitationRow:
        """Invite people to a game: each of them may record its turns. `by` is who does.

        :raises Invalid: there are too many invitations.
        """
        return self.for_game(game_id) or self._add(KEEPER, "", game_id, by, ROLES[KEEPER].most, 1)

    def for_game(self, game_id: str) -> InvitationRow | None:
        """The invitation to a game that can be used; None: there is none."""
        return next((row for row in self.of_event("")[0] if row.game == game_id), None)

    def _add(self, role: str, event: str, table: str, by: str, most: int, nights: int) -> InvitationRow:
        with self._store.writing() as transaction:
            now = self._clock()
            transaction.invitations.forget(stamp(now - KEPT))
            for most_open, of in ((OPEN_OF_EVENT, name_key(event)), (MAX_OPEN, None)):
                if transaction.invitations.count_open(stamp(now), of) >= most_open:
                    raise Invalid("There are %(most)s invitations already. Withdraw one first.", most=most_open)
            code = random_code()
            while transaction.invitations.by_code(code):
                code = random_code()
            until = stamp(morning(_evening_of(transaction, event, now, self._zone), self._zone, nights))
            row = InvitationRow(random_id(), code, role, event, table, most, 0, by, stamp(now), until)
            transaction.invitations.add(row)
        return row

    def find(self, code: str, address: str | None) -> InvitationRow:
        """The invitation with this code. Looking at it changes nothing.

        :raises NotFound: there is none that can be used. :raises TooManyRequests: too many codes were wrong.
        """
        network = network_of(address or "")
        self._guesses.begin(network)
        with self._store.reading() as transaction:
            row = transaction.invitations.by_code(read_code(code))
        if row is None or not self.is_open(row):
            raise _unknown_code()
        self._guesses.was_right(network)
        return row

    def is_open(self, row: InvitationRow) -> bool:
        """Whether an invitation can be used now, if anybody may still come."""
        return row.withdrawn is None and moment(row.expires) > self._clock()

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
            found = transaction.invitations.get(invitation_id)
            event = () if found is None else transaction.invitations.of_event(name_key(found.event), lock=True)
            row = next((one for one in event if one.id == invitation_id and self.is_open(one)), None)
            if row is None:
                raise _unknown_code()
            if row.joined >= row.most:
                raise Conflict("Everybody whom this invitation is for has joined. Ask for another one.")
            old = transaction.keys.get(caller.id, lock=True) if caller.invitation else None
            left = next((one for one in event if old is not None and one.id == old.invitation), None)
            if old is not None and left is not None and is_good(old, now):
                transaction.keys.put(old._replace(revoked=stamp(now)))
                if old.lender is None:  # the same person’s other device was not counted
                    transaction.invitations.put(left._replace(joined=max(left.joined - 1, 0)))
            sessions = [key for key in transaction.keys.of_kinds((SESSION,)) if is_good(key, now)]
            guests, ours = [key.invitation for key in sessions if key.invitation is not None], {one.id for one in event}
            if len(guests) >= MAX_GUESTS or sum(one in ours for one in guests) >= GUESTS_OF_EVENT:
                raise Invalid("There are %(most)s guests already.", most=len(guests))
            limit = _limit_of(row)
            keeping = [key for key in sessions if _keeps(key, limit)]
            if keeping and plays_at(transaction, name_key(row.event), name, row.table):
                keeping = [key for key in keeping if name_key(key.name) == name_key(name)]
            waits = row.role == KEEPER and not watches and bool(keeping)
            until = moment(row.expires)
            lifetime, scopes = until - now, ROLES[WATCH if waits or watches else row.role].scopes
            check_key(name, scopes, lifetime)
            more = {"invitation": row.id, "asked": stamp(now) if waits else None}
            key, secret = self._keys.add(transaction, SESSION, name, scopes, until, limit, **more)
            transaction.invitations.put(row._replace(joined=row.joined + 1))
        return key, secret, lifetime

    def of_event(self, event: str) -> tuple[list[InvitationRow], list[Guest]]:
        """The invitations to the event with that key that can be used, oldest first, and who has come."""
        with self._store.reading() as transaction:
            rows = transaction.invitations.of_event(event)
            keys = transaction.invitations.guests(event)
        by_id, now = {row.id: row for row in rows}, self._clock()
        guests = [
            Guest(key, role_of(key.scopes), by_id[str(key.invitation)].role, table_of_guest(key), is_good(key, now))
            for key in keys
        ]
        return [row for row in rows if self.is_open(row)], guests

    def event_name(self, key: str) -> str:
        """The name of the event with that key, as its plan, its games or its invitations write it.

        :raises NotFound: there is no such event.
        """
        with self._store.reading() as transaction:
            found = transaction.event_plans.get(key) or transaction.names.event(key)
            rows = transaction.invitations.of_event(key) if found is None else []
        if found is not None:
            return found.name
        if not rows:
            raise NotFound("There is no event %(key)r. Make it first.", key=key[:80])
        return rows[-1].event

    def place(self, caller: Caller) -> tuple[InvitationRow, KeyRow] | None:
        """The invitation, with the table that the guest is at now, and the session; None for everybody else."""
        with self._store.reading() as transaction:
            key = transaction.keys.get(caller.id) if caller.kind == SESSION else None
            row = transaction.invitations.get(key.invitation) if key and key.invitation else None
        if key is None or row is None:
            return None
        return row if row.game else row._replace(table=table_of_guest(key)), key

    def keeper(self, event: str, table: str) -> str:
        """Who keeps the score of a table; empty: nobody yet."""
        limit, now = table_limit(event, table), self._clock()
        with self._store.reading() as transaction:
            keys = transaction.invitations.guests(name_key(event))
        return next((key.name for key in keys if is_good(key, now) and _keeps(key, limit)), "")

    def left_alone(self, caller: Caller, row: InvitationRow) -> InvitationRow | None:
        """The invitation to another table of the same event, whose score the caller keeps and where nobody else has
        joined; None if there is no such table."""
        place = self.place(caller)
        if place is None or place[1].limit is None or name_key(place[0].event) != name_key(row.event):
            return None
        before, key = place
        if not _keeps(key, place[1].limit) or name_key(before.table) == name_key(row.table):
            return None
        others = [one for one in self.of_event(name_key(row.event))[1] if one.good and one.key.id != key.id]
        return None if any(name_key(one.table) == name_key(before.table) for one in others) else before

    def withdraw(self, event: str, invitation_id: str) -> None:
        """Withdraw an invitation: nobody else can join with it, and those who did have to leave.

        :raises NotFound: there is none to the event with that key.
        """
        with self._store.writing() as transaction:
            row, now = transaction.invitations.get(invitation_id), stamp(self._clock())
            if row is None or name_key(row.event) != event:
                raise NotFound("There is no invitation %(id)r to this event.", id=invitation_id[:80])
            if row.withdrawn is None:
                transaction.invitations.put(row._replace(withdrawn=now))
            for key in transaction.invitations.guests(event):
                if key.invitation == row.id and key.revoked is None:
                    transaction.keys.put(key._replace(revoked=now))

    def set_keeper(self, event: str, guest_id: str, write: Write) -> None:
        """Have a guest keep the score of the table; whoever did until now watches.

        :raises NotFound: there is no such guest. :raises Conflict: the guest came for no table, or is gone.
        """
        with self._store.writing() as transaction:
            transaction.invitations.of_event(event, lock=True)
            guest, now = _guest(transaction, event, guest_id), self._clock()
            if guest.limit is None or guest.limit.kind != "table" or not is_good(guest, now):
                raise Conflict("%(name)s has not joined a table, or has left.", name=guest.name)
            before = None
            for key in transaction.invitations.guests(event):
                if key.id != guest.id and _keeps(key, guest.limit):
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
        """Note a change of who may do what at an event."""
        parts, now = {"parts": [part]}, stamp(self._clock())
        transaction.changes.note(Change(0, now, write.actor, write.source, "event", "people", event, parts))

    def ask(self, caller: Caller) -> None:
        """Have a guest ask to keep the score of the table.

        :raises Conflict: the caller has not joined a table.
        """
        with self._store.writing() as transaction:
            key = transaction.keys.get(caller.id, lock=True)
            if key is None or key.invitation is None or key.limit is None or key.limit.kind != "table":
                raise Conflict("Only who has joined a table can keep its score.")
            transaction.keys.put(key._replace(asked=stamp(self._clock())))


def _limit_of(row: InvitationRow) -> Limit:
    if row.game:
        return Limit("game", row.game)
    return table_limit(row.event, row.table) if row.table else Limit("event", row.event)


def _keeps(key: KeyRow, limit: Limit) -> bool:
    """Whether a session keeps the score of a table."""
    if key.limit is None or key.limit.kind != "table" or role_of(key.scopes) != KEEPER or key.revoked is not None:
        return False
    table, other = (name_key(one.value.partition(":")[0]) for one in (key.limit, limit))
    return table == other and name_key(reading(key.limit).value) == name_key(reading(limit).value)


def _guest(transaction: Transaction, event: str, guest_id: str) -> KeyRow:
    key = transaction.keys.get(guest_id, lock=True)
    row = transaction.invitations.get(key.invitation) if key and key.invitation else None
    if key is None or row is None or name_key(row.event) != event:
        raise NotFound("There is no guest %(id)r of this event.", id=guest_id[:80])
    return key


def _unknown_code() -> NotFound:
    return NotFound("This code is not known here, or its evening is over. Ask for a new one.")


def _check(role: str, event: str, table: str, most: int | None, nights: int) -> None:
    if role not in ROLES:
        raise Invalid("role is %(role)r. Expected one of %(roles)s.", role=role[:40], roles=", ".join(ROLES))
    check_shown_name("event", event, MAX_LIMIT - MAX_TABLE - 1)
    if event_of({"Event": event}) is None:
        raise Invalid("event is %(event)r, which names no event.", event=event)
    check_text("table", table, MAX_TABLE, ":")
    if table and not name_key(table):
        raise Invalid("table is %(table)r. Expected the number of a table.", table=table)
    place = ROLES[role].place
    if place != "either" and bool(table) != (place == "table"):
        raise Invalid(
            "table is %(table)r. The role %(role)s is for %(place)s.",
            table=table,
            role=role,
            place="one table" if place == "table" else "the whole event",
        )
    for name, value, bound in (("most", most, MAX_PEOPLE), ("nights", nights, MAX_NIGHTS)):
        if value is not None and not 1 <= value <= bound:
            raise Invalid("%(name)s is %(value)s. Expected 1 to %(bound)s.", name=name, value=value, bound=bound)
