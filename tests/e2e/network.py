"""A bad network between a remote board and its service: a proxy that drops, cuts, delays, or answers itself."""

import contextlib
import socket
import threading
from collections import Counter
from collections.abc import Callable
from random import Random

CLEAR = "clear"
TROUBLES = ("down", "cut", "delay", "swallow", "silent", "errors")
ERRORS = ("500 Internal Server Error", "502 Bad Gateway", "503 Service Unavailable", "429 Too Many Requests")
MAX_DELAY = 0.3  # seconds
SILENCE = 1.0  # seconds until a connection that gets no answer is cut
CUT_WITHIN = 1500  # bytes after which a connection is cut at the latest: within a request or an answer
LOOK = 0.1


class Network:
    """A proxy to the service on `port` of this machine. `weather` is its present behavior; `met` counts what
    happened to connections and requests."""

    def __init__(self, port: int, seed: int) -> None:
        self.weather = CLEAR
        self.met: Counter[str] = Counter()
        self._port = port
        self._random = Random(seed)
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._threads: list[threading.Thread] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._listener.settimeout(LOOK)
        self._start(self._accept)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._listener.getsockname()[1]}"

    def change(self) -> float:
        """Change the weather. Return for how many seconds."""
        with self._lock:
            self.weather = CLEAR if self.weather != CLEAR else self._random.choice(TROUBLES)
            return self._random.uniform(0.05, 1.5)

    def close(self) -> None:
        self._stop.set()
        self._listener.close()
        for thread in self._threads:
            thread.join()

    def _start(self, work: Callable[[], None]) -> None:
        thread = threading.Thread(target=work, daemon=True)
        self._threads = [old for old in self._threads if old.is_alive()] + [thread]
        thread.start()

    def _accept(self) -> None:
        while not self._stop.is_set():
            with contextlib.suppress(OSError):
                line, _ = self._listener.accept()
                self._start(lambda line=line: self._carry(line))  # type: ignore[misc]

    def _carry(self, line: socket.socket) -> None:
        """Handle one connection."""
        with line, contextlib.suppress(OSError):
            if self._turned_away(line):
                return
            with socket.create_connection(("127.0.0.1", self._port), 5.0) as there:
                left = self._draw(1, CUT_WITHIN)
                while not self._stop.is_set():
                    for source, target in ((line, there), (there, line)):
                        piece = self._read(source)
                        if piece == b"" or (piece and not self._passes(piece, source is there, target, left)):
                            return
                        left -= len(piece or b"") if self.weather == "cut" else 0

    def _passes(self, piece: bytes, is_answer: bool, target: socket.socket, left: int) -> bool:
        """Send a piece on, as the weather allows. Return False if that ends the connection."""
        weather = self.weather
        if weather == "cut" and len(piece) >= left:
            target.sendall(piece[:left])
            self._note("cut")
            return False
        if weather in ("down", "errors", "silent") or (weather == "swallow" and is_answer):
            self._note(weather)  # swallowed: the request is carried out, but its answer is lost
            self._stop.wait(SILENCE if weather == "silent" else 0)
            return False
        if weather == "delay":
            self._note("delay")
            self._stop.wait(self._draw(0, int(1000 * MAX_DELAY)) / 1000)
        target.sendall(piece)
        return True

    def _turned_away(self, line: socket.socket) -> bool:
        """Whether the weather lets no connection through."""
        weather = self.weather
        if weather == "down":
            self._note(weather)
            return True
        if weather == "silent":
            self._note(weather)
            self._stop.wait(SILENCE)
            return True
        if weather == "errors":
            while self._read(line) is None and not self._stop.is_set():
                pass
            status = ERRORS[self._draw(0, len(ERRORS) - 1)]
            self._note(status[:3])
            line.sendall(
                f"HTTP/1.1 {status}\r\nRetry-After: 1\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".encode()
            )
            return True
        return False

    def _read(self, source: socket.socket) -> bytes | None:
        """The next piece; None: nothing to read now."""
        try:
            source.settimeout(0.01)
            return source.recv(65536)
        except TimeoutError:
            return None

    def _draw(self, low: int, high: int) -> int:
        with self._lock:
            return self._random.randint(low, high)

    def _note(self, what: str) -> None:
        with self._lock:
            self.met[what] += 1
