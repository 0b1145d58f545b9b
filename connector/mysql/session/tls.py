"""TLS towards the database, in the words of ``database.ssl.mode``."""

from __future__ import annotations

import ssl
import tempfile
from dataclasses import dataclass
from pathlib import Path

from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
)
from cryptography.hazmat.primitives.serialization.pkcs12 import PKCS12KeyAndCertificates
from cryptography.hazmat.primitives.serialization.pkcs12 import load_pkcs12 as read_pkcs12

from connector.errors import ConfigError

_JKS_MAGIC = bytes.fromhex("feedfeed")
_VERIFYING = ("verify_ca", "verify_identity")


@dataclass(frozen=True, slots=True)
class Tls:
    """How to encrypt.

    ``mode`` is one of ``disabled``, ``preferred``, ``required``, ``verify_ca`` and
    ``verify_identity``. A store is a PEM or PKCS12 file.
    """

    mode: str = "preferred"
    keystore: str | None = None
    keystore_password: str | None = None
    truststore: str | None = None
    truststore_password: str | None = None

    @property
    def required(self) -> bool:
        """Whether a connection without encryption is refused."""
        return self.mode not in ("disabled", "preferred")


def context(tls: Tls) -> ssl.SSLContext | None:
    """Build the context for a connection, None when there is to be no encryption.

    :raises ConfigError: when a store cannot be read.
    """
    if tls.mode == "disabled":
        return None
    made = ssl.create_default_context()
    made.verify_flags &= ~ssl.VERIFY_X509_STRICT  # MySQL's own certificates lack extensions
    made.check_hostname = tls.mode == "verify_identity"
    made.verify_mode = ssl.CERT_REQUIRED if tls.mode in _VERIFYING else ssl.CERT_NONE
    if tls.truststore:
        made.load_verify_locations(cadata=_authorities(tls.truststore, tls.truststore_password))
    if tls.keystore:
        _load_identity(made, tls.keystore, tls.keystore_password)
    return made


def _authorities(path: str, password: str | None) -> str:
    content = _read(path, "database.ssl.truststore")
    if content.lstrip().startswith(b"-----BEGIN"):
        return content.decode("ascii")
    store = _pkcs12(content, password, "database.ssl.truststore", path)
    found = [store.cert, *store.additional_certs]
    return "".join(
        entry.certificate.public_bytes(Encoding.PEM).decode("ascii") for entry in found if entry
    )


def _load_identity(made: ssl.SSLContext, path: str, password: str | None) -> None:
    content = _read(path, "database.ssl.keystore")
    if content.lstrip().startswith(b"-----BEGIN"):
        made.load_cert_chain(path, password=password)
        return
    store = _pkcs12(content, password, "database.ssl.keystore", path)
    if store.key is None or store.cert is None:
        raise ConfigError(f"database.ssl.keystore={path} holds no key with a certificate")
    encryption = BestAvailableEncryption(password.encode()) if password else NoEncryption()
    chain = [store.cert, *store.additional_certs]
    pem = store.key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, encryption)
    pem += b"".join(entry.certificate.public_bytes(Encoding.PEM) for entry in chain)
    # the ssl module reads a key from a file only; the file is private and gone at once
    with tempfile.NamedTemporaryFile() as file:
        file.write(pem)
        file.flush()
        made.load_cert_chain(file.name, password=password)


def _read(path: str, key: str) -> bytes:
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        raise ConfigError(f"{key}={path} cannot be read: {error.strerror}") from error
    if content.startswith(_JKS_MAGIC):
        raise ConfigError(
            f"{key}={path} is a JKS store, which only Java reads. Convert it: keytool "
            f"-importkeystore -srckeystore {path} -destkeystore store.p12 -deststoretype PKCS12"
        )
    return content


def _pkcs12(content: bytes, password: str | None, key: str, path: str) -> PKCS12KeyAndCertificates:
    try:
        return read_pkcs12(content, password.encode() if password else None)
    except ValueError as error:
        raise ConfigError(
            f"{key}={path} is no PEM or PKCS12 store, or its password is wrong"
        ) from error
