from inkeek.service.games.corrections import take_back
from inkeek.service.games.repository import Games
from inkeek.service.games.write import Write
from inkeek.service.storage import GameFilter

API = Write("api")


def found(games, position):
    return [row.id for row in games.page(9, None, GameFilter(game="bof", position=position))[0]]


def test_a_search_finds_what_was_just_played_and_nothing_that_was_taken_back(store):
    games = Games(store, max_plies=99)
    row = games.create("bof", {}, {}, API)
    reached = []
    for choice in (0, 1, 2):
        games.play(row.id, games.load(row.id).legal(9)[choice], API)
        reached.append(games.row(row.id).position)
    assert found(games, reached[2]) == [row.id]
    take_back(games, row.id, "agreement", API)
    take_back(games, row.id, "agreement", API)
    games.play(row.id, games.load(row.id).legal(9)[3], API)
    assert [found(games, position) for position in reached] == [[row.id], [], []]
    assert found(games, games.row(row.id).position) == [row.id]
    assert games.integrity(row.id) == []
