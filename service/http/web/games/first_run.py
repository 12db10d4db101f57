"""What the start page shows while no game is stored: how to keep a game, in three pictures."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from inkeek.records import Rules, Turn, ruleset
from inkeek.records.drawing.svg import Highlights, highlights_of
from inkeek.records.rules.trace import sown_seeds
from inkeek.service.http.language import gettext
from inkeek.service.http.web.findings.view import BoardPicture

LOOKED_AT = 100  # legal turns of the start among which the example is chosen
MOST_SEEDS = 12  # sown in the example, if a turn has so few


@dataclass(frozen=True, slots=True)
class FirstPicture:
    """A picture with what it explains; `terms` are those of its game."""

    drawn: BoardPicture
    words: str
    terms: dict[str, str]


def first_pictures() -> tuple[FirstPicture, ...]:
    """Tap a pit; compare what was sown; mend a mistake."""
    rules, turn = _example()
    terms = dict(rules.info.terms)
    trace = rules.trace(turn.before, turn.move)
    path = sown_seeds(trace.events, len(turn.before.pits))
    legal = tuple({move.pit_index(rules.row): None for move in rules.legal_moves(turn.before, LOOKED_AT)})
    last, after = path[-1].place, (path[-1].place + 1) % len(turn.before.pits)
    pits = list(turn.position.pits)
    pits[last], pits[after] = pits[last] - 1, pits[after] + 1
    slipped = turn.position.replaced(pits=tuple(pits))
    start = highlights_of(turn, rules.row).start
    return (
        FirstPicture(
            BoardPicture(turn.before, gettext("1. Tap the pit that is emptied"), Highlights(legal=legal)),
            gettext("Pits that can be played glow. Hold a pit to see what its turn would do."),
            terms,
        ),
        FirstPicture(
            BoardPicture(turn.position, gettext("2. Compare the boards"), Highlights(start=start), path),
            gettext("The page sows the turn and numbers its seeds. Your board must look the same."),
            terms,
        ),
        FirstPicture(
            BoardPicture(slipped, gettext("3. Mend a mistake"), Highlights(mend={last: 1, after: -1})),
            gettext(
                "“Was this turn legal?” says what went wrong and where to add or remove seeds. Or take the turn back, "
                "lay out what stands, or ask the arbiter."
            ),
            terms,
        ),
    )


@cache
def _example() -> tuple[Rules, Turn]:
    """A game, and a first turn of it with as many seeds as a picture can show."""
    rules = ruleset("enkeshui", pits=8, setup="fours-left")
    turns = rules.turns(rules.start(), LOOKED_AT)

    def sown(turn: Turn) -> int:
        return len(sown_seeds(rules.trace(turn.before, turn.move).events, len(turn.before.pits)))

    return rules, max(turns, key=lambda turn: (sown(turn) <= MOST_SEEDS, sown(turn)))
