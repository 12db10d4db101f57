"""Steps of the board check for which somebody looks at the board, or which change what it remembers."""

from __future__ import annotations

from inkeek.drivers.errors import TransportError
from inkeek.drivers.protocol.frames import Frame
from inkeek.drivers.protocol.lights import Lights
from inkeek.drivers.protocol.limits import HELLO_EVERY, PROTOCOL
from inkeek.drivers.protocol.messages import (
    PING,
    TARE,
    ack,
    host_hello,
    replay_request,
)

from .board_check import LISTEN_FOR, CheckRun, StepFailed, StepSkipped
from .session_steps import HELLO_WITHIN, known_board

CALIBRATE_WITHIN = 15.0  # seconds for a step of the calibration
MIN_RING = 512  # events that a board keeps at least
FILL_WITHIN = 120.0  # seconds for making more events than the ring holds
RESTART_WITHIN = 60.0  # seconds for a person to switch the board off and on
NO_CALIBRATION = "this would calibrate the board: allow it with --calibrate"


def check_buttons(run: CheckRun) -> None:
    """Each side's commit button sends its side and all counts."""
    board = run.connected
    if "buttons" not in board.capabilities:
        raise StepSkipped("the board has no buttons")
    for side, name in (("s", "South"), ("n", "North")):
        event = _event_of_hand(run, f"press {side}", f"Press {name}'s commit button.", ("BTN",))
        expected = f"BTN,{side},commit and {board.sensors} counts"
        if event[1:3] != (side, "commit"):
            raise StepFailed(",".join(event[:3]), expected)


def check_pits(run: CheckRun) -> None:
    """The first pits of both rows have the right indices."""
    for pit, row, name in (
        (0, "south", "a (South's row, the left end seen from South)"),
        (run.connected.row, "north", "A (North's row, the left end seen from North)"),
    ):
        what = f"Lift all seeds out of pit {name} and put them back; put one in if it is empty."
        event = _event_of_hand(run, f"lift {row}", what, ("PIT", "LIFT"))
        if event[1] != str(pit):
            expected = f"{event[0]},{pit}: South's pits come first, each row from its own left"
            raise StepFailed(",".join(event[:2]), expected)


def check_lights(run: CheckRun) -> None:
    """Every light can be switched, and shows what it should."""
    board = run.connected
    if "leds" not in board.capabilities:
        raise StepSkipped("the board has no lights")
    shows = [
        ("every pit lit, and no other light", Lights(dict.fromkeys(range(2 * board.row), "on"))),
        ("South's row blinking, North's row lit", Lights(rows=("blink", "on"))),
        ("pit a and the error light as errors", Lights({0: "error"}, error=True)),
        ("no light at all", Lights()),
    ]
    seen = True
    for number, (what, lights) in enumerate(shows, 1):
        _show(run, what, lights, number)
        answer = run.confirm("lights", f"Does the board show {what}?") if seen else None
        if answer == "n":
            raise StepFailed(f"other lights, when the host asked for: {what}", "the lights as asked for")
        seen = answer == "y"
    if not seen:
        raise StepSkipped("the board took the lines without an error, but nobody looked at the lights")


def check_calibration(run: CheckRun) -> None:
    """``CAL,tare`` is answered by a ``CAL`` event for each sensor."""
    board = run.connected
    _require_calibration(run)
    if run.confirm("empty", "Empty every pit and store. Are they empty?") in ("n", "s"):
        raise StepSkipped("the board is not empty")
    _tare(run)
    failed = [
        one.frame.fields for one in run.events() if one.frame.fields[3:4] == ("CAL",) and one.frame.fields[5] != "ok"
    ]
    if failed:
        run.notes.append(f"{len(failed)} sensors could not be calibrated")
    run.line.send(ack(board.boot, max(run.numbers())))


def check_overflow(run: CheckRun) -> None:
    """A ring of at least 512 events that overflows says which events are lost."""
    board = run.connected
    _require_calibration(run)
    first = max(run.numbers(), default=0) + 1
    deadline = run.line.now + FILL_WITHIN
    made = 0
    while made <= MIN_RING:
        if run.line.now >= deadline:
            raise StepSkipped(f"only {made} events could be made within {FILL_WITHIN:g} seconds")
        _tare(run)
        made = max(run.numbers()) - first + 1
    held_first, held = (int(field) for field in reversed(run.answer(PING, "STAT").fields[5:7]))
    if held < MIN_RING:
        raise StepFailed(f"{held} of {made} unacknowledged events held", f"a ring of at least {MIN_RING}")
    mark = run.mark()
    run.line.send(replay_request(board.boot, first))
    last = first + made - 1
    run.line.read_until(lambda: last in {one.number for one in run.events(mark)}, FILL_WITHIN)
    overflows = [one.frame.fields for one in run.since(mark, "ERR") if one.frame.fields[0] == "overflow"]
    if held_first > first and not any(fields[1] == str(held_first) for fields in overflows):
        raise StepFailed(
            f"no ERR,overflow, though the events {first} to {held_first - 1} are lost", f"ERR,overflow,{held_first}"
        )
    if missing := set(range(held_first, last + 1)) - {one.number for one in run.events(mark)}:
        raise StepFailed(
            f"event {min(missing)} did not come", f"the events {held_first} to {last} after REPLAY,{first}"
        )
    if held_first <= first:
        run.notes.append(f"the ring holds all {made} events: it did not overflow")
    run.line.send(ack(board.boot, last))


