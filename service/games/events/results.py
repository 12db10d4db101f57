"""What came of a pairing, which its games alone say, and the ends that somebody gives them at the table."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from inkeek.records import Outcome, RecordsError, Rules
from inkeek.records.errors import ErrorText, joined_texts
from inkeek.records.matches import Match, Played
from inkeek.records.rules.ruleset import Value, load_ruleset
from inkeek.service.errors import Conflict
from inkeek.service.games.event_data import SIDES
from inkeek.service.games.matches.games import up_to_live
from inkeek.service.games.snapshot import position_of, rules_of
from inkeek.service.storage import GameRow, event_of

from .plan import Pairing, plan_of
from .tie_breaks import Points

if TYPE_CHECKING:
    from inkeek.service.storage.transaction import Transaction

DRAWN, OPEN = "drawn", "open"
POINTS: dict[str | None, Points] = {"South": (1.0, 0.0), "North": (0.0, 1.0), DRAWN: (0.5, 0.5)}
DECISIONS = {"1-0": "South", "0-1": "North", "1/2-1/2": DRAWN, "*": None}
NOT_PLAYED = ("bye", "unplayed", "forfeit")  # terminations of a game that ended before it began
BYES = {"bye": ("bye", "1-0"), "half": ("bye", "1/2-1/2"), "zero": ("unplayed", "*")}
"""Terminations and results of a game in which South has no opponent: one point, half a point, none."""
FORFEITS = {"south": ("forfeit", "1-0"), "north": ("forfeit", "0-1"), "none": ("unplayed", "*")}
"""The same of a game to which not both came, by who was there."""
TAPPED = {"1-0": ("adjudication", "1-0"), "0-1": ("adjudication", "0-1"), "1/2-1/2": ("agreement", "1/2-1/2")}
"""The same of a game that nobody recorded."""
ENDS = {**BYES, **FORFEITS, **TAPPED}


class PairingResult(NamedTuple):
    """What came of a pairing. `unplayed`: why nothing was played, one of `BYES` or `FORFEITS`; empty: its games decide.
    `points`: of South and North; None while it is open."""

    unplayed: str
    points: Points | None


def result_of(pairing: Pairing, matches: Mapping[str, Sequence[GameRow]]) -> PairingResult:
    """What came of a pairing. `matches`: those of the event, as `matches_of` has them."""
    games = matches.get(pairing.game, ())
    if not games or (pairing.north is None and games[0].state == "live"):
        return PairingResult("", None)
    if pairing.north is None:
        south, _ = POINTS.get(DECISIONS[games[0].result], (0.0, 0.0))
        return PairingResult({1.0: "bye", 0.5: "half"}.get(south, "zero"), (south, 0.0))
    ends = {(row.termination, row.result) for row in games}
    if len(ends) == 1 and all(map(is_unplayed, games)):
        kind = next((kind for kind, end in FORFEITS.items() if end in ends), "")
        return PairingResult(kind, POINTS.get(decision_of_game(games[0]), (0.0, 0.0)))
    if games[0].match_id is None and ("unplayed", "*") in ends:
        return PairingResult("", (0.0, 0.0))  # it had begun
    return PairingResult("", POINTS.get(decision_of(games)))


def is_unplayed(row: GameRow) -> bool:
    """Whether a game ended before it began: somebody did not come, or had no opponent."""
    return row.state == "ended" and row.ply == 0 and row.termination in NOT_PLAYED


def is_unrecorded(row: GameRow) -> bool:
    """Whether the result is all that is known of a game that is over."""
    ends = {termination for termination, _ in ENDS.values()}
    return row.state == "ended" and row.ply == 0 and row.termination in ends


def said(game: GameRow) -> str:
    """What was said of a game at its table, one of `ENDS`; empty if it goes on."""
    ended = game.termination, game.result
    if game.state == "live":
        return ""
    kinds = (
        {**FORFEITS, **TAPPED} if game.tags.get("North") else BYES
    )  # with the same ends: nobody came, or got a point
    return next((result for result, end in kinds.items() if end == ended), game.result)


def seen_of(pairing: Pairing, games: Sequence[GameRow]) -> str:
    """Who sits at a table, and the results of its games, as a text that whoever gives a result gives back."""
    return " ".join((f"{pairing.south}-{pairing.north or ''}", *(said(game) or "*" for game in games)))


def matches_of(rows: Sequence[GameRow]) -> dict[str, list[GameRow]]:
    """The games by the id of their match, or their own if they are in none."""
    matches: dict[str, list[GameRow]] = defaultdict(list)
    for row in rows:
        matches[row.match_id or row.id].append(row)
    return matches


def games_of_pairing(transaction: Transaction, id: str) -> list[GameRow]:
    """A game, or those of the match that it began."""
    first = transaction.games.get(id)
    if first is None:
        return []
    return [first] if first.match_id is None else list(transaction.games.of_match(id))


def decision_of_game(row: GameRow) -> str | None:
    """The winner of a game, `DRAWN` or `OPEN`; None if it ended without a result."""
    return OPEN if row.state == "live" else DECISIONS[row.result]


def decision_of(games: Sequence[GameRow]) -> str | None:
    """As `decision_of_game`, of a match or of a game without one."""
    return decision_of_game(games[0]) if games[0].match_id is None else _match_decision(games)


def _match_decision(rows: Sequence[GameRow]) -> str:
    """As `decision_of_game`, of a match with these games in the event."""
    played = [row for row in up_to_live(rows)[0] if row.state == "ended"]
    try:
        rules = _match_rules(rows[0].game, tuple(rows[0].options.items()), position_of(rows[0].start).row)
        match = Match(rules, rows[0].tags.get("Match", ""), tuple(map(_played_game, played)))
    except RecordsError:  # games are missing here, or were corrected so that the next one does not follow
        return OPEN
    if match.outcome is None:
        return OPEN
    return DRAWN if match.outcome.winner is None else str(match.outcome.winner)


@lru_cache(maxsize=256)
def _match_rules(game: str, options: tuple[tuple[str, Value], ...], pits: int) -> Rules:
    info = load_ruleset(game)
    return Rules(info, info.resolve({"pits": pits, **dict(options)}, laid_out=False))


def _played_game(row: GameRow) -> Played:
    score = row.score
    if score is None:  # players ended it
        score = rules_of(row).final_score(position_of(row.position))
    winner = None if row.winner is None else SIDES[row.winner]
    return Played(position_of(row.start).to_move, Outcome(row.termination or "", winner, score))


TEAMS = ("SouthTeam", "NorthTeam")
PLACE = ("Event", "Round", "Board", "South", "North", "Match", "MatchGame", *TEAMS)


def check_keeps_place(transaction: Transaction, row: GameRow, tags: Mapping[str, str | None]) -> None:
    """Check that a game, if an event has paired it, keeps its place with these tags.

    :raises Conflict: it would not.
    """
    changed = [name for name in PLACE if name in tags and tags[name] != row.tags.get(name)]
    event = event_of(row.tags) if changed else None
    planned = None if event is None else transaction.event_plans.get(event)
    plan = None if planned is None else plan_of(planned)
    if plan is not None and plan.format != "teams":
        changed = [name for name in changed if name not in TEAMS]
    for number, one in plan.places if plan and changed else ():
        if one.game in (row.id, row.match_id):
            stays = ErrorText(
                "tags.%(name)s stays %(value)r: this is the game at table %(table)s in round %(round)s of %(event)r.",
                name=changed[0],
                value=row.tags.get(changed[0], ""),
                table=one.table,
                round=number,
                event=row.tags["Event"],
            )
            raise Conflict(joined_texts([stays, _way(row, one, changed[0])]), current=row)


def _way(row: GameRow, pairing: Pairing, name: str) -> ErrorText:
    """How what a tag says is changed, as far as it is."""
    if name not in ("South", "North"):
        return ErrorText("It follows from the plan of the event.")
    if pairing.north is None:
        return ErrorText("Change who plays there on the page of the event, or a name under 'Players and settings'.")
    if is_unrecorded(row):
        return ErrorText(
            "Somebody gave its result: on the page of the event choose 'the game decides after all' first, then change "
            "who plays there."
        )
    if row.ply or row.state == "ended":
        return ErrorText(
            "Somebody has played: its players stay. Two names of one person are joined on the page of the player."
        )
    return ErrorText("Change who plays there, or how a name is spelled, on the page of the event.")
