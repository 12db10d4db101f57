"""The web server as a process: what it prints and logs, how it stops, what figures its workers add up."""

import contextlib
import http.client
import json
import re
import shutil
import socket
import ssl
import subprocess
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import httpx
import pytest

from inkeek.service.demo.client import DemoFailed, ServiceClient
from inkeek.service.demo.demo import Child
from inkeek.service.http.access.caller import LINK
from inkeek.service.http.access.keys import SECRET, open_keys
from inkeek.service.http.addresses import network_addresses, sign_in_url
from inkeek.service.http.problems import problem_types
from inkeek.service.settings import read_settings
from tests.service.clients import token_in
from tests.service.waiting import until


@contextmanager
def service(folder: Path, **settings: object) -> Iterator[tuple[ServiceClient, Child]]:
    """A service on `folder`, and who asks it with a token."""
    config = folder / "settings.toml"
    given = {"data": str(folder), "port": 0, **settings}
    config.write_text("".join(f"{name} = {json.dumps(value)}\n" for name, value in given.items()))
    arguments = ["-m", "inkeek.service.cli", "serve", "--exit-with-parent", "--config", str(config)]
    with Child("the service", arguments, folder / "service.log") as child:
        url = next(word.rstrip("/") for word in child.line(60).split() if word.startswith("http"))
        client = ServiceClient(url, child, token_in(folder))
        if url.startswith("http:"):
            client.wait_ready(60)
        yield client, child


def ask(url: str, **headers: str) -> tuple[int, str, http.client.HTTPMessage]:
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(urllib.request.Request(url, headers=headers), timeout=60) as answer:
            return answer.status, answer.read().decode(), answer.headers
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read().decode(), error.headers


def sign_in_link(folder: Path, client: ServiceClient) -> str:
    """A link that signs a browser in."""
    with open_keys(read_settings({}, {"data": str(folder)})) as keys:
        return sign_in_url(client.url, keys.create(LINK, "page", ("admin",), timedelta(minutes=1))[1])


def sign_in(link: str, verify: ssl.SSLContext | bool = True) -> httpx.Response:
    """The answer to the button behind a link."""
    address, _, secret = link.partition("?key=")
    return httpx.post(address, data={"key": secret}, verify=verify, trust_env=False, timeout=60)


def test_the_log_is_of_json_with_request_ids_and_no_secrets(tmp_path):
    with service(tmp_path, log_format="json", log_level="debug") as (client, _):
        link = sign_in_link(tmp_path, client)
        cookie = sign_in(link).headers["Set-Cookie"].partition(";")[0]
        ask(client.url, Cookie=cookie)
        ask(link)
        made = client.post("/api/v1/tokens", {"name": "x", "scopes": ["read"]})["token"]
        ask(f"{client.url}/api/v1/games?token={made}", Authorization=f"Bearer {made}x")
        ask(f"{client.url}/healthz", **{"X-Request-Id": "front-7"})
    text = (tmp_path / "service.log").read_text()
    lines = [json.loads(line) for line in text.splitlines()]
    assert "front-7" in {line.get("request") for line in lines}
    assert {"/sign-in", "/api/v1/tokens", "/api/v1/games"} <= {line.get("path") for line in lines}
    assert {line["part"] for line in lines} >= {"web"}
    assert not SECRET.search(text)
    assert cookie.partition("=")[2] not in text
    assert "Bearer" not in text


def test_a_service_that_is_stopped_ends_its_streams_and_loses_nothing(tmp_path):
    stored: list[str] = []
    with service(tmp_path) as (client, child):
        game = client.post("/api/v1/games", {"game": "enkeshui"})["id"]
        ended = threading.Event()
        following = threading.Event()

        def follow() -> None:
            for kind, _ in client.events(f"/api/v1/games/{game}/events"):
                if kind == "created":
                    following.set()
            ended.set()  # and not by an error, which would be raised

        def write() -> None:
            try:
                while True:
                    stored.append(client.post("/api/v1/games", {"game": "enkeshui"})["id"])
            except DemoFailed:
                return

        threads = [threading.Thread(target=follow), *(threading.Thread(target=write) for _ in range(3))]
        for thread in threads:
            thread.start()
        assert following.wait(60)
        until(lambda: len(stored) > 20)
        child._process.terminate()
        assert child._process.wait(60) == 0
        for thread in threads:
            thread.join(60)
        assert ended.is_set()
    log = (tmp_path / "service.log").read_text()
    assert "Traceback" not in log
    assert "Cancel" not in log  # requests that took too long
    with service(tmp_path) as (client, _):
        for game in stored:
            assert client.get(f"/api/v1/games/{game}/integrity")["ok"]


