"""A table with hands, a board with ideal sensors, and the real controller; a plain model says what was truly played.

A scene is one line of text: game, options, position, equipment, actions. `run` plays it and judges the record.
"""

from __future__ import annotations

import random
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import starmap
from pathlib import Path
from string import ascii_letters
from typing import Any

from inkeek.drivers import events as board_events
from inkeek.drivers.base import Guidance
from inkeek.records import NORTH, SOUTH, IllegalMove, Move, Position, PositionError, Rules, Side, Turn
from inkeek.records.rules.play import rules_at
from inkeek.service.boards.bindings import Boards
from inkeek.service.boards.choices import answer_question
from inkeek.service.boards.controller import BoardController
from inkeek.service.boards.controller.game_view import AGREES, places
from inkeek.service.boards.searches import SHARE_USED, NoSearch
from inkeek.service.boards.status import BoardStatus, Question, read_status
from inkeek.service.errors import Conflict, Illegal, Invalid
from inkeek.service.games.corrections import take_back
from inkeek.service.games.repository import Games
from inkeek.service.games.write import Write
from inkeek.service.storage import GameEvent
from inkeek.service.storage.store import Store
from tests.databases import sqlite_database

SIDES = {"s": SOUTH, "n": NORTH}
BEGIN = 1000.0  # seconds by the clock of the host
SEED_SD, SCALE_SD = 0.04, 0.02  # seeds
LIFT, DROP, TAKE, BUTTON, SEARCH = 0.5, 0.25, 0.5, 0.4, 0.3  # seconds
MOST_ALIKE = 2000  # legal turns that are compared with a board
QUIET = 3.0  # seconds after which a board without buttons has counted a turn
PHONE, NOTICE, CARRY = 5.0, 1.5, 0.4  # seconds to answer on a phone, to notice a light, to carry a seed


@dataclass(frozen=True)
class Table:
    """A game at a position, and what the board has: weighed stores, buttons, and what it reports on the way."""

    game: str
    options: tuple[tuple[str, Any], ...]
    position: str
    stores: bool = True
    buttons: bool = True
    search: bool = True  # whether what fits no turn is searched for; False: the board has used up its share
    reports: str = "lifts"  # lifts (and pits), pits, none (buttons only)
    noise: bool = False  # whether seeds weigh more or less than others, and scales swing
    uptime: int = 1_000_000  # milliseconds for which the board has been powered

    def __str__(self) -> str:
        options = "".join(f" {name}={value}" for name, value in self.options)
        names = ("stores", "buttons", "search", "noise")
        has = " ".join(f"{name}={'yes' if getattr(self, name) else 'no'}" for name in names)
        return f"{self.game}{options} | {self.position} | {has} uptime={self.uptime} {self.reports}"

    @property
    def rules(self) -> Rules:
        return _rules(self.game, self.options, self.position)


@lru_cache(maxsize=512)
def _rules(game: str, options: tuple[tuple[str, Any], ...], position: str) -> Rules:
    return rules_at(game, dict(options), Position.parse(position))


@dataclass(frozen=True)
class Scene:
    """What the hands do at a table, one action after the other."""

    behaviour: str
    table: Table
    actions: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.table} | {'; '.join(self.actions)}"

    @classmethod
    def parse(cls, line: str, behaviour: str = "") -> Scene:
        game, position, equipment, actions = (part.strip() for part in line.split("|"))
        *words, reports = equipment.split()
        has = dict(word.split("=") for word in words)
        given: dict[str, Any] = {name: value == "yes" for name, value in has.items()}
        given["uptime"] = int(has.get("uptime", Table.uptime))
        table = Table(*parse_game(game), position, reports=reports, **given)
        return cls(behaviour, table, tuple(action.strip() for action in actions.split(";") if action.strip()))


def parse_game(text: str) -> tuple[str, tuple[tuple[str, Any], ...]]:
    """A rule set with its options."""
    name, *words = text.split()
    return name, tuple((key, _value(value)) for key, value in (word.split("=") for word in words))


def _value(text: str) -> Any:
    return int(text) if text.isdigit() else {"true": True, "false": False}.get(text.lower(), text)


@dataclass
class Result:
    """How a scene ended. `outcome`: right, asked, alike (the board was as after, or during, a turn that nobody played:
    nobody could tell), wrong or lost; `why` in a few words; `seconds` until play went on (None: it never did), of which
    hands and players spent all; `slowest` the longest step of the controller. `course`: the positions of record and
    board, if people are asked though whole turns alone lie between them, and who had just played pressed. `turns`: how
    many were played, until play went on."""

    scene: Scene
    outcome: str
    why: str
    played: tuple[str, ...]
    recorded: tuple[str, ...]
    said: str
    seconds: float | None = 0.0
    slowest: float = 0.0
    course: tuple[Position, Position] | None = None
    turns: int = 0

    @property
    def is_stuck(self) -> bool:
        """Whether sensible people could not go on, though nothing wrong was recorded."""
        return self.seconds is None and self.outcome in ("right", "asked", "alike")

    def __str__(self) -> str:
        return (
            f"{self.outcome.upper()} ({self.scene.behaviour}: {self.why})\n    {self.scene}\n"
            f"    played {' '.join(self.played) or '–'}; recorded {' '.join(self.recorded) or '–'}; said: {self.said}"
        )


def no_search(*_: Any) -> Any:
    raise NoSearch(SHARE_USED)


class WrongRecord(Exception):
    """The record has what nobody played."""


class Connection:
    """The board's end of the line: `poll` delivers what the board has sent. `read` is its answer to a request for a
    snapshot; None: it is not plugged in."""

    def __init__(self, read: Callable[[], board_events.Snapshot | None]) -> None:
        self.read = read
        self.waiting: list[board_events.Event] = []
        self.shown: list[Guidance] = []
        self.acknowledged = 0

    def poll(self, timeout: float) -> Sequence[board_events.Event]:
        events, self.waiting = self.waiting, []
        return events

    def acknowledge(self, event: board_events.Numbered) -> None:
        self.acknowledged = event.seq

    def show(self, guidance: Guidance) -> None:
        self.shown.append(guidance)
        if guidance.question and self.read() is not None:
            self.waiting.append(board_events.OfferShown(guidance.question))

    def request_snapshot(self) -> bool:
        if (snapshot := self.read()) is not None:
            self.waiting.append(snapshot)
        return snapshot is not None

    def close(self) -> None:
        pass


