import pytest

from inkeek.service.http.access.caller import NOBODY, SESSION, TOKEN, Caller


@pytest.mark.parametrize(
    ("caller", "way", "source"),
    [
        (NOBODY, None, "api"),
        (Caller(TOKEN, "k3f9", "score desk"), None, "api:score desk:k3f9"),
        (Caller(SESSION, "k3f9", "Naisula"), None, "page:Naisula:k3f9"),
        (Caller(TOKEN, "k3f9", "score desk"), "import", "import:score desk:k3f9"),
    ],
)
def test_the_source_of_an_event_names_the_key(caller, way, source):
    assert caller.source(way) == source


def test_the_sender_is_the_key_or_the_address_without_one():
    assert Caller(TOKEN, "k3f9wm").sender("192.0.2.7") == Caller(TOKEN, "k3f9wm").sender("192.0.2.8")
    assert NOBODY.sender("192.0.2.7") != NOBODY.sender("192.0.2.8")
    assert NOBODY.sender("k3f9wm") != Caller(TOKEN, "k3f9wm").sender("192.0.2.7")
    assert NOBODY.sender(None) == NOBODY.sender("")


def test_the_addresses_of_one_network_of_ipv6_are_one_sender():
    assert NOBODY.sender("2001:db8:0:1::7") == NOBODY.sender("2001:db8:0:1:ffff::8%eth0")
    assert NOBODY.sender("2001:db8:0:1::7") != NOBODY.sender("2001:db8:0:2::7")
    assert NOBODY.sender("::ffff:192.0.2.7") == NOBODY.sender("192.0.2.7") != NOBODY.sender("::ffff:192.0.2.8")
    assert NOBODY.sender("::1").name == "::1"
