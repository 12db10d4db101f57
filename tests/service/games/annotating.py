"""Games with annotations, and short ways to annotate them."""

from inkeek.service.games.annotations import Edit, annotate
from inkeek.service.games.library.transfer import import_games
from inkeek.service.games.write import Write

SMALL = {"pits": 8, "setup": "fours-right"}
DESK = Write("api:desk:k1", "Nasieku")
OTHER = Write("api:other:k2", "Koinet")
LINE = {"plies": [{"move": "d", "nags": [2], "comments": ["instead"]}]}
RECORD = """[Game "enkeshui"]
[Options "pits=8 setup=fours-right"]

{before} 1. c! {one} {[%clk 0:05:10] two} ( {better} 1. d $7 {why} ( 1. e ) 1... C ) 1... C {three} *
"""


def game_with_turns(games):
    """A game with two turns."""
    row = games.create("enkeshui", SMALL, {}, DESK)
    for _ in range(2):
        games.play(row.id, games.load(row.id).legal(1)[0], DESK)
    return row.id


def add(games, game_id, ply, kind, value, write=DESK):
    (annotation,) = annotate(games, game_id, [Edit("add[0]", kind, value, ply)], write, is_arbiter=False)[1]
    return annotation


def change(games, game_id, annotation_id, kind, value, write=DESK, *, is_arbiter=False, seq=None):
    edit = Edit("change[0]", kind, value, id=annotation_id, seq=seq)
    return annotate(games, game_id, [edit], write, is_arbiter=is_arbiter)[1]


def remove(games, game_id, annotation_id, write=DESK, *, is_arbiter=False):
    annotate(games, game_id, [Edit("remove[0]", id=annotation_id)], write, is_arbiter=is_arbiter)


def said(games, game_id):
    """What the game's annotations say, without who made the turns."""
    found = games.load(game_id).state.annotations
    return [(one.ply, one.kind, one.value) for one in found if not str(one.value).startswith("[%by")]


def imported(games, text):
    (answer,) = import_games(games, text.encode().splitlines(keepends=True), 1, Write("import:desk:k1"))
    assert answer.ok, answer
    return answer.id