class Stand:
    """A store for many scenes."""

    def __init__(self, url: str) -> None:
        self.store = Store(url)
        self.games = Games(self.store, max_plies=5000)
        self.boards = Boards(self.store, max_boards=100)

    def close(self) -> None:
        self.store.close()


@contextmanager
def stand() -> Iterator[Stand]:
    """A store in a temporary folder, in memory where there is one."""
    memory = "/dev/shm" if Path("/dev/shm").is_dir() else None
    with tempfile.TemporaryDirectory(dir=memory) as folder, sqlite_database(Path(folder), empty=False) as url:
        made = Stand(url)
        try:
            yield made
        finally:
            made.close()


def motions_of(rules: Rules, position: Position, move: Move) -> list[Any]:
    """What hands do in a turn, one after the other."""
    return [one for one in rules.trace(position, move).events if one.kind not in ("choose", "special", "end")]


def lifts_of(rules: Rules, turn: Turn) -> list[int]:
    """The pits that hands empty in a turn, in order."""
    motions = motions_of(rules, turn.before, turn.move)
    return [one.pit for one in motions if one.kind in ("lift", "take") and one.pit >= 0]


def partial_counts(before: Position, motions: list[Any]) -> Iterator[list[int]]:
    """Pits and stores after each motion of a turn."""
    size = len(before.pits)
    counts = [*places(before)]
    for event in motions:
        match event.kind:
            case "lift":
                counts[event.pit] = 0
            case "drop":
                counts[event.pit] += 1
            case "store":
                counts[size + event.other] += 1
            case "take":
                counts[size + event.other] += event.count
                if event.pit >= 0:
                    counts[event.pit] -= event.count
            case "shift":
                counts[event.pit] -= 1
                counts[event.other] += 1
        yield list(counts)


def is_among(turn: Turn, turns: Sequence[Turn]) -> bool:
    """Whether it is one of these, and not only equal to one: a turn may be taken back and played again."""
    return any(turn is one for one in turns)


@dataclass
class Hands:
    """The seeds as they lie and what was truly played, in the players' own terms, whatever way the board lies."""

    rules: Rules
    position: Position  # as the hands think of it
    stores_count: bool = True  # whether anybody can see that seeds lie in the wrong store
    pits: list[int] = field(default_factory=list)
    stores: list[int] = field(default_factory=list)
    hand: int = 0
    bag: int = 0
    played: list[Turn] = field(default_factory=list)
    before: list[Turn] | None = None  # what was played until a turn was put back, while the record still has it
    taken: list[list[Turn]] = field(default_factory=list)  # what lay there until turns were taken back unseen
    clean: bool = True  # the seeds lie as after `played`
    made: int = 0  # turns that were played, also those that were put back
    under_way: Turn | None = None
    follows: tuple[list[Turn], Turn] | None = None  # a line of `taken` that the turn goes on with
    chosen: Turn | None = None  # what the turn would be if the board were as it was played
    rest: list[Any] = field(default_factory=list)
    untouched: tuple[list[int], list[int]] = field(default_factory=lambda: ([], []))

    def __post_init__(self) -> None:
        self.start = self.position
        self.lie(self.position)

    def lie(self, position: Position) -> None:
        self.pits, self.stores, self.hand, self.bag = list(position.pits), list(position.stores), 0, 0
        self.position, self.under_way, self.chosen, self.rest = position, None, None, []
        self.lifted: list[int] = []

    @property
    def true(self) -> Position:
        """The position after what was truly played."""
        return self.played[-1].position if self.played else self.start

    @property
    def counts(self) -> list[int]:
        return [*self.pits, *self.stores]

    def look(self) -> None:
        """Whether the seeds lie as after what was played."""
        self.clean = self.lies_as(self.true)
        if self.clean:
            self.position = self.true

    def lies_as(self, position: Position) -> bool:
        return self.pits == list(position.pits) and (not self.stores_count or self.stores == list(position.stores))

    def begin(self, side: Side, text: str) -> None:
        """Choose a turn; legal or not, as long as it can be sown."""
        position = self.position.replaced(to_move=side)
        if not self.clean:
            position = position.replaced(pits=tuple(self.pits), stores=(self.stores[0], self.stores[1]))
        move = Move.parse(text)
        turn = self.rules.play(position, move)
        if self.clean and position == self.true and self.rules.outcome(self.true) is None:
            self.under_way = turn
        elif side is self.true.to_move and self.rules.is_legal(self.true, move):
            self.chosen = self.rules.play(self.true, move)
        for line in self.taken:  # what was taken back unseen lies there still, and play goes on from it
            last = line[-1].position if line else self.start
            if not self.clean and self.lies_as(last) and last.to_move is side and self.rules.is_legal(last, move):
                self.follows = line, self.rules.play(last, move)
        self.untouched = list(self.pits), list(self.stores)
        self.position = turn.position
        self.rest = [] if move.pit == "" else motions_of(self.rules, position, move)
        if move.kind.value == "rearrange":
            self.rest = [turn.position]

    def finish(self) -> None:
        """Note that a turn that was begun is played; also one that came out right although the board was not."""
        if self.follows is not None and self.lies_as(self.follows[1].position):
            self.follows[0].append(self.follows[1])
        self.follows = None
        turn, self.under_way, self.chosen = self.under_way or self.chosen, None, None
        if turn is not None and self.lies_as(turn.position):
            self.played.append(turn)
            self.made += 1
            self.lifted = []


