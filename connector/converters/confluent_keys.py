"""The settings that all converters of Confluent's registry share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from connector.config import (
    REQUIRED,
    ConfigDef,
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
_LATEST: Final = "Kept for compatibility: the latest version is read once for each table version."
_RULES: Final = "rules of schemas are not run"
_HEADERS: Final = "request.header."
_PROXY: Final = "proxy.host"
_NO_CONTEXT: Final = "io.confluent.kafka.serializers.context.NullContextNameStrategy"


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
    ConfigKey(_PROXY, "STRING", "", "LOW", "The host of an HTTP proxy."),
    ConfigKey("proxy.port", "INT", -1, "LOW", "The port of the HTTP proxy."),
    ConfigKey("max.retries", "INT", 3, "LOW", _RETRIES),
    ConfigKey("retries.wait.ms", "INT", 1000, "LOW", _RETRIES),
    ConfigKey("retries.max.wait.ms", "INT", 20_000, "LOW", _RETRIES),
    ConfigKey(
        "max.schemas.per.subject", "INT", 1000, "LOW",
        "Kept for compatibility: schemas.cache.config limits the schemas that are kept.",
    ),
    boolean(
        "schema.registry.url.randomize", default=False, importance="LOW",
        doc="Kept for compatibility: addresses are tried in their order.",
    ),
    ConfigKey("latest.cache.size", "INT", 1000, "LOW", _LATEST),
    ConfigKey("latest.cache.ttl.sec", "INT", -1, "LOW", _LATEST),
    ConfigKey(
        "use.schema.guid", "STRING", None, "LOW", "The schema with this unique id.",
        validator=only(because="set use.schema.id"),
    ),
    ConfigKey(
        "use.latest.with.metadata", "STRING", None, "LOW",
        "The latest version with these properties.",
        validator=only(because="set use.latest.version or use.schema.id"),
    ),
    boolean(
        "propagate.schema.tags", default=False, importance="LOW",
        doc="Take the tags of fields from the version before.",
        validator=only(False, because="no schema of the connectors here has tags"),
    ),
    ConfigKey(
        "context.name.strategy", "CLASS", _NO_CONTEXT, "MEDIUM",
        "In which context of the registry the subjects are.",
        validator=only(_NO_CONTEXT, because="add /contexts/NAME to schema.registry.url"),
    ),
    *(
        ConfigKey(
            name, "LIST", [], "LOW", "Rules that change or check values before they are written.",
            validator=only([], because=_RULES),
        )
        for name in ("rule.executors", "rule.actions")
    ),
    *(
        ConfigKey(
            f"{_PREFIX}ssl.{store}.{name}", "PASSWORD", None, "HIGH",
            f"The {store} for HTTPS as text.",
            validator=only(because=f"set {_PREFIX}ssl.{store}.location to a file in PEM"),
        )
        for store, name in (
            ("truststore", "certificates"), ("keystore", "key"), ("keystore", "certificate.chain"),
        )
    ),
)  # fmt: skip
PASSED_ON: Final = (_HEADERS,)
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


def options_of(definition: ConfigDef, config: Mapping[str, str]) -> dict[str, Any]:
    """Return the settings of a converter, and those of HTTP headers.

    :raises ConfigError: one is wrong.
    """
    options = definition.parse(config)
    options["request.headers"] = settings_below(config, _HEADERS)
    return options


def connection(options: Mapping[str, Any]) -> RegistryConnection:
    """Return the connection that the settings describe.

    :raises ConfigError: credentials are missing, or a key store cannot be read.
    """
    return RegistryConnection(
        [url for url in options["schema.registry.url"] if url],
        _login(options),
        options["bearer.auth.token"],
        options["request.headers"],
        proxy=_proxy(options),
        tls=tls_context(settings_below(options, _PREFIX)),
        connect_seconds=options["http.connect.timeout.ms"] / 1000,
        read_seconds=options["http.read.timeout.ms"] / 1000,
    )


def _proxy(options: Mapping[str, Any]) -> str | None:
    """Return the address of the proxy; host and port are needed, as in Java."""
    host, port = options[_PROXY], options["proxy.port"]
    if not host or port <= 0:
        return None
    return f"{host if '://' in host else f'http://{host}'}:{port}"


def _login(options: Mapping[str, Any]) -> tuple[str, str] | None:
    if options["basic.auth.credentials.source"] != "USER_INFO":
        return None
    info = options["basic.auth.user.info"] or options["schema.registry.basic.auth.user.info"]
    user, colon, password = (info or "").partition(":")
    if not colon:
        raise ConfigError("Set basic.auth.user.info to user:password.")
    return user, password
