"""Two laptops that exchange their games: each is there once, whatever was exported and imported in which order."""

import random

import pytest

from inkeek.records import read_games, write_game
from inkeek.records.game import read_json_lines, write_json_line
from inkeek.service.games.events.planning import Events
from inkeek.service.games.library import persons
from inkeek.service.games.library.transfer import import_games, import_records
from inkeek.service.games.new_game import content_key
from inkeek.service.games.record_check import OTHER_TAG
from inkeek.service.games.repository import Games
from inkeek.service.games.write import Write
from inkeek.service.maintenance import archive
from inkeek.service.storage.store import Store

WRITE = Write("api", "Nasieku")


def contents(games: Games) -> dict[str, str]:
    """The ids of all games by the keys of their contents, of which no two are the same, but where a game caught up with
    another version of itself."""
    found: dict[str, str] = {}
    for game in games.snapshots(sorted((row.id for row in games.page(99)[0]), key=lambda id: is_other(games, id))):
        first = found.setdefault(content_key(game.state), game.id)
        assert first == game.id or game.row.tags[OTHER_TAG] == first
    return found


def is_other(games: Games, game_id: str) -> bool:
    return OTHER_TAG in games.load(game_id).row.tags


def send(source: Games, target: Games, draw: random.Random) -> None:
    """Export some games, as records or as lines of JSON in any order, or all as an archive, and import them."""
    ids = [row.id for row in source.page(99)[0]]
    if draw.random() < 0.4:
        lines = list(archive.export(source.store))
        assert archive.check(target.store, lines) == []
        archive.load(target.store, lines)
        again = archive.load(target.store, lines)
        assert (again.games, again.events, again.beside) == (0, 0, {})
        return
    games = source.snapshots(draw.sample(ids, draw.randint(0, len(ids))))
    if draw.random() < 0.5:
        text = "\n".join(write_game(game.record.with_tags(GameId=game.id)) for game in games)
        results = import_games(target, text.encode().splitlines(keepends=True), 99, Write("import"))
    else:
        lines = [write_json_line(game.state.record_json, id=game.id) for game in games]
        results = import_records(target, read_json_lines(lines), 99, Write("import"))
    assert all(result.ok for result in results)


@pytest.mark.parametrize("seed", range(6))
def test_games_are_there_once_with_their_ids_after_any_order_of_imports(tmp_path, seed):
    draw = random.Random(seed)
    stores = [Store(f"sqlite:///{tmp_path / name}.sqlite3") for name in "ab"]
    laptops = []
    for store in stores:
        store.upgrade()
        laptops.append(Games(store, max_plies=100))
    for step in range(30):
        one, other = draw.sample(laptops, 2)
        rows = one.page(99)[0]
        if step < 4 or draw.random() < 0.2:
            one.create("bof", {}, {"South": f"Player {step}"}, WRITE)
        elif draw.random() < 0.3:
            game = one.load(draw.choice(rows).id)
            one.play(game.id, game.legal(1)[0], WRITE, [f"step {step}"])
        else:
            send(one, other, draw)
    ids = [set(contents(one).values()) for one in laptops]
    for one, other in ((0, 1), (1, 0), (0, 1), (1, 0)):
        games = laptops[one].snapshots([row.id for row in laptops[one].page(99)[0]])
        lines = [write_json_line(game.state.record_json, id=game.id) for game in games]
        results = list(import_records(laptops[other], read_json_lines(lines), 99, Write("import")))
    assert all(result.present for result in results)
    assert all(before <= set(contents(one).values()) for before, one in zip(ids, laptops, strict=True))
    for store in stores:
        store.close()


def test_an_older_export_of_a_game_that_went_on_stores_nothing(services):
    games = services.games
    game = games.create("bof", {}, {"South": "Ada"}, WRITE)
    older = []
    for step in range(3):
        older.append(write_game(games.load(game.id).record.with_tags(GameId=game.id)))
        games.play(game.id, games.load(game.id).legal(1)[0], WRITE, [f"step {step}"])
        games.retag(game.id, {"Site": f"Place {step}"}, WRITE)
    for text in older:
        for dry_run in (True, False):
            records = ((one, 0) for one in read_games(text.splitlines(keepends=True)))
            (result,) = import_records(games, records, 9, Write("import"), dry_run=dry_run)
            assert (result.present, result.id) == (True, game.id)
    other = older[1].replace("step 0", "step 7")
    (result,) = import_games(games, other.encode().splitlines(keepends=True), 9, Write("import"))
    assert result.id != game.id


def test_a_name_that_was_taken_out_does_not_come_back_with_a_copy_of_the_game(services, tmp_path):
    games = services.games
    game = games.create("bof", {}, {"South": "Ada", "North": "Zoe"}, WRITE)
    games.play(game.id, games.load(game.id).legal(1)[0], Write("api", "Ada"))
    copy = Store(f"sqlite:///{tmp_path / 'copy.sqlite3'}")
    copy.upgrade()
    elsewhere = Games(copy, max_plies=9)
    before = write_game(games.load(game.id).record.with_tags(GameId=game.id))
    list(import_games(elsewhere, before.encode().splitlines(keepends=True), 9, WRITE))
    name = persons.take_out(games, Events(services.store, games, most=9), services.store, "ada", WRITE).name

    def bring() -> None:
        text = write_game(elsewhere.load(game.id).record.with_tags(GameId=game.id))
        for dry_run in (True, False):
            records = ((one, 0) for one in read_games(text.splitlines(keepends=True)))
            (result,) = import_records(games, records, 9, Write("import"), dry_run=dry_run)
            assert result.ok
        lines = list(archive.export(copy))
        assert archive.check(services.store, lines) == []
        archive.load(services.store, lines)

    bring()
    assert [row.id for row in games.page(9)[0]] == [game.id]
    elsewhere.retag(game.id, {"Site": "Kisumu"}, WRITE)
    bring()
    rows = games.page(9)[0]
    assert [row.tags["South"] for row in rows] == [name] * 2
    assert "Ada" not in "".join(write_game(games.load(row.id).record) for row in rows)
    copy.close()
