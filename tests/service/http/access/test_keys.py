import hashlib
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest

from inkeek.service.errors import Conflict, Forbidden, Invalid, LastAdmin, NotFound, StorageError, Unauthorized
from inkeek.service.games.rights import Right
from inkeek.service.games.write import Write
from inkeek.service.http.access import keys as module
from inkeek.service.http.access.caller import LINK, SESSION, TOKEN
from inkeek.service.http.access.keys import SECRET, Keys, csrf_token, digest, is_csrf_token
from inkeek.service.storage import Limit
from inkeek.service.storage.clock import stamp
from inkeek.service.storage.tables.keys import KeyTable

HOUR = timedelta(hours=1)


def test_a_token_is_found_by_its_secret_until_it_is_revoked(keys):
    key, secret = keys.create(TOKEN, "score desk", ("board", "record"), None)
    assert key.scopes == ("record", "board")
    caller = keys.find(secret, TOKEN)
    assert (caller.id, caller.name, caller.scopes) == (key.id, "score desk", {"record", "board"})
    assert keys.find(secret, SESSION) is None
    keys.revoke(key.id)
    assert keys.find(secret, TOKEN) is None
    assert keys.revoke(key.id).revoked is not None


def test_a_key_that_another_process_revokes_is_refused_at_once(keys, services, time):
    key, secret = keys.create(TOKEN, "x", ("read",), None)
    other = Keys(services.store, clock=time)
    assert keys.find(secret, TOKEN)
    assert keys.ended([Right(digest(secret))]) == set()
    other.revoke(key.id)
    assert keys.find(secret, TOKEN) is None
    assert keys.ended([Right(digest(secret))]) == {Right(digest(secret))}


def test_a_new_secret_replaces_the_old_one_at_once(keys):
    key, old = keys.create(TOKEN, "x", ("record",), None, Limit("event", "Narok"))
    assert keys.find(old, TOKEN)
    rotated, new = keys.rotate(key.id)
    assert SECRET.fullmatch(new)
    assert (rotated.id, rotated.scopes, rotated.limit) == (key.id, key.scopes, key.limit)
    assert keys.find(old, TOKEN) is None
    assert keys.find(new, TOKEN).id == key.id
    assert keys.ended([Right(digest(old)), Right(digest(new))]) == {Right(digest(old))}


def test_the_old_secret_is_valid_until_its_grace_is_over(keys, time):
    key, old = keys.create(TOKEN, "x", ("read",), None)
    rotated, new = keys.rotate(key.id, HOUR)
    assert rotated.previous_until == stamp(time.now + HOUR)
    time.now += HOUR - timedelta(seconds=1)
    assert [keys.find(secret, TOKEN).id for secret in (old, new)] == [key.id] * 2
    assert keys.find(old, TOKEN).hash != keys.find(new, TOKEN).hash
    time.now += timedelta(seconds=1)
    assert keys.find(old, TOKEN) is None
    assert keys.find(new, TOKEN)


def test_of_two_rotations_by_the_token_itself_with_one_secret_the_second_is_refused(keys):
    key, secret = keys.create(TOKEN, "x", ("read",), None)
    caller = keys.find(secret, TOKEN)
    _, new = keys.rotate(key.id, HOUR, by=caller)
    for change in (keys.rotate, keys.revoke):
        with pytest.raises(Forbidden):
            change(key.id, by=caller)
    assert keys.find(new, TOKEN)


def test_no_secret_outlives_the_second_rotation_or_the_revocation(keys):
    key, first = keys.create(TOKEN, "x", ("read",), None)
    _, second = keys.rotate(key.id, HOUR)
    _, third = keys.rotate(key.id, HOUR)
    assert [bool(keys.find(secret, TOKEN)) for secret in (first, second, third)] == [False, True, True]
    keys.revoke(key.id)
    assert [bool(keys.find(secret, TOKEN)) for secret in (first, second, third)] == [False] * 3


def test_a_rotation_keeps_the_expiry_or_sets_a_new_one(keys, time):
    key, _ = keys.create(TOKEN, "x", ("read",), HOUR)
    assert keys.rotate(key.id)[0].expires == key.expires
    assert keys.rotate(key.id, lifetime=2 * HOUR)[0].expires == stamp(time.now + 2 * HOUR)
    time.now += 2 * HOUR
    with pytest.raises(Conflict, match=key.id):
        keys.rotate(key.id)


def test_what_cannot_be_rotated_is_refused(keys):
    session, _ = keys.create(SESSION, "x", ("read",), None)
    token, secret = keys.create(TOKEN, "x", ("read",), None)
    with pytest.raises(Invalid, match="session"):
        keys.rotate(session.id)
    with pytest.raises(Invalid, match="7 days"):
        keys.rotate(token.id, timedelta(days=8))
    with pytest.raises(Invalid, match="3650"):
        keys.rotate(token.id, lifetime=timedelta(0))
    with pytest.raises(NotFound, match="'nothing'"):
        keys.rotate("nothing")
    assert keys.find(secret, TOKEN)


