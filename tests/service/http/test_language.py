import html
import pickle

import pytest
from markupsafe import escape
from werkzeug.exceptions import BadRequest

from inkeek.records import IllegalMove, Move, Position, PositionError, Side, ruleset
from inkeek.service import create_app
from inkeek.service.errors import Conflict, ErrorText, Illegal, Invalid
from inkeek.service.http.language import (
    date_text,
    error_text,
    gettext,
    moment_text,
    ngettext,
    page_language,
    second_text,
    zoned_text,
)

APP = create_app({"TESTING": True})


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("2026.11.20", "20 November 2026"),
        ("2026-11", "November 2026"),
        ("2026.11.??", "November 2026"),
        ("1974", "1974"),
        ("c. May 1974", "c. May 1974"),
        ("1974?", "1974?"),
        ("1974-05~", "about May 1974"),
        ("1974/1976-05", "1974 – May 1976"),
        ("1974/..", "1974 – …"),
        ("1974-22", "summer 1974"),
        ("2026-13-45", "2026-13-45"),
        ("", ""),
    ],
)
def test_a_day_is_written_as_far_as_it_is_known(text, shown):
    with APP.test_request_context("/"):
        assert date_text(text) == shown


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


def test_times_are_those_of_the_zone_and_what_is_printed_names_it():
    app = create_app({"TESTING": True, "time_zone": "Africa/Nairobi"})
    stamp = "2026-11-20T22:30:05.000000Z"
    with app.test_request_context("/"):
        assert moment_text(stamp) == "21 November 2026, 01:30"
        assert zoned_text(stamp) == "21 November 2026, 01:30 EAT"
        assert second_text(stamp) == "2026-11-21 01:30:05 EAT"


ERRORS = [
    Invalid(ErrorText("turn %(ply)s cannot be disputed: expected a turn from 1 to %(last)s", ply="<9>", last=4)),
    Conflict(
        ErrorText(
            "proposal %(seq)s does not wait for %(side)s's answer: %(found)s",
            seq="<9>",
            side=Side.NORTH,
            found=ErrorText("none waits"),
        )
    ),
]


@pytest.mark.parametrize("error", ERRORS)
def test_an_error_is_shown_in_the_language_of_the_page(error):
    with APP.test_request_context("/?lang=en"):
        assert html.unescape(error_text(error)) == str(error)
    with APP.test_request_context("/?lang=sw"):
        shown = error_text(error)
    assert "&lt;9&gt;" in shown
    assert shown != escape(str(error))
    assert "lang=" not in shown
    assert "North" not in shown


def test_what_is_wrong_with_a_position_is_told_in_swahili_but_for_what_has_no_translation():
    inner = PositionError("4.<z>", [ErrorText("more than %(most)s seeds", most=9), "no rows"])
    error = Invalid(ErrorText("%(field)s: %(error)s", field="seen", error=inner))
    with APP.test_request_context("/?lang=en"):
        assert html.unescape(error_text(error)) == f"seen: {inner}"
    with APP.test_request_context("/?lang=sw"):
        shown = error_text(error)
    assert "&lt;z&gt;" in shown
    assert "seeds" not in shown
    assert shown.endswith('; <span lang="en">no rows</span>')


@pytest.mark.parametrize("text", ["4.y/4.4 0-0 s 0", "4.4/4.x4 0-0 s 0", "4.4", "4.4.4/4.4 0-0 s 0", "9" * 500])
def test_a_text_that_is_no_position_is_refused_in_swahili(text):
    with pytest.raises(PositionError) as refused:
        Position.parse(text)
    with APP.test_request_context("/?lang=sw"):
        shown = error_text(refused.value)
    assert "lang=" not in shown
    assert html.unescape(shown) != str(refused.value)


def test_why_a_move_is_illegal_is_said_in_the_language_of_the_page():
    rules = ruleset("oware")
    with pytest.raises(IllegalMove) as refused:
        rules.play(rules.start(), Move.parse("A"))
    error = Illegal(refused.value, rules)
    with APP.test_request_context("/?lang=sw"):
        assert "Kusini" in error_text(error)
        assert "a b c d e f" in error_text(error)


@pytest.mark.parametrize("error", ERRORS)
def test_a_text_survives_another_process(error):
    text = pickle.loads(pickle.dumps(error.message))
    assert (text, text.template) == (error.message, error.message.template)
    assert text.values == error.message.values
