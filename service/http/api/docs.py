"""``/docs``: the API documentation in Swagger UI, from local files."""

from __future__ import annotations

from importlib.resources import files

from flask import Blueprint, Response, send_from_directory, url_for
from flask.typing import ResponseReturnValue
from markupsafe import Markup

from inkeek.service.http.access import needs

FILES = str(files("flask_swagger_ui") / "dist")
SHOWN = ("swagger-ui.css", "swagger-ui-bundle.js", "favicon-32x32.png")
POLICY = (  # the stylesheet embeds images, and the scripts set styles
    "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; object-src 'none'; base-uri 'none'; "
    "form-action 'self'; frame-ancestors 'none'"
)
PAGE = Markup("""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>The API of Inkeek</title>
<link rel="stylesheet" href="{css}">
<link rel="icon" href="{icon}">
</head>
<body>
<div id="api"></div>
<script src="{bundle}"></script>
<script src="{start}" data-document="{document}"></script>
</body>
</html>
""")

blueprint = Blueprint("docs", __name__, url_prefix="/docs")


@blueprint.get("")
@needs("read", limited=True)
def show() -> Response:
    """The page."""
    css, bundle, icon = (url_for("docs.file", name=name) for name in SHOWN)
    page = PAGE.format(
        css=css,
        bundle=bundle,
        icon=icon,
        start=url_for("web.static", filename="docs.js"),
        document=url_for("openapi_json"),
    )
    response = Response(page, content_type="text/html; charset=utf-8")
    response.headers["Content-Security-Policy"] = POLICY
    return response


@blueprint.get("/<name>")
@needs("open")
def file(name: str) -> ResponseReturnValue:
    """A file of Swagger UI."""
    return send_from_directory(FILES, name if name in SHOWN else "")
