from __future__ import annotations

import pytest
from werkzeug.exceptions import BadRequest

from service import create_app
from service.http.language import gettext, ngettext, page_language

APP = create_app({"TESTING": True})


@pytest.mark.parametrize(
    ("query", "accepted", "language"),
    [
        ("", "", "en"),
        ("", "sw", "sw"),
        ("", "sw-KE, en;q=0.5", "sw"),
        ("", "de, fr;q=0.5", "en"),
        ("", "de, sw;q=0.5, en;q=0.1", "sw"),
        ("?lang=sw", "en", "sw"),
        ("?lang=en", "sw", "en"),
    ],
)
def test_the_address_decides_and_then_the_browser(query, accepted, language):
    with APP.test_request_context(f"/{query}", headers={"Accept-Language": accepted}):
        assert page_language() == language


@pytest.mark.parametrize("language", ["de", "", "EN", "sw/../en"])
def test_a_language_that_there_is_not_is_refused(language):
    with APP.test_request_context("/", query_string={"lang": language}), pytest.raises(BadRequest) as error:
        page_language()
    assert repr(language) in str(error.value.description)
    assert "en, sw" in str(error.value.description)


def test_words_are_in_the_language_of_the_page():
    with APP.test_request_context("/?lang=sw"):
        assert gettext("Arbiter") != "Arbiter"
        assert "7" in ngettext("%(num)d lap is not shown", "%(num)d laps are not shown", 7)
        assert gettext("100 % of what has no translation") == "100 % of what has no translation"
    with APP.test_request_context("/"):
        assert gettext("Arbiter") == "Arbiter"
        assert "North" in gettext("%(side)s pressed %(button)s", side="North", button="x")
