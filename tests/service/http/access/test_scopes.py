import functools

import pytest

from inkeek.service.http.access import SCOPES, Need, allows, need_of, needs
from inkeek.service.http.access.scopes import OPEN, SAYS


def test_admin_is_good_for_all_and_each_scope_but_metrics_for_itself_and_reading():
    for held in SCOPES:
        good = {scope for scope in SCOPES if allows({held}, scope)}
        more = {"admin": set(SCOPES), "board": {"attach"}}.get(held, set())
        reading = set() if held == "metrics" else {"read"}
        assert good == {held} | reading | more


def test_without_scopes_only_what_is_open_is_allowed():
    assert [scope for scope in (*SCOPES, OPEN) if allows((), scope)] == [OPEN]


def test_every_scope_is_told():
    assert tuple(SAYS) == SCOPES


def test_what_a_view_needs_is_found_through_what_wraps_it():
    @needs("board")
    def view():
        pass

    @functools.wraps(view)
    def wrapped():
        pass

    assert need_of(wrapped) == Need("board", open_locally=False)


def test_reading_is_open_on_this_machine_and_the_rest_where_it_says_so():
    assert need_of(needs("read")(lambda: None)).open_locally
    assert not need_of(needs("admin")(lambda: None)).open_locally
    assert need_of(needs("admin", open_locally=True)(lambda: None)).open_locally


def test_another_scope_may_be_enough_too():
    need = need_of(needs("record", also="arbiter")(lambda: None))
    assert {scope for scope in SCOPES if need.is_met_by({scope})} == {"record", "arbiter", "admin"}


def test_a_view_that_says_nothing_and_a_scope_that_is_none_are_refused():
    def forgotten():
        pass

    with pytest.raises(LookupError, match="forgotten declares no scope"):
        need_of(forgotten)
    with pytest.raises(ValueError, match=r"needs\('write'\): expected open or one of read, record"):
        needs("write")
    with pytest.raises(ValueError, match=r"needs\('judge'\)"):
        needs("record", also="judge")
