"""Every page and state at all widths, in all looks and both languages; `test_words.py` fails if one is missing here.

A look changes colours alone, which `test_looks.py` proves: so the width of a page is measured in one look.
"""

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe

from inkeek.service.boards.status import Choice, Refusal
from inkeek.service.disputes.disputes import open_dispute
from inkeek.service.disputes.rulings import propose, rule
from inkeek.service.disputes.terms import Terms
from inkeek.service.games.annotations import Edit, annotate
from inkeek.service.games.events.plan import EventPlan, EventPlayer, OfferedGame, TableBoard
from inkeek.service.games.people import join
from inkeek.service.games.write import Write
from inkeek.service.http.access import NOBODY
from tests.service.http.web.browsing import Watch, loaded_bytes
from tests.service.http.web.club import PLAYERS, Club, club_of_its_own

pytestmark = pytest.mark.browser

WIDTHS = (320, 390, 1280, 2560)
LOOKS: dict[str, dict[str, str]] = {
    "light": {"color_scheme": "light"},
    "dark": {"color_scheme": "dark"},
    "contrast": {"contrast": "more"},
}
PLAIN = {"color_scheme": "light", "contrast": "no-preference"}
# Bytes of a page with all that it loads: of most, and of those that draw many boards.
MOST_BYTES = 150_000
MANY_BOARDS = {
    "/events/<path:name>/booklet": 400_000,
    "/finding": 200_000,
    "/rules/<ruleset_id>": 200_000,
    "/rules/new": 200_000,
}
WITHOUT_BOARDS = {"exclude": ["svg.board > g"]}  # hundreds of seeds in a picture that has a name
# Everything that is folded, but for the engine: with one search after the other it is busy, and says so on the console.
OPEN_ALL = "() => { for (const one of document.querySelectorAll('details:not([data-engine])')) one.open = true; }"
AXE = Axe().axe_script
EVERYTHING = {"resultTypes": ["violations"]}
CONTRAST = {**EVERYTHING, "runOnly": ["color-contrast"]}
# Where axe looks, by language and width. Of its rules only that about contrast depends on the look.
LOOKED_AT: dict[str, dict[int, dict[str, dict[str, Any]]]] = {
    "en": {1280: {"light": EVERYTHING, "contrast": CONTRAST}, 390: {"dark": CONTRAST}},
    "sw": {320: {"light": EVERYTHING}},
}
EVENT = "narok%20open"
BOARDS = ("SURE", "UNSURE", "OTHER", "SILENT", "RELEASED")
SHARES = (("d", 0.7), ("e", 0.2))  # turns that may have been played

