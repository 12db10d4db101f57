"""A club's evening, from the first page to the backup, in a real browser."""

import pytest

from .evening import Evening, started

pytestmark = pytest.mark.browser


def test_an_evening_is_held_on_phones(browser, tmp_path):
    with started(tmp_path) as link:
        evening = Evening(browser, link, tmp_path, None)
        try:
            evening.run()
        finally:
            evening.close()
    assert evening.complaints == []
    taps = {name: taps for name, taps, _ in evening.steps}
    assert taps["from the card to the first turn"] == 3
