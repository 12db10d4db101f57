from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers import events
from drivers.base import Guidance
from drivers.errors import MessageError
from drivers.events import Event
from drivers.recording.json_form import KINDS, event_json, guidance_json, read_event, read_guidance
from records import NORTH, SOUTH, Side

words = st.text(st.characters(codec="utf-8", exclude_categories=("C", "Z")), max_size=20)
numbers = st.integers(0, 2**32 - 1)
seeds = st.floats(-1e6, 1e6)
st.register_type_strategy(str, words)
st.register_type_strategy(int, numbers)
st.register_type_strategy(float, seeds)
st.register_type_strategy(Side, st.sampled_from([SOUTH, NORTH]))


def made(kind: type) -> st.SearchStrategy:
    """Any value of the kind; boot ids are as long as can be stored."""
    boots = {"boot": st.text("0123456789abcdef", min_size=1, max_size=16)}
    fits = {name: value for name, value in boots.items() if name in kind.__dataclass_fields__}  # type: ignore[attr-defined]
    return st.builds(kind, **fits)


@given(st.one_of([made(kind) for kind in KINDS.values()]))
def test_every_event_comes_back_as_it_was(event: Event) -> None:
    told = json.loads(json.dumps(event_json(event), allow_nan=False))
    assert read_event(told) == event


@given(made(Guidance))
def test_guidance_comes_back_as_it_was(guidance: Guidance) -> None:
    assert read_guidance(json.loads(json.dumps(guidance_json(guidance)))) == guidance


def test_every_event_there_is_has_a_kind() -> None:
    """But for the two that only gather others."""
    there = {thing for thing in vars(events).values() if isinstance(thing, type) and issubclass(thing, Event)}
    assert set(KINDS.values()) == there - {Event, events.Numbered}


GOOD = {"event": "button", "boot": "0a", "seq": 1, "ms": 2, "side": "South", "action": "commit", "counts": [4.0, 3.5]}


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"event": "knock"}, "event is 'knock': expected one of connected"),
        ({"event": ["button"]}, "event is ['button']"),
        ({"boot": ""}, "boot is ''"),
        ({"boot": "0" * 17}, "boot is '00000000000000000'"),
        ({"seq": -1}, "seq is -1: expected 0 to 4294967295"),
        ({"seq": True}, "seq is True"),
        ({"seq": 1.0}, "seq is 1.0"),
        ({"side": "West"}, "side is 'West': expected South or North"),
        ({"side": 0}, "side is 0"),
        ({"counts": 4.0}, "counts is 4.0: expected a list"),
        ({"counts": [4.0] * 257}, "expected a list of at most 256"),
        ({"counts": [float("nan")]}, "counts is nan"),
        ({"counts": ["4"]}, "counts is '4'"),
        ({"action": "a\nb"}, "action is 'a\\nb': expected printable text"),
        ({"pit": 3}, "Button has the fields boot, seq, ms, side, action, counts: 'pit' do not fit"),
    ],
)
def test_what_is_no_event_is_refused_with_its_field(changed: dict[str, object], said: str) -> None:
    read_event(GOOD)
    with pytest.raises(MessageError) as caught:
        read_event({**GOOD, **changed})
    assert said in str(caught.value)


@pytest.mark.parametrize("value", [None, [], "button", {k: v for k, v in GOOD.items() if k != "ms"}])
def test_what_is_no_object_or_lacks_a_field_is_refused(value: object) -> None:
    with pytest.raises(MessageError):
        read_event(value)


@pytest.mark.parametrize("value", [None, [], "lights", {"errors": 3}, {"to_move": "West"}, {"over": 1}])
def test_what_is_no_guidance_is_refused(value: object) -> None:
    with pytest.raises(MessageError):
        read_guidance(value)


def test_guidance_of_another_version_is_read_as_far_as_it_is_known() -> None:
    assert read_guidance({"to_move": "South", "later": [1]}) == Guidance(SOUTH)


def test_a_tuple_of_two_has_two() -> None:
    told = event_json(events.Connected("S", "1", (1, 0), "0a", 8, True, frozenset({"leds"})))
    with pytest.raises(MessageError, match="version has 3 items: expected 2"):
        read_event({**told, "version": [1, 0, 0]})


def test_an_event_of_a_drivers_own_kind_cannot_be_sent() -> None:
    class Knock(Event):
        pass

    with pytest.raises(MessageError, match=r"Knock is no event of drivers\.events"):
        event_json(Knock())
