from __future__ import annotations

import json

from service.cli import main


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
    assert run("export", "Saturday Cup", "--as", "trf").output.startswith("012 Saturday Cup")
    assert run("show", "Other").exit_code == 1
