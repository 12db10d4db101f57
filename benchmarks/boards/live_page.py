"""How soon the live page answers a tap, and how smoothly it sows: ``python -m benchmarks.boards.live_page``.

A real browser plays games of Kalah at the page of a real service, a tap a turn. The times are the page's own: from the
event of the tap until the frame with the marked pit was drawn, and until that with the first seeds in the hand,
which waits for the service. Frames are counted while seeds are sown. Headless browsers have no graphics processor.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import Any

import httpx

from tests.service.http.web.browsing import BROWSERS

from ..service.throughput import served

PATIENCE = 60_000  # milliseconds
SMOOTH = 1000 / 60 * 1.5  # milliseconds between two frames: no frame was left out
WATCH = """() => {
  window.taps = []; window.frames = [];
  const svg = () => document.querySelector("svg.board");
  addEventListener("click", (event) => {
    if (!event.isTrusted || !event.target.closest(".pit")) return;
    const tap = { at: event.timeStamp };
    window.taps.push(tap);
    let last = null;
    const frame = (now) => {
      const sows = !svg().querySelector(".hand").hasAttribute("display");
      if (tap.marks && !tap.marked) tap.marked = now; // drawn: the frame before this one had it
      if (tap.begins && !tap.begun) tap.begun = now;
      tap.marks ||= svg().querySelector(".pit.touched") !== null;
      tap.begins ||= sows;
      if (sows && last !== null) window.frames.push(now - last);
      last = sows ? now : null;
      if (sows || !tap.begun) requestAnimationFrame(frame);
      else tap.ended = now;
    };
    requestAnimationFrame(frame);
  }, true);
}"""


def measure(page: Any, url: str, headers: dict[str, str], turns: int) -> tuple[list[float], list[float], list[float]]:
    """Milliseconds to the mark and to the turn of so many taps, and those between the frames of their animations."""
    marked: list[float] = []
    begun: list[float] = []
    frames: list[float] = []
    while len(begun) < turns:
        game = httpx.post(f"{url}/api/v1/games", json={"game": "kalah"}, headers=headers).raise_for_status().json()
        page.goto(f"{url}/games/{game['id']}/live", wait_until="load")
        page.wait_for_selector("[data-live][data-following]")
        page.evaluate(WATCH)
        for ply in range(1, min(12, turns - len(begun)) + 1):
            page.wait_for_selector("[data-live][data-open]")
            if page.query_selector(".pit.legal") is None:
                break
            page.click(".pit.legal .hollow >> nth=0", force=True)
            page.wait_for_function("taps => window.taps.filter((tap) => tap.ended).length >= taps", arg=ply)
            page.wait_for_selector(f'[data-live][data-ply="{ply}"]')
            page.wait_for_selector("svg.board .pit.legal, .result", state="attached")
        taps = page.evaluate("window.taps")
        marked += [tap["marked"] - tap["at"] for tap in taps]
        begun += [tap["begun"] - tap["at"] for tap in taps]
        frames += page.evaluate("window.frames")
    return marked, begun, frames


def main() -> None:
    """Measure, and print a line for each time."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--turns", type=int, default=60, help="taps in all")
    turns = parser.parse_args().turns
    from playwright.sync_api import sync_playwright

    path = next((found for found in map(shutil.which, BROWSERS) if found), None)
    if path is None:
        sys.exit(f"no browser: none of {', '.join(BROWSERS)} is installed")
    with tempfile.TemporaryDirectory() as folder, served(Path(folder)) as (port, headers), sync_playwright() as driver:
        url = f"http://127.0.0.1:{port}"
        link = [
            sys.executable,
            "-m",
            "service.cli",
            "token",
            "link",
            "--scope",
            "record",
            "--url",
            url,
            "--data",
            folder,
        ]
        printed = subprocess.run(link, check=True, capture_output=True, text=True).stdout
        browser = driver.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        context = browser.new_context(viewport={"width": 1280, "height": 900})
        context.set_default_timeout(PATIENCE)
        page = context.new_page()
        page.goto(next(word for word in printed.split() if "key=" in word))
        page.get_by_label("Your name").fill("benchmark")
        page.get_by_role("button", name="Begin").click()
        page.wait_for_url(f"{url}/")
        marked, begun, frames = measure(page, url, headers, turns)
        browser.close()
    print(f"taps: {len(marked)}; frames while seeds are sown: {len(frames)}")
    for name, times in (("tap to the marked pit", marked), ("tap to the first seeds in the hand", begun)):
        print(f"{name:36} median {median(times):6.1f} ms, longest {max(times):6.1f} ms")
    late = sum(time > SMOOTH for time in frames) / len(frames)
    print(f"frames a second {1000 * len(frames) / sum(frames):.1f}; {100 * late:.1f} % of frames late")


if __name__ == "__main__":
    main()
