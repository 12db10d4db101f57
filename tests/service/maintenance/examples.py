"""The example records of the documentation, as stored games."""

from pathlib import Path

from inkeek.service.games.library.transfer import import_games
from inkeek.service.games.repository import Games
from inkeek.service.games.write import Write
from inkeek.service.storage.store import Store

EXAMPLES = Path(__file__).parents[3] / "docs" / "examples"


def import_examples(store: Store) -> Games:
    """Store the example of every game; return the games."""
    games = Games(store, max_plies=5000)
    for path in sorted(EXAMPLES.glob("*.pmn")):
        with path.open("rb") as file:
            assert all(result.ok for result in import_games(games, file, 10, Write("import")))
    return games
