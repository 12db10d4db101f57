"""Offers that come and go: a long press records only what the lights showed when it began, whatever was lost, pressed,
disputed or moved meanwhile. A plain model looks at the lamps of an independent board."""

from random import Random

import pytest

from inkeek.service.boards.controller.answers import ACCEPTED

from .test_foreign_boards import Table, _installed, asking  # noqa: F401

ACTIONS = (
    "press",
    *3 * ["hold"],
    "mute",
    "deaf",
    *2 * ["hear"],
    *2 * ["wait"],
    *2 * ["dispute"],
    "unplug",
    "desk",
    "restart",
)
MEANWHILE = *2 * ["press"], *3 * ["wait"], *2 * ["dispute"], "restart"


class Model:
    """What people saw. `offer`: the pits that blink, as the lamps showed last when no press was waiting for its answer;
    `holds`: by the boot id and number of an `accept`, the offer when the button went down."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.offer: frozenset[int] = frozenset()
        self.holds: dict[str, frozenset[int]] = {}
        self.restarts = 0

    def look(self) -> None:
        lights = self.table.board.lights
        if "blink" not in lights.rows.values():
            self.offer = frozenset(pit for pit, light in lights.pits.items() if light == "blink")

    def press(self, side: str, action: str = "commit") -> frozenset[int]:
        """Press a button; the offer that its side had seen."""
        self.look()
        self.table.board.press(side, action)
        return self.offer

    def accept(self, side: str, offer: frozenset[int]) -> None:
        self.press(side, "accept")
        self.holds[f"{self.table.board.boot}:{self.table.board.last}"] = offer

    def step(self, times: int) -> None:
        for _ in range(times):
            self.table.step(1)
            self.look()


def act(action: str, model: Model, random: Random) -> None:
    table, side = model.table, random.choice("ssn")
    match action:
        case "press":
            model.press(side)
        case "hold":
            offer, boot = model.press(side), table.board.boot
            for _ in range(random.randrange(4)):
                act(random.choice(MEANWHILE), model, random)
            if table.board.boot == boot:
                model.accept(side, offer)
        case "mute" | "deaf":
            setattr(table.environment, action, True)
        case "hear":
            table.environment.mute = table.environment.deaf = False
        case "wait":
            model.step(random.choice([1, 1, 2, 30]))
        case "dispute":
            model.press("s", "dispute")  # or withdraw it
        case "unplug":
            table.bench.pull("a")
            model.step(2)
            table.bench.plug("a", table.board)
        case "desk":
            table.start()
        case "restart":
            model.restarts += 1
            table.board.restart(f"{1000 + model.restarts:08x}")
            model.look()


@pytest.mark.parametrize("seed", range(8))
def test_a_long_press_records_only_what_the_lights_showed_when_it_began(services, seed):
    random, (table, one, _) = Random(seed), asking(services)
    table.board.version = "1.1"
    table.start()
    model = Model(table)
    for _ in range(40):
        act(random.choice(ACTIONS), model, random)
        for ply in table.games.load(table.game).record.plies:
            assert any(ACCEPTED in comment for comment in ply.comments)
            turn = table.rules.play(one.before, ply.move)
            offered = {turn.move.pit_index(table.row), turn.last_pit}
            assert model.holds[named(table)] == offered
            return


def named(table: Table) -> str:
    """The event from which the turn was recorded."""
    source = next(event.source for event in table.games.load(table.game).events if event.kind == "turn")
    return source.split(":", 2)[2]
