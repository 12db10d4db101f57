import random
import unicodedata
from datetime import datetime, timedelta

import pytest
from hypothesis import given, settings, strategies as st

from inkeek.service.errors import Ahead, Invalid
from inkeek.service.games.corrections import reopen
from inkeek.service.games.event_kinds import content_of, read_data
from inkeek.service.games.repository import Games
from inkeek.service.games.write import Write
from inkeek.service.storage import EVERYTHING, GameFilter, position_key
from inkeek.service.storage.search import alike_keys, days_of, first_moment, key_after_all, look_key, name_key


def pages(games, limit, where=EVERYTHING):
    """All rows of a list, page by page."""
    rows, cursor = games.page(limit, None, where)
    while cursor is not None:
        assert len(rows) <= 1000
        more, cursor = games.page(limit, cursor, where)
        rows = rows + more
    return rows


def test_names_are_compared_without_case_and_runs_of_spaces():
    assert name_key("  West \t BENCH ") == name_key("west bench") == "west bench"
    assert name_key("STRASSE") == name_key("straße")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("José", "Jose\u0301"),  # composed, decomposed
        ("José", "ＪＯＳÉ"),  # full width
        ("Ọ́lá", "O\u0301\u0323la\u0301"),  # marks in another order
        ("ﬁona", "Fiona"),  # a ligature
        ("محمد", "\ufee3\ufea4\ufee4\ufeaa"),  # Arabic presentation forms
        ("محمد", "مُحَمَّد"),  # vowel signs
        ("محمد", "محـــمد"),  # stretched
        ("آمنة", "ا\u0653منة"),
        ("Ann", "\u200eAn\u200dn\ufeff\u00ad"),  # characters that nobody sees
        ("ΟΔΥΣΣΕΥΣ", "Οδυσσευς"),
        ("Ann\u3000Lee", "ann\u00a0lee"),
    ],
)
def test_a_name_written_in_another_way_is_the_same_name(one, other):
    assert name_key(one) == name_key(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Pope", "Роре"),
        ("BOB", "ВОВ"),
        ("Tony", "ΤΟΝΥ"),
        ("José Luis", "JOSE-LUÍS."),
        ("Ali", "AIi\u3164"),
        ("Judge 10", "Judge lO"),
        ("Naisula", "Naisu\u01c0a"),
        ("Naisula", "Naisu|a"),
        ("Judge 1", "Judge \u0661"),
        ("Sein", "Se\u0e3ain\u20dd"),
    ],
)
def test_names_that_look_alike_have_one_look(one, other):
    assert look_key(one) == look_key(other)
    assert name_key(one) != name_key(other)


def test_names_that_look_different_have_two_looks():
    assert look_key("अनिल") != look_key("अनल")
    assert look_key("Koinet") != look_key("Koinett")
    assert look_key("?!") != look_key("!?")


def test_a_name_in_letters_of_another_script_is_found():
    assert name_key("Роре") in alike_keys(name_key("Pope"))
    assert name_key("Pope") in alike_keys(name_key("Роре"))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("José", "Jose"),
        ("Ọlá", "Ola"),
        ("አበበ", "አበባ"),  # Amharic: the vowel is part of the letter
        ("ኃይሌ", "ሃይሌ"),
        ("Juma", "Jumaa"),
        ("Ng'ang'a", "Nganga"),
        ("कि", "की"),  # Devanagari vowel signs are letters
        ("علي", "على"),
        ("Ann Lee", "AnnLee"),
    ],
)
def test_other_names_stay_others(one, other):
    assert name_key(one) != name_key(other)


@settings(max_examples=200)
@given(st.text(max_size=260))
def test_a_key_is_its_own_key_and_found_by_each_of_its_prefixes(name):
    key = name_key(name)
    assert name_key(key) == key
    assert name_key(unicodedata.normalize("NFD", name)) == key or len(key) > 190
    for end in range(1, len(key) + 1):
        after = key_after_all(key[:end])
        assert key[:end] <= key
        assert after is None or key < after


