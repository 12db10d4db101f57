"""Whether turns that were taken back were turns by the rules. The record no longer has them, so nobody replays them."""

from __future__ import annotations

from inkeek.records import Move, Ply, Position, RecordsError, Rules
from inkeek.records.errors import Budget
from inkeek.records.json_codec import from_json
from inkeek.records.replay import play_ply, verify_ply
from inkeek.service.games.state import GameState
from inkeek.service.storage import GameEvent


def taken_back_faults(state: GameState) -> list[tuple[int, str]]:
    """The faults of turns that were taken back, and of the numbers of all turns, each with the number of its event."""
    faults = []
    standing = frozenset(state.turns)
    start: str = state.events[0].data["position"]
    line: list[tuple[str, Move | None]] = [(start, None)]  # the positions that stood then, with the move to each
    budget = Budget(len(state.events))
    for event in state.events:
        if event.kind == "retraction":
            _, move = line.pop()
            if Move.parse(event.data["move"]) != move:
                faults.append((event.seq, f"it takes back {event.data['move']}, but the last turn is {move}"))
        if event.kind != "turn":
            continue
        (before, previous), ply = line[-1], from_json(event.data["turn"], Ply)
        if event.data["ply"] != len(line):
            faults.append((event.seq, f"its turn has the number {event.data['ply']}, but it is turn {len(line)}"))
        if event.seq not in standing:
            fault = _turn_fault(state.record.rules().with_gaps(), before, ply, previous, event, budget)
            faults += [] if fault is None else [(event.seq, fault)]
        line.append((event.data["position"], ply.move))
    return faults


def _turn_fault(
    rules: Rules, before: str, ply: Ply, previous: Move | None, event: GameEvent, budget: Budget
) -> str | None:
    try:
        budget.verify()
        turn = play_ply(rules, Position.parse(before), ply, previous, budget)
        verify_ply(turn)
    except RecordsError as error:
        return f"the rules refuse its turn, which was taken back: {error}"
    if str(turn.position) != event.data["position"]:
        return f"its turn, which was taken back, leads to {turn.position}, but the event says {event.data['position']}"
    return None
