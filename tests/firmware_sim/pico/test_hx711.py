"""The PIO program that reads the amplifiers, on an emulated state machine with amplifiers and registers."""

from __future__ import annotations

import pytest

from inkeek.firmware_sim.pico.hx711 import FREQUENCY, PULSES, Amplifiers, LineReader, program

from .pio import Amplifier, Rp2, StateMachine

VALUES = (5, -5, 0x7FFFFF, -0x800000, 0, 1, -1, 1000, 70000)


def machine(*values: int | None, frequency: int = FREQUENCY) -> StateMachine:
    return StateMachine(program(Rp2), frequency, [Amplifier(value) for value in values])


@pytest.mark.parametrize("count", [1, 8, 18, 34])
def test_all_amplifiers_are_read_at_once(count: int) -> None:
    values = [VALUES[index % len(VALUES)] for index in range(count)]
    subject = machine(*values)
    assert Amplifiers(count, LineReader(count, subject)).poll(0) == values
    assert {amplifier.pulses for amplifier in subject.amplifiers} == {PULSES}
    assert not any(amplifier.off for amplifier in subject.amplifiers)


def test_looking_whether_readings_are_ready_does_not_pulse_the_clock() -> None:
    subject = machine(5, None, 6)
    reader = LineReader(3, subject)
    assert [reader.levels()[0] >> 5, reader.levels()[0] >> 5] == [0b010, 0b010]
    assert Amplifiers(3, reader).poll(0) is None
    assert {amplifier.pulses for amplifier in subject.amplifiers} == {0}


def test_the_program_fits_the_memory_of_a_state_machine() -> None:
    assert len(program(Rp2).instructions) <= 32
