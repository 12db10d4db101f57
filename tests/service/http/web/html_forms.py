"""What a browser without scripts shows of a page, and what it sends of the forms on it."""

import re
from collections.abc import Iterable
from html import unescape
from html.parser import HTMLParser

FORBIDDEN = re.compile(r"\b(tokens?|scopes?|keys?|bind|attach|drivers?)\b", re.IGNORECASE)
"""Words that no page has which players and organizers see."""


def visible_words(page: str) -> str:
    """What a reader sees of a page."""
    text = re.sub(r"<(script|style|svg|template).*?</\1>", " ", page, flags=re.DOTALL)
    return unescape(re.sub(r"<[^>]*>", " ", text))


def form_fields(page: str, id: str) -> dict[str, str]:
    """The fields that the form with that id sends as it stands on the page.

    :raises LookupError: there is no such form.
    """
    parser = _Forms()
    parser.feed(page)
    if id not in parser.forms:
        raise LookupError(f"the page has no form {id!r}: {', '.join(parser.forms)}")
    return parser.forms[id]


def forms_with(page: str, address: str, fields: Iterable[str]) -> list[dict[str, str]]:
    """As `form_fields`, of all forms; first the one that has most of these fields, if possible with that address."""
    parser = _Forms()
    parser.feed(page)
    wanted = {*fields}

    def fits(id: str) -> tuple[bool, int]:
        return parser.addresses[id] == address, len(wanted & parser.forms[id].keys())

    return [parser.forms[id] for id in sorted(parser.forms, key=fits, reverse=True)]


def posted_forms(page: str) -> list[tuple[str, dict[str, str]]]:
    """The address, empty for that of the page, and the fields of each form that a button sends with POST."""
    parser = _Forms()
    parser.feed(page)
    return [(parser.addresses[id], parser.forms[id]) for id in parser.posted]


class _Forms(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.forms: dict[str, dict[str, str]] = {}
        self.addresses: dict[str, str] = {}
        self.posted: list[str] = []
        self._form: dict[str, str] = {}
        self._select = self._text = self._posted = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        name = given.get("name", "")
        if tag == "form":
            id = given.get("id", f"form {len(self.forms)}")
            self._form, self.addresses[id] = self.forms.setdefault(id, {}), given.get("action", "").partition("#")[0]
            self._posted = id if given.get("method", "").lower() == "post" else ""
        elif tag == "button" and self._posted:
            self.posted, self._posted = [*self.posted, self._posted], ""
        elif tag == "select":
            self._select = name
        elif tag == "textarea":
            self._form[name], self._text = "", name
        elif tag == "option" and self._select and ("selected" in given or self._select not in self._form):
            self._form[self._select] = given["value"]
        elif tag == "input" and (given.get("type") not in ("radio", "checkbox") or "checked" in given):
            self._form[name] = given.get("value", "")

    def handle_data(self, data: str) -> None:
        if self._text:
            self._form[self._text] += data.removeprefix("\n")

    def handle_endtag(self, tag: str) -> None:
        if tag in ("select", "textarea"):
            self._select = self._text = ""
        elif tag == "form":
            self._form, self._posted = {}, ""
