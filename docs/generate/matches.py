"""The matches of docs/matches.md, game by game."""

from __future__ import annotations

import re

from inkeek.records import NORTH, SOUTH, Outcome
from inkeek.records.matches import Match, Played

from .games import rules_of


def match_lines(setting: str) -> str:
    """A match, game by game: `setting` is the game with its options, the title in brackets if it has one, and after
    each colon a game: who began, the score, the pits closed for the next."""
    words, *games = setting.split(" : ")
    title = re.search(r" \[(.*)\]$", words)
    match = Match(rules_of(words.split(" [")[0].split()), title[1] if title else "")
    closed = ""
    lines = []
    for number, game in enumerate([*games, ""], 1):
        if match.outcome is not None:
            winner = f"{match.outcome.winner} won" if match.outcome.winner is not None else "a draw"
            lines.append(f"over: {winner}, {match.outcome.reason}")
            break
        coming = match.next_game(closed)
        first = coming.first if coming.first is not None else "anybody"
        lines.append(f"game {number}: {first} begins from {coming.start}")
        if not game:
            break
        begins, score, *rest = game.split()
        south, north = (int(part) for part in score.split("-"))
        outcome = Outcome.of("normal", (south, north))
        closed = next((word.removeprefix("close=") for word in rest if word.startswith("close=")), "")
        match = match.add(Played({"South": SOUTH, "North": NORTH}[begins], outcome))
        left = f", {match.removed} gone" if match.kind == "surplus" else ""
        tally = match.tally
        lines.append(
            f"        {score}: South {tally.south}, North {tally.north}, drawn {tally.drawn}"
            + (f"; seeds {match.seeds[SOUTH]} and {match.seeds[NORTH]}{left}" if match.kind != "games" else "")
        )
    return "\n".join(lines) + "\n"


BLOCKS = {"match": match_lines}