def test_each_process_tells_the_figures_of_all(tmp_path):
    with service(tmp_path, workers=2) as (client, _):
        for _ in range(40):
            client.get("/api/v1/rulesets")
        answers = [ask(f"{client.url}/metrics")[1] for _ in range(8)]
    counted = {re.search(r'inkeek_requests_total\{.*rulesets",status="200"\} (\S+)', text)[1] for text in answers}
    assert counted == {"40.0"}


def test_beyond_this_machine_nothing_is_open_and_without_tls_there_is_a_warning(tmp_path):
    with service(tmp_path, host="0.0.0.0") as (client, _):
        assert ask(f"{client.url}/healthz")[0] == 200
        assert ask(f"{client.url}/api/v1/games")[0] == 401
        assert client.get("/api/v1/games")["items"] == []
    assert "without TLS" in (tmp_path / "service.log").read_text()


def test_with_a_certificate_the_service_speaks_tls(tmp_path):
    if shutil.which("openssl") is None:
        pytest.skip("no openssl to make a certificate with")
    key, cert = tmp_path / "key.pem", tmp_path / "cert.pem"
    made = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"]
    names = ",".join(["DNS:localhost", *(f"IP:{address}" for address in ("127.0.0.1", *network_addresses()))])
    alternative = ["-addext", f"subjectAltName={names}"]
    subprocess.run([*made, *alternative, "-keyout", key, "-out", cert], check=True, capture_output=True)
    with service(tmp_path, tls_cert=str(cert), tls_key=str(key), host="0.0.0.0") as (client, _):
        assert client.url.startswith("https://")
        trusting = ssl.create_default_context(cafile=str(cert))
        answer = sign_in(sign_in_link(tmp_path, client), trusting)
        assert answer.headers["Set-Cookie"].startswith("__Host-inkeek=")
        assert "Secure" in answer.headers["Set-Cookie"]
        assert answer.headers["Strict-Transport-Security"]
    assert "without TLS" not in (tmp_path / "service.log").read_text()


def test_what_the_web_server_refuses_is_a_problem_and_closes_the_connection(tmp_path):
    with service(tmp_path, max_body=1 << 14, max_import=1 << 15) as (client, child):
        host, port = client.url.rpartition("/")[2].split(":")
        head = f"Host: {host}:{port}\r\nAuthorization: {client._headers['Authorization']}\r\n"
        length = f"Content-Type: application/json\r\nContent-Length: {1 << 14 | 1}\r\n"
        requests = {
            "headers-too-large": f"GET / HTTP/1.1\r\n{head}X: {'x' * 9000}\r\n\r\n",
            "too-large": f"POST /api/v1/games HTTP/1.1\r\n{head}{length}\r\n{' ' * (1 << 14 | 1)}",
            "uri-too-long": f"GET /api/v1/games?player={'x' * 5000} HTTP/1.1\r\n{head}\r\n",
            "expectation": f"GET / HTTP/1.1\r\n{head}Expect: wonders\r\n\r\n",
        }
        for slug, text in requests.items():
            with socket.create_connection((host, int(port)), 20) as connection:
                connection.sendall(text.encode())
                answer = http.client.HTTPResponse(connection)
                answer.begin()
                problem = json.loads(answer.read())
                with contextlib.suppress(ConnectionResetError):  # it was closed before all was read
                    assert connection.recv(1) == b"", slug
            assert answer.headers["Content-Type"] == "application/problem+json", slug
            assert answer.headers["Connection"] == "close", slug
            status, title, _ = problem_types()[slug]
            found = {name: problem[name] for name in ("type", "status", "title")}
            assert (answer.status, found) == (status, {"type": f"/problems/{slug}", "status": status, "title": title})
            assert problem["detail"], slug
        assert "Traceback" not in child.errors()
