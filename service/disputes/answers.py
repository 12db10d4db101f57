"""Disputes and rulings as JSON objects, for the API and the pages."""

from __future__ import annotations

from typing import Annotated, Any, Self

from inkeek.records import Position, Side
from inkeek.records.findings import Account, Evidence, Finding, Reading
from inkeek.records.notation.commands import OUTCOMES, PENALTIES
from inkeek.records.position import OWNED, SOUTHS
from inkeek.service.games.answers import GameJson
from inkeek.service.games.corrections import later_json
from inkeek.service.games.event_kinds import read_data
from inkeek.service.games.rules_answers import TurnJson
from inkeek.service.http.shape import Form, Page, Pair, Shape, SideName, Time, one_of, to_builtins
from inkeek.service.library.answers import NameJson, name_json
from inkeek.service.storage import GameRow, Limit

from .consequences import BoardPlace, Consequences, RankChange
from .courses import DISPUTE_STATES, Course
from .disputes import ABOUT
from .effects import Effects
from .evidence import PHOTOGRAPH_TYPES
from .terms import Terms

SEEN_ACCOUNTS = 4  # accounts of a finding that are stored with a ruling
SEEN_CHARACTERS = 1000  # of what each says

Outcome = Annotated[str, one_of(OUTCOMES)]
PenaltyKind = Annotated[str, one_of(PENALTIES)]
OtherFinding = Annotated[Any, Form(type=["object", "null"], additionalProperties={})]


class RulingJson(Shape):
    outcome: Outcome
    by: str
    note: str
    time: Time


class DisputeJson(Shape):
    """A dispute and its ruling, if there is one."""

    id: str
    game: str
    seq: Annotated[int, "number of the event that opened it"]
    time: Time
    about: Annotated[str, one_of(ABOUT)]
    ply: Annotated[int, "number of the disputed turn"]
    turn: Annotated[int, "number of the event of the disputed turn or end; `seq` if the turn is not recorded"]
    side: SideName
    claim: str
    seen: str | None
    by: str
    state: Annotated[str, one_of(DISPUTE_STATES)]
    ruling: Annotated[RulingJson | None, "the last one; null: none yet"]
    slip: Annotated[str | None, "the kind of the likeliest account of the finding that there was for who ruled"]

    @classmethod
    def of(cls, source: Any = None, /, **given: Any) -> Self:
        """`source`: its row."""
        ruling = RulingJson.of(source, by=source.arbiter, time=source.ruled) if source.outcome is not None else None
        return super().of(source, ruling=ruling, **given)


class DisputesJson(Shape):
    items: list[DisputeJson]


class DisputePageJson(Page):
    items: list[DisputeJson]


class RuledJson(Shape):
    dispute: DisputeJson
    game: GameJson


class SaidJson(Shape):
    """What was said in an event, whose data has the other fields."""

    seq: Annotated[int, "number of its event"]
    time: Time
    by: str

    @classmethod
    def of(cls, source: Any = None, /, **given: Any) -> Self:
        return super().of(read_data(source), **{"seq": source.seq, "time": source.time, **given})


class SaidClaimJson(SaidJson):
    claim: str
    seen: str | None


class ReleasedJson(SaidJson):
    """Who let everybody see a photograph."""


class RemovedJson(SaidJson):
    """Who removed a photograph."""


class PhotographJson(Shape):
    sha256: str
    type: Annotated[str, one_of(PHOTOGRAPH_TYPES)]
    bytes: int
    released: Annotated[ReleasedJson | None, "null: only arbiters see it"]
    removed: Annotated[RemovedJson | None, "null: it is stored"]


class GivenEvidenceJson(SaidJson):
    witness: str
    text: str
    photograph: PhotographJson | None


class GivenEndJson(Shape):
    termination: str
    winner: str | None
    result: str | None
    score: Pair | None


class GivenPenaltyJson(Shape):
    side: SideName
    kind: PenaltyKind
    seeds: int | None
    note: str


class GivenClockJson(Shape):
    side: SideName
    to: int | None
    add: int | None


class GivenTermsJson(SaidJson):
    """The terms of a ruling or a proposal."""

    outcome: Outcome
    note: str
    move: str | None
    position: str | None
    to: int | None
    keeps: bool
    end: GivenEndJson | None
    penalties: list[GivenPenaltyJson]
    clocks: list[GivenClockJson]


class ResponseJson(SaidJson):
    side: SideName
    accepts: bool


