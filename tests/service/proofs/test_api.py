from socket import gethostname

import pytest

from inkeek.service.maintenance.signatures import new_key, public_text
from inkeek.service.proofs.check import check_proof

SMALL = {"game": "enkeshui", "options": {"pits": 8}}


@pytest.fixture
def game(client):
    path = f"/api/v1/games/{client.post('/api/v1/games', json=SMALL).json['id']}"
    client.post(f"{path}/turns", json={"move": "c"})
    return path


@pytest.fixture
def public(services):
    return public_text(new_key(services.settings.data_folder / "key.pem"))


def test_a_game_is_proven(client, game, public):
    answer = client.get(f"{game}/proof")
    assert (answer.status_code, answer.mimetype) == (200, "application/x-inkeek-proof")
    report = check_proof(answer.data, [public])
    assert (report.ok, report.game, report.dispute) == (True, game.rsplit("/", 1)[1], None)
    assert f"{report.game}.proof" in answer.headers["Content-Disposition"]


def test_a_dispute_is_proven(client, game, public):
    seq = client.post(f"{game}/disputes", json={"side": "North", "claim": "one too few"}).json["seq"]
    report = check_proof(client.get(f"{game}/disputes/{seq}/proof").data, [public])
    assert (report.ok, report.dispute) == (True, seq)


@pytest.mark.usefixtures("public")
def test_what_does_not_exist_is_not_found(client, game):
    paths = (
        "/api/v1/games/2222222222/proof",
        f"{game}/disputes/1/proof",
        f"{game}/disputes/99999999999999999999/proof",
    )
    assert [client.get(path).status_code for path in paths] == [404] * 3


def test_a_service_without_a_key_says_so(client, game, services):
    answer = client.get(f"{game}/proof")
    assert (answer.status_code, answer.json["type"]) == (409, "/problems/no-key")
    assert {"key.pem", f"{gethostname()}:"} <= set(answer.json["detail"].replace(". ", " ").split())
    path = services.settings.data_folder / "key.pem"
    path.write_text("not a key")
    answer = client.get(f"{game}/proof")
    assert (answer.status_code, answer.json["type"]) == (409, "/problems/no-key")
    assert str(path) not in answer.text


@pytest.mark.usefixtures("public")
def test_a_damaged_game_is_not_signed(client, game, services):
    with services.store.writing() as transaction:
        transaction.games._session.exec_driver_sql("UPDATE events SET actor = 'somebody' WHERE seq = 2")
    answer = client.get(f"{game}/proof")
    assert (answer.status_code, answer.json["type"]) == (503, "/problems/damaged")
