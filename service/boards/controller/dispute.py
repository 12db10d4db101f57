"""The dispute button: a side disputes the last turn, or the one on the board that was not recorded, with what is on the
board. The game waits for the ruling, after which hands put right what does not lie as in the game."""

from __future__ import annotations

from inkeek.drivers import events
from inkeek.drivers.detection.verdicts import Clear, Unchanged
from inkeek.records import RecordsError
from inkeek.records.errors import joined_texts
from inkeek.service.boards.disputed_turn import sensors_of
from inkeek.service.disputes.disputes import open_dispute
from inkeek.service.disputes.rulings import withdraw
from inkeek.service.errors import Conflict, ErrorText, Invalid
from inkeek.service.games.write import Write

from .core import ControllerCore
from .game_view import Counts, places, to_mend

WITHDRAWN = "withdrawn at the board"
NO_TURN = ("taken-back", "turned")  # causes of a refusal that is not about a turn on the board


def dispute(board: ControllerCore, event: events.Button) -> None:
    """A side disputes a turn, or withdraws its dispute."""
    board.update_status(counts=event.counts)
    board.refresh_game()
    if board.is_recorded(event):
        _store(board, event, ErrorText("This dispute was already recorded."))
    else:
        try:
            with board.transaction():
                message = _open(board, event) if board.game.dispute is None else _withdraw(board, event)
                board.refresh_game()
                _store(board, event, message)
        except (Conflict, Invalid) as error:
            board.refresh_game()
            _store(
                board, event, ErrorText("%(side)s pressed dispute, but %(error)s.", side=event.side, error=error.text)
            )
    board.show()


def _open(board: ControllerCore, event: events.Button) -> str:
    game, refusal = board.game, board.status.refusal
    claim = f"{event.side} pressed dispute at the board"
    ply = game.row.ply
    cited = game.cite_last() if ply else ErrorText("no turn")
    if refusal is not None and refusal.ply == ply + 1 and refusal.cause not in NO_TURN:
        ply, cited = refusal.ply, ErrorText("%(turn)s, which was not recorded", turn=refusal.number)
        claim += f", where {refusal.number} was not recorded"
    open_dispute(
        board.games,
        board.row.game,
        str(event.side),
        claim,
        board.write(event, expected_seq=game.row.seq),
        _position_seen(board, event.counts),
        ply=ply if ply > game.row.ply else None,
        sensors=sensors_of(board.status, ply, game.row.ply),
    )
    return ErrorText(
        "%(side)s disputes %(turn)s. The game waits for the ruling. Press dispute again to withdraw.",
        side=event.side,
        turn=cited,
    )


def _withdraw(board: ControllerCore, event: events.Button) -> str:
    waiting = board.game.dispute
    assert waiting is not None
    if waiting.side != str(event.side):
        return ErrorText(
            "%(side)s pressed dispute, but %(other)s's dispute is open: the game waits for the ruling.",
            side=event.side,
            other=event.side.other,
        )
    withdraw(board.games, waiting.id, Write(board.source(event), actor=waiting.side), WITHDRAWN)
    return ErrorText("%(side)s withdraws the dispute: the turn stands.", side=event.side)


def _position_seen(board: ControllerCore, counts: Counts) -> str | None:
    """The position on the board, if it is one of this game.

    Seeds may be in a hand, or beside a store that is not weighed. What lies on one sensor that is no evidence follows
    from the number of seeds. The board's log has the counts in any case.
    """
    position, ignored = board.game.position, board.ignored
    seeds = [max(round(count), 0) for count in counts]
    size = len(position.pits)
    unused = [sensor for sensor in range(len(seeds)) if sensor in ignored]
    for sensor in unused[:1]:
        others = sum(seeds) - seeds[sensor] + (0 if len(seeds) == size + 2 else sum(position.stores))
        seeds[sensor] = sum(places(position)) - others
        if len(unused) > 1 or seeds[sensor] < 0:
            return None
    stores = (seeds[size], seeds[size + 1]) if len(seeds) == size + 2 else position.stores
    try:
        seen = position.replaced(pits=tuple(seeds[:size]), stores=stores)
        board.game.rules.verify_position(seen, position.seeds if position.is_known else None)
    except RecordsError:
        return None
    return str(seen)


def _store(board: ControllerCore, event: events.Button, message: str) -> None:
    board.update_status(message=message, undo=None, ask=None)
    data = {"side": str(event.side), "action": event.action, "message": message, "counts": list(event.counts)}
    board.commit_event(event, ("button", data))


def settle(board: ControllerCore) -> None:
    """Say what was ruled where the turns stay as they are."""
    game = board.game
    message = ErrorText("The dispute is settled: the turn stands.")
    if game.mover is None:
        message = ErrorText("The dispute is settled: the game has ended, %(result)s.", result=game.row.result)
    board.update_status(message=message)
    counts = board.status.counts
    if game.mover is None or counts is None or isinstance(board.detect_turn(counts, None), Unchanged | Clear):
        return  # nothing to put right, or the next turn was played meanwhile
    board.disagrees = True
    layout = ErrorText("Lay the board out as %(layout)s.", layout=game.layout())
    board.update_status(board.status.cleared(), message=joined_texts((message, layout)), seen=None)
    mark_wrong_pits(board)


def mark_wrong_pits(board: ControllerCore) -> None:
    """Mark the pits that do not lie as in the game; none if it is over."""
    game, counts = board.game, board.status.counts
    if game.mover is None or counts is None:
        return
    mend = to_mend(game.position, counts, board.ignored)
    then = places(game.position)
    sentences = tuple(
        ErrorText(
            "%(place)s: %(then)s instead of %(lies)s",
            place=game.pit_name(int(pit)),
            then=then[int(pit)],
            lies=then[int(pit)] - lacks,
        )
        for pit, lacks in mend.items()
    )
    board.update_status(mend=mend, sentences=sentences)
