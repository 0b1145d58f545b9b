"""The settings that all converters of Apicurio Registry share, and those of its version 1."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from connector.config import (
    REQUIRED,
    ConfigDef,
    ConfigKey,
    Validator,
    invalid,
    one_of,
    only,
    settings_below,
)
from connector.converters.registry import RegistryConnection, tls_context
from connector.converters.registry_keys import (
    boolean,
    tls_keys,
)
from connector.errors import ConfigError

_REGISTRY: Final = "apicurio.registry."
_HEADERS: Final = f"{_REGISTRY}request.headers."
PASSED_ON: Final = (_HEADERS,)
_SERDE: Final = "io.apicurio.registry.serde."
_RESOLVER: Final = "io.apicurio.registry.resolver.DefaultSchemaResolver"
_PATH: Final = "/apis/registry/v2"
_ID_STRATEGIES: Final = {  # of version 1
    "io.apicurio.registry.utils.serde.strategy.GetOrCreateIdStrategy": "auto-register",
    "io.apicurio.registry.utils.serde.strategy.AutoRegisterIdStrategy": "auto-register",
    "io.apicurio.registry.utils.serde.strategy.FindLatestIdStrategy": "find-latest",
    "io.apicurio.registry.utils.serde.strategy.FindBySchemaIdStrategy": "",
}


def accept_keys_of(choices: Mapping[str, str]) -> Validator:
    """Accept the keys of a table."""

    def check(name: str, value: Any) -> str | None:
        if value is None or value in choices:
            return None
        return str(invalid(name, value, f"not supported: it can be {', '.join(choices)}"))

    return check


REGISTRY_KEYS: Final = (
    ConfigKey(
        f"{_REGISTRY}url", "LIST", REQUIRED, "HIGH",
        "Address of Apicurio Registry; /apis/registry/v2 is added if it is missing.",
    ),
    boolean(
        f"{_REGISTRY}auto-register", default=False,
        doc="Register schemas; without, they have to be registered already.",
    ),
    ConfigKey(
        f"{_REGISTRY}auto-register.if-exists", default="RETURN_OR_UPDATE",
        doc="What to do when the artifact exists.",
        validator=one_of("FAIL", "UPDATE", "RETURN", "RETURN_OR_UPDATE", case_sensitive=True),
    ),
    boolean(
        f"{_REGISTRY}find-latest", default=False,
        doc="Use the latest version of the artifact, if it has the same fields.",
    ),
    ConfigKey(f"{_REGISTRY}artifact.group-id", doc="The group of all artifacts."),
    ConfigKey(f"{_REGISTRY}artifact.artifact-id", doc="The id of the artifact."),
    ConfigKey(f"{_REGISTRY}artifact.version", doc="The version of the artifact."),
    ConfigKey(
        f"{_REGISTRY}global-id", doc="Version 1: how schemas are found or registered.",
        validator=accept_keys_of(_ID_STRATEGIES),
    ),
    ConfigKey("apicurio.auth.username", doc="The user for basic authentication."),
    ConfigKey("apicurio.auth.password", "PASSWORD", doc="The user's password."),
    *(
        ConfigKey(
            f"apicurio.auth.{name}", doc="Authentication by OpenID Connect.",
            validator=only(because="use apicurio.auth.username and apicurio.auth.password"),
        )
        for name in (
            "service.token.endpoint", "service.url", "realm", "client.id", "client.scope",
        )
    ),
    ConfigKey(
        "apicurio.auth.client.secret", "PASSWORD", doc="Authentication by OpenID Connect.",
        validator=only(because="use apicurio.auth.username and apicurio.auth.password"),
    ),
    ConfigKey(
        f"{_REGISTRY}schema-resolver", "CLASS", _RESOLVER, "LOW", "How schemas are found.",
        validator=only(_RESOLVER, because="Java classes cannot be loaded"),
    ),
    *tls_keys(f"{_REGISTRY}request."),
    *(
        ConfigKey(
            _REGISTRY + name, doc="Kept for compatibility: schemas are kept for good, and "
            "Millrace asks until the registry answers.",
        )
        for name in (
            "cache-latest", "fault-tolerant-refresh", "check-period-ms", "retry-count",
            "retry-backoff-ms",
        )
    ),
    *(
        boolean(
            f"{_REGISTRY}{part}.dereference-schema", default=False,
            doc="Kept for compatibility: it concerns schemas that are read.",
        )
        for part in ("serializer", "deserializer")
    ),
)  # fmt: skip


def options_of(definition: ConfigDef, config: Mapping[str, str]) -> dict[str, Any]:
    """Return the settings of a converter with those of version 1 in their place.

    :raises ConfigError: one is wrong.
    """
    options = definition.parse(config)
    strategy = _ID_STRATEGIES.get(options[f"{_REGISTRY}global-id"] or "")
    if strategy:
        options[_REGISTRY + strategy] = True
    options["request.headers"] = settings_below(config, _HEADERS)
    return options


def connection(options: Mapping[str, Any]) -> RegistryConnection:
    """Return the connection that the settings describe.

    :raises ConfigError: a key store cannot be read.
    """
    user = options["apicurio.auth.username"]
    login = (user, options["apicurio.auth.password"] or "") if user else None
    return RegistryConnection(
        [_address(url) for url in options["apicurio.registry.url"] if url],
        login,
        headers=options["request.headers"],
        tls=tls_context(settings_below(options, f"{_REGISTRY}request.")),
    )


def _address(url: str) -> str:
    bare = url.rstrip("/")
    if "?" in bare or "#" in bare:
        raise ConfigError(f"{_REGISTRY}url must be an address without parameters.")
    return bare if bare.endswith(_PATH) else bare + _PATH
