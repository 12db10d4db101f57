"""A turn on the board: recorded when it is clear which it was, otherwise refused with what to mend."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from inkeek.drivers import events
from inkeek.drivers.base import SupportsSnapshots
from inkeek.drivers.detection.courses import is_being_sown
from inkeek.drivers.detection.evidence import reports_fit
from inkeek.drivers.detection.verdicts import Begun, Clear, NoFit, Several, TakenBack, Turned, Unchanged, Verdict
from inkeek.records import Side, Turn
from inkeek.records.errors import joined_texts
from inkeek.records.json_codec import to_json
from inkeek.service.boards.bindings import LogData, LogKind
from inkeek.service.boards.status import SAME, LastTurn, Press, Refusal
from inkeek.service.errors import Conflict, ErrorText, Invalid

from . import misfits
from .core import ControllerCore, SecondReading
from .game_view import AGREES, Counts
from .health import unused_sentences
from .questions import (
    Unclear,
    ask_again,
    choices,
    lights_tell,
    likeliest_position,
    replayed_question,
    strange_sensor,
    turned_question,
)

MAX_TRIES = 5  # of one turn, while other writers change the game
READ_WITHIN = 0.5  # seconds for the second reading of a board with several turns on it
MAX_PRESSES = 20  # that are kept with a question; the board's log has all


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


def take_turn(
    board: ControllerCore,
    event: events.Numbered,
    counts: Counts,
    pressed: Side | None,
    is_confirmed: bool | None = None,
) -> None:
    """Record what the counts show, if it is clear what that is.

    `event` is the board's last one: the consequences are stored under its name. `pressed` is the side whose button it
    was; None: nobody pressed one. `is_confirmed`: whether a second reading was the same; None: it was not requested.
    """
    if board.status.is_put_right(counts) and not _was_being_sown(board):
        board.update_status(seen=None)
    for _ in range(MAX_TRIES):
        # The game is assumed to be as last read. If it is not, nothing is stored, and the game is read again.
        game = board.game
        verdict = None if game.mover is None or game.dispute is not None else board.detect_turn(counts, pressed)
        turns = () if verdict is None else _clear_turns(verdict, pressed)
        is_several = bool(turns) and isinstance(verdict, Several | Begun)
        if is_several and is_confirmed is None and _read_again(board, event, counts, pressed):
            return
        is_open = bool(turns) and _is_open(board, turns, counts, pressed, is_several=is_several)
        # Nobody knows what was played and reported since the board last agreed with the record.
        is_unknown = is_several and board.disagrees and board.status.seen is None
        if is_open or is_unknown or is_confirmed is False:
            turns = ()
        refused: Conflict | Invalid | None = None
        if turns:
            before = board.status
            try:
                record(
                    board,
                    event,
                    counts,
                    turns,
                    begun=isinstance(verdict, Begun) or (isinstance(verdict, Several) and verdict.certain != turns),
                )
                board.show()
                if isinstance(verdict, Clear):
                    board.learn_turn(verdict.turn, before, counts)
                return
            except (Conflict, Invalid) as error:
                refused = error  # another writer changed the game, this event was recorded before, or the game waits
        seen = board.refresh_game()
        if board.is_recorded(event):
            _accept(board, event, ErrorText("This turn was already recorded."))
            board.show()
            return
        if seen.row.seq == board.game.row.seq:
            if refused is None:
                _refuse(board, event, counts, pressed, verdict, is_open=is_open)
            else:
                _answer(board, event, "unrecorded", not_recorded(refused), pressed)
            return
        if (seen.row.ply, seen.row.position) != (board.game.row.ply, board.game.row.position):
            board.disagrees = True  # the turns changed elsewhere, and the hands have not followed yet
            board.update_status(seen=None)
    message = ErrorText("Nothing was recorded, because others kept changing the game. Press the button again.")
    _answer(board, event, "unrecorded", message, pressed)


def close_mended(board: ControllerCore) -> bool:
    """Close a refusal if the board was put right as it said: the turn that was meant counts like any other now."""
    status, refusal, game = board.status, board.status.refusal, board.game
    if refusal is None or refusal.meant is None or not refusal.mend:
        return False
    turns = game.turns_of([refusal.meant])
    if not board.agrees(turns[0].position, status.counts):
        return False
    fits = not status.seen or reports_fit(game.rules, turns, status.seen)
    if not fits and _was_being_sown(board):
        return False
    seen = status.seen if status.seen and fits else None
    board.update_status(status.without_refusal(), verdict="clear", seen=seen)
    board.store(("mended", {"ply": refusal.ply, "move": refusal.meant}))
    return True


def _was_being_sown(board: ControllerCore) -> bool:
    """Whether the board that was refused was as during a legal turn: hands may have gone on with it, or with another
    after a slip, and what they lifted tells which."""
    game, refusal = board.game, board.status.refusal
    counts = () if refusal is None else refusal.counts
    return bool(counts) and is_being_sown(game.rules, game.position, counts, board.ignored) is not False


def _read_again(board: ControllerCore, event: events.Numbered, counts: Counts, pressed: Side | None) -> bool:
    """Have the board read its sensors again; return whether it will."""
    if not isinstance(board.connection, SupportsSnapshots) or not board.connection.request_snapshot():
        return False
    board.second = SecondReading(event, counts, pressed, board.clock() + READ_WITHIN)
    return True


def finish_reading(board: ControllerCore, counts: Counts | None) -> None:
    """The second reading; None: it did not come, or the board was touched before."""
    second, board.second = board.second, None
    assert second is not None
    is_same = counts is not None and all(abs(a - b) < SAME for a, b in zip(counts, second.counts, strict=True))
    take_turn(board, second.event, second.counts, second.pressed, is_same)


def _clear_turns(verdict: Verdict, pressed: Side | None) -> tuple[Turn, ...]:
    """The turns to record. Whoever pressed before the other side's turn on the board was pressed records their own."""
    if isinstance(verdict, Clear):
        return (verdict.turn,)
    if isinstance(verdict, Begun):
        return (verdict.first,) if verdict.is_certain and pressed is verdict.first.before.to_move else ()
    if not isinstance(verdict, Several) or verdict.certain is None:
        return ()
    turns = verdict.certain
    return turns if pressed in (None, turns[-1].before.to_move) else turns[:1]


