"""The settings that all converters of Confluent's registry share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from connector.config import (
    REQUIRED,
    ConfigKey,
    at_least,
    non_empty,
    only,
    settings_below,
)
from connector.converters.registry import RegistryConnection, tls_context
from connector.converters.registry_keys import (
    SCHEMAS_KEPT,
    boolean,
    tls_keys,
)
from connector.converters.subjects import TOPIC_NAME, known_strategy
from connector.errors import ConfigError

_PREFIX: Final = "schema.registry."
_BEFORE_VALUES: Final = "io.confluent.kafka.serializers.schema.id.PrefixSchemaIdSerializer"
_STRICT: Final = "values are written with the fields of the table, not with those registered"
_RETRIES: Final = "Kept for compatibility: Millrace asks until the registry answers."


def _has_urls(name: str, value: Any) -> str | None:
    return None if value is None or any(value) else non_empty(name, "")


REGISTRY_KEYS: Final = (
    ConfigKey(
        "schema.registry.url", "LIST", REQUIRED, "HIGH",
        "Addresses of the schema registry, tried in order.", validator=_has_urls,
    ),
    boolean(
        "auto.register.schemas", default=True,
        doc="Register schemas; with false they have to be registered already.",
    ),
    boolean(
        "use.latest.version", default=False, importance="LOW",
        doc="Use the latest version of a subject instead of registering, if it has the same "
        "fields.",
    ),
    boolean(
        "latest.compatibility.strict", default=True, importance="LOW",
        doc="Refuse a latest version with other fields.",
        validator=only(True, because=_STRICT),
    ),
    ConfigKey(
        "use.schema.id", "INT", -1, "LOW",
        "Use the schema with this id instead of registering, if it has the same fields.",
    ),
    boolean(
        "id.compatibility.strict", default=True, importance="LOW",
        doc="Refuse an id whose schema has other fields.",
        validator=only(True, because=_STRICT),
    ),
    boolean(
        "normalize.schemas", default=False, importance="LOW",
        doc="Let the registry normalize schemas.",
    ),
    *(
        ConfigKey(
            f"{part}.subject.name.strategy", "CLASS", TOPIC_NAME, "MEDIUM",
            f"How the subjects of {part}s are named.", validator=known_strategy,
        )
        for part in ("key", "value")
    ),
    *(
        ConfigKey(
            f"{part}.schema.id.serializer", "CLASS", _BEFORE_VALUES, "MEDIUM",
            f"Where the ids of the schemas of {part}s are: before the value.",
            validator=only(_BEFORE_VALUES, because="ids are written before the value"),
        )
        for part in ("key", "value")
    ),
    ConfigKey(
        "basic.auth.credentials.source", "STRING", "URL", "MEDIUM",
        "Where user and password are: in the URL, or in basic.auth.user.info.",
        validator=only("URL", "USER_INFO", because="set URL or USER_INFO"),
    ),
    ConfigKey("basic.auth.user.info", "PASSWORD", None, "MEDIUM", "user:password"),
    ConfigKey(
        "schema.registry.basic.auth.user.info", "PASSWORD", None, "MEDIUM",
        "The former name of basic.auth.user.info.",
    ),
    ConfigKey(
        "bearer.auth.credentials.source", "STRING", "STATIC_TOKEN", "MEDIUM",
        "Where the bearer token is: in bearer.auth.token.",
        validator=only("STATIC_TOKEN", because="set bearer.auth.token"),
    ),
    ConfigKey("bearer.auth.token", "PASSWORD", None, "MEDIUM", "A bearer token."),
    *tls_keys(_PREFIX, store_type="JKS"),
    ConfigKey(
        f"{_PREFIX}ssl.endpoint.identification.algorithm", "STRING", "https", "LOW",
        "Empty: the name in the registry's certificate is not checked.",
    ),
    ConfigKey(
        "http.connect.timeout.ms", "INT", 60_000, "LOW",
        "How long to wait for a connection.", validator=at_least(1),
    ),
    ConfigKey(
        "http.read.timeout.ms", "INT", 60_000, "LOW",
        "How long to wait for an answer.", validator=at_least(1),
    ),
    ConfigKey("max.retries", "INT", 3, "LOW", _RETRIES),
    ConfigKey("retries.wait.ms", "INT", 1000, "LOW", _RETRIES),
    ConfigKey("retries.max.wait.ms", "INT", 20_000, "LOW", _RETRIES),
    ConfigKey(
        "max.schemas.per.subject", "INT", 1000, "LOW",
        "Kept for compatibility: schemas.cache.config limits the schemas that are kept.",
    ),
)  # fmt: skip
CONVERTER_KEYS: Final = (
    SCHEMAS_KEPT,
    boolean(
        "ignore.default.for.nullables", default=False,
        doc="Write null where a value is null, not the default of the field.",
    ),
    boolean(
        "generalized.sum.type.support", default=False,
        doc="Write unions and enumerations of other converters.",
        validator=only(False, because="no schema of the connectors here holds a union"),
    ),
    boolean(
        "flatten.singleton.unions", default=True, importance="LOW",
        doc="Kept for compatibility: it concerns messages that are read from Kafka.",
    ),
)  # fmt: skip


def connection(options: Mapping[str, Any]) -> RegistryConnection:
    """Return the connection that the settings describe.

    :raises ConfigError: credentials are missing, or a key store cannot be read.
    """
    return RegistryConnection(
        [url for url in options["schema.registry.url"] if url],
        _login(options),
        options["bearer.auth.token"],
        tls=tls_context(settings_below(options, _PREFIX)),
        connect_seconds=options["http.connect.timeout.ms"] / 1000,
        read_seconds=options["http.read.timeout.ms"] / 1000,
    )


def _login(options: Mapping[str, Any]) -> tuple[str, str] | None:
    if options["basic.auth.credentials.source"] != "USER_INFO":
        return None
    info = options["basic.auth.user.info"] or options["schema.registry.basic.auth.user.info"]
    user, colon, password = (info or "").partition(":")
    if not colon:
        raise ConfigError("Set basic.auth.user.info to user:password.")
    return user, password
