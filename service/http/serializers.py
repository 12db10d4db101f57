"""What is stored, as JSON values: the form that the API, live streams, problems and the command line share."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from records import Side
from service.errors import Illegal

from .rules_json import judged_game_json, side_json, trace_json

if TYPE_CHECKING:
    from service.games.matches import Series
    from service.games.plies import Annotation
    from service.games.transfer import ImportResult
    from service.jobs.queue import StoredAnalysis
    from service.storage import BoardRow, DisputeRow, FeedEvent, GameEvent, GameRow, JobRow, KeyRow, LogRow

TRACED = ("endless-sowing", "false-claim")  # illegal moves that can be sown, so that there is a trace to show


def import_result_json(result: ImportResult) -> dict[str, Any]:
    """What became of a game of an import."""
    if result.error is not None:
        return {"index": result.index, "ok": False, "error": asdict(result.error)}
    stored = {"index": result.index, "ok": True, "id": result.id, "present": result.present}
    return {**stored, "warnings": list(result.warnings)}


def game_summary(row: GameRow) -> dict[str, Any]:
    """A game in a list. The side to move comes from the position's text, which need not be parsed for it."""
    side = Side.SOUTH if row.position.split(" ")[2] == "s" else Side.NORTH
    return {
        "id": row.id,
        "game": row.game,
        "options": row.options,
        "tags": row.tags,
        "state": row.state,
        "ply": row.ply,
        "position": row.position,
        "to_move": None if row.state == "ended" else str(side),
        "result": row.result,
        "score": None if row.score is None else list(row.score),
        "termination": row.termination,
        "winner": row.winner,
        "created": row.created,
        "updated": row.updated,
        "seq": row.seq,
        "match": row.match_id,
        "dispute": None if row.dispute is None else f"{row.id}-{row.dispute}",
    }


def match_summary(first: GameRow) -> dict[str, Any]:
    """A match in a list, by its first game."""
    title = first.tags.get("Match", "")
    return {"id": first.id, "game": first.game, "title": title, "tags": first.tags, "created": first.created}


def match_json(series: Series) -> dict[str, Any]:
    """A match: its standings, its games, and the start of the next one where that is known."""
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
        "outcome": outcome and {"winner": side_json(outcome.winner), "reason": outcome.reason},
        "coming": coming and {"number": coming.number, "start": str(coming.start), "first": side_json(coming.first)},
        "games": [
            {
                "id": row.id,
                "number": row.match_game,
                "state": row.state,
                "result": row.result,
                "score": None if row.score is None else list(row.score),
                "still": row.id in series.still,
            }
            for row in series.rows
        ],
    }


def board_json(board: BoardRow) -> dict[str, Any]:
    """A board and its status."""
    return {
        "id": board.id,
        "driver": board.driver,
        "port": board.url,
        "game": board.game,
        "wanted": board.wanted,
        "serial": board.serial,
        "adapter": board.adapter,
        "boot": board.boot,
        "seq": board.seq,
        "buttons": board.buttons,
        "status": board.status,
        "version": board.version,
        "created": board.created,
        "updated": board.updated,
    }


def log_json(entry: LogRow) -> dict[str, Any]:
    """An entry of a board's log."""
    return {"number": entry.number, "time": entry.time, "kind": entry.kind, "data": entry.data}


def dispute_json(dispute: DisputeRow) -> dict[str, Any]:
    """A dispute and its ruling, if there is one."""
    ruling = {"outcome": dispute.outcome, "by": dispute.arbiter, "note": dispute.note, "time": dispute.ruled}
    return {
        "id": dispute.id,
        "game": dispute.game,
        "seq": dispute.seq,
        "time": dispute.time,
        "about": dispute.about,
        "ply": dispute.ply,
        "turn": dispute.turn,
        "side": dispute.side,
        "claim": dispute.claim,
        "seen": dispute.seen,
        "by": dispute.by,
        "state": dispute.state,
        "ruling": None if dispute.outcome is None else ruling,
        "slip": dispute.slip,
    }


def annotation_json(annotation: Annotation) -> dict[str, Any]:
    """An annotation: its value under the name of its kind, the other kinds null."""
    value: dict[str, Any] = {"nag": None, "comment": None, "variation": None}
    value[annotation.kind] = annotation.value
    return {
        "id": annotation.id,
        "ply": annotation.ply,
        **value,
        "by": annotation.by,
        "source": annotation.source,
        "created": annotation.created,
        "updated": annotation.updated,
        "seq": annotation.seq,
        "analysis": annotation.from_analysis,
    }


def job_json(job: JobRow) -> dict[str, Any]:
    return {
        "id": job.id,
        "state": job.state,
        "done": job.done,
        "total": job.total,
        "games": list(job.games),
        "limits": job.limits,
        "owner": job.owner,
        "created": job.created,
        "updated": job.updated,
        "error": job.error,
    }


def stored_analysis_json(analysis: StoredAnalysis) -> dict[str, Any]:
    """What is known of a game, without turns while there is nothing."""
    value = {"state": analysis.state, "job": analysis.job, "current": analysis.is_current}
    return value | judged_game_json(analysis.found)


def event_json(event: GameEvent) -> dict[str, Any]:
    """A stored event as streams send it, with the position after it if it changes the position."""
    value: dict[str, Any] = {
        "seq": event.seq,
        "time": event.time,
        "actor": event.actor,
        "source": event.source,
        "kind": event.kind,
        "data": event.data,
    }
    if "position" in event.data:
        value["position"] = event.data["position"]
    return value


def feed_json(item: FeedEvent) -> dict[str, Any]:
    """An event in the feed, with its game and its place in the feed."""
    of_game = {"cursor": str(item.cursor), "game_id": item.event.game, "game": item.game, "match": item.match}
    return {**of_game, **event_json(item.event)}


def chained_json(event: GameEvent) -> dict[str, Any]:
    """A stored event with its place in the hash chain."""
    return {**event_json(event), "prev_hash": event.prev_hash, "hash": event.hash}


def illegal_json(illegal: Illegal) -> dict[str, Any]:
    """The members of the problem of an illegal move: the reason, the legal moves, and a trace if it can be sown."""
    error = illegal.error
    traced = error.reason in TRACED
    return {
        "reason": error.reason,
        "move": str(error.move),
        "position": str(error.position),
        "legal": [str(move) for move in error.legal],
        "trace": trace_json(illegal.rules.trace(error.position, error.move.choice)) if traced else [],
    }


def current_json(row: GameRow) -> dict[str, Any]:
    """The state of a game, for a client whose write came too late."""
    return {"id": row.id, "seq": row.seq, "ply": row.ply, "position": row.position, "state": row.state}


def key_json(key: KeyRow, *, good: bool) -> dict[str, Any]:
    """A key without its secret; `good` if it is valid now."""
    return {
        "id": key.id,
        "kind": key.kind,
        "name": key.name,
        "scopes": list(key.scopes),
        "limit": None if key.limit is None else {"kind": key.limit.kind, "value": key.limit.value},
        "good": good,
        "created": key.created,
        "expires": key.expires,
        "used": key.used,
        "revoked": key.revoked,
        "previous_until": key.previous_until,
    }
