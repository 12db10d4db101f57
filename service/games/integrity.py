"""Whether a stored game is whole: the chain of its events, and all that follows from them; and what watches that for a
whole database, a little at a time."""

from __future__ import annotations

import hashlib
import logging
import threading
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from inkeek.records import Move, Ply, Position, RecordsError, Rules
from inkeek.records.errors import Budget
from inkeek.records.json_codec import from_json
from inkeek.records.replay import play_ply, verify_ply
from inkeek.service.disputes.checks import order_faults, ruling_faults
from inkeek.service.errors import Damaged, ServiceError, StorageError
from inkeek.service.storage import GameEvent, GameRow, LedgerNote, search_keys, verify_chain

from .record_check import check_record
from .state import WINNERS, GameState, game_state

if TYPE_CHECKING:
    from inkeek.service.storage.store import Store
    from inkeek.service.storage.transaction import Transaction


def taken_back_faults(state: GameState) -> list[tuple[int, str]]:
    """The faults of turns that were taken back, and of the numbers of all turns, each with the number of its event."""
    faults = []
    standing = frozenset(state.turns)
    start: str = state.events[0].data["position"]
    line: list[tuple[str, Move | None]] = [(start, None)]  # the positions that stood then, with the move to each
    budget = Budget(len(state.events))
    for event in state.events:
        if event.kind == "retraction":
            _, move = line.pop()
            if Move.parse(event.data["move"]) != move:
                faults.append((event.seq, f"it takes back {event.data['move']}, but the last turn is {move}"))
        if event.kind != "turn":
            continue
        (before, previous), ply = line[-1], from_json(event.data["turn"], Ply)
        if event.data["ply"] != len(line):
            faults.append((event.seq, f"its turn has the number {event.data['ply']}, but it is turn {len(line)}"))
        if event.seq not in standing:
            fault = _turn_fault(state.record.rules().with_gaps(), before, ply, previous, event, budget)
            faults += [] if fault is None else [(event.seq, fault)]
        line.append((event.data["position"], ply.move))
    return faults


def _turn_fault(
    rules: Rules, before: str, ply: Ply, previous: Move | None, event: GameEvent, budget: Budget
) -> str | None:
    try:
        budget.verify()
        turn = play_ply(rules, Position.parse(before), ply, previous, budget)
        verify_ply(turn)
    except RecordsError as error:
        return f"the rules refuse its turn, which was taken back: {error}"
    if str(turn.position) != event.data["position"]:
        return f"its turn, which was taken back, leads to {turn.position}, but the event says {event.data['position']}"
    return None


def game_faults(transaction: Transaction, row: GameRow) -> list[str]:
    """List the faults of a stored game."""
    events = transaction.games.events(row.id)
    faults = chain_faults(events, row) or ledger_faults(transaction, row.id, events)
    if faults:
        return faults
    state = game_state(events)
    return [
        *derived_faults(transaction, state, row),
        *replay_faults(state),
        *event_faults(state),
        *photograph_faults(transaction, state),
    ]


def lost_game_faults(transaction: Transaction, game_id: str) -> list[str]:
    """List the faults of a game that has no row."""
    events = transaction.games.events(game_id)
    if not events:
        return ["the game was removed", *ledger_faults(transaction, game_id, events)]
    return [
        "there are events, but no game; it can be rebuilt from them",
        *chain_faults(events),
        *ledger_faults(transaction, game_id, events),
    ]


def ledger_faults(transaction: Transaction, game_id: str, events: Sequence[GameEvent]) -> list[str]:
    """List where the events of a game are not those that the ledger has."""
    entries, unsealed = transaction.ledger.of_game(game_id)
    notes = [(f"entry {entry.position} of the ledger", entry.note) for entry in entries]
    notes += [("a note for the ledger", note) for note in unsealed]
    return note_faults(notes, events, transaction.games.number(game_id))


