"""The dispute button: an objection to the last turn, with what lies on the board; the board waits for the ruling."""

from __future__ import annotations

from drivers import events
from records import RecordsError
from service.errors import Conflict, Invalid
from service.games.disputes import open_dispute, rule
from service.games.write import Write

from .sitting import Sitting

WITHDRAWN = "withdrawn at the board"


def dispute(sitting: Sitting, event: events.Button) -> None:
    """A side objects to the last turn, or withdraws its objection."""
    sitting.say(counts=list(event.counts))
    sitting.refresh()
    source = sitting.source(event.boot, event.seq)
    if sitting.games.has(sitting.board.game, source):
        message = "The dispute had been recorded before."
    else:
        try:
            with sitting.together():
                message = (
                    _open(sitting, event, source) if sitting.dispute is None else _withdraw(sitting, event, source)
                )
                sitting.refresh()
                _settle(sitting, event, message)
            sitting.show()
            return
        except (Conflict, Invalid) as error:
            sitting.refresh()
            message = f"{event.side} pressed dispute, but {error}."
    _settle(sitting, event, message)
    sitting.show()


def _open(sitting: Sitting, event: events.Button, source: str) -> str:
    last = sitting.cite(sitting.row.ply) if sitting.row.ply else ""
    claim = f"{event.side} pressed dispute at the board"
    refusal = sitting.status["refusal"]
    if refusal is not None:
        claim += f", where {refusal['number']} was not recorded"
    open_dispute(
        sitting.games,
        sitting.board.game,
        str(event.side),
        claim,
        Write(source, expected_seq=sitting.row.seq, actor=sitting.actor),
        _seen(sitting, event.counts),
    )
    return f"{event.side} disputes {last}. The game waits for the ruling; pressed again, dispute is withdrawn."


def _withdraw(sitting: Sitting, event: events.Button, source: str) -> str:
    open_ = sitting.dispute
    assert open_ is not None
    if open_.side != str(event.side):
        return (
            f"{event.side} pressed dispute, but {open_.side}'s dispute is open already: the game waits for the ruling."
        )
    rule(sitting.games, open_.id, "stands", Write(source, actor=open_.side), WITHDRAWN)
    return f"{event.side} withdraws the dispute: the turn stands."


def _seen(sitting: Sitting, counts: tuple[float, ...]) -> str | None:
    """What lies on the board as a position of the game, if it is one: seeds may be in a hand, or beside a store that
    nobody weighs. The log has the counts in any case."""
    position = sitting.position
    seeds = [max(round(count), 0) for count in counts]
    size = len(position.pits)
    stores = (seeds[size], seeds[size + 1]) if len(seeds) == size + 2 else position.stores
    try:
        lies = position.replaced(pits=tuple(seeds[:size]), stores=stores)
        sitting.rules.verify_position(lies)
    except RecordsError:
        return None
    return str(lies)


def _settle(sitting: Sitting, event: events.Button, message: str) -> None:
    sitting.say(message=message, undo=None, ask=None)
    log = {"side": str(event.side), "action": event.action, "message": message, "counts": list(event.counts)}
    sitting.settle(event, ("button", log))
