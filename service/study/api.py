"""What the rules say of any position, what was played from it, and what it is worth. Nothing is stored."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator
from contextlib import ExitStack, closing, suppress
from typing import Annotated, Any

from flask import Response, request
from flask.typing import ResponseReturnValue
from marshmallow import Schema, fields, validate

from inkeek.records import IllegalMove, Position, Rules, Turn
from inkeek.records.analysis import Analysis, Limits
from inkeek.records.analysis.search import MAX_DEPTH
from inkeek.records.errors import Budget
from inkeek.records.notation.tags import carried_rules, described, parse_options
from inkeek.records.position import MAX_SEEDS
from inkeek.records.rules.play import rules_at, ruleset
from inkeek.service.errors import Illegal, InvalidFields, TookTooLong, about
from inkeek.service.findings.request import MAX_EARLIER, MAX_QUESTION, field, read_rules
from inkeek.service.games.api import NDJSON
from inkeek.service.games.record_check import tags_from
from inkeek.service.games.rules_answers import OutcomeJson, TraceJson, TurnJson, traced_turn_json
from inkeek.service.games.schemas import OfGamesSchema, PositionQuerySchema, language_field
from inkeek.service.games.validation import read_move
from inkeek.service.http.api.blueprint import ApiBlueprint
from inkeek.service.http.api.constraints import (
    OPTIONAL,
    JsonInteger,
    JsonNumber,
    bounded_by,
    describe,
    known_rules_field,
    move_field,
    optional_integer,
    options_field,
    position_field,
)
from inkeek.service.http.api.responses import JSON, respond, to_json
from inkeek.service.http.context import current_sender, current_services, find_ruleset, on_hang_up
from inkeek.service.http.shape import Count, Shape, SideName
from inkeek.service.http.sse import Step, Stream
from inkeek.service.live.publisher import Subscriber
from inkeek.service.live.topics import StreamMessage
from inkeek.service.processes.workers.calculator import reports
from inkeek.service.storage import EVERYTHING, GameFilter, position_key
from inkeek.service.storage.store import Store
from inkeek.service.storage.tables.positions import ContinuationRow

from .analyst import AnalysisRequest, report_analysis
from .answers import AnalysisJson

MAX_TURNS = 200  # legal turns that are listed
BUDGET_PLIES = 1_000  # plies of a record that may take as long as listing them

positions_blueprint = ApiBlueprint("positions", "Turns of any position.")


def read_position(game: str, options: str, position: str | None) -> tuple[Rules, Position]:
    """The rules, and the position; by default the start. `options` are those of the tag `Options`.

    :raises RecordsError: they do not fit together.
    """
    with tags_from(Game="game", Options="options", Setup="setup"):
        given = parse_options(options)
    if position is None:
        rules = ruleset(find_ruleset(game), **given)
        return rules, rules.start()
    with about("position"):
        parsed = Position.parse(position)
    return rules_at(find_ruleset(game), given, parsed), parsed


class MoveQuerySchema(PositionQuerySchema):
    move = move_field(required=True)
    language = language_field()


class LegalTurnsJson(Shape):
    game: str
    position: str
    to_move: SideName | None
    outcome: OutcomeJson | None
    complete: Annotated[bool, "false: not all legal turns are listed"]
    turns: list[TurnJson]


@positions_blueprint.operation(
    "GET",
    "/positions/turns",
    scope="read",
    query=PositionQuerySchema,
    problems=(422,),
    limited=True,
)
def list_legal_turns(query: dict[str, Any]) -> LegalTurnsJson:
    """List the legal turns of any position, each with the position after it; none where the game is over."""
    rules, position = read_position(query["game"], query["options"], query["position"])
    outcome = rules.outcome(position, Budget(BUDGET_PLIES))
    turns = rules.turns(position, MAX_TURNS, Budget(BUDGET_PLIES))
    return LegalTurnsJson.of(
        game=rules.id,
        position=position,
        to_move=None if outcome else position.to_move,
        outcome=outcome,
        complete=turns.complete,
        turns=[TurnJson.of(turn, ply=turn.position.ply) for turn in turns],
    )


@positions_blueprint.operation(
    "GET", "/positions/trace", scope="read", query=MoveQuerySchema, problems=(422,), limited=True
)
def trace_turn(query: dict[str, Any]) -> TraceJson:
    """Get a turn of any position seed by seed, and in sentences."""
    rules, position = read_position(query["game"], query["options"], query["position"])
    try:
        turn = rules.play(position, read_move(query["move"]), budget=Budget(BUDGET_PLIES))
    except IllegalMove as error:
        raise Illegal(error, rules) from error
    trace = rules.trace(position, turn.move)
    return traced_turn_json(turn.position.ply, turn, trace, rules.describe(trace, query["language"]))


NONE = ContinuationRow(0, 0, 0, 0, 0, None, "")  # of a turn that nobody played
SETUP = "setup"  # the option that names a set-up

explorer_blueprint = ApiBlueprint("explorer", "What was played from a position in the stored games.")


class ExplorerQuerySchema(PositionQuerySchema, OfGamesSchema):
    """A position, and the games of which it is asked."""


class ContinuationJson(Shape):
    move: str
    position: Annotated[str, "after the turn"]
    times: Annotated[Count, "how often it was played"]
    south: Annotated[Count, "of these, won by South"]
    north: Count
    drawn: Count
    difference: Annotated[float | None, "South's seeds minus North's at the end, on average; null without a score"]
    newest: Annotated[str | None, "the newest of these games"]


class ExplorationJson(Shape):
    game: str
    position: str
    times: Count
    other: Annotated[Count, "how often the game went on by an irregular turn or a rearrangement"]
    complete: Annotated[bool, "false: not all legal turns are listed"]
    turns: list[ContinuationJson]


@explorer_blueprint.operation("GET", "/explorer", scope="read", query=ExplorerQuerySchema, problems=(422,))
def explore_position(query: dict[str, Any]) -> ExplorationJson:
    """Get the legal turns of a position, those played most often first, with the results of these games."""
    rules, position = read_position(query["game"], query["options"], query["position"])
    where = GameFilter(**{name: query[name] for name in OfGamesSchema().fields})
    return explore(current_services().store, rules, position, where)


def explore(store: Store, rules: Rules, position: Position, where: GameFilter = EVERYTHING) -> ExplorationJson:
    """What was played from a position, in games under the same rules, however they were set up, that match `where`.

    The newest games in which the position came up are counted (`storage.position_table.COUNTED`).
    """
    with store.reading() as transaction:
        options = {name: value for name, value in rules.changed.items() if name != SETUP}
        whatever = SETUP if rules.info.setups else None
        carried = carried_rules(described(rules.info))
        found = transaction.positions.continuations(rules.id, carried, options, str(position), where, whatever=whatever)
    counts = {row.key: row for row in found}
    legal = rules.turns(position, MAX_TURNS, Budget(BUDGET_PLIES))
    turns = [(turn, counts.get(position_key(rules.id, str(turn.position)), NONE)) for turn in legal]
    turns.sort(key=lambda each: each[1].times, reverse=True)
    times, known = sum(row.times for row in found), {row.key: row.times for _, row in turns}
    return ExplorationJson(
        game=rules.id,
        position=str(position),
        times=times,
        other=times - sum(known.values()),
        complete=legal.complete,
        turns=[_continuation_json(turn, row) for turn, row in turns],
    )


def _continuation_json(turn: Turn, row: ContinuationRow) -> ContinuationJson:
    return ContinuationJson.of(
        row,
        move=turn.move,
        position=turn.position,
        difference=None if row.difference is None else round(row.difference, 2),
        newest=row.newest or None,
    )


DEFAULT_TIME = 1.0  # seconds, if no limit is given
GRACE = 10.0  # seconds that a search may take besides its own limit, such as to start its process
STREAM_WAIT = 5.0  # seconds for which a stream waits at once

analysis_blueprint = ApiBlueprint("analysis", "What positions are worth, and their best lines.")


MAX_LINES = 20
MAX_NODES = 10**12
MAX_SECONDS = 600.0  # that the setting `analysis_time` allows


def depth_field() -> fields.Integer:
    return optional_integer(1, MAX_DEPTH, "stop after so many turns of depth")


def nodes_field() -> fields.Integer:
    return optional_integer(1, MAX_NODES, "stop after so many positions")


def seconds_field(text: str) -> JsonNumber:
    return JsonNumber(
        **OPTIONAL, validate=validate.Range(0.01, MAX_SECONDS), metadata=bounded_by("analysis_time", text)
    )


class NewAnalysisSchema(Schema):
    """A position, and how long to search."""

    game = known_rules_field()
    options = options_field()
    position = position_field("null: the set-up of the game", **OPTIONAL)
    seeds = optional_integer(
        1, MAX_SEEDS, "how many seeds the game was set up with, if it is another number than the rules have"
    )
    earlier = fields.List(
        position_field(),
        load_default=list,
        validate=validate.Length(max=MAX_EARLIER),
        metadata=describe("the positions before `position`, the latest last: for repetitions"),
    )
    lines = JsonInteger(
        load_default=1, validate=validate.Range(1, MAX_LINES), metadata=describe("the best so many turns")
    )
    seconds = seconds_field(
        "stop after so many seconds, at most `analysis_time`; by default that, or 1 if no other limit is given"
    )
    depth = depth_field()
    nodes = nodes_field()


@analysis_blueprint.operation(
    "POST",
    "/analysis",
    scope="read",
    body=NewAnalysisSchema,
    example={"game": "oware", "position": "4.4.0.5.5.5/5.4.4.4.4.4 0-0 n 1", "lines": 2, "depth": 4},
    returns=AnalysisJson,
    sends={NDJSON: (AnalysisJson,)},
    status=200,
    idempotent=False,
    limited=True,
    max_body=MAX_QUESTION,
)
def analyse_position(body: dict[str, Any]) -> ResponseReturnValue:
    """Search the best lines of a position. Nothing is stored. If ``Accept`` prefers NDJSON, each depth is a line,
    sent at once. The search ends when the client hangs up."""
    services, question = current_services(), read_question(body)
    unwanted = threading.Event()
    on_hang_up(unwanted.set)
    with ExitStack() as stack:
        sender = current_sender()
        stack.enter_context(services.places.waits.taken(sender))
        # As long as the searches that run may take: then one whose turn is next gets a place, whoever has them now.
        stack.enter_context(services.places.analyses.taken(sender, services.settings.analysis_time))
        if request.accept_mimetypes.best_match([JSON, NDJSON], default=JSON) == NDJSON:
            stream = AnalysisStream(question, unwanted, services.stopping)
            stream.start(stack.pop_all())
            response = Response(stream, content_type=NDJSON, direct_passthrough=True)
            response.headers["Cache-Control"] = "no-store"
            response.headers["X-Accel-Buffering"] = "no"
            return response
        found = analyse(question, lambda found: None, unwanted, services.stopping)
    return respond(AnalysisJson.of(found))


def read_question(sent: dict[str, Any]) -> AnalysisRequest:
    """Read what is to be analyzed.

    :raises Invalid: a value is impossible; names the field.
    """
    rules, position = read_rules(sent["game"], sent["options"], sent["position"], sent["seeds"])
    with field("game"):
        rules.verify_known()
    earlier = []
    for at, text in enumerate(sent["earlier"]):
        with field(f"earlier.{at}"):
            earlier.append(Position.parse(text))
            rules.verify_position(earlier[-1])
    most = current_services().settings.analysis_time
    seconds = sent["seconds"]
    if seconds is None:
        seconds = most if sent["depth"] or sent["nodes"] else min(DEFAULT_TIME, most)
    elif seconds > most:
        raise InvalidFields(
            f"seconds is {seconds:g}. Expected at most {most:g}, the setting `analysis_time`.", field="seconds"
        )
    return AnalysisRequest(rules, position, Limits(seconds, sent["depth"], sent["nodes"]), sent["lines"], earlier)


class _Stopped(Exception):
    """Nobody needs the answer."""


def analyse(question: AnalysisRequest, on_progress: Callable[[Analysis], None], *stops: threading.Event) -> Analysis:
    """Analyze in a process, until a limit or until one of `stops` is set. `question.limits` has `seconds`.

    :raises TookTooLong: nothing was found until then.
    """

    def look() -> None:
        if any(stop.is_set() for stop in stops):
            raise _Stopped

    found: Analysis | None = None
    seconds = (question.limits.seconds or 0.0) + GRACE
    with suppress(_Stopped), closing(reports(report_analysis, question, seconds=seconds, look=look)) as analyses:
        for found in analyses:
            on_progress(found)
    if found is None:
        raise TookTooLong("The search was stopped before it found anything.")
    return found


class AnalysisStream(Stream):
    """The lines of each depth, as NDJSON. A thread reads them from the process, until `unwanted` is set."""

    def __init__(self, question: AnalysisRequest, unwanted: threading.Event, stopping: threading.Event) -> None:
        super().__init__(Subscriber(""), unwanted.set)
        self._question = question
        self._stops = unwanted, stopping
        self._over = threading.Event()
        self._error: Exception | None = None

    def start(self, places: ExitStack) -> None:
        """Begin. `places` are given back when the search has ended."""
        threading.Thread(target=self._search, args=(places,), name="analysis", daemon=True).start()

    def steps(self) -> Generator[Step, Any, None]:
        """:raises Exception: the search failed: what was sent is not all."""
        is_over = False
        while not is_over:
            is_over = self._over.is_set()  # before looking: all messages are there by then
            messages = yield 0.0 if is_over else STREAM_WAIT
            if messages:
                yield b"".join(message.text for message in messages)
        if self._error is not None:
            raise self._error

    def _search(self, places: ExitStack) -> None:
        sent = -1

        def send(found: Analysis) -> None:
            nonlocal sent
            if found.depth != sent:
                sent = found.depth
                self.subscriber.notify([StreamMessage(to_json(AnalysisJson.of(found)))])

        try:
            with places:
                analyse(self._question, send, *self._stops)
        except Exception as error:  # noqa: BLE001 - raised again by who reads the stream
            self._error = error
        finally:
            self._over.set()
            self.subscriber.notify([])
