"""Pages set by typst, which is an optional part of the installation."""

from __future__ import annotations

import functools
import importlib.util
import io
import json
from importlib import resources
from typing import TYPE_CHECKING, Any, Literal

import segno

from service.errors import NotInstalled

if TYPE_CHECKING:
    import typst


def check_installed(page: str) -> None:
    """:raises NotInstalled: there is no typst; names the `page` to print instead."""
    if importlib.util.find_spec("typst") is None:
        raise NotInstalled(
            "This service makes no PDF: typst is missing. Install it with `pip install 'inkeek[pdf]'`, or "
            "print the page %(page)s from the browser.",
            page=page,
        )


def typeset(template: str, data: dict[str, Any]) -> bytes:
    """The PDF that a template makes of `data`, which it finds in ``sheet``."""
    return _set(template, data, "pdf")[0]


def typeset_pictures(template: str, data: dict[str, Any]) -> list[bytes]:
    """The pages of that PDF as PNG."""
    return _set(template, data, "png")


def _set(template: str, data: dict[str, Any], form: Literal["pdf", "png"]) -> list[bytes]:
    import typst

    source = resources.files(__package__).joinpath("templates", *template.split("/")).read_bytes()
    inputs = {"sheet": json.dumps(data, ensure_ascii=False)}
    made = typst.compile(source, format=form, font_paths=_fonts(), sys_inputs=inputs)
    return made if isinstance(made, list) else [made]


@functools.cache
def _fonts() -> typst.Fonts:
    """The fonts of typst, and those of the machine for names in other scripts."""
    import typst

    return typst.Fonts()


def qr_picture(text: str) -> str:
    """A text as a QR code, as SVG."""
    file = io.BytesIO()
    segno.make(text, error="m", micro=False).save(file, kind="svg", border=4, xmldecl=False)
    return file.getvalue().decode()
