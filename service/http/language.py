"""The language of translated pages, and the gettext catalogues (`service/translations`) of their words.

A page that is translated passes its words through gettext, in templates as ``_("…")``; all other pages are English. The
sentences about turns come from `records.language`, whose ids are those of the catalogues.
"""

from __future__ import annotations

import flask_babel  # type: ignore[import-untyped]
from babel import negotiate_locale
from flask import Flask, Response, request
from werkzeug.exceptions import BadRequest

from records.language import language_ids

DEFAULT = "en"


def install_translations(app: Flask) -> None:
    """Let views and templates of the application use gettext."""
    app.config["BABEL_DEFAULT_LOCALE"] = DEFAULT
    flask_babel.Babel(app, locale_selector=page_language)


def page_language() -> str:
    """The language of the current page: that of ``?lang=``, else the one that the browser prefers.

    :raises BadRequest: ``lang`` is none of `language_ids`.
    """
    asked = request.args.get("lang")
    if asked is None:
        preferred = list(request.accept_languages.values())
        return negotiate_locale(preferred, language_ids(), sep="-") or DEFAULT
    if asked not in language_ids():
        raise BadRequest(f"lang is {asked[:80]!r}. Expected one of {', '.join(language_ids())}.")
    return asked


def varies_by_language(response: Response) -> Response:
    """The response, marked as one that depends on the language that the browser prefers."""
    response.vary.add("Accept-Language")
    return response


def gettext(text: str, /, **values: object) -> str:
    """A text of a page in the current language, with the values at its ``%(names)s``."""
    return str(flask_babel.gettext(text, **values))


def gettext_later(text: str, /) -> str:
    """A text that is translated where it is shown: the English, marked for the catalogues."""
    return text


def ngettext(one: str, many: str, num: int, /, **values: object) -> str:
    """The one of two texts that goes with the number, which is its ``%(num)d``."""
    return str(flask_babel.ngettext(one, many, num, **values))
