import threading
from datetime import UTC, datetime, timedelta

import pytest
from msgspec.structs import replace

from inkeek.records import Move, Position, PositionError, RecordsError, read_games
from inkeek.service.errors import Conflict, GameEnded, Illegal, Invalid, NotFound, Stale
from inkeek.service.games.answers import illegal_json
from inkeek.service.games.corrections import take_back
from inkeek.service.games.editor import EVENTS_A_PLY
from inkeek.service.games.event_kinds import content_of, read_data
from inkeek.service.games.repository import Games
from inkeek.service.games.state import game_state
from inkeek.service.games.write import Write
from inkeek.service.storage.clock import moment, stamp

SMALL = {"pits": 8, "setup": "fours-right"}
NEARLY_OVER = "0.1.1.0.0.0.0.0/0.0.0.0.0.0.0.0 29-17 s 10"  # North, to move next, has nothing to move


@pytest.fixture
def games(services):
    return services.games


def play_some(games, game_id, turns):
    for _ in range(turns):
        games.play(game_id, games.load(game_id).legal(1)[0], Write("api"))


def test_a_time_before_the_last_event_is_never_stored_without_a_word(services, caplog):
    """Machines share a database, and their clocks differ."""
    start = datetime(2026, 11, 20, 18, tzinfo=UTC)
    times = [start + timedelta(seconds=seconds) for seconds in (0, -1.5, 3, -7200, -7199)]
    games = Games(services.store, max_plies=10, clock=iter(times).__next__)
    game = games.create("enkeshui", SMALL, {}, Write("api")).id
    play_some(games, game, 4)
    with services.store.reading() as transaction:
        stored = [moment(event.time) for event in transaction.games.events(game)]
    assert stored == [times[0], times[0], *times[2:]]
    (warning,) = caplog.messages
    assert stamp(times[3]) in warning
    assert games.integrity(game) == []


def test_a_new_game_stands_at_the_start(games):
    row = games.create("enkeshui", SMALL, {"South": "A", "First": "North"}, Write("api"))
    loaded = games.load(row.id)
    assert loaded.row == row
    assert (row.state, row.ply, row.seq, row.result) == ("live", 0, 1, "*")
    assert str(loaded.position) == row.start == "0.0.4.4.4.4.4.4/0.0.4.4.4.4.4.4 0-0 n 0"
    assert loaded.rules.options["pits"] == 8


@pytest.mark.parametrize(
    ("game", "options", "tags", "setup", "error", "says"),
    [
        ("chess", {}, {}, None, RecordsError, "chess"),
        ("enkeshui", {"pits": 7}, {}, None, RecordsError, "pits=7"),
        ("enkeshui", {"kernel": "interpreted"}, {}, None, RecordsError, "no option 'kernel'"),
        ("enkeshui", {"id": "bof"}, {}, None, RecordsError, "no option 'id'"),
        ("enkeshui", {"pits": [8]}, {}, None, Invalid, "options.pits is"),
        ("enkeshui", {}, {"Result": "1-0"}, None, Invalid, r"tags\.Result "),
        ("enkeshui", {}, {"Two words": "x"}, None, Invalid, "'Two words'"),
        ("enkeshui", {}, {"South": "x\ny"}, None, Invalid, r"tags\.South: the character"),
        ("enkeshui", {}, {"South": "x" * 2001}, None, Invalid, "at most 2000"),
        ("enkeshui", {}, {"First": "East"}, None, RecordsError, "First is 'East'"),
        ("enkeshui", {}, {}, "4.4/4.4", PositionError, "4.4/4.4"),
        ("enkeshui", SMALL, {}, "0.0.4/0.0.4 0-0 s 0", RecordsError, "3 pits a row"),
    ],
)
def test_a_game_that_cannot_be_is_refused_and_nothing_is_stored(games, game, options, tags, setup, error, says):
    with pytest.raises(error, match=says):
        games.create(game, options, tags, Write("api"), setup)
    assert games.page(10) == ([], None)


