"""How much of their bodies senders may have in the service at once."""

from __future__ import annotations

import pytest

from service.errors import TooBusy, TooManyRequests
from service.processes.web.body import IN_MEMORY, MAX_FILES, SENDERS, BodyShares

IMPORT = 16 << 20
SHARE = MAX_FILES // SENDERS


def test_a_sender_has_a_share_that_others_do_not_fill_and_gets_it_back() -> None:
    shares = BodyShares(IMPORT)
    shares.take("key a", 0, SHARE)
    with pytest.raises(TooManyRequests):
        shares.take("key a", 0, 1)
    shares.take("key b", 0, IMPORT)
    shares.give_back("key a", SHARE)
    shares.take("key a", 0, IMPORT)
    shares.take("key a", IMPORT, SHARE)
    with pytest.raises(TooManyRequests):
        shares.take("key a", 0, 1)


def test_full_files_keep_nobody_from_sending_what_needs_none() -> None:
    shares = BodyShares(IMPORT)
    for count in range(2 * SENDERS):
        shares.take(f"key {count}", 0, IMPORT)
    with pytest.raises(TooBusy):
        shares.take("key late", 0, IMPORT)
    shares.take("key late", 0, IN_MEMORY)
    with pytest.raises(TooBusy):
        shares.take("key late", 0, IN_MEMORY + IMPORT // 2)
    shares.give_back("key 0", IMPORT)
    shares.take("key late", 0, IMPORT)


def test_a_sender_may_always_send_two_of_the_largest_imports() -> None:
    shares = BodyShares(1 << 30)
    for sender in ("key a", "key b"):
        shares.take(sender, 0, 1 << 30)
        shares.take(sender, 0, 1 << 30)


def test_nothing_is_kept_of_senders_that_hold_nothing() -> None:
    shares = BodyShares(IMPORT)
    for number in range(100):
        shares.take(f"address {number}", 0, 10)
        shares.give_back(f"address {number}", 10)
    assert not shares._senders
