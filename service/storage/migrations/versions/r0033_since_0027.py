"""What changed since revision 0027: invitations are links, local rule sets are kept, far boards report what their own
process has judged, games are found by each day on which they may have been played and by the rules that they carry, and
what came of a pairing is said by its game.

Invitations end, and the right of those who came by one. What a plan says of a game that it cannot decide goes into the
log. Revision 0033.
"""

from __future__ import annotations

import logging
from typing import Any

import sqlalchemy as sa
from alembic import op

from inkeek.records import Game
from inkeek.records.notation.tags import format_options
from inkeek.service.errors import StorageError
from inkeek.service.storage import migrations
from inkeek.service.storage.clock import stamp, utc_now
from inkeek.service.storage.game_rows import event_row, game_values, new_rows, read_game
from inkeek.service.storage.ids import random_id
from inkeek.service.storage.integrity.chain import GENESIS, canonical_json, seal
from inkeek.service.storage.rows import EventPlanRow, GameRow
from inkeek.service.storage.search import player_keys_of
from inkeek.service.storage.tables.schema import games
from inkeek.service.storage.transaction import Transaction

log = logging.getLogger(migrations.__name__)  # Alembic gives this module a name of its own

revision = "0033"
down_revision = "0027"

AT_ONCE = 1000  # games
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
WAITING = """
SELECT count(*) FROM inbox_events JOIN boards ON boards.id = board_id WHERE wanted = 'open' AND event LIKE '%"seq"%'
"""


def upgrade() -> None:
    change_tables()
    connection = op.get_bind()
    # The program reads and writes all columns of games that it has now.
    there = {column["name"] for column in sa.inspect(connection).get_columns("games")}
    later = [column for column in games.columns if column.name not in there]
    for column in later:
        op.add_column("games", sa.Column(column.name, column.type))
    transaction = Transaction(connection)
    for key in sorted(transaction.event_plans.newest(None)):
        planned = transaction.event_plans.get(key)
        if planned is not None:
            move_results(transaction, planned)
    transaction.ledger.store_notes()
    derive_keys(transaction)
    for column in later:
        op.drop_column("games", column.name)


def text(length: int) -> Any:
    return sa.String(length).with_variant(sa.Text, "sqlite")


def change_tables() -> None:
    if waiting := op.get_bind().execute(sa.text(WAITING)).scalar_one():  # some presses may be in no game yet
        raise StorageError(
            f"{waiting} events of far boards wait in the database: let the version that took them run until its desk "
            "has judged them, or release these boards"
        )
    came = sa.text("UPDATE keys SET revoked = :now WHERE invitation IS NOT NULL AND revoked IS NULL")
    op.get_bind().execute(came, {"now": stamp(utc_now())})
    op.drop_table("invitations")
    op.drop_index("ix_keys_invitation", "keys")
    op.drop_column("keys", "invitation")
    for name, kind in (("giver", text(32)), ("code", text(16)), ("most", sa.Integer), ("joined", sa.Integer)):
        op.add_column("keys", sa.Column(name, kind))
    op.create_index("uq_keys_code", "keys", ["code"], unique=True)
    op.create_index("ix_keys_giver", "keys", ["giver"])
    op.execute("UPDATE keys SET most = 1, joined = 0 WHERE kind = 'link'")
    op.execute("UPDATE keys SET giver = lender")
    key = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
    op.create_table(
        "rulesets",
        sa.Column("id", key, primary_key=True),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("added", text(32), nullable=False),
        sa.Column("by", sa.Text, nullable=False),
        sqlite_strict=True,
    )
    for table, name, length in (
        ("boards", "heard", 32),
        ("boards", "report", 32),
        ("games", "last_date", 10),
        ("games", "rules", 12),
    ):
        op.add_column(table, sa.Column(name, text(length)))
    op.drop_table("inbox_events")
    op.drop_table("inboxes")
    op.drop_index("ix_games_date_number", "games")
    op.create_index("ix_games_date_number_last_date", "games", ["date", "number", "last_date"])
    if op.get_bind().dialect.name == "postgresql":
        op.alter_column("players", "game", type_=sa.String(80))


def derive_keys(transaction: Transaction) -> None:
    """Work out again by what games are found: players, events, days, rules."""
    connection, last = op.get_bind(), -1
    some = sa.select(games).where(games.c.number > sa.bindparam("last")).order_by(games.c.number).limit(AT_ONCE)
    found_by: dict[str, Any] = {name: sa.bindparam(name) for name in ("event", "date", "last_date", "rules")}
    fill = sa.update(games).where(games.c.number == sa.bindparam("of")).values(found_by)
    while rows := connection.execute(some, {"last": last}).all():
        read = {row.number: read_game(row) for row in rows}
        values = ({**game_values(one), "of": number} for number, one in read.items())
        connection.execute(fill, [{name: one[name] for name in ("of", *found_by)} for one in values])
        transaction.games.replace_players([(number, player_keys_of(one)) for number, one in read.items()])
        last = rows[-1].number


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


def append(
    transaction: Transaction, row: GameRow, source: str, kind: str, data: dict[str, Any], columns: dict[str, Any]
) -> GameRow:
    """Store an event of a game, and return its row after it."""
    now = max(stamp(utc_now()), row.updated)
    text = canonical_json(data)
    event = seal(row.id, row.seq + 1, now, "", source, kind, data, row.hash, text)
    transaction.games.append(event, text)
    return row._replace(seq=event.seq, hash=event.hash, updated=event.time, **columns)
