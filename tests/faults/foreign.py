"""Games on the second board of `tests/foreign_board`: sensors that lie, reused boot ids, exchanged boards.

This board does what it is told, without hands that take time: after each press the desk works until the turn is
recorded, or the log says why not. Then a person enters the turn on the page.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random

from inkeek.drivers.boards.standard import StandardBoard
from inkeek.drivers.errors import DriverError, TransportError
from inkeek.firmware_sim.hands.plan import LEGAL_LIMIT
from inkeek.records import Kind, Move, Position, Rules, Turn, ruleset
from inkeek.service.boards.bindings import Boards
from inkeek.service.boards.controller import BoardController
from inkeek.service.errors import ServiceError
from inkeek.service.games.repository import Games
from inkeek.service.games.write import Write
from tests.faults.draws import GAMES, PLIES
from tests.faults.judge import Outcome
from tests.foreign_board import Bench, ForeignBoard, Hand

POLL_S = 0.2
AGAIN_S = 1.0  # until the desk opens a port again
ANSWER_S = 8.0  # in which a press must be recorded or refused
PRESSES = 2  # until a person enters the turn on the page
ANSWERS = ("recorded", "refused", "gap", "unchanged", "button", "unrecorded")  # entries of the log that answer a press
MAX_LIARS = 2
IGNORED_S = 70.0  # a board that restarts five times within a minute is ignored until the minute is over
LOW = 3  # of 15: the confidence of a sensor that is no evidence


class ForeignTable:
    """A foreign board on a bench, the desk, and the game. `liars`: what some sensors read, whatever lies there."""

    def __init__(self, kind: str, random: Random, games: Games, boards: Boards) -> None:
        self.random = random
        self.games, self.boards = games, boards
        # In Bo·f without sensors under the stores, single sensors tell turns apart.
        name, options = ("bof", {}) if kind == "unsure" and random.random() < 0.5 else random.choice(GAMES)
        self.rules: Rules = ruleset(name, **options)
        self.bench = Bench(TransportError)
        self.liars: dict[int, float] = {}
        self.board = ForeignBoard(
            self.rules.row,
            stores=random.random() < 0.3,
            serial="FOREIGN-1",
            clock=self.bench.clock,
            sensor=lambda pit, seeds: self.liars.get(pit, seeds),
        )
        self.hand = Hand(self.board, self.rules, self.rules.start(), every_seed=random.random() < 0.5)
        self.moves: list[Move] = []  # that were played
        self.game = games.create(name, dict(options), {}, Write("api"), None).id
        self.port = f"/dev/foreign/{self.game}"
        self.binding = boards.bind(self.port, "inkeek", self.game).id
        self.environment = self.bench.plug(self.port, self.board)
        self.controller: BoardController | None = None
        self.entered = 0

    @property
    def ply(self) -> int:
        """The number of turns in the record."""
        return self.games.row(self.game).ply

    def run(self, seconds: float, stop: Callable[[], bool] = lambda: False) -> None:
        """Let the desk work for so long, or until `stop`."""
        end = self.bench.now + seconds
        while self.bench.now < end and not stop():
            try:
                if self.controller is None:
                    row = self.boards.get(self.binding)
                    connection = StandardBoard().connect(self.environment, row.resume)
                    self.controller = BoardController(row, connection, self.games, self.boards, self.bench.clock)
                    self.controller.game_changed.set()
                self.controller.step(POLL_S)
            except (DriverError, ServiceError):
                self.controller = None
                self.bench.now += AGAIN_S

    def log(self, after: int = 0) -> list[str]:
        """The kinds of the board's log entries from number `after` on."""
        return [entry.kind for entry in self.boards.log(self.binding, after, 10_000)]

    def recorded(self) -> list[str]:
        """The turns in the record."""
        return [str(turn.move) for turn in self.games.load(self.game).record.replay().turns]

    def press(self) -> bool:
        """Press the mover's button; return whether the turn was recorded, or the log says why not."""
        before, entries = self.ply, len(self.log())

        def is_answered() -> bool:
            return self.ply > before or any(kind in ANSWERS for kind in self.log()[entries:])

        self.board.press(self.hand.position.to_move.letter)
        self.run(ANSWER_S, is_answered)
        if self.boards.get(self.binding).status["state"] in ("failed", "gone"):
            self.run(IGNORED_S, is_answered)
        return is_answered()

    def enter(self, move: Move) -> None:
        """Enter a turn on the page."""
        self.games.play(self.game, move, Write("api"))
        self.entered += 1
        if self.controller is not None:
            self.controller.game_changed.set()
        self.run(1.0)

    def legal(self) -> list[Turn]:
        position = self.hand.position
        return [self.rules.play(position, move) for move in self.rules.legal_moves(position, LEGAL_LIMIT)]

    def seen(self, position: Position) -> tuple[int, ...]:
        """The counts of a position that the board has sensors for."""
        return (*position.pits, *position.stores)[: self.board.sensors]


