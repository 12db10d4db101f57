"""A turn on the board: recorded when it is clear which it was, otherwise refused with what to mend."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from drivers import events
from drivers.detection.verdicts import Clear, NoFit, TakenBack, Turned, TwoTurns, Unchanged, Verdict
from records import Side, Turn
from records.errors import joined_texts
from records.json_codec import to_json
from service.boards.status import LastTurn, Refusal
from service.errors import Conflict, ErrorText, Invalid

from . import misfits
from .core import ControllerCore
from .game_view import AGREES, Counts
from .health import unused_sentences
from .questions import Unclear, ask_again, choices, likeliest_position, strange_sensor, turned_question

MAX_TRIES = 5  # of one turn, while other writers change the game


def commit(board: ControllerCore, event: events.Button) -> None:
    """A side says that its turn is done."""
    board.update_status(counts=event.counts)
    take_turn(board, event, event.counts, event.side)


def overtaken(arrived: Sequence[events.Event]) -> set[int]:
    """Which events, by number in order of arrival, are presses of commit after which the same side pressed it again, or
    snapshots before others.

    A turn that is clear from such a press is recorded, but nobody needs to know what else it may be.
    """
    found, later = set(), dict[Side | None, str]()
    for number in reversed(range(len(arrived))):
        match arrived[number]:
            case events.Button(side=side, action=action):
                if action == later.get(side) == "commit":
                    found.add(number)
                later[side] = action
            case events.Snapshot():
                if None in later:
                    found.add(number)
                later[None] = "snapshot"
    return found


def take_turn(board: ControllerCore, event: events.Numbered, counts: Counts, pressed: Side | None) -> None:
    """Record the turn that the counts show, if it is clear which that is.

    `event` is the board's last one: the consequences are stored under its name. `pressed` is the side whose button it
    was; None: nobody pressed one.
    """
    for _ in range(MAX_TRIES):
        # The game is assumed to be as last read. If it is not, nothing is stored, and the game is read again.
        game = board.game
        verdict = None if game.mover is None or game.dispute is not None else board.detect_turn(counts, pressed)
        turns = () if verdict is None else _clear_turns(verdict, pressed)
        refused: Conflict | None = None
        if turns:
            before = board.status
            try:
                record(board, event, counts, turns, begun=isinstance(verdict, TwoTurns) and len(turns) == 1)
                board.show()
                if isinstance(verdict, Clear) and not verdict.swept:
                    board.learn_turn(verdict.turn, before, counts)
                return
            except Conflict as error:
                refused = error  # another writer changed the game, this event was recorded before, or the game waits
            except Invalid as error:
                _answer(board, event, "unrecorded", not_recorded(error), pressed)
                return
        seen = board.refresh_game()
        if board.is_recorded(event):
            _accept(board, event, ErrorText("This turn was already recorded."))
            board.show()
            return
        if seen.row.seq == board.game.row.seq and not turns:
            _refuse(board, event, counts, pressed, verdict)
            return
        if seen.row.seq == board.game.row.seq and refused is not None:
            _answer(board, event, "unrecorded", not_recorded(refused), pressed)
            return
    message = ErrorText("Nothing was recorded, because others kept changing the game. Press the button again.")
    _answer(board, event, "unrecorded", message, pressed)


def not_recorded(error: Conflict | Invalid) -> str:
    """Why a turn that was clear is not in the record."""
    return ErrorText("Nothing was recorded: %(error)s.", error=error.text)


def _clear_turns(verdict: Verdict, pressed: Side | None) -> tuple[Turn, ...]:
    """The turns to record. If two turns are on the board, the second needs its own player's button, or a settled board
    without buttons."""
    if isinstance(verdict, Clear):
        return (verdict.turn,)
    if not isinstance(verdict, TwoTurns):
        return ()
    if verdict.complete and pressed in (None, verdict.second.before.to_move):
        return (verdict.first, verdict.second)
    return (verdict.first,) if pressed in (None, verdict.first.before.to_move) else ()


def record(
    board: ControllerCore,
    event: events.Numbered,
    counts: Counts,
    turns: tuple[Turn, ...],
    *,
    begun: bool,
    comments: tuple[str, ...] = (),
) -> None:
    """Store the turns and the event in one transaction. `begun`: the next turn is on the board too, in part."""
    with board.transaction():
        for number, turn in enumerate(turns, 1):
            write = board.write(event, expected_seq=board.game.row.seq)
            played = board.games.play(
                board.row.game,
                turn,
                # The last turn has the event's own name: if that is stored, all of them are.
                write if number == len(turns) else replace(write, source=f"{write.source}:{number}"),
                comments=[board.comment(event), *comments],
            )
            board.add_turn(played.turn, played.row)
        game = board.game
        cited = game.cite_last()
        if len(turns) > 1:
            cited = ErrorText("%(first)s and %(second)s", first=game.cite(game.row.ply - 1), second=cited)
        message = ErrorText("Recorded: %(turns)s.", turns=cited)
        if begun:
            has_begun = ErrorText("%(side)s has begun the next turn.", side=game.position.to_move)
            message = joined_texts((message, has_begun))
        lifts = board.status.seen if len(turns) == 1 and not begun else None
        board.update_status(before=None if begun else board.known(counts), seen=None if begun else ())
        _accept(board, event, message, turns[-1], lifts)


def _accept(
    board: ControllerCore,
    event: events.Numbered,
    message: str,
    turn: Turn | None = None,
    lifts: tuple[int, ...] | None = None,
) -> None:
    log, refusal = None, board.status.refusal
    if refusal is not None:
        log = ("mended", {"ply": refusal.ply, "move": None if turn is None else str(turn.move)})
    if turn is not None:
        board.update_status(last=LastTurn.of(board.game.row.ply, turn, lifts))
    board.disagrees = False
    counts = board.status.counts
    over = board.game.row.state == "ended"  # then the sides may have taken what was left
    strange = () if turn is None or counts is None or over else strange_sensor(board, turn.position, counts)
    note = joined_texts((*strange, *unused_sentences(board, recorded=True))) or None
    board.update_status(board.status.cleared(), message=message, verdict="clear", note=note)
    board.commit_event(event, log)


def _refuse(
    board: ControllerCore, event: events.Numbered, counts: Counts, pressed: Side | None, verdict: Verdict | None
) -> None:
    if board.is_overtaken:
        misfits.note_overtaken(board, event, _side(pressed))
    elif board.game.row.state == "ended":
        _answer(board, event, "after-end", ErrorText("The game is over: nothing was recorded."), pressed)
    elif verdict is None:
        message = ErrorText("Nothing was recorded: a dispute is open until it is ruled on or withdrawn.")
        _answer(board, event, "disputed", message, pressed)
    elif isinstance(verdict, Unchanged):
        _refuse_unchanged(board, event, pressed)
    elif not isinstance(verdict, Clear):
        _refuse_unclear(board, event, counts, pressed, verdict)


def _refuse_unclear(
    board: ControllerCore,
    event: events.Numbered,
    counts: Counts,
    pressed: Side | None,
    verdict: Unclear,
) -> None:
    game, ask = board.game, board.status.without_refusal().ask
    mend: dict[str, int] = {}
    meant = None
    if isinstance(verdict, NoFit):
        message = ErrorText("Nothing was recorded: no legal turn leads to this board.")
        cause, mend = verdict.cause, {str(pit): seeds for pit, seeds in verdict.mend.items()}
        meant = None if verdict.nearest is None else str(verdict.nearest.move)
    elif isinstance(verdict, TakenBack):
        first = game.cite(game.row.ply - verdict.plies + 1)
        message = ErrorText(
            "Nothing was recorded: the board is as before %(turn)s. Press undo to take that back.", turn=first
        )
        cause = "taken-back"
    elif isinstance(verdict, TwoTurns):
        first_side, second_side = verdict.first.before.to_move, verdict.second.before.to_move
        message = ErrorText(
            "Nothing was recorded: %(first)s's turn is complete, but %(second)s's next turn is not.",
            first=first_side,
            second=second_side,
        )
        cause, meant = "two-turns", str(verdict.second.move)
    elif isinstance(verdict, Turned):
        message = ErrorText("Nothing was recorded: the board seems to lie the wrong way round.")
        cause, ask = "turned", turned_question(board, verdict)
    else:
        message = ErrorText("Nothing was recorded: it is not certain which turn was played. Choose it on the page.")
        cause = "ambiguous"
    ply, side = game.row.ply + 1, pressed or game.position.to_move
    strange = strange_sensor(board, likeliest_position(board, verdict), counts)
    refusal = Refusal(
        ply,
        game.cite(ply),
        str(side),
        cause,
        meant,
        message,
        (*strange, *verdict.sentences, *unused_sentences(board)),
        mend,
        choices(board, verdict),
        f"{event.boot}:{event.seq}",
        counts=tuple(counts),
    )
    question, repeated = ask_again(board, refusal, ask)
    refusal = replace(refusal, question=question, repeated=repeated)
    board.update_status(
        message=message,
        verdict=cause,
        sentences=refusal.sentences,
        mend=mend,
        refusal=refusal,
        refusals=board.status.refusals + 1,
        note=None,
        undo=None,
        ask=ask,
    )
    board.commit_event(event, ("refused", to_json(refusal)))
    board.show()


def _refuse_unchanged(board: ControllerCore, event: events.Numbered, pressed: Side | None) -> None:
    mover = board.game.position.to_move
    if pressed is None:
        message = AGREES
    elif pressed is not mover and board.game.row.ply:
        message = ErrorText(
            "%(side)s pressed the button again: the turn is already recorded, and %(mover)s is to move.",
            side=pressed,
            mover=mover,
        )
    else:
        message = ErrorText("%(side)s pressed the button, but no seed has moved: nothing was recorded.", side=pressed)
    board.disagrees = False
    board.update_status(board.status.without_refusal(), message=message, verdict="unchanged", undo=None)
    board.commit_event(event, ("unchanged", {"side": _side(pressed)}))
    board.show()


def _answer(board: ControllerCore, event: events.Numbered, kind: str, message: str, pressed: Side | None) -> None:
    """Say why nothing was recorded, under `kind` in the board's log."""
    board.update_status(message=message)
    board.commit_event(event, (kind, {"side": _side(pressed), "message": message}))
    board.show()


def _side(pressed: Side | None) -> str | None:
    return None if pressed is None else str(pressed)
