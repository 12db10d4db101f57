"""Commands on what goes on between games: ``inkeek match`` and ``inkeek race``."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import Any

import click

from records import NORTH, SOUTH, Game, Position, RecordsError, Side, write_game
from records.match import Match, MatchOutcome, read_match
from records.notation.tags import MAX_GAMES
from records.position import CLOSED
from records.race import Race, run_race
from service.http.serializers import outcome_json

from .records import as_json, emit, fail, files, games_in, rules_from, with_rules

SIDES = {str(side): side for side in Side}
CARRIED = ("Event", "Site", "South", "North")  # tags that the record of the next game has from the last one
REASONS = {
    "games-played": "all the games that were agreed on are played",
    "cannot-lay": "{loser} cannot fill a pit",
}


@click.command("match")
@files
@click.option("--close", "closed", default="", metavar="PITS", help="The pits that are closed in the next round.")
@as_json
def match_command(files: tuple[Path, ...], closed: str, as_json: bool) -> None:
    """Tell how a match stands, from the records of its games in order, and what comes next."""
    try:
        games = [game for _, game in islice(games_in(files), MAX_GAMES + 1)]
        match = read_match(games)
        tags = {}
        if not (match.outcome or match.begun):
            tags = {name: games[-1].tags[name] for name in CARRIED if name in games[-1].tags} | match.next_tags(closed)
        told = match_json(match, closed, tags)
    except RecordsError as error:
        fail(error)
    if as_json:
        emit(told)
        return
    for sentence in standing(match):
        click.echo(sentence)
    if tags:
        for sentence in coming(match, closed):
            click.echo(sentence)
        click.echo("\n" + write_game(Game(tags=tags)), nl=False)


def standing(match: Match) -> list[str]:
    """The games, the tally and how the match ended, in lines."""
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
    """How a match ended, in one line."""
    if outcome.winner is None:
        return f"The match is a draw: {REASONS[outcome.reason]}."
    return f"{outcome.winner} won the match: {REASONS[outcome.reason].format(loser=outcome.winner.other)}."


def coming(match: Match, closed: str) -> list[str]:
    """Who lays out what for the next game, and who begins, in lines."""
    game = match.next_game(closed)
    lines = [f"Game {game.number}{f' of {match.agreed}' if match.agreed else ''}:"]
    for side in Side:
        row = str(game.start).split(" ")[0].split("/")[side]
        what = "the standard set-up, " if game.standard[side] else ""
        shut = [game.start.letter(pit) for pit in game.start.pits_of(side) if game.start.marks[pit] == CLOSED]
        closes = f", closes {' '.join(shut)}" if shut else ""
        kept = f", keeps {game.start.stores[side]} in the store" if game.start.stores[side] else ""
        lines.append(f"  {side} lays out {what}{row}{closes}{kept}.")
    lines.append(f"  {game.first} begins." if game.first is not None else "  A race tells who begins.")
    return lines


def match_json(match: Match, closed: str, tags: dict[str, str]) -> dict[str, Any]:
    """A match and what comes next; `tags` are those of the next record, none where there is no next game to set up."""
    outcome = match.outcome
    game = match.next_game(closed) if tags else None
    return {
        "kind": match.kind,
        "title": match.title,
        "agreed": match.agreed,
        "games": [{"first": str(game.first), **(outcome_json(game.outcome) or {})} for game in match.played],
        "begun": match.begun,
        "tally": {"south": match.tally.south, "north": match.tally.north, "drawn": match.tally.drawn},
        "seeds": list(match.seeds),
        "removed": match.removed,
        "ended": outcome and {"winner": _named(outcome.winner), "reason": outcome.reason},
        "next": game
        and {
            "number": game.number,
            "position": str(game.start),
            "first": _named(game.first),
            "standard": list(game.standard),
            "tags": tags,
        },
    }


def _named(side: Side | None) -> str | None:
    return None if side is None else str(side)


@click.command("race")
@with_rules
@click.option("--position", metavar="P", help="What lies on the board, the set-up without it.")
@click.option(
    "--first", type=click.Choice(list(SIDES)), default="South", show_default=True, help="Who drops first in each beat."
)
@click.argument("south", metavar="SOUTH")
@click.argument("north", metavar="NORTH")
@as_json
def race_command(
    game: str, options: tuple[str, ...], position: str | None, first: str, south: str, north: str, as_json: bool
) -> None:
    """Run the race at the start in lock step, from South's pit and North's."""
    rules = rules_from(game, options)
    try:
        if position is not None:
            rules = rules.starting_from(Position.parse(position))
        race = run_race(rules, south, north, first=SIDES[first])
    except RecordsError as error:
        fail(error)
    if as_json:
        emit(race_json(race))
        return
    for line in laps(race):
        click.echo(line)
    click.echo(f"{race.winner} wins after {race.beats} beats and begins from {race.position}")


def laps(race: Race) -> list[str]:
    """The laps of both sides in the order they were lifted, and how they ended, in lines."""
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
    """A race with its events, beat by beat."""
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


commands = [match_command, race_command]
