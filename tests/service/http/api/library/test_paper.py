from records import read_games

SHEET = "Amina - Babu\n1. c D\n2. a F\nAmina resigned"


def read(client, status=200, **body):
    answer = client.post("/api/v1/paper", json={"game": "oware", **body})
    assert answer.status_code == status
    return answer.json


def test_a_sheet_is_read_and_not_stored(client, services):
    found = read(client, text=SHEET)
    assert found["errors"] == []
    assert [token["move"] for token in found["tokens"] if token["ply"]] == ["c", "D", "a", "F"]
    (record,) = read_games(found["record"].splitlines(True))
    assert not record.errors
    assert record.tags["Termination"] == "resignation"
    assert len(found["positions"]) == 5
    with services.store.reading() as transaction:
        assert transaction.games.count() == 0


def test_a_word_that_cannot_be_has_its_place_and_what_would_be_legal(client):
    found = read(client, text="c D\nq", tags={"South": "Amina"})
    (wrong,) = (token for token in found["tokens"] if token["meaning"] == "wrong")
    assert (wrong["line"], wrong["column"]) == (2, 1)
    assert "a" in wrong["legal"]
    assert found["errors"]
    assert found["legal"] == []


def test_rules_that_cannot_be_are_refused(client):
    assert read(client, 422, text="c", options={"pits": 8})["type"]