def check_restart(run: CheckRun) -> None:
    """After a restart the board has a new boot id and an empty ring."""
    board = run.connected
    ms = int(run.answer(PING, "STAT").fields[1])
    mark = run.mark()
    if not run.person.ask("restart", "Switch the board off and on again. (s: skip)"):
        raise StepSkipped("nobody restarts the board")
    deadline = run.line.now + RESTART_WITHIN
    hello = None
    while run.line.now < deadline and (hello is None or not _has_restarted(run, hello, ms)):
        if (run.person.answer() or "").strip() == "s":
            raise StepSkipped("skipped")
        try:
            run.line.open(HELLO_EVERY)
            hello = run.line.request(host_hello(PROTOCOL, "inkeek-check", "1"), "HELLO", HELLO_EVERY)
        except TransportError:
            run.line.close()
    if hello is None:
        raise StepFailed(
            f"no HELLO within {RESTART_WITHIN:g} seconds", f"HELLO within {HELLO_WITHIN:g} seconds of the start"
        )
    if not _has_restarted(run, hello, ms):
        raise StepSkipped(f"the board did not restart within {RESTART_WITHIN:g} seconds")
    if hello.fields[3] == board.boot:
        raise StepFailed(f"boot id {board.boot} again", "another one at each start: seed the random generator")
    run.board, run.started, run.acknowledged = known_board(hello), mark, 0
    if hello.fields[2] != board.serial:
        raise StepFailed(f"serial number {hello.fields[2]!r}, before {board.serial!r}", "the same after each start")
    run.replay(1)
    events = [one for one in run.line.read_for(LISTEN_FOR) if one.number]
    if lost := [one.frame.fields for one in run.since(mark, "ERR") if one.frame.fields[0] == "overflow"]:
        raise StepFailed(f"ERR,overflow,{lost[0][1]} for REPLAY,1 after the start", "numbers from 1 at each start")
    wrong = [one for one in events if one.frame.fields[0] != hello.fields[3]]
    if wrong:
        raise StepFailed(
            f"event {wrong[0].number} with boot id {wrong[0].frame.fields[0]}", f"{hello.fields[3]}, as in HELLO"
        )


def check_lines(run: CheckRun) -> None:
    """Every line that came during the check is as the protocol says."""
    faults = run.line.faults
    examples = {
        fault: f"{faults[fault]} × {run.line.examples[fault].line} ({run.line.examples[fault].reason})"
        for fault in faults
    }
    for fault in ("text", "type"):  # allowed, and of no use
        if fault in examples:
            run.notes.append(f"ignored: {examples.pop(fault)}")
    if examples:
        raise StepFailed("; ".join(examples.values()), "lines as the protocol has them")


def _show(run: CheckRun, what: str, lights: Lights, number: int) -> None:
    """Switch the lights. A board of version 1.1 confirms them.

    :raises StepFailed: it does not, or finds an error.
    """
    board, mark = run.connected, run.mark()
    if board.version >= (1, 1):
        line = lights.line(number, board.boot, max(run.numbers(), default=0), board.sensors)
        confirmed = run.answer(line, "LIT")
        if confirmed.fields != (board.boot, str(number)):
            raise StepFailed(f"LIT,{','.join(confirmed.fields)} for set {number}", f"LIT,{board.boot},{number}")
    else:
        for line in lights.lines():
            run.line.send(line)
        run.line.read_for(0.5)
    if refused := run.since(mark, "ERR"):
        raise StepFailed(f"ERR,{','.join(refused[0].frame.fields)} for: {what}", "the lights, and no error")


def _event_of_hand(run: CheckRun, task: str, what: str, kinds: tuple[str, ...]) -> tuple[str, ...]:
    """Have a person do something, and return kind and fields of the first event of these kinds.

    :raises StepFailed: no such event came.
    """
    mark = run.mark()
    if not run.watch(task, what, lambda: bool(run.new_events(kinds, mark))):
        raise StepFailed(run.describe(mark), f"EVT with {' or '.join(kinds)}")
    return run.new_events(kinds, mark)[0]


def _has_restarted(run: CheckRun, hello: Frame, ms: int) -> bool:
    """Whether the board's boot id is another one, or its clock was set back."""
    if hello.fields[3] != run.connected.boot:
        return True
    status = run.line.request(PING, "STAT", HELLO_EVERY)
    return status is not None and int(status.fields[1]) < ms


def _require_calibration(run: CheckRun) -> None:
    if "cal" not in run.connected.capabilities:
        raise StepSkipped("the board cannot be calibrated over the line, and nothing else makes so many events")
    if not run.calibrate:
        raise StepSkipped(NO_CALIBRATION)


def _tare(run: CheckRun) -> None:
    """Tare all sensors.

    :raises StepFailed: a sensor sent no result.
    """
    board, mark = run.connected, run.mark()
    known = max(run.numbers(), default=0)
    run.line.send(TARE)

    def tared() -> set[int]:
        events = [one for one in run.events(mark) if one.number > known and one.frame.fields[3] == "CAL"]
        return {int(one.frame.fields[4]) for one in events}

    run.line.read_until(lambda: len(tared()) == board.sensors, CALIBRATE_WITHIN)
    if missing := set(range(board.sensors)) - tared():
        raise StepFailed(
            f"no CAL event for sensor {min(missing)} within {CALIBRATE_WITHIN:g} seconds of CAL,tare",
            "EVT with CAL,<index>,ok or failed for each sensor",
        )