def test_a_turn_is_stored_with_what_it_does(games):
    row = games.create("enkeshui", SMALL, {}, Write("api"))
    played = games.play(row.id, Move.parse("c"), Write("page", actor="Koinet"), comments=["why not"])
    assert played.event.seq == 2
    assert played.event.data["turn"]["move"] == str(played.turn.move)
    assert played.event.data["turn"]["comments"] == ["why not", '[%by "Koinet"]']
    assert games.row(row.id) == played.row
    assert played.row.position == str(played.turn.position)
    assert '[%by "Koinet"]' in games.load(row.id).pmn()


def test_a_name_with_wide_spaces_stands_in_the_record_with_single_ones(games):
    row = games.create("enkeshui", SMALL, {}, Write("api"))
    played = games.play(row.id, Move.parse("c"), Write("page", actor="Nasieku  ole Sein "))
    assert played.event.data["turn"]["comments"] == ['[%by "Nasieku ole Sein"]']
    blank = games.play(row.id, games.load(row.id).legal(1)[0], Write("page", actor="  "))
    assert blank.event.data["turn"]["comments"] == []


def test_an_illegal_move_carries_what_the_rules_say_and_is_not_stored(games):
    row = games.create("enkeshui", SMALL, {}, Write("api"))
    with pytest.raises(Illegal) as caught:
        games.play(row.id, Move.parse("a"), Write("api"))
    error = caught.value.error
    assert error.reason == "empty-pit"
    assert str(error.position) == row.position
    assert list(error.legal) == games.load(row.id).legal(100)
    assert games.row(row.id) == row


def test_a_false_claim_is_refused_with_the_trace(games):
    row = games.create("enkeshui", SMALL, {}, Write("api"))
    with pytest.raises(Illegal) as caught:
        games.play(row.id, Move.parse("cx7"), Write("api"))
    answer = illegal_json(caught.value)
    assert answer["reason"] == "false-claim"
    assert answer["trace"][0].kind == "lift"


def test_of_two_writers_one_gets_the_current_state(games):
    row = games.create("enkeshui", SMALL, {}, Write("api"))
    games.play(row.id, Move.parse("c"), Write("api", expected_ply=1))
    with pytest.raises(Conflict, match=r"1.* 2") as caught:
        games.play(row.id, Move.parse("d"), Write("api", expected_ply=1))
    assert caught.value.more["current"].ply == 1
    with pytest.raises(Stale, match=r"1.* 2"):
        games.play(row.id, Move.parse("d"), Write("api", expected_seq=1))


def test_many_writers_at_once_store_one_turn_each_number(games):
    row = games.create("enkeshui", SMALL, {}, Write("api"))
    won, lost = [], []

    def write():
        try:
            won.append(games.play(row.id, Move.parse("c"), Write("api", expected_ply=1)))
        except Conflict as error:
            lost.append(error)

    threads = [threading.Thread(target=write) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(won), len(lost)) == (1, 7)
    assert games.row(row.id).ply == 1


def test_a_boards_event_is_stored_once(games):
    row = games.create("enkeshui", SMALL, {}, Write("api"))
    first = games.play(row.id, Move.parse("c"), Write("board:S-1:0000000a:9"))
    with pytest.raises(Conflict):
        games.play(row.id, Move.parse("C"), Write("board:S-1:0000000a:9"))
    assert games.row(row.id) == first.row
    assert games.has(row.id, "board:S-1:0000000a:9")
    assert not games.has(row.id, "board:S-1:0000000a:8")


def test_the_rules_end_the_game_in_the_same_breath(games):
    row = games.create("enkeshui", SMALL, {}, Write("api"), NEARLY_OVER)
    played = games.play(row.id, games.load(row.id).legal(1)[0], Write("api"))
    assert played.outcome is not None
    assert played.row.state == "ended"
    assert [event.kind for event in games.load(row.id).events] == ["created", "turn", "ended"]
    loaded = games.load(row.id)
    assert loaded.record.tags["Result"] == played.outcome.result
    assert loaded.record.tags["Score"] == "{}-{}".format(*played.outcome.score)
    assert loaded.record.errors == ()
    assert loaded.legal(10) == []
    with pytest.raises(GameEnded):
        games.play(row.id, Move.parse("c"), Write("api"))
    with pytest.raises(GameEnded):
        games.end(row.id, "agreement", None, Write("api"))


