from inkeek.records import ruleset_ids


def test_all_rule_sets_are_told(client):
    items = client.get("/api/v1/rulesets").json["items"]
    assert [item["id"] for item in items] == list(ruleset_ids())


def test_one_rule_set_with_its_options(client):
    enkeshui = client.get("/api/v1/rulesets/enkeshui").json
    pits = next(option for option in enkeshui["options"] if option["name"] == "pits")
    assert (pits["default"], pits["allowed"], pits["attested"]) == (12, [8, 10, 12], True)
    assert (pits["attested_values"], pits["decided"]) == ([8, 10, 12], "")
    clause = next(clause for clause in enkeshui["clauses"] if clause["options"].get("capture_after_relay") == [True])
    assert clause["mark"] == "attested"
    assert clause["quote"]
    assert enkeshui["terms"]["special"] == "bull"
    assert enkeshui["sources"]


def test_a_rule_set_that_is_not_there(client):
    answer = client.get("/api/v1/rulesets/chess")
    assert answer.status_code == 404
    assert "enkeshui" in answer.json["detail"]
