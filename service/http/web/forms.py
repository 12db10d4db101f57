"""The form for a new game."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

TAGS = (  # fields for tags, with their labels
    ("South", "South’s player"),
    ("North", "North’s player"),
    ("Event", "Event"),
    ("Site", "Place"),
    ("Date", "Date, as 2026.11.20"),
    ("Round", "Round"),
)
OPTION = "option."  # prefix of the fields for options


@dataclass(frozen=True, slots=True)
class NewGameForm:
    """What was filled in. `Games.create` checks it."""

    game: str
    options: dict[str, str]
    tags: dict[str, str]
    setup: str | None


def read_new_game(form: Mapping[str, str]) -> NewGameForm:
    """Read the form; an empty field stands for the default of the rule set."""
    return NewGameForm(
        game=form.get("game", ""),
        options={
            name.removeprefix(OPTION): value.strip()
            for name, value in form.items()
            if name.startswith(OPTION) and value.strip()
        },
        tags={name: form[name].strip() for name, _ in TAGS if form.get(name, "").strip()},
        setup=form.get("position", "").strip() or None,
    )