class Play:
    """One scene at a table."""

    def __init__(self, at: Stand, scene: Scene) -> None:
        self.at, self.scene, self.table = at, scene, scene.table
        self.rules = scene.table.rules
        self.hands = Hands(self.rules, self.rules.start(), self.table.stores)
        self.row = self.rules.row
        self.now, self.slowest = BEGIN, 0.0
        self.game = at.games.create(self.table.game, dict(self.table.options), {}, Write("api"), self.table.position).id
        self.board = at.boards.bind_checked(
            f"/dev/{self.game}", "inkeek", self.game, buttons=self.table.buttons, serial=None, limit=None
        ).id
        self.turned = self.unplugged = self.down = self.paused = False
        self.random = random.Random(str(scene))
        self.weights: dict[int, tuple[float, float]] = {}  # by sensor: the seeds on it, and how much more they weigh
        self.boot, self.seq, self.ring = 1, 0, list[board_events.Numbered]()
        self.seen_events = 1
        self.old_message = ""  # what the status said when the record changed last
        self.presses: list[tuple[Side, int]] = []  # who pressed, and how many turns were played then
        self.unheard = 0  # how many of them the board keeps
        self.forgotten = False  # the board has lost the last ones
        self.pressed_wrong = False  # a button was pressed while other seeds lay there than were played
        self.question: tuple[str, int] | None = None  # as a phone shows it
        self.asked: Question | None = None  # the same
        self.known: list[Turn] = []  # what was played when the phone showed it
        self.standing = 0  # how many turns stand
        self.undos: list[Turn] = []  # the turns for which undo was pressed
        self.alike: dict[int, set[str]] = {}  # by number, turns that the board shows, though the hands know of none
        self.is_alike = False  # one of them was recorded
        self.touched: set[int] = set()
        self.leaning: dict[int, int] = {}
        self.begun: dict[str, int] = {}  # by the letter of a side, the pit in which it began last
        self.faults: set[int] = set()
        self.desk()

    # The board

    def sensors(self, counts: Sequence[int], turned: bool | None = None) -> tuple[float, ...]:
        """What the sensors read, by their own index, if the board is as it lies, or lay `turned` or not."""
        counts = [
            0 if place in self.faults else count + self.leaning.get(place, 0) for place, count in enumerate(counts)
        ]
        if self.turned if turned is None else turned:
            row = self.row
            counts = [*counts[row : 2 * row], *counts[:row], counts[2 * row + 1], counts[2 * row]]
        return tuple(map(float, counts if self.table.stores else counts[: 2 * self.row]))

    def readings(self) -> tuple[float, ...]:
        """What they read now."""
        ideal = self.sensors(self.hands.counts)
        return tuple(starmap(self.reading, enumerate(ideal))) if self.table.noise else ideal

    def reading(self, sensor: int, seeds: float) -> float:
        """What a scale reads that swings, under seeds of which none weighs as much as another."""
        held, excess = self.weights.get(sensor, (0.0, 0.0))
        excess = (
            excess * seeds / held if seeds < held else excess + self.random.gauss(0, SEED_SD * (seeds - held) ** 0.5)
        )
        self.weights[sensor] = seeds, excess
        return max(0.0, round(seeds + excess + self.random.gauss(0, SCALE_SD), 2))

    def sensor(self, place: int) -> int:
        if not self.turned:
            return place
        return (place + self.row) % (2 * self.row) if place < 2 * self.row else 4 * self.row + 1 - place

    @property
    def boot_id(self) -> str:
        return f"{self.boot:08x}"

    def emit(self, kind: Callable[..., board_events.Numbered], *fields: Any) -> None:
        self.seq += 1
        ms = (self.table.uptime + int((self.now - BEGIN) * 1000)) % 2**32
        event = kind(self.boot_id, self.seq, ms, *fields)
        self.ring.append(event)
        if not (self.unplugged or self.down):
            self.connection.waiting.append(event)

    def connected(self) -> board_events.Connected:
        can = {"leds", "buttons"} if self.table.buttons else {"leds"}
        return board_events.Connected(
            "H-0001", "1.0", (1, 1), self.boot_id, self.row, self.table.stores, frozenset(can)
        )

    def snapshot(self) -> board_events.Snapshot:
        counts = self.readings()
        return board_events.Snapshot(self.boot_id, self.seq, counts, (15,) * len(counts))

    def greet(self, after: int) -> None:
        """Send what a board sends that is connected: its events after a number, and a snapshot."""
        self.connection.waiting += [self.connected(), *(one for one in self.ring if one.seq > after), self.snapshot()]

    # The desk

    def desk(self) -> None:
        """A desk starts, or starts again."""
        self.down = self.paused = False
        row = self.at.boards.get(self.board)
        self.connection = Connection(lambda: None if self.unplugged else self.snapshot())
        self.controller = BoardController(row, self.connection, self.at.games, self.at.boards, lambda: self.now)
        if not self.table.search:
            self.controller.explain = no_search
        if not self.unplugged:
            self.unheard = 0
            self.greet(row.seq if row.boot == self.boot_id else 0)
        for request in self.at.boards.poll()[1]:
            if request.board == self.board:
                self.controller.add_request(request)
        self.step()

    def step(self) -> None:
        if self.down or self.paused:
            return self.check()
        self.controller.game_changed.set()
        began = time.thread_time()
        self.controller.step(0.0)
        self.slowest = max(self.slowest, time.thread_time() - began)
        return self.check()

    def pass_time(self, seconds: float) -> None:
        whole, rest = divmod(seconds, 0.5)
        if not self.table.buttons and seconds >= QUIET:
            self.note_alike(None)
        for part in [0.5] * int(whole) + ([rest] if rest else []):
            self.now += part
            self.step()

    @property
    def status(self) -> BoardStatus:
        return read_status(self.at.boards.get(self.board).status)

    @property
    def recorded(self) -> list[tuple[str, str]]:
        """Move and position of each turn that stands."""
        game = self.at.games.load(self.game)
        positions = game.state.positions[1:]
        return [(ply.move.choice_text, text) for ply, text in zip(game.state.record.plies, positions, strict=True)]

    # What is compared

    @staticmethod
    def line(turns: Sequence[Turn]) -> list[tuple[str, str]]:
        return [(turn.move.choice_text, str(turn.position)) for turn in turns]

    def check(self) -> None:
        """Look at what was written since: each turn must be one that was played, each retraction one put back."""
        events = self.at.games.load(self.game).events
        new, self.seen_events = events[self.seen_events :], len(events)
        for event in new:
            if event.source.startswith(("board:", "phone")):
                self.check_event(event)
            self.standing += {"turn": 1, "retraction": -1}.get(event.kind, 0)
        if new:
            self.old_message = str(self.status.message)
        if new and self.recorded == self.line(self.hands.played)[: len(self.recorded)]:
            self.hands.before = None

    def check_event(self, event: GameEvent) -> None:
        hands = self.hands
        if event.kind == "turn":
            ply, move = event.data["ply"] - 1, Move.parse(event.data["turn"]["move"])
            wrote = move.choice_text, event.data["position"]
            under_way = [one for one in (hands.under_way, hands.chosen) if one is not None]
            lines = [[*hands.played, *under_way[:1]], hands.before or [], *hands.taken]
            line = next((one for one in lines if self.line(one)[ply : ply + 1] == [wrote]), None)
            if line is None and self.alike.get(ply) == {move.choice_text} and ply <= len(hands.played):
                before = hands.played[ply - 1].position if ply else hands.start
                line, hands.under_way, hands.chosen = [*hands.played[:ply], self.rules.play(before, move)], None, None
                self.is_alike = True
            elif line is None:
                raise WrongRecord(f"turn {move.choice_text} was recorded")
            if all(line is not one for one in lines[:2]):  # what was taken back on the page lies there still
                hands.played = line[: ply + 1]
                hands.look()
        elif event.kind == "retraction":
            undone = (hands.before or [])[self.standing - 1 : self.standing]
            if not undone or not is_among(undone[0], self.undos):
                raise WrongRecord("a turn was taken back")
        elif event.kind in ("end", "ended") and self.rules.outcome(hands.true) is None:
            raise WrongRecord("the game was ended")

    def note_alike(self, pressed: Side | None) -> None:
        """Note each legal turn of who pressed after which the sensors would read what they read now, and the same lifts
        been reported, though other seeds lie there than after what was played: nothing tells it from that turn."""
        hands, turned = self.hands, self.status.turned
        if hands.lies_as(hands.true):
            return
        seen, lifted = self.sensors(hands.counts), hands.lifted
        if turned is not self.turned:  # as the program takes the board to lie
            pressed = None if pressed is None else pressed.other
            lifted = [(pit + self.row) % (2 * self.row) for pit in lifted]
        for line in (hands.played, *hands.taken):
            for ply in range(min(len(self.recorded), len(line)), len(line) + 1):
                before = line[ply - 1].position if ply else hands.start
                for turn in self.rules.turns(before, MOST_ALIKE) if pressed in (None, before.to_move) else ():
                    board = self.sensors(places(turn.position), turned)
                    if board == seen and lifted in ([], lifts_of(self.rules, turn)):
                        self.alike.setdefault(ply, set()).add(turn.move.choice_text)

    def is_told(self) -> str:
        """What the program asks or refuses now; empty if nothing."""
        status = self.status
        if status.refusal is not None:
            return f"refused ({status.refusal.cause}): {status.refusal.message}"
        if status.ask is not None:
            return f"asked ({status.ask.kind}): {status.ask.message}"
        for name in ("undo", "trial", "dispute"):
            if getattr(status, name) is not None:
                return f"{name} is pending"
        if status.mend:
            return f"mend {dict(status.mend)}"
        says_more = str(status.message) not in (str(AGREES), self.old_message)
        if not self.table.buttons and (says_more or "lay the board out" in str(status.message)):
            return str(status.message)
        return " ".join(status.sentences)

    # Hands

    def touch(self, place: int) -> None:
        self.touched.add(place)

    def report_pits(self) -> None:
        """The sensors that were touched have settled."""
        counts = self.readings()
        for place in sorted(self.touched):
            sensor = self.sensor(place)
            if self.table.reports != "none" and sensor < len(counts):
                self.emit(board_events.PitChanged, sensor, counts[sensor])
        self.touched.clear()
        self.step()

    def lift(self, pit: int) -> None:
        self.touch(pit)
        if self.table.reports == "lifts" and pit not in self.faults:
            self.hands.lifted.append(pit)
            self.emit(board_events.Lifted, self.sensor(pit))

    def sow(self, most: int | None = None) -> None:
        """Go on with the turn that was begun, at most so many motions."""
        hands, size = self.hands, 2 * self.row
        done = 0
        while hands.rest and (most is None or done < most):
            event = hands.rest.pop(0)
            done += 1
            if isinstance(event, Position):
                for pit, count in enumerate(event.pits):
                    if hands.pits[pit] != count:
                        self.lift(pit)
                hands.pits = list(event.pits)
                continue
            match event.kind:
                case "lift":
                    if self.touched:
                        self.report_pits()
                    hands.hand += hands.pits[event.pit]
                    hands.pits[event.pit] = 0
                    self.lift(event.pit)
                    self.now += LIFT
                case "drop":
                    hands.pits[event.pit] += 1
                    hands.hand -= 1
                    self.touch(event.pit)
                    self.now += DROP
                case "store":
                    hands.stores[event.other] += 1
                    hands.hand -= 1
                    self.touch(size + event.other)
                    self.now += DROP
                case "take":
                    if event.pit < 0:
                        hands.hand -= event.count
                    else:
                        hands.pits[event.pit] -= event.count
                        self.lift(event.pit) if hands.pits[event.pit] == 0 else self.touch(event.pit)
                    hands.stores[event.other] += event.count
                    self.touch(size + event.other)
                    self.now += TAKE
                case "shift":
                    hands.pits[event.pit] -= 1
                    hands.pits[event.other] += 1
                    self.touch(event.pit)
                    self.touch(event.other)
                    self.now += DROP
        self.report_pits()
        if not hands.rest:
            hands.finish()
            hands.look()

    def lay(self, position: Position) -> None:
        """Put all seeds as in a position; nothing of it is a turn."""
        hands = self.hands
        carried = 0
        wanted = [*position.pits, *position.stores]
        for place, (has, count) in enumerate(zip(hands.counts, wanted, strict=True)):
            if has != count:
                carried += abs(has - count)
                self.touch(place)
                if count == 0 and place < 2 * self.row and self.table.reports == "lifts":
                    self.emit(board_events.Lifted, self.sensor(place))
        hands.lie(position)
        self.note_put_back()
        self.now += CARRY * carried / 2
        self.report_pits()

    @property
    def is_away(self) -> bool:
        """Whether what is pressed is handled later."""
        return self.unplugged or self.down or self.paused

    def note_put_back(self) -> None:
        """Seeds that lie as before a turn have been put back, if it is not recorded or undo was pressed for it."""
        hands = self.hands
        while hands.played and hands.lies_as(hands.played[-1].before):
            may_stand = self.is_away or len(hands.played) <= len(self.recorded)
            if may_stand and (not is_among(hands.played[-1], self.undos) or hands.before is not None):
                break
            self.forget_last()
        hands.look()

    def forget_last(self) -> Turn:
        """The last turn is put back, while the record still has it, or will have it by what was pressed before."""
        hands = self.hands
        if self.is_away:
            hands.taken.append(list(hands.played))
        if hands.before is None and (self.is_away or self.recorded == self.line(hands.played)):
            hands.before = list(hands.played)
        self.presses = [(side, count) for side, count in self.presses if count < len(hands.played)]
        return hands.played.pop()

    # Actions

    def do(self, action: str) -> None:
        word, *rest = action.split()
        with suppress(IllegalMove, PositionError):  # hands cannot do that with what lies there
            getattr(self, f"do_{word.replace('-', '_')}")(*rest)
        self.step()

    def do_play(self, side: str, move: str) -> None:
        if self.hands.rest:  # the seeds of a turn that was begun are in another's hand until it is done
            self.sow()
        self.hands.begin(SIDES[side], move)
        if (pit := Move.parse(move).pit) != "":
            self.begun[side] = self.place(pit)
        self.sow()
        if not self.table.buttons and move != "--":  # who does not wait has no answer yet; at the end all have waited
            self.presses.append((SIDES[side], len(self.hands.played)))
            self.pressed_wrong = not self.hands.clean

    def do_begin(self, side: str, move: str, motions: str) -> None:
        self.hands.begin(SIDES[side], move)
        self.sow(int(motions))

    def do_finish(self) -> None:
        self.sow()

    def do_abandon(self) -> None:
        """Seeds that were lifted go back."""
        hands = self.hands
        pits, stores = hands.untouched
        if not pits:
            return
        hands.under_way, hands.chosen, hands.rest = None, None, []
        position = hands.true if hands.clean else hands.position
        self.lay(position.replaced(pits=tuple(pits), stores=(stores[0], stores[1])))

    def _button(self, side: str, action: str) -> None:
        pressed = SIDES[side].other if self.turned else SIDES[side]
        self.now += BUTTON
        if action == "commit":
            self.note_alike(SIDES[side])
        self.emit(board_events.Button, pressed, action, self.readings())

    def do_press(self, side: str) -> None:
        self._button(side, "commit")
        self.presses.append((SIDES[side], len(self.hands.played)))
        self.unheard, self.forgotten = self.unheard + 1 if self.unplugged or self.down else 0, False
        self.pressed_wrong = not self.hands.clean
        self.step()

    def do_hold(self, side: str) -> None:
        """A long press: commit, and accept one and a half seconds later. Who sees another turn lit presses shortly."""
        lit = self.lit
        if lit and lit != self.lights_of_turn():
            self.do_press(side)
            return
        self.keep(side)

    def do_grip(self, side: str) -> None:
        """A long press by who sees the pit blink in which they began, or any pit if they began in none."""
        if self.lit and (side not in self.begun or self.sensor(self.begun[side]) in self.lit):
            self.keep(side)

    def keep(self, side: str) -> None:
        """Press a button, and keep it down."""
        self.do_press(side)
        self.now += 1.5
        if not self.unplugged:
            self.step()
        return self._button(side, "accept")

    def do_reply(self, side: str) -> None:
        """A long press by who sees the turn lit that was played."""
        if self.lit and self.lit == self.lights_of_turn():
            self.do_hold(side)

    @property
    def lit(self) -> frozenset[int]:
        """The pits of an offered turn, as the players see them now."""
        seen = self.connection.shown and not self.unplugged and not self.down
        return self.connection.shown[-1].offered if seen else frozenset()

    def lights_of_turn(self) -> frozenset[int]:
        """The sensors where the next turn that was played, and is not recorded, begins and ends."""
        recorded = len(self.recorded)
        if recorded >= len(self.hands.played):
            return frozenset()
        turn = self.hands.played[recorded]
        places = {turn.last_pit} | ({self.place(turn.move.pit)} if turn.move.pit else set())
        return frozenset(self.sensor(place) for place in places if place >= 0)

    def do_undo(self, side: str) -> None:
        line = self.hands.before or self.hands.played
        standing = line if self.is_away else line[: len(self.recorded)]
        left = [turn for turn in standing if not is_among(turn, self.undos)]
        if left and left[-1].before.to_move is SIDES[side]:
            self.undos.append(left[-1])
            self.note_put_back()
        self._button(side, "undo")

    def do_trial(self, side: str) -> None:
        self._button(side, "trial")

    def do_dispute(self, side: str) -> None:
        self._button(side, "dispute")

    def do_wait(self, seconds: str) -> None:
        self.pass_time(float(seconds))

    def do_putback(self) -> None:
        """The last turn is put back."""
        hands = self.hands
        if hands.rest or not hands.played:
            return self.do_abandon()
        return self.lay(self.forget_last().before)

    def place(self, word: str) -> int:
        if word in ("@s", "@n"):
            return 2 * self.row + "sn".index(word[1])
        return ascii_letters.index(word) if word.islower() else self.row + ascii_letters.index(word) - 26

    def do_slip(self, source: str, target: str, count: str = "1") -> None:
        """Seeds jump from one place to another; nobody means it."""
        hands = self.hands
        counts = hands.counts
        a, b = self.place(source), self.place(target)
        moved = min(int(count), counts[a])
        counts[a] -= moved
        counts[b] += moved
        hands.pits, hands.stores = counts[: 2 * self.row], counts[2 * self.row :]
        self.touch(a)
        self.touch(b)
        self.note_put_back()
        self.report_pits()

    def do_lay(self, *words: str) -> None:
        text = " ".join(words)
        named = {"start": self.rules.start, "true": lambda: self.hands.true, "record": self.record_position}
        hands, known = self.hands, self.known_turns()
        if text == "record" and not self.is_away and None not in known:
            hands.taken.append(list(hands.played))  # who does so gives up what is not recorded, and plays on from there
            hands.played, hands.before = self.record_turns(), None
        self.lay(named[text]() if text in named else Position.parse(text))

    def record_turns(self) -> list[Turn]:
        """The turns of the record: those that the hands know, and the others as they are read from it."""
        turns: list[Turn] = []
        for known, (move, _) in zip(self.known_turns(), self.recorded, strict=True):
            before = turns[-1].position if turns else self.hands.start
            turns.append(known or self.rules.play(before, Move.parse(move)))
        return turns

    def known_turns(self) -> list[Turn | None]:
        """The turns of the record as the hands played them, also those that were put back; None: they never did."""
        lines = (self.hands.played, self.hands.before or [], *self.hands.taken)
        return [
            next((one for line in lines for one in line[ply : ply + 1] if self.line([one]) == [wrote]), None)
            for ply, wrote in enumerate(self.recorded)
        ]

    def record_position(self) -> Position:
        return self.at.games.load(self.game).position

    def do_clear(self, what: str) -> None:
        """Seeds are put away: ``all`` pits, those of one side, or half of them; into the bag."""
        hands = self.hands
        size = 2 * self.row
        pits = {"all": range(size), "s": range(self.row), "n": range(self.row, size), "half": range(0, size, 2)}
        places: list[int] = list(pits[what] if what in pits else range(size + 2))  # everything, stores too
        counts = hands.counts
        for place in places:
            if counts[place]:
                self.lift(place) if place < size else self.touch(place)
                hands.bag += counts[place]
                counts[place] = 0
        hands.pits, hands.stores = counts[:size], counts[size:]
        hands.look()
        self.now += 2.0
        self.report_pits()

    def do_collect(self) -> None:
        """Each side puts what is in its row into its store."""
        hands = self.hands
        for pit, count in enumerate(hands.pits):
            if count:
                self.lift(pit)
                hands.stores[0 if pit < self.row else 1] += count
                hands.pits[pit] = 0
                self.touch(2 * self.row + (pit >= self.row))
        hands.look()
        self.now += 4.0
        self.report_pits()

    def do_hand(self, pit: str) -> None:
        """Somebody holds the seeds of a pit."""
        place = self.place(pit)
        self.hands.hand += self.hands.pits[place]
        self.hands.pits[place] = 0
        self.hands.look()
        self.lift(place)
        self.report_pits()

    def do_back(self, pit: str) -> None:
        """And puts them back."""
        place = self.place(pit)
        self.hands.pits[place] += self.hands.hand
        self.hands.hand = 0
        self.touch(place)
        self.hands.look()
        self.report_pits()

    def do_pocket(self, pit: str, count: str = "1") -> None:
        """Seeds are taken off the board, or with a negative number others are put on it."""
        place = self.place(pit)
        counts = self.hands.counts
        moved = min(int(count), counts[place])
        counts[place] -= moved
        self.hands.bag += moved
        self.hands.pits, self.hands.stores = counts[: 2 * self.row], counts[2 * self.row :]
        self.touch(place)
        self.hands.look()
        self.report_pits()

    def do_lean(self, pit: str, seeds: str) -> None:
        """A hand rests on a bowl: the sensor reads more, until it leans there with 0."""
        place = self.place(pit)
        self.leaning[place] = int(seeds)
        self.touch(place)
        self.report_pits()

    def do_fault(self, pit: str, code: str) -> None:
        """A sensor fails (open, stuck, overload), or comes back (ok)."""
        place = self.place(pit)
        self.faults.discard(place) if code == "ok" else self.faults.add(place)
        if self.sensor(place) < len(self.sensors(self.hands.counts)):
            self.emit(board_events.Fault, self.sensor(place), code)

    def do_resend(self) -> None:
        """The board sends again what it thinks was not acknowledged."""
        if not self.is_away:
            self.connection.waiting += self.ring[-5:]

    def do_unplug(self) -> None:
        if not self.down:
            self.connection.waiting.append(board_events.Disconnected("the port has vanished"))
        self.unplugged = True
        self.step()

    def do_plug(self) -> None:
        self.unplugged = False
        if self.down:
            return
        self.unheard = 0
        row = self.at.boards.get(self.board)
        self.greet(row.seq if row.boot == self.boot_id else 0)
        self.step()

    def do_reboot(self) -> None:
        """The board restarts: what was not delivered is lost."""
        if self.unheard:
            del self.presses[-self.unheard :]
            self.unheard, self.forgotten, self.pressed_wrong = 0, True, False
        self.unplugged = False
        self.boot += 1
        self.seq, self.ring = 0, []
        gap = board_events.Gap("the board restarted", self.boot_id, 0)
        if not self.down:
            self.connection.waiting += [self.connected(), gap, self.snapshot()]
        self.step()

    def do_desk_down(self) -> None:
        """The desk is killed; what the board sends waits in it, and pages go on."""
        self.do_resume()
        self.down = True

    def do_pause(self) -> None:
        """The desk stands still, as on a laptop whose lid is closed; what the board sends waits at the port."""
        self.paused = not self.down

    def do_resume(self) -> None:
        self.paused = False
        self.step()

    def do_absent(self, days: str) -> None:
        """The board is carried away, powered; somebody plays on it."""
        self.do_unplug()
        self.now += float(days) * 86_400
        self.step()

    def do_desk(self) -> None:
        self.desk()

    def do_turn180(self) -> None:
        """The board is lifted with all that is in it, and put down the other way round. Nobody moves a seed."""
        self.turned = not self.turned
        self.now += 2.0
        self.touched = set(range(2 * self.row + 2))
        self.report_pits()

    def do_sits_turned(self) -> None:
        """The board has been the wrong way round since before it was connected."""
        self.turned = True
        self.ring.clear()
        self.boot += 1
        self.seq = 0
        self.connection.waiting += [
            self.connected(),
            board_events.Gap("the board restarted", self.boot_id, 0),
            self.snapshot(),
        ]
        self.step()

    # The page and the phone

    def do_enter(self, move: str) -> None:
        """A person enters a turn on the page: that is what the record has, whatever lies on the board."""
        self.step()
        try:
            self.at.games.play(self.game, Move.parse(move), Write("page"))
        except (Conflict, Illegal):
            return
        hands = self.hands
        if self.recorded != self.line(hands.played)[: len(self.recorded)]:
            # a turn may have been put back that the record still has: the one that is entered now comes after it
            hands.played, hands.before = self.record_turns(), None
        hands.look()
        self.presses.clear()
        self.pressed_wrong = False
        self.step()

    def do_retract(self, count: str = "1") -> None:
        """A person takes the last turn back on the page."""
        self.step()
        if self.at.games.row(self.game).ply < int(count):
            return
        try:
            take_back(self.at.games, self.game, "agreement", Write("page"), count=int(count))
        except Conflict:
            return
        hands = self.hands
        under_way = [one for one in (hands.under_way,) if one is not None]
        hands.taken = [[*hands.played, *under_way]]
        hands.under_way, hands.chosen = None, None
        hands.played = hands.played[: len(self.recorded)]
        hands.before = None
        hands.look()
        self.presses.clear()
        self.pressed_wrong = False
        self.step()

    def do_note(self) -> None:
        """A phone shows the question as it is now."""
        refusal = self.status.refusal
        self.question = None if refusal is None else (refusal.question, refusal.ply)
        self.asked = self.status.ask
        self.known = list(self.hands.played)

    def do_answer(self, *words: str) -> None:
        """The phone's answer, to the question that it showed, else to the one that is open; true when it was read."""
        if self.question is None:
            self.do_note()
        if self.question is None:
            return
        question, ply = self.question
        move, moves = " ".join(words), list(map(Move.parse, words))
        if [turn.move for turn in self.known[ply - 1 : ply - 1 + len(moves)]] != moves:
            return
        try:
            answer_question(self.at.boards, self.at.games, self.board, question, ply, move, Write("phone"))
        except (Conflict, Illegal, Invalid):
            return
        self.step()

    def request(self, kind: str, **data: Any) -> None:
        request = self.at.boards.add_request(self.board, kind, data)
        if not self.down:
            self.controller.add_request(request)
        self.step()

    def do_dismiss(self) -> None:
        """No answer is needed to the question that the phone showed, else to the one that is open."""
        ask = self.asked or self.status.ask
        if ask is not None:
            self.request("dismiss", question=ask.name)

    def do_agree(self) -> None:
        """The phone says that turns were taken back, if they were."""
        ask, hands = self.asked or self.status.ask, self.hands
        if ask is None or ask.kind != "taken-back" or hands.before is None:
            return
        left = len(hands.before) - (ask.plies or 1)
        if len(hands.before) != ask.ply or self.line(hands.played) != self.line(hands.before[:left]):
            return
        write = Write("phone", expected_ply=ask.ply, expected_seq=ask.at, ignores_annotations=True)
        self.undos += hands.before[left:]
        with suppress(Conflict):
            take_back(self.at.games, self.game, "agreement", write, count=ask.plies or 1)
        self.step()

    def do_turned(self) -> None:
        self.say_turned(True)

    def do_upright(self) -> None:
        self.say_turned(False)

    def say_turned(self, is_turned: bool) -> None:
        ask, before = self.asked or self.status.ask, self.status
        named = ask is not None and ask.kind == "turned"
        answers = {"question": ask.name} if ask is not None and named else {"at": self.at.games.row(self.game).seq}
        self.request("turned" if is_turned else "upright", **answers)
        if self.is_away or (before.turned, before.ask) != (self.status.turned, self.status.ask):
            self.presses.clear()  # the answer says to press again
            self.pressed_wrong = False

    def do_resign(self, side: str) -> None:
        try:
            self.at.games.end(self.game, "resignation", str(SIDES[side].other), Write("page"))
        except Conflict:
            return
        self.step()

    # The end of a scene

    @property
    def is_over(self) -> bool:
        return self.at.games.row(self.game).state == "ended"

    def judge(self) -> tuple[str, str]:
        """Whether all that was played is recorded, asked about, or lost."""
        self.pass_time(0.5)
        hands = self.hands
        recorded, played = self.recorded, self.line(hands.played)
        told = self.is_told()
        if recorded == played and self.is_over:
            return "right", "over"
        if self.unplugged:
            return "right", "unplugged"
        if recorded == played:
            if told:
                return "asked", "recorded, and asks"
            if not hands.clean and not hands.rest and self.pressed_wrong and not self.shows(self.record_position()):
                if self.is_as_during_a_turn():
                    return "alike", "the board is as during a turn"
                return "lost", "other seeds lie on the board, and nothing says so"
            return "right", ""
        if told:
            return "asked", told
        if self.is_over:
            return "right", "ended elsewhere"
        following = hands.played[len(recorded) : len(recorded) + 1]
        if hands.clean and any(str(turn.move) in str(self.status.message) for turn in following):
            return "asked", str(self.status.message)  # to press for it
        missing = range(len(recorded), len(played))
        for side, count in self.presses:
            if any(number < count and hands.played[number].before.to_move is side for number in missing):
                if self.is_unseen():
                    return "alike", "the sensors that work show no turn"
                if self.is_named(side):
                    return "asked", str(self.status.note)
                return "lost", "not recorded, and nothing says so"
        if self.forgotten and str(self.status.message) in (str(AGREES), self.old_message):
            return "lost", "a press was lost with what the board kept, and nothing says so"
        return "asked" if self.forgotten else "right", "who played it has not pressed"

    def shows(self, position: Position) -> bool:
        return self.sensors(self.hands.counts) == self.sensors(places(position), self.status.turned)

    def is_named(self, side: Side) -> bool:
        """Whether the pages say that a press of this side was given up with the question that it was asked about."""
        note = str(self.status.note or "")
        return note.startswith("The board had asked") and str(side) in note

    def is_unseen(self) -> bool:
        """Whether the sensors that work show the record's position, and saw no lift of the turns that are missing."""
        lifted = {pit for turn in self.hands.played[len(self.recorded) :] for pit in lifts_of(self.rules, turn)}
        return self.shows(self.record_position()) and (self.table.reports != "lifts" or lifted <= self.faults)

    def is_as_during_a_turn(self) -> bool:
        """Whether the board is as if a legal turn from the record were being sown, and no lift says otherwise."""
        position, seen = self.record_position(), self.sensors(self.hands.counts)
        if self.hands.lifted:
            return False
        boards = (
            self.sensors(counts)
            for turn in self.rules.turns(position, MOST_ALIKE)
            for counts in partial_counts(position, motions_of(self.rules, position, turn.move))
        )
        return seen in boards

    def course(self) -> tuple[Position, Position] | None:
        """See `Result.course`."""
        hands, recorded = self.hands, self.recorded
        if not (self.status.refusal or self.status.ask) or self.turned or hands.rest or not hands.lies_as(hands.true):
            return None
        if recorded != self.line(hands.played)[: len(recorded)]:
            return None
        pressed = [(side, count) for side, count in self.presses if 0 < count <= len(hands.played)]
        if any(hands.played[count - 1].before.to_move is not side for side, count in pressed):
            return None
        left = hands.played[len(recorded) :]
        if left and (left[-1].before.to_move, len(hands.played)) not in self.presses:
            return None
        return self.record_position(), hands.true

    def recover(self) -> float | None:
        """Sensible people go on: answer, or lay the board as recorded and play again. The seconds that it took."""
        hands, began = self.hands, self.now
        hands.finish() if not hands.rest else self.sow()
        for attempt in range(8):
            if self.is_over:
                return self.now - began
            if self.unplugged:
                self.do_plug()
            recorded, played = self.recorded, self.line(hands.played)
            if recorded == played and hands.clean and not self.is_told():
                break
            self.pass_time(NOTICE)
            status = self.status
            if status.dispute is not None:
                return self.now - began
            if status.ask is not None:
                self.pass_time(PHONE)
                self.asked = None
                if status.ask.kind == "turned":
                    self.say_turned(self.turned)
                else:
                    self.do_dismiss()
                continue
            if attempt and self.turned != status.turned:
                self.asked = None
                self.say_turned(self.turned)
                continue
            if status.refusal is not None and len(recorded) < len(played):
                left = [str(turn.move) for turn in hands.played[len(recorded) :]]
                offered = [one.moves for one in status.refusal.candidates if one.fits]
                true = next((" ".join(moves) for moves in offered if moves == left[: len(moves)]), None)
                if true is not None and hands.clean and attempt < 3:
                    self.pass_time(PHONE)
                    self.question = None
                    self.do_answer(*true.split())
                    continue
            if attempt > 2 and hands.clean and len(recorded) < len(played):
                self.pass_time(PHONE)
                for turn in hands.played[len(recorded) :]:
                    self.do_enter(turn.move.choice_text)
                continue
            rest = hands.played[len(recorded) :] if recorded == played[: len(recorded)] else []
            hands.played = hands.played[: len(recorded)]
            if recorded != self.line(hands.played):  # a turn that was put back still stands: nobody minds now
                hands.played, hands.before = self.record_turns(), None
            self.lay(self.record_position())
            self.pass_time(0.5)
            if not rest and self.is_told() and self.table.buttons:  # as the pages say: lay it right, and press again
                self.do_press(hands.true.to_move.letter)
            for turn in rest:
                self.turn_with_press(turn)
                if self.is_told():
                    break
            if not rest and attempt > 2:
                break  # the next turn shows whether play goes on
        else:
            return None
        return self.now - began

    def turn_with_press(self, turn: Turn) -> None:
        """A clean turn with its own button."""
        side = turn.before.to_move.letter
        self.do_play(side, turn.move.choice_text)
        if self.table.buttons:
            self.do_press(side)
        else:
            self.pass_time(QUIET)

    def go_on(self) -> str:
        """What becomes of another clean turn: recorded, asked (if it can be answered), stuck or lost."""
        hands = self.hands
        turns = [] if self.is_over else [one for one in self.rules.turns(hands.true, 50) if one.move.pit]
        if not turns or hands.rest or self.status.dispute is not None:
            return "recorded"
        turn = turns[len(turns) // 2]
        try:
            self.turn_with_press(turn)
        except IllegalMove:  # other seeds lie there
            return "stuck"
        if self.recorded == self.line(hands.played):
            return "recorded"
        refusal = self.status.refusal
        if refusal is not None and any(Move.parse(one.move) == turn.move for one in refusal.candidates if one.fits):
            return "asked"
        return "stuck" if self.is_told() or self.is_unseen() else "lost"


def run(at: Stand, scene: Scene) -> Result:
    """Play a scene and judge it."""
    play = Play(at, scene)
    outcome, why, course = "right", "", None
    left: float | None = 0.0
    try:
        for action in scene.actions:
            play.do(action)
        play.do_resume()
        if play.down:
            play.desk()
        if not play.table.buttons and not play.unplugged:
            play.pass_time(QUIET)
        outcome, why = play.judge()
        course = play.course() if outcome == "asked" else None
        if play.is_alike and outcome in ("right", "asked"):
            outcome, why = "alike", "the board is as after another turn"
        if outcome != "lost":
            left = play.recover()
            after = "" if left is None else play.go_on()
            if after == "lost":
                outcome, why = "lost", "the next clean turn, and nothing says so"
            elif after == "stuck":
                left = None
    except WrongRecord as error:
        outcome, why, left = "wrong", str(error), None
    finally:
        status = play.status
        at.boards.release(play.board)
    played = tuple(turn.move.choice_text for turn in play.hands.played)
    recorded = tuple(move for move, _ in play.recorded)
    said = str(status.message) if status.refusal is None else f"refused: {status.refusal.message}"
    return Result(scene, outcome, why, played, recorded, said, left, play.slowest, course, play.hands.made)


__all__ = ["IllegalMove", "Play", "Result", "Scene", "Stand", "Table", "run", "stand"]
