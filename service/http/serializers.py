"""Games, turns, traces and boards as plain JSON values: the one form that the API, streams and problems share."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from records import Outcome, Position, Side, Trace, Turn
from records.ruleset import Option, RuleSet
from service.errors import Illegal

if TYPE_CHECKING:
    from service.games.matches import Series
    from service.storage import BoardRow, DisputeRow, GameEvent, GameRow, KeyRow, LogRow

TRACED = ("endless-sowing", "false-claim")  # illegal, but there is a sowing to show


def ruleset_json(info: RuleSet) -> dict[str, Any]:
    """A rule set with its options, terms and sources."""
    return {
        "id": info.id,
        "name": info.name,
        "title": info.title,
        "options": [option_json(option) for option in info.options],
        "terms": dict(info.terms),
        "setups": [asdict(setup) for setup in info.setups],
        "sources": list(info.sources),
    }


def option_json(option: Option) -> dict[str, Any]:
    """An option, its values as lists."""
    needs = {name: list(values) for name, values in option.needs.items()}
    return {**asdict(option), "allowed": list(option.allowed), "needs": needs}


def game_summary(row: GameRow) -> dict[str, Any]:
    """A game as it stands in the list."""
    position = Position.parse(row.position)
    return {
        "id": row.id,
        "game": row.game,
        "options": row.options,
        "tags": row.tags,
        "state": row.state,
        "ply": row.ply,
        "position": row.position,
        "to_move": None if row.state == "ended" else str(position.to_move),
        "result": row.result,
        "score": None if row.score is None else list(row.score),
        "termination": row.termination,
        "winner": row.winner,
        "created": row.created,
        "updated": row.updated,
        "seq": row.seq,
        "match": row.match_id,
    }


def match_json(series: Series) -> dict[str, Any]:
    """A match: its standings, its games, and what is laid out next where that can be told."""
    match, first = series.match, series.rows[0]
    tally, outcome = match.tally, match.outcome
    coming = match.next_game() if series.open else None
    return {
        "id": series.id,
        "game": first.game,
        "title": match.title,
        "tags": first.tags,
        "created": first.created,
        "kind": match.kind,
        "agreed": match.agreed,
        "tally": {"South": tally.south, "North": tally.north, "drawn": tally.drawn},
        "seeds": list(match.seeds),
        "removed": match.removed,
        "outcome": outcome and {"winner": _side(outcome.winner), "reason": outcome.reason},
        "coming": coming and {"number": coming.number, "start": str(coming.start), "first": _side(coming.first)},
        "games": [
            {
                "id": row.id,
                "number": row.match_game,
                "state": row.state,
                "result": row.result,
                "score": None if row.score is None else list(row.score),
            }
            for row in series.rows
        ],
    }


def _side(side: Side | None) -> str | None:
    return None if side is None else str(side)


def board_json(board: BoardRow) -> dict[str, Any]:
    """A board and what it last said of itself."""
    return {
        "id": board.id,
        "driver": board.driver,
        "port": board.url,
        "game": board.game,
        "wanted": board.wanted,
        "serial": board.serial,
        "boot": board.boot,
        "seq": board.seq,
        "status": board.status,
        "buttons": board.buttons,
        "version": board.version,
        "created": board.created,
        "updated": board.updated,
    }


def log_json(entry: LogRow) -> dict[str, Any]:
    """An entry of a board's log."""
    return {"number": entry.number, "time": entry.time, "kind": entry.kind, "data": entry.data}


def dispute_json(dispute: DisputeRow) -> dict[str, Any]:
    """A dispute and, once there is one, the ruling on it."""
    ruling = {
        "outcome": dispute.outcome,
        "by": dispute.arbiter,
        "note": dispute.note,
        "time": dispute.ruled,
    }
    return {
        "id": dispute.id,
        "game": dispute.game,
        "seq": dispute.seq,
        "time": dispute.time,
        "ply": dispute.ply,
        "turn": dispute.turn,
        "side": dispute.side,
        "claim": dispute.claim,
        "seen": dispute.seen,
        "by": dispute.by,
        "state": dispute.state,
        "ruling": None if dispute.state == "open" else ruling,
    }


def outcome_json(outcome: Outcome | None) -> dict[str, Any] | None:
    if outcome is None:
        return None
    winner = None if outcome.winner is None else str(outcome.winner)
    score = list(outcome.score)
    return {"termination": outcome.termination, "winner": winner, "score": score, "result": outcome.result}


def turn_json(turn: Turn) -> dict[str, Any]:
    """What a turn did."""
    return {
        "move": str(turn.move),
        "position": str(turn.position),
        "captured": list(turn.captured),
        "special": turn.special,
        "laps": turn.laps,
    }


def trace_json(trace: Trace, position: Position) -> list[dict[str, Any]]:
    """The events of a turn, seed by seed; `position` names the pits."""
    pits = len(position.pits)
    return [
        {
            "kind": event.kind,
            "pit": event.pit,
            "letter": position.letter(event.pit) if 0 <= event.pit < pits else None,
            "count": event.count,
            "other": event.other,
            "reason": event.reason,
        }
        for event in trace.events
    ]


def event_json(event: GameEvent) -> dict[str, Any]:
    """A stored event as streams carry it; `position` is the one it leads to, where it changes it."""
    answer: dict[str, Any] = {
        "seq": event.seq,
        "time": event.time,
        "actor": event.actor,
        "source": event.source,
        "kind": event.kind,
        "data": event.data,
    }
    if "position" in event.data:
        answer["position"] = event.data["position"]
    return answer


def chained_json(event: GameEvent) -> dict[str, Any]:
    """A stored event with its place in the chain of hashes."""
    return {**event_json(event), "prev_hash": event.prev_hash, "hash": event.hash}


def illegal_json(illegal: Illegal) -> dict[str, Any]:
    """What the problem of an illegal move carries: the reason, the legal moves, the trace where it can be sown."""
    error, events = illegal.error, []
    if error.reason in TRACED:
        events = trace_json(illegal.rules.trace(error.position, error.move.choice), error.position)
    return {
        "reason": error.reason,
        "move": str(error.move),
        "position": str(error.position),
        "legal": [str(move) for move in error.legal],
        "trace": events,
    }


def current_json(row: GameRow) -> dict[str, Any]:
    """What a client needs to go on whose write came too late."""
    return {"id": row.id, "seq": row.seq, "ply": row.ply, "position": row.position, "state": row.state}


def key_json(key: KeyRow, *, good: bool) -> dict[str, Any]:
    """A key without its secret."""
    return {
        "id": key.id,
        "kind": key.kind,
        "name": key.name,
        "scopes": list(key.scopes),
        "good": good,
        "created": key.created,
        "expires": key.expires,
        "used": key.used,
        "revoked": key.revoked,
    }