def _is_open(
    board: ControllerCore, turns: tuple[Turn, ...], counts: Counts, pressed: Side | None, *, is_several: bool
) -> bool:
    """Whether something must be answered before these turns are recorded: they may not be all that was played.

    A single turn answers the refusal if it is what the same side had pressed for before, with nobody else since.
    """
    status, refusal = board.status, board.status.refusal
    if is_several:
        return status.is_unanswered or status.undo is not None or status.trial is not None
    if not status.is_unanswered:
        return False
    if refusal is None or (status.ask is not None and status.ask.kind not in ("trial", "taken-back")):
        return True
    if pressed is None:
        return str(turns[0].move) not in (refusal.meant, *(one.course or one.move for one in refusal.candidates))
    if refusal.cause == "wrong-button" and len(refusal.presses) == 1 and status.is_as_seen(counts):
        return False
    return any(press.side != str(pressed) for press in refusal.presses)


def not_recorded(error: Conflict | Invalid) -> str:
    """Why a turn that was clear is not in the record."""
    return ErrorText("Nothing was recorded: %(error)s.", error=error.text)


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
        game, notes = board.game, list[str]()
        cited = game.cite_last()
        if len(turns) > 1:
            first = [game.cite(game.row.ply - back) for back in range(len(turns) - 1, 0, -1)]
            cited = ErrorText("%(first)s and %(second)s", first=joined_texts(first, ", "), second=cited)
            one_press = ErrorText(
                "%(count)s turns were recorded at once. If one is wrong, take it back: by the undo button or here.",
                count=len(turns),
            )
            notes.append(one_press)
        if begun:
            notes.append(ErrorText("%(side)s has begun the next turn.", side=game.position.to_move))
        message = ErrorText("Recorded: %(turns)s.", turns=cited)
        lifts = board.status.seen if len(turns) == 1 and not begun else None
        board.update_status(before=None if begun else board.known(counts), seen=None if begun else ())
        _accept(board, event, message, turns[-1], lifts, notes)


def _accept(
    board: ControllerCore,
    event: events.Numbered,
    message: str,
    turn: Turn | None = None,
    lifts: tuple[int, ...] | None = None,
    notes: Sequence[str] = (),
) -> None:
    """`notes`: what stays to be read when the board is compared with the record, and agrees."""
    refusal = board.status.refusal
    log: LogData | None = None
    if refusal is not None:
        log = ("mended", {"ply": refusal.ply, "move": None if turn is None else str(turn.move)})
    if turn is not None:
        board.update_status(last=LastTurn.of(board.game.row.ply, turn, lifts))
    board.disagrees = False
    counts = board.status.counts
    over = board.game.row.state == "ended"  # then the sides may have taken what was left
    strange = () if turn is None or counts is None or over else strange_sensor(board, turn.position, counts)
    note = joined_texts((*notes, *strange, *unused_sentences(board, recorded=True))) or None
    board.update_status(board.status.cleared(), message=message, verdict="clear", note=note)
    board.commit_event(event, log)


