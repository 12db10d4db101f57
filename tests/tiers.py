"""The two tiers of tests. ``make test`` leaves out what is marked `slow` here; ``make test-all`` runs everything.

A test is slow if its name starts with one of `SLOW`; if it uses one of `SLOW_FIXTURES`; or if it runs on
PostgreSQL outside of `DATABASE_TESTS`, where the kind of database does not matter.

Files that begin with one of `LINUX` are left out on other systems. Those that begin with one of `LONGEST` come first,
and those that begin with one of `LAST` when all others have run.
"""

from __future__ import annotations

import pytest

SLOW = (
    "tests/e2e/",
    "tests/faults/",
    "tests/test_wheel.py",
    "tests/records/analysis/tables/test_building.py::test_every_value_of_a_larger_game",
    "tests/records/analysis/test_solving.py::test_it_proves_larger_games",
    "tests/records/kernel/test_kernel.py::test_both_twins_sow_as_the_reference_does[20000",
    "tests/records/notation/test_second_reader.py",
    "tests/records/rules/test_properties.py::test_the_kernels_sow_every_turn_alike",
    "tests/docs/test_benchmarks.py::test_a_benchmark_runs",
    "tests/docs/test_commands.py",
    "tests/docs/test_contributing.py",
    "tests/docs/test_guide_operator.py",
    "tests/docs/test_generated.py::test_a_page_is_what_the_code_generates[protocol.md]",
    "tests/docs/test_cli.py::test_examples_print_what_the_page_shows[$ inkeek demo",
    "tests/service/boards/test_desk.py::test_a_board_that_breaks_again_and_again",
    "tests/service/boards/test_exchanged.py::test_a_",
    "tests/service/boards/test_board_process.py::test_drivers_that_misbehave",
    "tests/service/boards/test_exchanged.py::test_another",
    "tests/service/cli/test_import_killed.py",
    "tests/service/demo/test_demo.py::test_a_demonstration",
    "tests/service/demo/test_demo.py::test_a_mistake",
    "tests/service/engines/test_client.py::test_no_fault_hangs_the_host[flood",
    "tests/service/engines/test_match.py::test_a_fault",
    "tests/service/engines/test_match.py::test_an_engine_that_takes",
    "tests/service/engines/test_match.py::test_openings",
    "tests/service/games/test_plies.py::test_any_record_without_remarks",
    "tests/service/games/test_entrances.py::test_what_an_import_takes",
    "tests/service/games/test_model.py",
    "tests/service/http/api/test_generators.py",
    "tests/service/http/api/test_schema.py",
    "tests/service/jobs/test_dask.py",
    "tests/service/jobs/test_runner.py::test_a_killed_worker",
    "tests/service/proofs/test_check.py::test_every_change",
    "tests/service/processes/test_listening.py::test_a_restart",
    "tests/service/processes/test_supervisor.py::test_a_process_that_is_killed",
    "tests/service/processes/test_supervisor.py::test_all_processes_end",
    "tests/service/processes/test_supervisor.py::test_a_request_waits",
    "tests/service/processes/test_supervisor.py::test_killed_processes",
    "tests/service/processes/test_supervisor.py::test_phones",
    "tests/service/processes/test_supervisor.py::test_a_service_that_cannot_start",
    "tests/service/processes/web/test_slow_clients.py::test_a_client_that_reads_a_byte",
    "tests/service/processes/web/test_slow_clients.py::test_a_stalled_tls",
    "tests/service/processes/web/test_slow_clients.py::test_slow_clients_and_streams",
    "tests/service/processes/web/test_slow_clients.py::test_the_service_stops",
    "tests/service/processes/test_web_server.py",
    "tests/service/processes/test_whole_log.py",
    "tests/service/test_rooms.py::test_the_core_passes",
)
# They use pseudo-terminals, signals, `/proc` or the module `resource`.
LINUX = (
    "tests/docs/test_benchmarks.py",
    "tests/docs/test_commands.py",
    "tests/docs/test_guide_operator.py",
    "tests/drivers/boards/test_standard.py",
    "tests/drivers/ports/",
    "tests/drivers/recording/test_file.py",
    "tests/drivers/test_registry.py",
    "tests/e2e/",
    "tests/faults/",
    "tests/firmware_sim/test_cable.py",
    "tests/firmware_sim/test_cli.py",
    "tests/foreign_board/",
    "tests/service/boards/remote/test_spool.py",
    "tests/service/boards/test_desk.py",
    "tests/service/boards/test_foreign_drivers.py",
    "tests/service/boards/test_board_process.py",
    "tests/service/cli/test_signals.py",
    "tests/service/demo/",
    "tests/service/jobs/test_dask.py",
    "tests/service/processes/test_child_process.py",
    "tests/service/processes/test_listening.py",
    "tests/service/processes/test_restarts.py",
    "tests/service/processes/test_supervisor.py",
    "tests/service/processes/test_whole_log.py",
    "tests/service/storage/database/test_files.py",
)
# The tests of a file run in one process, which shares what they set up. No process may be left with these at the end.
LONGEST = (
    "tests/e2e/test_attack.py",
    "tests/service/http/api/test_schema.py",
    "tests/test_wheel.py",
    "tests/service/boards/test_board_process.py",
    "tests/service/http/web/test_every_page_browser.py",
    "tests/e2e/",
    "tests/docs/test_benchmarks.py",
    "tests/docs/test_guide_operator.py",
    "tests/service/processes/",
    "tests/service/http/web/",
)
# They run recipes, generators of clients and proxies, and seldom find what no other test has found.
LAST = (
    "tests/docs/test_contributing.py",
    "tests/e2e/deploy/",
    "tests/e2e/test_generated_client.py",
    "tests/service/http/api/test_generators.py",
)
SLOW_FIXTURES = {"browser", "micropython"}
DATABASE_TESTS = "tests/service/storage/"


def is_slow(item: pytest.Item) -> bool:
    """Return whether a test belongs to the second tier only."""
    if item.nodeid.startswith(SLOW):
        return True
    if SLOW_FIXTURES.intersection(getattr(item, "fixturenames", ())):
        return True
    parameters = item.callspec.params if isinstance(item, pytest.Function) and hasattr(item, "callspec") else {}
    return parameters.get("database_kind") == "postgresql" and not item.nodeid.startswith(DATABASE_TESTS)


def is_slow_file(path: str) -> bool:
    """Return whether all tests of a file, by its path in the project, belong to the second tier only."""
    return path.startswith(tuple(name for name in SLOW if "::" not in name)) or path.endswith("_browser.py")


def place(path: str) -> int:
    """Return a number by which test files are ordered: small for those whose tests take longest, largest for `LAST`."""
    if path.startswith(LAST):
        return len(LONGEST) + 1
    return next((number for number, start in enumerate(LONGEST) if path.startswith(start)), len(LONGEST))


def needs_linux(path: str) -> bool:
    """Return whether a test file, by its path in the project, can be run on Linux only."""
    return path.startswith(LINUX)