# The addresses of each page, in all its states. What is in capitals stands for an id.
PAGES: dict[str, tuple[str, ...]] = {
    "/": ("/",),
    "/analysis": ("/analysis?game=oware",),
    "/appearance": ("/appearance",),
    "/backup": ("/backup",),
    "/boards": ("/boards",),
    "/boards/<board_id>": ("/boards/SURE", "/boards/UNSURE", "/boards/OTHER", "/boards/SILENT", "/boards/RELEASED"),
    "/disputes": ("/disputes",),
    "/events": ("/events",),
    "/events/<path:name>": (f"/events/{EVENT}", "/events/saturday%20cup", "/events/free%20cup"),
    "/events/<path:name>/booklet": (f"/events/{EVENT}/booklet",),
    "/events/<path:name>/cards": ("/events/saturday%20cup/cards",),
    "/events/<path:name>/changes": ("/events/saturday%20cup/changes",),
    "/events/<path:name>/people": (f"/events/{EVENT}/people",),
    "/events/<path:name>/hall": (f"/events/{EVENT}/hall",),
    "/events/<path:name>/plan": (f"/events/{EVENT}/plan", "/events/saturday%20cup/plan"),
    "/events/<path:name>/wall": (f"/events/{EVENT}/wall",),
    "/events/new": ("/events/new",),
    "/finding": (
        "/finding",
        "/finding?game=oware",
        "/finding?game=oware&board=4.4.0.5.4.5/5.5.4.4.4.4%200-0&claimed=c",
        "/finding?game=enkeshui&board=0.3.3.0.3.3.0.3.3.0.3.3/0.3.3.0.3.3.0.3.3.0.4.2%200-0",
    ),
    "/games": ("/games", "/games?player=naisula", "/games?since=never"),
    "/games/<game_id>/analysis": ("/games/ENDED/analysis",),
    "/games/<game_id>/comparison": (
        "/games/ENDED/comparison?rules=enkeshui-wikipedia",
        "/games/ENDED/comparison?rules=bof",
    ),
    "/games/<game_id>/disputes/<int:seq>": ("/games/DISPUTED/disputes/OPEN", "/games/RULED/disputes/CLOSED"),
    "/games/<game_id>/disputes/<int:seq>/board": ("/games/DISPUTED/disputes/OPEN/board",),
    "/games/<game_id>/disputes/<int:seq>/sheet": ("/games/DISPUTED/disputes/OPEN/sheet",),
    "/games/<game_id>/embed": ("/games/LIVE/embed",),
    "/games/<game_id>/live": (
        "/games/LIVE/live",
        "/games/LIVE/live?view=north#more",
        "/games/LONG/live#take-back",
        "/games/LONG/live#note",
        "/games/LONG/live#irregular",
        "/games/DISPUTED/live",
        "/games/UNSURE-GAME/live",
        "/games/SURE-GAME/live",
        "/games/ENDED/live",
        "/games/ENDED/live?names=new#names",
        "/games/NAMELESS/live",
    ),
    "/games/<game_id>/review": (
        "/games/ENDED/review",
        "/games/LONG/review?ply=3&view=north",
        "/games/DISPUTED/review?ply=2",
    ),
    "/games/<game_id>/score-sheet": ("/games/LONG/score-sheet", "/games/NAMELESS/score-sheet"),
    "/games/<game_id>/share": (
        "/games/LIVE/share",
        "/games/NAMELESS/share",
        "/games/LONG/share?ply=3",
        "/games/DISPUTED/share?dispute=OPEN",
    ),
    "/games/new": ("/games/new", "/games/new?game=kalah", "/games/new?game=enkeshui"),
    "/help": ("/help", "/help?q=serial"),
    "/help/<name>": ("/help/drivers", "/help/guide-club"),
    "/import": ("/import",),
    "/join": ("/join",),
    "/join/<code>": ("/join/TABLE", "/join/EVERYONE", "/join/FRIEND"),
    "/matches": ("/matches",),
    "/mine": ("/mine",),
    "/matches/new": ("/matches/new", "/matches/new?game=oware"),
    "/matches/<match_id>": ("/matches/MATCH",),
    "/paper": (
        "/paper",
        "/paper?game=enkeshui&South=Naisula&text=g%3E%3C%20B",
        "/paper?game=oware&text=Amina%20-%20Babu%0A1.%20c%20D%0A2.%20q%20F",
        "/paper?game=kalah&option.pits=none",
    ),
    "/players": ("/players",),
    "/players/<path:name>": ("/players/wanjikũ",),
    "/rules": ("/rules",),
    "/rules/<ruleset_id>": ("/rules/enkeshui", "/rules/bof"),
    "/rules/new": (
        "/rules/new",
        "/rules/new?place=Narok&name=Our+game&source=Ole&makes=2%203&chain=back",
        "/rules/new?pits=99",
    ),
    "/rules/<ruleset_id>/score-sheet": ("/rules/kalah/score-sheet",),
    "/search": ("/search", "/search?q=na", "/search?q=4.4.4.4.4.4/4.4.4.4.4.4%20s"),
    "/sign-in": ("/sign-in?key=none",),
    "/tokens": ("/tokens",),
    "/welcome": ("/welcome",),
}
NOT_PAGES = {
    "/rules/<ruleset_id>.toml",
    "/address",
    "/diagram.png",
    "/diagram.svg",
    "/docs",  # made by Swagger UI, in one language and one look
    "/docs/<name>",
    "/favicon.ico",
    "/games/<game_id>",  # leads to one of two pages
    "/games/<game_id>/card.png",
    "/games/<game_id>/card.svg",
    "/games/<game_id>/qr.svg",
    "/healthz",
    "/help/img/<name>",
    "/metrics",
    "/problems/<name>",  # leads to the manual
    "/readyz",
    "/static/<path:filename>",
}
ERRORS = ("/nothing", "/games/none/live", "/games/new?game=chess")


