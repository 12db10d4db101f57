"""The moving picture of a turn or of a game: which frames it has, and from which drawings they are put together.

A card is drawn whole once. From frame to frame only some pits, stores and the caption change; each state that a pit has
in any frame is drawn once, on a card that shows many such states at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from records import Position, Side, Turn
from records.drawing.svg import CELL, EDGE, STORE, Highlights, pit_place
from records.drawing.svg import HEIGHT as BOARD_HEIGHT
from records.rules.trace import TraceEvent
from service.games.snapshot import GameSnapshot
from service.http.web.games.view_models import GamePage
from service.processes.workers.painter import Film, Patch

from .card import CAPTION, HEIGHT, WIDTH, board_place, caption_card, caption_of, draw_card

MAX_FRAMES = 300
PIXELS = 720  # width of a moving picture
SEED, LAP, TURN, FIRST, LAST = 160, 450, 900, 1200, 3000  # milliseconds that frames are shown
_CAPTION_BOX = (0, CAPTION - 36, WIDTH, HEIGHT)

State = tuple[int, int, bool]
"""The seeds in a pit or a store, the mark, and whether the frame before had others."""


class FilmFrame(NamedTuple):
    """What a frame shows: the seeds and the mark of each place (pits, then both stores), a caption, and for how many
    milliseconds."""

    places: tuple[tuple[int, int], ...]
    caption: str
    time: int


def turn_film(snapshot: GameSnapshot, view: GamePage) -> Film:
    """The turn after which `view` shows the game, seed by seed; if there are too many, some at a time."""
    turn = snapshot.turn(view.ply)
    caption = f"{view.last_number} {view.last_move}"
    states = [places for _, places in _states(snapshot, turn)]
    every = max(1, -(-len(states) // (MAX_FRAMES - 2)))
    frames = [FilmFrame(places, caption, SEED * min(every, 3)) for places in states[every - 1 :: every]]
    return _film(view, [FilmFrame(_places(turn.before), caption, FIRST), *frames, _last(view)])


def game_film(snapshot: GameSnapshot, view: GamePage) -> Film:
    """The game up to the turn that `view` shows: lap by lap, or if it is too long turn by turn or some turns at a
    time."""
    turns = snapshot.record.replay().turns[: view.ply]
    by_lap = sum(max(turn.laps, 1) for turn in turns) < MAX_FRAMES
    every = 1 if by_lap else -(-len(turns) // (MAX_FRAMES - 2))
    frames = [FilmFrame(_places(snapshot.record.replay().positions[0]), "", FIRST)]
    for turn, listed in zip(turns, view.turns, strict=False):
        caption = f"{listed.number} {listed.text}"
        if by_lap and turn.laps > 1:
            laps = pairwise(_states(snapshot, turn))
            frames += [FilmFrame(places, caption, LAP) for (_, places), (kind, _) in laps if kind == "lift"]
        if listed.ply % every == 0:
            frames.append(FilmFrame(_places(turn.position), caption, TURN))
    return _film(view, [*frames[: -1 if len(frames) > 1 else None], _last(view)])


def _last(view: GamePage) -> FilmFrame:
    return FilmFrame(_places(view.position), caption_of(view), LAST)


def _states(snapshot: GameSnapshot, turn: Turn) -> Iterator[tuple[str, tuple[tuple[int, int], ...]]]:
    """The places after each thing that happens in a turn and changes the board, and what kind of thing it is."""
    trace, _ = snapshot.trace(turn)
    pits, marks, stores = list(turn.before.pits), list(turn.before.marks), list(turn.before.stores)
    for event in () if trace is None else trace.events:
        if event.kind not in ("choose", "end"):
            _apply(event, pits, marks, stores)
            yield event.kind, (*zip(pits, marks, strict=True), (stores[0], 0), (stores[1], 0))


def _apply(event: TraceEvent, pits: list[int], marks: list[int], stores: list[int]) -> None:
    match event.kind:
        case "lift":
            pits[event.pit] = 0
        case "drop":
            pits[event.pit] = event.count
        case "store":
            stores[event.other] = event.count
        case "take":
            stores[event.other] += event.count
            if event.pit >= 0:
                pits[event.pit] -= event.count
        case "shift":
            pits[event.pit] -= 1
            pits[event.other] += 1
        case "special":
            marks[event.pit] = event.other + 1


def _places(position: Position) -> tuple[tuple[int, int], ...]:
    return (*zip(position.pits, position.marks, strict=True), (position.stores[0], 0), (position.stores[1], 0))


def _film(view: GamePage, frames: Sequence[FilmFrame]) -> Film:
    """Put frames together from drawings: whole cards first, then captions."""
    shown = [
        _with_changes(before.places, frame.places) for before, frame in zip([frames[0], *frames], frames, strict=False)
    ]
    states = [list(dict.fromkeys(column)) for column in zip(*shown, strict=True)]
    cards = [
        _card(view, [every[number] if number < len(every) else None for every in states])
        for number in range(max(map(len, states)))
    ]
    captions = list(dict.fromkeys(frame.caption for frame in frames))
    boxes = [_pixels(box) for box in _boxes(view.position.row)]
    planned = []
    for number, (frame, now) in enumerate(zip(frames, shown, strict=True)):
        patches = [
            Patch(states[place].index(state), boxes[place])
            for place, state in enumerate(now)
            if number == 0 or shown[number - 1][place] != state
        ]
        patches.append(Patch(len(cards) + captions.index(frame.caption), _pixels(_CAPTION_BOX)))
        planned.append((tuple(patches), frame.time))
    return Film(PIXELS, (*cards, *map(caption_card, captions)), tuple(planned))


def _with_changes(before: Sequence[tuple[int, int]], now: Sequence[tuple[int, int]]) -> tuple[State, ...]:
    pits = len(now) - 2  # a store that changed looks like any other
    return tuple((*state, state != before[place] and place < pits) for place, state in enumerate(now))


def _card(view: GamePage, states: Sequence[State | None]) -> str:
    """A card with a state of some places, and nothing at the others."""
    seeds, marks, changes = zip(*(state or (0, 0, False) for state in states), strict=True)
    pits = len(states) - 2
    position = Position(seeds[:pits], marks[:pits], (seeds[pits], seeds[pits + 1]))
    names = [*(f'[data-pit="{pit}"]' for pit in range(pits)), '[data-store="0"]', '[data-store="1"]']
    hidden = [name for name, state in zip(names, states, strict=True) if state is None]
    return draw_card(view, position, "", Highlights(changed=[pit for pit in range(pits) if changes[pit]]), hidden)


def _boxes(row: int) -> Iterable[tuple[float, float, float, float]]:
    """The pieces of a card that its pits and stores fill: left, top, right, bottom."""
    left, top, scale = board_place(row)
    middle = BOARD_HEIGHT / 2

    def box(x: float, width: float, above: float, below: float) -> tuple[float, float, float, float]:
        return left + x * scale, top + above * scale, left + (x + width) * scale, top + below * scale

    for pit in range(2 * row):
        x, _, is_near = pit_place(pit, row, Side.SOUTH)
        yield box(x - CELL / 2, CELL, middle if is_near else 0, BOARD_HEIGHT if is_near else middle)
    side = EDGE + STORE
    yield box(side + CELL * row, side, 0, BOARD_HEIGHT)
    yield box(0, side, 0, BOARD_HEIGHT)


def _pixels(box: tuple[float, float, float, float]) -> tuple[int, int, int, int]:
    left, top, right, bottom = (round(edge * PIXELS / WIDTH) for edge in box)
    return left, top, right, bottom
