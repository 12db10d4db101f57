"""The moving picture of a turn or of a game: which frames it has, and from which drawings they are put together.

A card is drawn whole once. From frame to frame only some pits, stores and the caption change; each state that a pit has
in any frame is drawn once, on a card that shows many such states at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from records import Position, Side, Trace, Turn
from records.rules.trace import TraceEvent
from service.games.snapshot import GameSnapshot
from service.http.web.drawing.svg import CELL, EDGE, RIM, ROW, STORE, STRIP, Highlights, pit_place
from service.http.web.drawing.svg import HEIGHT as BOARD_HEIGHT
from service.http.web.games.view_models import GamePage
from service.processes.workers.painter import Film, Patch

from .card import CAPTION, HEIGHT, WIDTH, board_place, caption_card, caption_of, draw_card

MAX_FRAMES = 300
PIXELS = 720  # width of a moving picture
SEED, LAP, TURN, FIRST, LAST = 160, 450, 900, 1200, 3000  # milliseconds that frames are shown
_CAPTION_BOX = (0, CAPTION - 36, WIDTH, HEIGHT)

Place = tuple[int, int, bool]
"""The seeds in a pit or a store, the mark, and whether the last seeds fell there."""


class Frame(NamedTuple):
    """What a frame shows: the places (the pits, then both stores), the caption, and for how many milliseconds."""

    places: tuple[Place, ...]
    caption: str
    time: int


def turn_film(snapshot: GameSnapshot, view: GamePage) -> Film:
    """The turn after which `view` shows the game, seed by seed; if there are too many, some at a time."""
    turn = snapshot.turn(view.ply)
    trace, _ = snapshot.trace(turn)
    caption = f"{view.last_number} {view.last_move}"
    first = Frame(_places(turn.before), caption, FIRST)
    states = [] if trace is None else list(_states(trace))
    every = -(-len(states) // (MAX_FRAMES - 2)) or 1
    frames = [Frame(places, caption, SEED * min(every, 3)) for places in states[every - 1 :: every]]
    return _film(view, [first, *frames, Frame(_places(view.position, turn.before), caption_of(view), LAST)])


def game_film(snapshot: GameSnapshot, view: GamePage) -> Film:
    """The game up to the turn that `view` shows: lap by lap, or if it is too long turn by turn or some turns at a
    time."""
    turns = snapshot.record.replay().turns[: view.ply]
    cited = snapshot.cited_from(1)
    by_lap = len(turns) + sum(max(turn.laps - 1, 0) for turn in turns) <= MAX_FRAMES - 2
    every = 1 if by_lap else -(-len(turns) // (MAX_FRAMES - 2))
    frames = [Frame(_places(snapshot.record.replay().positions[0]), "", FIRST)]
    for number, turn in enumerate(turns, 1):
        if by_lap and turn.laps > 1:
            frames += [Frame(places, cited[number - 1], LAP) for places in _laps(snapshot, turn)]
        if number % every == 0 or number == len(turns):
            frames.append(Frame(_places(turn.position, turn.before), cited[number - 1], TURN))
    return _film(view, [*frames[:-1], frames[-1]._replace(caption=caption_of(view), time=LAST)])


def _laps(snapshot: GameSnapshot, turn: Turn) -> Iterator[tuple[Place, ...]]:
    """The board in the end of each lap but the last, before the seeds of the next one are lifted."""
    trace, _ = snapshot.trace(turn)
    if trace is None:
        return
    fell: set[int] = set()
    events = [event for event in trace.events if event.kind not in ("choose", "end")]
    for (event, after), places in zip(pairwise(events), _states(trace), strict=False):
        if event.kind == "lift":
            fell.clear()
        fell.add(event.pit)
        if after.kind == "lift":
            yield tuple((seeds, mark, place in fell) for place, (seeds, mark, _) in enumerate(places))


def _states(trace: Trace) -> Iterator[tuple[Place, ...]]:
    """The places after each thing that happens in a turn and changes the board."""
    before = trace.before
    pits, marks, stores = list(before.pits), list(before.marks), list(before.stores)
    for event in trace.events:
        if event.kind in ("choose", "end"):
            continue
        _apply(event, pits, marks, stores)
        fell = [place == event.pit for place in range(len(pits))]
        yield (*zip(pits, marks, fell, strict=True), *((seeds, 0, False) for seeds in stores))


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


def _places(position: Position, before: Position | None = None) -> tuple[Place, ...]:
    """The places of a position, with those marked that differ from the position before."""
    held = [*zip(position.pits, position.marks, strict=True), *((seeds, 0) for seeds in position.stores)]
    had = held if before is None else [*zip(before.pits, before.marks, strict=True), *((n, 0) for n in before.stores)]
    pits = len(position.pits)
    return tuple(
        (*now, now != was and place < pits) for place, (now, was) in enumerate(zip(held, had, strict=True))
    )


def _film(view: GamePage, frames: Sequence[Frame]) -> Film:
    """Put frames together from drawings: whole cards first, then captions."""
    states = [list(dict.fromkeys(frame.places[place] for frame in frames)) for place in range(len(frames[0].places))]
    cards = [_card(view, [every[number : number + 1] or None for every in states]) for number in range(max(map(len, states)))]
    captions = list(dict.fromkeys(frame.caption for frame in frames))
    boxes = [_pixels(box) for box in _boxes(view.position.row)]
    caption_box = _pixels(_CAPTION_BOX)
    shown: Frame | None = None
    planned = []
    for frame in frames:
        patches = [
            Patch(states[place].index(now), boxes[place])
            for place, now in enumerate(frame.places)
            if shown is None or shown.places[place] != now
        ]
        if shown is None or shown.caption != frame.caption:
            patches.append(Patch(len(cards) + captions.index(frame.caption), caption_box))
        planned.append((tuple(patches), frame.time))
        shown = frame
    return Film(PIXELS, (*cards, *map(caption_card, captions)), tuple(planned))


def _card(view: GamePage, states: Sequence[list[Place] | None]) -> str:
    """A card with a state of some places, and nothing at the others."""
    places = [(0, 0, False) if one is None else one[0] for one in states]
    pits = places[:-2]
    position = Position(
        tuple(seeds for seeds, _, _ in pits),
        tuple(mark for _, mark, _ in pits),
        (places[-2][0], places[-1][0]),
    )
    hidden = [
        f'[data-pit="{place}"]' if place < len(pits) else f'[data-store="{place - len(pits)}"]'
        for place, one in enumerate(states)
        if one is None
    ]
    changed = [pit for pit, (_, _, fell) in enumerate(pits) if fell]
    return draw_card(view, position, "", Highlights(changed=changed), hidden)


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
