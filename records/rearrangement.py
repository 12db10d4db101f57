"""Rearrangements: a player empties two own pits and lays those seeds out again in the own row. Nothing is sown."""

from __future__ import annotations

from .language import Message
from .moves import Move
from .position import ORDINARY, OWNED, Position


def rearranged(position: Position, move: Move, into_specials: bool) -> Position | Message:
    """The position after the side to move rearranges its pits, with the same side to move; or why it may not.

    With `into_specials` seeds may be laid into the side's own special pits.
    """
    own = {position.letter(pit): pit for pit in position.pits_of(position.to_move)}
    for letter in (*move.emptied, *(letter for letter, _ in move.laid)):
        if letter not in own:
            return _fault("not-own", pit=letter, mover=position.to_move, row=" ".join(own))
    for letter in move.emptied:
        if position.marks[own[letter]] != ORDINARY:
            return _fault("not-ordinary", pit=letter)
    allowed = (ORDINARY, OWNED[position.to_move]) if into_specials else (ORDINARY,)
    for letter, _ in move.laid:
        if position.marks[own[letter]] not in allowed:
            return _fault("not-laid", pit=letter)
    first, second = move.emptied[0], move.emptied[1]
    if first == second:
        return _fault("same", pit=first)
    pits = list(position.pits)
    lifted = pits[own[first]] + pits[own[second]]
    laid = sum(count for _, count in move.laid)
    if lifted == 0:
        return _fault("empty", first=first, second=second)
    if laid != lifted:
        return _fault("count", first=first, second=second, lifted=lifted, laid=laid)
    pits[own[first]] = pits[own[second]] = 0
    for letter, count in move.laid:
        if count == 0:
            return _fault("nothing", pit=letter)
        pits[own[letter]] += count
    return position.replaced(pits=tuple(pits))


def _fault(name: str, **fields: object) -> Message:
    return Message(f"refusals.rearrangement.{name}", fields)
