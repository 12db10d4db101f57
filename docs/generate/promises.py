"""The table of docs/promises.md: what the program promises beyond the rules and the notation, and what that costs.

The lines are counted when the page is written, to the nearest hundred: a test compares all but them.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import NamedTuple

from inkeek.service.reference.tables import table

ROOT = Path(__file__).parents[2]
PACKAGES = ("records", "drivers", "firmware_sim", "service")
PAGES = (".html", ".css", ".js")


class Promise(NamedTuple):
    """A row. `kept_by` are patterns of files and folders; a file counts in the first row that names it."""

    what: str
    whom: str
    kept_by: str
    proof: str


PROMISES = (
    Promise(
        "Disputes: claims, evidence, proposals, preview, ruling, appeal, the sheet",
        "players, arbiters",
        "service/disputes service/storage/tables/disputes.py",
        "tests/service/disputes/test_course.py",
    ),
    Promise(
        "Findings: ranked accounts of what happened in a turn",
        "arbiters",
        "records/findings records/kernel/slips.py service/findings service/cli/findings.py",
        "tests/records/findings/test_engine.py",
    ),
    Promise(
        "Proofs of games and disputes that anyone can check, and checkpoints",
        "arbiters, clubs that quarrel",
        "service/proofs service/maintenance/checkpoint.py service/maintenance/signatures.py service/cli/key.py",
        "tests/service/proofs/test_check.py",
    ),
    Promise(
        "The chain of events and the ledger: a change of the past is found, what follows is rebuilt",
        "arbiters, operators",
        "service/storage/integrity service/storage/tables/ledger.py service/boards/desk_process.py "
        "service/games/integrity.py service/maintenance/verify.py",
        "tests/service/storage/integrity/test_damage.py",
    ),
    Promise(
        "Booklets, score sheets and cards that print well",
        "organizers, players",
        "service/booklet service/**/printed_game.css service/**/score_sheet.html "
        "service/**/cards.* service/**/printable.*",
        "tests/service/booklet/test_booklet.py",
    ),
    Promise(
        "Events with rounds: plans, pairings, teams, standings, exports for pairing programs, the hall, the wall",
        "organizers, spectators",
        "service/games/events service/events service/boards/event_tables.py "
        "service/storage/tables/event_plans.py service/**/hall.* service/**/wall.js",
        "tests/e2e/test_evening.py",
    ),
    Promise(
        "Matches of games or of rounds, and the race for the start",
        "players, organizers",
        "records/matches.py records/setups.py service/games/matches service/matches",
        "tests/records/test_matches.py",
    ),
    Promise(
        "Invitations: phones find the service and join with a code, tables are handed over",
        "players, organizers",
        "service/**/invitations.py service/**/joining.py service/**/join.* service/**/people.* "
        "service/**/mine.* service/**/welcome.* service/processes/certificate.py "
        "service/processes/announcement.py service/http/addresses.py",
        "tests/service/http/access/test_invitations.py",
    ),
    Promise(
        "Lists of players and events under all their names; a misspelt one is joined, and a person may be taken out",
        "clubs, researchers",
        "service/**/persons.py service/**/names.* service/**/_names.html service/**/_person.html "
        "service/storage/search.py",
        "tests/service/games/library/test_persons.py",
    ),
    Promise(
        "Paper entry: every character of a sheet is read, or marked and answered",
        "clubs, researchers",
        "records/paper service/paper/api.py service/paper/pages.py service/paper/**/paper.*",
        "tests/records/paper/test_writings.py",
    ),
    Promise(
        "Import and export of many games, each known again",
        "researchers",
        "service/games/library/transfer.py service/games/new_game.py service/**/import*.* "
        "service/library/api.py service/maintenance/archive.py",
        "tests/service/games/test_import.py",
    ),
    Promise(
        "Far boards: one on another machine plays over a bad network, and loses nothing",
        "clubs in several places",
        "service/boards/remote",
        "tests/e2e/boards/test_far.py",
    ),
    Promise(
        "Drivers of others as plug-ins, each board in a process of its own, left alone if they misbehave",
        "makers",
        "drivers/registry.py drivers/gate.py service/boards/quarantine.py service/boards/board_process.py "
        "service/boards/searches.py service/boards/share.py",
        "tests/service/boards/test_board_process.py",
    ),
    Promise(
        "Rooms: parts of the service that can be left out, and those of others, left out by themselves if they fail",
        "clubs, makers",
        "service/room.py service/rooms.py service/http/rooms.py service/http/routes.py",
        "tests/service/test_rooms.py",
    ),
    Promise(
        "Boards and drivers are checked; sessions are recorded and played again",
        "makers, clubs",
        "drivers/conformance service/cli/boards/check.py service/cli/boards/steps.py "
        "firmware_sim/firmware/self_test.py drivers/recording",
        "tests/drivers/conformance/test_board_check.py",
    ),
    Promise(
        "Turns are found from what sensors read, even from bad ones",
        "players at boards",
        "drivers/detection",
        "tests/drivers/detection/test_imperfect_boards.py",
    ),
    Promise(
        "The protocol between board and host: no press is lost, none counts twice",
        "players at boards, makers",
        "drivers/protocol drivers/ports drivers/boards",
        "tests/faults/test_sessions.py",
    ),
    Promise(
        "Boards on this machine: found when plugged in, calibrated, played on, asked when unclear",
        "players at boards",
        "service/boards service/storage/tables/boards.py drivers",
        "tests/e2e/test_chain.py",
    ),
    Promise(
        "Firmware for a microcontroller, and a simulated board with hands that make mistakes",
        "makers, visitors",
        "firmware_sim",
        "tests/firmware_sim/test_device.py",
    ),
    Promise(
        "Endgame tables, and values of starts that are proven and checked twice",
        "researchers",
        "records/analysis/tables.py records/kernel/endgame.py service/cli/tables.py records/analysis/solved.py",
        "tests/records/analysis/test_solved.py",
    ),
    Promise(
        "Engines as programs, and matches between them",
        "researchers, authors of engines",
        "service/engines records/analysis/protocol.py records/analysis/strength.py",
        "tests/service/engines/test_match.py",
    ),
    Promise(
        "Games are analyzed in the background, also by a Dask cluster, and the values written into them",
        "players, researchers",
        "service/jobs service/**/jobs.py service/**/job*.* service/**/game_analysis*.* "
        "service/study/pages.py service/cli/annotate.py records/analysis/annotation.py "
        "service/games/annotations.py",
        "tests/service/jobs/test_runner.py",
    ),
    Promise(
        "Analysis of a position, deeper and deeper",
        "players, researchers",
        "records/analysis records/kernel/searcher.py service/cli/analysis.py "
        "service/study/api.py service/study/answers.py service/study/analyst.py",
        "tests/records/analysis/test_search.py",
    ),
    Promise(
        "The analysis board: variations, what-ifs, set-ups, and which turns were played in a position",
        "players, researchers",
        "service/study service/**/study_explorer.js service/storage/tables/positions.py",
        "tests/service/study/pages/test_study_browser.py",
    ),
    Promise(
        "Review: variations, comments and glyphs, each with who wrote it",
        "players, reviewers",
        "service/review service/games/move_list.py",
        "tests/service/games/test_annotations.py",
    ),
    Promise(
        "Lessons, pages of the rules with their sources, and turns explained in sentences",
        "beginners, researchers, arbiters",
        "records/rules/lessons.py service/games/rules.py service/**/lessons.js "
        "service/**/_lesson.html service/**/rules.html service/**/rules.css service/**/_rule_cards.html "
        "records/explain.py",
        "tests/service/games/pages/test_lessons_browser.py",
    ),
    Promise(
        "The live page: turns wait while there is no connection, irregular turns are laid out",
        "scorekeepers",
        "service/turns service/**/draft.js service/**/forms.js service/**/follow.js service/**/lay_out.css",
        "tests/service/turns/pages/test_entry_offline_browser.py",
    ),
    Promise(
        "Corrections: turns are taken back, ends corrected, games reopened, and nothing is lost of it",
        "arbiters, scorekeepers",
        "service/games/corrections.py service/games/endings.py",
        "tests/service/games/test_corrections.py",
    ),
    Promise(
        "Boards as pictures, links, frames, QR codes, the card for previews",
        "everybody",
        "records/drawing service/**/drawing service/**/*board.css service/**/plain_boards.css "
        "service/sharing service/**/_code.html",
        "tests/records/drawing/test_svg.py",
    ),
    Promise(
        "Pages, messages and boards in English and Swahili",
        "everybody in Kenya",
        "service/translations service/http/language.py records/language.py service/http/web/labels.py",
        "tests/service/translations/test_catalogues.py",
    ),
    Promise(
        "The manual with its search, and one search for everything",
        "everybody",
        "service/reference service/**/manual*.* service/**/search.* service/**/_search.html service/**/found.html",
        "tests/service/library/pages/test_manual.py",
    ),
    Promise(
        "Streams of a game and of a board, and the feed of all: each goes on where it broke off",
        "authors of clients, spectators",
        "service/live service/http/sse.py service/storage/tables/feed.py "
        "service/storage/tables/changes.py service/storage/database/machines.py",
        "tests/service/live/test_feed.py",
    ),
    Promise(
        "A complete OpenAPI document, generated clients, and requests that may be sent again (Idempotency-Key, ETag)",
        "authors of clients",
        "service/http/api/openapi.py service/http/api/operation.py service/http/api/blueprint.py "
        "service/http/shape.py service/http/problems.py service/**/docs.js "
        "service/http/api/idempotency.py service/storage/tables/receipts.py service/http/api/responses.py",
        "tests/service/http/api/test_generators.py",
    ),
    Promise(
        "Browser apps on other origins",
        "authors of clients",
        "service/http/access/guard.py",
        "tests/service/http/access/test_cross_origin.py",
    ),
    Promise(
        "Limits of rate, shares of scarce places, slow clients that hold nobody up",
        "operators",
        "service/http/access/limiter.py service/processes/places.py service/processes/web",
        "tests/e2e/test_attack.py",
    ),
    Promise(
        "Tokens with scopes, limited to a game, a match or an event; sessions; sign-in links",
        "operators, organizers",
        "service/http/access service/accounts service/storage/tables/keys.py "
        "service/cli/tokens.py service/games/rights.py",
        "tests/service/http/access/test_every_operation.py",
    ),
    Promise(
        "Metrics, logs with request ids and without secrets",
        "operators",
        "service/processes/metrics.py service/processes/logs.py service/processes/heartbeats.py "
        "service/processes/system.py service/http/request_log.py service/http/api/health.py",
        "tests/service/processes/test_metrics.py",
    ),
    Promise(
        "A process that ends or is killed is started again, and nothing is lost",
        "operators",
        "service/processes/supervisor.py "
        "service/processes/listening.py service/processes/run_file.py "
        "service/processes/child_process.py",
        "tests/e2e/test_soak.py",
    ),
    Promise(
        "PostgreSQL, and several machines on one database",
        "operators of large halls",
        "service/storage/database/machines.py",
        "tests/e2e/boards/test_machines.py",
    ),
    Promise(
        "Hourly backups, on a stick too; data of earlier versions is upgraded, every byte of its games kept",
        "clubs, operators",
        "service/**/backup*.* service/storage/migrate.py service/storage/migrations",
        "tests/service/storage/test_migrate.py",
    ),
    Promise(
        "A demonstration in one command",
        "visitors",
        "service/demo",
        "tests/service/demo/test_demo.py",
    ),
)


@cache
def sources() -> dict[Path, int]:
    """The files of the packages with their lines."""
    files = (path for package in PACKAGES for path in (ROOT / package).rglob("*"))
    return {path: len(path.read_bytes().splitlines()) for path in files if path.suffix in (".py", *PAGES)}


def files_of(pattern: str) -> set[Path]:
    """The files that a pattern names, with those below the folders that it names."""
    named = ROOT.glob(pattern)
    return {file for path in named for file in (path.rglob("*") if path.is_dir() else (path,))} & sources().keys()


def rounded(lines: int) -> str:
    return f"{round(lines, -2) or lines:,}"


def promises_table(_: str) -> str:
    """Every promise with its lines, and how much of the program that is."""
    left, rows, total = dict(sources()), [], [0, 0]
    for promise in PROMISES:
        kept = {file: left.pop(file) for pattern in promise.kept_by.split() for file in files_of(pattern) & left.keys()}
        pages = sum(lines for file, lines in kept.items() if file.suffix in PAGES)
        counts = sum(kept.values()) - pages, pages
        total = [one + more for one, more in zip(total, counts, strict=True)]
        rows.append((promise.what, promise.whom, *map(rounded, counts), f"`{promise.proof}`"))
    rest = [sum(lines for file, lines in left.items() if (file.suffix in PAGES) == pages) for pages in (False, True)]
    rows.append(("all of these", "", *map(rounded, total), ""))
    rows.append(("what is left: rules, notation, games, and what all share", "", *map(rounded, rest), ""))
    return table(("promise", "for whom", "Python", "pages", "proved by"), rows, right=(2, 3))


PARTS = {"promises": promises_table}
