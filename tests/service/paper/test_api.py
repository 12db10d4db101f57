from inkeek.records import read_games

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


def test_what_an_import_would_warn_of_is_listed(client):
    assert read(client, text=SHEET)["warnings"] == []
    found = read(client, text=f"{SHEET}\nConsent: as agreed with Kofi")
    assert found["errors"] == []
    assert "as agreed with Kofi" in " ".join(found["warnings"])


def test_what_the_sheet_says_otherwise_is_named_in_a_warning(client):
    found = read(client, text=SHEET, tags={"South": "Hodan"})
    assert '[South "Amina"]' in found["record"]
    assert "Hodan" in " ".join(found["warnings"])


def test_a_word_that_cannot_be_has_its_place_and_what_would_be_legal(client):
    found = read(client, text="c D\nq", tags={"South": "Amina"})
    (wrong,) = (token for token in found["tokens"] if token["meaning"] == "wrong")
    assert (wrong["line"], wrong["column"]) == (2, 1)
    assert "a" in wrong["legal"]
    assert found["errors"]
    assert found["legal"] == []


def test_the_spans_are_the_text_and_what_is_left_out_is_listed(client):
    text = "Amina – Babu\n1. c D\n2 b E missed two\nthen a"
    found = read(client, text=text)
    assert "".join(text[token["start"] : token["end"]] for token in found["tokens"]) == text
    assert [left["text"] for left in found["left_out"]][:1] == ["missed two"]
    assert all(left["line"] for left in found["left_out"])
    assert len(found["errors"]) == sum(token["meaning"] == "wrong" for token in found["tokens"])


def test_a_mark_has_its_readings(client):
    found = read(client, text="Date: 3/4/27\n1. c D\nSouth thinks about time")
    (mark,) = (token for token in found["tokens"] if token["meaning"] == "wrong")
    assert [reading["text"] for reading in mark["readings"]] == ["{South thinks about time}"]
    (date,) = (token for token in found["tokens"] if token["meaning"] == "fact")
    assert [reading["text"] for reading in date["readings"]][:2] == ['[Date "2027.04.03"]', '[Date "1927.04.03"]']
