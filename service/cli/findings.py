"""``inkeek finding``: what happened in a turn."""

from __future__ import annotations

import re
from string import ascii_letters

import click

from records import Move, Position, PositionError, Rules
from records.findings import Account, Evidence, Finding, Seen, find, find_since
from records.findings.several_turns import MAX_MOVES
from records.language import language_ids
from records.position import MARK_LETTERS, ORDINARY
from service.http.serializers import finding_json, several_turns_json

from .options import as_json, emit
from .records import position_from, position_option, rules_from, rules_options

MAX_SHOWN = 5  # accounts in text; `--json` has all
_BOARD = re.compile(r"(?P<south>[^/ ]*)/(?P<north>[^/ ]*) (?P<first>[0-9]+|\?)-(?P<second>[0-9]+|\?)")
_PIT = re.compile(r"([0-9]{1,4}|\?)([sn]?)|(x)")


@click.command()
@rules_options
@position_option
@click.option(
    "--board",
    required=True,
    metavar="'SOUTH/NORTH S-N'",
    help="What lies there now: both rows and both stores, ? for what is not known.",
)
@click.option("--claimed", metavar="MOVE", help="The move that the player says was played.")
@click.option("--moves", metavar="'MOVE…'", help="The turns written since --position, if nobody saw which went wrong.")
@click.option("--lifted", metavar="A,C,F", help="The pits that were seen lifted, in order.")
@click.option("--all-lifted", is_flag=True, help="No lift was missed.")
@click.option("--hand", type=click.IntRange(0, 1000), help="Seeds that are still in the hand.")
@click.option("--slips", type=click.IntRange(1, 2), help="Look for this many slips at most. [two, if one does not do]")
@click.option(
    "--language", type=click.Choice(language_ids()), default="en", show_default=True, help="Language of the text."
)
@as_json
def finding(
    game: str,
    options: tuple[str, ...],
    position: str | None,
    board: str,
    claimed: str | None,
    moves: str | None,
    lifted: str | None,
    all_lifted: bool,
    hand: int | None,
    slips: int | None,
    language: str,
    as_json: bool,
) -> None:
    """Find what happened in a turn, from the position before it and what lies on the board now."""
    rules = rules_from(game, options)
    before = position_from(rules, position)
    counts, marks = read_board(board, before)
    move = None if claimed is None else Move.parse(claimed)
    captured = None
    if move is not None and move.captured is not None:
        captured = move.captured if before.to_move == 0 else (move.captured[1], move.captured[0])
    evidence = Evidence(
        before=before,
        counts=counts,
        marks=marks,
        hand=hand,
        claimed=move,
        captured=captured,
        seen=read_lifts(lifted, before) if lifted else (),
        seen_all=all_lifted,
    )
    if moves is not None:
        _show_since(rules, before, [Move.parse(word) for word in moves.split()], evidence, language, as_json)
        return
    found = find(rules, evidence, slips, language)
    if as_json:
        emit(finding_json(found, before))
    else:
        click.echo("\n".join(finding_text(rules, found)))


def _show_since(
    rules: Rules, position: Position, moves: list[Move], evidence: Evidence, language: str, as_json: bool
) -> None:
    if not 0 < len(moves) <= MAX_MOVES:
        raise click.UsageError(f"--moves has {len(moves)} moves: expected 1 to {MAX_MOVES}")
    since = find_since(rules, position, moves, evidence, language)
    if as_json:
        emit(several_turns_json(since, position))
        return
    agreed = f"The first {since.agreed} of {len(moves)} turns agree with the board"
    lines = ["The board is as it is written." if since.agreed == len(moves) else f"{agreed}, by the likeliest account."]
    for number, one in enumerate(since.accounts[:MAX_SHOWN], 1):
        shown = _account_lines(number, one.account)
        if one.ply is not None:
            shown.insert(2, f"Turn {one.ply + 1}, written {moves[one.ply]}:")
        lines += shown
    if not since.complete:
        lines.append("Not all accounts were examined: there are too many.")
    click.echo("\n".join(lines))


def read_board(text: str, before: Position) -> tuple[tuple[int | None, ...], tuple[int | None, ...] | None]:
    """The counts of a board, and the marks of its pits if it has any; None where ``?`` stands.

    :raises PositionError: the text is no board of this size.
    """
    match = _BOARD.fullmatch(text)
    if match is None:
        raise PositionError(text, ["expected '<south row>/<north row> <south store>-<north store>', as '4.?/4.5 0-0'"])
    counts: list[int | None] = []
    marks: list[int | None] = []
    faults: list[str] = []
    for name in ("south", "north"):
        words = match[name].split(".")
        if len(words) != before.row:
            faults.append(f"the {name} row has {len(words)} pits: expected {before.row}")
        for number, word in enumerate(words, 1):
            pit = _PIT.fullmatch(word)
            if pit is None:
                faults.append(f"pit {number} of the {name} row is {word[:20]!r}: expected a number, ? or x")
                continue
            counts.append(0 if pit[3] else None if pit[1] == "?" else int(pit[1]))
            marks.append(MARK_LETTERS.index(pit[2] or pit[3] or ""))
    if faults:
        raise PositionError(text, faults)
    counts += (None if store == "?" else int(store) for store in (match["first"], match["second"]))
    marked = any(mark not in (ORDINARY, MARK_LETTERS.index("x")) for mark in marks)
    return tuple(counts), tuple(marks) if marked else None


def read_lifts(text: str, before: Position) -> tuple[Seen, ...]:
    """The lifts of pits that are named in order, as ``a,c,F``.

    :raises click.UsageError: a name is no pit of the board.
    """
    seen = []
    for word in text.split(","):
        letter = word.strip()
        index = ascii_letters.find(letter) if len(letter) == 1 else -1
        if index < 0 or index % 26 >= before.row:
            raise click.UsageError(f"--lifted {text!r}: {letter[:20]!r} is no pit of this board")
        seen.append(Seen("lift", index if index < 26 else before.row + index - 26))
    return tuple(seen)


def finding_text(rules: Rules, found: Finding) -> list[str]:
    """The finding in sentences that can be read aloud."""
    words = {True: "The turn is legal.", False: "No legal turn leads to this board.", None: "It may be a legal turn."}
    lines = [words[found.legal]]
    for number, account in enumerate(found.accounts[:MAX_SHOWN], 1):
        lines += _account_lines(number, account)
    if not found.complete:
        lines.append("Not all accounts were examined: there are too many.")
    return lines


def _account_lines(number: int, account: Account) -> list[str]:
    equal = ", as likely as the one before" if account.equal else ""
    percent = f"{100 * account.probability:.1f} %" if account.probability >= 0.001 else "less than 0.1 %"
    lines = ["", f"{number}. {percent}{equal}: {', '.join(account.kinds)}", *account.sentences]
    if account.rule is not None:
        lines.append(f"The rule: {account.rule.says}")
        if account.rule.quote:
            lines.append(f"In the words of the source: “{account.rule.quote}” ({account.rule.source})")
    if account.distinction:
        lines.append(f"To tell it from the next: {account.distinction}")
    return lines