def play_foreign(outcome: Outcome, random: Random, games: Games, boards: Boards) -> None:
    """Play a session of the kinds ``unsure`` and ``foreign``."""
    table = ForeignTable(outcome.kind, random, games, boards)
    trouble = {"unsure": _lie, "foreign": _disturb}[outcome.kind]
    table.run(3.0)
    for ply in range(1, random.randint(*PLIES) + 1):
        position = table.hand.position
        moves = _unique(table.legal(), table)
        if not moves:
            break
        outcome.figures["turns"] += 1
        move = trouble(table, outcome, random.choice(moves))
        table.moves.append(move)
        table.hand.position = table.hand.sow(move)
        after = table.hand.position
        for _ in range(PRESSES):
            table.hand.position = position
            answered = table.press()
            table.hand.position = after
            if not answered:
                outcome.figures["lost"] += 1
                outcome.faults.append(f"turn {ply}, {move}: the press was neither recorded nor answered in the log")
            if table.ply >= ply:
                break
        if table.ply < ply:
            table.enter(move)
        if table.recorded() != [str(move) for move in table.moves]:
            break
    _judge(outcome, table)
    boards.release(table.binding)


def _unique(legal: list[Turn], table: ForeignTable) -> list[Move]:
    """The moves that no other legal turn resembles on the board."""
    boards = [table.seen(turn.position) for turn in legal]
    before = table.seen(table.hand.position)
    return [
        turn.move
        for turn, board in zip(legal, boards, strict=True)
        if board != before and boards.count(board) == 1 and turn.move.kind is Kind.SOW
    ]


def _lie(table: ForeignTable, outcome: Outcome, move: Move) -> Move:
    """Have a sensor lie that the board reports as faulty or as uncertain. Return the turn to play.

    Best is a sensor that alone tells two turns apart: then one of them is played, and the counts fit the other.
    """
    random, board = table.random, table.board
    telling = list(_told_by_few_sensors(table.legal(), table))
    single = [one for one in telling if len(one[0]) == 1]
    free = not table.liars and random.random() < 0.25
    if single or (telling and free):
        sensors, move = random.choice(single or telling)
    else:
        sensors = {random.randrange(board.sensors)} if free else set()
    if len(table.liars.keys() | sensors) <= MAX_LIARS:
        for sensor in sorted(sensors - table.liars.keys()):
            _make_liar(table, sensor)
            outcome.figures["struck"] += 1
        table.run(2.0)
    after = table.seen(table.rules.play(table.hand.position, move).position)
    for liar in table.liars:
        fitting = [
            seen[liar]
            for seen in (table.seen(other.position) for other in table.legal())
            if seen[liar] != after[liar]
            and all(at in table.liars for at, (one, two) in enumerate(zip(seen, after, strict=True)) if one != two)
        ]
        table.liars[liar] = float(random.choice(fitting or range(13)))
        outcome.figures["fitting"] += bool(fitting)
    return move


