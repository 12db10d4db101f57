"""Laying out on the live page what stands on the board: an irregular turn, or a rearrangement."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from inkeek.records import Move, Position, Side
from inkeek.records.rules.rearrangement import rearrangement_between, why_not_now
from inkeek.service.errors import Invalid
from inkeek.service.games.snapshot import GameSnapshot
from inkeek.service.http.language import gettext
from inkeek.service.http.web.drawing.edited_board import (
    EditedBoard,
    board_of,
    edited_board,
    fields_of,
    given_fields,
    place_names,
    total_texts,
)

LAID = "laid."  # prefix of the fields
MAX_FIELD = 6  # characters
MAX_UNSEEN = 9999  # turns that nobody saw


@dataclass(frozen=True, slots=True)
class LayOutForm:
    """The form: its board, the texts of its total, how many seeds there must be, the pits where the turn may have
    begun, whether the side to move may rearrange, and who is to move after an irregular turn, the likelier side first.
    """

    board: EditedBoard
    totals: str
    seeds: int
    pits: tuple[str, ...]
    may_rearrange: bool
    next_sides: tuple[Side, Side]


def lay_out_form(snapshot: GameSnapshot, shown: Position, given: Mapping[str, str]) -> LayOutForm:
    """The form for the next turn of a game. Its fields have what was `given`, else what the page shows."""
    rules, position = snapshot.rules, snapshot.position
    words = given_fields(given, LAID, position) or fields_of(shown)
    mover = position.to_move
    return LayOutForm(
        edited_board(LAID, gettext("The board now"), words, position, rules),
        json.dumps(total_texts()),
        rules.seeds,
        tuple(position.letter(pit) for pit in position.pits_of(mover)),
        may_rearrange(snapshot),
        (mover.other, mover),
    )


def board_fields(board: Position) -> dict[str, str]:
    """The fields that say what lies on a board, as `read_gap` reads them."""
    words = fields_of(board)
    return {LAID + name: words[place] for place, name in place_names(board.row)}


def may_rearrange(snapshot: GameSnapshot) -> bool:
    """Whether the side to move may rearrange now."""
    plies = snapshot.record.plies
    previous = plies[-1].move if plies else None
    return why_not_now(snapshot.rules.options.get("rearrangement", "none"), snapshot.position, previous) is None


def read_irregular(form: Mapping[str, str], before: Position) -> tuple[Move, str]:
    """An irregular turn and the position after it.

    :raises Invalid: a place was not counted, or a field is missing. :raises RecordsError: the fields are no position.
    """
    pit, side = form.get("pit", ""), form.get("next", "")
    if side not in ("South", "North"):
        raise Invalid("The side is %(text)r. Choose South or North.", text=side[:40])
    text = f"{read_laid_board(form, before)} {side[0].lower()} {before.ply + 1}"
    return Move.parse(f"~{pit}"), str(Position.parse(text))


def read_gap(form: Mapping[str, str], before: Position) -> tuple[int | None, str]:
    """How many turns nobody saw, None if that is not known, and the position after them, with ``?`` for what is not.

    :raises Invalid: the number is none, or the side is missing. :raises RecordsError: the fields are no position.
    """
    given = form.get("turns", "").strip()
    if given and not (given.isascii() and given.isdigit() and 1 <= int(given) <= MAX_UNSEEN):
        raise Invalid(
            "The number of turns is %(text)r. Expected a number from 1 to %(most)s, or nothing.",
            text=given[:40],
            most=MAX_UNSEEN,
        )
    side = form.get("next", "")
    if side not in ("South", "North"):
        raise Invalid("The side is %(text)r. Choose South or North.", text=side[:40])
    turns = int(given) if given else None
    after = before.after_unseen(turns or 1)
    fields = form if given_fields(form, LAID, before) else board_fields(after)
    board = read_laid_board(fields, before, is_whole=False)
    return turns, str(Position.parse(f"{board} {side[0].lower()} {after.ply}"))


def read_rearrangement(form: Mapping[str, str], before: Position) -> Move:
    """A rearrangement by the side to move.

    :raises Invalid: a place was not counted. :raises RecordsError: no rearrangement lays out this board.
    """
    text = f"{read_laid_board(form, before)} {'sn'[before.to_move]} {before.ply}"
    return rearrangement_between(before, Position.parse(text))


def read_laid_board(form: Mapping[str, str], before: Position, *, is_whole: bool = True) -> str:
    """The text of the board as it was laid out; one that is not whole may have places that nobody counted.

    :raises Invalid: a place was not counted.
    """
    words = given_fields(form, LAID, before)
    unknown = [name for place, name in place_names(before.row) if words.get(place, "").strip() in ("", "?")]
    if is_whole and unknown:
        raise Invalid(
            "Not counted: %(places)s. Expected the seeds of every pit and of both stores.", places=" ".join(unknown)
        )
    for place, name in place_names(before.row):
        if len(words.get(place, "")) > MAX_FIELD:
            raise Invalid(
                "%(place)s is %(text)r. Expected the number of seeds, as '4' or '4s'.",
                place=name,
                text=words[place][:20],
            )
    return board_of({place: word.strip() for place, word in words.items()}, before.row)
