import re
from dataclasses import replace

import pytest

from inkeek.service.errors import SettingError
from inkeek.service.settings import ROLES, Settings, as_environ, is_loopback, read_settings


def test_defaults_are_within_their_own_bounds():
    assert read_settings({}) == Settings()


def test_a_flag_wins_over_the_environment_and_none_is_not_given():
    environ = {"INKEEK_PORT": "9000", "INKEEK_THREADS": "20", "PATH": "/bin"}
    settings = read_settings(environ, {"port": 9001, "threads": None})
    assert (settings.port, settings.threads) == (9001, 20)


@pytest.mark.parametrize(
    ("environ", "quoted"),
    [
        ({"INKEEK_PORTS": "1"}, "'INKEEK_PORTS'; did you mean 'port'"),
        ({"INKEEK_PORT": "http"}, "INKEEK_PORT is 'http'"),
        ({"INKEEK_PORT": "70000"}, "INKEEK_PORT is '70000': expected 0 to 65535"),
        ({"INKEEK_TIME_ZONE": "Nairobi"}, "time_zone is 'Nairobi'"),
        ({"INKEEK_TIME_ZONE": "../../etc/passwd"}, "time_zone is '../../etc/passwd'"),
        ({"INKEEK_STREAM_POLL": "nan"}, "INKEEK_STREAM_POLL is 'nan'"),
        ({"INKEEK_TLS_KEY": "key.pem"}, "tls_cert"),
        *(
            ({"INKEEK_ALLOWED_ORIGINS": f"https://app.example,{origin}"}, f"allowed_origins names {origin!r}")
            for origin in ("*", "https://app.example/", "https://App.example", "app.example", "https://app.example:443")
        ),
        ({"INKEEK_LOG_FORMAT": "xml"}, "INKEEK_LOG_FORMAT is 'xml': expected text, json"),
        ({"INKEEK_CONFIG": "/nowhere/settings.toml"}, "config is '/nowhere/settings.toml': "),
        (
            {"INKEEK_DATABASE": "postgresql:///x", "INKEEK_MAX_CONNECTIONS": "11", "INKEEK_WORKERS": "2"},
            "max_connections is 11, but 2 workers need at least 12",
        ),
        ({"INKEEK_ROLES": ""}, "roles is '': expected one or more of web, desk, jobs"),
        ({"INKEEK_ROLES": "web, dask"}, "roles is 'web, dask'"),
        ({"INKEEK_DATA": "club\udcff"}, r"data is 'club\udcff'"),
    ],
)
def test_wrong_settings_are_refused(environ, quoted):
    with pytest.raises(SettingError, match=re.escape(quoted)):
        read_settings(environ)


def test_a_file_is_read_and_the_environment_and_flags_win_over_it(tmp_path):
    path = tmp_path / "settings.toml"
    path.write_text('port = 9000\nthreads = 20\nrate = 5\nlog_format = "json"\n')
    settings = read_settings({"INKEEK_CONFIG": str(path), "INKEEK_THREADS": "21"}, {"port": 9002})
    assert (settings.port, settings.threads, settings.rate, settings.log_format) == (9002, 21, 5.0, "json")
    assert read_settings({}, {"config": str(path)}).port == 9000
    path.write_text("workerz = 2\n")  # it is edited while the processes start
    assert read_settings({"INKEEK_CONFIG": str(path), **as_environ(settings)}) == replace(settings, config="")


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        ("prot = 1", "'prot' in {path}; did you mean 'port'"),
        ("port = 70000", "port (in {path}) is 70000: expected 0 to 65535"),
        ("port = true", "port (in {path}) is True"),
        ("port = 80.5", "port (in {path}) is 80.5"),
        ("host = 127", "host (in {path}) is 127"),
        ("port 80", "config is '{path}': "),
        ("[service]\nport = 80", "'service' in {path}"),
        ('config = "other.toml"', "{path}: config"),
        ("# " + "x" * (1 << 20), "1048576"),
        ("port = " + "[" * 10_000, "config is '{path}'"),
    ],
)
def test_wrong_settings_in_a_file_are_refused(tmp_path, text, quoted):
    path = tmp_path / "settings.toml"
    path.write_text(text)
    with pytest.raises(SettingError, match=re.escape(quoted.format(path=path))):
        read_settings({}, {"config": str(path)})


def test_allowed_hosts_are_separated_by_commas():
    settings = read_settings({}, {"allowed_hosts": "games.example.org, Other.example"})
    assert settings.served_names == {"games.example.org", "other.example"}


@pytest.mark.parametrize(("flags", "local"), [({}, True), ({"host": "0.0.0.0"}, False), ({"proxies": 1}, False)])
def test_a_service_that_others_can_reach_is_not_local(flags, local):
    assert read_settings({}, flags).is_local == local


def test_a_child_reads_the_same_settings():
    settings = read_settings({}, {"port": 8123, "stream_poll": 0.05, "data": "/somewhere"})
    assert read_settings(as_environ(settings)) == settings


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "127.1.2.3", "::1", "[::1]"])
def test_loopback(host):
    assert is_loopback(host)


@pytest.mark.parametrize("threads", [4, 5, 6, 7, 8, 16, 512])
def test_requests_that_wait_leave_a_thread_to_others(threads):
    settings = read_settings({}, {"threads": threads, "max_findings": 100})
    assert settings.finding_threads >= 1
    assert settings.waiting_threads + settings.finding_threads < threads


@pytest.mark.parametrize("workers", [1, 2, 9])
def test_the_least_connections_are_enough_for_all_processes(workers):
    least = 4 + 4 * workers
    settings = read_settings({}, {"workers": workers, "max_connections": least, "database": "postgresql:///x"})
    assert settings.web_connections >= 1
    of_web = workers * (settings.web_connections + 1)
    assert of_web + settings.desk_connections + settings.jobs_connections <= least


def test_a_part_that_does_not_run_here_takes_no_connections():
    alone = {role: read_settings({}, {"roles": f" {role}"}) for role in ROLES}
    assert {role for role, settings in alone.items() if settings.desk_connections} == {"desk"}
    assert {role for role, settings in alone.items() if settings.jobs_connections} == {"jobs"}
    assert alone["web"].web_connections == alone["web"].max_connections - 1
