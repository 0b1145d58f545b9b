"""The settings of Confluent's AvroConverter."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, Final

from connector.config import REQUIRED, ConfigDef, ConfigKey, at_least, non_empty, only
from connector.converters.avro.subjects import TOPIC_NAME, known_strategy
from connector.converters.registry import RegistryConnection, tls_context
from connector.errors import ConfigError

_PREFIX: Final = "schema.registry."
_STORES: Final = ("truststore", "keystore")
_boolean = partial(ConfigKey, type="BOOLEAN")
_RETRIES: Final = "Kept for compatibility: Millrace asks until the registry answers."


def _has_urls(name: str, value: Any) -> str | None:
    return None if value is None or any(value) else non_empty(name, "")


def _tls_keys() -> list[ConfigKey]:
    keys = []
    for store in _STORES:
        name = f"{_PREFIX}ssl.{store}."
        keys += [
            ConfigKey(name + "location", doc=f"The {store} for HTTPS, in PEM or PKCS#12."),
            ConfigKey(name + "password", "PASSWORD", doc=f"The password of the {store}."),
            ConfigKey(
                name + "type",
                default="JKS",
                doc="Kept for compatibility: the content of the store shows its type.",
            ),
        ]
    return [
        *keys,
        ConfigKey(f"{_PREFIX}ssl.key.password", "PASSWORD", doc="The password of the key."),
        ConfigKey(
            f"{_PREFIX}ssl.endpoint.identification.algorithm",
            default="https",
            importance="LOW",
            doc="Empty: the name in the registry's certificate is not checked.",
        ),
    ]


CONFIG: Final = ConfigDef(
    [
        ConfigKey(
            "schema.registry.url", "LIST", REQUIRED, "HIGH",
            "Addresses of the schema registry, tried in order.", validator=_has_urls,
        ),
        _boolean(
            "auto.register.schemas", default=True,
            doc="Register schemas; with false they have to be registered already.",
        ),
        _boolean(
            "use.latest.version", default=False, importance="LOW",
            doc="Use the latest version of a subject instead of registering, if it has the same "
            "fields.",
        ),
        _boolean(
            "latest.compatibility.strict", default=True, importance="LOW",
            doc="Kept for compatibility: a latest version with other fields is always an error.",
        ),
        ConfigKey(
            "use.schema.id", "INT", -1, "LOW",
            "Use the schema with this id instead of registering, if it has the same fields.",
        ),
        _boolean(
            "id.compatibility.strict", default=True, importance="LOW",
            doc="Kept for compatibility: an id whose schema has other fields is always an error.",
        ),
        _boolean(
            "normalize.schemas", default=False, importance="LOW",
            doc="Let the registry normalize schemas.",
        ),
        ConfigKey(
            "key.subject.name.strategy", "CLASS", TOPIC_NAME, "MEDIUM",
            "How the subjects of keys are named.", validator=known_strategy,
        ),
        ConfigKey(
            "value.subject.name.strategy", "CLASS", TOPIC_NAME, "MEDIUM",
            "How the subjects of values are named.", validator=known_strategy,
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
        *_tls_keys(),
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
        ConfigKey(
            "schemas.cache.config", "INT", 1000, "LOW",
            "How many schemas are kept ready for use.", validator=at_least(1),
        ),
        _boolean(
            "enhanced.avro.schema.support", default=False,
            doc="Kept for compatibility: no schema of the connectors here holds Avro enumerations.",
        ),
        _boolean(
            "connect.meta.data", default=True, importance="LOW",
            doc="Write the properties connect.name, connect.version and others into schemas.",
        ),
        _boolean(
            "scrub.invalid.names", default=False,
            doc="Replace characters in names that Avro does not allow.",
        ),
        _boolean(
            "allow.optional.map.keys", default=False, importance="LOW",
            doc="Write maps with optional string keys as maps.",
        ),
        _boolean(
            "ignore.default.for.nullables", default=False,
            doc="Write null where a value is null, not the default of the field.",
        ),
        _boolean(
            "discard.type.doc.default", default=False, importance="LOW",
            doc="Leave the documentation of records and fields out.",
            validator=only(False, because="no schema of the connectors here has such texts"),
        ),
        _boolean(
            "generalized.sum.type.support", default=False,
            doc="Write unions and enumerations of other converters.",
            validator=only(False, because="no schema of the connectors here holds a union"),
        ),
        _boolean(
            "flatten.singleton.unions", default=True, importance="LOW",
            doc="Kept for compatibility: it concerns messages that are read from Kafka.",
        ),
    ]
)  # fmt: skip


def connection(options: Mapping[str, Any]) -> RegistryConnection:
    """Return the connection that the settings describe.

    :raises ConfigError: credentials are missing, or a key store cannot be read.
    """
    tls = {
        key.removeprefix(_PREFIX): value
        for key, value in options.items()
        if key.startswith(f"{_PREFIX}ssl.")
    }
    return RegistryConnection(
        [url for url in options["schema.registry.url"] if url],
        _login(options),
        options["bearer.auth.token"],
        tls=tls_context(tls),
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
