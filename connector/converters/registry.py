"""Requests to a schema registry; the only module that knows the HTTP library.

An answer that may differ later, or that is not a registry's, raises `RegistryUnavailableError`: the
task waits and asks again.
Texts of errors name the host of the registry, never what stands before it in a URL.
"""

from __future__ import annotations

import logging
import re
import ssl
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from tempfile import NamedTemporaryFile
from typing import Any, Final
from urllib.parse import unquote, urlsplit, urlunsplit

import httpx

from connector.errors import (
    AccessDeniedError,
    ConfigError,
    ConversionError,
    RegistryUnavailableError,
)
from connector.kafka.key_stores import identity_pem, is_pem, trusted_pem

_TRANSIENT: Final = frozenset([408, 425, 429])
_FIRST_SERVER_ERROR: Final = 500
_NO_PATH: Final = frozenset([404, 405])
_DENIED: Final = frozenset([401, 403, 407])
_HEADER_NAME: Final = re.compile(r"[\w!#$%&'*+.^`|~-]+", re.ASCII)
_HEADER_VALUE: Final = re.compile(r"[!-~](?:[\t -~]*[!-~])?|")
_SHOWN: Final = 500  # characters of what the registry says


class RegistryRefusedError(ConversionError):
    """The registry refuses a request; ``status`` is the one of HTTP."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True, slots=True)
class RegistryConnection:
    """Where a registry is and how to log in; ``login`` and ``token`` are secrets."""

    urls: Sequence[str]
    login: tuple[str, str] | None = field(default=None, repr=False)
    token: str | None = field(default=None, repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    proxy: str | None = field(default=None, repr=False)  # may hold a login
    tls: ssl.SSLContext | None = field(default=None, repr=False)
    connect_seconds: float = 60.0
    read_seconds: float = 60.0


class RegistryClient:
    """Sends requests to the first address of a registry that answers."""

    def __init__(self, connection: RegistryConnection) -> None:
        requests = logging.getLogger("httpx")
        if requests.level == logging.NOTSET:  # else each request is a line of the task's log
            requests.setLevel(logging.WARNING)
        self._bases = [_without_login(url) for url in connection.urls]
        self._logins = [connection.login or _login_of(url) for url in connection.urls]
        self._http = httpx.Client(
            headers=_checked_headers(connection),
            proxy=_checked_proxy(connection.proxy),
            verify=connection.tls or _default_tls(self._bases),
            timeout=httpx.Timeout(connection.read_seconds, connect=connection.connect_seconds),
            follow_redirects=False,
            trust_env=False,  # in Java, too, a proxy has to be set
        )

    @property
    def url(self) -> str:
        """The first address, without login."""
        return self._bases[0]

    def request(
        self,
        method: str,
        path: str,
        *,
        content: bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        """Return the decoded answer.

        :raises RegistryUnavailableError: no address answers, or with an error that may pass.
        :raises RegistryRefusedError: the registry refuses the request.
        :raises AccessDeniedError: it refuses the login.
        """
        fault = ""
        for base, login in zip(self._bases, self._logins, strict=True):
            host = urlsplit(base).netloc
            try:
                answer = self._http.request(
                    method, base + path, content=content, headers=headers, auth=login
                )
            except httpx.HTTPError as error:
                fault = f"The schema registry {host} does not answer: {_reason(error)}"
                continue
            content, status = _json(answer), answer.status_code
            fault = f"The schema registry {host} answers with status {status}"
            if _comes_from_another_server(answer, content):
                fault += ", which is no answer of a registry: check its URL"
            elif status < _FIRST_SERVER_ERROR and status not in _TRANSIENT:
                return _decoded(answer, content, host)
        raise RegistryUnavailableError(fault)


def _reason(error: httpx.HTTPError) -> str:
    """Return why there is no answer; texts of errors other than of TLS may hold headers."""
    name, cause = type(error).__name__, error.__cause__
    while cause is not None and not isinstance(cause, ssl.SSLError):
        cause = cause.__cause__ or cause.__context__
    if cause is None:
        return name
    return f"{name}, {getattr(cause, 'verify_message', None) or cause.reason}"


def _json(answer: httpx.Response) -> Any:
    """Return the decoded answer, None if it is no JSON."""
    try:
        return answer.json()
    except ValueError:
        return None


def _comes_from_another_server(answer: httpx.Response, content: Any) -> bool:
    """Whether an answer says nothing of the request.

    A load balancer redirects, or answers without JSON, while it knows no registry behind it.
    """
    page = answer.is_success or answer.status_code in _NO_PATH
    return answer.is_redirect or (page and content is None)


def _decoded(answer: httpx.Response, content: Any, host: str) -> Any:
    if answer.status_code in _DENIED:
        raise AccessDeniedError(
            f"The schema registry {host} refuses the login (status {answer.status_code}).",
            "Check the login of the converter for the registry, then restart the task.",
        )
    if answer.is_success:
        return content
    said = content.get("message") if isinstance(content, dict) else None
    text = str(said or "no reason")[:_SHOWN]
    raise RegistryRefusedError(answer.status_code, f"status {answer.status_code}, {text}")


def _without_login(url: str) -> str:
    try:
        parts = urlsplit(url)
        parts = parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment="")
        bare = urlunsplit(parts).rstrip("/")
        valid = bool(httpx.URL(bare).host) and parts.port != 0
    except (ValueError, httpx.InvalidURL):
        valid = False
    if not valid or parts.scheme not in ("http", "https"):
        # The text itself may hold a password.
        raise ConfigError(
            "The URL of the schema registry must begin with http:// or https://, a host and, if "
            "it has one, a port from 1 to 65535."
        )
    return bare


def _checked_headers(connection: RegistryConnection) -> dict[str, str]:
    """Return the HTTP headers of all requests; errors do not show their values.

    :raises ConfigError: one cannot be sent.
    """
    headers = dict(connection.headers)
    if connection.token:
        # A token from a file ends with a line break.
        headers["Authorization"] = f"Bearer {connection.token.strip()}"
    for name, text in headers.items():
        if not _HEADER_NAME.fullmatch(name) or not _HEADER_VALUE.fullmatch(text):
            raise ConfigError(
                f"The HTTP header {name!a} for the schema registry cannot be sent: its name or "
                "value has characters that are not allowed, such as line breaks or accents."
            )
    return headers


def _checked_proxy(address: str | None) -> httpx.Proxy | None:
    """Return the proxy; the error does not show its address, which may hold a login.

    :raises ConfigError: it is no address.
    """
    try:
        proxy = httpx.Proxy(address) if address else None
        valid = proxy is None or urlsplit(str(proxy.url)).port != 0
    except (ValueError, httpx.InvalidURL):
        valid = False
    if not valid:
        raise ConfigError(
            "Set proxy.host to the host of an HTTP proxy, and proxy.port to its port."
        )
    return proxy


def _login_of(url: str) -> tuple[str, str] | None:
    parts = urlsplit(url)
    if parts.username is None:
        return None
    return unquote(parts.username), unquote(parts.password or "")


def _default_tls(bases: Sequence[str]) -> ssl.SSLContext | bool:
    """Return the system's trusted authorities; reading them takes 20 ms, so only for HTTPS."""
    https = any(base.startswith("https:") for base in bases)
    return ssl.create_default_context() if https else False


