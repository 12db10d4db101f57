import io
import re

import pytest

from inkeek.records import Move, read_games
from inkeek.service.games.library import persons
from inkeek.service.games.write import Write
from tests.service.clients import with_token


def test_an_export_without_names_has_one_pseudonym_for_a_person_and_obeys_consent(app, services):
    games, write = services.games, Write("api", "Nasieku")
    open_game = games.create("bof", {}, {"South": "Ada Lovelace", "North": "Zoe", "Site": "Zoe's yard"}, write).id
    games.play(open_game, Move.parse("c"), Write("api", "zoe"), ['ada lovelace, said ZOE [%board "zoe1" seq=1]'])
    games.create("bof", {}, {"South": "Zoe", "North": "?", "Consent": "pseudonyms"}, write)
    games.create("bof", {}, {"South": "Zoe", "North": "Bo", "Consent": "none"}, write)
    client = with_token(app)

    whole, limited = read_games(io.StringIO(client.get("/api/v1/games/export.pmn").text))
    assert whole.tags["South"] == "Ada Lovelace"
    text = client.get("/api/v1/games/export.pmn?names=pseudonyms").text
    assert not re.search("ada|lovelace|zoe(?!1)", text, re.IGNORECASE)
    first, second = read_games(io.StringIO(text))
    assert not first.errors
    assert first.plies[0].move == whole.plies[0].move
    assert first.tags["North"] == second.tags["South"] == limited.tags["South"] != first.tags["South"]
    assert second.tags["North"] == "?"
    assert f'by "{first.tags["North"]}"' in text
    assert client.get("/api/v1/games/export.ndjson?names=pseudonyms").text.count("Zoe") == 0
    assert client.get("/api/v1/games/export.pmn?names=pseudonyms").text == text
    for table in ("games", "turns"):
        assert "Bo" not in client.get(f"/api/v1/{table}.csv").text
        rows = client.get(f"/api/v1/{table}.csv?names=pseudonyms").text
        assert not re.search("ada|lovelace|zoe", rows, re.IGNORECASE)
        assert first.tags["North"] in rows or table == "turns"


def test_a_pseudonym_stays_whatever_a_person_is_renamed_to(app, services):
    services.games.create("bof", {}, {"South": "Zoo", "North": "Bo"}, Write("api"))
    services.games.create("bof", {}, {"South": "Ann", "North": "Ola"}, Write("api"))
    client = with_token(app, "admin")

    def pseudonyms():
        games = read_games(io.StringIO(client.get("/api/v1/games/export.pmn?names=pseudonyms").text))
        return [game.tags[side] for game in games for side in ("South", "North")]

    zoo, bo, ann, ola = pseudonyms()
    events, store, write = services.events, services.store, Write("api")
    for key, name in (("zoo", "Zoo Ali"), ("zoo ali", "ZOO ALI"), ("zoo", "Zoe Ali"), ("zoe ali", "Zoo Ali")):
        persons.rename(events, store, key, name, write)
        assert pseudonyms() == [zoo, bo, ann, ola]
    persons.join(events, store, "ann", "Zoo", write)
    persons.rename(events, store, "ann", "Ann", write)
    assert pseudonyms() == [zoo, bo, zoo, ola]
    with store.reading() as transaction:
        (last, *_) = transaction.changes.newest("person", ["ann"], 1)
    persons.undo(events, store, "ann", last.number, write, is_admin=True)
    assert pseudonyms() == [zoo, bo, zoo, ola]


def test_an_export_says_how_many_games_are_not_as_they_are_stored(app, services):
    for consent in ("none", "none", "pseudonyms", "?"):
        services.games.create("bof", {}, {"South": "Zoe", "Consent": consent}, Write("api"))
    text = with_token(app).get("/api/v1/games/export.pmn").text
    assert [line[-1] for line in text.splitlines() if line.startswith("%")] == ["2", "1"]
    assert [game.errors for game in read_games(io.StringIO(text))] == [(), ()]


def test_a_pseudonym_stays_one_in_a_copy_elsewhere(app, services):
    services.games.create("bof", {}, {"South": "P-k3v7wqz2", "North": "Ada", "Consent": "pseudonyms"}, Write("api"))
    (copy,) = read_games(io.StringIO(with_token(app).get("/api/v1/games/export.pmn").text))
    assert copy.tags["South"] == "P-k3v7wqz2"
    assert copy.tags["North"] != "Ada"


@pytest.mark.parametrize(
    "consent", ["None", " NONE ", "refused", "Pseudonyms", "anonymous, please", "not anonymous", "as the club says"]
)
def test_consent_is_obeyed_however_it_is_written(app, services, consent):
    services.games.create("bof", {}, {"South": "Ada", "North": "Zoe", "Consent": consent}, Write("api"))
    client = with_token(app)
    for path in ("export.pmn", "export.ndjson", "export"):
        assert not re.search("Ada|Zoe", client.get(f"/api/v1/games/{path}").text)
    assert not re.search("Ada|Zoe", client.get("/api/v1/games.csv").text)


def test_who_was_taken_out_has_no_name_in_the_words_of_an_export_without_names(app, services):
    games, write, client = services.games, Write("api", "Nasieku"), with_token(app, "admin")
    names = {"South": "Ada B.", "North": "Zoe", "Site": "Ada B.'s yard", "Source": "told by ada  b., at Zoe's"}
    game = games.create("bof", {}, names, write).id
    games.play(game, Move.parse("c"), write, ["(Ada B. yawned)"])
    player = client.get("/api/v1/players").json["items"][0]["id"]
    stand_in = client.post(f"/api/v1/players/{player}/removal", json={}).json["name"]
    texts = [client.get(f"/api/v1/games/{path}?names=pseudonyms").text for path in ("export.pmn", "export.ndjson")]
    for text in (*texts, client.get("/api/v1/games.csv?names=pseudonyms").text):
        assert not re.search(f"Ada|Zoe|{stand_in}", text, re.IGNORECASE)
    (record,) = read_games(io.StringIO(texts[0]))
    assert record.tags["Site"] == f"{record.tags['South']}'s yard"
    assert record.tags["Source"] == f"told by {record.tags['South']}, at {record.tags['North']}'s"
    assert f"({record.tags['South']} yawned)" in texts[0]
