import threading
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest
from zeroconf import AddressResolverIPv4, Zeroconf

from inkeek.service.http.addresses import NAME_FILE
from inkeek.service.processes import announcement
from inkeek.service.processes.announcement import LocalName, keep_announced

LOOPBACK = "127.0.0.1"


@pytest.fixture
def apart():
    """Calls a function in a thread of its own: a browser of other tests may have an event loop in this one, which
    Zeroconf would join."""
    with ThreadPoolExecutor(1) as pool:
        yield lambda call, *given: pool.submit(call, *given).result()


@pytest.fixture
def phone(apart):
    """Another device in the network, which here is the machine's own loopback."""
    network = apart(partial(Zeroconf, interfaces=[LOOPBACK]))
    yield lambda host: apart(_addresses, network, host)
    apart(network.close)


def _addresses(network, host):
    resolver = AddressResolverIPv4(f"{host}.")
    return resolver.parsed_addresses() if resolver.request(network, 1000) else []


@pytest.fixture
def own_name():
    """A name that no other run of the tests has."""
    return f"inkeek-{time.monotonic_ns()}"


def test_a_phone_finds_the_name_until_it_is_withdrawn_and_another_service_gets_the_next(
    apart, phone, own_name, tmp_path
):
    folders = [tmp_path / "first", tmp_path / "second"]
    names = [folder.mkdir() or LocalName(own_name, 8000, folder) for folder in folders]
    hosts = [apart(name.announce, [LOOPBACK]) for name in names]
    assert hosts == [f"{own_name}.local", f"{own_name}-2.local"]
    assert [(folder / NAME_FILE).read_text() for folder in folders] == hosts
    assert [phone(host) for host in hosts] == [[LOOPBACK], [LOOPBACK]]
    for name in names:
        apart(name.withdraw)
    assert [list(folder.iterdir()) for folder in folders] == [[], []]
    assert phone(hosts[0]) == []


class Named:
    """Stands in for the name: keeps what is announced, and fails once."""

    def __init__(self) -> None:
        self.announced = []

    def announce(self, addresses):
        self.announced.append(addresses)
        if len(self.announced) == 1:
            raise OSError("no multicast here")
        return "inkeek.local"

    def withdraw(self):
        self.announced.append(None)


def test_the_name_follows_the_addresses_and_its_failure_ends_nothing(monkeypatch):
    name, stop, shown = Named(), threading.Event(), []
    seen = iter([["192.168.1.20"]] * 4 + [["10.0.0.7"]] * 3)
    monkeypatch.setattr(announcement, "network_addresses", lambda: next(seen, None) or stop.set() or ["10.0.0.7"])
    monkeypatch.setattr(announcement, "NETWORK_EVERY", 0.0)
    monkeypatch.setattr(announcement, "RETRY_AFTER", 0.0)
    keep_announced(name, stop, lambda *change: shown.append(change))
    assert name.announced == [["192.168.1.20"], ["192.168.1.20"], ["10.0.0.7"], None]
    assert shown == [("", "inkeek.local"), ("10.0.0.7", "inkeek.local")]
