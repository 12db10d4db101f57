"""nginx and Caddy before a service, as docs/examples/deploy/ has them: only paths, ports and names are replaced."""

import json
import os
import re
import shutil
import ssl
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest

from inkeek.service.processes.certificate import with_own_certificate
from inkeek.service.settings import Settings
from tests.docs.test_deploy import DEPLOY
from tests.e2e.chain import EXAMPLE, PATIENCE, read_record
from tests.e2e.processes import Service, SimulatedBoard
from tests.far import RemoteAgentProcess
from tests.ports import free_port
from tests.service.waiting import until

BUILD = Path(__file__).parents[3] / "build/proxies"  # where `.ci/proxies` puts them
PLACES = os.pathsep.join([os.environ["PATH"], "/usr/sbin", f"{BUILD}/usr/sbin", f"{BUILD}/usr/bin"])
NGINX, CADDY = "nginx", "caddy"
NO_PORT = "nginx with $host"  # a frequent mistake: it sends on the name without the port
ELSEWHERE = "127.0.0.2"  # another address of this machine, which stands for another machine
LARGE = 10_000_000  # bytes of an import


class Site:
    """A service behind a proxy of this kind, as https://localhost at a port that is not 443."""

    def __init__(self, kind: str, folder: Path) -> None:
        self.folder = folder
        self.port, self.plain_port = free_port(), free_port()
        self.url = f"https://localhost:{self.port}"
        example = (DEPLOY / "inkeek.toml").read_text("utf-8").replace("games.example.org", "localhost")
        settings = {name: value for name, value in tomllib.loads(example).items() if name not in ("data", "port")}
        self.service = Service(folder, **settings)
        self.service.start()
        self._stack = ExitStack()
        self._stack.callback(self.service.stop)
        command, self.certificate = (self._caddy if kind == CADDY else self._nginx)(kind)
        with (folder / "proxy.log").open("wb") as log:
            environ = {**os.environ, "HOME": str(folder)}
            process = subprocess.Popen([_program(command[0]), *command[1:]], stdout=log, stderr=log, env=environ)
        self._stack.callback(process.wait)
        self._stack.callback(process.terminate)
        try:
            until(self._is_up)
        except BaseException:
            self.close()
            raise
        self.trust = ssl.create_default_context(cafile=self.certificate)

    def _nginx(self, kind: str) -> tuple[list[str], Path]:
        certificate = Path(with_own_certificate(Settings(data=str(self.folder))).tls_cert)
        name = "/etc/letsencrypt/live/games.example.org/"
        changed = {f"{name}fullchain.pem": str(certificate), f"{name}privkey.pem": str(certificate)}
        changed |= {"listen 443": f"listen {self.port}", "[::]:443": f"[::]:{self.port}"}
        changed |= {"listen 80": f"listen {self.plain_port}", "[::]:80": f"[::]:{self.plain_port}"}
        text = self._example("nginx.conf", changed)
        (self.folder / "inkeek.conf").write_text(text.replace("$http_host", "$host") if kind == NO_PORT else text)
        user = "user root;" if os.getuid() == 0 else ""  # others may not read folders of tests
        kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
        temporary = "".join(f"{kind}_temp_path {self.folder}/{kind}; " for kind in kinds)
        whole = f"{user} daemon off; pid {self.folder}/pid; error_log stderr; events {{}}\n"
        whole += f"http {{ access_log off; {temporary} include {self.folder}/inkeek.conf; }}\n"
        (self.folder / "nginx.conf").write_text(whole)
        return [NGINX, "-c", str(self.folder / "nginx.conf"), "-e", "stderr"], certificate

    def _caddy(self, kind: str) -> tuple[list[str], Path]:
        storage = self.folder / "caddy"
        whole = f"{{\nadmin off\nskip_install_trust\nhttp_port {self.plain_port}\nhttps_port {self.port}\n"
        whole += f"storage file_system {storage}\n}}\n" + self._example("Caddyfile", {})
        (self.folder / "Caddyfile").write_text(whole)
        command = [CADDY, "run", "--config", str(self.folder / "Caddyfile"), "--adapter", "caddyfile"]
        return command, storage / "pki/authorities/local/root.crt"

    def _example(self, name: str, changed: dict[str, str]) -> str:
        text = (DEPLOY / name).read_text("utf-8")
        for here, there in (changed | {"games.example.org": "localhost", ":8000": f":{self.service.port}"}).items():
            assert here in text
            text = text.replace(here, there)
        return text

    def _is_up(self) -> bool:
        try:
            trust = ssl.create_default_context(cafile=self.certificate)
            return httpx.get(f"{self.url}/healthz", verify=trust, trust_env=False).is_success
        except (OSError, httpx.TransportError):
            return False

    def close(self) -> None:
        self._stack.close()

    def client(self, *, token: bool = True, **headers: str) -> httpx.Client:
        """A client somewhere else, with or without a token."""
        if token:
            headers["Authorization"] = f"Bearer {self.service.token}"
        transport = httpx.HTTPTransport(verify=self.trust, local_address=ELSEWHERE)
        return httpx.Client(base_url=self.url, headers=headers, transport=transport, timeout=PATIENCE)

    def sign_in_link(self) -> str:
        """What `inkeek token link` prints."""
        config = ["--config", str(self.folder / "settings.toml"), "--data", str(self.folder), "--port", str(self.port)]
        command = [sys.executable, "-m", "inkeek.service.cli", "token", "link", "--name", "Naisula", *config]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def _program(name: str) -> str:
    found = shutil.which(name, path=PLACES)
    assert found is not None
    return found


