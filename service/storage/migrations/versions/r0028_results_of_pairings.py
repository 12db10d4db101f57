"""What came of a pairing is said by its game. Results in the plans of events become ends of their games; games that the
rules had ended and that later lost their result in a match get that end back.

What it cannot decide it leaves as it is, and writes into the log. It changes no tables. Revision 0028.
"""

from __future__ import annotations

import logging
from typing import Any

import sqlalchemy as sa
from alembic import op

from inkeek.records import Game
from inkeek.records.notation.tags import format_options
from inkeek.service.storage import migrations
from inkeek.service.storage.clock import stamp, utc_now
from inkeek.service.storage.game_rows import event_row, new_rows
from inkeek.service.storage.ids import random_id
from inkeek.service.storage.integrity.chain import GENESIS, canonical_json, seal
from inkeek.service.storage.rows import EventPlanRow, GameRow
from inkeek.service.storage.tables import schema
from inkeek.service.storage.transaction import Transaction

log = logging.getLogger(migrations.__name__)  # Alembic gives this module a name of its own

revision = "0028"
down_revision = "0027"

SOURCE = "upgrade"
REASON = "the plan of the event said so"
ENDS = {  # termination, winner and result, by what a plan said
    "bye": ("bye", "South", "1-0"),
    "half": ("bye", None, "1/2-1/2"),
    "zero": ("unplayed", None, "*"),
    "south": ("forfeit", "South", "1-0"),
    "north": ("forfeit", "North", "0-1"),
    "none": ("unplayed", None, "*"),
}
LIVE = {"state": "live", "result": "*", "score": None, "termination": None, "winner": None}
games = sa.table("games", *map(sa.column, ("id", "termination", "match_id")))


def upgrade() -> None:
    connection = op.get_bind()
    # The program reads and writes all columns of games that it has now.
    there = {column["name"] for column in sa.inspect(connection).get_columns("games")}
    later = [column for column in schema.games.columns if column.name not in there]
    for column in later:
        op.add_column("games", sa.Column(column.name, column.type))
    transaction = Transaction(connection)
    for key in sorted(transaction.event_plans.newest(None)):
        planned = transaction.event_plans.get(key)
        if planned is not None:
            move_results(transaction, planned)
    abandoned = sa.select(games.c.id).where(games.c.termination == "abandoned", games.c.match_id.is_not(None))
    for game_id in connection.execute(abandoned).scalars().all():
        restore_end(transaction, game_id)
    transaction.ledger.store_notes()
    for column in later:
        op.drop_column("games", column.name)


def move_results(transaction: Transaction, planned: EventPlanRow) -> None:
    """Have the games of an event end as its plan says, and take that out of the plan."""
    plan = planned.plan
    teams = {player["id"]: player.get("team", "") for player in plan.get("players", ())}
    for round in plan.get("rounds", ()):
        for pairing in round["pairings"]:
            result, first = pairing.pop("result", ""), pairing.get("game")
            if plan.get("format") == "teams":
                pairing["teams"] = [teams[pairing[side]] for side in ("south", "north") if pairing.get(side)]
            found = None if first is None else transaction.games.get(first)
            if first is None:
                pairing["game"] = add_game(transaction, plan, round["number"], pairing, result)
            elif found is None or not set_result(transaction, found, result):
                table = f"table {pairing['table']} in round {round['number']} of {planned.name!r}"
                log.warning("%s: the plan said %r, and game %s stays as it is", table, result, first)
    transaction.event_plans.put(planned)


