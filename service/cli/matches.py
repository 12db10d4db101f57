"""``inkeek match`` and ``inkeek race``."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import Any

import click

from inkeek.records import NORTH, SOUTH, Game, Position, Rules, Side, write_game
from inkeek.records.matches import Match, MatchOutcome, read_match
from inkeek.records.notation.tags import COPIED, MAX_GAMES
from inkeek.records.position import CLOSED
from inkeek.records.setups import Race, run_race
from inkeek.service.http.answers.rules import MatchOutcomeJson, OutcomeJson
from inkeek.service.http.answers.shape import to_builtins

from .options import as_json, emit, files, position_option, with_rules
from .record_files import games_in

SIDES = {str(side): side for side in Side}
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


@click.command()
@with_rules
@position_option
@click.option(
    "--first", type=click.Choice(list(SIDES)), default="South", show_default=True, help="Who drops first in each beat."
)
@click.argument("south", metavar="SOUTH")
@click.argument("north", metavar="NORTH")
@as_json(
    "one object: `pits`, `winner`, `beats`, `gone` (pits that South and North passed), `board` (after the"
    " race), `position` (the game begins from it), `tags`, `events` (`beat`, `side`, `kind`, `pit`, "
    "`count`; the first 20,000)"
)
def race(rules: Rules, position: str | None, first: str, south: str, north: str, as_json: bool) -> None:
    """Run the race that decides who begins, in lock step.

    South starts from the pit SOUTH, North from the pit NORTH.
    """
    if position is not None:
        rules = rules.starting_from(Position.parse(position))
    run = run_race(rules, south, north, first=SIDES[first])
    if as_json:
        emit(race_json(run))
        return
    for line in laps(run):
        click.echo(line)
    click.echo(f"{run.winner} wins after {run.beats} beats and begins from {run.position}")


def laps(race: Race) -> list[str]:
    """Return a line per lap of either side, in the order they began, and how each ended."""
    lines: list[list[str]] = []
    current: dict[Side, list[str]] = {}
    for event in race.events:
        letter = race.board.letter(event.pit)
        if event.kind == "lift":
            current[event.side] = [f"{event.side}: beat {event.beat}, {letter} has {event.count}:"]
            lines.append(current[event.side])
        elif event.kind == "drop":
            current[event.side].append(letter)
        else:
            current[event.side].append("(which was empty)" if event.kind == "end" else "(and stops)")
    return [" ".join(words) for words in lines]


def race_json(race: Race) -> dict[str, Any]:
    """Return a race as JSON, with its events beat by beat."""
    return {
        "pits": list(race.pits),
        "winner": str(race.winner),
        "beats": race.beats,
        "gone": list(race.gone),
        "board": str(race.board),
        "position": str(race.position),
        "tags": race.tags,
        "events": [
            {
                "beat": event.beat,
                "side": str(event.side),
                "kind": event.kind,
                "pit": race.board.letter(event.pit),
                "count": event.count,
            }
            for event in race.events
        ],
    }
