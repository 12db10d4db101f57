from __future__ import annotations

import math
import os
from contextlib import closing, suppress
from dataclasses import replace

import pytest

from inkeek.drivers.base import Guidance
from inkeek.drivers.events import Connected, PitChanged, Snapshot
from inkeek.drivers.foreign import listing
from inkeek.drivers.foreign.driver import ForeignConnection, ForeignDriver
from inkeek.drivers.foreign.faults import DriverFault
from inkeek.drivers.foreign.limits import DriverLimits
from inkeek.drivers.foreign.process import PluginProcess
from inkeek.drivers.foreign.usage import PROC
from inkeek.records import SOUTH
from tests.misbehaving.acts import KINDS
from tests.misbehaving.board import ANSWERS
from tests.misbehaving.distribution import BAD, importing
from tests.service.waiting import until

LIMITS = DriverLimits(load=60.0, open=60.0, poll=60.0, call=60.0, close=60.0, memory=256 << 20)
SHORT = {"load": 3.0, "open": 0.5, "poll": 0.5, "call": 0.5, "close": 0.5}
FLOODS = ("long-serial", "endless")
OTHER_PLACES = ("open", "acknowledge", "show", "calibrate", "close")


def use(url: str, limits: DriverLimits) -> None:
    """Open a board and call everything."""
    with closing(ForeignDriver(BAD, limits).open(url)) as connection:
        events = connection.poll(0.0)
        assert [type(event) for event in events] == [Connected, Snapshot]
        (changed,) = connection.poll(0.0)
        assert isinstance(changed, PitChanged)
        connection.acknowledge(changed)
        connection.show(Guidance(SOUTH))
        connection.calibrate(None)


def limits_for(act: str, limit: str) -> DriverLimits:
    """A short deadline for the calls of this limit, where only that ends them."""
    return replace(LIMITS, **{limit: SHORT[limit]}) if KINDS[act] in ("blocked", "spun") else LIMITS


def test_a_driver_that_behaves_does_all_that_it_is_asked() -> None:
    use("bad::", LIMITS)


def test_what_a_driver_prints_is_dropped() -> None:
    use("bad:poll:prints", LIMITS)


@pytest.mark.parametrize("act", KINDS)
def test_a_poll_that_misbehaves_is_ended_and_named(act: str) -> None:
    _check_fault("poll", act)


@pytest.mark.parametrize("act", ["ends", "ends_with_heirs"])
def test_the_end_of_a_process_is_noticed_where_it_can_only_be_reaped(act: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "waitid")
    _check_fault("poll", act)


@pytest.mark.parametrize("act", KINDS)
@pytest.mark.parametrize("place", OTHER_PLACES)
def test_every_other_call_that_misbehaves_is_ended_and_named(place: str, act: str) -> None:
    _check_fault(place, act)


def _check_fault(place: str, act: str) -> None:
    with pytest.raises(DriverFault) as caught:
        use(f"bad:{place}:{act}", limits_for(act, place if place in SHORT else "call"))
    fault = caught.value
    assert (fault.kind, fault.place, fault.plugin) == (KINDS[act], place, BAD)


@pytest.mark.parametrize("act", KINDS)
@pytest.mark.parametrize("place", ["import", "class", "init"])
def test_a_driver_that_misbehaves_while_it_is_imported_is_ended_and_named(place: str, act: str, site) -> None:
    plugin = importing(place, act)
    site(plugin)
    with pytest.raises(DriverFault) as caught:
        PluginProcess(plugin, limits_for(act, "load"))
    fault = caught.value
    assert (fault.kind, fault.place, fault.plugin) == (KINDS[act], "import", plugin)


@pytest.mark.parametrize("act", KINDS)
def test_a_check_of_a_port_that_misbehaves_is_ended_and_named(act: str) -> None:
    with pytest.raises(DriverFault) as caught:
        ForeignDriver(BAD, limits_for(act, "call")).check_url(f"bad:check_url:{act}")
    assert (caught.value.kind, caught.value.place) == (KINDS[act], "check_url")


@pytest.mark.parametrize("answer", ANSWERS)
def test_events_that_are_none_are_a_fault(answer: str) -> None:
    with pytest.raises(DriverFault) as caught:
        use(f"bad:poll:{answer}", LIMITS)
    assert caught.value.kind == ("flooded" if answer == "endless" else "nonsense")


def polled(connection: ForeignConnection, times: int) -> None:
    with closing(connection):
        for _ in range(times):
            connection.poll(0.0)


