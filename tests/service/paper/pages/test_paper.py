import html
import re

import pytest

from inkeek.records import read_games
from inkeek.records.paper.reading import MAX_SHEET, read_sheet
from inkeek.service.errors import Conflict, Invalid
from inkeek.service.games.library.transfer import fill_in
from inkeek.service.games.write import Write
from tests.service.clients import signed_in
from tests.service.http.web.html_forms import form_fields

SHEET = "Amina - Babu\r\n1. c D\r\n2. a F\r\nBabu amejiuzulu"


@pytest.fixture
def client(app):
    return signed_in(app)


def send(client, status=200, to="/paper", **form):
    response = client.post(to, data={"game": "oware", **form})
    assert response.status_code == status
    return response.get_data(as_text=True)


def field_of(page: str) -> str:
    return html.unescape(re.search(r"<textarea[^>]*>\n?(.*?)</textarea>", page, re.S)[1])


def stored(services):
    with services.store.reading() as transaction:
        return transaction.games.count()


def test_a_check_shows_what_was_read_and_stores_nothing(client, services):
    page = send(client, text=SHEET)
    assert "Amina" in page
    assert page.count('class="token" name="ply"') == 4
    assert field_of(page).splitlines() == SHEET.splitlines()
    assert stored(services) == 0


def test_a_page_warns_of_consent_that_programs_do_not_understand(client):
    assert "data-warning" not in send(client, text=f"{SHEET}\nConsent: yes")
    page = send(client, text=f"{SHEET}\nConsent: not anonymous")
    assert re.search(r"data-warning>[^<]*not anonymous", page)


def test_a_page_names_what_was_filled_in_and_the_sheet_says_otherwise(client):
    page = send(client, text=SHEET, South="Hodan")
    assert re.search(r"data-warning>[^<]*Hodan", page)
    assert "<strong>Amina</strong>" in page


def test_who_is_not_signed_in_reads_sheets_and_keeps_none(app, services):
    reader = app.test_client()
    page = send(reader, text=SHEET + "\n3. q")
    assert page.count('class="token" name="ply"') == 4
    assert 'name="answer"' in page
    assert "/paper/game" not in page
    assert reader.post("/paper/game", data={"game": "oware", "text": SHEET}).status_code == 401
    assert stored(services) == 0


def test_a_sheet_is_kept_as_an_import_and_known_again(client, services):
    answer = client.post("/paper/game", data={"game": "oware", "text": SHEET})
    assert answer.status_code == 303
    game_id = answer.location.rpartition("/")[2]
    snapshot = services.games.load(game_id)
    assert snapshot.row.tags["South"] == "Amina"
    assert (snapshot.row.result, snapshot.row.termination) == ("1-0", "resignation")
    assert snapshot.events[0].source.startswith("import:")
    again = client.post("/paper/game", data={"game": "oware", "text": SHEET})
    assert again.location == answer.location
    assert stored(services) == 1


def test_a_sheet_fills_in_a_game_without_turns_once(client, services):
    made = services.games.create("oware", {}, {"South": "Amina", "North": "Babu", "Board": "5"}, Write("api")).id
    live = client.get(f"/games/{made}/live").get_data(as_text=True)
    assert f"into={made}" in live
    form = {"game": "oware", "into": made, "text": SHEET}
    send(client, 422, "/paper/game", **{**form, "text": SHEET.replace("Amina - Babu", "Babu - Amina")})
    assert services.games.load(made).row.ply == 0
    assert client.post("/paper/game", data=form).location == f"/games/{made}"
    row = services.games.load(made).row
    assert (row.ply, row.result, row.tags["Board"], stored(services)) == (4, "1-0", "5", 1)
    send(client, 409, to="/paper/game", **form)


def test_nothing_of_a_sheet_is_lost_in_a_game_that_it_fills_in(services):
    after = "4.4.0.5.5.5/5.4.4.4.4.4 0-0 s 4"
    tags = {"Game": "oware", "Version": "1.1", "Source": "notebook 3", "Consent": "none", "Score": "20-20"}
    tags |= {"Result": "1/2-1/2", "Termination": "unrecorded"}
    turns = f'c {{(long)}} ~~2 ~? {{[%after "{after}"]}} {{nobody objected}}'
    text = "".join(f'[{name} "{value}"]\n' for name, value in tags.items())
    text += f"\n{{under the fig tree}} {turns} 1/2-1/2\n"
    (record,) = read_games(text.splitlines(keepends=True))
    assert not record.errors
    made = services.games.create("oware", {}, {"South": "Amina", "Source": "?"}, Write("api")).id
    fill_in(services.games, made, record, Write("api"))
    game = services.games.load(made)
    assert [list(ply.comments) for ply in game.record.plies] == [list(ply.comments) for ply in record.plies]
    assert [str(ply.move) for ply in game.record.plies] == [str(ply.move) for ply in record.plies]
    assert list(game.record.comments) == ["under the fig tree"]
    assert (game.row.result, game.row.termination, game.row.score) == ("1/2-1/2", "unrecorded", (20, 20))
    assert (game.row.tags["Source"], game.row.tags["Consent"]) == ("notebook 3", "none")


def test_a_sheet_fills_in_no_game_that_has_ended_and_the_refusal_says_so(client, services):
    texts = set()
    for turns in (0, 1):
        made = services.games.create("oware", {}, {}, Write("api")).id
        if turns:
            services.games.play(made, services.games.load(made).legal(1)[0], Write("api"))
        else:
            services.games.end(made, "agreement", None, Write("api"))
        with pytest.raises(Conflict) as refused:
            fill_in(services.games, made, read_sheet(SHEET, {"Game": "oware"}).game, Write("api"))
        texts.add(str(refused.value))
    assert len(texts) == 2, "that it has turns, and that it has ended"