@pytest.fixture(scope="module", params=[NGINX, CADDY])
def site(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A service behind each kind of proxy."""
    if shutil.which(request.param.split()[0], path=PLACES) is None:
        reason = f"{request.param} is not installed: run .ci/proxies"
        pytest.fail(reason) if request.config.getoption("--proxies") == "must" else pytest.skip(reason)
    made = Site(request.param, tmp_path_factory.mktemp("site"))
    yield made
    made.close()


@pytest.mark.parametrize("has_port", [True, False])  # without: as at port 443, which browsers do not name
def test_a_link_signs_in_and_forms_write(site: Site, has_port: bool) -> None:
    host = f"localhost:{site.port}" if has_port else "localhost"
    root, _, key = site.sign_in_link().partition("/sign-in?key=")
    assert root == site.url
    sent = {"Host": host, "Origin": f"https://{host}"}
    with site.client(token=False, **sent) as client:
        assert client.get("/sign-in", params={"key": key}).status_code == 200
        signed = client.post("/sign-in", data={"key": key})
        assert (signed.status_code, "__Host-inkeek" in client.cookies) == (303, True)
        csrf = re.search(r'name="csrf" value="(\w{64})"', client.get("/games/new?game=oware").text)
        assert csrf is not None
        form = {"game": "oware", "csrf": csrf[1]}
        assert client.post("/games/new", data=form, headers={"Origin": "https://evil.example"}).status_code == 403
        made = client.post("/games/new", data=form)
        assert made.status_code == 303
        page = client.get(made.headers["Location"])
        assert page.status_code == 200
        assert "Strict-Transport-Security" in page.headers


def test_nothing_counts_as_local_and_the_log_has_who_asked(site: Site) -> None:
    lies = {"X-Forwarded-For": "127.0.0.1", "X-Real-IP": "127.0.0.1", "X-Request-Id": f"lies-{site.port}"}
    with site.client(token=False, **lies) as client:
        for path in ("/", "/api/v1/games", "/metrics"):
            assert client.get(path).status_code == 401
    assert httpx.get(f"http://127.0.0.1:{site.service.port}/api/v1/games").status_code == 401  # beside the proxy
    logged = [json.loads(line) for line in site.service.errors().splitlines() if lies["X-Request-Id"] in line]
    assert {line["client"] for line in logged} == {ELSEWHERE}
    plain = httpx.get(f"http://localhost:{site.plain_port}/games?page=2", trust_env=False)
    assert (plain.status_code // 100, plain.headers["Location"][:8]) == (3, "https://")


def test_turns_arrive_on_an_open_stream(site: Site) -> None:
    with site.client() as client:
        game = client.post("/api/v1/games", json={"game": "oware"}).json()["id"]
        with client.stream("GET", f"/api/v1/games/{game}/events", headers={"Accept": "text/event-stream"}) as stream:
            lines = stream.iter_lines()
            assert "event: created" in lines
            assert client.post(f"/api/v1/games/{game}/turns", json={"move": "a"}).status_code == 201
            assert "event: turn" in lines


def test_a_large_import_passes(site: Site) -> None:
    comment = "x" * 1000
    game = f'[Game "oware"]\n[Result "*"]\n\n1. a {{{comment}}} *\n\n'
    text = game * (LARGE // len(game) + 1)
    with site.client() as client:
        answer = client.post("/api/v1/games/import", content=text, params={"dry_run": "true"})
        assert answer.status_code == 200
        rows = [json.loads(line) for line in answer.text.splitlines()]
        assert len(rows) >= LARGE // len(game)


def test_a_board_far_away_plays_a_game(site: Site, tmp_path: Path) -> None:
    record = read_record(EXAMPLE)
    rules = record.rules()
    client = site.service.client
    game = client.post("/api/v1/games", {"game": rules.id, "options": dict(rules.changed)})["id"]
    (tmp_path / "token").write_text(site.service.token)
    hands = ["--play", str(EXAMPLE), "--speed", "max"]
    with SimulatedBoard(tmp_path, "--pty", "--link", str(tmp_path / "board"), *hands) as board:
        arguments = [board.url, "--to", site.url, "--game", game, "--token-file", str(tmp_path / "token")]
        agent = RemoteAgentProcess(tmp_path, [*arguments, "--spool", str(tmp_path), "--ca", str(site.certificate)])
        agent.start()
        try:
            moves = board.until("finished", PATIENCE)["moves"]
        finally:
            agent.stop()
    assert [turn["move"] for turn in client.get(f"/api/v1/games/{game}/replay")["plies"]] == moves


@pytest.mark.browser
@pytest.mark.parametrize("site", [NGINX, CADDY, NO_PORT], indirect=True)
def test_a_browser_signs_in_and_writes(site: Site, browser: Any) -> None:
    context = browser.new_context(ignore_https_errors=True)
    try:
        page = context.new_page()
        page.goto(site.sign_in_link())
        with page.expect_navigation():
            page.click("button.strong")
        page.goto(f"{site.url}/games/new?game=oware")
        assert page.evaluate("performance.getEntriesByType('navigation')[0].nextHopProtocol") == "h2"
        with page.expect_navigation():
            page.click("form.form button.strong")
        assert re.search("/games/[a-z0-9]{10}/", page.url)
    finally:
        context.close()