@pytest.mark.parametrize(
    ("date", "first", "last"),
    [
        ("2026.11.20", "2026-11-20", "2026-11-20"),
        ("2026.11.??", "2026-11-00", "2026-11-31"),
        ("2026.??.20", "2026-00-00", "2026-12-31"),
        ("c. May 1974", "1974-05-00", "1974-05-31"),
        ("1974/1976", "1974-00-00", "1976-12-31"),
        ("before 1980", "0000-00-00", "1980-12-31"),
        ("1974/..", "1974-00-00", "9999-12-31"),
        *((date, None, None) for date in ("????.??.??", "yesterday", "2026.11.20 or so", "2026.13.45", "2026.02.29")),
    ],
)
def test_the_days_of_a_date_are_the_first_and_the_last_that_it_may_mean(date, first, last):
    assert days_of({"Date": date}) == (first, last)


def test_a_position_is_its_game_its_pits_and_who_is_to_move():
    key = position_key("bof", "4.4/4s.4 0-0 s 0")
    assert key == position_key("bof", "4.4/4s.4 3-2 s 8")
    assert key == position_key("bof", "4.4/4s.4 3-2 s 8 sn")
    others = [
        ("oware", "4.4/4s.4 0-0 s 0"),
        ("bof", "4.4/4n.4 0-0 s 0"),
        ("bof", "4.4/4s.4 0-0 n 0"),
        ("bof", "4.4/4s.3 0-0 s 0"),
    ]
    assert key not in [position_key(*other) for other in others]
    assert -(2**63) <= key < 2**63


@pytest.mark.parametrize(
    "wrong",
    [
        {"result": "2-0"},
        {"game": "b\0f"},
        {"since": "20.11.2026"},
        {"until": "2026-02-30"},
        {"until": "2026-13"},
        {"state": "over"},
        {"position": "4.4/4.4 0-0 s 0"},
        {"sort": "number"},
        {"created_since": "2026-11"},
        {"created_since": "2026-02-30"},
        {"created_until": "2026-11-20 18:30"},
        {"created_until": "2026-11-20T25:30:00Z"},
        {"updated_since": "today"},
        {"updated_since": "2026-11-20", "sort": "created"},
        {"created_until": "0001-01-01T00:00:00+12:00"},
    ],
)
def test_what_cannot_be_looked_for_is_refused(wrong):
    with pytest.raises(Invalid, match=next(iter(wrong))):
        GameFilter(**wrong)


CURSORS = (
    *("", "x", "~~", "~" * 9, "live~", "live~9" * 9, "live~7", "live~-1", "ended~٣", "2026-11-20~1"),
    *("live~x~y", "live~2026~a~b", "LIVE~2026~a", "live~2026~\x00"),
)


@pytest.mark.parametrize("cursor", CURSORS)
def test_a_cursor_that_is_none_or_of_another_list_is_refused(games, cursor):
    with pytest.raises(Invalid, match=r"^cursor is "):
        games.page(2, cursor)


@pytest.mark.parametrize("where", [EVERYTHING, GameFilter(game="bof"), GameFilter(state=("live", "ended"))])
def test_games_that_end_reopen_and_begin_while_pages_are_read_are_listed_once(games, where):
    """A page of one game: after each, one of those to come and one of those that were listed change their state."""
    ids = [games.create("bof", {}, {}, Write("api")).id for _ in range(8)]
    for ended in ids[::3]:
        games.end(ended, "agreement", None, Write("api"))
    listed, cursor = [], None
    while not listed or cursor:
        rows, cursor = games.page(1, cursor, where)
        listed += [row.id for row in rows]
        for id in (ids[len(listed) % 8], ids[-len(listed)]):
            if games.row(id).state == "live":
                games.end(id, "agreement", None, Write("api"))
            else:
                reopen(games, id, "it goes on", Write("api"), confirm=False)
        games.create("bof", {}, {}, Write("api"))
    assert listed == ids[::-1]


def test_a_game_that_comes_between_two_pages_changes_neither(games):
    ids = [games.create("bof", {}, {}, Write("api")).id for _ in range(4)]
    first, cursor = games.page(2)
    games.create("bof", {}, {}, Write("api"))
    second, _ = games.page(2, cursor)
    assert [row.id for row in (*first, *second)] == ids[::-1]


class Ticking:
    """A clock of a new second at each look, now and then of one that was before."""

    def __init__(self, chance):
        self._chance = chance
        self._now = datetime.fromisoformat("2026-11-20T00:00:00Z")

    def __call__(self):
        self._now += timedelta(hours=self._chance.choice([0, 1, 5, -3]))
        return self._now


