"""Rearranging: a player empties two own pits and lays those seeds out again in the own row. It sows nothing."""

from __future__ import annotations

from .errors import RecordsError
from .language import Message, load_language
from .moves import Move
from .position import ORDINARY, Position


class NotRearranged(RecordsError):
    """A rearrangement that is none; `why` tells."""

    def __init__(self, fault: str, **fields: object) -> None:
        self.why = Message(f"refusals.rearrangement.{fault}", fields)
        super().__init__(load_language("en").tell(self.why))


def rearranged(position: Position, move: Move) -> tuple[int, ...]:
    """The pits after the rearrangement `move` by the side to move.

    :raises NotRearranged: it is not one; says what is wrong.
    """
    own = {position.letter(pit): pit for pit in position.pits_of(position.to_move)}
    for letter in (*move.emptied, *(letter for letter, _ in move.laid)):
        if letter not in own:
            raise NotRearranged("not-own", pit=letter, mover=position.to_move, row=" ".join(own))
        if position.marks[own[letter]] != ORDINARY:
            raise NotRearranged("not-ordinary", pit=letter)
    first, second = move.emptied[0], move.emptied[1]
    if first == second:
        raise NotRearranged("same", pit=first)
    pits = list(position.pits)
    lifted = pits[own[first]] + pits[own[second]]
    laid = sum(count for _, count in move.laid)
    if lifted == 0:
        raise NotRearranged("empty", first=first, second=second)
    if laid != lifted:
        raise NotRearranged("count", first=first, second=second, lifted=lifted, laid=laid)
    pits[own[first]] = pits[own[second]] = 0
    for letter, count in move.laid:
        if count == 0:
            raise NotRearranged("nothing", pit=letter)
        pits[own[letter]] += count
    return tuple(pits)