@pytest.fixture(scope="module")
def club() -> Iterator[Club]:
    with club_of_its_own() as made:
        yield made


@pytest.fixture
def watch(browser: Any, club: Club) -> Iterator[Watch]:
    """A browser whose reader may do everything, and so sees all forms."""
    watching = Watch(browser, club.base, club.session("admin"))
    yield watching
    watching.close()
    assert watching.complaints == []


@pytest.fixture(scope="module")
def ids(club: Club) -> dict[str, str]:
    return fill(club)


def fill(club: Club) -> dict[str, str]:
    """Make games, boards and disputes in all states. Returns what stands for their ids in `PAGES`."""
    games, services = club.games, club.services
    write = Write("api", actor="Naisula")
    ended = club.game(500, "oware", number=1)
    club.game(1, "oware", number=1)  # the next one at its table
    long = club.game(9, number=2, pits=12, setup="triples")
    names = {"South": "Nkatha wa Kirimi na wenzake wa Maralal", "North": "LemurangaLesorogol" * 4}
    games.retag(long, names, write)
    join(games, long, "South", "Wanjikũ", write)
    notes = [Edit(f"e{ply}", "comment", f"[%eval {ply}.5]", ply) for ply in range(6)]
    text = Edit("c", "comment", "a long remark " * 20 + "https://example.org/" + "x" * 80, 3)
    annotate(games, long, [*notes, text, Edit("n", "nag", 4, 3)], write, is_arbiter=True)
    disputed, ruled = club.game(4, number=3), club.game(4, number=4)
    waits = open_dispute(games, disputed, "South", "A pit was skipped", write, games.row(disputed).position)
    propose(games, waits.id, "North", Terms("stands", "fair"), write)
    done = open_dispute(games, ruled, "North", "not so", write)
    rule(games, done.id, Terms("stands", "rightly sown"), Write("api", actor="Koinet"))
    match = services.matches.begin("oware", "games 3", {}, {"South": "Ann", "North": "Ben"}, write)
    for name, format in (("Saturday Cup", "swiss"), ("Free Cup", "free")):
        players = tuple(EventPlayer(id, player) for id, player in enumerate(PLAYERS[:7], 1))
        offered, board = (OfferedGame("bof"), OfferedGame("oware")), TableBoard(2, "/dev/table", serial="NK-100")
        boards = (board,) if format == "swiss" else ()
        event = EventPlan(name, games=offered, players=players, format=format, boards=boards)
        services.events.create(event, Write("api"))
    row = services.events.begin_round("saturday cup", 1, write)
    services.events.change_table("saturday cup", row.version, 1, 1, {"result": "south"}, write)
    at = {name: club.game(2, number=number) for number, name in enumerate(BOARDS, 10)}
    choices = tuple(Choice(move, share, f"{move} was sown over the end", move == "d") for move, share in SHARES)
    refusal = Refusal(3, "2.", "South", "ambiguous", "d", "Several turns fit.", (), {"1": 1}, choices, "0000beef:3")
    heard = [{"text": r"\xff\x00" * 30, "reason": "no checksum"}]
    boards = {
        "SURE": club.board(at["SURE"], message="All is well."),
        "UNSURE": club.board(at["UNSURE"], mend={"1": 1, "5": -2}, refusal=asdict(refusal)),
        "OTHER": club.board(at["OTHER"], state="refused", found="SIM-2", message="Another board."),
        "SILENT": club.board(at["SILENT"], state="gone", port_state="unreadable", heard=heard),
        "RELEASED": club.board(at["RELEASED"]),
    }
    club.log(boards["SURE"], "calibrated", pit=2, ok=True)
    club.log(boards["SURE"], "gap", reason="the board started again " * 9)
    services.boards.release(boards["RELEASED"])
    asked = services.invitations.create("keeper", "Saturday Cup", "2", Write("page", "Naisula"))
    for name in ("Lemayian", "Lemuranga-Lesorogol wa Maralal na Baragoi, Samburu"):
        services.invitations.join(asked.id, name)
    table = services.invitations.create("keeper", "Narok Open", "1", Write("page", "Naisula"))
    nameless = games.create("oware", {}, {}, write).id
    games.end(nameless, "resignation", "South", write)
    friend = services.invitations.create_for_game(nameless, NOBODY)
    everyone = services.invitations.create("watch", "Narok Open", "", Write("page", "Naisula"))
    services.invitations.join(table.id, "Lemuranga-Lesorogol wa Maralal na Baragoi, Samburu")
    services.invitations.join(table.id, "Wanjikũ")
    return {
        **boards, **{f"{name}-GAME": game_id for name, game_id in at.items()}, "ENDED": ended, "LONG": long,
        "LIVE": club.game(4, number=5), "DISPUTED": disputed, "RULED": ruled, "OPEN": str(waits.seq),
        "CLOSED": str(done.seq),
        "MATCH": match.id, "TABLE": table.code, "EVERYONE": everyone.code, "NAMELESS": nameless, "FRIEND": friend.code,
    }  # fmt: skip


