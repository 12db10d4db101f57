"""A stored game with every kind of event, its proof, and ways to falsify it."""

import copy
import json
from itertools import count

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from inkeek.records import Move
from inkeek.service.disputes import disputes
from inkeek.service.disputes.rulings import rule
from inkeek.service.disputes.terms import EndTermsData, Terms
from inkeek.service.games.annotations import Edit, annotate
from inkeek.service.games.corrections import take_back
from inkeek.service.games.people import join, leave, try_move
from inkeek.service.games.repository import Games
from inkeek.service.games.write import Write
from inkeek.service.maintenance.checkpoint import Checkpoint, write
from inkeek.service.maintenance.signatures import public_text, sign
from inkeek.service.proofs.file import sign_file
from inkeek.service.storage import GENESIS, LedgerHead, LedgerNote, canonical_json, next_entry, seal

KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
OTHER_KEY = Ed25519PrivateKey.from_private_bytes(bytes(32))
PUBLIC, OTHER_PUBLIC = public_text(KEY), public_text(OTHER_KEY)
NOW = "2026-11-22T18:30:00.000000Z"
GAME, OTHER_GAME = "k3v9wqz2mt", "z9y8x7w6v5"
DESK = Write("api:desk:k1", "Nasieku")
BOF = {"direction": "ccw", "skip_origin": False}


def fill(store):
    """Store the game, with turns of another game between its own. Return the number of its first dispute."""
    ids = iter([OTHER_GAME, GAME])
    games = Games(store, max_plies=5000, new_id=lambda: next(ids))

    def play(game_id, number=0):
        games.play(game_id, games.load(game_id).legal(9)[number], DESK)

    games.create("bof", {}, {}, DESK)
    play(OTHER_GAME)
    games.create("bof", {}, {"South": "Ann", "North": 'B "the é" {x}'}, DESK)
    for number in (0, 1, 0):
        play(GAME, number)
        play(OTHER_GAME)
    games.retag(GAME, {"Round": "2", "South": None}, DESK)
    join(games, GAME, "South", "Koinet", DESK)
    edits = [Edit("add[0]", "nag", 1, 2), Edit("add[1]", "comment", "why? \u2603", 1)]
    annotate(games, GAME, edits, DESK, is_arbiter=False)
    try_move(games, GAME, games.load(GAME).legal(1)[0], DESK)
    leave(games, GAME, "South", "Koinet", DESK)
    play(GAME)
    first = disputes.open_dispute(games, GAME, "South", "one too few", DESK)
    move = Move.parse(str(games.load(GAME).record.plies[-1].move))
    rule(games, first.id, Terms("corrected", "seen by all", str(move)), DESK)
    take_back(games, GAME, "agreement", DESK)
    play(OTHER_GAME)
    play(GAME)
    second = disputes.open_dispute(games, GAME, "North", "twice", DESK)
    rule(games, second.id, Terms("retracted"), DESK)
    third = disputes.open_dispute(games, GAME, "North", "late", DESK)
    rule(games, third.id, Terms("stands"), DESK)
    games.end(GAME, "resignation", "South", DESK)
    fourth = disputes.open_dispute(games, GAME, "North", "not resigned", DESK, about="end")
    rule(games, fourth.id, Terms("corrected", "agreed", end=EndTermsData("agreement", None, None)), DESK)
    play(OTHER_GAME)
    return first.seq


class Draft:
    """The lines of a proof, to be changed and written again."""

    def __init__(self, data):
        self.lines = [json.loads(line) for line in data.splitlines()]

    def copy(self):
        return copy.deepcopy(self)

    def places(self, name):
        return [at for at, line in enumerate(self.lines) if name in line]

    @property
    def events(self):
        return [self.lines[at]["event"] for at in self.places("event")]

    def data(self):
        """The file with the last line as it is."""
        return b"".join(encoded(line) for line in self.lines)

    def signed(self, key=KEY):
        """The file, signed again."""
        return sign_file(b"".join(encoded(line) for line in self.lines[:-1]), key)

    def rehash(self):
        """Write the chain of the events anew, with numbers without gaps."""
        previous = GENESIS
        for seq, at in enumerate(self.places("event"), 1):
            body = self.lines[at]["event"]
            event = seal(body[0], seq, *body[2:7], previous)
            self.lines[at] = {"event": list(event[:-1]), "hash": event.hash}
            previous = event.hash
        return self

    def rewrite_ledger(self, key=KEY):
        """Write the ledger anew, so that it has the events as they are, and sign its end."""
        first, last = self.places("checkpoint")
        hashes = {line["event"][1]: line["hash"] for line in self.lines if "event" in line}
        start = self.lines[first]["checkpoint"]
        start = LedgerHead(start["position"], start["hash"])
        head, seq = start, count(1)
        entries = []
        own = [at for at in self.places("entry") if self.lines[at]["entry"][1] == GAME]
        for at in self.places("entry"):
            _, game, number, begin, end, newest = self.lines[at]["entry"]
            if game == GAME:
                many = end - begin + 1
                numbers = [one for one in (next(seq) for _ in range(many)) if one in hashes]
                if not numbers:
                    continue
                begin, end = numbers[0], max(hashes) if at == own[-1] else numbers[-1]
                newest = hashes[end]
            entry = next_entry(head, LedgerNote(game, number, begin, end, "", newest))
            entries.append({"entry": [*entry[:5], entry.head], "hash": entry.hash})
            head = LedgerHead(entry.position, entry.hash)
        documents = [signed_checkpoint(at, key) for at in (start, head)]
        self.lines[first : last + 1] = [{"checkpoint": documents[0]}, *entries, {"checkpoint": documents[1]}]
        return self


def signed_checkpoint(head, key):
    return write(Checkpoint(head.position, head.hash, None, None, NOW), key)


def resigned(document, key=KEY, **changes):
    """A signed document with changes, signed again."""
    body = {name: value for name, value in {**document, **changes}.items() if name not in ("key", "signature")}
    return sign(body, key)


def encoded(line):
    return canonical_json(line) + b"\n"


def changed_values(value):
    """Other values than this one, of the same type or not; containers with each part changed."""
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, int):
        yield value + 1
        yield str(value)
    elif isinstance(value, str):
        yield value + "x"
        yield value[:-1] if value else None
        yield None
    elif value is None:
        yield "x"
        yield 0
    elif isinstance(value, list):
        yield [*value, None]
        for at, inner in enumerate(value):
            yield value[:at] + value[at + 1 :]
            for other in changed_values(inner):
                yield [*value[:at], other, *value[at + 1 :]]
    else:
        yield {**value, "more": 1}
        if len(value) > 1:
            yield dict(reversed(value.items()))
        for name, inner in value.items():
            yield {other: item for other, item in value.items() if other != name}
            yield {(f"{other}x" if other == name else other): item for other, item in value.items()}
            for changed in changed_values(inner):
                yield {**value, name: changed}