def _make_liar(table: ForeignTable, sensor: int) -> None:
    random, board = table.random, table.board
    if random.random() < 0.5:  # it tells so when it is greeted
        table.bench.pull(table.port)
        table.run(0.5)
        board.confidence[sensor] = random.randint(0, LOW)
        table.bench.plug(table.port, board)
    else:
        board.fault(sensor, random.choice(["open", "stuck", "overload"]))
    table.liars[sensor] = float(random.randint(0, 12))


def _told_by_few_sensors(legal: list[Turn], table: ForeignTable) -> Iterator[tuple[set[int], Move]]:
    """Yield the one or two sensors that alone tell a turn from another, with the turn."""
    boards = [(turn.move, table.seen(turn.position)) for turn in legal]
    for move, board in boards:
        for _, other in boards:
            unlike = {at for at, (one, two) in enumerate(zip(board, other, strict=True)) if one != two}
            if 1 <= len(unlike) <= MAX_LIARS and move.kind is Kind.SOW:
                yield unlike, move


def _disturb(table: ForeignTable, outcome: Outcome, move: Move) -> Move:
    """Restart the board with a boot id that came before, exchange it for another one for a while, or lose lines."""
    random, board, bench = table.random, table.board, table.bench
    what = random.choice(["nothing", "nothing", "restart", "again", "other", "drop", "unplug"])
    if what == "restart":
        board.restart()
        outcome.figures["restarts"] += 1
    elif what == "again":
        table.run(random.choice([0.0, 1.0]))
        bench.pull(table.port)
        board.restart("00000001")
        table.run(random.choice([0.1, 3.0]))
        bench.plug(table.port, board)
        outcome.figures["restarts"] += 1
    elif what == "other":
        _plug_in_another(table, outcome)
        outcome.figures["exchanged"] += 1
    elif what == "drop":
        board.drop_lines(random.randint(1, 6))
        outcome.figures["struck"] += 1
    elif what == "unplug":
        bench.pull(table.port)
        table.run(random.uniform(0, 5))
        bench.plug(table.port, board)
        outcome.figures["pulled"] += 1
    table.run(random.choice([0.0, 0.5, 3.0]))
    return move


def _plug_in_another(table: ForeignTable, outcome: Outcome) -> None:
    """Have a board of another game answer on the port: it shows a legal turn, and its button is pressed."""
    random, bench = table.random, table.bench
    silently = random.random() < 0.5  # with the same boot id it could not be told from the old board
    other = ForeignBoard(
        table.board.row,
        stores=table.board.stores,
        serial="FOREIGN-2",
        boot="000000aa" if silently or random.random() < 0.5 else table.board.boot,
        clock=bench.clock,
    )
    other.set_counts(table.seen(random.choice(table.legal()).position))
    bench.plug("/dev/spare", other)
    before, entries, at = table.ply, len(table.log()), bench.now
    bench.exchange(table.port, "/dev/spare", silently=silently)
    table.run(random.choice([0.1, 2.0]))
    for _ in range(random.choice([1, 1, 40])):
        other.press(table.hand.position.to_move.letter)
    table.run(random.choice([0.1, 4.0, ANSWER_S]))
    is_ignored = table.boards.get(table.binding).status["state"] == "failed"
    if bench.now - at > ANSWER_S and not is_ignored and "other-board" not in table.log()[entries:]:
        outcome.figures["lost"] += 1
        outcome.faults.append("another board is on the port, and the log does not say so")
    bench.exchange(table.port, "/dev/spare", silently=silently)
    if table.ply != before:
        outcome.figures["wrong"] += 1
        outcome.faults.append("a turn of another board was recorded")


def _judge(outcome: Outcome, table: ForeignTable) -> None:
    planned = [str(move) for move in table.moves]
    recorded = table.recorded()
    log = table.log()
    outcome.figures.update(
        sessions=1,
        recorded=len(recorded),
        refused=log.count("refused"),
        entered=table.entered,
        gaps=log.count("gap"),
    )
    if recorded != planned:
        outcome.figures["wrong"] += 1
        outcome.faults.append(f"recorded {recorded}, planned {planned}")
    if outcome.faults:
        outcome.faults.append(f"log {log}; status {table.boards.get(table.binding).status}")