def test_a_game_from_a_position_that_is_over_is_refused(games):
    with pytest.raises(Invalid, match="setup is "):
        games.create("enkeshui", SMALL, {}, Write("api"), "0.0.0.0.0.0.0.1/0.0.0.0.0.0.0.0 30-17 n 9")


def test_too_many_turns_are_refused(services):
    games = Games(services.store, max_plies=2)
    row = games.create("enkeshui", SMALL, {}, Write("api"))
    play_some(games, row.id, 2)
    with pytest.raises(Invalid, match="at most 2"):
        play_some(games, row.id, 1)


def test_tags_change_and_go(games):
    row = games.create("enkeshui", SMALL, {"South": "A", "Event": "E"}, Write("api"))
    changed = games.retag(row.id, {"South": "B", "Event": None, "Extra": "x"}, Write("api"))
    assert changed.tags == {"South": "B", "Extra": "x"}
    assert games.row(row.id) == changed
    assert games.retag(row.id, {"South": "B"}, Write("api")).seq == changed.seq  # nothing changed: no event
    with pytest.raises(Invalid, match=r"tags\.Score "):
        games.retag(row.id, {"Score": "1-2"}, Write("api"))
    with pytest.raises(Invalid, match=r"tags\.First"):
        games.retag(row.id, {"First": None}, Write("api"))
    with pytest.raises(Stale):
        games.retag(row.id, {"South": "C"}, Write("api", expected_seq=1))


@pytest.mark.parametrize("call", ["row", "load", "integrity"])
def test_a_game_that_is_not_there(games, call):
    with pytest.raises(NotFound, match="'nobody'"):
        getattr(games, call)("nobody")


def test_what_is_stored_is_what_the_events_say(games):
    row = games.create("enkeshui", SMALL, {"South": "A"}, Write("api"))
    play_some(games, row.id, 6)
    games.retag(row.id, {"North": "B"}, Write("api"))
    games.end(row.id, "resignation", "North", Write("api", actor="A"))
    loaded = games.load(row.id)
    assert game_state(loaded.events).row == loaded.row
    assert games.integrity(row.id) == []
    assert loaded.record.errors == ()


def test_a_game_has_a_bound_of_events(services):
    games = Games(services.store, max_plies=1)
    row = games.create("enkeshui", SMALL, {}, Write("api"))
    for number in range(EVENTS_A_PLY - 1):
        games.retag(row.id, {"Round": str(number)}, Write("api"))
    with pytest.raises(Invalid, match=f" {EVENTS_A_PLY} "):
        games.retag(row.id, {"Round": "last"}, Write("api"))


def test_the_record_is_written_and_read_back(games):
    row = games.create("enkeshui", SMALL, {"South": 'A "the" \\ B', "Zeta": "ä"}, Write("api"))
    for comment in ("plain", "with [%clk 0:01:02]", "  spaces  inside ", "  ", "ünïcode (1. x) ;", "a } b {"):
        games.play(row.id, games.load(row.id).legal(1)[0], Write("api", actor='Nasieku "Ol" }'), comments=[comment])
    loaded = games.load(row.id)
    (read,) = read_games(loaded.pmn().splitlines(keepends=True))
    assert read.errors == ()
    assert [ply.comments for ply in read.plies] == [ply.comments for ply in loaded.record.plies]
    assert dict(read.tags).items() >= loaded.row.tags.items()


@pytest.mark.parametrize(
    ("actor", "comments"),
    [("a\x1bb", []), ("x" * 201, []), ("", ["a \x1b b"]), ("", ["x"] * 101), ("", ["[%clk soon]"])],
)
def test_what_cannot_stand_in_a_record_is_refused(games, actor, comments):
    row = games.create("enkeshui", SMALL, {}, Write("api"))
    with pytest.raises(Invalid):
        games.play(row.id, Move.parse("c"), Write("api", actor=actor), comments=comments)
    assert games.row(row.id) == row


def test_an_id_that_is_taken_is_no_game_lost(services):
    games = Games(services.store, max_plies=10, new_id=lambda: "same")
    row = games.create("enkeshui", SMALL, {}, Write("api"))
    with pytest.raises(Conflict):
        games.create("enkeshui", {}, {}, Write("api"))
    assert games.page(10) == ([row], None)