def filled(path: str, ids: dict[str, str]) -> str:
    for name in sorted(ids, key=len, reverse=True):
        path = path.replace(name, ids[name])
    return path


@pytest.mark.parametrize("route", [*PAGES, "errors"])
def test_every_page_fits_every_screen_and_everybody_can_use_it(watch, ids, route) -> None:
    watch.expected = ("400", "401", "404", "422")  # of the pages of errors
    faults: list[object] = []
    for language in LOOKED_AT:
        page = watch.open("/appearance", locale=language)
        for shown in PAGES.get(route, ERRORS):
            page.emulate_media(**PLAIN)
            page.goto(watch.base + filled(shown, ids), wait_until="load")
            if not 1_000 < loaded_bytes(page) <= MANY_BOARDS.get(route, MOST_BYTES):
                faults.append((shown, language, loaded_bytes(page)))
            page.evaluate(OPEN_ALL)
            assert page.get_attribute("html", "lang") == language, shown
            faults += faults_of(page, shown, language)
        page.context.close()
    assert faults == []


def faults_of(page: Any, shown: str, language: str) -> list[object]:
    """What is wrong with a page at any width, in any look."""
    faults: list[object] = []
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        wide = page.evaluate("document.documentElement.scrollWidth")
        if wide > width:
            faults.append((shown, language, width, wide))
        for look, options in LOOKED_AT[language].get(width, {}).items():
            page.emulate_media(**{**PLAIN, **LOOKS[look]})
            found = violations(page, options)
            faults += [(shown, look, one["id"], one["nodes"][0]["html"][:200]) for one in found]
        page.emulate_media(**PLAIN)
    return faults


def violations(page: Any, options: dict[str, Any]) -> list[dict[str, Any]]:
    """What axe finds wrong with a page, into which its script is put once: that is half a megabyte."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE)
    run = "([context, options]) => axe.run(context, options)"
    found: list[dict[str, Any]] = page.evaluate(run, [WITHOUT_BOARDS, options])["violations"]
    return found
