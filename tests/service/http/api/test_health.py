from __future__ import annotations

from service import create_app
from service.http.context import services_of
from service.storage.migrate import latest


def test_a_service_with_its_tables_is_ready(client):
    assert client.get("/healthz").json == {"ok": True}
    assert client.get("/readyz").json == {"ok": True, "revision": latest()}


def test_a_service_without_tables_answers_but_is_not_ready(tmp_path):
    app = create_app({"data": str(tmp_path)})
    client = app.test_client()
    assert client.get("/healthz").status_code == 200
    answer = client.get("/readyz")
    assert (answer.status_code, answer.json["type"]) == (503, "/problems/storage")
    assert "inkeek db upgrade" in answer.json["detail"]
    services_of(app).store.close()
