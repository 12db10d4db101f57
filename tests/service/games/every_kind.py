"""Games with events of every kind and most of their fields, the same in every run.

``python -m tests.service.games.every_kind`` writes `GOLDEN` again. Only new lines may differ: stored games keep theirs.
"""

import itertools
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

from inkeek.records import Move
from inkeek.service.disputes import disputes, evidence, rulings
from inkeek.service.disputes.event_data import SensorsData
from inkeek.service.disputes.terms import ClockData, EndTermsData, PenaltyData, Terms
from inkeek.service.games import corrections, people
from inkeek.service.games.annotations import Edit, annotate, write_annotations
from inkeek.service.games.corrections import take_back
from inkeek.service.games.endings import CorrectedEnd
from inkeek.service.games.library.transfer import import_games
from inkeek.service.games.matches.matches import Matches
from inkeek.service.games.plies import COMMENT, NAG, VARIATION
from inkeek.service.games.repository import Games
from inkeek.service.games.write import Write
from inkeek.service.maintenance.archive import export
from inkeek.service.storage import dispute_id
from inkeek.service.storage.store import Store
from tests.databases import sqlite_database
from tests.service.photographs import jpeg

NASIEKU, LEMAYIAN = Write("page:Nasieku:k1", "Nasieku"), Write("page:Lemayian:k2", "Lemayian")
ARBITER, OTHER = Write("api:Ole Kina:k3", "Ole Kina"), Write("api:Naisula:k4", "Naisula")
GOLDEN = Path(__file__).parents[2] / "data/events.jsonl"  # the events of these games, as they have always been written
JPEG = jpeg()
RECORD = b"""[Game "kalah"]
[South "A"]
[North "B"]
[Result "1-0"]
[Termination "resignation"]

{before} a? {short} (b $1 {long} A) A 1-0
"""


def store_every_kind(store: Store) -> Games:
    """Play these games; return all games of the store."""
    seconds, ids = itertools.count(), itertools.count(1)
    start = datetime(2026, 11, 20, 12, tzinfo=UTC)
    games = Games(
        store,
        max_plies=500,
        clock=lambda: start + timedelta(seconds=next(seconds)),
        new_id=lambda: f"game{next(ids):06}",
    )
    _dispute_turns(games)
    _dispute_the_end(games)
    _annotate(games)
    results = list(import_games(games, RECORD.splitlines(keepends=True), 10, Write("import")))
    assert all(result.ok for result in results), results
    first = Matches(store, games).begin("oware", "games 2", {}, {"South": "A", "North": "B"}, NASIEKU).id
    games.end(first, "resignation", "North", NASIEKU)
    Matches(store, games).go_on(first, "", {}, NASIEKU)
    return games


def _play(games: Games, game: str, count: int, write: Write = NASIEKU) -> None:
    for _ in range(count):
        games.play(game, games.load(game).legal(1)[0], write, ["by hand"] if count == 1 else [])


def _last(games: Games, game: str) -> int:
    return games.row(game).seq