def set_result(transaction: Transaction, first: GameRow, result: str) -> bool:
    """Have the game of a pairing, or of its match the last one, end as the plan said. Whether it does."""
    if not result:
        return True
    rows = [first] if first.match_id is None else transaction.games.of_match(first.match_id)
    row, (termination, winner, scored) = rows[-1], ENDS[result]
    if (row.state, row.termination, row.result) == ("ended", termination, scored):
        return len(rows) == 1
    ended_by_rules = any(event.source == "rules" for event in transaction.games.events(row.id)[-1:])
    if len(rows) > 1 or row.dispute is not None or ended_by_rules:
        return False
    data = {"termination": termination, "winner": winner, "result": scored, "score": None, "by": ""}
    kind = "ended" if row.state == "live" else "correction"
    said = {} if kind == "ended" else {"reason": REASON}
    columns = {"state": "ended", "score": None, "termination": termination, "winner": winner, "result": scored}
    transaction.games.put(append(transaction, row, SOURCE, kind, data | said, columns))
    return True


def add_game(transaction: Transaction, plan: dict[str, Any], number: int, pairing: dict[str, Any], result: str) -> str:
    """The id of a new game of a pairing, which had none as nobody played, and ended so."""
    offered = plan["games"][pairing.get("offered", 0)]
    names = {player["id"]: player["name"] for player in plan["players"]}
    tags = {"Event": plan["name"], "Round": str(number), "Board": str(pairing["table"])}
    tags["South"] = names[pairing["south"]]
    if pairing.get("north") is not None:
        tags["North"] = names[pairing["north"]]
    if plan.get("place"):
        tags["Site"] = plan["place"]
    options = offered.get("options", {})
    start_tags = {**tags, "Game": offered["game"], **({"Options": format_options(options)} if options else {})}
    rules = Game(tags=start_tags).rules()
    start, game_id, now = str(rules.start()), random_id(), stamp(utc_now())
    created: dict[str, Any] = {
        "game": rules.id,
        "options": dict(rules.changed),
        "setup": None,
        "tags": tags,
        "comments": [],
        "position": start,
    }
    termination, winner, scored = ENDS[result]
    ended = {"termination": termination, "winner": winner, "result": scored, "score": None, "by": ""}
    first = seal(game_id, 1, now, "", SOURCE, "created", created, GENESIS)
    last = seal(game_id, 2, now, "", SOURCE, "ended", ended, first.hash)
    row = GameRow(
        id=game_id,
        game=rules.id,
        options=dict(rules.changed),
        tags=tags,
        created=now,
        updated=now,
        seq=2,
        hash=last.hash,
        start=start,
        position=start,
        ply=0,
        state="ended",
        result=scored,
        score=None,
        termination=termination,
        winner=winner,
    )
    transaction.games.add_all([new_rows(row, [start], [event_row(first), event_row(last)])])
    return game_id


def restore_end(transaction: Transaction, game_id: str) -> None:
    """Give a game the end back that its rules brought, and that it lost since a game before it ended otherwise."""
    row = transaction.games.get(game_id)
    assert row is not None
    *before, last = transaction.games.events(game_id)
    ends = [event for event in before if event.kind in ("ended", "correction", "reopening", "retraction")]
    if last.kind != "correction" or "dispute" in last.data or not ends or ends[-1].kind != "ended":
        return
    end = ends[-1]
    if end.source != "rules":
        log.warning("game %s of match %s was ended by hand, and then abandoned: it stays so", game_id, row.match_id)
        return
    again = {"by": "", "reason": "the rules had ended it"}
    row = append(transaction, row, SOURCE, "reopening", again, LIVE)
    score = end.data["score"]
    columns = {name: end.data[name] for name in ("termination", "winner", "result")}
    columns |= {"state": "ended", "score": None if score is None else tuple(score)}
    transaction.games.put(append(transaction, row, "rules", "ended", end.data, columns))


def append(
    transaction: Transaction, row: GameRow, source: str, kind: str, data: dict[str, Any], columns: dict[str, Any]
) -> GameRow:
    """Store an event of a game, and return its row after it."""
    now = max(stamp(utc_now()), row.updated)
    text = canonical_json(data)
    event = seal(row.id, row.seq + 1, now, "", source, kind, data, row.hash, text)
    transaction.games.append(event, text)
    return row._replace(seq=event.seq, hash=event.hash, updated=event.time, **columns)
