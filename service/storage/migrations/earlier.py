"""Brings databases of 0.1.0 and of the development revisions 0026 and 0027 into the tables of revision 0033: these are
made as for a new database, and the rows copied, events as they are.

What was withdrawn goes: the secrets of boards, webhooks, apps and what people lent to them; invitations, and the right
of those who came by one. What came of a pairing is said by its game, no longer by the plan of its event. What a plan
says of a game that cannot be decided goes into the log.
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from itertools import groupby, islice
from operator import itemgetter
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection

from inkeek.records import Game
from inkeek.records.notation.tags import format_options
from inkeek.service.errors import StorageError
from inkeek.service.storage.clock import is_stamp, stamp, utc_now
from inkeek.service.storage.game_rows import event_row, game_values, new_rows, read_game
from inkeek.service.storage.ids import random_id
from inkeek.service.storage.integrity.chain import GENESIS, LedgerHead, LedgerNote, canonical_json, chained, seal
from inkeek.service.storage.rows import EventPlanRow, GameRow
from inkeek.service.storage.search import player_keys_of, position_keys
from inkeek.service.storage.tables.schema import games
from inkeek.service.storage.transaction import Transaction

log = logging.getLogger(__name__)

AT_ONCE = 1000  # rows
HASH = re.compile("[0-9a-f]{64}")
WITHDRAWN = (  # those that refer to others first
    *("inbox_events", "inboxes", "board_secrets", "app_codes", "apps", "deliveries", "webhooks", "invitations"),
    "stale_positions",
)
KEPT = {  # rows of old tables; in 0.1.0 and 0026 nothing said that a game must be there
    **dict.fromkeys(("disputes", "photographs"), "game IN (SELECT id FROM old_games)"),
    "analyses": "game_id IN (SELECT id FROM old_games)",
}
WAITING = """
SELECT count(*) FROM inbox_events JOIN boards ON boards.id = board_id WHERE wanted = 'open' AND event LIKE '%"seq"%'
"""
# A time as text that revision 0026 stored as a number of microseconds.
TIME = {
    "sqlite": "iif(time = 0, '', strftime('%Y-%m-%dT%H:%M:%S', time / 1000000, 'unixepoch')"
    " || printf('.%06dZ', time % 1000000))",
    "postgresql": "CASE WHEN time = 0 THEN '' ELSE to_char(timestamp 'epoch' + time * interval '1 microsecond',"
    ' \'YYYY-MM-DD"T"HH24:MI:SS.US"Z"\') END',
}
# The data of events had a character for each frequent phrase. JSON has no control characters, so these were never data.
PHRASES = {
    "\x01": '","nags":[],"comments":[],"variations":[]},"position":"',
    "\x02": ',"turn":{"move":"',
    "\x03": '{"ply":',
    "\x04": " 0-0 s ",
    "\x05": " 0-0 n ",
    **{chr(0x0E + seeds): f"{seeds}." for seeds in range(10)},
}
BACK = str.maketrans(PHRASES)
WRITTEN = "\x1f"  # between a time that was no number of microseconds and the data
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
SEQUENCES = """
SELECT s.relname FROM pg_class AS s JOIN pg_depend AS d ON d.objid = s.oid JOIN pg_class AS t ON t.oid = d.refobjid
WHERE s.relkind = 'S' AND d.deptype IN ('a', 'i') AND t.relname = :table
    AND t.relnamespace = current_schema()::regnamespace
