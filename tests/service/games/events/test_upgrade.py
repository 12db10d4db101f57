"""Revision 0028: what plans said becomes ends of games."""

import json
import re

import pytest
from sqlalchemy import text

from inkeek.service.games.event_data import CorrectionData
from inkeek.service.games.events.plan import EventPlan, EventPlayer, OfferedGame, plan_of
from inkeek.service.games.events.planning import Events
from inkeek.service.games.events.results import matches_of, result_of
from inkeek.service.games.events.standings import load_rows
from inkeek.service.games.matches.matches import Matches
from inkeek.service.games.write import Write
from inkeek.service.maintenance import archive
from inkeek.service.maintenance.verify import verify
from inkeek.service.storage import migrations
from inkeek.service.storage.store import Store

WRITE = Write("api")


@pytest.fixture
def events(store, games):
    players = tuple(EventPlayer(id, name) for id, name in enumerate("ABCDEFGHI", 1))
    event = EventPlan("Cup", games=(OfferedGame("bof"),), players=players, format="swiss", place="Narok")
    events = Events(store, games, 1000)
    events.create(event, WRITE)
    events.begin_round("cup", 1, WRITE)
    return events


def played(games, id, turns=1):
    for _ in range(turns):
        games.play(id, games.load(id).legal(1)[0], WRITE)


def sql(store, statement, **values):
    with store.writing() as transaction:
        transaction.games._session.execute(text(statement), values)


def older(store, results):
    """Have the plan say these results, by table, as plans did before; some of them of no game."""
    with store.reading() as transaction:
        plan = transaction.event_plans.get("cup").plan
    for one in plan["rounds"][0]["pairings"]:
        if one["table"] in results:
            one["result"], keeps = results[one["table"]]
            if not keeps:
                del one["game"]
    sql(store, "UPDATE event_plans SET plan = :plan", plan=json.dumps(plan))
    with_older_tables(store)
    sql(store, "UPDATE alembic_version SET version_num = '0027'")


INVITATIONS = '''id VARCHAR(32), code VARCHAR(16), role VARCHAR(16), event TEXT, "table" TEXT, most INTEGER,
    joined INTEGER, "by" TEXT, created VARCHAR(32), expires VARCHAR(32), event_key TEXT COLLATE "C"'''

INBOXES = """board_id VARCHAR(32) NOT NULL, spool VARCHAR(64) NOT NULL, claim INTEGER NOT NULL, last BIGINT NOT NULL,
    dealt BIGINT NOT NULL, boot VARCHAR(16), seq BIGINT NOT NULL, hello TEXT, guidance TEXT, answers BIGINT NOT NULL,
    version INTEGER NOT NULL, heard VARCHAR(32) NOT NULL, last_hello TEXT"""
INBOX_EVENTS = "board_id VARCHAR(32) NOT NULL, number BIGINT NOT NULL, event TEXT NOT NULL"


def inbox_tables(is_sqlite):
    """Statements that make the tables of far boards' inboxes, which went with revision 0031."""
    for table, columns, key, objects in (
        ("inboxes", INBOXES, "board_id", ("hello", "guidance", "last_hello")),
        ("inbox_events", INBOX_EVENTS, "board_id, number", ("event",)),
    ):
        valid = "json_valid({0})" if is_sqlite else "CAST({0} AS json) IS NOT NULL"
        checks = [f"CONSTRAINT ck_{table}_{one}_json CHECK ({one} IS NULL OR {valid.format(one)})" for one in objects]
        if is_sqlite:
            columns = re.sub(r"VARCHAR\(\d+\)", "TEXT", columns).replace("BIGINT", "INTEGER")
        parts = (
            columns,
            f"CONSTRAINT pk_{table} PRIMARY KEY ({key})",
            *checks,
            f"CONSTRAINT fk_{table}_board_id_boards FOREIGN KEY (board_id) REFERENCES boards (id)",
        )
        yield f"CREATE TABLE {table} ({', '.join(parts)})" + " STRICT" * is_sqlite