def note_faults(
    notes: Sequence[tuple[str, LedgerNote]], events: Sequence[GameEvent], number: int | None, last: int = 0
) -> list[str]:
    """List where the events of a game are not those that its notes have.

    `notes` come with where they stand; `last` is the number of the event before the first of them.
    """
    hashes = {event.seq: event.hash for event in events}
    faults = []
    for where, note in notes:
        missing = next((seq for seq in range(last + 1, note.seq + 1) if seq not in hashes), None)
        if note.first != last + 1:
            faults.append(f"{where} begins with event {note.first}, but the one before ends with event {last}")
        if missing is not None:
            faults.append(f"{where} has events {note.first} to {note.seq}, but event {missing} is missing")
        elif hashes.get(note.seq) != note.head:
            faults.append(f"{where} has another event {note.seq}: its hash is {note.head[:12]}…")
        if number is not None and note.number != number:
            faults.append(f"{where} has the game's number {note.number}, but the stored one is {number}")
        last = max(last, note.seq)
    if hashes and max(hashes) > last:
        faults.append(f"event {last + 1} is not in the ledger: the service did not store it")
    return faults


def chain_faults(events: Sequence[GameEvent], row: GameRow | None = None) -> list[str]:
    """List the faults of the events themselves; `row` says which must be the last."""
    try:
        faults = verify_chain(events, None if row is None else (row.seq, row.hash))
        if not faults:
            game_state(events).record  # noqa: B018 - reading the record is the check of the events' data
        return faults
    except ServiceError as error:
        return [error.message]
    except (LookupError, TypeError, ValueError, AttributeError) as error:  # the data can be anything
        return [f"the events are not those of a game: {error!r}"]


def derived_faults(transaction: Transaction, state: GameState, row: GameRow) -> list[str]:
    """List what of the stored row, search keys and disputes does not follow from the events."""
    faults = []
    if state.row != row:
        faults.append("the stored game differs from its events; it can be rebuilt from them")
    keys = search_keys(state.row, state.positions)
    keys = keys._replace(players=transaction.persons.stored_keys(keys.players))
    if keys != transaction.games.search_keys(row.id):
        faults.append("the stored search keys differ from the events; they can be rebuilt from them")
    if state.disputes != transaction.disputes.of_game(row.id):
        faults.append("the stored disputes differ from the events; they can be rebuilt from them")
    return faults


def record_faults(state: GameState) -> list[str]:
    """List why an import would refuse the record, or where it differs from the events."""
    faults = replay_faults(state)
    if faults:
        return faults
    row = state.row
    if row.winner != WINNERS.get(row.result):
        return [f"the winner is {row.winner}, but the result {row.result}"]
    try:
        check_record(state.record)
    except (ServiceError, RecordsError) as error:
        return [str(error)]
    return []


def replay_faults(state: GameState) -> list[str]:
    """List where the record, played by the rules, reaches other positions than the events say."""
    replay = state.record.replay()
    seqs = (1, *state.turns)  # of the start, and of the turns that stand
    if replay.error is not None:
        ply = replay.error.ply
        where = f"event {seqs[ply]}: " if 0 < ply < len(seqs) else ""
        return [f"{where}the rules refuse the record: {replay.error}"]
    for ply, (reached, stored) in enumerate(zip(replay.texts, state.positions, strict=False)):
        if reached != stored:
            return [f"event {seqs[ply]}: turn {ply} leads to {reached}, but the event says {stored}"]
    return []


def event_faults(state: GameState) -> list[str]:
    """List what is wrong with the events that the record does not show: turns taken back, rulings."""
    faults = [*taken_back_faults(state), *ruling_faults(state.events)]
    faults += order_faults(state, {seq for seq, _ in faults})
    return [f"event {seq}: {message}" for seq, message in sorted(faults)]


