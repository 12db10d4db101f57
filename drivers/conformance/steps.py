"""The steps of the board check, in order: what each checks, and the section of `docs/protocol.md` that demands it."""

from __future__ import annotations

from . import hardware_steps, session_steps
from .board_check import Step

STEPS = (
    Step("greeting", "HELLO is answered", "A session", session_steps.check_greeting, needs_greeting=False),
    Step("snapshot", "SNAP? is answered", "Host to board", session_steps.check_snapshot),
    Step("status", "PING is answered", "Host to board", session_steps.check_status),
    Step("clock", "the board's clock runs", "Numbers", session_steps.check_clock),
    Step("events", "events have rising numbers", "Numbers", session_steps.check_events),
    Step("buttons", "buttons send their side and all counts", "Board to host", hardware_steps.check_buttons),
    Step("pits", "pits have the right index", "Numbers", hardware_steps.check_pits),
    Step("resend", "events come again until they are acknowledged", "A session", session_steps.check_resend),
    Step("replay", "REPLAY sends events again", "Host to board", session_steps.check_replay),
    Step("nak", "NAK sends all events again", "Host to board", session_steps.check_nak),
    Step("reconnect", "events survive a lost port", "A session", session_steps.check_reconnect),
    Step("acknowledge", "ACK makes the board forget", "Host to board", session_steps.check_acknowledge),
    Step("forgotten", "REPLAY of forgotten events says so", "Host to board", session_steps.check_forgotten),
    Step("damaged", "damaged lines are ignored", "A line", session_steps.check_damaged),
    Step("unknown", "unknown types are refused", "A line", session_steps.check_unknown),
    Step("range", "fields that do not fit are refused", "A line", session_steps.check_range),
    Step("lights", "lights show what the host says", "Host to board", hardware_steps.check_lights),
    Step("calibration", "CAL is answered", "Host to board", hardware_steps.check_calibration),
    Step("overflow", "a full ring says what is lost", "A session", hardware_steps.check_overflow),
    Step("restart", "a restart has a new boot id", "Numbers", hardware_steps.check_restart),
    Step("lines", "every line is well formed", "A line", hardware_steps.check_lines, needs_greeting=False),
)
