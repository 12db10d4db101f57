"""An app in a browser, on another site, asks who is signed in."""

from __future__ import annotations

from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from flask import Flask

from service.http.access.caller import SESSION

from ..club import serving

pytestmark = pytest.mark.browser


@pytest.mark.parametrize(("button", "answer"), [("Allow", "code"), ("No", "error")])
def test_a_page_of_another_site_gets_the_answer(browser, app, services, button, answer):
    elsewhere = Flask("elsewhere")
    elsewhere.add_url_rule("/back", "back", lambda: "back again")
    with serving(app) as base, serving(elsewhere) as there:
        there = there.replace("127.0.0.1", "localhost")  # another site
        made = services.apps.register("Tally", [f"{there}/back"], None)
        asked = urlencode(
            {
                "response_type": "code",
                "client_id": made.id,
                "redirect_uri": f"{there}/back",
                "scope": "record",
                "state": "s1",
                "code_challenge": "c" * 43,
                "code_challenge_method": "S256",
            }
        )
        elsewhere.add_url_rule("/", "start", lambda: f'<a href="{base}/oauth/authorize?{asked}">Sign in</a>')
        context = browser.new_context(viewport={"width": 390, "height": 844})
        secret = services.keys.create(SESSION, "Naisula", ["record"], None)[1]
        cookie = {"name": f"inkeek_{urlsplit(base).port}", "value": secret, "domain": "127.0.0.1", "path": "/"}
        context.add_cookies([{**cookie, "sameSite": "Strict", "httpOnly": True}])
        page = context.new_page()
        page.goto(there)
        page.click("a")
        page.get_by_role("button", name=button, exact=True).click()
        page.wait_for_url(f"{there}/back?*")
        assert answer in parse_qs(urlsplit(page.url).query)
        context.close()