def photograph_faults(transaction: Transaction, state: GameState) -> list[str]:
    """List what of the stored photographs is not what the events say."""
    removed = {event.data["evidence"] for event in state.events if event.kind == "removal"}
    game_id, faults, known = state.row.id, [], set()
    stored = transaction.photographs.hashes(game_id)
    for event in state.events:
        sha256 = event.data["photo"]["sha256"] if event.kind == "evidence" and "photo" in event.data else None
        if sha256 is None or sha256 in known or event.seq in removed:
            continue
        known.add(sha256)
        data = transaction.photographs.get(game_id, sha256)
        if data is None:
            faults.append(f"event {event.seq}: the photograph {sha256} is missing")
        elif (found := hashlib.sha256(data).hexdigest()) != sha256:
            faults.append(f"event {event.seq}: the photograph {sha256} was changed: it has the hash {found} now")
    return faults + [f"no event names the photograph {sha256}" for sha256 in sorted(stored - known)]


BATCH = 20  # games whose ids are read at once
PAUSE = 1.0  # seconds between two looks at least
INTERVAL = 2.0  # seconds between two looks of `keep`
SLICE = 0.02  # seconds of a look in which games are checked

log = logging.getLogger(__name__)


class DatabaseWatch:
    """Looks at the surface of a database and, part by part, at the events of all games. Thread-safe.

    A look opens a connection of its own, so that what has changed in a file is not hidden by what a process has read.
    """

    def __init__(self, store: Store, clock: Callable[[], float] = time.monotonic) -> None:
        self._store = store
        self._clock = clock
        self._lock = threading.Lock()
        self._looked: float | None = None
        self._after = ""  # the id of the game that was checked last
        self._damaged: dict[str, str] = {}  # by game
        self._fault: StorageError | None = None

    def look(self, seconds: float) -> StorageError | None:
        """Look again, and check games for about `seconds`, unless the last look was `PAUSE` ago or less.

        Return what is wrong: damage, or why the database cannot be read; None if nothing is known to be. What is new is
        logged.
        """
        with self._lock:
            now = self._clock()
            if self._looked is None or now - self._looked >= PAUSE:
                fault = self._look(now + seconds)
                known = ("" if self._fault is None else self._fault.message, self._store.damage.reason)
                if fault is None and self._fault is not None:
                    log.info("the database can be used again")
                elif fault is not None and fault.message not in known:
                    log.error("%s", fault.message)
                self._fault, self._looked = fault, self._clock()
            return self._fault

    def keep(self, stop: threading.Event, seconds: float) -> threading.Thread:
        """Start a thread that looks until `stop`, and checks games for so many seconds each time, so that damage shows
        before somebody needs what is damaged."""

        def run() -> None:
            while not stop.wait(INTERVAL):
                self.look(seconds)

        thread = threading.Thread(target=run, name="watch", daemon=True)
        thread.start()
        return thread

    def _look(self, deadline: float) -> StorageError | None:
        """What is wrong, None if nothing is known to be."""
        try:
            faults = self._store.surface_faults()
            if not faults:
                with self._store.reading(anew=True) as transaction:
                    self._check_games(transaction, deadline)
            faults += self._damaged.values()
        except StorageError as error:
            if self._store.damage.reason is None:
                return error
            faults = [self._store.damage.reason]
        return Damaged(faults[0]) if faults else None

    def _check_games(self, transaction: Transaction, deadline: float) -> None:
        """Check damaged games again, and the next ones in the order of their ids, over and over."""
        for game_id in list(self._damaged):
            self._check_game(transaction, game_id)
        while self._clock() < deadline:
            ids = transaction.games.ids(self._after, BATCH)
            if not ids:
                self._after = ""
                return
            for game_id in ids:
                self._check_game(transaction, game_id)
                self._after = game_id
                if self._clock() >= deadline:
                    return

    def _check_game(self, transaction: Transaction, game_id: str) -> None:
        try:
            row = transaction.games.get(game_id)
            events = transaction.games.events(game_id)
            faults = verify_chain(events, None if row is None else (row.seq, row.hash))
            faults = faults or ledger_faults(transaction, game_id, events)
        except Damaged as error:
            if self._store.damage.reason is not None:  # not of this game alone
                raise
            faults = [error.message]
        self._damaged.pop(game_id, None)
        if faults:
            self._damaged[game_id] = f"game {game_id} is damaged: {faults[0]}"
