"""``inkeek match``: how a match stands."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import Any

import click

from inkeek.records import NORTH, SOUTH, Game, Side, write_game
from inkeek.records.matches import Match, MatchOutcome, read_match
from inkeek.records.notation.tags import COPIED, MAX_GAMES
from inkeek.records.position import CLOSED
from inkeek.service.http.answers.rules import MatchOutcomeJson, OutcomeJson
from inkeek.service.http.answers.shape import to_builtins

from .options import as_json, emit, files
from .record_files import games_in

REASONS = {
    "games-played": "all the games that were agreed on are played",
    "cannot-lay": "{loser} cannot fill a pit",
}


@click.command()
@files
@click.option("--close", "closed", default="", metavar="PITS", help="Pits to close in the next round. [the leftmost]")
@as_json(
    "one object: `kind`, `title`, `agreed`, `games` (`first`, `termination`, `winner`, `score`, "
    "`result`), `begun`, `tally`, `seeds`, `removed`, `ended` (null or `winner`, `reason`), `next` (null "
    "or `number`, `position`, `first`, `standard`, `tags`)"
)
def match(files: tuple[Path, ...], closed: str, as_json: bool) -> None:
    """Show how a match stands and what comes next. Give the records of its games in order.

    Exit with status 1 if a record is wrong or does not follow from those before it.
    """
    games = [game for _, game in islice(games_in(files), MAX_GAMES + 1)]
    found = read_match(games)
    tags = {}
    if not (found.outcome or found.begun):
        last = games[-1].tags
        tags = {name: last[name] for name in COPIED if name in last} | found.next_tags(closed)
    answer = match_json(found, closed, tags)
    if as_json:
        emit(answer)
        return
    for sentence in standing_lines(found):
        click.echo(sentence)
    if tags:
        for sentence in next_game_lines(found, closed):
            click.echo(sentence)
        click.echo("\n" + write_game(Game(tags=tags)), nl=False)


def standing_lines(match: Match) -> list[str]:
    """Return lines about the games, the tally and how the match ended."""
    lines = []
    for number, game in enumerate(match.played, 1):
        south, north = game.outcome.score
        winner = game.outcome.winner
        won = "a draw" if winner is None else f"{winner} won"
        lines.append(f"Game {number}: {game.first} began, {south}-{north}, {won} ({game.outcome.termination}).")
    if match.begun:
        lines.append(f"Game {len(match.played) + 1}: not finished.")
    tally = match.tally
    lines.append(f"Won by South {tally.south}, by North {tally.north}, drawn {tally.drawn}.")
    if match.kind != "games":
        left = f", {match.removed} have left the match" if match.kind == "surplus" else ""
        lines.append(f"South has {match.seeds[SOUTH]} seeds, North {match.seeds[NORTH]}{left}.")
    if match.outcome:
        lines.append(over(match.outcome))
    return lines


def over(outcome: MatchOutcome) -> str:
    """Return a line about how a match ended."""
    if outcome.winner is None:
        return f"The match is a draw: {REASONS[outcome.reason]}."
    return f"{outcome.winner} won the match: {REASONS[outcome.reason].format(loser=outcome.winner.other)}."


def next_game_lines(match: Match, closed: str) -> list[str]:
    """Return lines about the next game: the set-up of each side, and who begins."""
    game = match.next_game(closed)
    lines = [f"Game {game.number}{f' of {match.agreed}' if match.agreed else ''}:"]
    for side in Side:
        row = str(game.start).split(" ")[0].split("/")[side]
        what = "the standard set-up, " if game.standard[side] else ""
        shut = [game.start.letter(pit) for pit in game.start.pits_of(side) if game.start.marks[pit] == CLOSED]
        closes = f", closes {' '.join(shut)}" if shut else ""
        kept = f", keeps {game.start.stores[side]} in the store" if game.start.stores[side] else ""
        lines.append(f"  {side} lays out {what}{row}{closes}{kept}.")
    lines.append(f"  {game.first} begins." if game.first is not None else "  A race decides who begins.")
    return lines


def match_json(match: Match, closed: str, tags: dict[str, str]) -> dict[str, Any]:
    """Return a match as JSON. `tags` are those of the next record, empty if there is no next game to set up."""
    outcome = match.outcome
    game = match.next_game(closed) if tags else None
    return {
        "kind": match.kind,
        "title": match.title,
        "agreed": match.agreed,
        "games": [
            {"first": str(game.first), **(to_builtins(OutcomeJson.of(game.outcome)) if game.outcome else {})}
            for game in match.played
        ],
        "begun": match.begun,
        "tally": {"south": match.tally.south, "north": match.tally.north, "drawn": match.tally.drawn},
        "seeds": list(match.seeds),
        "removed": match.removed,
        "ended": outcome and MatchOutcomeJson.of(outcome),
        "next": game
        and {
            "number": game.number,
            "position": str(game.start),
            "first": None if game.first is None else str(game.first),
            "standard": list(game.standard),
            "tags": tags,
        },
    }
