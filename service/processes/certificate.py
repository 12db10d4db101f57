"""A certificate that the service makes for itself, where nobody has given it one: who connects encrypts, and is warned
once that nobody vouches for it."""

from __future__ import annotations

import ipaddress
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from inkeek.service.http.addresses import network_addresses
from inkeek.service.settings import Settings
from inkeek.service.storage.database.files import open_private

LASTS = timedelta(days=397)  # phones refuse what lasts longer
RENEWED_BEFORE = timedelta(days=30)


def own_certificate_path(settings: Settings) -> Path:
    """Where the certificate is, with its key."""
    return settings.data_folder / "own-certificate.pem"


def with_own_certificate(settings: Settings) -> Settings:
    """The settings with the certificate that the service makes for itself. It stays the same for a year, so that
    nobody is warned twice.

    :raises OSError: the file cannot be written.
    """
    path = own_certificate_path(settings)
    if not _is_good(path):
        _make(path)
    return replace(settings, tls_cert=str(path), tls_key=str(path))


def _is_good(path: Path) -> bool:
    with suppress(OSError, ValueError):
        ends = x509.load_pem_x509_certificate(path.read_bytes()).not_valid_after_utc
        return ends - datetime.now(UTC) > RENEWED_BEFORE
    return False


def _make(path: Path) -> None:
    """Write a new certificate for the addresses of this machine, and its key."""
    key, now = ec.generate_private_key(ec.SECP256R1()), datetime.now(UTC)
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Inkeek")])
    addresses = [x509.IPAddress(ipaddress.ip_address(text)) for text in ("127.0.0.1", "::1", *network_addresses())]
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))  # a phone's clock may be behind
        .not_valid_after(now - timedelta(days=1) + LASTS)
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost"), *addresses]), False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), False)
    )
    certificate = builder.sign(key, SHA256())
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_suffix(".new")
    new.unlink(missing_ok=True)
    with open(open_private(new), "wb") as file:
        file.write(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
        file.write(certificate.public_bytes(Encoding.PEM))
    new.replace(path)
