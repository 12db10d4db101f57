"""Throw inputs at what reads them: ``python -m tests.records.fuzz --inputs 10000000``.

The reader of records (from text and from bytes), of positions and of moves. Of every input must hold:

* nothing but the documented errors comes out, and in a time that its length allows;
* reading it again gives the same;
* what is read without error is written, read back as it was, and written the same again; a record as JSON too.

A failing input is reported with its seed and number, from which `make` makes it again: ``--target text --number 12``.
The run goes on; its exit status is then 1.
"""

from __future__ import annotations

import argparse
import io
import multiprocessing
import os
import signal
import sys
from typing import Any

from inkeek.records import Game, Move, MoveSyntaxError, Position, PositionError, read_games, write_game

from .fuzzing.inputs import TARGETS, make

SECONDS = 2.0  # of processor time for one input, and
SECONDS_A_CHARACTER = 0.0002  # more for each of its characters
SHARE = 5000  # inputs that a process tries at a time


class TooSlow(Exception):
    """An input took longer than its length allows."""


def check(target: str, given: str | bytes) -> None:
    """Read an input and hold what comes out against what must be.

    :raises Exception: anything at all, if it is not as it must be.
    """
    if target == "move":
        check_move(str(given))
    elif target == "position":
        check_position(str(given))
    else:
        check_records(given)


def check_move(text: str) -> None:
    refused = ""
    try:
        move = Move.parse(text)
    except MoveSyntaxError as error:
        refused = str(error)
    if refused:
        assert repr(text) in refused or repr(text[:40]) in refused, "the error does not quote the text"
        return
    again = Move.parse(str(move))
    assert again == move, f"{str(move)!r} is another move"
    assert str(again) == str(move), f"{str(move)!r} is written as {str(again)!r}"
    assert (again.captured or (0, 0), again.special) == (move.captured or (0, 0), move.special), "claims are lost"


def check_position(text: str) -> None:
    refused = ""
    try:
        position = Position.parse(text)
    except PositionError as error:
        refused = str(error)
    if refused:
        assert repr(text) in refused or repr(text[:60] + "…") in refused, "the error does not quote the text"
        return
    assert Position.parse(str(position)) == position, f"{position} is another position"
    assert position.seeds >= 0


def check_records(given: str | bytes) -> None:
    games = list(read_games(opened(given)))
    assert list(read_games(opened(given))) == games, "the second reading is not the first"
    for number, game in enumerate(games):
        assert game.index == number
        for error in game.errors:
            assert error.message, "an error says nothing"
            assert error.line >= 0 <= error.column, "an error stands nowhere"
        if not game.faults:
            check_written(game)


def check_written(game: Game) -> None:
    replay = game.replay()
    text = write_game(game)
    (again,) = read_games(io.StringIO(text, newline=""))
    assert again.faults == (), f"what was written cannot be read: {again.faults[0]}"
    assert again.plies == replay.plies + game.plies[len(replay.plies) :], "plies were written as others"
    assert again.comments == game.comments, "comments were written as others"
    assert write_game(again) == text, "the canonical form is not one"
    plain = game.to_json()
    assert Game.from_json(plain) == game, "JSON loses something"
    assert Game.from_json(plain).to_json() == plain, "JSON of JSON is another"


def opened(given: str | bytes) -> Any:
    """The input as a file."""
    return io.BytesIO(given) if isinstance(given, bytes) else io.StringIO(given, newline="")


def watched(target: str, given: str | bytes) -> None:
    """`check` with a watchdog.

    :raises TooSlow: it took longer than its length allows.
    """
    signal.signal(signal.SIGVTALRM, _bark)
    signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS + SECONDS_A_CHARACTER * len(given))
    try:
        check(target, given)
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


def _bark(*_: object) -> None:
    raise TooSlow("it took longer than its length allows")


def failure(target: str, seed: int, number: int) -> str:
    """What is wrong with how an input is read; empty if nothing is."""
    try:
        watched(target, make(target, seed, number))
    except Exception as error:  # noqa: BLE001 - any error is what is looked for
        return f"{type(error).__name__}: {error}"
    return ""


def run(target: str, seed: int, numbers: range) -> list[tuple[int, str]]:
    """Check the inputs with these numbers; the numbers of those that failed, with why."""
    return [(number, what) for number in numbers if (what := failure(target, seed, number))]


def _run(share: tuple[str, int, range]) -> tuple[str, list[tuple[int, str]]]:
    return share[0], run(*share)


def main() -> int:
    parser = argparse.ArgumentParser(description="Throw inputs at the readers of records, positions and moves.")
    parser.add_argument("--inputs", type=int, default=100_000, help="in all, shared out among the targets")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--target", choices=TARGETS, action="append", help="only this one; may be repeated")
    parser.add_argument("-j", "--jobs", type=int, default=os.cpu_count() or 1, help="processes")
    parser.add_argument("--number", type=int, help="only the one input with this number; give its --target")
    options = parser.parse_args()
    targets = tuple(options.target or TARGETS)
    if options.number is not None:
        what = failure(targets[0], options.seed, options.number)
        print(f"{make(targets[0], options.seed, options.number)!r}\n{what or 'is read as it should be'}")
        return int(bool(what))
    each = options.inputs // len(targets)
    shares = [
        (target, options.seed, range(start, min(start + SHARE, each)))
        for target in targets
        for start in range(0, each, SHARE)
    ]
    failed = 0
    with multiprocessing.Pool(options.jobs) as pool:
        for target, failures in pool.imap_unordered(_run, shares):
            failed += len(failures)
            for number, what in failures:
                print(f"{target}: input {number} of seed {options.seed} failed: {what}", file=sys.stderr)
    print(f"{each * len(targets):,} inputs, {failed:,} failed")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
