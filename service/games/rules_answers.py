"""What the rules say, as JSON objects. Commands on records use it too, without a database."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated, Any, Self, get_args

from inkeek.records import ERROR_CODES, Position, Trace, TraceEvent, Turn
from inkeek.records.errors import ErrorKind, Severity
from inkeek.records.notation.tags import RESULTS, TERMINATIONS
from inkeek.records.rules.ruleset import RuleSet
from inkeek.records.rules.trace import sown_seeds
from inkeek.service.http.shape import Pair, Shape, SideName, one_of


class ImportErrorJson(Shape):
    """What is wrong with a record, and where."""

    line: int | None
    column: int | None
    ply: int | None
    message: str
    legal: list[str]
    code: Annotated[Annotated[str, one_of(ERROR_CODES)] | None, "null: no fault of the record, such as too many games"]
    kind: Annotated[str, one_of(get_args(ErrorKind))] | None
    severity: Annotated[str, one_of(get_args(Severity))] | None


class OptionJson(Shape):
    name: str
    default: Any
    allowed: list[Any]
    says: str
    attested: Annotated[bool, "whether a sentence of the source bears the default"]
    decided: Annotated[str, "why there are other values; empty if there are none"]
    needs: Annotated[dict[str, list[Any]], "options, with the values that allow other values than the default"]
    attested_values: Annotated[list[Any], "the values that a sentence of the source bears"]

    @classmethod
    def of(cls, source: Any = None, /, **given: Any) -> Self:
        attested = source.default in source.attested
        return super().of(source, attested=attested, attested_values=source.attested, **given)


class ClauseJson(Shape):
    """A sentence of a source and how it is read."""

    quote: Annotated[str, "the words of the source; empty where it says nothing"]
    reading: str
    mark: Annotated[str, one_of(("attested", "decided", "silent"))]
    options: Annotated[dict[str, list[Any]], "options about the sentence, with the values that it bears"]


class RulesetJson(Shape):
    """A rule set with its options, terms, sources, and the sentences of these that are rules."""

    id: str
    name: str
    title: str
    options: list[OptionJson]
    terms: dict[str, str]
    setups: list[dict[str, Any]]
    sources: list[str]
    text: Annotated[str, "the name of the text of the source; empty: none is kept"]
    clauses: list[ClauseJson]
    file: Annotated[str, "the TOML file of a local rule set, where one is asked for; else empty"]


def ruleset_json(info: RuleSet, file: str = "") -> RulesetJson:
    return RulesetJson.of(info, setups=map(asdict, info.setups), file=file)


class RulesetsJson(Shape):
    items: list[RulesetJson]


class OutcomeJson(Shape):
    termination: Annotated[str, one_of(TERMINATIONS)]
    winner: SideName | None
    score: Annotated[Pair | None, "null if players ended the game, and nobody said it"]
    result: Annotated[str, one_of(RESULTS)]


class MatchOutcomeJson(Shape):
    winner: SideName | None
    reason: str


class SownTurnJson(Shape):
    """What a turn did."""

    move: str
    position: str
    captured: Annotated[Pair, "seeds that South and North captured in this turn"]
    special: Annotated[str, "letters of the pits that became special"]
    laps: int


class TurnJson(SownTurnJson):
    ply: int


class StepJson(Shape):
    kind: str
    pit: int
    letter: str | None
    count: int
    other: int
    reason: str


def pit_letter(event: TraceEvent, position: Position) -> str | None:
    """The letter of the pit of an event; None if it has no pit."""
    return position.letter(event.pit) if 0 <= event.pit < len(position.pits) else None


def trace_json(trace: Trace) -> list[StepJson]:
    """The events of a turn, seed by seed."""
    return [StepJson.of(event, letter=pit_letter(event, trace.before)) for event in trace.events]


class SownSeedJson(Shape):
    place: Annotated[int, "a pit, or a store: South's comes after the pits, then North's"]
    lap: int


class TraceJson(Shape):
    ply: int
    move: str
    before: str
    position: str
    events: list[StepJson]
    path: Annotated[list[SownSeedJson], "the seeds in the order in which they were sown"]
    sentences: list[str]


def traced_turn_json(ply: int, turn: Turn, trace: Trace | None, sentences: Sequence[str]) -> TraceJson:
    """A turn seed by seed, and in sentences. An irregular one has no trace."""
    events = [] if trace is None else trace_json(trace)
    path = () if trace is None else sown_seeds(trace.events, len(trace.before.pits))
    return TraceJson.of(turn, ply=ply, events=events, path=path, sentences=sentences)