def _refuse(
    board: ControllerCore,
    event: events.Numbered,
    counts: Counts,
    pressed: Side | None,
    verdict: Verdict | None,
    *,
    is_open: bool,
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
    elif _is_under_way(board, verdict, counts, pressed):
        _note_under_way(board, event, pressed, verdict)
    else:
        _refuse_unclear(board, event, counts, pressed, verdict, is_open=is_open)


def _is_under_way(board: ControllerCore, verdict: Verdict, counts: Counts, pressed: Side | None) -> bool:
    """Whether the press changes nothing, because a turn is being sown: that of the other side, which has begun before
    the button, or that of the mover, whose opponent pressed."""
    if pressed is None or board.status.is_unanswered:
        return False
    if isinstance(verdict, Begun):
        return pressed is verdict.first.before.to_move
    game = board.game
    mover = game.position.to_move
    return pressed is not mover and is_being_sown(game.rules, game.position, counts, board.ignored) is True


def _note_under_way(board: ControllerCore, event: events.Numbered, pressed: Side | None, verdict: Verdict) -> None:
    """Nothing is refused: the button of whoever is sowing says what was played."""
    assert pressed is not None
    message = ErrorText("%(side)s's turn is under way: %(side)s presses when it is done.", side=pressed.other)
    if isinstance(verdict, Begun):
        message = ErrorText(
            "%(first)s's turn %(move)s is on the board, and %(second)s has begun the next one: both are recorded when "
            "%(second)s presses.",
            first=pressed,
            move=str(verdict.first.move),
            second=pressed.other,
        )
    _answer(board, event, "under-way", message, pressed)


def _refuse_unclear(
    board: ControllerCore,
    event: events.Numbered,
    counts: Counts,
    pressed: Side | None,
    verdict: Unclear,
    *,
    is_open: bool,
) -> None:
    game, before, ask = board.game, board.status.refusal, board.status.ask
    mend: dict[str, int] = {}
    meant = None
    if is_open:
        message = ErrorText(
            "Nothing was recorded: an earlier question is open. Answer it, choose what was played, or lay the board "
            "out as %(layout)s.",
            layout=game.layout(),
        )
        cause = "unanswered"
    elif isinstance(verdict, NoFit):
        message = ErrorText("Nothing was recorded: no legal turn leads to this board.")
        cause, mend = verdict.cause, {str(pit): seeds for pit, seeds in verdict.mend.items()}
        meant = None if verdict.nearest is None else str(verdict.nearest.move)
        if cause == "wrong-button":
            message = ErrorText("Nothing was recorded: the wrong side pressed its button.")
        ask = replayed_question(board, counts) or ask
    elif isinstance(verdict, TakenBack):
        first = game.cite(game.row.ply - verdict.plies + 1)
        message = ErrorText(
            "Nothing was recorded: the board is as before %(turn)s. Press undo to take that back.", turn=first
        )
        cause = "taken-back"
    elif isinstance(verdict, Begun):
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
    elif isinstance(verdict, Several):
        message = ErrorText("Nothing was recorded: it is not certain which turns were played. Choose them on the page.")
        cause = "several"
    else:
        message = ErrorText("Nothing was recorded: it is not certain which turn was played. Choose it on the page.")
        cause = "ambiguous"
    stays = board.status.ask
    if stays is not None and stays.stays:
        ask = replace(ask, stays=True) if cause == "turned" and ask is not None else stays
    ply, side = game.row.ply + 1, pressed or game.position.to_move
    strange = strange_sensor(board, likeliest_position(board, verdict), counts)
    found = choices(board, verdict)
    refusal = Refusal(
        ply,
        game.cite(ply),
        str(side),
        cause,
        meant,
        message,
        (*strange, *_sentences(verdict), *unused_sentences(board)),
        mend,
        found,
        f"{event.boot}:{event.seq}",
        counts=tuple(counts),
        at=game.row.seq,
        offers=lights_tell(board, found, is_turned=cause == "turned"),
    )
    first = ask_again(board, refusal, ask)
    is_shown = before is not None and before.shown and before.first == first
    presses = _presses(before, event, counts, pressed, first if is_shown else "")
    refusal = replace(refusal, first=first, shown=is_shown, presses=presses)
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


def _sentences(verdict: Unclear) -> tuple[str, ...]:
    if isinstance(verdict, Clear):
        return (ErrorText("The board is as after %(move)s.", move=str(verdict.turn.move)),)
    return verdict.sentences


def _presses(
    before: Refusal | None, event: events.Numbered, counts: Counts, pressed: Side | None, saw: str
) -> tuple[Press, ...]:
    press = Press(f"{event.boot}:{event.seq}", _side(pressed), tuple(counts), saw)
    return (*(() if before is None else before.presses)[: MAX_PRESSES - 1], press)


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
    board.update_status(board.put_right(), message=message, verdict="unchanged", undo=None)
    board.commit_event(event, ("unchanged", {"side": _side(pressed)}))
    board.show()


def _answer(board: ControllerCore, event: events.Numbered, kind: LogKind, message: str, pressed: Side | None) -> None:
    """Say why nothing was recorded, under `kind` in the board's log. What was asked before stays open."""
    refusal = board.status.refusal
    if refusal is not None:
        refusal = replace(refusal, presses=_presses(refusal, event, board.status.counts or (), pressed, ""))
    board.update_status(message=message, refusal=refusal)
    board.commit_event(event, (kind, {"side": _side(pressed), "message": message}))
    board.show()


def _side(pressed: Side | None) -> str | None:
    return None if pressed is None else str(pressed)
