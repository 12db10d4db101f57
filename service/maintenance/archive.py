"""All events of a store as lines of JSON (NDJSON), and back. What follows from the events is not written.

The first line is ``{"inkeek": "events", "version": 1}``. Then come the games, each as its events in order, one a line,
with the fields of `storage.Event`; then the open boards, each as ``{"board": {…}}``, with the last event of the board
that was dealt with, so that it can go on; then ``{"end": {"games", "events", "boards"}}``, without which the file is
cut short.
"""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import asdict, dataclass
from functools import cache
from itertools import groupby, islice
from typing import IO, Any, TypeVar, get_origin, get_type_hints

from service.errors import Invalid
from service.games.integrity import chain_faults
from service.games.state import game_state
from service.storage import BoardRow, GameEvent, Store, Transaction

HEAD = {"inkeek": "events", "version": 1}
BATCH = 100  # games a transaction
MAX_LINE = 1 << 24  # characters; far more than any event that the service writes
MAX_EVENTS = 1_000_000  # of a game; they are held in memory together
MAX_FAULTS = 100  # told of a file; a file that is none would make one of every line


_Thing = TypeVar("_Thing", bound="GameEvent | BoardRow | Counted")


@dataclass(frozen=True, slots=True)
class Counted:
    """What an archive holds, or what of it was stored."""

    games: int = 0
    events: int = 0
    boards: int = 0


def lines_of(file: IO[str]) -> Iterator[str]:
    """The lines of a file, none of them longer than is looked at."""
    return iter(lambda: file.readline(MAX_LINE + 1), "")


def export(store: Store) -> Iterator[str]:
    """The lines of the archive, games in the order they were stored in, in memory that does not grow with their number.

    Games are written as they stand when their turn comes; one that goes on meanwhile is whole up to some event.
    """
    yield _line(HEAD)
    games = events = after = 0
    while True:
        with store.reading() as transaction:
            numbered = transaction.games.numbered(after, BATCH)
        if not numbered:
            break
        for _, game_id in numbered:
            with store.reading() as transaction:
                told = transaction.games.events(game_id)
            yield from (_line(event._asdict()) for event in told)
            games, events = games + 1, events + len(told)
        after = numbered[-1][0]
    with store.reading() as transaction:
        boards = transaction.boards.open()
    yield from (_line({"board": asdict(board)}) for board in boards)
    yield _line({"end": asdict(Counted(games, events, len(boards)))})


def check(store: Store, lines: Iterable[str], *, skip_same: bool = False) -> list[str]:
    """What keeps the lines from being stored, at most `MAX_FAULTS` sentences; empty when `load` can take them.

    A game that is stored already is a fault, unless `skip_same` and its last event is the same.
    """
    faults: list[str] = []
    seen: set[str] = set()
    boards: list[BoardRow] = []
    for part in _parts(lines, faults):
        if isinstance(part, BoardRow):
            boards.append(part)
            continue
        game_id = part[0].game
        wrong = chain_faults(part)
        if game_id in seen:
            wrong.append("it stands in the file twice")
        elif not wrong:
            with store.reading() as transaction:
                wrong = _taken(transaction, part, skip_same)
        seen.add(game_id)
        faults += [f"game {game_id}: {fault}" for fault in wrong]
        if len(faults) >= MAX_FAULTS:
            return faults[:MAX_FAULTS]
    with store.reading() as transaction:
        for board in boards:
            faults += [f"board {board.id}: {fault}" for fault in _board_faults(transaction, board, seen, skip_same)]
    return faults[:MAX_FAULTS]


def load(store: Store, lines: Iterable[str]) -> Counted:
    """Store what `check` found no fault in, each game whole or not at all; what was stored.

    Games and boards that are there already are passed over.

    :raises Conflict: somebody has stored one of the games meanwhile.
    """
    done = Counted()
    batch: list[list[GameEvent]] = []
    boards: list[BoardRow] = []
    for part in _parts(lines, []):
        if isinstance(part, BoardRow):
            boards.append(part)
            continue
        batch.append(part)
        if len(batch) == BATCH:
            done = _stored(store, batch, done)
            batch = []
    done = _stored(store, batch, done)
    with store.writing() as transaction:
        new = [board for board in boards if transaction.boards.get(board.id) is None]
        for board in new:
            transaction.boards.add(board)
    store.analyse()
    return Counted(done.games, done.events, len(new))


def _stored(store: Store, batch: list[list[GameEvent]], done: Counted) -> Counted:
    games, events = done.games, done.events
    with store.writing() as transaction:
        new = [part for part in batch if transaction.games.get(part[0].game) is None]
        state = [game_state(part) for part in new]
        transaction.games.add_all([(one.row, one.positions) for one in state])
        for one in state:
            if one.disputes:
                transaction.disputes.replace(one.row.id, one.disputes)
        transaction.games.append_all([event for part in new for event in part])
        for one in state:
            transaction.disputes.replace(one.row.id, one.disputes)
        games, events = games + len(new), events + sum(map(len, new))
    return Counted(games, events, done.boards)


