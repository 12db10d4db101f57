"""What a board's controller knows, and the ways to change it: status, storage, acknowledgment, lights.

An event is acknowledged only after its consequences are stored. They are stored under the event's name, so an event
that arrives twice, because the desk died in between, is recorded once.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from inkeek.drivers import events
from inkeek.drivers.base import Connection, DeclaresNoise, Guidance
from inkeek.drivers.detection.courses import LONGEST, boards_after, may_lie_turned
from inkeek.drivers.detection.detector import detect, detect_turned
from inkeek.drivers.detection.diagnosis import Explanation, diagnose, leave_unexplained
from inkeek.drivers.detection.evidence import BoardReports, ReportCount, reports_of
from inkeek.drivers.detection.likelihood import Readings
from inkeek.drivers.detection.noise_estimate import NoiseEstimate
from inkeek.drivers.detection.noise_model import NoiseModel
from inkeek.drivers.detection.verdicts import Begun, Clear, NoFit, Several, Unchanged, Verdict
from inkeek.drivers.gate import Gate
from inkeek.drivers.orientation import is_symmetric, turn_codes, turn_guidance, turn_sensor, turn_sensors, turn_values
from inkeek.drivers.protocol.limits import PERIOD_MS
from inkeek.records import Position, Rules, Side, Turn
from inkeek.records.notation.commands import BoardEvent
from inkeek.service.boards.bindings import Boards, LogData
from inkeek.service.boards.searches import NoSearch
from inkeek.service.boards.share import Share
from inkeek.service.boards.status import BoardStatus, PendingUndo, RunningTrial, read_status
from inkeek.service.errors import ErrorText
from inkeek.service.games.repository import Games
from inkeek.service.games.write import Write
from inkeek.service.storage import BoardRow, GameRow, RequestRow

from .game_view import Counts, GameView, is_near, places

FLUSH_AFTER = 0.25  # seconds that counts wait to be stored together; a board repeats itself after one second
LOG_BURST = 20  # entries of its log at once for what a board does all the time: events that do not fit, complaints
LOG_EVERY = 5.0  # seconds until there may be one more
LINE_EVERY = 0.1  # seconds until the line is served again during a search
LOOKING = ErrorText("No legal turn fits this board. What happened is being looked for.")
OVERTAKEN = ErrorText("The button was pressed again.")
EARLIER_POSITIONS = 4  # earlier positions that a board is compared with: nobody takes more turns back by hand
LAY_MS = 500  # for which a board lies there between two turns: a hand sows two seeds meanwhile
MAX_LIFTS = 200  # that are kept: four turns have fewer
CONFIRMS_LIGHTS = (1, 1)  # the version of the protocol from which a board says that it shows its lights
MAY_LIE_TURNED = ErrorText("Or the board lies the wrong way round, and other turns were played.")
STALE = ErrorText("The game was changed while the board was not read: earlier questions no longer count.")


@dataclass(frozen=True, slots=True)
class State:
    """All that a failed transaction restores.

    `handled`: the last event whose consequences are not stored yet. `stored`: the last event whose consequences are
    stored and which is not acknowledged yet. `flush_at`: when what waits must be stored; None: nothing waits.
    """

    row: BoardRow
    game: GameView
    status: BoardStatus
    handled: events.Numbered | None = None
    stored: events.Numbered | None = None
    flush_at: float | None = None


@dataclass
class CalibrationSteps:
    """The requests that wait; `current` is the one the board works on until `until`, `pits` those without an answer."""

    waiting: deque[RequestRow] = field(default_factory=deque)
    current: RequestRow | None = None
    pits: set[int] = field(default_factory=set)
    until: float = 0.0


@dataclass(frozen=True, slots=True)
class SecondReading:
    """Several turns on the board, which are recorded if the board reads the same again before `until`."""

    event: events.Numbered
    counts: Counts
    pressed: Side | None
    until: float


class BoardReleased(Exception):
    """The board was released while an event of it was handled: nothing of that event is stored."""


class ControllerCore:
    """A board, its connection, and the game it plays. `clock` is monotonic time.

    `explain` searches for what happened where no turn fits (`inkeek.drivers.detection`); it may raise `NoSearch`.
    """

    def __init__(
        self, row: BoardRow, connection: Connection, games: Games, boards: Boards, clock: Callable[[], float]
    ) -> None:
        self.connection = connection
        self.games = games
        self.boards = boards
        self.clock = clock
        self.serial: str | None = None  # as it may stand in a record
        self.fits = False  # the board has as many pits as the game
        self.refused = False  # another board is there: nothing of it is handled or acknowledged
        self.leaves = False  # the port must be closed, and the board opened again
        self.confirms_lights = False
        self.buttons = row.buttons  # a turn counts when its button is pressed
        self.unsynchronized = row.boot is None  # until the first snapshot: a button pressed before it is no turn
        self.absent_since: float | None = clock()  # since when no board answers
        self.connected_at: float | None = None  # since when the bound board is connected
        self.gate = Gate()
        self.refusals_noted = 0  # of those that the gate has counted
        self.lines_noted = 0  # of those that did not fit while the board is connected
        self.log_share = Share(LOG_BURST, 1 / LOG_EVERY, clock)
        self.explain: Callable[..., Explanation] = diagnose
        self.kept: Callable[[], bool] = lambda: False  # whether only this machine has the last press
        self.shows_kept = False
        self.released = threading.Event()  # nothing more of the board is handled
        self.is_overtaken = False  # the button of the event was pressed again before it was handled
        self.heard_to: int | None = None  # the board's last event when it was connected; what it sends to there is old
        self.left_with: Counts | None = None  # what was seen before the board was connected again
        self.pressed_at = 0  # the last event of the game that the lights showed when the board sent what is handled
        self.calibration = CalibrationSteps()
        self.second: SecondReading | None = None
        self.look_at = self.lines_at = 0.0  # when the port and its lines are looked at again
        self.read_at = clock()  # when the board was read last: what it has sent since is not known yet
        self._early: deque[events.Event] = deque()  # what it sent while a search went on
        self._lying: tuple[tuple[int, ...], int] | None = None  # the counts, and since when, in the board's time
        self._rested: tuple[int, ...] | None = None  # the counts that lay there for a while before
        self._looking: str | None = None  # the message before a search that takes long
        self.disagrees = False  # at the last look the board did not agree with the record
        self.moved: tuple[events.Numbered, float] | None = None  # the last event that may have moved seeds, and when
        self._noise = NoiseEstimate(connection.noise if isinstance(connection, DeclaresNoise) else NoiseModel())
        self._reports = ReportCount()
        self._in_transaction = False
        # What must be mended or answered outlives the desk.
        status = read_status(row.status)
        if status.found is None:  # else it stands until the board is known
            message = ErrorText("%(port)s is open; waiting for the board to answer.", port=row.url)
            status = replace(status, state="opening", message=message)
        self.state = State(row, GameView.of(games.load(row.game)), status)
        self._update_dispute()
        if not all(map(self.is_current, status.asked_at)):
            self.update_status(self.status.cleared(), message=STALE, seen=None)

    @property
    def row(self) -> BoardRow:
        return self.state.row

    @property
    def game(self) -> GameView:
        return self.state.game

    @property
    def status(self) -> BoardStatus:
        return self.state.status

    def use_row(self, row: BoardRow) -> None:
        """Go on with the row as it is stored now."""
        self.state = replace(self.state, row=row)

    # The game

    def refresh_game(self) -> GameView:
        """Read the game again if it has changed; return the view from before."""
        before = self.game
        if self.games.row(self.row.game).seq != before.row.seq:
            self.state = replace(self.state, game=GameView.of(self.games.load(self.row.game)))
            self._update_dispute()
        return before

    def is_current(self, at: int) -> bool:
        """Whether the game has had only annotations since its event `at`, at which something was asked."""
        return self.games.is_current(self.game.row, at)

    def follow(self, row: GameRow) -> None:
        """The game has changed by what was pressed: who pressed knows, though no light has shown it."""
        if self.is_current(self.pressed_at):
            self.pressed_at = row.seq
        if self.is_current(self.status.at):
            self.update_status(at=row.seq)

    def add_turn(self, turn: Turn, row: GameRow) -> None:
        """Go on from a turn that was stored."""
        self.follow(row)
        self.state = replace(self.state, game=self.game.after(turn, row))

    def _update_dispute(self) -> None:
        dispute = self.game.dispute
        self.update_status(dispute=None if dispute is None else dispute.id)

    def logged(self, entry: LogData) -> tuple[LogData, ...]:
        """The entry if the board has some of its share of the log left, else nothing."""
        return (entry,) if self.log_share.take() else ()

    def is_recorded(self, event: events.Numbered) -> bool:
        """Whether the game has an event that came from this one."""
        return self.games.has(self.row.game, self.source(event))

    def source(self, event: events.Numbered | PendingUndo | RunningTrial) -> str:
        """The permanent name of a board's event, as the source of its consequences."""
        return f"board:{self.serial}:{event.boot}:{event.seq}"

    def write(
        self, event: events.Numbered | PendingUndo, *, expected_seq: int | None = None, expected_ply: int | None = None
    ) -> Write:
        """What the consequences of an event are written with."""
        return Write(self.source(event), f"board {self.serial}", expected_seq, expected_ply, ignores_annotations=True)

    def comment(self, event: events.Numbered) -> str:
        """The comment of a turn that came from this event."""
        return str(BoardEvent(self.serial or "?", event.seq))

    # Detection

    def detect_turn(self, counts: Counts, pressed: Side | None) -> Verdict:
        """What was played, given the counts and the side whose button was pressed."""
        game, status, model, ignored = self.game, self.status, self._noise.model(), self.ignored
        verdict = detect(
            game.rules,
            game.position,
            counts,
            pressed_by=pressed,
            model=model,
            before=status.before,
            earlier=game.positions[-1 - EARLIER_POSITIONS : -1],
            ignored=ignored,
            seen=self._evidence(),
            explain=self._explain,
        )
        # From a symmetric position the same board may be another turn's, with the board the wrong way round.
        unsure = isinstance(verdict, Clear) and pressed is None and is_symmetric(game.position)
        if isinstance(verdict, NoFit | Begun | Several) or unsure:
            turned = detect_turned(
                game.rules,
                game.position,
                counts,
                pressed_by=pressed,
                model=model,
                before=status.before,
                ignored=ignored,
                otherwise=verdict.turn if isinstance(verdict, Clear) else None,
                explain=self._explain,
            )
            verdict = turned or verdict
        return self._unless_turned(verdict, counts, pressed)

    def _unless_turned(self, verdict: Verdict, counts: Counts, pressed: Side | None) -> Verdict:
        """The verdict, or a question: from a symmetric position, and without reports, the same board may show other
        turns the wrong way round."""
        position, reported = self.game.position, reports_of(self._evidence())
        if self.ignored or reported is not None or not is_symmetric(position):
            return verdict
        turns = (
            verdict.certain if isinstance(verdict, Several) else (verdict.turn,) if isinstance(verdict, Clear) else None
        )
        if turns and may_lie_turned(self.game.rules, position, counts, pressed, max(2, len(turns))):
            return Several((turns,), None, (*getattr(verdict, "sentences", ()), MAY_LIE_TURNED))
        return verdict

    @property
    def ignored(self) -> frozenset[int]:
        """The sensors that are no evidence."""
        sensors = 2 * self.game.position.row + 2
        return frozenset(sensor for sensor in self.status.unused if sensor < sensors)

    def agrees(self, position: Position, counts: Counts | None) -> bool:
        """Whether the counts are those of a position that the game had."""
        if counts is None or not is_near(position, counts, self.ignored):
            return False
        before = self.status.before if position == self.game.position else None
        verdict = detect(
            self.game.rules,
            position,
            counts,
            pressed_by=None,
            model=self._noise.model(),
            before=before,
            ignored=self.ignored,
            explain=self._explain,
        )
        return isinstance(verdict, Unchanged)

    def read(self, timeout: float) -> list[events.Event]:
        """What the board has sent, in order.

        :raises DriverError: the connection failed.
        """
        self.read_at = self.clock()
        arrived = [*self._early, *self.connection.poll(0.0 if self._early else timeout)]
        self._early.clear()
        return arrived

    def stop_if_released(self) -> None:
        """:raises BoardReleased: the board was released."""
        if self.released.is_set():
            raise BoardReleased

    def wait_for_search(self) -> None:
        """Go on with the line and with what was handled, while a search for what happened on the board takes its time.

        :raises BoardReleased: the board was released. :raises DriverError, ServiceError: as `BoardController.step`.
        """
        self.stop_if_released()
        if self.clock() - self.read_at < LINE_EVERY:
            return
        if self._looking is None:
            self._looking = self.status.message
            self.update_status(message=LOOKING)
        self.read_at = self.clock()
        self._early += self.connection.poll(0.0)
        if self.must_flush:
            self.store()

    def _explain(self, rules: Rules, readings: Readings, turns: Sequence[Turn], *rest: Any) -> Explanation:
        if self.is_overtaken:
            return leave_unexplained(readings, turns, OVERTAKEN)
        try:
            return self.explain(rules, readings, turns, *rest)
        except NoSearch as error:
            return leave_unexplained(readings, turns, error.reason)
        finally:
            if self._looking is not None:
                self.update_status(message=self._looking)
                self._looking = None

    def _evidence(self) -> BoardReports | None:
        """What the board reported on the way; None: events are missing."""
        status, reports = self.status, self._reports
        if status.seen is None:
            return None
        lifts = status.seen if reports.usable else ()
        return BoardReports(lifts, reports.reliable, status.passed)

    def note_lift(self, pit: int) -> None:
        """Remember that a hand lifted a pit."""
        seen = self.status.seen
        if seen is not None:
            self.update_status(seen=(*seen, pit) if len(seen) < MAX_LIFTS else None, passed=self.status.passed)

    def note_board(self, ms: int) -> None:
        """Remember the board before this change, at the board's time `ms`, if it was exactly as after a legal turn and
        lay there for a while: while a turn is sown, other boards pass. One as after a turn of the wrong side is
        remembered however short it lay there: no legal turn passes it."""
        counts = self.status.counts
        board = tuple([max(0, round(count)) for count in counts or ()])
        before, since = self._lying or (board, ms)
        if self._lying is None or board != before:
            self._lying = board, ms
        status, game = self.status, self.game
        lay = (ms - since) % PERIOD_MS
        rested = lay >= LAY_MS
        if board != before and rested:
            self._rested = before
        if board == before or status.seen is None or self.ignored or len(status.passed) > LONGEST:
            return
        if rested and (0 in (ms, since) or lay > PERIOD_MS // 2):  # the board has no clock, or its clock went back
            self.update_status(passed=())
        elif rested and before == places(game.position)[: len(before)]:
            self.update_status(passed=())  # what was played before is put back
        elif before != next(reversed(status.passed), None):
            legal, out_of_turn = boards_after(game.rules, game.position, status.passed, len(before))
            if before in (legal | out_of_turn if rested else out_of_turn):
                self.update_status(passed=(*status.passed, before))

    def learn_rest(self, counts: Counts) -> None:
        """Keep the counts of a board that agrees with the record, and learn its noise from them."""
        if self.status.before is None:
            self._noise = self._noise.with_position(self.game.position, counts, self.ignored)
        self.update_status(before=self.known(counts), seen=())

    def learn_turn(self, turn: Turn, before: BoardStatus, counts: Counts) -> None:
        """Learn from a turn that was played, the status before it, and the counts after it: the board's noise, and
        whether it reports what is emptied."""
        if before.seen is not None:
            self._reports = self._reports.with_turn(turn, before.seen, self.ignored)
        earlier = before.before
        if earlier is not None and len(earlier) == len(counts):
            self._noise = self._noise.with_turn(turn, earlier, counts, self.ignored)

    def known(self, counts: Counts) -> tuple[float, ...]:
        """The counts of a board that agrees with the record; what lies on sensors that are no evidence is inferred."""
        seeds, ignored = places(self.game.position), self.ignored
        return tuple(float(seeds[sensor]) if sensor in ignored else count for sensor, count in enumerate(counts))

    # Lights

    def show(self) -> None:
        """Set the lights. After a button they are set again even if unchanged: who pressed it must see an answer. The
        row of the side to move blinks while only this machine has the last press."""
        game, status = self.game, self.status
        self.shows_kept = self.kept()
        if game.mover is None or game.dispute is not None:
            disputed = game.dispute is not None
            guidance = Guidance(None, over=not disputed, disputed=disputed, last=game.last_pits)
        else:
            guidance = Guidance(
                game.mover,
                frozenset(map(int, status.mend)),
                refused=status.refusal is not None,
                trial=status.trial is not None,
                last=game.last_pits,
                offered=self._offered_pits(),
                question=status.question,
                pending=self.shows_kept,
            )
        if guidance.question == "":
            self.note_dark()
        self.connection.show(turn_guidance(guidance, self.row_size) if status.turned else guidance)
        if guidance.question and not self.confirms_lights:
            self.note_offer(guidance.question)

    def note_offer(self, question: str) -> None:
        """The lights show that a long press answers this question."""
        refusal = self.status.refusal
        if refusal is not None and refusal.first == question and not refusal.shown:
            self.update_status(refusal=replace(refusal, shown=True))

    def note_dark(self) -> None:
        """The lights show no offer until the board says so again."""
        refusal = self.status.refusal
        if refusal is not None and refusal.shown:
            self.update_status(refusal=replace(refusal, shown=False))

    def _offered_pits(self) -> frozenset[int]:
        """Where the turn begins and ends that a long press of commit records; none if it records nothing."""
        refusal, ask = self.status.refusal, self.status.ask
        if refusal is None or not refusal.offers:
            return frozenset()
        if ask is not None and ask.kind == "turned":  # lit where the players see it: this board is not turned yet
            return frozenset() if ask.move is None else turn_sensors(self.game.pits_of(ask.move), self.row_size)
        return frozenset() if refusal.offered is None else self.game.pits_of(refusal.offered.move)

    # Orientation

    @property
    def row_size(self) -> int:
        """Pits a row."""
        return self.game.position.row

    def was_turned(self, counts: Counts) -> bool:
        """Whether the board lies as before it was connected again, but turned by 180 degrees."""
        before, self.left_with = self.left_with, None
        if before is None or len(before) != len(counts) or self.agrees(self.game.position, counts):
            return False
        now = [max(0, round(count)) for count in counts]
        turned = turn_values([max(0, round(count)) for count in before], self.row_size)
        return turned == tuple(now) != turn_values(now, self.row_size)

    @property
    def seems_turned(self) -> bool:
        """Whether the board reads as it did while it lay there, but turned by 180 degrees: hands lifted it."""
        lying, rested, row = self._lying, self._rested, self.row_size
        return lying is not None and rested is not None and turn_values(lying[0], row) == rested != lying[0]

    def put_right(self) -> BoardStatus:
        """The status when the board is as the record says. That answers all but which way a board lies that looks the
        same both ways, if it was turned before."""
        status, ask = self.status.without_refusal(), self.status.ask
        if ask is not None and ask.stays and is_symmetric(self.game.position):
            return replace(status, ask=ask)
        return status

    def turn_round(self, turned: bool, log: LogData) -> None:
        """Read the board the other way round from now on. Nothing is asked and nothing refused any more."""
        status, row = self.status.cleared(), self.row_size
        health, before = status.health, status.before
        if turned is not status.turned:
            if health is not None:
                health = replace(health, faults=turn_codes(health.faults, row))
            status = replace(
                status,
                turned=turned,
                counts=None if status.counts is None else turn_values(status.counts, row),
                before=turn_values(before, row) if before is not None and is_symmetric(self.game.position) else None,
                faulty={str(turn_sensor(int(sensor), row)): why for sensor, why in status.faulty.items()},
                health=health,
            )
            self._noise = self._noise.turned(row)
        self.disagrees, self._rested = True, None
        self.update_status(status, seen=None)
        self.store(log)

    # Status and storage

    def update_status(self, base: BoardStatus | None = None, /, **changes: Any) -> None:
        """Change the status, or replace it with `base` and these changes. It is stored soon.

        Who forgets the lifts forgets the boards on the way too, and, where events are missing, what lies there.
        """
        if (ask := changes.get("ask")) is not None and not ask.name:
            asking = self.status.asking(ask)
            changes |= {"ask": asking.ask, "questions": asking.questions}
        if "seen" in changes:
            changes.setdefault("passed", ())
            self._lying = None if changes["seen"] is None else self._lying
        status = replace(base or self.status, **changes)
        if status != self.status:
            self.state = replace(self.state, status=status)
            self._flush_later()

    def defer_event(self, event: events.Numbered) -> None:
        """Store this event as handled, together with others, soon: it changes only counts."""
        self.state = replace(self.state, handled=event)
        self._flush_later()

    def commit_event(self, event: events.Numbered | None, log: LogData | None = None) -> None:
        """Store the status, and this event, if there is one, and all before it as handled; then acknowledge it."""
        if event is not None:
            self.state = replace(self.state, handled=event)
        self.store(log)

    def answer_button(
        self, event: events.Button, message: str, base: BoardStatus | None = None, /, **changes: Any
    ) -> None:
        """Store the answer to a button, log it, and show it."""
        self.update_status(base, message=message, **changes)
        self.commit_event(event, ("button", {"side": str(event.side), "action": event.action, "message": message}))
        self.show()

    @property
    def must_flush(self) -> bool:
        """Whether something has waited long enough to be stored."""
        return self.state.flush_at is not None and self.clock() >= self.state.flush_at

    def store(self, log: LogData | None = None) -> None:
        """Store the status and how far the board's events are handled; then, and only then, acknowledge."""
        handled, row = self.state.handled, self.row
        if self.heard_to is not None and (row if handled is None else handled).seq >= self.heard_to:
            self.update_status(at=self.game.row.seq)
        status = self.status
        if handled is None or self.serial is None or self.unsynchronized:
            row = self.boards.update_status(row.id, status, log)
        else:
            # Stillness always refers to an earlier event; a later one may have been stored since.
            seq = max(handled.seq, row.seq) if handled.boot == row.boot else handled.seq
            row = self.boards.commit_event(row.id, self.serial, handled.boot, seq, status, log)
        self.state = replace(self.state, row=row, handled=None, stored=handled or self.state.stored, flush_at=None)
        if not self._in_transaction:
            self._acknowledge()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Store everything in the block at its end and acknowledge it then; on an error restore the state."""
        before = self.state
        self._in_transaction = True
        try:
            with self.boards.transaction():
                yield
        except BaseException:
            self.state = before
            raise
        finally:
            self._in_transaction = False
        self._acknowledge()

    def _acknowledge(self) -> None:
        event = self.state.stored
        if event is not None:
            self.state = replace(self.state, stored=None)
            self.connection.acknowledge(event)

    def _flush_later(self) -> None:
        if self.state.flush_at is None:
            self.state = replace(self.state, flush_at=self.clock() + FLUSH_AFTER)
