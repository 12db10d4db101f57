"""What the rules, findings and analyses say, as JSON values. Commands on records use it too, without a database."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from records import Outcome, Position, Side, Trace, TraceEvent, Turn
from records.ruleset import Clause, Option, RuleSet
from records.trace import sown_seeds

if TYPE_CHECKING:  # most commands need neither
    from records.analysis import Analysis, Solution
    from records.analysis.annotation import GameAnnotation, JudgedTurn
    from records.findings import Account, Finding, SeveralTurns

MAX_STEPS = 5000  # of an account


def side_json(side: Side | None) -> str | None:
    return None if side is None else str(side)


def ruleset_json(info: RuleSet) -> dict[str, Any]:
    """A rule set with its options, terms, sources, and the sentences of these that are rules."""
    return {
        "id": info.id,
        "name": info.name,
        "title": info.title,
        "options": [option_json(option) for option in info.options],
        "terms": dict(info.terms),
        "setups": [asdict(setup) for setup in info.setups],
        "sources": list(info.sources),
        "text": info.text,
        "clauses": [clause_json(clause) for clause in info.clauses],
    }


def option_json(option: Option) -> dict[str, Any]:
    """An option, its values as lists."""
    needs = {name: list(values) for name, values in option.needs.items()}
    return {
        **asdict(option),
        "allowed": list(option.allowed),
        "attested": option.default in option.attested,
        "attested_values": list(option.attested),
        "needs": needs,
    }


def clause_json(clause: Clause) -> dict[str, Any]:
    """A sentence of a source and how it is read."""
    options = {name: list(values) for name, values in clause.options.items()}
    return {"quote": clause.quote, "reading": clause.reading, "mark": clause.mark, "options": options}


def outcome_json(outcome: Outcome | None) -> dict[str, Any] | None:
    if outcome is None:
        return None
    return {
        "termination": outcome.termination,
        "winner": side_json(outcome.winner),
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
