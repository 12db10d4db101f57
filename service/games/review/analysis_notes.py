"""The annotations that an analysis writes into a game: values, glyphs and best lines, replaced when it is run again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from inkeek.records import Variation
from inkeek.records.analysis.annotation import GameAnnotation, has_value, start_comment, turn_notes
from inkeek.records.json_codec import from_json, to_json
from inkeek.service.games.plies import COMMENT, KINDS, NAG, VARIATION, Annotation
from inkeek.service.games.repository import Games
from inkeek.service.games.state import GameState
from inkeek.service.games.write import Write
from inkeek.service.storage import GameRow

from .annotations import Edit, check_edits, write_annotations


def write_analysis(
    games: Games, game_id: str, find: Callable[[GameState], GameAnnotation | None], write: Write, *, is_arbiter: bool
) -> tuple[GameRow, list[Annotation]]:
    """Write the analysis of a game's turns, which `find` returns for its state, into the game; None removes what one
    wrote.

    Returns the game and the annotations that were added or changed.
    :raises Forbidden: another author's analysis stands there. :raises Invalid: the game has no room for it.
    """

    def edits_for(state: GameState) -> list[Edit]:
        return check_edits(_edits_for(state, find(state)))

    return write_annotations(games, game_id, edits_for, write, is_arbiter=is_arbiter, from_analysis=True)


def is_written(state: GameState, found: GameAnnotation) -> bool:
    """Whether the annotations of a game are those that this analysis of its turns would write."""
    return not _edits_for(state, found)


def _edits_for(state: GameState, found: GameAnnotation | None) -> list[Edit]:
    """The changes that make the annotations of a game those of an analysis of its turns; None removes them all.

    Only what an analysis wrote is changed or removed. A turn keeps the value, the glyph or the line that somebody else
    gave it, and gets no second one. What stays the same is left alone.
    """
    standing: list[list[Annotation]] = [[] for _ in state.plies]
    for annotation in state.annotations:
        standing[annotation.ply].append(annotation)
    edits: list[Edit] = []
    for ply, there in enumerate(standing):
        others = [one for one in there if not one.from_analysis]
        wanted = {} if found is None else dict(_wanted_notes(ply, found, others))
        for kind in KINDS:
            old = [one for one in there if one.from_analysis and one.kind == kind]
            edits += _edits(ply, kind, wanted.get(kind), old)
    return edits


def _wanted_notes(ply: int, found: GameAnnotation, others: Sequence[Annotation]) -> Iterator[tuple[str, Any]]:
    """What the analysis says of a ply beside what `others` wrote, by kind."""
    has_eval = any(has_value(one.value) for one in others if one.kind == COMMENT)
    if ply == 0:
        if not has_eval:
            yield COMMENT, start_comment(found)
        return
    if ply > len(found.turns):
        return
    nags = [one.value for one in others if one.kind == NAG]
    variations = [from_json(one.value, Variation) for one in others if one.kind == VARIATION]
    notes = turn_notes(found.turns[ply - 1], nags, variations)
    if not has_eval:
        yield COMMENT, notes.comment
    if notes.nag is not None:
        yield NAG, notes.nag
    if notes.variation is not None:
        yield VARIATION, to_json(notes.variation)


def _edits(ply: int, kind: str, wanted: Any, old: Sequence[Annotation]) -> Iterator[Edit]:
    """The changes of one kind at a ply: what is there becomes what is wanted, or is removed."""
    where = f"turn {ply}"
    for number, annotation in enumerate(old):
        if number or wanted is None:
            yield Edit(where, id=annotation.id, seq=annotation.seq)
        elif annotation.value != wanted:
            yield Edit(where, kind, wanted, id=annotation.id, seq=annotation.seq)
    if wanted is not None and not old:
        yield Edit(where, kind, wanted, ply=ply)
