"""The disk is full at any commit of a request: it is refused, nothing of it is seen, and sent again it is done once."""

from itertools import count

import pytest

from tests.faults.hosts import failing_commits

STEPS = (
    ("games", {"game": "oware"}),
    ("games/{game}/turns", {"move": "c"}),
    ("games/{game}/turns", {"move": "C"}),
    ("games/{game}/retractions", {"reason": "team"}),
    ("games/{game}/turns", {"move": "D"}),
    ("games/{game}/disputes", {"side": "South", "claim": "a seed is missing", "ply": 2}),
)
MOST = 60  # commits of all steps


def send(client, path, body, key):
    return client.post(f"/api/v1/{path}", json=body, headers={"Idempotency-Key": key})


@pytest.mark.parametrize("how", ["before", "after"])
def test_a_request_is_done_once_whichever_commit_fails(client, services, how):
    for first in count(1):
        assert first < MOST
        commits, refused, game = 0, 0, ""

        def fault(first=first):
            nonlocal commits
            commits += 1
            return how if commits == first else None

        with failing_commits(fault):
            for number, (path, body) in enumerate(STEPS):
                path = path.format(game=game)
                seen = services.games.load(game).events if game else ()
                for _ in range(2):
                    answer = send(client, path, body, f"{first}-{number}")
                    if answer.status_code != 507:
                        break
                    refused += 1
                    stored = services.games.load(game).events if game else ()
                    assert how == "after" or stored == seen
                assert answer.status_code == 201, answer.json
                game = game or answer.json["id"]
        snapshot = services.games.load(game)
        assert [str(ply.move) for ply in snapshot.record.plies] == ["c", "D"]
        assert [event.kind for event in snapshot.events].count("turn") == 3
        assert len(snapshot.state.disputes) == 1
        assert services.games.integrity(game) == []
        if commits < first:
            assert refused == 0
            break
        assert refused <= 1
    assert first > len(STEPS) - 1
