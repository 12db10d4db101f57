from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from inkeek.service.errors import Conflict, Forbidden, Invalid, NotFound, Unauthorized
from inkeek.service.games.events.plan import EventPlan
from inkeek.service.games.write import Write
from inkeek.service.http.access.caller import SESSION, TOKEN
from inkeek.service.http.access.guesses import Guesses
from inkeek.service.http.access.invitations import Invitations, morning
from inkeek.service.http.access.roles import ROLES, role_of
from inkeek.service.storage import Limit
from inkeek.service.storage.clock import moment, stamp

EVENT = "Saturday Cup"
KEY = "saturday cup"
WRITE = Write("page", "Wanjiru")
NAIROBI = ZoneInfo("Africa/Nairobi")


@pytest.mark.parametrize(
    ("day", "counts_from"), [("2026-11-28", "2026-11-28"), ("2026-11-20", "2026-11-21"), ("2027-01-02", "2027-01-02")]
)
def test_evenings_count_from_the_day_of_an_event_that_is_to_come(invitations, services, time, day, counts_from):
    services.events.create(EventPlan(EVENT, first_date=day), Write("api"))
    until = moment(invitations.create("watch", EVENT, "", WRITE).expires)
    assert until == morning(datetime.combine(date.fromisoformat(counts_from), time.now.time(), UTC), UTC)


@pytest.fixture
def invitations(services, keys, time):
    return Invitations(services.store, keys, Guesses(), clock=time)


def roles(invitations):
    return {guest.key.name: guest.role for guest in invitations.of_event(KEY)[1] if guest.good}


def test_looking_uses_nothing_up_and_so_many_join_until_the_evening_ends(invitations, keys, time):
    made = invitations.create("watch", EVENT, "", WRITE, most=2)
    for _ in range(50):
        assert invitations.find(made.code.lower(), "192.0.2.1") == made
    sessions = [invitations.join(made.id, name) for name in ("Farah", "Esther")]
    with pytest.raises(Conflict):
        invitations.join(made.id, "Naisula")
    key, secret, lifetime = sessions[0]
    caller = keys.find(secret, SESSION)
    assert (caller.name, caller.limit, invitations.place(caller)[0].id) == ("Farah", Limit("event", EVENT), made.id)
    assert caller.scopes == set(ROLES["watch"].scopes)
    assert invitations.place(caller)[1].id == key.id
    time.now += lifetime
    assert keys.find(secret, SESSION) is None
    with pytest.raises(NotFound):
        invitations.find(made.code, "192.0.2.1")
    with pytest.raises(NotFound):
        invitations.join(made.id, "Naisula")


def test_one_keeps_the_score_of_a_table_others_ask_and_it_is_handed_over(invitations, keys):
    made = invitations.create("keeper", EVENT, "3", WRITE)
    other = invitations.create("keeper", "saturday  CUP", " 3", WRITE)
    first, _, _ = invitations.join(made.id, "Farah")
    second, _, _ = invitations.join(other.id, "Esther")
    third, _, _ = invitations.join(made.id, "Koinet", watches=True)
    assert roles(invitations) == {"Farah": "keeper", "Esther": "watch", "Koinet": "watch"}
    assert {guest.key.name for guest in invitations.of_event(KEY)[1] if guest.asks} == {"Esther"}
    invitations.set_keeper(KEY, second.id, Write("page", "Koinet"))
    assert roles(invitations) == {"Farah": "watch", "Esther": "keeper", "Koinet": "watch"}
    assert invitations.keeper(EVENT, "3") == "Esther"
    invitations.end(KEY, second.id, Write("page", "Koinet"))
    assert invitations.keeper(EVENT, "3") == ""
    with pytest.raises(Conflict):
        invitations.set_keeper(KEY, second.id, Write("page", "Koinet"))
    fourth, _, _ = invitations.join(made.id, "Naisula")
    assert role_of(fourth.scopes) == "keeper"
    assert {first.limit, third.limit, fourth.limit} == {Limit("table", f"3:{EVENT}")}


