from inkeek.records import Move
from inkeek.service.games.library.data import GameCounts, count_games
from inkeek.service.games.write import Write


def test_ended_games_are_counted_by_rule_set(games):
    def play(moves, winner):
        new = games.draft("oware", {}, {}, Write("api"), None)
        games.add_all([new])
        for move in moves:
            games.play(new.row.id, Move.parse(move), Write("api"))
        if winner:
            games.end(new.row.id, "resignation", winner, Write("api"))
        return games.row(new.row.id)

    rows = [play("aA", "South"), play("aAb", "North"), play("aAbB", "South"), play("a", None), play("", "South")]
    assert count_games(rows) == [GameCounts("oware", 3, 2, 3, 4, 0.0, 3, 2)]
    assert count_games([]) == []
