"""Addresses for other devices: pages and links that are shown here are opened elsewhere."""

from types import SimpleNamespace

import pytest

from inkeek.service.http.addresses import network_addresses, reachable_url

CLUB = "192.168.1.20"


@pytest.fixture(autouse=True)
def adapters(monkeypatch):
    """A laptop with a wifi, a bridge of containers, and an address that nobody gave it."""
    ips = {"lo": "127.0.0.1", "docker0": "172.17.0.1", "wlan0": CLUB, "eth0": "169.254.7.7", "wwan0": "203.0.113.5"}
    found = [SimpleNamespace(nice_name=name, ips=[SimpleNamespace(ip=ip)]) for name, ip in ips.items()]
    found.append(SimpleNamespace(nice_name="wlan0", ips=[SimpleNamespace(ip=("fe80::1", 0, 2))]))
    monkeypatch.setattr("ifaddr.get_adapters", lambda: found)


def test_the_address_in_the_wifi_is_first():
    assert network_addresses() == [CLUB, "203.0.113.5", "172.17.0.1"]


@pytest.mark.parametrize(
    ("url", "listens_on", "expected"),
    [
        ("http://127.0.0.1:8000/games/a", "0.0.0.0", f"http://{CLUB}:8000/games/a"),
        ("http://localhost:8000/?a=b#c", "::", f"http://{CLUB}:8000/?a=b#c"),
        ("https://[::1]:8000/", "0.0.0.0", f"https://{CLUB}:8000/"),
        ("http://0.0.0.0:8000/", "0.0.0.0", f"http://{CLUB}:8000/"),
        ("http://[::]:8000/", "::", f"http://{CLUB}:8000/"),
        ("http://127.0.0.1:8000/", "127.0.0.1", "http://127.0.0.1:8000/"),
        ("https://club.example/", "0.0.0.0", "https://club.example/"),
        ("http://10.0.0.9:8000/", "0.0.0.0", "http://10.0.0.9:8000/"),
    ],
)
def test_other_devices_reach_the_address(url, listens_on, expected):
    assert reachable_url(url, listens_on) == expected


def test_without_a_network_the_machine_still_reaches_itself(monkeypatch):
    monkeypatch.setattr("ifaddr.get_adapters", list)
    assert reachable_url("http://0.0.0.0:8000/", "0.0.0.0") == "http://127.0.0.1:8000/"