@pytest.mark.parametrize(("few", "window"), [(3, 9), (8, 1000)])
def test_every_filter_finds_what_a_plain_look_at_all_games_finds(store, monkeypatch, few, window):
    """40 games of random kinds against a list in memory, page by page; few games are sorted, others looked through."""
    monkeypatch.setattr("inkeek.service.storage.tables.game_list.MAX_SORTED", few)
    monkeypatch.setattr("inkeek.service.storage.tables.game_list.WINDOW", window)
    chance = random.Random(4)
    games = Games(store, max_plies=100, clock=Ticking(chance))
    names, events = ["Ann", "BEN ", "cleo", "?"], ["Cup", "cup  final", "?"]
    dates = ["2026.01.05", "2026.01.??", "2026.02.01", "????.??.??", "2025.12.31", "2025/2026", "before 2026-01-10"]
    made = []
    for _ in range(40):
        game = chance.choice(["bof", "oware", "kalah"])
        tags = {
            "South": chance.choice(names),
            "North": chance.choice(names),
            "Event": chance.choice(events),
            "Date": chance.choice(dates),
        }
        match = None
        if chance.random() < 0.3:
            tags |= {"Match": "games", "MatchGame": "1"}
            match = ("", 1)
        row = games.create(game, {}, tags, Write("api"), match=match)
        for _ in range(chance.randrange(4)):
            legal = games.load(row.id).legal(50)
            if legal:
                row = games.play(row.id, chance.choice(legal), Write("api")).row
        if row.state == "live" and chance.random() < 0.5:
            row = games.end(row.id, "resignation", chance.choice(["South", "North"]), Write("api"))
        made.append(row)
    loaded = {row.id: games.load(row.id) for row in made}

    def fits(row, where):
        texts = {str(loaded[row.id].position_at(ply)) for ply in range(row.ply + 1)}
        first, last = days_of(row.tags)
        keys = {name: {*map(name_key, where.values(name))} for name in ("player", "event")}
        return (
            row.game in (where.values("game") or (row.game,))
            and (not keys["player"] or keys["player"] & {name_key(row.tags["South"]), name_key(row.tags["North"])})
            and (not keys["event"] or name_key(row.tags["Event"]) in keys["event"])
            and (where.since is None or (last is not None and last >= where.since))
            and (where.until is None or (first is not None and first <= where.until))
            and row.result in (where.values("result") or (row.result,))
            and row.state in (where.values("state") or (row.state,))
            and (not where.first_of_match or row.match_id == row.id)
            and (where.created_since is None or row.created >= where.created_since)
            and (where.created_until is None or row.created[:10] <= where.created_until)
            and (
                where.position is None
                or position_key(row.game, where.position) in {position_key(row.game, text) for text in texts}
            )
        )

    def order(row):
        if where.sort is None and (where.since or where.until):
            first = days_of(row.tags).first
        else:
            first = row.created if where.sort or where.created_since or where.created_until else ""
        return (first, made.index(row))

    found = 0
    for number in range(120):
        asked = {
            "game": chance.choice([None, "bof", "oware", ("bof", "oware")]),
            "player": chance.choice([None, None, "ANN", "ben", "Cleo", ("ben", "Cleo")]),
            "event": chance.choice([None, None, "CUP", "Cup Final", ("Cup Final", "CUP")]),
            "since": chance.choice([None, None, "2026-01-01", "2026-01-06"]),
            "until": chance.choice([None, None, "2026-01-31"]),
            "result": chance.choice([None, None, None, "1-0", "*", ("1-0", "*")]),
            "state": chance.choice([None, None, "live", "ended", ("live", "ended")]),
            "first_of_match": chance.random() < 0.1,
            "created_since": chance.choice([None, None, None, "2026-11-20T21:00:00.000000Z"]),
            "created_until": chance.choice([None, None, None, "2026-11-22"]),
            "sort": chance.choice([None, None, "created", "-created"]),
        }
        if asked["game"] and number % 2:
            some = chance.choice([row for row in made if row.game in asked["game"]])
            asked["position"] = str(loaded[some.id].position_at(chance.randrange(some.ply + 1)))
        where = GameFilter(**asked)
        expected = sorted((row for row in made if fits(row, where)), key=order, reverse=where.sort != "created")
        assert pages(games, chance.choice([1, 3, 50]), where) == expected, asked
        found += len(expected)
    assert found > 100