def with_older_tables(store):
    """The tables of keys as they were before revision 0029, no local rules, which came with 0030, the inboxes of far
    boards, which went with 0031, no last days, which came with 0032, and no keys of rules, which came with 0033."""
    with store.reading() as transaction:
        is_sqlite = transaction.games._session.dialect.name == "sqlite"
    columns = ", ".join(f"{one} NOT NULL" for one in INVITATIONS.split(","))
    table = f"CREATE TABLE invitations ({columns}, withdrawn VARCHAR(32), CONSTRAINT pk_invitations PRIMARY KEY (id))"
    column = "ALTER TABLE keys ADD COLUMN invitation VARCHAR(32)"
    if is_sqlite:
        table, column = (re.sub(r"VARCHAR\(\d+\)", "TEXT", one).replace(' COLLATE "C"', "") for one in (table, column))
    for statement in (
        *("DROP TABLE rulesets", "DROP INDEX uq_keys_code", "DROP INDEX ix_keys_giver"),
        *(f"ALTER TABLE keys DROP COLUMN {name}" for name in ("giver", "code", "most", "joined")),
        *(column, "CREATE INDEX ix_keys_invitation ON keys (invitation)"),
        *(table + " STRICT" * is_sqlite, "CREATE UNIQUE INDEX uq_invitations_code ON invitations (code)"),
        "CREATE INDEX ix_invitations_event_key ON invitations (event_key)",
        *("ALTER TABLE boards DROP COLUMN heard", "ALTER TABLE boards DROP COLUMN report", *inbox_tables(is_sqlite)),
        *("DROP INDEX ix_games_date_number_last_date", "ALTER TABLE games DROP COLUMN last_date"),
        *("CREATE INDEX ix_games_date_number ON games (date, number)", "ALTER TABLE games DROP COLUMN rules"),
        *(() if is_sqlite else ("ALTER TABLE players ALTER COLUMN game TYPE VARCHAR(64)",)),
    ):
        sql(store, statement)


def undecided(caplog):
    return [one.getMessage() for one in caplog.records if one.name == migrations.__name__]


def found(store, table):
    rows, plan, _ = load_rows(store, "cup", 1000)
    return result_of(plan.rounds[0].pairings[table - 1], matches_of(rows))


def test_the_results_of_plans_are_ends_of_games(store, games, events, caplog):
    ids = [one.game for one in plan_of(events.load("cup")).rounds[0].pairings]
    games.end(ids[0], "forfeit", "South", WRITE)  # and then the other side was said to have come
    played(games, ids[1])
    games.end(ids[1], "resignation", "South", WRITE)  # and a forfeit was put over it
    played(games, ids[2])
    games.end(ids[2], "abandoned", None, WRITE)
    older(store, {1: ("north", True), 2: ("north", True), 3: ("none", True), 4: ("south", False), 5: ("half", False)})
    store.upgrade()
    store.update_ledger()
    assert [tuple(found(store, table)) for table in range(1, 6)] == [
        ("north", (0.0, 1.0)),
        ("", (0.0, 1.0)),
        ("", (0.0, 0.0)),
        ("south", (1.0, 0.0)),
        ("half", (0.5, 0.0)),
    ]
    plan = events.load("cup").plan
    assert not any("result" in one for one in plan["rounds"][0]["pairings"])
    new = games.row(plan["rounds"][0]["pairings"][3]["game"])
    assert {"Event": "Cup", "Site": "Narok", "Round": "1", "Board": "4"}.items() <= new.tags.items()
    assert [report.faults for report in verify(store) if report.faults] == []
    assert undecided(caplog) == []


def test_a_game_gets_the_end_back_that_its_rules_brought(store, games, tmp_path, caplog):
    tags = {"South": "Ann", "North": "Ben"}
    matches = Matches(store, games)
    first = matches.begin("bof", "games 3", {}, tags, WRITE).rows[0]
    games.end(first.id, "resignation", "South", WRITE)
    rows = []
    for _ in range(2):
        rows.append(matches.go_on(first.id, "", {}, WRITE))
        for _ in range(400 if not rows[1:] else 1):
            if games.row(rows[-1].id).state == "ended":
                break
            played(games, rows[-1].id)
        if rows[1:]:
            games.end(rows[-1].id, "resignation", "South", WRITE)
    by_rules, by_hand = (games.row(row.id) for row in rows)
    assert games.load(by_rules.id).state.end.source == "rules"
    for row in rows:
        with games.edit(row.id, WRITE) as game:
            game.add_end(CorrectionData(**game.end_by_hand("abandoned", None), reason="the end of game 1 was changed"))
    with_older_tables(store)
    sql(store, "UPDATE alembic_version SET version_num = '0027'")
    store.upgrade()
    store.update_ledger()
    after = games.row(by_rules.id)
    assert (after.result, after.score, after.termination) == (by_rules.result, by_rules.score, by_rules.termination)
    assert games.row(by_hand.id).termination == "abandoned"
    assert [by_hand.id in message for message in undecided(caplog)] == [True]
    assert [report.faults for report in verify(store) if report.faults] == []
    lines = "".join(archive.export(store)).splitlines(keepends=True)
    other = Store(f"sqlite:///{tmp_path / 'other.sqlite3'}")
    try:
        other.upgrade()
        assert archive.check(other, lines) == []
        archive.load(other, lines)
        assert "".join(archive.export(other)) == "".join(lines)
    finally:
        other.close()
