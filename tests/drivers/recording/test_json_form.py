from __future__ import annotations

import json

import pytest
from hypothesis import given, strategies as st

from inkeek.drivers import events
from inkeek.drivers.base import Guidance
from inkeek.drivers.errors import MessageError
from inkeek.drivers.events import Event
from inkeek.drivers.recording.json_form import KINDS, event_json, guidance_json, read_event, read_guidance
from inkeek.records import NORTH, SOUTH, Side
from tests.unknown_fields import with_unknown_fields

words = st.text(st.characters(codec="utf-8", exclude_categories=("C", "Z")), max_size=20)
numbers = st.integers(0, 2**32 - 1)
st.register_type_strategy(str, words)
st.register_type_strategy(int, numbers)
st.register_type_strategy(float, st.floats(-1e6, 1e6))
st.register_type_strategy(Side, st.sampled_from([SOUTH, NORTH]))


def made(kind: type) -> st.SearchStrategy:
    """Any value of the class, with a boot id of valid length."""
    boots = {"boot": st.text("0123456789abcdef", min_size=1, max_size=16)}
    fits = {name: value for name, value in boots.items() if name in kind.__dataclass_fields__}  # type: ignore[attr-defined]
    return st.builds(kind, **fits)


@given(st.one_of([made(kind) for kind in KINDS.values()]))
def test_every_event_is_read_as_written(event: Event) -> None:
    data = json.loads(json.dumps(event_json(event), allow_nan=False))
    assert read_event(data) == read_event(with_unknown_fields(data)) == event


@given(made(Guidance))
def test_guidance_is_read_as_written(guidance: Guidance) -> None:
    data = json.loads(json.dumps(guidance_json(guidance)))
    assert read_guidance(data) == read_guidance(with_unknown_fields(data)) == guidance


def test_every_event_class_has_a_kind() -> None:
    """Except the two base classes."""
    classes = {thing for thing in vars(events).values() if isinstance(thing, type) and issubclass(thing, Event)}
    assert set(KINDS.values()) == classes - {Event, events.Numbered}


GOOD = {"event": "button", "boot": "0a", "seq": 1, "ms": 2, "side": "South", "action": "commit", "counts": [4.0, 3.5]}


@pytest.mark.parametrize(
    ("changed", "quoted"),
    [
        ({"event": ["button"]}, "['button']"),
        ({"boot": ""}, "boot"),
        ({"boot": "0" * 17}, "'00000000000000000'"),
        ({"seq": -1}, "-1"),
        ({"seq": 2**32}, "4294967296"),
        ({"seq": True}, "True"),
        ({"seq": 1.0}, "1.0"),
        ({"side": "West"}, "'West'"),
        ({"side": 0}, "side"),
        ({"counts": 4.0}, "4.0"),
        ({"counts": [4.0] * 257}, "256"),
        ({"counts": [float("nan")]}, "nan"),
        ({"counts": [1e300]}, "1e+300"),
        ({"counts": ["4"]}, "'4'"),
        ({"action": "a\nb"}, r"'a\nb'"),
        ({"action": "a" * 2001}, "2000"),
    ],
)
def test_invalid_events_are_refused_with_their_field(changed: dict[str, object], quoted: str) -> None:
    read_event(GOOD)
    with pytest.raises(MessageError) as caught:
        read_event({**GOOD, **changed})
    assert next(iter(changed)) in str(caught.value)
    assert quoted in str(caught.value)


@pytest.mark.parametrize("value", [None, [], "button", {k: v for k, v in GOOD.items() if k != "ms"}])
def test_other_values_and_missing_fields_are_refused(value: object) -> None:
    with pytest.raises(MessageError):
        read_event(value)


@pytest.mark.parametrize("value", [None, [], "lights", {"errors": 3}, {"to_move": "West"}, {"over": 1}])
def test_invalid_guidance_is_refused(value: object) -> None:
    with pytest.raises(MessageError):
        read_guidance(value)


def test_a_numbered_event_of_a_later_version_is_unrecognized() -> None:
    """So it is acknowledged, and those after it do not wait for it."""
    knock = {"event": "knock", "boot": "0a", "seq": 7, "ms": 2, "side": "South", "force": 3}
    assert read_event(knock) == events.Unrecognized("0a", 7, 2, "knock", ())


def test_missing_fields_of_guidance_have_their_defaults() -> None:
    assert read_guidance({"to_move": "South"}) == Guidance(SOUTH)


def test_a_version_has_two_numbers() -> None:
    data = event_json(events.Connected("S", "1", (1, 0), "0a", 8, True, frozenset({"leds"})))
    with pytest.raises(MessageError, match="version"):
        read_event({**data, "version": [1, 0, 0]})


def test_events_of_foreign_classes_are_refused() -> None:
    class Knock(Event):
        pass

    with pytest.raises(MessageError, match="Knock"):
        event_json(Knock())


def test_the_json_of_an_event_stays_the_same() -> None:
    """Stored events and old recordings depend on it."""
    connected = events.Connected("S", "1", (1, 0), "0a", 8, True, frozenset({"leds", "cal"}))
    button = events.Button("0a", 1, 2, NORTH, "commit", (4.0, 0.12))
    assert json.dumps([event_json(connected), event_json(button)]) == (
        '[{"event": "connected", "serial": "S", "firmware": "1", "version": [1, 0], "boot": "0a", "row": 8, '
        '"stores": true, "capabilities": ["cal", "leds"]}, {"event": "button", "boot": "0a", "seq": 1, "ms": 2, '
        '"side": "North", "action": "commit", "counts": [4.0, 0.12]}]'
    )
    assert json.dumps(guidance_json(Guidance(SOUTH, frozenset({9, 2}), last=frozenset({3})))) == (
        '{"to_move": "South", "errors": [2, 9], "over": false, "refused": false, "trial": false, "disputed": false, '
        '"last": [3], "pending": false, "offered": [], "question": ""}'
    )
