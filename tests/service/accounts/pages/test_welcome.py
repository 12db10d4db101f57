"""The first page: an example, and phones that are let in."""

import re
from dataclasses import replace
from urllib.parse import parse_qs, urlsplit

import pytest

from inkeek.service.http.access.caller import UNNAMED
from inkeek.service.http.access.scopes import SCOPES
from inkeek.service.processes.announcement import first_link
from tests.service.clients import signed_in


@pytest.fixture
def choice(app, services, tmp_path):
    """The file of the choice."""
    path = tmp_path / "phones"
    app.extensions["inkeek"] = replace(services, settings=replace(services.settings, phones=str(path)))
    return path


def test_the_example_is_stored_once_and_shown(admin, services):
    shown = [admin.post("/welcome/example").headers["Location"] for _ in range(2)]
    (row,) = services.games.page(2)[0]
    assert shown == [f"/games/{row.id}/review"] * 2


def next_page(answer):
    """Where the page goes when the service is open again."""
    return re.search(r'<a href="([^"]+)" data-opening', answer.get_data(as_text=True))[1]


def test_phones_are_let_in_and_no_longer(admin, choice):
    assert next_page(admin.post("/welcome/phones", data={"let": "plain"})) == "http://localhost/welcome"
    assert choice.exists()
    assert "data-opening" not in admin.post("/welcome/phones", data={}).get_data(as_text=True)
    assert not choice.exists()


def test_who_lets_phones_in_over_tls_is_signed_in_there_by_a_link(admin, choice, services):
    address = urlsplit(next_page(admin.post("/welcome/phones", data={"let": "tls"})))
    assert choice.read_text() == "tls"
    assert (address.scheme, address.netloc, address.path) == ("https", "localhost", "/sign-in")
    (link,) = parse_qs(address.query)["key"]
    assert services.keys.link_name(link) == "Naisula"


def test_an_address_that_the_start_chose_is_not_changed(admin):
    assert admin.post("/welcome/phones", data={"let": "plain"}).status_code == 409


@pytest.mark.parametrize("scope", [scope for scope in SCOPES if scope != "admin"])
def test_only_an_administrator_lets_phones_in(app, choice, scope):
    assert signed_in(app, scope).post("/welcome/phones", data={"let": "plain"}).status_code == 403
    assert not choice.exists()


def test_the_first_user_says_their_name(client, services):
    link = first_link(services.keys, services.settings)
    assert services.keys.link_name(link) == UNNAMED
    client.post("/sign-in", data={"key": link, "name": " Wanjiru "})
    assert [key.name for key in services.keys.list() if key.kind == "session"] == ["Wanjiru"]
    assert services.keys.link_name(first_link(services.keys, services.settings)) == "Wanjiru"
    services.keys.create("session", "Koinet", ("admin",), None)
    assert services.keys.link_name(first_link(services.keys, services.settings)) == UNNAMED


def test_no_other_link_changes_its_name(client, services):
    link = services.keys.create("link", "Koinet", ("arbiter",), None)[1]
    client.post("/sign-in", data={"key": link, "name": "Lemayian"})
    assert [key.name for key in services.keys.list() if key.kind == "session"] == ["Koinet"]


def test_where_the_address_was_chosen_at_the_start_the_page_says_how_to_let_phones_in(admin):
    assert "inkeek serve --host 0.0.0.0" in admin.get("/welcome").get_data(as_text=True)
