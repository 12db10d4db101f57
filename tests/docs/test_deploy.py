"""docs/examples/deploy/: units start what there is, as often as needed. `tests/e2e/deploy/` has the proxies."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from inkeek.service.cli.boards.board import attach
from inkeek.service.cli.serve import serve
from inkeek.service.settings import read_settings
from tests.docs.pages import ROOT

DEPLOY = ROOT / "docs/examples/deploy"
SERVICE = "inkeek.service"
BOARD = "inkeek-board.service"
MOST_EXPOSED = 2.5  # of 10, as `systemd-analyze security` counts


def options(unit: str) -> dict[str, str]:
    """The options of a unit; of one that stands twice, the last."""
    return dict(re.findall(r"^(\w+)=(.*)$", (DEPLOY / unit).read_text("utf-8"), re.MULTILINE))


def test_the_service_starts_with_settings_that_are_known() -> None:
    program, name, *arguments = shlex.split(options(SERVICE)["ExecStart"])
    assert (program.rpartition("/")[2], name) == ("inkeek", "serve")
    assert serve.make_context("serve", arguments).params["config"] == "/etc/inkeek.toml"
    settings = read_settings({}, {"config": str(DEPLOY / "inkeek.toml")})
    assert options("inkeek.socket")["ListenStream"] == f"{settings.host}:{settings.port}"
    assert settings.data == f"/var/lib/{options(SERVICE)['StateDirectory']}"


def test_the_board_is_attached(tmp_path: Path) -> None:
    (tmp_path / "token").write_text("ink_t_x")
    program, *words = shlex.split(options(BOARD)["ExecStart"].replace("%d", str(tmp_path)))
    assert [program.rpartition("/")[2], *words[:2]] == ["inkeek", "board", "attach"]
    assert attach.make_context("attach", words[2:]).params["spool"] == f"/var/lib/{options(BOARD)['StateDirectory']}"


def runs_again(options: dict[str, str], *, status: int, until: float) -> bool:
    """Whether systemd still starts a unit that fails with `status` at once until that second, by its limit of starts.

    Status 0 stands for a signal. Options that are missing have the values of systemd's own configuration.
    """
    policy = options.get("Restart", "no")
    prevented = options.get("RestartPreventExitStatus", "").split()
    if policy not in ("always", "on-failure") or (policy == "on-failure" and str(status) in prevented):
        return False
    interval = float(options.get("StartLimitIntervalSec", 10))
    burst = int(options.get("StartLimitBurst", 5))
    now, began, starts = 0.0, 0.0, 0
    while now < until:
        if now - began > interval:
            began, starts = now, 0
        starts += 1
        if interval and starts > burst:
            return False
        now += float(options.get("RestartSec", 0.1))
    return True


def test_units_go_on_while_a_database_or_a_board_is_away() -> None:
    assert runs_again(options(SERVICE), status=1, until=60.0)
    assert runs_again(options(BOARD), status=0, until=60.0)
    assert not runs_again(options(BOARD), status=1, until=60.0)  # nothing more can be delivered
    assert not runs_again({"Restart": "always"}, status=1, until=60.0)


@pytest.mark.parametrize("unit", [SERVICE, BOARD])
def test_units_are_hardened(unit: str) -> None:
    assert options(unit)["UMask"] == "0077"
    if shutil.which("systemd-analyze") is None:
        pytest.skip("systemd-analyze is not installed")
    command = ["systemd-analyze", "security", "--no-pager", "--offline=true", str(DEPLOY / unit)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert float(done.stdout.split("exposure level")[1].split()[2]) <= MOST_EXPOSED
