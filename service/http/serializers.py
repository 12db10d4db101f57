"""Typed values as JSON values: the form that the API, live streams, problems and the command line share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from records import Outcome, Position, Side, Trace, TraceEvent, Turn
from records.ruleset import Option, RuleSet
from records.trace import sown_seeds
from service.errors import Illegal

if TYPE_CHECKING:  # commands on records use this module without a database, and most without findings
    from records.analysis import Analysis, Solution
    from records.analysis.annotation import GameAnnotation, JudgedTurn
    from records.findings import Account, Finding, SeveralTurns
    from service.games.matches import Series
    from service.games.plies import Annotation
    from service.games.transfer import ImportResult
    from service.jobs.queue import StoredAnalysis
    from service.storage import BoardRow, DisputeRow, FeedEvent, GameEvent, GameRow, JobRow, KeyRow, LogRow

MAX_STEPS = 5000  # of an account
TRACED = ("endless-sowing", "false-claim")  # illegal moves that can be sown, so that there is a trace to show


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


def outcome_json(outcome: Outcome | None) -> dict[str, Any] | None:
    if outcome is None:
        return None
    return {
        "termination": outcome.termination,
        "winner": _side(outcome.winner),
        "score": list(outcome.score),
        "result": outcome.result,
    }


def turn_json(turn: Turn) -> dict[str, Any]:
    """What a turn did."""
    return {
        "move": str(turn.move),
        "position": str(turn.position),
        "captured": list(turn.captured),
        "special": turn.special,
        "laps": turn.laps,
    }


def trace_json(trace: Trace) -> list[dict[str, Any]]:
    """The events of a turn, seed by seed."""
    return trace_steps_json(trace.events, trace.before)


def path_json(trace: Trace) -> list[dict[str, int]]:
    """The seeds of a turn in the order in which they were sown."""
    return [seed._asdict() for seed in sown_seeds(trace.events, len(trace.before.pits))]


def trace_steps_json(events: Sequence[TraceEvent], position: Position) -> list[dict[str, Any]]:
    """The events of a turn in `position`."""
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
        for event in events
    ]


def finding_json(finding: Finding, before: Position) -> dict[str, Any]:
    """What happened in a turn from `before`: the accounts, the likeliest first."""
    return {
        "position": str(before),
        "legal": finding.legal,
        "agreed": None,
        "played": None,
        "accounts": [_account_json(account, before) for account in finding.accounts],
        "complete": finding.complete,
        "slips": finding.searched,
    }


def several_turns_json(found: SeveralTurns, position: Position) -> dict[str, Any]:
    """What happened in several turns since `position`; ``ply`` is the number of the turn, from 1."""
    return {
        "position": str(position),
        "legal": None,
        "agreed": found.agreed,
        "played": found.played,
        "accounts": [_account_json(one.account, position, one.ply) for one in found.accounts],
        "complete": found.complete,
        "slips": 1,
    }


def _account_json(account: Account, before: Position, ply: int | None = None) -> dict[str, Any]:
    from records.findings.account_steps import AccountSteps

    pits = len(before.pits)
    steps = AccountSteps(account, before)
    listed = trace_steps_json(account.steps[:MAX_STEPS], before)
    names = [*(before.letter(pit) for pit in range(pits)), "south", "north"]
    return {
        "ply": None if ply is None else ply + 1,
        "kind": account.kind,
        "kinds": list(account.kinds),
        "probability": account.probability,
        "equal": account.equal,
        "legal": account.legal,
        "move": None if account.move is None else str(account.move),
        "sentence": " ".join(account.sentences),
        "sentences": list(account.sentences),
        "start": list(steps.board_after(0).board) if account.steps else [],
        "steps": [{**step, "lap": lap} for step, lap in zip(listed, steps.laps(), strict=False)],
        "cut": max(0, len(account.steps) - MAX_STEPS),
        "first_wrong_step": account.first_wrong_step,
        "rule": None if account.rule is None else asdict(account.rule),
        "board": list(account.board),
        "mend": None if account.mend is None else {names[place]: by for place, by in account.mend.items()},
        "target": None if account.target is None else str(account.target),
        "distinction": account.distinction,
    }


def analysis_json(found: Analysis) -> dict[str, Any]:
    """Values are integers where they are exact, else estimates."""
    return {
        "lines": [
            {"value": line.value, "moves": [str(move) for move in line.moves], "depends_on": list(line.depends_on)}
            for line in found.lines
        ],
        "depth": found.depth,
        "nodes": found.nodes,
        "seconds": round(found.seconds, 3),
        "exact": found.exact,
        "left_out": list(found.left_out),
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


def judged_game_json(found: GameAnnotation | None) -> dict[str, Any]:
    """The annotation of a game, if there is one. Values are for the side that moved, and that of the start is for
    South."""
    accuracy = found.accuracy if found else (None, None)
    return {
        "depth": found and found.depth,
        "nodes": found.nodes if found else 0,
        "start": found and found.start,
        "turns": [_judged_json(turn) for turn in found.turns] if found else [],
        "turning_point": found and found.turning_point,
        "accuracy": {"south": accuracy[0], "north": accuracy[1]},
    }


def _judged_json(turn: JudgedTurn) -> dict[str, Any]:
    return {
        "ply": turn.ply,
        "move": turn.move,
        "side": str(turn.side),
        "before": turn.before,
        "after": turn.after,
        "best": {"value": turn.best.value, "moves": [str(move) for move in turn.best.moves]},
        "loss": turn.loss,
        "glyph": turn.glyph,
        "exact": turn.exact,
        "depth": turn.depth,
    }


def solution_json(found: Solution) -> dict[str, Any]:
    return {
        "value": found.value,
        "move": None if found.move is None else str(found.move),
        "lower": found.lower,
        "upper": found.upper,
        "depth": found.depth,
        "nodes": found.nodes,
        "seconds": round(found.seconds, 3),
        "exact": found.exact,
        "collisions": found.collisions,
        "left_out": list(found.left_out),
    }


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
