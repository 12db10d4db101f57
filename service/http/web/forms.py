"""What the form for a new game sends, read into what `service.games.repository` takes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

TAGS = (  # tags the form asks for, with their labels
    ("South", "South: who plays"),
    ("North", "North: who plays"),
    ("Event", "Event"),
    ("Site", "Place"),
    ("Date", "Date, as 2026.11.20"),
    ("Round", "Round"),
)
OPTION = "option."  # what the names of the fields for options begin with


@dataclass(frozen=True, slots=True)
class NewGame:
    """What was body for; whether it can be, `service.games.repository` says."""

    game: str
    options: dict[str, str]
    tags: dict[str, str]
    setup: str | None


def read_new_game(form: Mapping[str, str]) -> NewGame:
    """The form's fields; what was left empty is left to the rule set."""
    return NewGame(
        game=form.get("game", ""),
        options={
            name.removeprefix(OPTION): value.strip()
            for name, value in form.items()
            if name.startswith(OPTION) and value.strip()
        },
        tags={name: form[name].strip() for name, _ in TAGS if form.get(name, "").strip()},
        setup=form.get("position", "").strip() or None,
    )
