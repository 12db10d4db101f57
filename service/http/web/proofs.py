"""The links to signed proofs on others' pages. Without a key there are none."""

from __future__ import annotations

from markupsafe import Markup

from inkeek.service.http.context import current_services
from inkeek.service.http.language import gettext


def game_link(game_id: str) -> str:
    """That of a game."""
    return _link(f"/api/v1/games/{game_id}/proof", Markup(" download"))


def dispute_link(game_id: str, seq: int) -> str:
    """That of a dispute."""
    return _link(f"/api/v1/games/{game_id}/disputes/{seq}/proof")


def _link(url: str, more: str = "") -> str:
    if not current_services().settings.key_file.exists():
        return ""
    return Markup('<a href="{}" data-proof{}>{}</a>').format(url, more, gettext("Signed proof"))
