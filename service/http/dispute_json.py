"""Disputes, rulings and what they would change as JSON values, for the API and the pages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from records import Position, Side
from records.findings import Account, Evidence, Finding, Reading, SeveralTurns
from service.games.corrections import later_json
from service.games.courses import Course
from service.games.ruling_consequences import Consequences, RankChange
from service.games.ruling_effects import Effects
from service.games.ruling_terms import Terms, terms_json
from service.storage import GameEvent, GameRow, Limit

from .names import name_id
from .rules_json import finding_json, outcome_json, several_turns_json, turn_json
from .serializers import dispute_json

SEEN_ACCOUNTS = 4  # accounts of a finding that are stored with a ruling
SEEN_CHARACTERS = 1000  # of what each says


def course_json(course: Course) -> dict[str, Any]:
    """A dispute with its whole course."""
    answers = {event.data["proposal"]: event for event in course.of("response")}
    releases = {event.data["evidence"]: _event_json(event) for event in course.of("release")}
    return {
        **dispute_json(course.row),
        "sensors": course.events[0].data.get("sensors"),
        "claims": [_event_json(event, "claim", "seen") for event in course.of("claim")],
        "evidence": [
            {
                **_event_json(event, "witness", "text"),
                "photograph": {**event.data["photo"], "released": releases.get(event.seq)}
                if "photo" in event.data
                else None,
            }
            for event in course.of("evidence")
        ],
        "proposals": [
            {
                **_event_json(event, "side"),
                **terms_of(event.data),
                "answer": None if event.seq not in answers else _event_json(answers[event.seq], "side", "accepts"),
            }
            for event in course.of("proposal")
        ],
        "rulings": [
            {
                **_event_json(event),
                **terms_of(event.data),
                "withdrawn": event.data.get("withdrawn", False),
                "finding": event.data.get("finding"),
            }
            for event in course.of("ruling")
        ],
        "appeals": [
            {**_event_json(event, "side", "reason"), "corrects": event.data.get("corrects", False)}
            for event in course.of("appeal")
        ],
    }


def _event_json(event: GameEvent, *names: str) -> dict[str, Any]:
    """Number, time and author of an event, with some of its data."""
    return {"seq": event.seq, "time": event.time, "by": event.data["by"], **{name: event.data[name] for name in names}}


def terms_of(data: Mapping[str, Any]) -> dict[str, Any]:
    """The terms of a ruling or a proposal from the data of its event: all members, null where not given."""
    end = data.get("end")
    return {
        "outcome": data["outcome"],
        "note": data["note"],
        "move": data.get("move"),
        "position": data.get("position"),
        "to": data.get("to"),
        "keeps": data.get("keeps", False),
        "end": end and {name: end.get(name) for name in ("termination", "winner", "result", "score")},
        "penalties": [{"seeds": None, "note": "", **one} for one in data.get("penalties", ())],
        "clocks": [{"to": None, "add": None, **one} for one in data.get("clocks", ())],
    }


def effects_json(
    effects: Effects, follows: Consequences, terms: Terms, row: GameRow, limit: Limit | None
) -> dict[str, Any]:
    """What a ruling with these terms would change, beside the current state. `limit`: the games to be named."""
    end = effects.end
    outcome = outcome_json(effects.outcome)
    by_hand = end and {name: end[name] for name in ("termination", "winner", "score", "result")}
    broken = next((later for later in effects.later if later.turn is None), None)
    return {
        "keeps": effects.keeps,
        "now": {
            "ply": row.ply,
            "position": row.position,
            "state": row.state,
            "result": row.result,
            "score": None if row.score is None else list(row.score),
        },
        "then": {
            "ply": effects.keeps + len(effects.turns),
            "position": str(effects.position),
            "state": "live" if end is None and outcome is None else "ended",
            "result": effects.result,
            "score": by_hand["score"] if by_hand else outcome and outcome["score"],
        },
        "stores": [
            then - now for then, now in zip(effects.position.stores, Position.parse(row.position).stores, strict=True)
        ],
        "turns": [{"ply": ply, **turn_json(turn)} for ply, (turn, _) in enumerate(effects.turns, effects.keeps + 1)],
        "later": [
            {
                "ply": later.ply,
                "move": later.move,
                "then": None if later.turn is None else str(later.turn.move),
                "position": None if later.turn is None else str(later.turn.position),
                "same": later.same,
                "why": later.why,
            }
            for later in effects.later
        ],
        "breaks": broken and {"ply": broken.ply, "move": broken.move, "why": broken.why},
        "board": [
            {"place": _place_name(effects.position, place.place), "lies": place.lies, "then": place.then}
            for place in follows.board
        ],
        "match": later_json(follows.later, limit),
        "standings": None if follows.standings is None else list(map(_rank_json, follows.standings)),
        **{name: terms_of(terms_json(terms))[name] for name in ("penalties", "clocks")},
    }


def _place_name(position: Position, place: int) -> str:
    """The letter of a pit, or the owner of a store."""
    pits = len(position.pits)
    return position.letter(place) if place < pits else str(Side(place - pits))


def _rank_json(change: RankChange) -> dict[str, Any]:
    return {
        "player": {"id": name_id(change.now.key), "name": change.now.name},
        "now": {"rank": change.now.rank, "points": change.now.points},
        "then": {"rank": change.then.rank, "points": change.then.points},
    }


def evidence_json(evidence: Evidence) -> dict[str, Any]:
    """What is known of a disputed turn."""
    before, claimed = evidence.before, evidence.claimed
    return {
        "before": str(before),
        "claimed": None if claimed is None else str(claimed),
        "counts": [count.mean if isinstance(count, Reading) else count for count in evidence.counts],
        "lifted": [before.letter(seen.pit) for seen in evidence.seen],
    }


def any_finding_json(finding: Finding | SeveralTurns | None, before: Position) -> dict[str, Any]:
    """What happened in a disputed turn, or since then; null where nobody knows what lies there."""
    return {
        "finding": finding_json(finding, before) if isinstance(finding, Finding) else None,
        "since": several_turns_json(finding, before) if isinstance(finding, SeveralTurns) else None,
    }


def seen_finding_json(finding: Finding | SeveralTurns | None) -> dict[str, Any] | None:
    """What somebody who rules has seen of a finding, short enough to be stored with the ruling."""
    if finding is None:
        return None
    if isinstance(finding, Finding):
        accounts = [_seen_json(account, None) for account in finding.accounts[:SEEN_ACCOUNTS]]
        return {"legal": finding.legal, "accounts": accounts}
    found = finding.accounts[:SEEN_ACCOUNTS]
    return {"legal": None, "accounts": [_seen_json(one.account, one.ply) for one in found]}


def _seen_json(account: Account, ply: int | None) -> dict[str, Any]:
    """`ply`: an index among the moves since the disputed one."""
    return {
        "turn": None if ply is None else ply + 1,
        "kinds": list(account.kinds),
        "probability": round(account.probability, 6),
        "equal": account.equal,
        "legal": account.legal,
        "move": None if account.move is None else str(account.move),
        "sentence": " ".join(account.sentences)[:SEEN_CHARACTERS],
        "rule": None if account.rule is None else account.rule.id,
    }