def test_a_game_in_which_a_position_came_up_again_is_found_once(games, store):
    """The start comes up again after the second and the third turn, or so the events say."""
    setup = "1.0.0.0.0.0/0.0.0.0.0.1 23-23 s 0"
    row = games.create("oware", {"repetition": 0, "majority_end": False}, {}, Write("api"), setup=setup)
    with store.writing() as transaction:
        lied = [setup, "0.1.0.0.0.0/0.0.0.0.0.1 23-23 n 1", setup.replace("s 0", "s 2"), setup.replace("s 0", "s 3")]
        transaction.positions.replace(transaction.games.number(row.id), row.game, lied)
    found, cursor = games.page(10, None, GameFilter(game="oware", position=setup))
    assert ([one.id for one in found], cursor) == ([row.id], None)
    assert games.page(10, None, GameFilter(game="kalah", position=setup)) == ([], None)


def test_a_name_with_a_nul_in_it_is_a_name(games):
    """No request can write one, but a record can be read that has one."""
    created = read_data(games.load(games.create("bof", {}, {}, Write("api")).id).events[0])
    created.tags = {"South": "A\0nn", "Event": "\0"}
    new = games.prepare([content_of(created, "import")], Write("import"))
    games.add_all([new])
    assert [one.id for one in games.page(9, None, GameFilter(player="Ann"))[0]] == [new.row.id]
    assert games.integrity(new.row.id) == []


def test_a_name_that_changes_is_looked_up_as_it_is_now(games):
    row = games.create("bof", {}, {"South": "Ann", "Event": "Cup"}, Write("api"))
    games.retag(row.id, {"South": "Ben", "Event": None, "Date": "2026.01.01"}, Write("api"))
    for where, found in (
        (GameFilter(player="Ann"), []),
        (GameFilter(player="Ben"), [row.id]),
        (GameFilter(event="Cup"), []),
        (GameFilter(since="2026-01-01"), [row.id]),
    ):
        assert [one.id for one in games.page(9, None, where)[0]] == found


@pytest.mark.parametrize("window", [2, 1000])
def test_a_list_by_change_misses_no_game_that_changes_while_it_is_read(store, monkeypatch, window):
    monkeypatch.setattr("inkeek.service.storage.tables.game_list.WINDOW", window)
    chance = random.Random(3)
    clock = Ticking(chance)
    games = Games(store, max_plies=100, clock=clock)
    ids = [games.create("bof", {}, {"South": chance.choice(["Ann", "Ben"])}, Write("api")).id for _ in range(12)]
    for _ in range(20):
        games.retag(chance.choice(ids), {"Site": str(chance.random())}, Write("api"))
    rows = [games.row(one) for one in ids]
    for since in ("2026-11-20", sorted(row.updated for row in rows)[6], "2027-01-01"):
        for player in (None, "ann"):
            where = GameFilter(updated_since=since, player=player)
            wanted = [row for row in rows if row.updated >= since and player in (None, name_key(row.tags["South"]))]
            for limit in (1, 5, 50):
                assert sorted(pages(games, limit, where)) == sorted(wanted)
    found, cursor = [], None
    while not found or cursor is not None:
        some, cursor = games.page(3, cursor, GameFilter(updated_since="2026-11-20"))
        found += some
        if cursor is not None and len(found) < 20:
            games.retag(chance.choice(ids), {"Site": str(chance.random())}, Write("api"))
        assert len(found) < 100
    wanted = [row for row in map(games.row, ids) if row.updated >= "2026-11-20"]
    assert {(row.id, row.seq) for row in found} >= {(row.id, row.seq) for row in wanted}


def test_a_cursor_beyond_the_last_change_is_told(games):
    with pytest.raises(Ahead):
        games.page(3, "7", GameFilter(updated_since="2026-11-20"))


def test_a_leap_second_is_a_time():
    assert first_moment("since", "2016-12-31T23:59:60Z") == "2016-12-31T23:59:59.999999Z"