"""
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


def convert(connection: Connection, metadata: sa.MetaData) -> None:
    """Make the tables of `metadata`, and bring what is stored into them.

    :raises StorageError: some presses of a far board are in no game yet.
    """
    if waiting := connection.execute(sa.text(WAITING)).scalar_one():
        raise StorageError(
            f"{waiting} events of far boards wait in the database: let the version that took them run until its desk "
            "has judged them, or release these boards"
        )
    there = sa.inspect(connection).get_table_names()
    names = dict.fromkeys((*WITHDRAWN, "events", *(table.name for table in reversed(metadata.sorted_tables))))
    old = {name: _column_types(connection, name) for name in names if name in there}
    counted = _rename(connection, old)
    metadata.create_all(connection)
    for table in metadata.sorted_tables:
        if table.name in old and table.name not in ("events", "players"):
            _copy(connection, table, old[table.name])
    if "invitation" in old["keys"]:
        came = "UPDATE keys SET revoked = :now WHERE revoked IS NULL AND id IN"
        came += " (SELECT id FROM old_keys WHERE invitation IS NOT NULL)"
        connection.execute(sa.text(came), {"now": stamp(utc_now())})
    if "app" in old["keys"]:
        connection.execute(sa.text("DELETE FROM keys WHERE id IN (SELECT id FROM old_keys WHERE app IS NOT NULL)"))
    connection.execute(sa.text("UPDATE keys SET giver = lender"))
    connection.execute(sa.text("UPDATE keys SET most = 1, joined = 0 WHERE kind = 'link'"))
    if "ledger" not in old:
        _seal(connection, metadata)
        # No board has anything to say that is longer.
        connection.execute(sa.text("DELETE FROM board_log WHERE length(data) > 65536"))
        connection.execute(
            sa.text(
                "UPDATE games SET dispute = (SELECT max(seq) FROM disputes WHERE game = games.id AND state = 'open')"
                " WHERE id IN (SELECT game FROM disputes WHERE state = 'open')"
            )
        )
    _copy_events(connection, metadata.tables["events"], old["events"])
    if "stale_positions" in old:
        _store_positions(connection, metadata.tables["positions"])
    for name in old:
        connection.execute(sa.text(f"DROP TABLE old_{name}"))
    for statement in counted:  # a number is never used again
        connection.execute(sa.text(statement))
    _finish(connection)


def _finish(connection: Connection) -> None:
    """Work out again what follows from games, and end those games of which only plans say how."""
    # The program reads and writes all columns of games that it has now.
    there = _column_types(connection, "games")
    later = [column for column in games.columns if column.name not in there]
    for column in later:
        kind = column.type.compile(connection.dialect)
        connection.execute(sa.text(f"ALTER TABLE games ADD COLUMN {column.name} {kind}"))
    transaction = Transaction(connection)
    for key in sorted(transaction.event_plans.newest(None)):
        planned = transaction.event_plans.get(key)
        if planned is not None:
            move_results(transaction, planned)
    transaction.ledger.store_notes()
    derive_keys(connection, transaction)
    for column in later:
        connection.execute(sa.text(f"ALTER TABLE games DROP COLUMN {column.name}"))


def _column_types(connection: Connection, table: str) -> dict[str, Any]:
    return {column["name"]: column["type"] for column in sa.inspect(connection).get_columns(table)}


def _rename(connection: Connection, names: Iterable[str]) -> list[str]:
    """Give tables and what belongs to them other names. Return the statements that let the new ones count on."""
    counted = []
    if connection.dialect.name == "sqlite":
        indexes = "SELECT name FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL AND tbl_name = :table"
        seq = connection.execute(sa.text("SELECT seq FROM sqlite_sequence WHERE name = 'board_requests'")).scalar()
        if seq is not None:
            counted = [
                "DELETE FROM sqlite_sequence WHERE name = 'board_requests'",
                f"INSERT INTO sqlite_sequence VALUES ('board_requests', {seq})",
            ]
    for name in names:
        if connection.dialect.name == "sqlite":
            for index in connection.execute(sa.text(indexes), {"table": name}).scalars().all():
                connection.execute(sa.text(f'DROP INDEX "{index}"'))
        else:
            of_table = "SELECT indexname FROM pg_indexes WHERE schemaname = current_schema() AND tablename = :table"
            for index in connection.execute(sa.text(of_table), {"table": name}).scalars().all():
                connection.execute(sa.text(f'ALTER INDEX "{index}" RENAME TO "old_{index}"'))
            for sequence in connection.execute(sa.text(SEQUENCES), {"table": name}).scalars().all():
                last, called = connection.execute(sa.text(f'SELECT last_value, is_called FROM "{sequence}"')).one()
                connection.execute(sa.text(f'ALTER SEQUENCE "{sequence}" RENAME TO "old_{sequence}"'))
                counted.append(
                    f"SELECT setval(oid, {last}, {called}) FROM pg_class WHERE relname = '{sequence}'"
                    " AND relnamespace = current_schema()::regnamespace"
                )
        connection.execute(sa.text(f"ALTER TABLE {name} RENAME TO old_{name}"))
    return counted


def _copy(connection: Connection, table: sa.Table, old: dict[str, Any]) -> None:
    """Copy the rows of an old table, as far as it has the columns."""
    columns = [column for column in table.c.keys() if column in old]  # noqa: SIM118
    values = [
        TIME[connection.dialect.name] if name == "time" and isinstance(old[name], sa.Integer) else f'"{name}"'
        for name in columns
    ]
    names = ", ".join(f'"{name}"' for name in columns)
    query = f"INSERT INTO {table.name} ({names}) SELECT {', '.join(values)} FROM old_{table.name}"
    connection.execute(sa.text(f"{query} WHERE {KEPT.get(table.name, 'true')}"))


def _read(connection: Connection, query: str) -> Any:
    return connection.execute(sa.text(query), execution_options={"yield_per": AT_ONCE})


def _fill(connection: Connection, table: sa.Table, rows: Iterable[tuple[Any, ...]]) -> None:
    """Store rows with a value for each column, in the order of the declared table."""
    names, rows = table.columns.keys(), iter(rows)
    while some := list(islice(rows, AT_ONCE)):
        connection.execute(sa.insert(table), [dict(zip(names, row, strict=True)) for row in some])


def _seal(connection: Connection, metadata: sa.MetaData) -> None:
    """Seal the games that there are. Times never go back along the ledger: those of its entries are the latest."""
    updated = connection.execute(sa.text("SELECT coalesce(max(updated), '') FROM games")).scalar_one()
    latest = updated if is_stamp(updated) else ""
    stored = _read(connection, "SELECT id, number, seq, hash FROM games ORDER BY number, id")
    notes = (LedgerNote(row.id, row.number or 0, 1, row.seq, latest, row.hash) for row in stored)
    sealed = (
        (*entry[:6], bytes.fromhex(entry.head), bytes.fromhex(entry.hash)) for entry in chained(LedgerHead(), notes)
    )
    _fill(connection, metadata.tables["ledger"], sealed)
    connection.execute(
        sa.text(
            "INSERT INTO ledger_games SELECT number, position FROM ledger "
            "WHERE position <= (SELECT max(position) - max(position) % 1000 FROM ledger) ORDER BY number, position"
        )
    )


def _copy_events(connection: Connection, events: sa.Table, old: dict[str, Any]) -> None:
    """Copy the events: of 0.1.0 by the number of their game, of 0026 written out."""
    if "game_id" in old:
        _fill(connection, events, _first_events(connection))
    elif isinstance(old["time"], sa.Integer):
        _fill(connection, events, _long_events(connection))
    else:
        _copy(connection, events, old)


def _first_events(connection: Connection) -> Iterator[tuple[Any, ...]]:
    stored = _read(
        connection,
        "SELECT g.number, old.seq, old.time, old.actor, old.source, old.kind, old.data, old.hash"
        " FROM old_events AS old JOIN games AS g ON g.id = old.game_id ORDER BY g.number, old.seq",
    )
    for *row, hash_ in stored:
        yield *row, bytes.fromhex(hash_ if HASH.fullmatch(hash_) else GENESIS)


def _long_events(connection: Connection) -> Iterator[tuple[Any, ...]]:
    """The events as they were before they were made short. A hash that was left out follows from the events."""
    stored = _read(
        connection,
        "SELECT old.number, old.seq, old.time, old.actor, old.source, old.kind, old.data, old.hash,"
        " coalesce(g.id, (SELECT min(game_id) FROM ledger WHERE ledger.number = old.number))"
        " FROM old_events AS old LEFT JOIN games AS g ON g.number = old.number ORDER BY old.number, old.seq",
    )
    for number, rows in groupby(stored, itemgetter(0)):
        head = GENESIS
        for _, seq, stored_time, actor, source, kind, short, hash_, game in rows:
            time, data = expand(stored_time, short)
            text = data.encode()
            head = seal(game, seq, time, actor, source, kind, {}, head, text).hash if hash_ is None else hash_.hex()
            yield number, seq, time, actor, source, kind, data, bytes.fromhex(head)


def expand(time: int, data: str) -> tuple[str, str]:
    """The time and the data of an event that was stored as these."""
    if time or WRITTEN not in data:
        return stamp(EPOCH + timedelta(microseconds=time)), data.translate(BACK)
    text, _, data = data.rpartition(WRITTEN)
    return text, data.translate(BACK)


def _store_positions(connection: Connection, positions: sa.Table) -> None:
    """Store the positions that were still to be stored: those of the latest turns, or of imported games."""
    connection.execute(sa.text("DELETE FROM positions WHERE number IN (SELECT number FROM old_stale_positions)"))
    stored = _read(
        connection,
        "SELECT e.number, g.game, e.kind, e.data FROM old_stale_positions AS s JOIN games AS g ON g.number = s.number"
        " JOIN events AS e ON e.number = s.number WHERE e.kind IN ('created', 'turn', 'retraction')"
        " ORDER BY e.number, e.seq",
    )
    for (number, game), rows in groupby(stored, itemgetter(0, 1)):
        texts: list[str] = []
        for _, _, kind, data in rows:
            if kind == "retraction":
                texts.pop()
            else:
                texts.append(json.loads(data)["position"])
        keys = enumerate(position_keys(game, texts))
        _fill(connection, positions, [(number, ply, key) for ply, key in keys])


def derive_keys(connection: Connection, transaction: Transaction) -> None:
    """Work out again by what games are found: players, events, days, rules."""
    last = -1
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