def test_the_last_admin_is_kept_if_that_is_asked_for(keys, time):
    first, _ = keys.create(TOKEN, "first", ("admin",), None)
    keys.create(SESSION, "second", ("admin",), HOUR)
    other, _ = keys.create(TOKEN, "other", ("record",), None)
    keys.create(LINK, "link", ("admin",), HOUR)
    keys.revoke(other.id, keep_admin=True)
    time.now += HOUR
    with pytest.raises(LastAdmin, match=f"'first'.*inkeek token revoke {first.id}"):
        keys.revoke(first.id, keep_admin=True)
    third, _ = keys.create(SESSION, "third", ("admin",), HOUR)
    keys.revoke(first.id, keep_admin=True)
    assert keys.revoke(first.id, keep_admin=True).revoked
    with pytest.raises(LastAdmin):
        keys.revoke(third.id, keep_admin=True)
    assert keys.revoke(third.id).revoked


def test_of_two_admins_that_revoke_each_other_one_is_kept(keys):
    pair = [keys.create(TOKEN, "x", ("admin",), None)[0] for _ in range(2)]

    def revoke(key):
        try:
            return bool(keys.revoke(key.id, keep_admin=True))
        except LastAdmin:
            return False

    with ThreadPoolExecutor(2) as pool:
        assert sum(pool.map(revoke, pair)) == 1


def test_a_session_has_the_limit_of_its_link(keys):
    limit = Limit("event", "Narok Open")
    _, link = keys.create(LINK, "Naisula", ("record",), HOUR, limit)
    _, secret = keys.sign_in(link, HOUR)
    assert keys.find(secret, SESSION).limit == limit


@pytest.mark.parametrize(
    ("limit", "scopes", "quoted"),
    [
        (Limit("game", "nothing"), ("record",), "game 'nothing'"),
        (Limit("match", "nothing"), ("record",), "match 'nothing'"),
        (Limit("event", "?"), ("record",), "'\\?'"),
        (Limit("event", "x" * 201), ("record",), "201"),
        (Limit("event", "a\nb"), ("record",), "limit"),
        (Limit("hall", "2"), ("record",), "'hall'"),
        (Limit("event", "Narok"), ("record", "admin"), "admin"),
    ],
)
def test_a_limit_to_what_is_not_there_is_refused(keys, limit, scopes, quoted):
    with pytest.raises(Invalid, match=quoted):
        keys.create(TOKEN, "x", scopes, None, limit)
    assert keys.list() == []


def test_a_game_that_is_in_no_match_is_no_match(keys, services):
    game = services.games.create("enkeshui", {}, {}, Write("api")).id
    keys.create(TOKEN, "x", ("record",), None, Limit("game", game))
    with pytest.raises(Invalid, match="match"):
        keys.create(TOKEN, "x", ("record",), None, Limit("match", game))


def test_only_the_hash_of_a_secret_is_stored(keys, services):
    key, secret = keys.create(TOKEN, "x", ("read",), None)
    assert SECRET.fullmatch(secret)
    assert key.hash == hashlib.sha256(secret.encode()).hexdigest()
    with services.store.reading() as transaction:
        stored = str(transaction.keys.get(key.id))
    services.store.close()
    for path in services.settings.data_folder.iterdir():  # of SQLite
        stored += path.read_bytes().decode("latin-1")
    assert key.hash in stored
    assert secret.removeprefix("ink_t_") not in stored


def test_no_two_secrets_are_the_same(keys):
    assert len({keys.create(TOKEN, "x", ("read",), None)[1] for _ in range(20)}) == 20


@pytest.mark.parametrize("secret", ["", "x", "ink_t_" + "a" * 43, "ink_t_" + "é" * 43, "ink_t_" + "a" * 10_000])
def test_what_is_no_secret_is_nobody(keys, secret):
    assert keys.find(secret, TOKEN) is None


def test_a_token_is_good_until_it_expires(keys, time):
    key, secret = keys.create(TOKEN, "x", ("read",), HOUR)
    time.now += HOUR - timedelta(seconds=1)
    assert keys.find(secret, TOKEN)
    time.now += timedelta(seconds=1)
    assert keys.find(secret, TOKEN) is None
    assert not keys.is_good(key)


def test_the_last_use_is_noted_but_not_at_every_use(keys, time, monkeypatch):
    _, secret = keys.create(TOKEN, "x", ("read",), None)
    began = time.now
    keys.find(secret, TOKEN)
    writes = []
    put = KeyTable.put
    monkeypatch.setattr(KeyTable, "put", lambda self, row: (writes.append(row), put(self, row)))
    time.now += timedelta(minutes=4)
    keys.find(secret, TOKEN)
    assert writes == []
    assert keys.list()[0].used == stamp(began)
    time.now += timedelta(minutes=2)
    keys.find(secret, TOKEN)
    assert [row.used for row in writes] == [stamp(time.now)]