def tls_context(settings: Mapping[str, str | None]) -> ssl.SSLContext | None:
    """Return the TLS settings of Kafka's names (``ssl.truststore.location`` …); None without any.

    :raises ConfigError: a store cannot be read, or a password is wrong.
    """
    trust = settings.get("ssl.truststore.location")
    keys = settings.get("ssl.keystore.location")
    checks_host = settings.get("ssl.endpoint.identification.algorithm", "https") != ""
    if not trust and not keys and checks_host:
        return None
    context = _trusting(settings, trust) if trust else ssl.create_default_context()
    context.check_hostname = checks_host
    if keys:
        _load_identity(context, settings, keys)
    return context


def _trusting(settings: Mapping[str, str | None], location: str) -> ssl.SSLContext:
    """Return a context that trusts the certificates of a store alone."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    try:
        if is_pem("ssl.truststore.location", location):  # may hold comments in any encoding
            context.load_verify_locations(cafile=location)
        else:
            pem = trusted_pem(location, settings.get("ssl.truststore.password"))
            context.load_verify_locations(cadata=pem)
    except (OSError, ValueError):  # SSLError is an OSError; ValueError: an empty text
        raise ConfigError(
            f"Invalid value {location} for configuration ssl.truststore.location: it holds no "
            "certificate that can be read."
        ) from None
    return context


def _load_identity(
    context: ssl.SSLContext, settings: Mapping[str, str | None], location: str
) -> None:
    """Load the client's key; Python reads it from a file only, which exists for that moment."""
    password = settings.get("ssl.key.password") or settings.get("ssl.keystore.password")
    try:
        if is_pem("ssl.keystore.location", location):
            context.load_cert_chain(location, password=password or "")
            return
        with NamedTemporaryFile("w") as file:  # readable by this user alone
            file.write(identity_pem(location, settings.get("ssl.keystore.password")))
            file.flush()
            context.load_cert_chain(file.name)
    except (ssl.SSLError, OSError):
        raise ConfigError(
            f"Invalid value {location} for configuration ssl.keystore.location: the key cannot be "
            "loaded, or a password is wrong."
        ) from None