def test_who_joins_another_table_leaves_the_old_one_and_gives_the_place_back(invitations, keys):
    one, two = (invitations.create("keeper", EVENT, table, WRITE, most=1) for table in ("1", "2"))
    caller = keys.find(invitations.join(one.id, "Farah")[1], SESSION)
    assert invitations.left_alone(caller, two).id == one.id
    invitations.join(two.id, "Farah", caller=caller)
    assert (invitations.keeper(EVENT, "1"), invitations.keeper(EVENT, "2")) == ("", "Farah")
    waiting = keys.find(invitations.join(one.id, "Esther")[1], SESSION)
    assert waiting.scopes == set(ROLES["keeper"].scopes)
    elsewhere = invitations.create("keeper", "Another", "1", WRITE)
    invitations.join(elsewhere.id, "Esther", caller=waiting)
    assert invitations.keeper(EVENT, "1") == "Esther"


def test_who_came_leaves_when_the_invitation_is_withdrawn(invitations, keys):
    made = invitations.create("arbiter", EVENT, "", WRITE)
    _, secret, _ = invitations.join(made.id, "Koinet")
    for event in ("another", KEY):
        if event != KEY:
            with pytest.raises(NotFound):
                invitations.withdraw(event, made.id, Write("page"))
            assert keys.find(secret, SESSION)
        else:
            invitations.withdraw(event, made.id, Write("page"))
    assert keys.find(secret, SESSION) is None
    assert invitations.of_event(KEY)[0] == []


def test_nobody_hands_over_or_ends_guests_of_another_event(invitations):
    guest, _, _ = invitations.join(invitations.create("keeper", EVENT, "1", WRITE).id, "Farah")
    for change in (invitations.set_keeper, invitations.end):
        with pytest.raises(NotFound):
            change("another", guest.id, Write("page"))


@pytest.mark.parametrize(
    ("role", "event", "table", "most", "nights", "quoted"),
    [
        ("king", EVENT, "", None, 1, "king"),
        ("keeper", EVENT, "", None, 1, "keeper"),
        ("arbiter", EVENT, "3", None, 1, "arbiter"),
        ("watch", "?", "", None, 1, "?"),
        ("keeper", EVENT, "3:4", None, 1, ":"),
        ("watch", EVENT, "", 0, 1, "0"),
        ("watch", EVENT, "", 201, 1, "201"),
        ("watch", EVENT, "", 1, 32, "32"),
    ],
)
def test_an_invitation_that_cannot_be_is_refused(invitations, role, event, table, most, nights, quoted):
    with pytest.raises(Invalid, match=quoted.replace("?", r"\?")):
        invitations.create(role, event, table, WRITE, most=most, nights=nights)


def test_invitations_and_guests_are_bounded(invitations, monkeypatch):
    monkeypatch.setattr("inkeek.service.http.access.invitations.MAX_OPEN", 1)
    monkeypatch.setattr("inkeek.service.http.access.invitations.MAX_GUESTS", 1)
    made = invitations.create("watch", EVENT, "", WRITE)
    with pytest.raises(Invalid, match="1"):
        invitations.create("watch", EVENT, "", WRITE)
    invitations.join(made.id, "Farah")
    with pytest.raises(Invalid, match="1"):
        invitations.join(made.id, "Esther")


def test_no_event_takes_the_invitations_and_guests_of_all(invitations, monkeypatch):
    monkeypatch.setattr("inkeek.service.http.access.invitations.OPEN_OF_EVENT", 1)
    monkeypatch.setattr("inkeek.service.http.access.invitations.GUESTS_OF_EVENT", 1)
    made = invitations.create("watch", EVENT, "", WRITE)
    with pytest.raises(Invalid, match="1"):
        invitations.create("watch", EVENT.upper(), "", WRITE)
    invitations.join(made.id, "Farah")
    with pytest.raises(Invalid, match="1"):
        invitations.join(made.id, "Esther")
    other = invitations.create("watch", "Another cup", "", WRITE)
    invitations.join(other.id, "Esther")


