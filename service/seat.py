"""A board's seat at the desk: what the board says becomes turns of its game, and what the game says goes to its lights.

An event is acknowledged only after what follows from it is stored, and a turn is stored under the event's name, so that
an event that comes twice (the desk died between the two) is recorded once.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from drivers import events as told
from drivers.base import Connection, Guidance
from drivers.detector import Ambiguous, Clear, NoFit, Unchanged, Verdict, detect
from records import Position, Side, Turn
from records.notation.commands import BoardEvent

from .boards import WAITING, Boards
from .errors import Conflict, Invalid
from .games import Games
from .loaded import rules_of
from .storage import BoardRow, GameRow
from .views import turn_json

FLUSH_AFTER = 0.25  # seconds that counts wait to be stored together; a board repeats itself after one second
MAX_SERIAL = 100  # characters of a board's serial number that are kept
_UNWRITABLE = re.compile('["}]')  # would end the quotes or the comment that a serial number stands in
ASTRAY = 0.5  # seeds: a board none of whose pits is so far from the record may lie as it has it
TRIES = 5  # times a turn is worked out anew because somebody else played meanwhile


class Seat:
    """One open board playing one game. One thread uses it; `clock` is monotonic time."""

    def __init__(
        self, board: BoardRow, connection: Connection, games: Games, boards: Boards, clock: Callable[[], float]
    ) -> None:
        self._board = board
        self._connection = connection
        self._games = games
        self._boards = boards
        self._clock = clock
        self._row = games.row(board.game)
        # A refusal outlives the desk: the players are still to mend it.
        self._status: dict[str, Any] = {
            **WAITING,
            **board.status,
            "state": "opening",
            "message": f"{board.url} is open; waiting for the board to answer.",
        }
        self._serial: str | None = None  # as it may stand in a record
        self._fits = False  # the board has as many pits as the game
        self._fresh = board.boot is None  # what was pressed before the board was bound belongs to no turn
        self._astray = False  # when it was last looked at, the board did not lie as the record has it
        self._done: told.Numbered | None = None  # dealt with, but not yet stored as such
        self._flush_at: float | None = None

    @property
    def status(self) -> dict[str, Any]:
        """What the board says of itself, as it is stored."""
        return self._status

    def step(self, timeout: float) -> None:
        """Deal with what the board says within about `timeout` seconds, then with what was entered elsewhere.

        :raises DriverError: the connection cannot go on. :raises ServiceError: the storage cannot.
        """
        for event in self._connection.poll(timeout):
            self._handle(event)
        self._look_at_game()
        if self._flush_at is not None and self._clock() >= self._flush_at:
            self._look_again()
            self._store()

    def finish(self) -> None:
        """Store what is still waiting to be."""
        if self._flush_at is not None:
            self._store()

    # What the board says

    def _handle(self, event: told.Event) -> None:
        match event:
            case told.Connected():
                self._connected(event)
            case told.Disconnected():
                self._say(state="gone", message=f"The board is gone: {event.reason}")
                self._store()
            case told.Refused():
                self._say(state="failed", message=f"The board cannot be used: {event.reason}")
                self._store(("refused-board", {"reason": event.reason}))
            case told.Gap():
                self._lost(event)
            case told.Snapshot():
                self._snapshot(event)
            case told.Numbered():
                self._numbered(event)
            case told.Status() | told.Complaint():
                self._health(event)

    def _connected(self, event: told.Connected) -> None:
        row = rules_of(self._row).row
        self._serial = " ".join(_UNWRITABLE.sub("_", event.serial)[:MAX_SERIAL].split()) or "?"
        self._fits = event.row == row
        if not self._fits:
            message = f"The board has {event.row} pits a row, the game {row}: it cannot be played on this board."
            self._say(state="failed", message=message)
        else:
            known = self._board.serial
            if known not in (None, self._serial):
                self._say(note=f"This is board {self._serial}; before it was {known}.")
            self._say(state="connected", message=f"Board {self._serial} is connected.")
            if not self._fresh:
                self._show()
        self._store(("connected", {"serial": event.serial, "boot": event.boot, "firmware": event.firmware}))

    def _lost(self, event: told.Gap) -> None:
        self._say(note=f"Events of the board are lost: {event.reason}. What lies on the board is compared.")
        self._store()  # what came before it
        log = ("gap", {"reason": event.reason})
        if self._serial is None or self._fresh:
            self._board = self._boards.report(self._board.id, self._status, log)
        else:  # with where the board goes on, so that a desk that dies now does not tell it again
            self._board = self._boards.settle(self._board.id, self._serial, event.boot, event.seq, self._status, log)

    def _snapshot(self, event: told.Snapshot) -> None:
        if not self._fits:
            return
        self._say(counts=list(event.counts))
        if self._fresh:
            self._fresh = False
            assert self._serial is not None
            self._board = self._boards.settle(self._board.id, self._serial, event.boot, event.last, self._status)
            self._show()
        if self._status["refusal"] is None:
            self._compare(event.counts)
        self._store()

    def _compare(self, counts: tuple[float, ...]) -> None:
        """Say whether the board lies as the record has it. Nothing is recorded from a look."""
        if self._row.state == "ended":
            return
        verdict = self._judge(counts, None)
        self._astray = not isinstance(verdict, Unchanged)
        match verdict:
            case Unchanged():
                self._say(message="The board lies as the record has it.", sentences=[])
            case Clear():
                turn = f"{self._cite_next()} {verdict.turn.move}"
                self._say(message=f"The board looks as after {turn}: the button records it.")
            case Ambiguous() | NoFit():
                self._say(message="The board does not lie as the record has it.", sentences=list(verdict.sentences))

    def _look_again(self) -> None:
        """Once the board lies as it should, say so. Not before: while hands are at work a look tells nothing."""
        counts = self._status["counts"]
        if not self._astray or counts is None or self._status["refusal"] is not None:
            return
        position = Position.parse(self._row.position)
        wanted = (*position.pits, *position.stores)
        if all(abs(count - seeds) < ASTRAY for count, seeds in zip(counts, wanted, strict=False)):
            self._compare(tuple(counts))

    def _numbered(self, event: told.Numbered) -> None:
        if not self._fits:
            return  # of no use to this game, but perhaps to another: the board keeps it
        if self._fresh:
            self._later(event)
            return
        if event.boot == self._board.boot and event.seq <= self._board.seq:
            self._connection.acknowledge(event)  # from before the board was bound, told after its first snapshot
            return
        match event:
            case told.PitChanged():
                counts = self._status["counts"]
                if counts is not None and event.pit < len(counts):
                    changed = list(counts)
                    changed[event.pit] = event.seeds
                    self._say(counts=changed)
                self._later(event)
            case told.Button(action="commit"):
                self._commit(event)
            case told.Button():
                note = f"{event.side} pressed {event.action}: noted, but nothing is done about it yet."
                self._say(note=note, counts=list(event.counts))
                self._settle(event, ("button", {"side": str(event.side), "action": event.action}))
            case told.Fault():
                name = self._pit_name(event.pit)
                note = f"The sensor of {name} is {'well again' if event.code == 'ok' else 'faulty: ' + event.code}."
                self._say(note=note)
                self._settle(event, ("fault", {"pit": event.pit, "code": event.code}))
            case told.Unrecognised():
                self._settle(event, ("unrecognised", {"kind": event.kind, "fields": list(event.fields)}))
            case _:
                self._later(event)

    def _health(self, event: told.Status | told.Complaint) -> None:
        if isinstance(event, told.Complaint):
            self._boards.report(self._board.id, self._status, ("complaint", {"code": event.code, "text": event.text}))

    # A turn

    def _commit(self, event: told.Button) -> None:
        source = f"board:{self._serial}:{event.boot}:{event.seq}"
        self._say(counts=list(event.counts))
        for _ in range(TRIES):
            self._row = self._games.row(self._board.game)
            if self._games.has(self._board.game, source):
                self._accepted(event, "The turn had been recorded before.")
                return
            if self._row.state == "ended":
                self._unrecorded(event, "after-end", "The game is over: nothing was recorded.")
                return
            verdict = self._judge(event.counts, event.side)
            if not isinstance(verdict, Clear):
                self._not_clear(event, verdict)
                return
            try:
                played = self._games.play(
                    self._board.game,
                    verdict.turn.move,
                    expected_ply=self._row.ply + 1,
                    actor=f"board {self._serial}",
                    source=source,
                    comments=[str(BoardEvent(self._serial or "?", event.seq))],
                )
            except Conflict:
                continue  # somebody entered a turn on the page, or ended the game: look at the board anew
            except Invalid as error:
                self._unrecorded(event, "unrecorded", f"Nothing was recorded: {error}.")
                return
            self._row = played.row
            name = self._games.load(played.row.id).cite(played.row.ply)
            self._accepted(event, f"Recorded: {name}.", played.turn)
            return
        message = "Others entered turns all the while: nothing was recorded. Press the button again."
        self._unrecorded(event, "unrecorded", message)

    def _unrecorded(self, event: told.Button, kind: str, message: str) -> None:
        self._say(message=message)
        self._settle(event, (kind, {"side": str(event.side), "message": message}))
        self._show()

    def _accepted(self, event: told.Button, message: str, turn: Turn | None = None) -> None:
        log = None
        if self._status["refusal"] is not None:
            log = ("mended", {"ply": self._status["refusal"]["ply"], "move": None if turn is None else str(turn.move)})
        self._astray = False
        last = None if turn is None else {"ply": self._row.ply, **turn_json(turn)}
        self._say(message=message, verdict="clear", sentences=[], mend={}, refusal=None, note=None, last=last)
        self._settle(event, log)
        self._show()

    def _not_clear(self, event: told.Button, verdict: Verdict) -> None:
        if isinstance(verdict, Unchanged):
            mover = Position.parse(self._row.position).to_move
            message = f"{event.side} pressed the button, but the board lies as before: nothing was recorded."
            if event.side is not mover and self._row.ply:
                message = f"{event.side} pressed the button again: the turn is recorded, and {mover} is to move."
            self._astray = False
            self._say(
                message=message,
                verdict="unchanged",
                sentences=[],
                mend={},
                refusal=None,
            )
            self._settle(event, ("unchanged", {"side": str(event.side)}))
            self._show()
            return
        mend: dict[int, int] = {}
        if isinstance(verdict, NoFit):
            message = "No legal turn leads to this board: nothing was recorded."
            cause, mend = verdict.cause, verdict.mend
            meant = None if verdict.nearest is None else str(verdict.nearest.move)
        else:
            assert isinstance(verdict, Ambiguous)
            message = "More than one turn leads to this board: nothing was recorded. Enter the turn on the page."
            cause, meant = "ambiguous", None
        refusal = {
            "ply": self._row.ply + 1,
            "number": self._cite_next(),
            "side": str(event.side),
            "cause": cause,
            "meant": meant,
            "message": message,
            "sentences": list(verdict.sentences),
            "mend": {str(pit): seeds for pit, seeds in mend.items()},
        }
        self._say(
            message=message,
            verdict=cause,
            sentences=refusal["sentences"],
            mend=refusal["mend"],
            refusal=refusal,
            refusals=self._status.get("refusals", 0) + 1,
            note=None,
        )
        self._settle(event, ("refused", {**refusal, "counts": list(event.counts)}))
        self._show()

    def _judge(self, counts: tuple[float, ...], pressed: Side | None) -> Verdict:
        return detect(rules_of(self._row), Position.parse(self._row.position), counts, mover_pressed=pressed)

    # What the game says

    def _look_at_game(self) -> None:
        """A turn entered elsewhere, or the end of the game."""
        row = self._games.row(self._board.game)
        if row.seq == self._row.seq:
            return
        before, self._row = self._row, row
        if row.ply != before.ply:
            self._astray = True  # until the hands have followed
            turn = self._games.load(row.id).cite(row.ply)
            self._say(
                message=f"A turn was entered elsewhere: lay the board as after {turn}.",
                verdict=None,
                sentences=[],
                mend={},
                refusal=None,
            )
            self._store()
        if self._fits and not self._fresh:
            self._show()

    def _show(self) -> None:
        """Light up what holds now. After a button always anew, so that whoever pressed it sees an answer."""
        self._connection.show(self._guidance(self._row))

    def _guidance(self, row: GameRow) -> Guidance:
        if row.state == "ended":
            return Guidance(None, over=True)
        mover = Position.parse(row.position).to_move
        if self._status["refusal"] is None:
            return Guidance(mover)
        return Guidance(mover, frozenset(int(pit) for pit in self._status["mend"]), refused=True)

    # Storing

    def _say(self, **changes: Any) -> None:
        status = {**self._status, **changes}
        if status != self._status:
            self._status = status
            self._wake()

    def _wake(self) -> None:
        if self._flush_at is None:
            self._flush_at = self._clock() + FLUSH_AFTER

    def _later(self, event: told.Numbered) -> None:
        """Nothing but the counts follows from this event: it is stored and acknowledged with others, soon."""
        self._done = event
        self._wake()

    def _settle(self, event: told.Numbered, log: tuple[str, dict[str, Any]] | None) -> None:
        self._done = event
        self._store(log)

    def _store(self, log: tuple[str, dict[str, Any]] | None = None) -> None:
        """Store the status and how far the board has been dealt with; then, and only then, acknowledge."""
        self._flush_at = None
        done, self._done = self._done, None
        if done is None or self._serial is None or self._fresh:
            self._board = self._boards.report(self._board.id, self._status, log)
        else:
            self._board = self._boards.settle(self._board.id, self._serial, done.boot, done.seq, self._status, log)
        if done is not None:
            self._connection.acknowledge(done)

    def _cite_next(self) -> str:
        """The number of the turn that is to be played."""
        return self._games.load(self._row.id).cite(self._row.ply + 1)

    def _pit_name(self, pit: int) -> str:
        position = Position.parse(self._row.position)
        return position.letter(pit) if pit < len(position.pits) else f"{Side(pit - len(position.pits))}'s store"
