import re
from dataclasses import replace
from datetime import timedelta

import pytest

from inkeek.service.errors import Conflict, LastAdmin, NotFound, Unauthorized
from inkeek.service.games.write import Write
from inkeek.service.http.access import keys as module
from inkeek.service.http.access.caller import LINK, NOBODY, SESSION
from inkeek.service.http.access.keys import Devices
from inkeek.service.storage import Limit
from tests.service.http.access.test_keys import HOUR


@pytest.fixture
def devices(services, keys, time):
    return Devices(services.store, keys, clock=time)


@pytest.fixture
def first(keys):
    """The secret of a session on the first device."""
    link = keys.create(LINK, "Naisula", ("record", "arbiter"), HOUR, Limit("event", "Cup"))[1]
    return keys.sign_in(link, HOUR)[1]


def test_another_device_has_the_same_right_once_and_no_longer_than_the_first(keys, devices, first, time):
    owner = keys.find(first, SESSION)
    stale = devices.add_link(owner)[1]
    link, secret = devices.add_link(owner)
    assert link.expires is not None
    with pytest.raises(Unauthorized):
        keys.sign_in(stale, 24 * HOUR)
    key, session = keys.sign_in(secret, 24 * HOUR)
    with pytest.raises(Unauthorized):
        keys.sign_in(secret, HOUR)
    caller = keys.find(session, SESSION)
    assert (caller.name, caller.scopes, caller.limit) == (owner.name, owner.scopes, owner.limit)
    assert key.expires == keys.get(owner.id).expires
    third = keys.sign_in(devices.add_link(caller)[1], HOUR)[0]  # lent by the first one, not by the second
    assert {one.id for one in devices.others(owner)} == {key.id, third.id}
    assert {one.id for one in devices.others(caller)} == {owner.id, third.id}
    devices.end(caller, third.id)
    assert [one.id for one in devices.others(owner)] == [key.id]
    left = devices.add_link(owner)[1]
    keys.revoke(owner.id)
    assert keys.find(session, SESSION) is None
    with pytest.raises(Unauthorized):
        keys.sign_in(left, HOUR)


def test_a_link_for_a_device_ends_after_minutes(keys, devices, first, time):
    secret = devices.add_link(keys.find(first, SESSION))[1]
    time.now += module.LINK_LIFETIME + timedelta(seconds=1)
    with pytest.raises(Unauthorized):
        keys.sign_in(secret, HOUR)


def test_a_guest_has_the_same_table_on_two_devices_and_leaves_with_both(services, client, devices, keys):
    invitation = services.invitations.create("keeper", "Cup", "3", Write("page", "Judge"), most=3)
    session = services.invitations.join(invitation.id, "Naisula")[1]
    guest = services.keys.find(session, SESSION)
    other, secret = services.keys.sign_in(services.devices.add_link(guest)[1], 100 * HOUR)
    assert (other.limit, other.expires) == (guest.limit, services.keys.get(guest.id).expires)
    assert services.invitations.place(services.keys.find(secret, SESSION))[0].id == invitation.id
    friend = services.invitations.join(invitation.id, "Amina", watches=True)[0]
    services.invitations.set_keeper("cup", friend.id, Write("page"))
    assert services.keys.find(secret, SESSION).scopes == {"read"}
    services.invitations.set_keeper("cup", other.id, Write("page"))  # a device stands for who lent it
    assert services.keys.find(secret, SESSION).scopes == services.keys.find(session, SESSION).scopes == {"record"}
    elsewhere = services.invitations.create("keeper", "Cup", "4", Write("page", "Judge"))
    services.keys.revoke(friend.id)
    for caller in (services.keys.find(session, SESSION), services.keys.find(secret, SESSION)):
        assert services.invitations.left_alone(caller, elsewhere).id == invitation.id
    services.invitations.withdraw("cup", invitation.id, Write("page"))
    assert services.keys.find(secret, SESSION) is None


def test_what_a_holder_may_have_at_once_is_shared_by_their_devices(services, keys, devices, first):
    owner = keys.find(first, SESSION)
    other = keys.find(keys.sign_in(devices.add_link(owner)[1], HOUR)[1], SESSION)
    stranger = keys.create(LINK, "Amina", ("record",), HOUR)[0]
    assert other.sender(None) == owner.sender(None)
    with services.store.reading() as transaction:
        for key in (owner, other):
            assert {owner.id, other.id} <= transaction.keys.sharers(key.id)
            assert stranger.id not in transaction.keys.sharers(key.id)


def test_who_may_have_no_other_device(keys, devices, first, monkeypatch):
    owner = keys.find(first, SESSION)
    with pytest.raises(Conflict):
        devices.add_link(NOBODY)
    with pytest.raises(NotFound):
        devices.end(owner, owner.id)
    monkeypatch.setattr(module, "MAX_DEVICES", 1)
    keys.sign_in(devices.add_link(owner)[1], HOUR)
    with pytest.raises(Conflict):
        devices.add_link(owner)


def test_pages_are_as_a_person_chose_on_all_their_devices_and_a_guests_browser_keeps_that(app, services):
    agent = {"User-Agent": "Mozilla/5.0 (Android 15; Mobile; rv:140.0) Gecko/140.0 Firefox/140.0"}
    first, second, third = (app.test_client() for _ in range(3))

    def join(client, link, **more):
        assert client.post("/sign-in", data={"key": link, **more}, headers=agent).status_code == 303
        return services.keys.find(client.get_cookie("inkeek_80").value, SESSION)

    def root(client):
        return client.get("/appearance").text.split("<head")[0]

    owner = join(first, services.keys.create(LINK, "Naisula", ("record",), HOUR)[1])
    join(second, services.devices.add_link(owner)[1])
    csrf = re.search('name="csrf" value="([^"]+)"', first.get("/appearance?lang=sw").text)[1]
    first.post("/appearance", data={"csrf": csrf, "board": "contrast", "motion": "off"})
    join(third, services.devices.add_link(owner)[1], device="Grandmother's tablet")
    for client in (second, third):
        assert all(word in root(client) for word in ('lang="sw"', 'data-board="contrast"', 'data-motion="off"'))
    second.get("/?lang=en")
    assert 'lang="en"' in root(first)
    devices = first.get("/mine").text
    assert "Firefox on Android" in devices
    assert "Grandmother&#39;s tablet" in devices
    guest = services.invitations.join(
        services.invitations.create("watch", "Cup", "", Write("page", "Judge")).id, "Amina"
    )[0]
    services.devices.keep(replace(owner, id=guest.id, limit=guest.limit), look="contrast.off")
    assert services.keys.get(guest.id).look is None


def test_the_last_administrator_is_not_taken_out_with_their_own_devices(keys, devices):
    owner = keys.find(keys.sign_in(keys.create(LINK, "Naisula", ("admin",), HOUR)[1], HOUR)[1], SESSION)
    keys.sign_in(devices.add_link(owner)[1], HOUR)
    with pytest.raises(LastAdmin):
        keys.revoke(owner.id, keep_admin=True)
