import pytest

from inkeek.service.http.problems import is_api_path, problem_types


@pytest.mark.parametrize(
    ("path", "api"),
    [("/api/v1/games", True), ("/api", True), ("/healthz", True), ("/readyz", True), ("/apis", False), ("/", False)],
)
def test_which_paths_answer_with_problems(path, api):
    assert is_api_path(path) is api


def test_no_type_of_problem_is_one_that_no_request_meets():
    from inkeek.service.processes.listening import PortTaken

    assert PortTaken.slug not in problem_types()
