"""Key and trust stores: PEM as it is, PKCS#12 read, JKS refused."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from cryptography.hazmat.primitives.serialization.pkcs12 import PKCS12KeyAndCertificates

from connector.errors import ConfigError

_LARGEST_STORE: Final = 1 << 20
_JKS_MAGIC: Final = b"\xfe\xed\xfe\xed"
_TRUST: Final = "ssl.truststore"
_KEYS: Final = "ssl.keystore"


def is_pem(key: str, location: str) -> bool:
    """Distinguish PEM from PKCS#12 by the content, since Java's type JKS reads PKCS#12 too.

    :raises ConfigError: the store cannot be read, or is JKS.
    """
    content = _read_store(key, location)
    if content.startswith(_JKS_MAGIC):
        raise ConfigError(
            f"Invalid value {location} for configuration {key}: JKS stores can be read by Java "
            "only. Convert it: keytool -importkeystore -srckeystore OLD -destkeystore NEW.p12 "
            "-deststoretype PKCS12."
        )
    return b"-----BEGIN " in content


def trusted_pem(location: str, password: str | None) -> str:
    """Return the certificates of a PKCS#12 trust store in PEM.

    :raises ConfigError: it is not PKCS#12, or the password is wrong.
    """
    return _certificates(_load(_TRUST, location, password))


def identity_pem(location: str, password: str | None) -> str:
    """Return the key, unencrypted, and the certificate chain of a PKCS#12 key store in PEM.

    :raises ConfigError: it is not PKCS#12, the password is wrong, or it holds no key.
    """
    from cryptography.hazmat.primitives.serialization import (  # noqa: PLC0415 — 15 ms, rarely used
        Encoding,
        NoEncryption,
        PrivateFormat,
    )

    store = _load(_KEYS, location, password)
    if store.key is None or store.cert is None:
        raise ConfigError(
            f"Invalid value {location} for configuration {_KEYS}.location: the store holds no "
            "private key with its certificate."
        )
    key = store.key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()
    return key + _certificates(store)


def _read_store(key: str, location: str) -> bytes:
    """Read a store; a device or a pipe is refused, since reading it might never end."""
    path = Path(location)
    try:
        if path.is_file() and path.stat().st_size <= _LARGEST_STORE:
            return path.read_bytes()
        reason = "not a file of at most 1 MB" if path.exists() else "No such file or directory"
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "not a path"
    raise ConfigError(f"Invalid value {location} for configuration {key}: {reason}.")


def _load(store: str, location: str, password: str | None) -> PKCS12KeyAndCertificates:
    from cryptography.hazmat.primitives.serialization import (  # noqa: PLC0415 — 15 ms, rarely used
        pkcs12,
    )

    content = _read_store(f"{store}.location", location)
    try:
        return pkcs12.load_pkcs12(content, password.encode() if password else None)
    except ValueError:
        raise ConfigError(
            f"Invalid value {location} for configuration {store}.location: it is no PKCS#12 "
            f"store, or {store}.password is wrong."
        ) from None


def _certificates(store: PKCS12KeyAndCertificates) -> str:
    from cryptography.hazmat.primitives.serialization import (  # noqa: PLC0415 — 15 ms, rarely used
        Encoding,
    )

    found = [store.cert, *store.additional_certs]
    return "".join(
        entry.certificate.public_bytes(Encoding.PEM).decode() for entry in found if entry
    )
