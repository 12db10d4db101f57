"""Check a proof without the service, its database or a network."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice, zip_longest

from inkeek.records import RecordsError, read_games, write_game
from inkeek.service.errors import Invalid, ServiceError
from inkeek.service.games.integrity import event_faults, note_faults, replay_faults
from inkeek.service.games.record_check import MAX_TAGS
from inkeek.service.games.state import GameState, game_state
from inkeek.service.maintenance.checkpoint import Checkpoint, read_document
from inkeek.service.maintenance.signatures import check_signature
from inkeek.service.storage import GENESIS, GameEvent, LedgerHead, next_entry, verify_chain

from .file import ProofFile, read_proof, seal

CHECKS = ("file", "signature", "chain", "ledger", "checkpoints", "record", "rules", "rulings")
MAX_FAULTS = 20  # listed of each check
MAX_ALL_TAGS = 3 * MAX_TAGS  # in one event, and in a game
MAX_MOVED = 200_000  # comments that retractions move to the turn before
MAX_REPLAYED = 2_000_000  # events that are played again before rulings
# What reading events can raise, whose data can be anything.
_UNREADABLE = (ServiceError, LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError)


@dataclass(frozen=True, slots=True)
class ProofFault:
    """What is wrong, found by one of `CHECKS`. The message begins with the place: an event, an entry, a line."""

    check: str
    message: str


@dataclass
class ProofReport:
    """What was found in a proof. `checked` says of each check that was made what it looked at.

    `key` is the public key that signed it, None if that cannot be said.
    """

    game: str = ""
    dispute: int | None = None
    key: str | None = None
    checked: dict[str, str] = field(default_factory=dict)
    faults: list[ProofFault] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        """Whether every check was made and found nothing."""
        return not self.faults and self.checked.keys() >= set(CHECKS)

    def add(self, check: str, messages: Sequence[str], looked_at: str) -> bool:
        """Add the result of a check. Return whether it found nothing."""
        self.checked[check] = looked_at
        self.faults += [ProofFault(check, message[:2000]) for message in messages[:MAX_FAULTS]]
        if len(messages) > MAX_FAULTS:
            self.faults.append(ProofFault(check, f"{len(messages) - MAX_FAULTS} more faults are not listed"))
        return not messages


def check_proof(data: bytes, keys: Sequence[str], kept: Mapping[str, Checkpoint] | None = None) -> ProofReport:
    """Check a proof: it must be signed with one of the public `keys`.

    The ledger in it must have what the `kept` checkpoints, by their names, say.
    """
    report = ProofReport()
    try:
        proof = read_proof(data)
    except Invalid as error:
        report.add("file", [error.message], f"{len(data)} bytes")
        return report
    header = proof.header
    report.game, report.dispute = header.game, header.dispute
    report.add("file", [], f"{len(data)} bytes, made {header.time}")
    _check_signature(report, proof, keys)
    if _check_chain(report, proof) and _check_work(report, proof.events):
        _check_content(report, proof)
    _check_ledger(report, proof, keys, kept or {})
    return report


def _check_signature(report: ProofReport, proof: ProofFile, keys: Sequence[str]) -> None:
    faults: list[str] = []
    expected = seal(proof.signed)
    try:
        report.key = check_signature(proof.signature)
        faults += _signer_faults("the file", report.key, keys)
    except Invalid as error:
        faults.append(f"the last line: {error.message}")
    body = {name: value for name, value in proof.signature.items() if name not in ("key", "signature")}
    if body != expected:
        message = "the last line signs other lines than these: one was changed, added or removed"
        faults.append(f"{message} (it says {str(body)[:200]}: expected {expected})")
    report.add("signature", faults, f"by {report.key}")


def _signer_faults(what: str, key: str | None, keys: Sequence[str]) -> list[str]:
    if key is None:
        return [f"{what} is not signed"]
    return [] if key in keys else [f"{what} is signed with {key}: expected {' or '.join(keys)}"]


def _check_chain(report: ProofReport, proof: ProofFile) -> bool:
    events, game = proof.events, proof.header.game
    faults = verify_chain(events)
    others = [event for event in events if event.game != game]
    faults += [f"event {event.seq} is of game {event.game!r}: expected {game!r}" for event in others]
    times = f"from {events[0].time} to {events[-1].time}"
    return report.add("chain", faults, f"{len(events)} events {times}, the last with the hash {events[-1].hash}")


def _check_ledger(report: ProofReport, proof: ProofFile, keys: Sequence[str], kept: Mapping[str, Checkpoint]) -> None:
    """Check the entries and the checkpoints: that nothing between them is missing, and that the game has all of it."""
    faults: list[str] = []
    checkpoints: list[Checkpoint] = []
    for which, document in (("first", proof.start), ("second", proof.end)):
        try:
            checkpoint, key = read_document(document)
            checkpoints.append(checkpoint)
            faults += _signer_faults(f"the {which} checkpoint", key, keys)
        except Invalid as error:
            faults.append(f"the {which} checkpoint: {error.message}")
    if len(checkpoints) < 2:
        report.add("checkpoints", faults, "")
        return
    start, end = checkpoints
    heads = {start.position: start.hash}
    faults += _chain_of_entries(report, proof, start, end, heads)
    for name, checkpoint in kept.items():
        found = heads.get(checkpoint.position)
        if found is None:
            span = f"entries {start.position} to {end.position}"
            faults.append(f"{name}: it is about entry {checkpoint.position}, the proof has {span}: not compared")
        elif found != checkpoint.hash:
            faults.append(f"{name}: entry {checkpoint.position} has another hash in the proof: another ledger")
    signed = f"entry {start.position}, signed {start.time}, and entry {end.position}, signed {end.time}"
    report.add("checkpoints", faults, signed + (f"; compared with {', '.join(kept)}" if kept else ""))


def _chain_of_entries(
    report: ProofReport, proof: ProofFile, start: Checkpoint, end: Checkpoint, heads: dict[int, str]
) -> list[str]:
    """Check the entries, note their hashes in `heads`, and return what is wrong with the checkpoints."""
    faults: list[str] = []
    head = LedgerHead(start.position, start.hash)
    for entry in proof.entries:
        if entry.position != head.position + 1:
            faults.append(f"entry {entry.position} follows entry {head.position}: those between are missing or twice")
        elif next_entry(head, entry.note).hash != entry.hash:
            faults.append(f"entry {entry.position}, of game {entry.game}: its hash does not fit what it says")
        head = LedgerHead(entry.position, entry.hash)
        heads[entry.position] = entry.hash
    own = [entry for entry in proof.entries if entry.game == proof.header.game]
    if own:
        notes = [(f"entry {entry.position}", entry.note) for entry in own]
        faults += note_faults(notes, proof.events, own[0].number, own[0].first - 1 if start.position else 0)
    else:
        faults.append(f"no entry is of game {proof.header.game}: nothing says which of its events is the last")
    looked_at = f"{len(proof.entries)} entries, {len(own)} of this game"
    if report.add("ledger", faults, looked_at) and own:
        new = f"events {own[0].first} to {own[-1].seq} were stored between the checkpoints, and no others"
        report.checked["ledger"] = f"{looked_at}: {new}"
    wrong = []
    if start.position == 0 and start.hash != GENESIS:
        wrong.append("the first checkpoint is about entry 0 with another hash than 64 zeros")
    if head != (end.position, end.hash):
        wrong.append(
            f"the second checkpoint is about entry {end.position}, with another hash than entry {head.position}"
        )
    return wrong


def _check_work(report: ProofReport, events: Sequence[GameEvent]) -> bool:
    """Check that reading the events cannot take long: game state and record cost more than their size in three ways."""
    moved, tags, replayed = 0, 0, 0
    stack = [0]  # how many comments each ply has at most
    for event in events:
        added = 1
        if event.kind == "ruling":
            replayed += event.seq
            if replayed > MAX_REPLAYED:
                return report.add("record", [f"event {event.seq} is one ruling more than can be checked"], "")
        if event.kind in ("tags", "created") and isinstance(found := event.data.get("tags"), dict):
            tags += len(found)
            if len(found) > MAX_ALL_TAGS or tags > MAX_MOVED:
                return report.add("record", [f"event {event.seq} has too many tags to be checked"], "")
        if event.kind == "turn":
            turn = event.data.get("turn")
            comments = turn.get("comments") if isinstance(turn, dict) else None
            stack.append(len(comments) if isinstance(comments, list) else 0)
        elif event.kind == "retraction" and len(stack) > 1:
            added += stack.pop()
            moved += added
        elif event.kind == "annotations" and isinstance(changes := event.data.get("changes"), list):
            added += len(changes)
        if event.kind != "turn":
            stack[-1] += added
        if moved > MAX_MOVED:
            return report.add("record", [f"event {event.seq} moves more comments than can be checked"], "")
    return True


def _check_content(report: ProofReport, proof: ProofFile) -> None:
    """Check what the events say: that they make up a game, by the rules; that the record is theirs; the rulings."""
    state = _state(report, proof.events)
    if state is None:
        return
    row = state.row
    players = " and ".join(f"{side} {row.tags.get(side, '?')[:80]}" for side in ("South", "North"))
    how = "the game goes on" if row.state == "live" else f"{row.result}, {row.termination}"
    report.add("record", _record_faults(state, proof.record), f"{row.game}: {players}; {row.ply} turns; {how}")
    turns = sum(event.kind == "turn" for event in proof.events)
    report.add("rules", replay_faults(state), f"{turns} turns replayed, {turns - len(state.turns)} of them taken back")
    faults = event_faults(state)
    disputes = {dispute.seq: dispute for dispute in state.disputes}
    ruled = sum(dispute.state == "ruled" for dispute in state.disputes)
    looked_at = f"disputes: {len(disputes)}, ruled on: {ruled}"
    if report.dispute is not None:
        dispute = disputes.get(report.dispute)
        if dispute is None:
            faults.append(f"event {report.dispute} is no dispute, but the first line says so")
        else:
            ruling = f"{dispute.outcome}, by {dispute.arbiter!r}" if dispute.state == "ruled" else "not ruled on"
            looked_at += f"; this one by {dispute.side}, turn {dispute.ply}: {dispute.claim!r:.200}: {ruling}"
    report.add("rulings", faults, looked_at)


def _state(report: ProofReport, events: Sequence[GameEvent]) -> GameState | None:
    """The state of the game; None if the events are not those of a game, which is reported with the first such one."""

    def read(count: int) -> GameState:
        state = game_state(events[:count])
        state.record.replay()
        event_faults(state)
        return state

    try:
        return read(len(events))
    except _UNREADABLE as error:
        first = _first_failing(read, len(events))
        reason = str(error) if isinstance(error, ServiceError | RecordsError) else repr(error)
        message = f"a {events[first - 1].kind!r} with this data cannot follow the events before it ({reason})"
        report.add("record", [f"event {first}: {message}"], "")
        return None


def _first_failing(read: Callable[[int], object], count: int) -> int:
    """The first number of events with which `read` fails; it fails with `count`, and with all from some number on."""
    good, bad = 0, count
    while bad - good > 1:
        middle = (good + bad) // 2
        try:
            read(middle)
            good = middle
        except _UNREADABLE:
            bad = middle
    return bad


def _record_faults(state: GameState, text: str) -> list[str]:
    """Where the record in the file is not that of the events."""
    found = list(islice(read_games(text.splitlines(keepends=True)), 2))
    if len(found) != 1 or found[0].errors:
        errors = [str(error) for game in found for error in game.errors]
        return ["the record: expected one record without errors", *errors]
    theirs, ours = (write_game(game).splitlines() for game in (found[0], state.record))
    for number, (here, there) in enumerate(zip_longest(theirs, ours, fillvalue=""), 1):
        if here != there:
            return [f"the record, line {number}: it says {here[:200]!r}, but the events {there[:200]!r}"]
    return []