class ProposalJson(GivenTermsJson):
    side: SideName
    answer: ResponseJson | None


class SeenAccountJson(Shape):
    turn: Annotated[int | None, "counted from the disputed one, if turns followed it"]
    kinds: list[str]
    probability: float
    equal: bool
    legal: bool | None
    move: str | None
    sentence: str
    rule: str | None


class SeenFindingJson(Shape):
    """What there was to see of the finding for who ruled."""

    legal: bool | None
    accounts: list[SeenAccountJson]


class GivenRulingJson(GivenTermsJson):
    withdrawn: Annotated[bool, "the side that disputed it withdrew"]
    finding: SeenFindingJson | None


class AppealJson(SaidJson):
    side: SideName | None
    reason: str
    corrects: Annotated[bool, "the arbiter replaces their own ruling"]


class SensorsJson(Shape):
    counts: list[float | None] | None
    lifts: list[int] | None


class CourseJson(DisputeJson):
    """A dispute with its whole course."""

    sensors: Annotated[SensorsJson | None, "what a board reported: counts by sensor, pits lifted in the turn (indices)"]
    claims: list[SaidClaimJson]
    evidence: list[GivenEvidenceJson]
    proposals: list[ProposalJson]
    rulings: list[GivenRulingJson]
    appeals: list[AppealJson]


def course_json(course: Course) -> CourseJson:
    answers = {event.data["proposal"]: event for event in course.of("response")}
    releases = {event.data["evidence"]: ReleasedJson.of(event) for event in course.of("release")}
    removals = {event.data["evidence"]: RemovedJson.of(event) for event in course.of("removal")}
    photographs = {
        event.seq: {**event.data["photo"], "released": releases.get(event.seq), "removed": removals.get(event.seq)}
        for event in course.of("evidence")
        if "photo" in event.data
    }
    return CourseJson.of(
        course.row,
        sensors=course.events[0].data.get("sensors"),
        claims=course.of("claim"),
        evidence=[
            GivenEvidenceJson.of(event, photograph=photographs.get(event.seq)) for event in course.of("evidence")
        ],
        proposals=[ProposalJson.of(event, answer=answers.get(event.seq)) for event in course.of("proposal")],
        rulings=course.of("ruling"),
        appeals=course.of("appeal"),
    )


class EvidenceJson(Shape):
    before: Annotated[str, "the position before the disputed turn"]
    claimed: Annotated[str | None, "the move that the record has"]
    counts: Annotated[list[float | None], "what lies on the board: pits by index, then the stores; null: nobody knows"]
    lifted: Annotated[list[str], "pits that a board saw lifted"]


def evidence_json(evidence: Evidence) -> EvidenceJson:
    """What is known of a disputed turn."""
    return EvidenceJson.of(
        evidence,
        counts=[count.mean if isinstance(count, Reading) else count for count in evidence.counts],
        lifted=[evidence.before.letter(seen.pit) for seen in evidence.seen],
    )


class DisputeFindingJson(Shape):
    evidence: EvidenceJson | None
    finding: Annotated[OtherFinding, "what happened in the turn, as of `POST /findings`"]
    since: Annotated[OtherFinding, "the same if turns followed the disputed one, or an earlier one may have gone wrong"]
    first: Annotated[int | None, "the number of the turn from which `since` counts"]
    examined: Annotated[int | None, "the first turn that was examined: those before it are taken as right"]


class EarlierPenaltyJson(Shape):
    dispute: str
    kind: PenaltyKind
    seeds: int | None
    time: Time


class PlayerPenaltiesJson(Shape):
    side: SideName
    given: Annotated[list[EarlierPenaltyJson], "the newest first"]
    next: PenaltyKind


class PenaltiesJson(Shape):
    ladder: Annotated[
        list[PenaltyKind],
        Form(uniqueItems=True, minItems=1, maxItems=len(PENALTIES)),
        "the penalties in the order in which a player gets them",
    ]
    appeal_until: Annotated[Time | None, "null: always"]
    players: list[PlayerPenaltiesJson]


def seen_finding_json(finding: Finding | None) -> dict[str, Any] | None:
    """What somebody who rules has seen of a finding, short enough to be stored with the ruling."""
    if finding is None:
        return None
    found = SeenFindingJson.of(finding, accounts=[_seen_json(account) for account in finding.accounts[:SEEN_ACCOUNTS]])
    stored: dict[str, Any] = to_builtins(found)
    return stored


