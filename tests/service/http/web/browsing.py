"""A browser for the tests of pages: opens them and notes everything that must not happen."""

from typing import Any
from urllib.parse import urlsplit

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
PATIENCE = 60_000  # milliseconds that a condition may take to come true, on a machine with much else to do


class Watch:
    """Contexts of one test. `complaints`: errors on the console, broken scripts, requests to other hosts."""

    def __init__(self, browser: Any, base: str, session: str) -> None:
        self.base = base
        self._cookie = {"name": f"inkeek_{urlsplit(base).port}", "value": session, "url": base}
        self.complaints: list[str] = []
        self.expected: tuple[str, ...] = ()
        self._browser = browser
        self._contexts: list[Any] = []

    def open(self, path: str, *, ready: str | None = None, signed: bool = True, **context: Any) -> Any:
        """A page at `path`, loaded, in a browser that is signed in (`signed`); waits until `ready` is there."""
        made = self._browser.new_context(**{"viewport": {"width": 1280, "height": 900}, **context})
        made.set_default_timeout(PATIENCE)
        self._contexts.append(made)
        if signed:
            made.add_cookies([self._cookie])
        page = made.new_page()
        page.on("console", self._heard)
        page.on("pageerror", lambda error: self.complaints.append(f"script: {error}"))
        page.on("request", self._asked)
        page.goto(self.base + path, wait_until="load")
        if ready is not None:
            page.wait_for_selector(ready)
        return page

    def close(self) -> None:
        for context in self._contexts:
            context.close()

    def _heard(self, message: Any) -> None:
        if message.type in ("error", "warning") and not any(text in message.text for text in self.expected):
            self.complaints.append(f"console {message.type}: {message.text}")

    def _asked(self, request: Any) -> None:
        if not request.url.startswith(self.base):
            self.complaints.append(f"asked {request.url}")


def loaded_bytes(page: Any) -> int:
    """The size of the page with its files. What scripts ask for may come sooner or later, and is not counted."""
    size: int = page.evaluate(
        """() => [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")]
            .filter((entry) => entry.initiatorType !== "fetch")
            .reduce((sum, entry) => sum + entry.decodedBodySize, 0)"""
    )
    return size


def requests_of(page: Any) -> list[str]:
    """The requests from now on. The browser fetches the icon of a page when it likes."""
    asked: list[str] = []
    page.on("request", lambda request: None if request.url.endswith("icon.svg") else asked.append(request.url))
    return asked


def wait_connected(page: Any) -> None:
    """Wait until the page says nothing of a lost connection or a failed update."""
    page.wait_for_selector("[data-link-state]:empty", state="attached")


def point(page: Any, pit: int) -> tuple[float, float]:
    """The middle of a pit in the window."""
    hollow = page.locator(f'.board .pit[data-pit="{pit}"] .hollow')
    hollow.evaluate("pit => pit.scrollIntoView({ block: 'center' })")
    box = hollow.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def enter_twice(page: Any, way: str, pit: int) -> None:
    """Play a pit, and once more at once: where it can, the browser hears of both in one message."""
    if way == "mouse":
        page.mouse.dblclick(*point(page, pit))
    elif way == "touch":
        at = point(page, pit)
        page.touchscreen.tap(*at)
        page.touchscreen.tap(*at)
    else:
        page.focus(f'[data-enter] [data-pit="{pit}"]')
        page.keyboard.type("\n\n")


def position(page: Any) -> str:
    """The position that the board on the page says it shows."""
    found: str = page.get_attribute("svg.board", "data-position")
    return found


def drawn(page: Any) -> tuple[list[int], list[int]]:
    """The numbers that stand at the pits and at the stores."""
    pits, stores = page.evaluate(
        """() => [".pit", ".store"].map((kind) => [...document.querySelectorAll(`svg.board ${kind}`)]
            .sort((a, b) => (a.dataset.pit ?? a.dataset.store) - (b.dataset.pit ?? b.dataset.store))
            .map((part) => Number(part.querySelector(".count").textContent)))"""
    )
    return pits, stores