def _dispute_turns(games: Games) -> None:
    game = games.create("enkeshui", {"pits": 8}, {"South": "West bench", "Event": "Cup"}, NASIEKU).id
    people.join(games, game, "South", "Nasieku", NASIEKU)
    people.join(games, game, "North", "Lemayian", LEMAYIAN)
    _play(games, game, 3)
    people.try_move(games, game, games.load(game).legal(1)[0].choice, LEMAYIAN)
    _play(games, game, 1, LEMAYIAN)
    take_back(games, game, "team", LEMAYIAN, "North", "the wrong pit")
    _play(games, game, 3)
    people.leave(games, game, "North", "Lemayian", LEMAYIAN)
    sensors = SensorsData((4.0, 3.9, None, 0.25), (3, 1))
    seen = games.row(game).position
    one = disputes.open_dispute(games, game, "North", "one short", LEMAYIAN, seen, ply=5, sensors=sensors).id
    disputes.add_claim(games, one, "two short", LEMAYIAN)
    disputes.add_claim(games, one, "", LEMAYIAN, seen)
    evidence.add_evidence(games, one, "Naisula", "saw it", ARBITER)
    shown = evidence.add_evidence(games, one, "Naisula", "", ARBITER, JPEG).seq
    evidence.release(games, one, shown, ARBITER)
    evidence.remove(games, one, shown, ARBITER, is_admin=True)
    penalties = (PenaltyData("South", "warning", note="again"), PenaltyData("North", "seeds", 2))
    clocks = (ClockData("North", to=60), ClockData("South", add=30))
    terms = Terms("retracted", "as agreed", to=3, penalties=penalties, clocks=clocks)
    rulings.propose(games, one, "North", terms, LEMAYIAN)
    rulings.respond(games, one, _last(games, game), "South", NASIEKU, accepts=False)
    rulings.propose(games, one, "North", terms, LEMAYIAN)
    rulings.respond(games, one, _last(games, game), "South", NASIEKU, accepts=True)
    rulings.appeal(games, one, "too hard", LEMAYIAN, "North")
    finding = {"legal": False, "accounts": [{"kinds": ["short"], "probability": 0.75}]}
    rulings.rule(games, one, Terms("stands", "it was right"), ARBITER, finding=finding)
    rulings.rule(games, one, Terms("retracted", "no"), ARBITER, corrects="misread")
    two = disputes.open_dispute(games, game, "South", "by mistake", NASIEKU).id
    rulings.withdraw(games, two, NASIEKU, "nothing was wrong")
    three = disputes.open_dispute(games, game, "South", "another pit", NASIEKU).id
    rulings.rule(games, three, Terms("ended", "South left", end=EndTermsData("forfeit", "North", None)), ARBITER)


def _dispute_the_end(games: Games) -> None:
    game = games.create("oware", {}, {}, NASIEKU, "4.4.4.4.4.4/4.4.4.4.4.4 0-0 s 0").id
    _play(games, game, 5)
    games.retag(game, {"Site": "Narok", "Round": None}, NASIEKU)
    games.end(game, "agreement", None, NASIEKU)
    corrections.correct_end(games, game, CorrectedEnd("adjudication", "South", (25, 23)), "counted", ARBITER)
    corrections.reopen(games, game, "not over", ARBITER)
    _play(games, game, 1)
    games.end(game, "resignation", "South", NASIEKU)
    one = disputes.open_dispute(games, game, "North", "I did not resign", LEMAYIAN, about="end").id
    rulings.rule(games, one, Terms("corrected", "he did", end=EndTermsData("adjudication", "North", None)), ARBITER)
    rulings.appeal(games, one, "again", ARBITER, is_arbiter=True)
    rulings.rule(games, one, Terms("reopened", "nobody resigned"), OTHER)
    disputes.open_dispute(games, game, "North", "turn on the board", LEMAYIAN, ply=7)
    two = dispute_id(game, _last(games, game))
    position = games.load(game).state.positions[6]
    legal = games.load(game).legal(1)[0]
    rulings.rule(games, two, Terms("corrected", "so", str(legal), keeps=True), ARBITER)
    assert games.row(game).position != position


def _annotate(games: Games) -> None:
    game = games.create("kalah", {}, {"South": "José", "North": "Ọlá"}, NASIEKU).id
    _play(games, game, 2)
    reply = str(games.load(game).legal(1)[0])
    first = str(games.load(game).state.record.plies[0].move.choice)
    edits = [
        Edit("", NAG, 1, 1),
        Edit("", COMMENT, "a long way round", 2),
        Edit("", COMMENT, "before", 0),
        Edit("", VARIATION, {"comments": ["better"], "plies": [{"move": first, "nags": [3]}]}, 1),
    ]
    _, found = annotate(games, game, edits, NASIEKU, is_arbiter=False)
    texts = {one.value: one.id for one in found if one.kind == COMMENT}
    changes = [Edit("", COMMENT, "a way round", id=texts["a long way round"]), Edit("", id=texts["before"])]
    annotate(games, game, changes, NASIEKU, is_arbiter=False)
    notes = [Edit("", COMMENT, "[%value 1.5]", 2)]
    write_annotations(games, game, lambda state: notes, ARBITER, is_arbiter=False, from_analysis=True)
    games.play(game, Move.parse(reply).choice, NASIEKU)


def _write() -> None:
    with tempfile.TemporaryDirectory() as name, sqlite_database(Path(name), empty=False) as database:
        store = Store(database)
        store_every_kind(store)
        GOLDEN.write_text("".join(export(store)), "utf-8")
        store.close()


if __name__ == "__main__":
    _write()
