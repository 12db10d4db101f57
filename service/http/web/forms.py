"""What the forms of the pages send."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from records import Side
from service.errors import Invalid
from service.games.endings import CorrectedEnd
from service.http.language import gettext_later as later

TAGS = (  # fields for tags, with their labels
    ("South", later("South’s player")),
    ("North", later("North’s player")),
    ("Event", later("Event")),
    ("Site", later("Place")),
    ("Date", later("Date, as 2026.11.20")),
    ("Round", later("Round")),
    ("Board", later("Board, by its number")),
)
MAX_DIGITS = 4  # of a number of seeds
OPTION = "option."  # prefix of the fields for options


@dataclass(frozen=True, slots=True)
class NewGameForm:
    """What was filled in. `Games.create` checks it."""

    game: str
    options: dict[str, str]
    tags: dict[str, str]
    setup: str | None


def read_end(form: Mapping[str, str]) -> CorrectedEnd:
    """Read how a game ended.

    :raises Invalid: the seeds are not two numbers.
    """
    seeds = [form.get(f"score_{side}", "").strip() for side in Side]
    if any(seeds) and not all(text.isascii() and text.isdigit() and len(text) <= MAX_DIGITS for text in seeds):
        raise Invalid(f"The seeds are {seeds[0][:40]!r} and {seeds[1][:40]!r}. Expected two numbers, or none.")
    score = (int(seeds[0]), int(seeds[1])) if any(seeds) else None
    return CorrectedEnd(form.get("termination", ""), form.get("winner") or None, score)


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
