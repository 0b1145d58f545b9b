"""The TLS side of https listeners, from Connect's ``ssl.*`` keys: PEM and PKCS#12 stores."""

from __future__ import annotations

import os
import ssl
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from connector.config import convert
from connector.errors import ConfigError
from connector.kafka.key_stores import identity_pem, is_pem, trusted_pem

_CLIENT_AUTH: Final = {
    "none": ssl.CERT_NONE,
    "requested": ssl.CERT_OPTIONAL,
    "required": ssl.CERT_REQUIRED,
}
_VERSIONS: Final = {"TLSv1.2": ssl.TLSVersion.TLSv1_2, "TLSv1.3": ssl.TLSVersion.TLSv1_3}
_DISABLED: Final = ("SSLv2Hello", "SSLv3", "TLSv1", "TLSv1.1")
"""Java knows these names and never speaks them (``jdk.tls.disabledAlgorithms``)."""


def tls_context(settings: Mapping[str, str]) -> ssl.SSLContext:
    """Build the TLS side of an https listener from Connect's ``ssl.*`` keys.

    :raises ConfigError: a key is missing, or a store cannot be read.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    password = settings.get("ssl.key.password")
    with _identity(settings) as path:
        try:
            context.load_cert_chain(path, password=password)
        except (OSError, ssl.SSLError) as error:
            raise ConfigError(
                "Invalid value for configuration ssl.keystore.location: it must be a PEM file with "
                f"the certificate chain and its key ({error.__class__.__name__}: {error.strerror})."
            ) from None
    _trust(context, settings)
    _limit_versions(context, settings.get("ssl.enabled.protocols"))
    return context


def _limit_versions(context: ssl.SSLContext, listed: str | None) -> None:
    """Accept the listed versions of TLS; without a list 1.2 and 1.3."""
    key = "ssl.enabled.protocols"
    names = convert(key, "LIST", listed or "TLSv1.2,TLSv1.3")
    versions = [_VERSIONS[name] for name in names if name in _VERSIONS]
    unknown = set(names) - _VERSIONS.keys() - set(_DISABLED)
    if unknown or not versions:
        raise ConfigError(
            f"Invalid value {listed} for configuration {key}: "
            f"list {' or '.join(_VERSIONS)}, or both."
        )
    context.minimum_version, context.maximum_version = min(versions), max(versions)


@contextmanager
def _identity(settings: Mapping[str, str]) -> Iterator[str]:
    """Give a file with key and certificates; what stands in the settings itself is written out.

    Python's TLS reads keys from files only; the file is readable by this user alone, and gone
    after use.
    """
    text = _written_identity(settings)
    if text is None:
        yield settings["ssl.keystore.location"]
        return
    descriptor, name = tempfile.mkstemp(suffix=".pem")
    try:
        with os.fdopen(descriptor, "w") as file:
            file.write(text)
        yield name
    finally:
        Path(name).unlink()


def _written_identity(settings: Mapping[str, str]) -> str | None:
    """Return key and certificates that are not in a PEM file already."""
    chain = settings.get("ssl.keystore.certificate.chain")
    if chain:
        return settings.get("ssl.keystore.key", "") + "\n" + chain
    location = settings.get("ssl.keystore.location")
    if not location:
        raise ConfigError(
            "An https listener needs ssl.keystore.location (a PEM file or a PKCS#12 store), or "
            "ssl.keystore.certificate.chain and ssl.keystore.key."
        )
    if is_pem("ssl.keystore.location", location):
        return None
    return identity_pem(location, settings.get("ssl.keystore.password"))


def _trust(context: ssl.SSLContext, settings: Mapping[str, str]) -> None:
    auth = settings.get("ssl.client.auth", "none").lower()
    if auth not in _CLIENT_AUTH:
        raise ConfigError(
            f"Invalid value {auth} for configuration ssl.client.auth: String must be one of: "
            "required, requested, none"
        )
    context.verify_mode = _CLIENT_AUTH[auth]
    certificates = _trusted(settings)
    if not certificates:
        return
    try:
        context.load_verify_locations(cadata=certificates)
    except ssl.SSLError as error:
        raise ConfigError(
            "Invalid value for configuration ssl.truststore.location: it must hold certificates "
            f"({error.reason})."
        ) from None


def _trusted(settings: Mapping[str, str]) -> str | None:
    """Return the certificates that clients are checked against, in PEM."""
    location = settings.get("ssl.truststore.location")
    if not location:
        return settings.get("ssl.truststore.certificates")
    if is_pem("ssl.truststore.location", location):
        return Path(location).read_text()
    return trusted_pem(location, settings.get("ssl.truststore.password"))
