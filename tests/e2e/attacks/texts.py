"""Attacks with texts: names and comments that are long, or are code, in everything that shows them."""

from urllib.parse import quote

from .target import API, Target

MARKUP = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>"
NAMES = {
    "accents": "é" * 400,
    "ideographs": "漢" * 350,
    "emoji": "👩‍👩‍👧" * 250,
    "markup": MARKUP,
    "right to left": "مانكالا " * 200,
    "one line": "x" * 2000,
    "combining": "e" + "\u0301" * 900,
    "path": "../../../etc/passwd%00\\..\\",
}
PAGES = (
    "/",
    "/games",
    "/players",
    "/events",
    "/disputes",
    "/matches",
    "/games/{game}",
    "/games/{game}/live",
    "/games/{game}/review",
    "/games/{game}/embed",
    "/games/{game}/card.svg",
    "/games/{game}/share",
    "/games/{game}/qr.svg",
    "/games/{game}/analysis",
    "/games/{game}/disputes/{seq}",
    "/games/{game}/disputes/{seq}/sheet",
    "/games/{game}/score-sheet",
    "/events/{event}",
    "/events/{event}/booklet",
    "/events/{event}/hall",
    "/events/{event}/wall",
    "/players/{event}",
    f"{API}/games/{{game}}.pmn",
    f"{API}/games/{{game}}/replay",
    f"{API}/games?event={{event}}",
    f"{API}/feed?format=ndjson&event={{event}}",
    f"{API}/games/export.pmn?event={{event}}",
)


def long_names(target: Target) -> None:
    """Names that are long, or are code, stand in every page, feed, SVG and QR code."""
    for name in NAMES.values():
        tags = {"Event": name, "Round": name, "Site": name, "South": name, "North": name[:1999] + "2"}
        game = target.new_game(**tags)
        note = {"add": [{"ply": 0, "comment": name}]}
        target.made("POST", f"{API}/games/{game}/turns", target.key, {"move": "a"})
        target.made("POST", f"{API}/games/{game}/annotations", target.key, note)
        dispute = {"side": "South", "claim": name, "by": name[:200]}
        seq = target.made("POST", f"{API}/games/{game}/disputes", target.key, dispute)["seq"]
        for page in PAGES:
            path = page.format(game=game, seq=seq, event=quote(name, safe=""))
            answer = target.ask("GET", path, target.key)
            kind = answer.headers.get("content-type", "")
            if kind.startswith(("text/html", "image/svg")) and (
                "<script>alert" in answer.text or "<img src=x" in answer.text
            ):
                target.fault(f"{path[:100]}: a name stands there as code")
            if kind.startswith("text/html") and "content-security-policy" not in answer.headers:
                target.fault(f"{path[:100]}: no Content-Security-Policy")