def _taken(transaction: Transaction, events: list[GameEvent], skip_same: bool) -> list[str]:
    row = transaction.games.get(events[0].game)
    if row is None:
        return []
    same = (row.seq, row.hash) == (events[-1].seq, events[-1].hash)
    if same:
        return [] if skip_same else ["it is stored already, the same as here"]
    return [f"it is stored already, with {row.seq} events and another end than the {len(events)} here"]


def _board_faults(transaction: Transaction, board: BoardRow, games: set[str], skip_same: bool) -> list[str]:
    if transaction.boards.get(board.id) is not None:
        return [] if skip_same else ["it is stored already"]
    if board.game not in games and transaction.games.get(board.game) is None:
        return [f"it plays game {board.game}, which is neither here nor stored"]
    faults = []
    if transaction.boards.of_game(board.game) is not None:
        faults.append(f"game {board.game} is played on another board")
    if transaction.boards.at(board.url) is not None:
        faults.append(f"the port {board.url} has another board")
    return faults


def _parts(lines: Iterable[str], faults: list[str]) -> Iterator[list[GameEvent] | BoardRow]:
    """The events of each game and the boards. What is wrong with the lines goes to `faults`."""
    games = events = boards = 0
    ended = None
    for _, group in groupby(_items(lines, faults), key=_owner):
        items = list(islice(group, MAX_EVENTS + 1))
        part = [item for item in items if isinstance(item, GameEvent)]
        if len(part) > MAX_EVENTS:
            faults.append(f"game {part[0].game}: more than {MAX_EVENTS} events")
        elif part:
            games, events = games + 1, events + len(part)
            yield part
        for item in items:
            if isinstance(item, BoardRow):
                boards += 1
                yield item
            elif isinstance(item, Counted):
                ended = item
    if ended is None and len(faults) < MAX_FAULTS:
        faults.append('the file has no last line {"end": …}: it was cut short')
    elif ended is not None and ended != Counted(games, events, boards):
        faults.append(f"the file holds {Counted(games, events, boards)}, its last line tells {ended}")


def _owner(item: GameEvent | BoardRow | Counted) -> tuple[str, str]:
    """Items of one owner make a part."""
    if isinstance(item, GameEvent):
        return "game", item.game
    return ("board", item.id) if isinstance(item, BoardRow) else ("end", "")


def _items(lines: Iterable[str], faults: list[str]) -> Iterator[GameEvent | BoardRow | Counted]:
    """Every line but the first as what it is; one that is nothing, or follows the end, goes to `faults`."""
    number, ended = 0, False
    for number, line in enumerate(lines, 1):
        if len(faults) >= MAX_FAULTS:
            return
        try:
            item = _item(line, number)
        except Invalid as error:
            faults.append(f"line {number}: {error.message}")
            if number == 1:
                return
            continue
        if ended:
            faults.append(f"line {number}: stands after the end")
            return
        ended = isinstance(item, Counted)
        if item is not None:
            yield item
    if number == 0:
        faults.append("the file is empty")


def _item(line: str, number: int) -> GameEvent | BoardRow | Counted | None:
    """What a line is; None for the first one.

    :raises Invalid: it is nothing that stands there.
    """
    if len(line) > MAX_LINE:
        raise Invalid(f"{len(line)} characters: at most {MAX_LINE} can stand in a line")
    try:
        value = json.loads(line)
    except ValueError as error:
        raise Invalid(f"{line[:60]!r} is no JSON: {error}") from error
    except RecursionError as error:
        raise Invalid(f"{line[:60]!r} is nested too deeply") from error
    if number == 1:
        if value != HEAD:
            raise Invalid(f"{line[:60].strip()!r} is not how an archive of this version begins: {_line(HEAD).strip()}")
        return None
    if isinstance(value, dict) and value.keys() == {"board"}:
        board = value["board"]
        # What earlier versions wrote does not say whether buttons count: they always did.
        return _made(BoardRow, {"buttons": True, **board} if isinstance(board, dict) else board)
    if isinstance(value, dict) and value.keys() == {"end"}:
        return _made(Counted, value["end"])
    return _made(GameEvent, value)


def _made(kind: type[_Thing], value: object) -> _Thing:
    """The value as that kind of thing, if it has all its fields in their types, and no others.

    :raises Invalid: it has not.
    """
    hints = _hints(kind)  # type: ignore[arg-type] # mypy does not see that a class can be hashed
    if not isinstance(value, dict) or value.keys() != hints.keys():
        raise Invalid(f"{json.dumps(value)[:60]} is neither a board nor the end, and an event has {', '.join(hints)}")
    for name, allowed in hints.items():
        if not isinstance(value[name], allowed) or (isinstance(value[name], bool) and allowed is not bool):
            raise Invalid(f"{name} is {json.dumps(value[name])[:60]}: that cannot stand there")
    return kind(**value)


@cache
def _hints(kind: Hashable) -> dict[str, Any]:
    """The fields of a dataclass with what `isinstance` asks of them."""
    return {name: get_origin(hint) if get_origin(hint) is dict else hint for name, hint in get_type_hints(kind).items()}


def _line(value: dict[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False) + "\n"
