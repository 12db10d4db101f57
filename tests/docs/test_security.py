"""docs/security.md: what proves each row, and that the settings in it exist."""

from __future__ import annotations

import ast
import functools
import re

from inkeek.service.settings import NAMES
from tests.docs.pages import ROOT, page, rows, section
from tests.e2e.attack import ATTACKS

PROMISES = list(rows(section(page("security.md"), "The web server")))
ABUSES = list(rows(section(page("security.md"), "Abuses")))

# By the row of the page: tests, below tests/, and `attack: NAME` for one of tests/e2e/test_attack.py.
PROOFS = {
    "taking a token over with its old secret": ["attack: old-secret"],
    "moving a game into or out of a limit": [
        "service/http/access/test_limits.py::test_a_token_for_an_event_moves_no_game_out_of_it_or_into_it",
        "attack: limited-key",
    ],
    "storing an event under another name": [
        "service/http/access/test_caller.py::test_the_source_of_an_event_names_the_key"
    ],
    "guessing a secret from the length of compressed pages": [
        "service/http/test_compression.py::test_a_compressed_page_with_an_echo_has_no_secret_that_stays_the_same"
    ],
    "arbitrary requests": [
        "service/http/api/test_schema.py::test_the_service_is_as_its_document_says",
        "service/http/api/test_text_fields.py::test_texts_names_and_notes_have_the_characters_that_are_checked",
    ],
    "calling an operation without its scope": [
        "docs/test_access.py::test_the_running_application_keeps_the_table_for_every_route",
        "service/http/access/test_guard.py::test_a_view_without_a_scope_keeps_the_application_from_starting",
    ],
    "using an old, expired, revoked or wrong key": [
        "service/http/access/test_every_operation.py::test_every_kind_of_key_at_every_route",
        "service/accounts/test_tokens.py::test_a_secret_in_its_grace_does_nothing_about_keys",
    ],
    "learning what is outside a key's limit": [
        "service/http/access/test_every_operation.py::test_what_is_hidden_is_answered_as_what_does_not_exist"
    ],
    "counting a game elsewhere": [
        "service/http/access/test_limits.py::test_a_token_for_a_game_or_a_match_does_not_change_where_it_counts"
    ],
    "reading on after a right has ended": ["service/http/access/test_endings.py::test_a_stream_ends_with_its_right"],
    "using up a link or an invitation by fetching it": [
        "service/http/access/test_guard.py::test_fetching_a_link_does_not_use_it_up_and_no_other_site_can",
        "service/accounts/pages/test_joining.py::test_the_preview_of_a_chat_uses_nothing_up",
    ],
    "using up the invitations, or places of guests, of all events": [
        "service/http/access/test_invitations.py::test_no_event_takes_the_invitations_and_guests_of_all"
    ],
    "guessing the code of an invitation": [
        "service/http/access/test_limiter.py::test_at_the_highest_rate_that_is_let_through_nobody_guesses_a_code",
        "service/accounts/pages/test_joining.py::test_a_code_can_be_typed_and_guessing_is_stopped",
    ],
    "writing at another table": [
        "service/http/access/test_every_operation.py::test_what_a_guest_can_and_cannot_do",
        "service/accounts/pages/test_joining.py::test_a_phone_follows_its_player_and_that_of_a_scorekeeper_its_table",
    ],
    "keeping a right that its giver has lost, or giving more than one has": [
        "service/http/access/test_invitations.py::test_what_an_organizer_gave_ends_with_the_organizer"
    ],
    "guessing a token": [
        "service/http/access/test_guard.py::test_guessing_keys_is_limited_by_address",
        "attack: guessed-tokens",
    ],
    "reading keys from the database or the log": [
        "service/http/access/test_keys.py::test_only_the_hash_of_a_secret_is_stored",
        "service/processes/test_logs.py::test_no_secret_stands_in_a_line_or_in_a_traceback",
    ],
    "using a link twice": ["service/http/access/test_keys.py::test_a_link_followed_many_times_at_once_signs_in_once"],
    "stealing a session by a script": [
        "service/http/access/test_guard.py::test_a_link_signs_in_once_and_scripts_cannot_read_the_cookie"
    ],
    "getting an administrator's cookie at another port of this machine": [
        "service/http/access/test_guard.py::test_an_administrators_cookie_alone_administers_nothing"
    ],
    "using a session after its end": ["service/http/access/test_guard.py::test_signing_out_ends_the_session_for_good"],
    "writing from another site's page": [
        "service/http/access/test_guard.py::test_a_browser_writes_only_with_its_sessions_csrf_token",
        "attack: stolen-session",
    ],
    "using the API from any site's page": ["service/http/access/test_cross_origin.py::test_no_other_origin_is_let_in"],
    "DNS rebinding": ["service/http/access/test_guard.py::test_only_the_services_own_names_are_served"],
    "posing as local through a proxy": [
        "service/http/access/test_guard.py::test_forwarded_headers_count_only_with_the_setting_proxies"
    ],
    "seeing a code for another device, or using it later": [
        "service/http/access/test_devices.py::test_another_device_has_the_same_right_once_and_no_longer_than_the_first"
    ],
    "endless or many large bodies, without a key or with many": [
        "service/processes/web/test_requests.py::test_a_request_is_refused_on_its_headers",
        "attack: unread-bodies",
    ],
    "opening and closing hundreds of streams": [
        "service/processes/web/test_connection.py::test_who_asks_after_the_client_hung_up_is_told_at_once",
        "attack: streams-again",
        "attack: streams-at-once",
    ],
    "large bodies that take long to refuse, or lock the database": [
        "service/http/api/test_bodies.py::test_an_object_with_very_many_names_is_refused_as_one",
        "service/http/api/test_idempotency.py::test_a_body_is_read_before_others_wait_for_the_transaction",
    ],
    "very long tags in lists and standings": ["service/games/test_validation.py::test_tags_are_bounded_together"],
    "large requests that are refused late": ["attack: flood-earlier", "attack: flood-annotations"],
    "long analyses and findings": ["service/processes/workers/test_calculator.py::test_what_takes_too_long_is_ended"],
    "standings, exports and feeds of many games": ["attack: flood-standings"],
    "records that take long to check": ["records/fuzzing/test_hostile.py::test_work_is_in_proportion_to_size"],
    "locking the database from outside": [
        "service/storage/database/test_locked.py::test_few_threads_wait_for_a_locked_database_and_the_others_are_refused"
    ],
    "endless headers and trailers": [
        "service/processes/web/test_requests.py::test_what_can_be_read_in_two_ways_is_refused_and_nothing_behind_it_is_heard"
    ],
    "slow headers, bodies and readers": [
        "service/processes/web/test_slow_clients.py::test_a_client_that_reads_a_byte_now_and_then_is_given_up",
        "attack: slow-clients",
        "attack: unread-exports",
    ],
    "many requests": [
        "service/processes/web/test_requests.py::test_who_asks_again_at_once_waits_for_the_refusal",
        "service/http/access/test_guard.py::test_a_remote_client_above_the_rate_limit_is_told_when_to_try_again",
    ],
    "many imports at once": [
        "service/processes/workers/test_importer.py::test_no_more_imports_run_or_wait_than_there_are_places"
    ],
    "booklets of large events": [
        "service/booklet/test_booklet.py::test_a_booklet_of_too_many_games_is_refused_and_one_of_a_round_is_not"
    ],
    "taking all streams, findings, analyses, imports or places in a queue": [
        "service/processes/test_places.py::test_one_who_is_alone_gets_most_places_and_leaves_some_for_others",
        "attack: all-streams",
        "attack: all-analyses",
        "attack: all-findings",
        "attack: all-imports",
    ],
    "jobs of many long games, or whose workers die": [
        "service/jobs/test_runner.py::test_a_job_is_started_without_its_games_being_read"
    ],
    "many page requests while others play": [
        "attack: flood-start-page",
        "attack: flood-help",
        "attack: flood-live-page",
        "attack: flood-explorer",
        "attack: flood-standings",
    ],
    "code in names and comments": [
        "service/disputes/pages/test_pages.py::test_nothing_that_is_said_becomes_markup",
        "attack: long-names",
    ],
    "names that seem to be others": [
        "service/games/test_validation.py::test_a_name_that_cannot_stand_in_a_record_is_refused",
        "service/storage/test_search.py::test_a_name_in_letters_of_another_script_is_found",
    ],
    "forged log lines, or terminal commands": [
        "service/http/test_request_log.py::test_a_path_cannot_begin_a_line_of_its_own",
        "service/http/api/test_text_fields.py::test_texts_names_and_notes_have_the_characters_that_are_checked",
    ],
    "a page or script as a photograph": [
        "service/disputes/test_evidence_api.py::test_what_is_no_photograph_is_refused"
    ],
    "showing photographs to everybody": [
        "service/disputes/test_evidence_api.py::test_only_arbiters_see_a_photograph_until_one_releases_it"
    ],
    "filling the disk, or the room of all": [
        "service/disputes/test_evidence_api.py::test_photographs_are_bounded_and_a_repeated_request_adds_none"
    ],
    "a small file with a picture that takes all memory": [
        "service/disputes/test_evidence_api.py::test_what_is_no_photograph_is_refused"
    ],
    "replacing one in the database": [
        "service/disputes/test_evidence_api.py::test_a_check_notices_a_photograph_that_was_changed_or_is_missing"
    ],
    "a driver that blocks, crashes, grows, floods or errs": [
        "service/boards/test_board_process.py::test_drivers_that_misbehave_are_ended_and_named_and_others_play_on"
    ],
    "a device at a port that is no board": [
        "service/boards/test_exchanged.py::test_a_free_board_is_found_and_each_port_is_asked_once"
    ],
    "a forged remote board": [
        "service/boards/remote/test_api.py::test_what_no_board_says_or_the_service_judges_otherwise_is_refused_whole",
        "attack: forged-board",
    ],
    "claiming another board's serial number": [
        "service/boards/test_claims.py::test_a_far_board_that_says_the_serial_number_of_another_stops_nobody"
    ],
    "impossible events": ["drivers/test_gate.py::test_another_event_that_does_not_fit_is_dropped"],
    "replaying old events": [
        "service/boards/remote/test_api.py::test_a_report_is_done_once_and_answered_with_what_is_new"
    ],
    "senseless presses, floods of events": [
        "service/boards/test_searches.py::test_a_board_that_has_used_up_its_share_gets_no_search_until_later",
        "service/boards/controller/test_overtaken.py::test_of_many_senseless_presses_only_the_last_of_each_side_is_searched",
    ],
    "flooding with reports of a remote board": [
        "service/boards/remote/test_api.py::test_a_board_that_reports_too_much_waits"
    ],
    "binding boards with a limited key": [
        "service/http/access/test_limits.py::test_a_limited_key_opens_no_port_that_is_not_a_serial_one",
        "service/http/access/test_limits.py::test_a_board_is_bound_only_to_a_game_within_the_limit",
    ],
    "ruling on the appeal against one's own ruling, or in one's own game": [
        "service/disputes/test_arbiters.py::test_who_ruled_does_not_rule_on_the_appeal_with_a_device_they_signed_in"
    ],
    "speaking for the other side": [
        "service/disputes/test_arbiters.py::test_nobody_opens_changes_or_withdraws_a_dispute_of_the_other_side"
    ],
    "a backup with a trigger that gives rights": [
        "service/maintenance/test_verify.py::test_what_was_added_to_the_tables_is_named_and_nothing_is_written_before"
    ],
    "losing turns by killing processes": [
        "e2e/test_crash.py::test_acknowledged_events_are_stored_once_after_every_crash"
    ],
    "replacing the database's file": [
        "service/storage/integrity/test_damage.py::test_a_file_that_is_not_the_same_any_more_is_not_written"
    ],
    "changing a signed proof": ["service/proofs/test_check.py::test_every_change_of_every_value_is_found"],
    "reusing another proof's signature": [
        "service/proofs/test_check.py::test_a_signature_of_another_proof_is_found",
        "attack: replayed-proof",
    ],
    "rewriting the past in the database": [
        "service/proofs/test_check.py::test_who_has_the_database_but_not_the_key_is_found"
    ],
    "a stalled TLS handshake has a deadline, and delays nobody": [
        "service/processes/web/test_slow_clients.py::test_a_stalled_tls_handshake_stops_nobody"
    ],
    "ambiguous requests (lengths, codings, hosts, keys) are refused, with all that follows": [
        "service/processes/web/test_requests.py::test_what_can_be_read_in_two_ways_is_refused_and_nothing_behind_it_is_heard"
    ],
    "a request line has at most 4,094 bytes, a request 100 headers of 8,190 bytes": [
        "service/processes/test_web_server.py::test_what_the_web_server_refuses_is_a_problem_and_closes_the_connection"
    ],
    "at a stop, streams end, running requests are answered, slow clients are not waited for": [
        "service/processes/test_web_server.py::test_a_service_that_is_stopped_ends_its_streams_and_loses_nothing",
        "service/processes/web/test_slow_clients.py::test_the_service_stops_soon_with_clients_that_are_slow",
    ],
    "a web server that ends is restarted, and requests wait meanwhile": [
        "service/processes/test_supervisor.py::test_a_process_that_is_killed_is_started_again"
    ],
    "with systemd's socket a restart refuses nobody; it loses nothing": [
        "service/processes/test_listening.py::test_a_restart_refuses_nobody_with_the_socket_of_systemd_and_loses_nothing_without"
    ],
}


@functools.cache
def names_in(path: str) -> set[str]:
    """The names of the tests in a file."""
    tree = ast.parse((ROOT / "tests" / path).read_text("utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")}


def test_every_row_has_a_test_that_is_there():
    assert ABUSES
    assert sorted(row[0] for row in (*ABUSES, *PROMISES)) == sorted(PROOFS)
    for row, tests in PROOFS.items():
        assert tests, row
        for test in tests:
            if not test.startswith("attack: "):
                path, name = test.split("::")
                assert name in names_in(path), f"{row}: {test}"


def test_every_attack_stands_at_a_row_and_no_other():
    named = {test for tests in PROOFS.values() for test in tests if test.startswith("attack: ")}
    assert named == {f"attack: {name}" for name in ATTACKS}


def test_every_setting_that_bounds_an_abuse_is_one():
    assert {setting for row in ABUSES for setting in re.findall(r"`([a-z_]+)`", row[1])} <= set(NAMES)