def test_a_key_works_if_its_use_cannot_be_stored(keys, monkeypatch, caplog):
    def fail(*_):
        raise StorageError("the disk is full")

    _, secret = keys.create(TOKEN, "x", ("read",), None)
    monkeypatch.setattr(KeyTable, "put", fail)
    assert keys.find(secret, TOKEN).name == "x"
    assert "the disk is full" in caplog.text


def test_a_link_opens_one_session_with_its_name_and_scopes(keys, time):
    _, link = keys.create(LINK, "Naisula", ("record",), HOUR)
    session, secret = keys.sign_in(link, HOUR)
    assert (session.kind, session.name, session.scopes) == (SESSION, "Naisula", ("record",))
    assert keys.find(secret, SESSION).id == session.id
    with pytest.raises(Unauthorized, match="expired"):
        keys.sign_in(link, HOUR)
    assert [key.id for key in keys.list()] == [session.id]
    time.now += HOUR
    assert keys.find(secret, SESSION) is None


def test_a_link_followed_many_times_at_once_signs_in_once(keys):
    _, link = keys.create(LINK, "x", ("record",), HOUR)

    def follow(_):
        try:
            return bool(keys.sign_in(link, HOUR))
        except Unauthorized:
            return False

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(follow, range(8))) == 1


def test_an_expired_or_unknown_link_signs_nobody_in(keys, time):
    _, link = keys.create(LINK, "x", ("record",), HOUR)
    _, token = keys.create(TOKEN, "x", ("record",), None)
    time.now += HOUR
    for secret in (link, token, "", "ink_l_" + "a" * 43):
        with pytest.raises(Unauthorized):
            keys.sign_in(secret, HOUR)


@pytest.mark.parametrize(
    ("name", "scopes", "lifetime", "quoted"),
    [
        ("", ("read",), None, "name is ''"),
        (" x", ("read",), None, "name is ' x'"),
        ("a:b", ("read",), None, "':'"),
        ("Sein\u180b", ("read",), None, "U.180B"),
        ("Naisu\u0627a", ("read",), None, "Arabic"),
        ("x" * 61, ("read",), None, "61"),
        ("x", (), None, "scopes"),
        ("x", ("write",), None, "'write'"),
        ("x", ("read",), timedelta(0), "0:00:00"),
        ("x", ("read",), timedelta(days=4000), "3650"),
    ],
)
def test_an_invalid_key_is_refused(keys, name, scopes, lifetime, quoted):
    with pytest.raises(Invalid, match=quoted):
        keys.create(TOKEN, name, scopes, lifetime)
    assert keys.list() == []


def test_the_number_of_keys_is_limited(keys, monkeypatch):
    monkeypatch.setattr(module, "MAX_KEYS", 2)
    first, _ = keys.create(TOKEN, "a", ("read",), None)
    keys.create(TOKEN, "b", ("read",), None)
    with pytest.raises(Invalid, match="2 keys"):
        keys.create(TOKEN, "c", ("read",), None)
    keys.create(LINK, "c", ("read",), HOUR)
    keys.revoke(first.id)
    keys.create(TOKEN, "c", ("read",), None)


def test_keys_that_expired_long_ago_are_deleted(keys, time):
    gone, _ = keys.create(TOKEN, "gone", ("read",), None)
    keys.create(TOKEN, "expired", ("read",), HOUR)
    kept, _ = keys.create(TOKEN, "kept", ("read",), None)
    keys.revoke(gone.id)
    time.now += timedelta(days=89)
    late, _ = keys.create(TOKEN, "late", ("read",), None)
    assert len(keys.list()) == 4
    time.now += timedelta(days=2)
    new, _ = keys.create(TOKEN, "new", ("read",), None)
    assert [key.id for key in keys.list()] == [kept.id, late.id, new.id]


def test_no_key_that_is_not_there_is_revoked(keys):
    with pytest.raises(NotFound, match="'nothing'"):
        keys.revoke("nothing")


def test_the_token_of_forms_is_that_of_the_session_and_does_not_give_it_away():
    token = csrf_token("ink_s_x")
    assert len(token) == 64
    assert is_csrf_token("ink_s_x", token)
    assert not is_csrf_token("ink_s_y", token)
    for wrong in ("", "é", token[:-1], token + "0", token[:16], "0" * 16 + token[16:], token[:16] + "0" * 48):
        assert not is_csrf_token("ink_s_x", wrong)


def test_no_two_tokens_of_forms_have_a_part_in_common_that_could_be_guessed_bit_by_bit():
    tokens = [csrf_token("ink_s_x") for _ in range(200)]
    for start in range(0, 64, 16):
        assert len({token[start : start + 16] for token in tokens}) == 200
