"""The manual (``/help``): the pages of ``docs/`` as HTML, and a search in them."""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from flask import current_app, redirect, request, send_file, url_for
from flask.typing import ResponseReturnValue
from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup

from inkeek.service.errors import NotFound
from inkeek.service.http.access import needs
from inkeek.service.http.problems import problem_types
from inkeek.service.http.web.base import blueprint, render_page

CONTENTS = "README"
SWAHILI = "mwongozo"  # the one page in Swahili
FILL = "inkeek.manual"  # among the extensions of the application: what fills in the parts of a page that are not stored
MAX_QUERY = 100  # characters
MOST = 30  # sections found
EXCERPT = 160  # characters of a section that a result shows
_NAME = re.compile(r"[a-z-]+")
_LINK = re.compile(r"([a-z-]+)\.md(#.*)?")
_IMAGE = re.compile(r"img/([a-z-]+\.(?:png|svg))")
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Section:
    """A heading of a page with the text below it, up to the next heading."""

    page: str
    anchor: str
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class ManualPage:
    """A page as HTML, which is safe: it is of this program, and has no HTML of its own."""

    title: str
    html: str
    language: str


def manual_folder() -> Path:
    """Where the pages are: an installed service has a copy of them."""
    root = Path(__file__).parents[1]
    copied = root / "manual"
    return copied if copied.is_dir() else root.parent / "docs"


@functools.lru_cache(maxsize=64)  # no more pages than there are files; a name without a file is quick
def _page(name: str) -> ManualPage | None:
    tokens = _tokens(name)
    if tokens is None:
        return None
    for token in tokens:
        for child in token.children or ():
            if child.type == "link_open":
                _point(child)
            elif child.type == "image" and (image := _IMAGE.fullmatch(str(child.attrs["src"]))):
                child.attrs["src"] = url_for("web.manual_image", name=image[1])
    html = _markdown().renderer.render(tokens, _markdown().options, {})
    return ManualPage(_sections(name)[0].title, html, "sw" if name == SWAHILI else "en")


def search(query: str) -> list[Section]:
    """The sections that have all words of the query: first those with most of them in their heading; of these, what
    people use stands before what programmers look up, as in the contents; then those that say them most often."""
    words = query[:MAX_QUERY].lower().split()
    if not words:
        return []
    names = sorted(path.stem for path in manual_folder().glob("*.md") if _NAME.fullmatch(path.stem))
    begins = [re.compile(rf"\b{re.escape(word)}") for word in words]

    def rank(section: Section) -> tuple[int, ...]:
        heads = [_sections(section.page)[0].title, section.title, f"{section.title} {section.text}"]
        found = [[len(begin.findall(head.lower())) for begin in begins] for head in heads]
        in_page, in_title, in_all = (sum(map(bool, counts)) for counts in found)
        return -in_title, _kinds().get(section.page, len(names)), -in_page, -in_all, -sum(found[2])

    sections = (section for name in names for section in _sections(name))
    found = [one for one in sections if all(word in f"{one.title} {one.text}".lower() for word in words)]
    return [_cut(section, words[0]) for section in sorted(found, key=rank)[:MOST]]


def _cut(section: Section, word: str) -> Section:
    at = max(section.text.lower().find(word) - EXCERPT // 3, 0)
    text = section.text[at : at + EXCERPT].strip()
    before, after = "… " if at else "", " …" if at + EXCERPT < len(section.text) else ""
    return Section(section.page, section.anchor, section.title, before + text + after)


@functools.cache
def _kinds() -> dict[str, int]:
    """The place in the contents of the list that has each page: tutorials first, then guides, then reference."""
    lists = enumerate(_sections(CONTENTS))
    return {link[1]: place for place, section in lists for link in _LINK.finditer(section.text)}


@functools.cache
def _markdown() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": False}).enable("table")


def _tokens(name: str) -> list[Token] | None:
    path = manual_folder() / f"{name}.md"
    if not (name == CONTENTS or _NAME.fullmatch(name)) or not path.is_file():
        return None
    text: str = current_app.extensions[FILL](path.read_text("utf-8"))
    tokens = _markdown().parse(_COMMENT.sub("", text))
    for token, following in pairwise(tokens):
        if token.type == "heading_open":
            token.attrs["id"] = _anchor(_plain(following))
        elif token.type == "table_open":
            token.attrs["tabindex"] = 0  # wide ones are scrolled with the keys too
    return tokens


@functools.cache
def _sections(name: str) -> Sequence[Section]:
    found = [Section(name, "", name, "")]
    in_heading = False
    for token in _tokens(name) or ():
        in_heading = token.type == "heading_open" or (in_heading and token.type == "inline")
        if token.type == "heading_open":
            anchor = str(token.attrs["id"])
        elif in_heading:
            found.append(Section(name, anchor, _plain(token), ""))
        elif token.type in ("inline", "fence", "code_block"):
            last = found[-1]
            found[-1] = Section(name, last.anchor, last.title, f"{last.text} {_plain(token)}".strip())
    return tuple(found[1:]) or tuple(found)


def _plain(token: Token) -> str:
    if token.children is None:
        return token.content
    return "".join(" " if child.type == "softbreak" else child.content for child in token.children)


def _anchor(title: str) -> str:
    """What links to a heading are called, as on GitHub."""
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def _point(link: Token) -> None:
    """Point a link to the address of its page here; what is not in the manual is text."""
    target = str(link.attrs["href"])
    page = _LINK.fullmatch(target)
    if page is not None:
        link.attrs["href"] = url_for("web.manual_page", name=page[1]) + (page[2] or "")
    elif not target.startswith(("#", "http:", "https:")):
        del link.attrs["href"]


@blueprint.get("/help")
@needs("open")
def manual() -> ResponseReturnValue:
    """The contents of the manual, or with ``q`` what was found in it."""
    query = request.args.get("q", "").strip()[:MAX_QUERY]
    if query:
        return render_page("library/manual_results.html", query=query, found=search(query))
    return _render(CONTENTS)


@blueprint.get("/help/<name>")
@needs("open")
def manual_page(name: str) -> ResponseReturnValue:
    """A page of the manual."""
    return _render(name)


@blueprint.get("/help/img/<name>")
@needs("open")
def manual_image(name: str) -> ResponseReturnValue:
    """An image of the manual."""
    path = manual_folder() / "img" / name
    if not _IMAGE.fullmatch(f"img/{name}") or not path.is_file():
        raise NotFound("The manual has no image %(name)r.", name=name[:80])
    return send_file(path, max_age=3600)


@blueprint.get("/problems/<name>")
@needs("open")
def problem_type(name: str) -> ResponseReturnValue:
    """Where the manual says what a type of problem means."""
    if name not in problem_types():
        raise NotFound("There is no type of problem %(name)r.", name=name[:80])
    return redirect(url_for("web.manual_page", name="api", _anchor="errors"))


def _render(name: str) -> ResponseReturnValue:
    page = _page(name)
    if page is None:
        raise NotFound("The manual has no page %(name)r. Search it, or look at its contents.", name=name[:80])
    return render_page("library/manual_page.html", page=page, html=Markup(page.html), swahili=SWAHILI)
