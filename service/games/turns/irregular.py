"""Turns that broke the rules and stand, and turns that nobody saw."""

from __future__ import annotations

from inkeek.records import Kind, Move, Ply, Position, Rules, Turn
from inkeek.records.notation.commands import After
from inkeek.records.replay import play_ply, verify_ply
from inkeek.service.errors import Invalid
from inkeek.service.games.validation import check_side


def irregular(rules: Rules, before: Position, move: Move, position: str) -> tuple[Turn, str]:
    """A turn against the rules that leads to `position`, and the comment that says so.

    :raises Invalid: the move is not an irregular turn of the side to move. :raises RecordsError: the position is not
        one of the game.
    """
    if move.kind is not Kind.IRREGULAR:
        raise Invalid("move is '%(move)s': an irregular turn is ~ and the pit it was played from, or ~?", move=move)
    check_side(move, before)
    after = str(After(str(Position.parse(position))))
    turn = play_ply(rules, before, Ply(move, comments=(after,)))
    verify_ply(turn)
    return turn, after


def gap(rules: Rules, before: Position, unseen: int | None, position: str | None) -> tuple[Turn, list[str]]:
    """Turns that nobody saw, `unseen` of them if that is known, which led to `position`, if anything is known of that;
    and the comment that says so.

    :raises RecordsError: neither is known, or the position is not one of the game.
    """
    move = Move(kind=Kind.GAP, unseen=unseen)
    comments = [] if position is None else [str(After(str(Position.parse(position))))]
    turn = play_ply(rules, before, Ply(move, comments=tuple(comments)))
    verify_ply(turn)
    return turn, comments
