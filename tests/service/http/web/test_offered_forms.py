"""Which forms a page offers: those that its reader may send, each with the token of the reader's session."""

from urllib.parse import unquote, urlsplit

import pytest
from flask import Flask

from inkeek.service.http.access import need_of
from inkeek.service.http.access.scopes import OPEN
from tests.service.clients import signed_in
from tests.service.http.web.html_forms import posted_forms

from .test_languages import PAGES, filled, stored as stored  # a fixture

READERS = ((), ("read",), ("record",), ("record", "arbiter"), ("admin",))


def offered(app: Flask, scopes: tuple[str, ...], path: str) -> dict[str, bool]:
    """The endpoints of the forms on a page, and whether each of them has a token."""
    client = signed_in(app, *scopes) if scopes else app.test_client()
    found: dict[str, bool] = {}
    for address, fields in posted_forms(client.get(path).text):
        place = unquote(urlsplit(address or path).path)
        endpoint, _ = app.url_map.bind("localhost").match(place, method="POST")
        found[endpoint] = found.get(endpoint, True) and "csrf" in fields
    return found


@pytest.mark.parametrize("scopes", READERS)
def test_a_page_offers_the_forms_that_its_reader_may_send(app, stored, scopes):
    wrong = []
    for page in PAGES:
        path = filled(page, stored)
        found = offered(app, scopes, path)
        needs = {endpoint: need_of(app.view_functions[endpoint]) for endpoint in offered(app, ("admin",), path)}
        may = {endpoint for endpoint, need in needs.items() if need.scope == OPEN or need.is_met_by(scopes)}
        if found.keys() != may or (scopes and not all(found.values())):
            wrong.append((page, found.keys() ^ may, [one for one, token in found.items() if not token]))
    assert wrong == []
