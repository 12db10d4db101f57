from __future__ import annotations

import re
import shutil
from datetime import UTC, datetime
from html.parser import HTMLParser
from pathlib import Path

import pytest

from inkeek.records import Move, Position
from inkeek.records.language import load_language
from inkeek.service.app import create_app
from inkeek.service.boards.turn_recording import Touch, TurnRecording
from inkeek.service.disputes.disputes import add_claim, open_dispute
from inkeek.service.disputes.event_data import SensorsData
from inkeek.service.disputes.rulings import appeal, propose, rule
from inkeek.service.disputes.sheet import sensor_entries
from inkeek.service.disputes.terms import ClockData, EndTermsData, PenaltyData, Terms
from inkeek.service.games.write import Write
from inkeek.service.http.context import services_of
from inkeek.service.processes.places import Places, Sender
from tests.service.positions import moved

PARTS = ["turn", "accounts", "rules", "ruling", "signatures", "proof"]
ELSEWHERE = {"REMOTE_ADDR": "192.0.2.9"}
BOARD = Path(__file__).parents[4] / "docs" / "examples" / "board.jsonl"


class Outline(HTMLParser):
    """The parts of a sheet: what stands in it, without words."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.parts: list[str] = []
        self.tags: list[str] = []
        self.classes: list[str] = []
        self.texts: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        self.tags.append(tag)
        self.classes += (values.get("class") or "").split()
        if "data-part" in values:
            self.parts.append(values["data-part"] or "")

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


@pytest.fixture
def dispute(games, new_game):
    """Makes a game whose last turn is disputed; game and number."""

    def make(seen: bool = True, turns: int = 3, claim: str = "A pit was skipped", **game) -> tuple[str, int]:
        game_id = new_game(turns, tags={"South": "Naisula", "North": "<b>Tipape</b>", "Event": "Narok Open"}, **game)
        board = moved(games.row(game_id).position) if seen else None
        return game_id, open_dispute(games, game_id, "South", claim, Write("api", actor="Naisula"), board).seq

    return make


def page(client, game_id: str, seq: int, query: str = "") -> tuple[str, Outline]:
    response = client.get(f"/games/{game_id}/disputes/{seq}/sheet{query}")
    assert response.status_code == 200, response.text
    return response.text, Outline(response.text)


@pytest.mark.parametrize(
    ("game", "query"),
    [
        ("enkeshui", "?lang=sw"),
        ("oware", ""),
        ("layli-goobalay", "?lang=sw"),
        ("bof", ""),
        ("kalah", ""),
        ("anywoli", ""),
    ],
)
def test_a_sheet_has_all_its_parts(client, games, dispute, game, query):
    game_id, seq = dispute(game=game)
    text, outline = page(client, game_id, seq, query)
    assert outline.parts == PARTS
    assert outline.tags.count("figure") == 2
    assert outline.classes.count("slip") == 1
    assert outline.classes.count("to-fill") == 3
    row = games.row(game_id)
    assert f"<code data-hash>{row.hash}</code>" in text
    assert "Naisula" in text
    assert "&lt;b&gt;Tipape&lt;/b&gt;" in text
    assert f'data-position="{games.load(game_id).turn(3).before}"' in text
    assert re.search(r'<html lang="(\w+)"', text)[1] == ("sw" if "sw" in query else "en")


def test_a_sheet_without_a_board_shows_the_turn_as_it_is_written(client, dispute):
    _text, outline = page(client, *dispute(seen=False))
    assert outline.parts == ["turn", "accounts", "ruling", "signatures", "proof"]
    assert outline.tags.count("tr") > 1
    assert "slip" not in outline.classes


def test_a_ruling_stands_on_the_sheet_and_the_turn_is_still_that_of_the_dispute(client, games, dispute):
    game_id, seq = dispute()
    before = str(games.load(game_id).turn(3).before)
    rule(games, f"{game_id}-{seq}", Terms("retracted", "Two saw it"), Write("api", actor="Sironka"))
    games.play(game_id, games.load(game_id).legal(1)[0], Write("api"))
    text, outline = page(client, game_id, seq)
    assert outline.parts == PARTS
    assert "to-fill" not in outline.classes
    assert "Sironka" in text
    assert "Two saw it" in text
    assert f'data-position="{before}"' in text


@pytest.mark.parametrize("language", ["en", "sw"])
def test_the_whole_course_stands_on_the_sheet(client, games, dispute, language):
    game_id, seq = dispute()
    name = f"{game_id}-{seq}"
    propose(games, name, "South", Terms("retracted", "Let us go back"), Write("api", actor="Naisula"))
    terms = Terms(
        "stands",
        "Nobody saw it",
        penalties=(PenaltyData("South", "seeds", 2, "for shouting"), PenaltyData("North", "warning")),
        clocks=(ClockData("South", add=3661), ClockData("North", to=600)),
    )
    rule(games, name, terms, Write("api", actor="Sironka"))
    appeal(games, name, "He did not look", Write("api", actor="Naisula"))
    text, outline = page(client, game_id, seq, f"?lang={language}")
    wanted = ["Let us go back", "Nobody saw it", "for shouting", "1:01:01", "0:10:00", "He did not look"]
    places = [text.index(words) for words in wanted]
    assert places == sorted(places)
    assert outline.classes.count("to-fill") == 3  # another ruling is to be written
    assert "(Sironka)" not in text[text.index('data-part="signatures"') :]
    rule(games, name, Terms("retracted", "I asked both"), Write("api", actor="Nasieku"))
    text, outline = page(client, game_id, seq, f"?lang={language}")
    assert "to-fill" not in outline.classes
    assert text.index("Nobody saw it") < text.index("I asked both")
    assert "(Nasieku)" in text[text.index('data-part="signatures"') :]


def test_what_an_overturned_ruling_ordered_is_marked_as_no_longer_ordered(client, games, dispute):
    game_id, seq = dispute()
    name, page = f"{game_id}-{seq}", f"/games/{game_id}/disputes/{seq}"
    dropped = PenaltyData("North", "seeds", 2, "for shouting")
    kept = PenaltyData("South", "warning", note="for sighing")
    clocks = (ClockData("South", add=120), ClockData("North", to=300))
    rule(games, name, Terms("stands", "so", penalties=(dropped, kept), clocks=clocks), Write("api", actor="Sironka"))
    appeal(games, name, "He did not look", Write("api", actor="Naisula"))
    for path in (page, f"{page}/sheet"):
        assert "data-dropped" not in client.get(path).text
    rule(games, name, Terms("stands", "I asked both", penalties=(kept,)), Write("api", actor="Nasieku"))
    for path in (page, f"{page}/sheet", f"{page}/sheet?lang=sw"):
        text = client.get(path).text
        marked = re.findall(r"data-dropped>[^<]+<s>([^<]+)</s>", text)
        for quoted, sentence in zip(("for shouting", "0:02:00", "0:05:00"), marked, strict=True):
            assert quoted in sentence
            assert text.count(quoted) == 1
        assert text.count("for sighing") >= 2


def test_a_dispute_about_an_earlier_turn_compares_what_lies_there_with_the_last_position(client, games, new_game):
    game_id = new_game(4, game="oware")
    board = moved(games.row(game_id).position)
    write = Write("api", actor="Naisula")
    seq = open_dispute(games, game_id, "South", "Turn 2 was wrong", write, board, ply=2).seq
    text, outline = page(client, game_id, seq)
    assert outline.parts == PARTS
    assert re.findall(r'data-position="([^"]+)"', text)[0] == str(games.load(game_id).turn(2).before)
    badges = re.findall(r'class="badge"[^>]*>([^<]+)<', text)
    assert sorted(badges) == sorted(["+1", "−1"])


def test_what_a_board_measured_is_what_lay_there(client, games, new_game):
    game_id = new_game(3, game="oware")
    counts = [float(seeds) for seeds in Position.parse(games.row(game_id).position).pits]
    lying = next(pit for pit, seeds in enumerate(counts) if seeds)
    counts[lying] -= 0.97
    sensors = SensorsData((*counts, None, None), None)
    seq = open_dispute(games, game_id, "South", "Look", Write("api"), sensors=sensors).seq
    text, outline = page(client, game_id, seq)
    assert "accounts" in outline.parts
    assert re.findall(r'class="badge"[^>]*>([^<]+)<', text) == ["+1"]
    assert text.count(">?</text>") == 2  # the stores, which nobody weighed


def test_a_dispute_about_the_end_has_no_turn(client, games, new_game):
    game_id = new_game(3)
    games.end(game_id, "resignation", "South", Write("api"))
    seq = open_dispute(games, game_id, "North", "I did not resign", Write("api"), about="end").seq
    for query in ("", "?lang=sw"):
        text, outline = page(client, game_id, seq, query)
        assert outline.parts == ["ruling", "signatures", "proof"]
        assert "I did not resign" in text
        assert outline.tags.count("figure") == 1
    terms = Terms("corrected", "They agreed", end=EndTermsData("agreement", None, None))
    rule(games, f"{game_id}-{seq}", terms, Write("api", actor="Sironka"))
    assert "They agreed" in page(client, game_id, seq)[0]


def test_an_irregular_turn_has_no_table(client, games, new_game):
    game_id = new_game(2)
    position = Position.parse(games.row(game_id).position)
    first = next(pit for pit in position.pits_of(position.to_move) if position.pits[pit])
    after = position.replaced(to_move=position.to_move.other, ply=position.ply + 1)
    games.play_irregular(game_id, Move.parse(f"~{position.letter(first)}"), str(after), Write("api"))
    seq = open_dispute(games, game_id, "South", "What was that?", Write("api"), str(after)).seq
    _text, outline = page(client, game_id, seq)
    assert "proof" in outline.parts


def test_times_of_sensors_are_those_of_the_zone():
    app = create_app({"TESTING": True, "time_zone": "Africa/Nairobi"})
    touch = Touch(datetime(2026, 11, 20, 22, 30, 5, 250_000, UTC), "button", 0, action="commit")
    with app.test_request_context("/"):
        position = Position.parse("4.4/4.4 0-0 s 0")
        ((time, _),) = sensor_entries(TurnRecording((touch,), complete=True), position, load_language("en"))
    assert time == "01:30:05.2"


def test_what_the_sensors_noticed_is_on_the_sheet(app, client, games, dispute, bind_board, tmp_path):
    game_id, seq = dispute()
    bind_board(game_id)
    events = games.load(game_id).events
    folder = tmp_path / "recordings"
    folder.mkdir()
    object.__setattr__(services_of(app).settings, "recordings", str(folder))
    start = events[-2].time
    recording = BOARD.read_text("utf-8").replace("2026-11-21T11:00:00.000000Z", start)
    lines = [re.sub(r'"t":[0-9.]+', '"t":0.0', line) for line in recording.splitlines()]
    name = re.sub(r"[-:]", "", start)
    (folder / f"{name}-board-{game_id}.jsonl").write_text("\n".join(lines) + "\n")
    text, outline = page(client, game_id, seq)
    assert outline.parts == ["turn", "accounts", "rules", "sensors", "ruling", "signatures", "proof"]
    sensors = text[text.index('data-part="sensors"') :]
    assert sensors.count(start[11:19]) >= 6
    shutil.rmtree(folder)
    assert "sensors" not in page(client, game_id, seq)[1].parts


def test_too_many_sheets_at_once_are_refused(app, client, dispute):
    game_id, seq = dispute()
    services = services_of(app)
    object.__setattr__(services, "places", services.places._replace(sheets=Places("Sheets", 1)))
    with services.places.sheets.taken(Sender("a", True)):
        response = client.get(f"/games/{game_id}/disputes/{seq}/sheet")
        assert (response.status_code, "Retry-After" in response.headers) == (503, True)
    assert client.get(f"/games/{game_id}/disputes/{seq}/sheet").status_code == 200


def test_a_long_claim_and_a_long_turn_still_make_a_sheet(client, dispute):
    text, _ = page(client, *dispute(claim="He said that " * 150, turns=9))
    assert text.count("He said that") == 150


def test_the_sheet_has_every_claim_and_the_score_and_table(client, games, new_game):
    game_id = new_game(2, tags={"Board": "7"})
    opened = open_dispute(games, game_id, "South", "five were lifted", Write("api", actor="Naisula"))
    add_claim(games, opened.id, "and one fell down", Write("api", actor="Lemayian"))
    terms = Terms("ended", "so it was", end=EndTermsData("forfeit", "South", [30, 18]))
    rule(games, opened.id, terms, Write("api", actor="Koinet"))
    for text in (page(client, game_id, opened.seq)[0], client.get(f"/games/{game_id}/disputes/{opened.seq}").text):
        for said in ("five were lifted", "and one fell down", "Lemayian", "30–18"):
            assert said in text
    assert "<dd>7</dd>" in page(client, game_id, opened.seq)[0]


def test_the_board_of_a_disputed_end_is_on_the_sheet_if_it_was_counted(client, games, new_game):
    game_id = new_game(2)
    games.end(game_id, "resignation", "South", Write("api"))
    opened = open_dispute(games, game_id, "North", "nobody resigned", Write("api"), about="end")
    recorded = games.row(game_id).position
    lies = moved(recorded)
    add_claim(games, opened.id, "", Write("api", actor="Lemayian"), lies)
    assert re.findall(r'data-position="([^"]+)"', page(client, game_id, opened.seq)[0]) == [recorded, lies]


@pytest.mark.parametrize("turns", [0, 3])
@pytest.mark.parametrize("seen", [True, False])
def test_the_sheet_of_a_turn_on_the_board_begins_with_the_recorded_position(client, games, new_game, turns, seen):
    game_id = new_game(turns)
    before = games.row(game_id).position
    board = moved(before) if seen else None
    write = Write("api", actor="Naisula")
    seq = open_dispute(games, game_id, "South", "A pit was skipped", write, board, ply=turns + 1).seq
    for language in ("en", "sw"):
        text, outline = page(client, game_id, seq, f"?lang={language}")
        assert re.findall(r'data-position="([^"]+)"', text) == [before, board][: 1 + seen]
        assert outline.classes.count("slip") == seen
    assert client.get(f"/games/{game_id}/disputes/{seq}").status_code == 200