def test_more_events_than_a_board_has_are_a_fault() -> None:
    limits = replace(LIMITS, rate=0.0, burst=10)
    with pytest.raises(DriverFault) as caught:
        polled(ForeignDriver(BAD, limits).open("bad::stream"), 10)
    assert caught.value.kind == "flooded"


def test_a_driver_that_keeps_a_processor_busy_beside_its_answers_is_a_fault() -> None:
    limits = replace(LIMITS, window=0.2, share=0.01)
    with pytest.raises(DriverFault) as caught:
        polled(ForeignDriver(BAD, limits).open("bad::busy-thread"), 100_000)
    assert caught.value.kind == "spun"


@pytest.mark.parametrize(
    ("helper", "limits", "kind"),
    [("spins", {"share": 0.01}, "spun"), ("hoards", {"memory": 256 << 20, "share": 100.0}, "grew")],
)
def test_what_a_driver_starts_counts_as_its_own(helper: str, limits: dict[str, float], kind: str) -> None:
    own = replace(LIMITS, window=0.2, **limits)  # type: ignore[arg-type]
    with pytest.raises(DriverFault) as caught:
        polled(ForeignDriver(BAD, own).open(f"bad::helper-{helper}"), 100_000)
    assert caught.value.kind == kind


def test_a_process_that_breaks_the_channel_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who writes on the channel itself is a stranger too: answers too long, not JSON, or to nobody."""
    to_nobody = b'\0\0\0\x08{"id":7}'
    for data, kind in ((b"\xff\xff\xff\xff", "flooded"), (b"\0\0\0\x01x", "nonsense"), (to_nobody, "nonsense")):
        process = PluginProcess(BAD, LIMITS)
        process.call("open", dict, 60.0, url="bad::", resume=None, recording=None, replays=False)
        monkeypatch.setattr(process, "_read", _scripted(data))
        with pytest.raises(DriverFault) as caught:
            process.call("poll", dict, 60.0, timeout=0.0)
        assert caught.value.kind == kind


def _scripted(data: bytes):
    rest = bytearray(data)

    def read(size: int, deadline: float) -> bytes:
        part = bytes(rest[:size])
        del rest[:size]
        return part

    return read


def test_a_board_that_was_released_waits_no_longer_for_its_driver() -> None:
    driver = ForeignDriver(BAD, replace(LIMITS, close=0.1))
    driver.released.set()
    with pytest.raises(DriverFault):
        driver.open("bad:open:blocks")


def test_the_process_ends_with_whoever_started_it() -> None:
    process = PluginProcess(BAD, LIMITS)
    process._channel.close()
    until(lambda: process._process.poll() is not None)
    process.stop()


def test_settings_of_the_service_are_not_told_to_drivers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INKEEK_DATABASE", "postgresql://user:password@host/db")
    process = PluginProcess(BAD, LIMITS)
    with open(f"/proc/{process._process.pid}/environ", "rb") as file:
        assert b"user:password@host" not in file.read()
    process.stop()


def test_nothing_is_left_of_a_driver_that_failed() -> None:
    held = len(os.listdir("/proc/self/fd"))
    for url in ("bad:open:ends", "bad:poll:raises", "bad:close:exits"):
        with pytest.raises(DriverFault):
            use(url, LIMITS)
    assert len(os.listdir("/proc/self/fd")) <= held


def test_a_driver_that_fails_is_not_asked_again_at_once(site, monkeypatch: pytest.MonkeyPatch) -> None:
    plugin = importing("import", "raises")
    site(plugin)
    monkeypatch.setattr(listing, "FAULT_KEPT", math.inf)
    listing.ask([plugin], LIMITS, math.inf)
    monkeypatch.setattr("inkeek.drivers.foreign.listing.PluginProcess", None)
    listing.ask([plugin], LIMITS, math.inf)
    with pytest.raises(DriverFault) as caught:
        listing.description(plugin)
    assert caught.value.kind == "raised"


@pytest.mark.skipif(not PROC.is_dir(), reason="needs /proc")
@pytest.mark.parametrize("act", ["leaves_helper", "leaves_heir"])
def test_no_helper_outlives_a_driver(act: str, tmp_path, monkeypatch) -> None:
    """Also one that has left the session, and one whose parent has ended."""
    monkeypatch.setenv("HELPER", str(tmp_path / "pid"))
    driver = ForeignDriver(BAD, LIMITS)
    with suppress(DriverFault):
        driver.open(f"bad:open:{act}")
    helper = until(lambda: (tmp_path / "pid").exists() and (tmp_path / "pid").read_text())
    driver.stop()
    until(lambda: not (PROC / helper).exists() or b") Z" in (PROC / helper / "stat").read_bytes())
