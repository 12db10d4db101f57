"""What a session did, and whether its record is right: compared with what the hands played."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from tests.faults.table import Table

SETTLE_S = 4.0  # longest time at the end for messages in transit
QUIET_S = 0.6  # of silence: nothing is in transit


@dataclass
class Outcome:
    """The result of a session: counts by name, and what went wrong."""

    kind: str
    seed: str
    figures: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)


def settle(table: Table) -> None:
    """Let the desk work until nothing is in transit."""
    quiet_since = table.now

    def is_quiet() -> bool:
        nonlocal quiet_since
        if not table.quiet:
            quiet_since = table.now
        return table.now - quiet_since >= QUIET_S

    table.run(SETTLE_S, is_quiet)


def judge(outcome: Outcome, table: Table) -> None:
    """Compare the record with what the hands played."""
    planned = [turn.move for turn in table.stage.plan.turns]
    accepted = [str(event["move"]) for event in table.events if event["event"] == "turn"]
    loaded = table.games.load(table.game)
    recorded = [str(turn.move) for turn in loaded.record.replay().turns]
    log = Counter(entry.kind for entry in table.boards.log(table.board, 0, 10_000))
    events = Counter(str(event["event"]) for event in table.events)
    figures = outcome.figures
    figures.update(
        sessions=1,
        turns=len(accepted),
        recorded=len(recorded),
        mistakes=events["mistake"],
        refused=log["refused"],
        mended=log["mended"],
        gaps=log["gap"],
        replays=table.replays,
        damaged=sum(connection.counters["damaged"] for connection in table.connections),
        duplicates=sum(connection.counters["duplicates"] for connection in table.connections),
        pulled=events["unplugged"],
        restarts=events["restarted"],
        deaths=table.deaths_died,
        again=events["pressed-again"],
        taken_back=sum(event["event"] == "taken-back" and bool(event["granted"]) for event in table.events),
        held=events["held"],
        entered=table.entered,
        struck=sum(sum(wire.fault_counts.values()) for wire in table.wires),
    )
    wrong = sum(one != other for one, other in zip(recorded, planned, strict=False))
    wrong += max(0, len(recorded) - len(planned)) + events["unnoticed"]
    lost = max(0, len(accepted) - len(recorded))
    if wrong:
        figures["wrong"] += wrong
        outcome.faults.append(f"a wrong turn was recorded: {recorded}, planned {planned}")
    if lost and not log["gap"]:
        figures["lost"] += lost
        missing = f"{lost} turns are missing from the record, and no gap is logged"
        outcome.faults.append(f"{missing}: {recorded}, accepted {accepted}")
    position = loaded.position
    counts = table.stage.world.counts()
    if events["finished"] and len(recorded) == len(planned) and counts != (*position.pits, *position.stores):
        outcome.faults.append(f"the board holds {counts}, the record {position}")
    if table.gave_up is not None:
        figures["gave_up"] += 1
        if log["refused"] < 5:
            outcome.faults.append(f"the hands gave up, and the log does not say why: {table.gave_up}")
    elif not table.played:
        figures["stopped"] += 1
        outcome.faults.append(f"the game did not go on after {len(accepted)} turns; last events {table.events[-6:]}")
    elif len(recorded) != len(planned) and not lost:
        outcome.faults.append(f"{len(recorded)} of {len(planned)} turns recorded")
    if outcome.faults:
        outcome.faults.append(f"log {dict(log)}; status {table.boards.get(table.board).status}")
