from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from inkeek.records import Move, read_games, write_game
from inkeek.records.game import read_json_lines, write_json_line
from inkeek.service.games import new_game as content
from inkeek.service.games.library import transfer
from inkeek.service.games.library.transfer import event_contents, import_games, import_records
from inkeek.service.games.new_game import content_key, update_contents
from inkeek.service.games.write import Write

EXAMPLES = sorted((Path(__file__).parents[3] / "docs" / "examples").glob("*.pmn"))
IMPORT = Write("import")

TEXT = """[Event "Evening"]
[South "A"]
[Result "0-1"]
[Game "enkeshui"]
[Options "pits=8 setup=fours-right"]
[Termination "resignation"]

{before} 1. c! {one} ( 1. d $7 ( 1. e ) ) C 0-1
"""

SAME = {
    "other tags first": TEXT.replace('[Event "Evening"]\n[South "A"]', '[South "A"]\n[Event "Evening"]'),
    "unknown tags": '[Site "?"]\n[Date "????.??.??"]\n[Round ""]\n' + TEXT,
    "defaults": TEXT.replace("pits=8", "pits=8 race=none"),
    "order of options": TEXT.replace("pits=8 setup=fours-right", "setup=fours-right pits=8"),
    "numbers": TEXT.replace("1. c!", "1 c $1").replace(" C ", " 1... C\n"),
    "spaces": TEXT.replace("{one}", "{ one\n}").replace("( 1. d", "(1. d"),
}
OTHER = {
    "event": TEXT.replace("Evening", "Morning"),
    "tag": '[Board "1"]\n' + TEXT,
    "options": TEXT.replace("fours-right", "fours-right repetition=2"),
    "start": TEXT.replace("[Game", '[First "North"]\n[Game')
    .replace("c!", "C!")
    .replace(" C ", " c ")
    .replace("( 1. d $7 ( 1. e ) )", ""),
    "turn": TEXT.replace(" C ", " E "),
    "no turn": TEXT.replace(" C ", " "),
    "comment": TEXT.replace("{one}", "{two}"),
    "comment before": TEXT.replace("{before}", ""),
    "annotation": TEXT.replace("c!", "c?"),
    "variation": TEXT.replace("1. e", "1. f"),
    "annotation of a variation": TEXT.replace("$7", ""),
    "result": TEXT.replace("0-1", "1-0"),
    "termination": TEXT.replace("resignation", "time"),
    "score": '[Score "3-4"]\n' + TEXT,
}


def key_of(games, text: str) -> str:
    (game,) = read_games(text.splitlines(keepends=True))
    assert game.errors == ()
    return games.prepare(event_contents(game, "import"), IMPORT, imported=True).content


@pytest.fixture
def games(services):
    return services.games


@pytest.mark.parametrize("database_kind", ["sqlite"])
def test_how_a_record_is_written_does_not_matter(games):
    keys = {name: key_of(games, text) for name, text in SAME.items()}
    assert keys == dict.fromkeys(SAME, key_of(games, TEXT))
    canonical = "".join(map(write_game, read_games(TEXT.splitlines(keepends=True))))
    assert key_of(games, canonical) == key_of(games, TEXT)


@pytest.mark.parametrize("database_kind", ["sqlite"])
def test_what_was_played_and_said_matters(games):
    keys = [key_of(games, text) for text in (TEXT, *OTHER.values())]
    assert len(set(keys)) == 1 + len(OTHER)


@pytest.mark.parametrize("database_kind", ["sqlite"])
def test_a_choice_to_go_on_in_the_same_direction_does_not_matter(games):
    tags = '[Game "enkeshui"]\n[Options "pits=8 setup=fours-right"]\n\n'
    short, long, other = (key_of(games, f"{tags}1. {move} *\n") for move in ("g", "g>", "g<"))
    assert short == long != other


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_import_can_be_repeated(games, path):
    with path.open("rb") as file:
        first = list(import_games(games, file, 100, IMPORT))
    assert [result.present for result in first] == [False] * len(first)
    for result in first:
        record = games.load(result.id).record
        notation = import_games(games, [write_game(record).encode()], 1, IMPORT)
        lines = import_records(games, read_json_lines([write_json_line(record.to_json(), id="x")]), 1, IMPORT)
        assert [(again.id, again.present) for again in (*notation, *lines)] == [(result.id, True)] * 2


