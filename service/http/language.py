"""The language of translated pages, and the gettext catalogues (`service/translations`) of their words.

A page that is translated passes its words through gettext, in templates as ``_("…")``; all other pages are English. The
sentences about turns come from `inkeek.records.language`, whose ids are those of the catalogues.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, tzinfo

import flask_babel  # type: ignore[import-untyped]
from babel import negotiate_locale
from flask import Flask, Response, request
from markupsafe import Markup, escape
from werkzeug.exceptions import BadRequest

from inkeek.records import IllegalMove, PositionError, Side
from inkeek.records.errors import EvidenceError, message_of
from inkeek.records.explain import explain_refusal
from inkeek.records.language import Language, MessageText, language_ids, load_language
from inkeek.records.notation.dates import read_day
from inkeek.service.errors import ErrorText, Illegal, ServiceError

DEFAULT = "en"
COOKIE = "lang"  # the language that was chosen on a page
CHOSEN = "inkeek.language"  # in the environment of a request: the language of the person who signed in
SENTENCES = ("error", "reason", "why")  # names of values that are no names: another program may have written them
KEPT = 31536000  # seconds for which the browser keeps the choice


def install_translations(app: Flask, zone: tzinfo) -> None:
    """Let views and templates of the application use gettext; times are those of the zone."""
    app.config["BABEL_DEFAULT_LOCALE"] = DEFAULT
    flask_babel.Babel(app, locale_selector=shown_language, timezone_selector=lambda: zone)


def page_language() -> str:
    """The language of the current page: that of ``?lang=``, else the one that the person chose before, on any device,
    else the one chosen in this browser, else the one that it prefers.

    :raises BadRequest: ``lang`` is not in `language_ids`.
    """
    asked = request.args.get("lang")
    if asked is None:
        for chosen in (request.environ.get(CHOSEN), request.cookies.get(COOKIE)):
            if chosen in language_ids():
                return str(chosen)
    if asked is None:
        preferred = list(request.accept_languages.values())
        return negotiate_locale(preferred, language_ids(), sep="-") or DEFAULT
    if asked not in language_ids():
        raise BadRequest(f"lang is {asked[:80]!r}. Expected one of {', '.join(language_ids())}.")
    return asked


def shown_language() -> str:
    """As `page_language`; that of an error page where the language that was asked for does not exist."""
    try:
        return page_language()
    except BadRequest:
        return DEFAULT


def side_names() -> tuple[str, str]:
    """What the language of the page calls South and North."""
    return load_language(shown_language()).sides


def varies_by_language(response: Response) -> Response:
    """The response, marked as one that depends on the language; the browser keeps one that ``?lang=`` chose."""
    response.vary.update(("Accept-Language", "Cookie"))
    if response.status_code < 400 and request.args.get("lang") in language_ids():
        response.set_cookie(
            COOKIE,
            request.args["lang"],
            max_age=KEPT,
            secure=request.is_secure,
            httponly=True,
            samesite="Lax",
        )
    return response


def date_text(text: str | None) -> str:
    """A date as people write it in the current language: a day, a month or a year, or from one to another, with what
    EDTF says of how sure it is. Words stay."""
    parts = [_part_text(part) for part in (text or "").split("/")]
    if not text or len(parts) > 2 or not all(parts):
        return text or ""
    return " – ".join(filter(None, parts))


def _part_text(text: str) -> str | None:
    """A part of a date; None if it is in words."""
    if text in ("", ".."):
        return "…"
    if match := re.fullmatch(r"([0-9]{4})[-.](2[1-4])", text):
        words = (gettext("spring"), gettext("summer"), gettext("autumn"), gettext("winter"))
        return f"{words[int(match[2]) - 21]} {match[1]}"
    plain = text.rstrip("?~%") if read_day(text) is None else text
    known = (read_day(plain) or "").split("-")
    form = {2: "LLLL y", 3: "d MMMM y"}.get(len(known))
    day = known[0] if form is None else str(flask_babel.format_date(date(*map(int, [*known, "1"][:3])), form))
    if not day:
        return None
    sign = text[len(plain) :]
    doubted = f"{day}?" if "?" in sign or "%" in sign else day
    return gettext("about %(day)s", day=doubted) if "~" in sign or "%" in sign else doubted


def moment_text(stamp: str | None) -> str:
    """A stored time as people write it in the current language, in the zone of the service."""
    return "" if stamp is None else str(flask_babel.format_datetime(datetime.fromisoformat(stamp), "d MMMM y, HH:mm"))


def zoned_text(stamp: str | None) -> str:
    """The same with the zone's name, for what is printed or read elsewhere."""
    return f"{moment_text(stamp)} {local_time(stamp).tzname()}" if stamp else ""


def second_text(stamp: str) -> str:
    """A stored time to the second, with the zone's name: ``2026-11-22 13:05:10 EAT``."""
    return f"{local_time(stamp):%Y-%m-%d %H:%M:%S %Z}"


def local_time(stamp: str | datetime | None = None) -> datetime:
    """A stored time, or now, in the zone of the service."""
    moment = datetime.fromisoformat(stamp) if isinstance(stamp, str) else stamp or datetime.now(UTC)
    return moment.astimezone(flask_babel.get_timezone())


def ago_text(stamp: str) -> str:
    """How long ago a stored time was, as people say it in the current language."""
    passed = datetime.fromisoformat(stamp) - datetime.now(UTC)
    return str(flask_babel.format_timedelta(passed, add_direction=True))


def gettext(text: str, /, **values: object) -> str:
    """A text of a page in the current language, with the values at its ``%(names)s``."""
    return str(flask_babel.gettext(text, **values))


def error_text(error: Exception | str) -> Markup:
    """What an error or its text says, in the language of the page; what is English there is marked as such."""
    return _error_value(error, load_language(shown_language()))


def _error_value(value: object, language: Language) -> Markup:
    if isinstance(value, Illegal):
        value = value.error
    if isinstance(value, IllegalMove):
        return escape(" ".join(explain_refusal(value, language)))
    if isinstance(value, PositionError):
        faults = Markup("; ").join(_error_value(fault, language) for fault in value.faults)
        return Markup(escape(flask_babel.gettext("not a position: %(text)s: %(faults)s"))) % {
            "text": repr(value.text),
            "faults": faults,
        }
    if isinstance(value, EvidenceError):
        return Markup("; ").join(_error_value(fault, language) for _, fault in value.faults)
    if isinstance(value, ServiceError):
        value = value.message
    if isinstance(value, Exception):
        value = message_of(value)
    if isinstance(value, ErrorText) and value.values:
        template = Markup(escape(flask_babel.gettext(value.template)))
        return template % {name: _error_field(name, field, language) for name, field in value.values.items()}
    if isinstance(value, MessageText):
        return escape(language.translate(value.message))
    if language.id == DEFAULT:
        return escape(value)
    translated = flask_babel.gettext(value) if value else ""  # whoever sent it may know only its English
    if translated != value:
        return escape(translated)
    return Markup('<span lang="{}">{}</span>').format(DEFAULT, value)


def _error_field(name: str, value: object, language: Language) -> object:
    if name == "code":  # a word of the API, the same in all languages
        return Markup("<code>{}</code>").format(value)
    if isinstance(value, Side):
        return language.sides[value]
    is_text = isinstance(value, Exception | ErrorText | MessageText) or name in SENTENCES
    return _error_value(value, language) if is_text else value


def ngettext(one: str, many: str, num: int, /, **values: object) -> str:
    """The one of two texts that goes with the number, which is its ``%(num)d``."""
    return str(flask_babel.ngettext(one, many, num, **values))
