import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from inkeek.service.demo.client import DemoFailed, ServiceClient

STREAM = b'retry: 1000\n\nid: 1\nevent: created\ndata: {"a": 1}\n\n: still here\n\nevent: board\ndata: null\n\n'


class Child:
    def ended(self, wait):
        return False

    def errors(self):
        return "its log"


class Gone(Child):
    def ended(self, wait):
        return True


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        body, status = {"/stream": (STREAM, 200), "/json": (b'{"x": [1]}', 200)}.get(self.path, (b"no such thing", 404))
        self.send_response(status)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


@pytest.fixture
def url():
    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def test_answers_and_streams_are_read(url):
    client = ServiceClient(url, Child())
    assert client.get("/json") == {"x": [1]}
    assert list(client.events("/stream")) == [("", None), ("created", {"a": 1}), ("", None), ("board", None)]


def test_errors_quote_the_request_and_the_answer(url):
    client = ServiceClient(url, Child())
    with pytest.raises(DemoFailed, match="/nothing: 404 no such thing"):
        client.get("/nothing")
    with pytest.raises(DemoFailed, match="404"):
        list(client.events("/nothing"))


def test_a_service_that_does_not_start_is_an_error(url):
    with pytest.raises(DemoFailed, match=r"0\.1 seconds"):
        ServiceClient(url, Child()).wait_ready(0.1)
    with pytest.raises(DemoFailed, match="its log"):
        ServiceClient("http://127.0.0.1:1", Gone()).wait_ready(10)