def recorded(games) -> str:
    """A game that was played here, with all that can happen to one."""
    api = Write("api", "Nasieku")
    game_id = games.create("enkeshui", {"pits": 8, "setup": "fours-right"}, {"South": "A"}, api).id
    games.play(game_id, Move.parse("c"), api, ["a  comment"])
    return game_id


def test_a_game_that_was_recorded_here_is_present(games):
    game_id = recorded(games)
    for change in (
        lambda: None,
        lambda: games.play(game_id, games.load(game_id).legal(1)[0], Write("api")),
        lambda: games.retag(game_id, {"Event": "Evening"}, Write("api")),
        lambda: games.end(game_id, "resignation", "North", Write("api", "A")),
    ):
        change()
        (result,) = import_games(games, [games.load(game_id).pmn().encode()], 1, IMPORT)
        assert (result.id, result.present) == (game_id, True)
    assert games.integrity(game_id) == []


def test_a_game_that_went_on_since_it_was_imported_is_present(games):
    text = [b'[Game "oware"]\n\n1. c *\n']
    (first,) = import_games(games, text, 1, IMPORT)
    games.play(first.id, Move.parse("A"), Write("api"))
    (again,) = import_games(games, text, 1, IMPORT)
    (now,) = import_games(games, [games.load(first.id).pmn().encode()], 1, IMPORT)
    assert (again.id, again.present, now.id, now.present) == (first.id, True, first.id, True)


def test_the_same_game_twice_in_a_file_is_stored_once(games):
    text = TEXT.encode() + b"\n" + SAME["numbers"].encode()
    dry = list(import_games_dry(games, text))
    assert [(result.id, result.present) for result in dry] == [(None, False), (None, True)]
    first, second = import_games(games, text.splitlines(keepends=True), 9, IMPORT)
    assert (first.present, second.present, second.id) == (False, True, first.id)
    assert [(result.id, result.present) for result in import_games_dry(games, text)] == [(first.id, True)] * 2
    assert len(games.page(9)[0]) == 1


def import_games_dry(games, text: bytes):
    records = ((game, 0) for game in read_games(text.splitlines(keepends=True)))
    return import_records(games, records, 9, IMPORT, dry_run=True)


def test_keys_are_computed_again_after_changes_only(games, services, monkeypatch):
    game_id = recorded(games)
    computed = []
    monkeypatch.setattr(content, "content_key", lambda state: computed.append(state.row.id) or content_key(state))
    update_contents(games.store)
    update_contents(games.store)
    games.play(game_id, games.load(game_id).legal(1)[0], Write("api"))
    update_contents(games.store)
    assert computed == [game_id] * 2


def test_a_game_that_cannot_be_read_does_not_stop_an_import(games, services):
    game_id = recorded(games)
    with services.store.writing() as transaction:
        transaction.games._session.exec_driver_sql("UPDATE events SET data = '{}' WHERE seq = 2")
    (result,) = import_games(games, [TEXT.encode()], 1, IMPORT)
    assert (result.ok, result.present) == (True, False)
    assert result.id != game_id


def test_two_imports_at_once_store_no_game_twice(games, monkeypatch):
    monkeypatch.setattr(transfer, "MOST_GAMES", 2)
    text = "\n".join(TEXT.replace("Evening", f"Evening {number}") for number in range(12)).encode()
    with ThreadPoolExecutor() as threads:
        both = threads.map(lambda _: list(import_games(games, text.splitlines(keepends=True), 99, IMPORT)), range(2))
        first, second = ([result.id for result in results] for results in both)
    assert first == second
    assert len(games.page(99)[0]) == len(set(first)) == 12