def test_a_sheet_by_other_rules_fills_in_nothing(client, services):
    made = services.games.create("kalah", {}, {}, Write("api")).id
    with pytest.raises(Invalid):
        fill_in(services.games, made, read_sheet(SHEET, {"Game": "oware"}).game, Write("api"))
    assert services.games.load(made).row.ply == 0


def test_a_word_that_cannot_be_is_marked_and_a_legal_move_takes_its_place(client, services):
    text = "1. c D\n2. q F\n3. b"
    page = send(client, text=text)
    assert re.search(r'<mark data-start="10" data-end="11"[^>]*>\s*q\s*</mark>', page)
    assert 'name="add" value="a"' in page
    assert field_of(send(client, text=text, add="a")) == text.replace("q", "a")
    send(client, 422, text=text, to="/paper/game")
    assert stored(services) == 0


def test_each_mark_is_answered_before_the_game_is_kept(client, services):
    text = "{long ago}\n3.4.27\n1. c D\n2. a F\nSouth thinks about time"
    page = send(client, 422, text=text, to="/paper/game")
    assert page.count("<mark data-start") == 2  # in the list and in what was read
    answers = [html.unescape(answer) for answer in re.findall(r'name="answer" value="([^"]*)"', page)]
    century = next(answer for answer in answers if "1927" in answer)
    page = send(client, 200, text=text, answer=century)
    text = field_of(page)
    comment = next(html.unescape(one) for one in re.findall(r'name="answer" value="([^"]*)"', page) if "{South" in one)
    text = field_of(send(client, text=text, answer=comment))
    game = client.post("/paper/game", data={"game": "oware", "text": text}).location.rpartition("/")[2]
    row = services.games.row(game)
    assert (row.tags["Date"], row.result, row.ply) == ("1927.04.03", "*", 4)


def test_a_date_with_several_readings_does_not_hold_up_the_game(client, services):
    text = "5/4/2021\n1. c D"
    page = send(client, text=text)
    assert page.count('value="0:8:') == 2
    game = client.post("/paper/game", data={"game": "oware", "text": text}).location.rpartition("/")[2]
    assert services.games.row(game).tags["Date"] == "2021-04-05 or 2021-05-04"


@pytest.mark.parametrize("answer", ["x", "1:2", "-1:2:x"])
def test_an_answer_of_another_form_is_refused(client, answer):
    send(client, 422, text="c", answer=answer)


def test_a_way_of_naming_the_pits_is_chosen(client):
    page = send(client, text="1. 3 4\n2. 1 6")
    right = next(
        one for one in re.findall(r'name="answer" value="([^"]*)"', page) if "right&#34;" in one and "round" not in one
    )
    text = field_of(send(client, text="1. 3 4\n2. 1 6", answer=html.unescape(right)))
    assert read_sheet(text, {"Game": "oware"}).pits == "right"


def test_a_move_is_added_at_the_end(client):
    text = ""
    for move in ("c", "D", "a"):
        text = field_of(send(client, text=text, add=move))
    assert text == "1. c D\n2. a"


def test_a_result_without_its_reason_is_refused_and_the_list_mends_it(client, services):
    text = "c D 1-0"
    assert "resignation" in send(client, 422, text=text, to="/paper/game")
    answer = client.post("/paper/game", data={"game": "oware", "text": text, "Termination": "time"})
    assert services.games.row(answer.location.rpartition("/")[2]).termination == "time"


def test_the_letters_of_the_pits_stand_where_the_sheet_is_typed(client):
    page = client.get("/paper?game=oware").text
    letters = re.search("data-letters>(.*?)</span>", page[: page.index("<textarea")], re.DOTALL)[1]
    assert {"a", "f", "A", "F"} <= set(re.findall(r"\b[a-zA-Z]\b", letters))


def test_the_board_is_shown_after_a_turn(client):
    page = send(client, text=SHEET, ply="1")
    assert re.search(r'value="1" aria-current="true"', page)


@pytest.mark.parametrize(
    "form", [{"text": "c" * (MAX_SHEET + 1)}, {"text": "c", "option.pits": "0"}, {"text": "c", "position": "x"}]
)
def test_what_cannot_be_read_stays_in_the_field(client, form):
    assert field_of(send(client, 422, **form)) == form["text"]


def test_a_game_without_turns_leads_to_its_sheet(client, services):
    options, tags = {"pits": 8, "setup": "fours-right"}, {"South": "Amina", "Round": "3", "Date": "2026.11.21"}
    game = client.post("/api/v1/games", json={"game": "enkeshui", "options": options, "tags": tags}).json["id"]
    address = re.search(r'href="(/paper\?[^"]+)"', client.get(f"/games/{game}/live").get_data(as_text=True))[1]
    page = client.get(html.unescape(address)).get_data(as_text=True)
    assert form_fields(page, "paper")["into"] == game
    assert services.games.row(game).start in html.unescape(page)


def test_the_sheet_of_a_game_has_its_rules_whatever_a_form_says(client, services):
    made = services.games.create("enkeshui", {"setup": "fours-left"}, {"South": "Ann", "North": "Ben"}, Write("api"))
    move = services.games.load(made.id).legal(1)[0]
    other = {"game": "oware", "option.setup": "triples", "South": "Zoe", "into": made.id}
    page = client.get("/paper", query_string={**other, "text": str(move)}).get_data(as_text=True)
    assert 'value="Zoe"' not in page
    answer = client.post("/paper/game", data={**other, "text": str(move)})
    assert answer.location == f"/games/{made.id}"
    row = services.games.row(made.id)
    assert (row.ply, row.tags["South"]) == (1, "Ann")
    assert client.get("/paper?into=none").status_code == 404