def _seen_json(account: Account) -> SeenAccountJson:
    return SeenAccountJson.of(
        account,
        turn=None if account.ply is None else account.ply + 1,
        probability=round(account.probability, 6),
        sentence=" ".join(account.sentences)[:SEEN_CHARACTERS],
        rule=None if account.rule is None else account.rule.id,
    )


class GameThenJson(Shape):
    ply: int
    position: str
    state: str
    result: str
    score: Pair | None


class LaterTurnJson(Shape):
    ply: int
    move: str
    then: Annotated[str | None, "the move with what it would do; null: not legal"]
    position: str | None
    same: Annotated[bool, "it would do what it did"]
    why: Annotated[str, "why it could not be played"]


class BreakJson(Shape):
    ply: int
    move: str
    why: str


class PlaceThenJson(Shape):
    place: Annotated[str, "the letter of a pit, or `South` or `North` for a store"]
    lies: Annotated[int, "seeds there, as they were counted or are recorded"]
    then: int
    mark_lies: Annotated[str | None, "whose special pit it is on the board, `South` or `North`; null: nobody's"]
    mark_then: Annotated[str | None, "whose it is then"]


class RankJson(Shape):
    rank: int
    points: float


class RankChangeJson(Shape):
    player: NameJson
    now: RankJson
    then: RankJson


class LaterGameJson(Shape):
    id: str
    number: int
    state: str
    result: str
    follows: Annotated[
        bool | None,
        "false: it counts no more; null: it stands still until the games before it have ended",
    ]


class EffectsJson(Shape):
    """What a ruling would change."""

    keeps: Annotated[int, "so many turns stay as they are"]
    now: GameThenJson
    then: GameThenJson
    stores: Annotated[Pair, "seeds that South and North would have more in store"]
    turns: Annotated[list[TurnJson], "turns that would be played"]
    later: Annotated[list[LaterTurnJson], "turns after a corrected one, if kept"]
    breaks: Annotated[BreakJson | None, "the first that could not be played"]
    board: Annotated[list[PlaceThenJson], "what hands must put right on the board"]
    match: Annotated[list[LaterGameJson], "games of the match that were begun after it"]
    standings: Annotated[
        list[RankChangeJson] | None,
        "the players whose standing in the event changes; null: no event, or too many games",
    ]
    penalties: list[GivenPenaltyJson]
    clocks: list[GivenClockJson]


def effects_json(
    effects: Effects, follows: Consequences, terms: Terms, row: GameRow, limit: Limit | None
) -> EffectsJson:
    """What a ruling with these terms would change, beside the current state. `limit`: the games to be named."""
    end, outcome, position = effects.end, effects.outcome, effects.position
    stores = zip(position.stores, Position.parse(row.position).stores, strict=True)
    return EffectsJson.of(
        effects,
        now=row,
        then={
            "ply": effects.keeps + len(effects.turns),
            "position": str(position),
            "state": "live" if end is None and outcome is None else "ended",
            "result": effects.result,
            "score": end["score"] if end else outcome and outcome.score,
        },
        stores=[then - now for then, now in stores],
        turns=[TurnJson.of(turn, ply=ply) for ply, (turn, _) in enumerate(effects.turns, effects.keeps + 1)],
        later=[
            LaterTurnJson.of(later, then=later.turn and later.turn.move, position=later.turn and later.turn.position)
            for later in effects.later
        ],
        breaks=next((later for later in effects.later if later.turn is None), None),
        board=[_place_json(position, place) for place in follows.board],
        match=later_json(follows.later, limit),
        standings=None if follows.standings is None else map(_rank_json, follows.standings),
        penalties=terms.penalties,
        clocks=terms.clocks,
    )


def _place_name(position: Position, place: int) -> str:
    """The letter of a pit, or the owner of a store."""
    pits = len(position.pits)
    return position.letter(place) if place < pits else str(Side(place - pits))


def _place_json(position: Position, place: BoardPlace) -> PlaceThenJson:
    marks = {"mark_lies": _owner(place.mark_lies), "mark_then": _owner(place.mark_then)}
    return PlaceThenJson.of(place, place=_place_name(position, place.place), **marks)


def _owner(mark: int) -> str | None:
    """Whose special pit it is that has this mark."""
    return str(Side(mark - SOUTHS)) if mark in OWNED else None


def _rank_json(change: RankChange) -> RankChangeJson:
    return RankChangeJson.of(change, player=name_json("players", change.now.key, change.now.name))