@pytest.mark.parametrize(("hour", "hours"), [(18, 12), (23, 7), (1, 29), (5, 25), (6, 24)])
def test_an_evening_ends_at_six_in_the_morning_and_lasts_for_six_hours_at_least(hour, hours):
    now = datetime(2026, 11, 21, hour, tzinfo=NAIROBI)
    assert morning(now.astimezone(UTC), NAIROBI) - now == timedelta(hours=hours)
    assert morning(now, NAIROBI, 3) - morning(now, NAIROBI) == timedelta(days=2)


def test_six_in_the_morning_stays_six_when_the_clocks_change():
    berlin = ZoneInfo("Europe/Berlin")
    now = datetime(2026, 3, 28, 17, tzinfo=UTC)
    assert stamp(morning(now, berlin)) == "2026-03-29T04:00:00.000000Z"
    assert stamp(morning(now - timedelta(days=1), berlin, 3)) == "2026-03-30T04:00:00.000000Z"
    assert stamp(morning(now - timedelta(days=1), berlin)) == "2026-03-28T05:00:00.000000Z"


@pytest.fixture
def organizer(invitations, keys):
    """An organizer who came with an invitation."""
    made = invitations.create("organizer", EVENT, "", WRITE)
    return keys.find(invitations.join(made.id, "Naisula")[1], SESSION), made


@pytest.mark.parametrize("how", ["invitation", "guest", "key"])
def test_what_an_organizer_gave_ends_with_the_organizer(invitations, keys, organizer, how):
    caller, came = organizer
    table = invitations.create("keeper", EVENT, "1", WRITE, giver=caller)
    helper = keys.find(
        invitations.join(invitations.create("organizer", EVENT, "", WRITE, giver=caller).id, "Amina")[1], SESSION
    )
    other = invitations.create("watch", EVENT, "", WRITE, giver=helper)
    secrets = [invitations.join(one.id, "Farah")[1] for one in (table, other)]
    if how == "invitation":
        invitations.withdraw(KEY, came.id, WRITE)
    elif how == "guest":
        invitations.end(KEY, caller.id, WRITE)
    else:
        keys.revoke(caller.id)
    assert [keys.find(secret, SESSION) for secret in secrets] == [None, None]
    for one in (table, other):
        with pytest.raises(NotFound):
            invitations.find(one.code, "192.0.2.1")


def test_nobody_gives_more_than_they_have_nor_for_longer(invitations, keys, organizer):
    caller, came = organizer
    made = invitations.create("watch", EVENT, "", WRITE, giver=caller, nights=20)
    assert made.expires == came.expires
    with pytest.raises(Forbidden):
        invitations.create("keeper", "Another", "1", WRITE, giver=caller)
    inviter = keys.find(keys.create(TOKEN, "desk", ("invite",), timedelta(hours=1))[1], TOKEN)
    with pytest.raises(Forbidden):
        invitations.create("keeper", EVENT, "1", WRITE, giver=inviter)
    guest, *_ = invitations.join(invitations.create("watch", EVENT, "1", WRITE).id, "Farah")
    with pytest.raises(Forbidden):
        invitations.set_keeper(KEY, guest.id, WRITE, inviter)
    assert invitations.create("watch", EVENT, "", WRITE, giver=inviter).expires == keys.get(inviter.id).expires


def test_an_organizer_does_not_leave_behind_whom_they_invited(invitations, organizer):
    caller, _ = organizer
    made = invitations.create("keeper", EVENT, "1", WRITE, giver=caller)
    with pytest.raises(Conflict, match="Naisula"):
        invitations.join(made.id, "Naisula", caller=caller)
    assert invitations.find(made.code, "192.0.2.1").joined == 0


def test_invitations_are_in_the_list_of_changes(invitations, services):
    made = invitations.create("keeper", EVENT, "1", WRITE)
    invitations.withdraw(KEY, made.id, WRITE)
    with services.store.reading() as transaction:
        changes = transaction.changes.newest("event", [KEY], 9)
    assert [(one.data["parts"][0]["at"], one.data["parts"][0]["after"]) for one in changes] == [
        ("keeper", None),
        ("keeper", "1"),
    ]


def test_a_code_signs_nobody_in_as_a_link_does(invitations, keys):
    made = invitations.create("organizer", EVENT, "", WRITE)
    with pytest.raises(Unauthorized):
        keys.sign_in(made.code, timedelta(hours=1), "Mallory")
