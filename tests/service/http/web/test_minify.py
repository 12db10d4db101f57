import re
from pathlib import Path

import pytest

from inkeek.service.http import web

WEB = Path(web.__file__).parent
STATIC = WEB / "static"


@pytest.mark.parametrize("name", ["board.css", "game.css", "drawing/board.js", "follow.js"])
def test_styles_and_scripts_are_sent_without_comments_and_indentation(client, name):
    text = client.get(f"/static/{name}").get_data(as_text=True)
    assert len(text) < 0.9 * len((STATIC / name).read_text("utf-8"))
    assert not re.search(r"/\*|^\s*//|^\s", text, re.MULTILINE)


def test_other_files_are_sent_as_they_are(client):
    with client.get("/static/icon-192.png") as response:
        assert response.data == (STATIC / "icon-192.png").read_bytes()


def test_a_script_is_sent_once_and_then_found_unchanged(client):
    first = client.get("/static/turns/live.js")
    again = client.get("/static/turns/live.js", headers={"If-None-Match": first.headers["ETag"]})
    assert (again.status_code, again.data) == (304, b"")


def test_a_missing_style_sheet_is_not_found(client):
    assert client.get("/static/none.css").status_code == 404


def test_pages_are_sent_without_the_indentation_of_their_templates(client, new_game):
    page = client.get(f"/games/{new_game(3)}/live").data
    assert not re.search(rb"^[ \t]", page, re.MULTILINE)


def test_every_style_sheet_and_script_that_a_template_names_exists(client):
    named = {
        f"{name}.{'css' if kind == 'styles' else 'js'}"
        for template in WEB.parents[1].rglob("templates/**/*.html")
        for kind, names in re.findall(r"{% set (styles|scripts) = (.*) %}", template.read_text("utf-8"))
        for name in re.findall(r"'([\w/]+)'", names)
    }
    assert len(named) > 20
    assert [name for name in sorted(named) if client.get(f"/static/{name}").status_code != 200] == []