@pytest.mark.parametrize("name", ["First", "Race", "RacePosition"])
def test_how_a_game_began_stays_as_it_is(games, name):
    row = games.create("enkeshui", SMALL, {"First": "North"}, Write("api"))
    for value in ("h H North", None):
        with pytest.raises(Invalid, match=f"tags.{name}"):
            games.retag(row.id, {name: value}, Write("api"))
    assert games.row(row.id) == row


def test_a_match_that_the_start_needs_is_not_taken_away(games):
    start = "0.0.0.0.0.0.4.4/0.0.4.4.4.4.4.4 0-0 s 0"
    row = games.create("enkeshui", SMALL, {"Match": "surplus"}, Write("api"), start)
    assert row.options["match"] == "surplus"
    for tags, says in (
        ({"Match": "games 3"}, "'games 3'.*match=surplus"),
        ({"MatchGame": "1"}, "the first game of a match begins from the standard set-up"),
        ({"Match": "rounds"}, "'rounds'.*match=surplus"),
    ):
        with pytest.raises(RecordsError, match=says):
            games.retag(row.id, tags, Write("api"))
    assert games.load(row.id).seq == 1
    assert games.retag(row.id, {"Match": "surplus, third", "MatchGame": "3"}, Write("api")).seq == 2
    games.retag(row.id, {"Match": None, "MatchGame": None}, Write("api"))
    assert games.load(row.id).record.errors == ()
    assert games.load(row.id).rules.start() == Position.parse(start)


def test_an_imported_game_is_no_longer_than_others(services):
    games = Games(services.store, max_plies=1)
    row = games.create("enkeshui", SMALL, {}, Write("api"))
    play_some(games, row.id, 1)
    created, turn = map(read_data, games.load(row.id).events)
    contents = [content_of(one, "import") for one in (created, turn, replace(turn, ply=2))]
    with pytest.raises(Invalid, match=r"2 turns.* 1"):
        games.prepare(contents, Write("import"))


def test_a_player_rearranges_once(games):
    row = games.create("enkeshui", SMALL, {}, Write("api"))
    games.play(row.id, Move.parse("gh@a4b4"), Write("api"))
    with pytest.raises(Illegal) as caught:
        games.play(row.id, Move.parse("ab@g4h4"), Write("api"))
    assert caught.value.error.reason == "rearrangement"
    games.play(row.id, games.load(row.id).legal(1)[0], Write("api"))
    assert games.integrity(row.id) == []


def test_a_game_keeps_who_has_only_rearranged_so_far(games):
    row = games.create("enkeshui", {**SMALL, "rearrangement": "any-turn"}, {}, Write("api"))
    games.play(row.id, Move.parse("gh@a8"), Write("api"))
    assert games.load(row.id).position.unsown == 1
    games.play(row.id, games.load(row.id).legal(1)[0], Write("api"))
    assert games.load(row.id).position.unsown == 1
    games.play(row.id, games.load(row.id).legal(1)[0], Write("api"))
    assert games.load(row.id).position.unsown == 0
    assert games.integrity(row.id) == []


def test_several_turns_are_taken_back_together_or_not_at_all(games):
    row = games.create("enkeshui", SMALL, {}, Write("api"))
    play_some(games, row.id, 3)
    before = games.load(row.id)
    for count in (0, 4):
        with pytest.raises(Invalid):
            take_back(games, row.id, "agreement", Write("api"), count=count)
    with pytest.raises(Conflict):
        take_back(games, row.id, "agreement", Write("api", expected_ply=2), count=2)
    assert games.row(row.id) == before.row
    last = take_back(games, row.id, "agreement", Write("api", expected_ply=3), count=2)
    after = games.load(row.id)
    assert [event.data["ply"] for event in after.events if event.kind == "retraction"] == [3, 2]
    assert (after.row.ply, after.seq, last) == (1, before.seq + 2, after.events[-1])
    assert str(after.position) == before.state.positions[1]
    assert games.integrity(row.id) == []
