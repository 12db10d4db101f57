"""The steps of the board check, in order: what each checks, and the section of `docs/protocol.md` that demands it."""

from __future__ import annotations

from . import hardware_steps, session_steps
from .board_check import CheckStep

STEPS = (
    CheckStep("greeting", "HELLO is answered", "A session", session_steps.check_greeting, needs_greeting=False),
    CheckStep("snapshot", "SNAP? is answered", "Host to board", session_steps.check_snapshot),
    CheckStep("status", "PING is answered", "Host to board", session_steps.check_status),
    CheckStep("clock", "the board's clock runs", "Numbers", session_steps.check_clock),
    CheckStep("events", "events have rising numbers", "Numbers", session_steps.check_events),
    CheckStep("buttons", "buttons send their side and all counts", "Board to host", hardware_steps.check_buttons),
    CheckStep("pits", "pits have the right index", "Numbers", hardware_steps.check_pits),
    CheckStep("resend", "events come again until they are acknowledged", "A session", session_steps.check_resend),
    CheckStep("replay", "REPLAY sends events again", "Host to board", session_steps.check_replay),
    CheckStep("nak", "NAK sends all events again", "Host to board", session_steps.check_nak),
    CheckStep("reconnect", "events survive a lost port", "A session", session_steps.check_reconnect),
    CheckStep("acknowledge", "ACK makes the board forget", "Host to board", session_steps.check_acknowledge),
    CheckStep("forgotten", "REPLAY of forgotten events says so", "Host to board", session_steps.check_forgotten),
    CheckStep("damaged", "damaged lines are ignored", "A line", session_steps.check_damaged),
    CheckStep("unknown", "unknown types are refused", "A line", session_steps.check_unknown),
    CheckStep("range", "fields that do not fit are refused", "A line", session_steps.check_range),
    CheckStep("lights", "lights show what the host says", "Host to board", hardware_steps.check_lights),
    CheckStep("calibration", "CAL is answered", "Host to board", hardware_steps.check_calibration),
    CheckStep("overflow", "a full ring says what is lost", "A session", hardware_steps.check_overflow),
    CheckStep("restart", "a restart has a new boot id", "Numbers", hardware_steps.check_restart),
    CheckStep("lines", "every line is well formed", "A line", hardware_steps.check_lines, needs_greeting=False),
)
