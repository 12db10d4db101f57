"""Positions in which hands slip, and every slip that `slipping_hands.py` can make in one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from inkeek.records import Kind, Move, Position, Rules
from tests.records import reference
from tests.records.reference import Board

from .slipping_hands import GaveUp, Played, Player, Slip, jumps_on


@dataclass(frozen=True, slots=True)
class Scene:
    """A position and how it came about: `previous` is the position and move before it, if there was one."""

    rules: Rules
    position: Position
    previous: tuple[Position, Move] | None


def board_at(scene: Scene, mover: int | None = None) -> Board:
    board = reference.board_of(scene.rules.info.family, scene.rules.options, scene.position)
    board.direction = scene.rules.step
    if mover is not None:
        board.mover = mover
    return board


def play(scene: Scene, move: Move, slips: tuple[Slip, ...] = ()) -> tuple[Played, dict[tuple[str, int], int]]:
    """Play a turn with these slips within it; also every chance for a slip that there was.

    :raises GaveUp: it would never end, or a slip finds no chance.
    """
    return _played(scene, board_at(scene), move, slips)


def _played(
    scene: Scene, board: Board, move: Move, slips: tuple[Slip, ...]
) -> tuple[Played, dict[tuple[str, int], int]]:
    planned = {(slip.kind, slip.chance): slip.way for slip in slips}
    player = Player(board, planned, [1 if sign == ">" else -1 for sign in move.choices])
    start = move.pit_index(scene.rules.row)
    player.turn(start)
    if player.made != len(slips):
        raise GaveUp
    return _seen(player, slips, start), player.chances


def _seen(player: Player, slips: tuple[Slip, ...], start: int) -> Played:
    board = player.board
    return Played(
        slips,
        start,
        tuple(board.pits),
        (board.stores[0], board.stores[1]),
        tuple(player.seen),
        frozenset(player.emptied),
    )


def moves_of(scene: Scene, limit: int = 60) -> list[Move]:
    return [move for move in scene.rules.legal_moves(scene.position, limit) if move.kind is Kind.SOW]


def every_slip(scene: Scene) -> Iterator[Played]:
    """Every turn with one slip that these hands can make here."""
    for move in moves_of(scene):
        try:
            _, chances = play(scene, move)
        except GaveUp:
            continue
        for (kind, chance), ways in chances.items():
            for way in range(ways):
                try:
                    yield play(scene, move, (Slip(kind, chance, way),))[0]
                except GaveUp:
                    continue
    yield from _whole_slips(scene)


def _whole_slips(scene: Scene) -> Iterator[Played]:
    position, rules = scene.position, scene.rules
    mover = int(position.to_move)
    for pit in position.pits_of(position.to_move.other):
        if position.pits[pit] and not position.marks[pit]:
            yield from _begun(scene, "other-row", board_at(scene), pit)
    for pit in position.pits_of(position.to_move):
        if position.pits[pit] and position.marks[pit] in (1, 2):
            yield from _begun(scene, "special-started", board_at(scene), pit)
    for pit in position.pits_of(position.to_move.other):
        if position.pits[pit] and not position.marks[pit]:
            yield from _begun(scene, "out-of-turn", board_at(scene, 1 - mover), pit)
    for move in moves_of(scene):
        turn = rules.play(position, move)
        again = turn.position.replaced(to_move=position.to_move)
        for second in moves_of(Scene(rules, again, None)) if turn.position.to_move is not position.to_move else ():
            following = Scene(rules, again, None)
            try:
                played, _ = play(following, second)
                first, _ = play(scene, move)
            except GaveUp:
                continue
            slips = (Slip("moved-twice"),)
            yield replace(after_another(first, played), slips=slips)
        try:
            played, _ = play(scene, move)
        except GaveUp:
            continue
        if turn.position.to_move is not position.to_move:
            yield from _next_turns(scene, played, turn.position)
        for pit, beside in jumps_on(played.pits):
            jumped = list(played.pits)
            jumped[pit] -= 1
            jumped[beside] += 1
            yield replace(played, slips=(Slip("bumped", pit),), pits=tuple(jumped))
    yield from _after_unfinished(scene)


def _next_turns(scene: Scene, first: Played, position: Position) -> Iterator[Played]:
    """Every turn of the other side after one that was played."""
    following = Scene(scene.rules, position, None)
    for second in moves_of(following):
        try:
            played, _ = play(following, second)
        except GaveUp:
            continue
        yield replace(after_another(first, played), slips=(Slip("next-turn"),))


def after_another(first: Played, second: Played) -> Played:
    """Two turns, one after the other, as one."""
    seen, emptied = (*first.seen, *second.seen), first.emptied | second.emptied
    return replace(second, start=first.start, seen=seen, emptied=emptied)


def _begun(scene: Scene, kind: str, board: Board, pit: int) -> Iterator[Played]:
    player = Player(board, {})
    try:
        player.turn(pit)
    except GaveUp:
        return
    yield _seen(player, (Slip(kind),), pit)


def _after_unfinished(scene: Scene) -> Iterator[Played]:
    """The turn before left its last lap or its capture undone; this one is played on what really lay there.

    A special pit that the last lap would have made is not marked.
    """
    if scene.previous is None or scene.previous[1].kind is not Kind.SOW:
        return
    before = Scene(scene.rules, scene.previous[0], None)
    try:
        _, chances = play(before, scene.previous[1])
    except GaveUp:
        return
    ends = [key for key in chances if key[0] in ("stopped-early", "capture-missed")]
    for kind, chance in ends[-1:]:
        unfinished = board_at(before)
        try:
            _played(before, unfinished, scene.previous[1], (Slip(kind, chance),))
        except GaveUp:
            continue
        for move in moves_of(scene):
            board = board_at(scene)
            board.pits, board.stores, board.marks = (
                list(seeds) for seeds in (unfinished.pits, unfinished.stores, unfinished.marks)
            )
            pit = move.pit_index(scene.rules.row)
            if board.pits[pit]:
                yield from _begun(scene, "previous-unfinished", board, pit)
