"""Hearing a board: what each of its events means for the game it plays."""

from __future__ import annotations

import re
import threading
from collections import deque
from collections.abc import Callable

from drivers import events as board_events
from drivers.base import Connection
from drivers.detection.detector import Clear, Unchanged
from service.boards.bindings import Boards
from service.games.repository import Games
from service.storage import BoardRow, RequestRow

from . import health, settled, trial
from .dispute import dispute
from .settled import STILL_AFTER
from .sitting import Sitting
from .turns import commit
from .undo import finish, undo

MAX_SERIAL = 100  # characters of a board's serial number that are kept
_UNWRITABLE = re.compile('["}]')  # would end the quotes or the comment that a serial number stands in

BUTTONS: dict[str, Callable[[Sitting, board_events.Button], None]] = {
    "commit": commit,
    "undo": undo,
    "dispute": dispute,
    "trial": trial.trial,
}


class BoardController:
    """One open board playing one game. One thread uses it, but for `tell` and `news`; `clock` is monotonic time.

    `news` is set by whoever knows that something may have happened to the game. Without buttons a turn counts when the
    board has been still for `still_after` seconds.
    """

    def __init__(
        self,
        board: BoardRow,
        connection: Connection,
        games: Games,
        boards: Boards,
        clock: Callable[[], float],
        still_after: float = STILL_AFTER,
    ) -> None:
        self.news = threading.Event()
        self._sitting = Sitting(board, connection, games, boards, clock)
        self._connection = connection
        self._boards = boards
        self._still_after = still_after
        self._asked: deque[RequestRow] = deque()

    def tell(self, request: RequestRow) -> None:
        """Somebody asks something of the board; it is seen to at the next step."""
        self._asked.append(request)

    def step(self, timeout: float) -> None:
        """Deal with what the board says within about `timeout` seconds, then with what was entered elsewhere.

        :raises DriverError: the connection cannot go on. :raises ServiceError: the storage cannot.
        """
        sitting = self._sitting
        for event in self._connection.poll(timeout):
            self._handle(event)
        if self.news.is_set():
            self.news.clear()
            self._look_at_game()
        while self._asked:
            self._see_to(self._asked.popleft())
        if sitting.is_due:
            self._look_again()
            sitting.store()
        if sitting.fits and not sitting.fresh:
            settled.look(sitting, self._still_after)

    def finish(self) -> None:
        """Store what is still waiting to be."""
        if self._sitting.waits:
            self._sitting.store()

    # What the board says

    def _handle(self, event: board_events.Event) -> None:
        sitting = self._sitting
        match event:
            case board_events.Connected():
                self._connected(event)
            case board_events.Disconnected():
                sitting.say(state="gone", message=f"The board is gone: {event.reason}")
                sitting.store()
            case board_events.Refused():
                sitting.say(state="failed", message=f"The board cannot be used: {event.reason}")
                sitting.store(("refused-board", {"reason": event.reason}))
            case board_events.Gap():
                self._lost(event)
            case board_events.Snapshot():
                self._snapshot(event)
            case board_events.Numbered():
                self._numbered(event)
            case board_events.Status():
                health.hear(sitting, event)
            case board_events.Complaint():
                self._boards.report(
                    sitting.board.id, sitting.status, ("complaint", {"code": event.code, "text": event.text})
                )

    def _connected(self, event: board_events.Connected) -> None:
        sitting = self._sitting
        row = sitting.position.row
        serial = " ".join(_UNWRITABLE.sub("_", event.serial)[:MAX_SERIAL].split()) or "?"
        sitting.serial = serial
        sitting.fits = event.row == row
        sitting.buttons = sitting.board.buttons and "buttons" in event.capabilities
        device = {"firmware": event.firmware, "can": sorted(event.capabilities), "row": event.row}
        sitting.say(device={**device, "stores": event.stores}, buttons=sitting.buttons)
        if not sitting.fits:
            message = f"The board has {event.row} pits a row, the game {row}: it cannot be played on this board."
            sitting.say(state="failed", message=message)
        else:
            known = sitting.board.serial
            if known not in (None, serial):
                sitting.say(note=f"This is board {serial}; before it was {known}.")
            sitting.say(state="connected", message=f"Board {serial} is connected.")
            if not sitting.fresh:
                sitting.show()
        sitting.store(("connected", {"serial": event.serial, "boot": event.boot, "firmware": event.firmware}))

    def _lost(self, event: board_events.Gap) -> None:
        sitting = self._sitting
        sitting.say(note=f"Events of the board are lost: {event.reason}. What lies on the board is compared.")
        sitting.store()  # what came before it
        log = ("gap", {"reason": event.reason})
        if sitting.serial is None or sitting.fresh:
            sitting.board = self._boards.report(sitting.board.id, sitting.status, log)
        else:  # with where the board goes on, so that a desk that dies now does not tell it again
            sitting.board = self._boards.settle(
                sitting.board.id, sitting.serial, event.boot, event.seq, sitting.status, log
            )

    def _snapshot(self, event: board_events.Snapshot) -> None:
        sitting = self._sitting
        if not sitting.fits:
            return
        sitting.say(counts=list(event.counts))
        if sitting.fresh:
            sitting.fresh = False
            assert sitting.serial is not None
            sitting.board = self._boards.settle(
                sitting.board.id, sitting.serial, event.boot, event.last, sitting.status
            )
            sitting.show()
        sitting.moved = board_events.Numbered(event.boot, event.last, 0), sitting.clock()
        if sitting.status["refusal"] is None and sitting.dispute is None:
            self._compare(event.counts)
        sitting.store()

    def _compare(self, counts: tuple[float, ...]) -> None:
        """Say whether the board lies as the record has it. Nothing is recorded from a look."""
        sitting = self._sitting
        if sitting.row.state == "ended":
            return
        verdict = sitting.judge(counts, None)
        sitting.astray = not isinstance(verdict, Unchanged)
        match verdict:
            case Unchanged():
                said = "The board lies as the record has it."
                sitting.lies_known(counts)
                sitting.say(message=said, sentences=[], mend={})
            case Clear():
                turn = f"{sitting.cite(sitting.row.ply + 1)} {verdict.turn.move}"
                how = "the button records it" if sitting.buttons else "it is recorded when it stays so"
                sitting.say(message=f"The board looks as after {turn}: {how}.")
            case _:
                said = "The board does not lie as the record has it."
                sitting.say(message=said, sentences=list(verdict.sentences))

    def _look_again(self) -> None:
        """Once the board lies as it should, say so. Not before: while hands are at work a look tells nothing."""
        sitting = self._sitting
        status = sitting.status
        if status["undo"] is not None:
            if not finish(sitting):
                before = sitting.before_last()
                assert before is not None  # else it had been finished
                sitting.say(mend=sitting.to_mend(before))
                sitting.show()
            return
        lies_right = sitting.may_lie(sitting.position)
        if status["trial"] is not None:
            if lies_right and status["trial"]["touched"]:
                trial.end(sitting)
            return
        if not sitting.astray or status["counts"] is None or status["refusal"] is not None:
            return
        if lies_right:
            self._compare(tuple(status["counts"]))
            sitting.show()

    def _numbered(self, event: board_events.Numbered) -> None:
        sitting = self._sitting
        if not sitting.fits:
            return  # of no use to this game, but perhaps to another: the board keeps it
        if sitting.fresh:
            sitting.later(event)
            return
        if event.boot == sitting.board.boot and event.seq <= sitting.board.seq:
            self._connection.acknowledge(event)  # from before the board was bound, told after its first snapshot
            return
        match event:
            case board_events.PitChanged():
                self._pit_changed(event)
            case board_events.Lifted():
                if sitting.status["trial"] is not None:
                    trial.lifted(sitting, event.pit)
                sitting.moved = event, sitting.clock()
                sitting.later(event)
            case board_events.Button() if event.action in BUTTONS:
                BUTTONS[event.action](sitting, event)
            case board_events.Button():
                sitting.say(note=f"{event.side} pressed {event.action}: a button that is not known here.")
                sitting.settle(event, ("button", {"side": str(event.side), "action": event.action}))
            case board_events.Fault():
                health.fault(sitting, event)
            case board_events.Calibrated():
                health.calibrated(sitting, event)
            case board_events.Unrecognized():
                sitting.settle(event, ("unrecognised", {"kind": event.kind, "fields": list(event.fields)}))
            case _:
                sitting.later(event)

    def _pit_changed(self, event: board_events.PitChanged) -> None:
        sitting = self._sitting
        counts = sitting.status["counts"]
        if counts is not None and event.pit < len(counts):
            changed = list(counts)
            changed[event.pit] = event.seeds
            sitting.say(counts=changed)
        sitting.moved = event, sitting.clock()
        sitting.later(event)

    # What people say elsewhere

    def _look_at_game(self) -> None:
        """A turn entered or taken back elsewhere, a ruling, or the end of the game."""
        sitting = self._sitting
        disputed = sitting.dispute is not None
        before = sitting.refresh()
        row = sitting.row
        if row.seq == before.seq:
            return
        if sitting.status["ask"] is not None:
            sitting.say(ask=None)
        if row.ply != before.ply or row.position != before.position:
            sitting.astray = True  # until the hands have followed
            lay = f"lay the board as after {sitting.cite(row.ply)}" if row.ply else "lay the board as at the start"
            what = "A turn was entered" if row.ply > before.ply else "A turn was taken back or corrected"
            sitting.say(
                message=f"{what} elsewhere: {lay}.",
                verdict=None,
                sentences=[],
                mend={},
                refusal=None,
                undo=None,
                trial=None,
            )
            sitting.store()
        elif disputed and sitting.dispute is None:
            sitting.say(message="The dispute is settled: the turn stands.")
            sitting.store()
        elif sitting.dispute is not None and not disputed:
            sitting.say(message="A dispute is open: the game waits for the ruling.")
            sitting.store()
        if sitting.fits and not sitting.fresh:
            sitting.show()

    def _see_to(self, request: RequestRow) -> None:
        """Do what was asked of the board. A request is taken away before: what hangs the desk is not asked again."""
        self._boards.answered(request)
        if request.kind == "dismiss":
            self._sitting.say(ask=None)
            self._sitting.store()
        else:
            health.calibrate(self._sitting, request)
