"""Random records: games of every rule set with comments, glyphs, variations, and any tags."""

from __future__ import annotations

from hypothesis import strategies as st

from inkeek.records import Game, Move, Ply, Variation
from inkeek.records.notation.tags import format_options
from tests.records import positions

MAX_PLIES = 30
words = st.text(
    st.characters(codec="utf-8", exclude_categories=("Cs", "Cc", "Zl", "Zp", "Zs"), exclude_characters="}"),
    min_size=1,
    max_size=90,
)
comments = st.lists(words, min_size=1, max_size=4).map(" ".join)
values = st.text(st.characters(codec="utf-8", exclude_categories=("Cs", "Cc", "Zl", "Zp")), max_size=100)
names = st.from_regex(r"[A-Z][A-Za-z0-9_]{0,12}", fullmatch=True)
LEFT_ALONE = ("Game", "Options", "Result", "Setup", "First", "Race", "RacePosition", "Score", "Termination", "Match")


@st.composite
def games(draw: st.DrawFn) -> Game:
    """A record that is right: a random game, cut off somewhere, with things said of it."""
    rules, start = draw(positions.games())
    rules = rules.starting_from(start)
    tags = {"Game": rules.id, "Options": format_options(rules.changed), "Setup": str(start)}
    for name, value in draw(st.dictionaries(names, values, max_size=4)).items():
        if name not in LEFT_ALONE:
            tags[name] = value
    plies, position = [], start
    for _ in range(draw(st.integers(0, MAX_PLIES))):
        moves = rules.legal_moves(position, limit=20)
        if not moves:
            break
        played = draw(st.sampled_from(list(moves)))
        said = draw(st.lists(comments, max_size=2)) if draw(st.integers(0, 4)) == 0 else []
        nags = draw(st.lists(st.integers(0, 255), max_size=3)) if draw(st.integers(0, 4)) == 0 else []
        plies.append(
            Ply(
                _as_typed(draw, played), tuple(nags), _as_kept(said), _variations(draw, moves) if len(plies) < 6 else ()
            )
        )
        position = rules.play(position, played).position
    outcome = rules.outcome(position)
    if outcome:
        tags["Result"] = outcome.result
    return Game(tags, tuple(plies), _as_kept(draw(st.lists(comments, max_size=1))))


def _as_typed(draw: st.DrawFn, move: Move) -> Move:
    """With what it does, or without."""
    return move if draw(st.booleans()) else move.choice


def _as_kept(said: list[str]) -> tuple[str, ...]:
    return tuple(" ".join(comment.split()) for comment in said)


def _variations(draw: st.DrawFn, moves: list[Move]) -> tuple[Variation, ...]:
    others = draw(st.lists(st.sampled_from(list(moves)), max_size=2)) if draw(st.integers(0, 5)) == 0 else []
    return tuple(Variation((Ply(move, comments=_as_kept(draw(st.lists(comments, max_size=1)))),)) for move in others)
