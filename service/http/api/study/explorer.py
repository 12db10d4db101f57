"""``/explorer``: what was played from a position in the stored games and in self-play."""

from __future__ import annotations

from typing import Annotated, Any

from inkeek.records import Position
from inkeek.records.notation.tags import parse_options
from inkeek.records.rules.play import rules_at, ruleset
from inkeek.service.games.explorer import Continuation, explore
from inkeek.service.http.answers.shape import Count, Shape
from inkeek.service.http.api.blueprint import ApiBlueprint
from inkeek.service.http.api.games.schemas import OfGamesSchema, PositionQuerySchema
from inkeek.service.http.context import current_services, find_ruleset
from inkeek.service.storage import ContinuationRow, GameFilter

NONE = ContinuationRow(0, 0, 0, 0, 0, None, "")  # of a turn that nobody played

blueprint = ApiBlueprint("explorer", "What was played from a position in the stored games.")


class ExplorerQuerySchema(PositionQuerySchema, OfGamesSchema):
    """A position, and the games of which it is asked."""


class SelfPlayTurnJson(Shape):
    times: Count
    south: Count
    north: Count
    drawn: Count
    difference: float
    value: Annotated[float, "what searches found the turn to be worth for South, on average"]


class ContinuationJson(Shape):
    move: str
    position: Annotated[str, "after the turn"]
    times: Annotated[Count, "how often it was played"]
    south: Annotated[Count, "of these, won by South"]
    north: Count
    drawn: Count
    difference: Annotated[float | None, "South's seeds minus North's at the end, on average; null without a score"]
    newest: Annotated[str | None, "the newest of these games"]
    self_play: Annotated[
        SelfPlayTurnJson | None, "the same of the games of self-play that ship; null if none played it"
    ]


class ExplorationJson(Shape):
    game: str
    position: str
    times: Count
    other: Annotated[Count, "how often the game went on by an irregular turn or a rearrangement"]
    complete: Annotated[bool, "false: not all legal turns are listed"]
    self_play: Annotated[
        Count | None, "how often games of self-play went on from here; null: there are none of these rules"
    ]
    turns: list[ContinuationJson]


@blueprint.operation("GET", "/explorer", scope="read", query=ExplorerQuerySchema, problems=(422,))
def explore_position(query: dict[str, Any]) -> ExplorationJson:
    """Get the legal turns of a position, those played most often first, with the results of these games."""
    options = parse_options(query["options"])
    if query["position"] is None:
        rules = ruleset(find_ruleset(query["game"]), **options)
        position = rules.start()
    else:
        position = Position.parse(query["position"])
        rules = rules_at(find_ruleset(query["game"]), options, position)
    where = GameFilter(**{name: query[name] for name in OfGamesSchema().fields})
    found = explore(current_services().store, rules, position, where)
    turns = map(_continuation_json, found.continuations)
    return ExplorationJson.of(found, game=rules.id, position=position, turns=turns)


def _continuation_json(continuation: Continuation) -> ContinuationJson:
    counts = continuation.counts or NONE
    difference = None if counts.difference is None else round(counts.difference, 2)
    return ContinuationJson.of(
        counts,
        move=continuation.turn.move,
        position=continuation.turn.position,
        difference=difference,
        newest=counts.newest or None,
        self_play=continuation.self_play,
    )
