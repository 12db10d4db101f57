import json

from inkeek.service.cli import main
from inkeek.service.http.services import build_services
from inkeek.service.settings import read_settings


def test_an_event_is_made_paired_shown_and_exported(runner, tmp_path):
    (tmp_path / "players").write_text("Nasieku\nKoinet\n\n=Hawo\n", "utf-8")
    data = ["--data", str(tmp_path)]

    def run(*words):
        return runner.invoke(main, ["event", *words, *data])

    assert runner.invoke(main, ["db", "upgrade", *data]).exit_code == 0
    made = run("new", "Saturday Cup", "--game", "bof", "--players", str(tmp_path / "players"), "--json")
    assert [one["name"] for one in json.loads(made.output)["players"]] == ["Nasieku", "Koinet", "=Hawo"]
    assert run("new", "saturday cup", "--game", "bof").exit_code == 1
    round = json.loads(run("round", "SATURDAY CUP", "--json").output)["rounds"][0]
    assert [one["result"] for one in round["pairings"]] == ["", "bye"]
    assert run("round", "Saturday Cup").exit_code == 1
    assert "Nasieku" in run("show", "Saturday Cup").output
    assert "'=Hawo" in run("export", "Saturday Cup").output
    for kind, start in (("teams", "rank,team,"), ("pairings", "round,")):
        assert run("export", "Saturday Cup", "--as", kind).output.startswith(start)
    assert run("export", "Saturday Cup", "--as", "trf").output.startswith("012 Saturday Cup")
    assert run("show", "Other").exit_code == 1


def test_a_board_is_put_at_a_table(runner, tmp_path):
    (tmp_path / "players").write_text("Nasieku\nKoinet\n", "utf-8")
    data = ["--data", str(tmp_path)]
    runner.invoke(main, ["db", "upgrade", *data])
    words = ["event", "new", "Cup", "--game", "bof", *data]
    for wrong in ("/dev/board", "one=/dev/board", "1="):
        assert runner.invoke(main, [*words, "--board", wrong]).exit_code == 2
    assert runner.invoke(main, [*words, "--board", "1=nowhere"]).exit_code == 1
    words += ["--players", str(tmp_path / "players"), "--board", "1=/dev/board", "--json"]
    made = json.loads(runner.invoke(main, words).output)
    assert [(one["table"], one["port"]) for one in made["boards"]] == [(1, "/dev/board")]
    round = json.loads(runner.invoke(main, ["event", "round", "Cup", "--json", *data]).output)["rounds"][0]
    services = build_services(read_settings({}, {"data": str(tmp_path)}))
    assert [board.game for board in services.boards.open()] == [round["pairings"][0]["game"]]
    services.close()


def test_people_are_invited_to_an_event_that_exists(runner, tmp_path):
    data = ["--data", str(tmp_path)]
    runner.invoke(main, ["db", "upgrade", *data])
    assert runner.invoke(main, ["event", "new", "Saturday Cup", "--game", "bof", *data]).exit_code == 0
    unknown = runner.invoke(main, ["invite", "Saturday Cop", "--role", "watch", *data])
    assert (unknown.exit_code, "'Saturday Cup'" in unknown.output) == (1, True)
    assert runner.invoke(main, ["invite", "Zzz", "--role", "watch", *data]).exit_code == 1
    services = build_services(read_settings({}, {"data": str(tmp_path)}))
    assert services.invitations.of_event("saturday cup") == ([], [])
    made = runner.invoke(main, ["invite", "saturday CUP", "--role", "watch", *data])
    (invitation,), _ = services.invitations.of_event("saturday cup")
    services.close()
    assert (invitation.event, invitation.code in made.output) == ("Saturday Cup", True)
