import html
import re
from pathlib import Path

import pytest

from inkeek.records import Position, ruleset, ruleset_ids
from inkeek.records.rules.lessons import load_lessons
from inkeek.records.rules.ruleset import format_value, load_ruleset
from inkeek.service.games.table_view import setting_words
from inkeek.service.games.view_models import set_ups
from inkeek.service.http.language import gettext
from tests.service.clients import signed_in


@pytest.mark.parametrize("game", ruleset_ids())
@pytest.mark.parametrize("language", ["en", "sw"])
def test_every_game_has_its_page_with_options_readings_and_sources(client, game, language):
    response = client.get(f"/rules/{game}?lang={language}")
    assert response.status_code == 200
    page, info = html.unescape(response.get_data(as_text=True)), load_ruleset(game)
    for option in info.options:
        with client.application.test_request_context(f"/?lang={language}"):
            assert f"<code>{option.name}</code></th><td>{gettext(format_value(option.default))}</td>" in page
            assert gettext(option.says) in page
            assert not option.decided or gettext(option.decided) in page
    with client.application.test_request_context(f"/?lang={language}"):
        assert all(f"<li>{words}</li>" in page for words in setting_words(info, ruleset(game).options))
    for clause in info.clauses:
        with client.application.test_request_context(f"/?lang={language}"):
            assert f"<dd>{gettext(clause.reading)}" in page
        assert clause.quote in page
    assert set(re.findall(r'class="reading" id="([\w-]+)"', page)) == set(info.rules)
    lessons = load_lessons(game)
    assert set(re.findall(r'id="lesson-([\w-]+)"', page)) == set(lessons)
    assert set(re.findall(r'"#lesson-([\w-]+)"', page)) <= set(lessons)
    for lesson in lessons.values():
        for turn in lesson.turns:
            for sentence in lesson.rules(turn).explain(lesson.position, turn.move, language):
                assert f"<li>{sentence}" in page
            assert f'data-position="{turn.position}"' in page  # what browsers without scripts show
    for source in info.sources:
        assert source in page


@pytest.mark.parametrize("game", ruleset_ids())
def test_the_set_ups_are_those_that_the_options_give(game):
    starts = set_ups(load_ruleset(game))
    assert starts[0].position == ruleset(game).start()
    assert len({start.value for start in starts}) == len(starts)
    for start in starts:
        assert ruleset(game, **{start.field: start.value}).start() == start.position


def test_what_a_file_says_is_text(app):
    said = "<form action=/sign-in>"
    file = Path("docs/examples/rules/ayoayo.toml").read_text("utf-8").replace('"so"', f'"{said}"')
    file = file.replace('"Ayoayo"', f'"{said}"').replace("whether a capture", said)
    file = file.replace("[[last]]\n", f"[[last]]\nwhy = '{said}'\n")
    browser = signed_in(app, "record")
    assert browser.post("/rules/new", data={"file": file, "add": "yes"}).status_code == 303
    for path in (
        "/rules",
        "/rules/yoruba:ayoayo",
        "/finding",
        "/finding?game=yoruba:ayoayo",
        "/games/new",
        "/analysis",
    ):
        answer = browser.get(path)
        assert (answer.status_code, said in answer.text) == (200, False), path


def test_templates_mark_only_their_own_words_as_html():
    """`_` of a text that is no constant is `translated`, which escapes it."""
    found = [
        f"{path}: {call}"
        for path in Path("service").rglob("*.html")
        for call in re.findall(r"(?<![\w.])_\(\s*[^\s'\"].*", path.read_text("utf-8"))
    ]
    assert found == []


def test_all_games_are_listed_and_others_are_not_found(client):
    page = client.get("/rules").get_data(as_text=True)
    assert set(re.findall(r'href="/rules/([\w-]+)"', page)) == {*ruleset_ids(), "new"}
    response = client.get("/rules/chess")
    assert response.status_code == 404
    assert "oware" in response.get_data(as_text=True)


@pytest.mark.parametrize("path", ["/games/new", "/matches/new", "/finding", "/analysis"])
def test_a_page_about_an_unknown_game_is_refused(client, path):
    response = client.get(f"{path}?game=chess")
    assert response.status_code == 400
    assert "&#39;chess&#39;" in response.text
    assert "enkeshui" in response.text


def test_a_set_up_is_chosen_by_its_picture(client, games):
    page = client.get("/games/new?game=layli-goobalay").get_data(as_text=True)
    assert re.findall(r'name="option.pits" value="(\d*)"', page) == [
        "",
        *(str(pits) for pits in range(4, 17) if pits != 12),
    ]
    response = client.post("/games/new", data={"game": "layli-goobalay", "option.pits": "8"})
    assert Position.parse(games.row(response.location.split("/")[-2]).position).row == 8
