import re

import pytest

from inkeek.service.http.web.base import CONTRASTS, LOOK_COOKIE, PACES


def root_element(client) -> str:
    return re.search("<html[^>]*>", client.get("/appearance").text)[0]


@pytest.mark.parametrize("board", CONTRASTS)
@pytest.mark.parametrize("motion", PACES)
def test_the_browser_keeps_what_is_chosen(app, board, motion):
    client = app.test_client()
    answer = client.post("/appearance", data={"board": board, "motion": motion, "back": "/games/new?game=bof"})
    assert (answer.status_code, answer.headers["Location"]) == (303, "/games/new?game=bof")
    page = root_element(client)
    assert f'data-motion="{motion}"' in page
    assert (f'data-board="{board}"' in page) == bool(board)


@pytest.mark.parametrize("sent", [{"board": "gold"}, {"motion": "slow"}])
def test_a_choice_that_does_not_exist_is_refused(app, sent):
    answer = app.test_client().post("/appearance", data=sent)
    assert answer.status_code == 400
    assert "Set-Cookie" not in answer.headers


@pytest.mark.parametrize("value", ["", "stone.slow", "...", '"><script>.x', "contrast"])
def test_any_cookie_is_read(app, value):
    client = app.test_client()
    client.set_cookie(LOOK_COOKIE, value)
    page = root_element(client)
    assert 'data-motion="full"' in page
    assert ('data-board="contrast"' in page) == (value == "contrast")


@pytest.mark.parametrize("back", ["https://example.org/", "//example.org", "/\\example.org", "games", "/\nx"])
def test_the_way_back_stays_on_this_service(app, back):
    answer = app.test_client().post("/appearance", data={"back": back})
    assert answer.headers["Location"] == "/"
