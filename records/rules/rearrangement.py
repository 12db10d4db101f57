"""Rearrangements: a player empties two own pits and lays those seeds out again in the own row. Nothing is sown."""

from __future__ import annotations

from inkeek.records.errors import ErrorText, RecordsError
from inkeek.records.language import Message
from inkeek.records.moves import Kind, Move
from inkeek.records.position import ORDINARY, OWNED, Position, Side


def why_not_now(allowed: object, position: Position, previous: Move | None) -> Message | None:
    """Why the side to move may not rearrange after the move `previous`; None if it may. `allowed` is the option."""
    if allowed == "none":
        return _fault("never")
    if allowed == "setup":
        return _fault("setup")
    if allowed == "initial" and position.ply > 1:
        return _fault("initial")
    if previous is not None and previous.kind is Kind.REARRANGE and previous.side is position.to_move:
        return _fault("again", mover=position.to_move)
    return None


def is_rearranged(before: Position, after: Position) -> bool:
    """Whether each side laid out the seeds of at most two of its pits again."""
    rows = [before.pits_of(side) for side in Side]
    if any(sum(before.pits[pit] - after.pits[pit] for pit in row) for row in rows):
        return False
    return all(sum(after.pits[pit] < before.pits[pit] for pit in row) <= 2 for row in rows)


def rearrangement_between(before: Position, after: Position) -> Move:
    """The rearrangement by the side to move that leads from one position to the other.

    :raises RecordsError: none does: seeds lie elsewhere than in the own row, or not one or two of its pits have fewer.
    """
    own = before.pits_of(before.to_move)
    for pit in range(len(before.pits)):
        same = pit in own or before.pits[pit] == after.pits[pit]
        if not same or before.marks[pit] != after.marks[pit]:
            raise RecordsError(
                ErrorText(
                    "Pit %(pit)s is changed: %(side)s may only lay out seeds of their own row again.",
                    pit=before.letter(pit),
                    side=before.to_move,
                )
            )
    if before.stores != after.stores:
        raise RecordsError(
            ErrorText(
                "The stores hold %(south)s and %(north)s seeds instead of %(first)s and %(second)s: a "
                "rearrangement does not change them.",
                south=after.stores[0],
                north=after.stores[1],
                first=before.stores[0],
                second=before.stores[1],
            )
        )
    emptied = [pit for pit in own if after.pits[pit] < before.pits[pit]]
    fewer = " ".join(before.letter(pit) for pit in emptied) or ErrorText("none")
    if len(emptied) == 1:  # what the other pit held lies in it again
        others = [pit for pit in own if pit != emptied[0] and before.marks[pit] == ORDINARY]
        emptied += others[:1]
    if len(emptied) != 2:
        raise RecordsError(
            ErrorText("Pits with fewer seeds than before: %(fewer)s. A rearrangement empties two pits.", fewer=fewer)
        )
    laid = {pit: after.pits[pit] - (0 if pit in emptied else before.pits[pit]) for pit in own}
    return Move(
        kind=Kind.REARRANGE,
        emptied="".join(before.letter(pit) for pit in sorted(emptied)),
        laid=tuple((before.letter(pit), count) for pit, count in laid.items() if count),
    )


def rearrange(position: Position, move: Move, into_specials: bool) -> Position | Message:
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
