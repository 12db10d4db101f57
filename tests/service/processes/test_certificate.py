from datetime import UTC, datetime

import pytest
from cryptography.x509 import DNSName, SubjectAlternativeName, load_pem_x509_certificate

from inkeek.service.errors import SettingError
from inkeek.service.processes import certificate, supervisor
from inkeek.service.processes.certificate import LASTS, RENEWED_BEFORE, with_own_certificate
from inkeek.service.processes.supervisor import check_validity
from inkeek.service.settings import Settings


def test_it_names_the_service_and_is_made_again_only_before_it_ends(tmp_path, monkeypatch):
    def made() -> bytes:
        settings = with_own_certificate(Settings(data=str(tmp_path)))
        assert settings.tls_cert == settings.tls_key
        return (tmp_path / "own-certificate.pem").read_bytes()

    first = made()
    read = load_pem_x509_certificate(first)
    names = read.extensions.get_extension_for_class(SubjectAlternativeName).value.get_values_for_type(DNSName)
    assert names == ["localhost"]
    assert RENEWED_BEFORE < read.not_valid_after_utc - datetime.now(UTC) <= LASTS
    assert made() == first
    monkeypatch.setattr(certificate, "RENEWED_BEFORE", LASTS)
    assert made() != first


def test_a_file_that_is_no_certificate_is_replaced(tmp_path):
    (tmp_path / "own-certificate.pem").write_text("x")
    settings = with_own_certificate(Settings(data=str(tmp_path)))
    with open(settings.tls_cert, "rb") as file:
        load_pem_x509_certificate(file.read())


def test_a_certificate_that_is_not_valid_today_is_found(tmp_path, monkeypatch):
    settings = with_own_certificate(Settings(data=str(tmp_path)))
    check_validity(settings)
    for today in (datetime(2020, 1, 1, tzinfo=UTC), datetime.now(UTC) + LASTS):
        monkeypatch.setattr(supervisor, "utc_now", lambda today=today: today)
        with pytest.raises(SettingError, match="own-certificate"):
            check_validity(settings)
