"""One board playing one game: what is known of both now, and storing what follows.

An event is acknowledged only after what follows from it is stored, and that is stored under the event's name, so that
an event that comes twice (the desk died between the two) is recorded once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from drivers import events as board_events
from drivers.base import Connection, Guidance
from drivers.detection.detector import Unchanged, Verdict, detect
from drivers.detection.noise_model import NoiseEstimate
from records import IllegalMove, Move, Position, Rules, Side, Turn
from records.notation.commands import BoardEvent
from records.notation.numbers import cite_turn
from service.boards.bindings import WAITING, Boards
from service.games.repository import Games
from service.games.snapshot import rules_of
from service.storage import BoardRow, DisputeRow, GameRow

FLUSH_AFTER = 0.25  # seconds that counts wait to be stored together; a board repeats itself after one second
EARLIER = 4  # positions before the last that a board is compared with: more turns are not taken back by hand
ASTRAY = 0.5  # seeds: a board none of whose pits is so far from the record may lie as it has it

# What a transaction that fails leaves as it was; all are values that do not change themselves.
CHANGING = ("board", "row", "positions", "moves", "dispute", "status", "_done", "_flush_at", "_acknowledge")

Log = tuple[str, dict[str, Any]]  # kind and data of an entry of the board's log


class Sitting:
    """A board, its connection, and the game it plays as it was last read. `status` is what the board says of itself, as
    it is stored; `clock` is monotonic time."""

    def __init__(
        self, board: BoardRow, connection: Connection, games: Games, boards: Boards, clock: Callable[[], float]
    ) -> None:
        self.board = board
        self.connection = connection
        self.games = games
        self.boards = boards
        self.clock = clock
        self.row = games.row(board.game)
        self.positions: tuple[Position, ...] = ()  # all that stand, from the start
        self.moves: tuple[str, ...] = ()  # of the turns that stand
        self.dispute: DisputeRow | None = None  # the open one
        self._estimate = NoiseEstimate()  # how this board weighs, as far as it has shown
        # What is to be mended or answered outlives the desk.
        self.status: dict[str, Any] = {
            **WAITING,
            **board.status,
            "state": "opening",
            "message": f"{board.url} is open; waiting for the board to answer.",
        }
        self.serial: str | None = None  # as it may stand in a record
        self.fits = False  # the board has as many pits as the game
        self.buttons = board.buttons  # a turn counts when its button is pressed
        self.fresh = board.boot is None  # what was pressed before the board was bound belongs to no turn
        self.astray = False  # when it was last looked at, the board did not lie as the record has it
        self.moved: tuple[board_events.Numbered, float] | None = (
            None  # the last event that may have moved seeds, and when
        )
        self._done: board_events.Numbered | None = None  # dealt with, but not yet stored as such
        self._acknowledge: board_events.Numbered | None = None  # stored, as soon as the transaction is
        self._together = False
        self._flush_at: float | None = None
        self._read()

    # The game

    @property
    def rules(self) -> Rules:
        return rules_of(self.row)

    @property
    def position(self) -> Position:
        return self.positions[-1]

    @property
    def mover(self) -> Side | None:
        """Who is to move; None when the game is over."""
        return None if self.row.state == "ended" else self.position.to_move

    def before_last(self) -> Position | None:
        """The position before the last turn, None before the first."""
        return self.positions[-2] if len(self.positions) > 1 else None

    def refresh(self) -> GameRow:
        """Read the game anew; how it was before."""
        before, self.row = self.row, self.games.row(self.board.game)
        if self.row.seq != before.seq:
            self._read()
        return before

    def _read(self) -> None:
        """Read all of the game; what happened since its row was read too."""
        loaded = self.games.load(self.board.game)
        self.row = loaded.row
        self.positions = tuple(map(Position.parse, loaded.folded.positions))
        self.moves = tuple(str(ply.move) for ply in loaded.record.plies)
        self.dispute = next((dispute for dispute in loaded.folded.disputes if dispute.state == "open"), None)
        self.say(dispute=None if self.dispute is None else self.dispute.id)

    def played(self, turn: Turn, row: GameRow) -> None:
        """A turn was stored: go on from it without reading all that went before."""
        self.row = row
        self.positions += (turn.position,)
        self.moves += (str(turn.move),)

    def judge(self, counts: Sequence[float], pressed: Side | None) -> Verdict:
        """What has been played, when the board now reads `counts`."""
        before, earlier = self.status["before"], self.positions[-1 - EARLIER : -1]
        model = self._estimate.model()
        return detect(
            self.rules, self.position, counts, pressed_by=pressed, model=model, before=before, earlier=earlier
        )

    def lies_known(self, counts: Sequence[float]) -> None:
        """The board lies as the record has it: remember how it reads then, and learn how it weighs."""
        if self.status["before"] is None:
            self._estimate = self._estimate.with_position(self.position, counts)
        self.say(before=list(counts))

    def learn(self, turn: Turn, before: Sequence[float] | None, counts: Sequence[float]) -> None:
        """Learn how the board weighs from a turn that was recorded, and the readings `before` it and after."""
        if before is not None and len(before) == len(counts):
            self._estimate = self._estimate.with_turn(turn, before, counts)

    def lies_as(self, position: Position) -> bool:
        """Whether the board lies as in a position that the game had."""
        counts = self.status["counts"]
        return counts is not None and isinstance(detect(self.rules, position, counts, pressed_by=None), Unchanged)

    def may_lie(self, position: Position) -> bool:
        """Whether what the board says is near to a position in every pit: a look that costs nothing."""
        counts = self.status["counts"]
        wanted = (*position.pits, *position.stores)
        return counts is not None and all(
            abs(count - seeds) < ASTRAY for count, seeds in zip(counts, wanted, strict=False)
        )

    def to_mend(self, position: Position) -> dict[str, int]:
        """How many seeds each pit needs (negative: has too many) to lie as in `position`, by its index."""
        wanted = (*position.pits, *position.stores)
        needs = {
            str(pit): seeds - round(count)
            for pit, (count, seeds) in enumerate(zip(self.status["counts"] or wanted, wanted, strict=False))
        }
        return {pit: count for pit, count in needs.items() if count}

    def cite(self, ply: int) -> str:
        """The turn `ply`, or the number of the next one, as it is cited."""
        return cite_turn(self.positions[:ply], *self.moves[ply - 1 : ply])

    def pit_name(self, pit: int) -> str:
        """The pit's letter, or whose store it is."""
        position = self.position
        return position.letter(pit) if pit < len(position.pits) else f"{Side(pit - len(position.pits))}'s store"

    # What is said of an event

    def source(self, boot: str, seq: int) -> str:
        """Where what follows from an event of the board comes from: its name for ever."""
        return f"board:{self.serial}:{boot}:{seq}"

    @property
    def actor(self) -> str:
        return f"board {self.serial}"

    def comment(self, seq: int) -> str:
        """What stands at a turn that an event of the board told."""
        return str(BoardEvent(self.serial or "?", seq))

    # The lights

    def show(self) -> None:
        """Light up what holds now. After a button always anew, so that whoever pressed it sees an answer."""
        self.connection.show(self._guidance())

    def _guidance(self) -> Guidance:
        mover, status = self.mover, self.status
        if mover is None:
            return Guidance(None, over=True, last=self._last_pits())
        if self.dispute is not None:
            return Guidance(None, disputed=True, last=self._last_pits())
        errors = frozenset(int(pit) for pit in status["mend"])
        refused, trial = status["refusal"] is not None, status["trial"] is not None
        return Guidance(mover, errors, refused=refused, trial=trial, last=self._last_pits())

    def _last_pits(self) -> frozenset[int]:
        """Where the last turn began and ended; nothing when it was no sowing by the rules."""
        before = self.before_last()
        if before is None:
            return frozenset()
        try:
            events = self.rules.trace(before, Move.parse(self.moves[-1])).events
        except IllegalMove:
            return frozenset()  # an irregular turn that was let stand
        pits = [event.pit for event in events if event.kind in ("lift", "drop")]
        return frozenset((*pits[:1], *pits[-1:]))

    # Storing

    def say(self, **changes: Any) -> None:
        """Change what the board says of itself; it is stored soon."""
        status = {**self.status, **changes}
        if status != self.status:
            self.status = status
            self._wake()

    def later(self, event: board_events.Numbered) -> None:
        """Nothing but the counts follows from this event: it is stored and acknowledged with others, soon."""
        self._done = event
        self._wake()

    def settle(self, event: board_events.Numbered, log: Log | None = None) -> None:
        """Store the status and that this event and all before it are dealt with; then acknowledge it."""
        self._done = event
        self.store(log)

    @property
    def is_due(self) -> bool:
        """Whether what waits to be stored has waited long enough."""
        return self._flush_at is not None and self.clock() >= self._flush_at

    @property
    def waits(self) -> bool:
        """Whether something waits to be stored."""
        return self._flush_at is not None

    def store(self, log: Log | None = None) -> None:
        """Store the status and how far the board has been dealt with; then, and only then, acknowledge."""
        self._flush_at = None
        done, self._done = self._done, None
        if done is None or self.serial is None or self.fresh:
            self.board = self.boards.report(self.board.id, self.status, log)
        else:
            # What lies still was told before: later events may have been dealt with since.
            seq = max(done.seq, self.board.seq) if done.boot == self.board.boot else done.seq
            self.board = self.boards.settle(self.board.id, self.serial, done.boot, seq, self.status, log)
        self._acknowledge = done or self._acknowledge
        if not self._together:
            self._tell_board()

    @contextmanager
    def together(self) -> Iterator[None]:
        """All that is stored in the block is stored at its end, and acknowledged then; or nothing of it, and all is as
        it was before."""
        before = {name: getattr(self, name) for name in CHANGING}
        self._together = True
        try:
            with self.boards.together():
                yield
        except BaseException:
            for name, value in before.items():
                setattr(self, name, value)
            raise
        finally:
            self._together = False
        self._tell_board()

    def _tell_board(self) -> None:
        done, self._acknowledge = self._acknowledge, None
        if done is not None:
            self.connection.acknowledge(done)

    def _wake(self) -> None:
        if self._flush_at is None:
            self._flush_at = self.clock() + FLUSH_AFTER
