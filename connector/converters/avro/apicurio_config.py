"""The settings of Apicurio Registry's AvroConverter, and those of its version 1."""

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
    AVRO_ENUMERATIONS,
    CONNECT_PROPERTIES,
    SCHEMAS_KEPT,
    boolean,
    tls_keys,
)
from connector.errors import ConfigError

_REGISTRY: Final = "apicurio.registry."
_SERDE: Final = "io.apicurio.registry.serde."
_PATH: Final = "/apis/registry/v2"
STRATEGIES: Final = {
    f"{_SERDE}strategy.TopicIdStrategy": "topic",
    f"{_SERDE}strategy.SimpleTopicIdStrategy": "simple topic",
    f"{_SERDE}avro.strategy.RecordIdStrategy": "record",
    f"{_SERDE}avro.strategy.TopicRecordIdStrategy": "topic record",
    f"{_SERDE}avro.strategy.QualifiedRecordIdStrategy": "qualified record",
}
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


def _header_names() -> list[ConfigKey]:
    return [
        ConfigKey(
            f"{_REGISTRY}headers.{part}.{kind}.name",
            default=f"apicurio.{part}.{kind}",
            doc=f"The header with the {kind} of the schema of a {part}.",
        )
        for part in ("key", "value")
        for kind in ("globalId", "contentId")
    ]


CONFIG: Final = ConfigDef(
    [
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
            validator=one_of("FAIL", "UPDATE", "RETURN", "RETURN_OR_UPDATE"),
        ),
        boolean(
            f"{_REGISTRY}find-latest", default=False,
            doc="Use the latest version of the artifact, if it has the same fields.",
        ),
        ConfigKey(f"{_REGISTRY}artifact.group-id", doc="The group of all artifacts."),
        ConfigKey(f"{_REGISTRY}artifact.artifact-id", doc="The id of the artifact."),
        ConfigKey(f"{_REGISTRY}artifact.version", doc="The version of the artifact."),
        ConfigKey(
            f"{_REGISTRY}artifact-resolver-strategy", "CLASS", next(iter(STRATEGIES)), "MEDIUM",
            "How artifacts are named.", validator=accept_keys_of(STRATEGIES),
        ),
        boolean(
            f"{_REGISTRY}headers.enabled", default=True,
            doc="Write ids into headers of the message; with false, before the value.",
        ),
        *_header_names(),
        boolean(
            f"{_REGISTRY}as-confluent", default=False,
            doc="Write ids before the value in four bytes, as Confluent's converter does.",
        ),
        ConfigKey(
            f"{_REGISTRY}id-handler", "CLASS", f"{_SERDE}DefaultIdHandler", "MEDIUM",
            "Write ids before the value in eight bytes, or with Legacy4ByteIdHandler in four.",
            validator=accept_keys_of(
                {f"{_SERDE}DefaultIdHandler": "", f"{_SERDE}Legacy4ByteIdHandler": ""}
            ),
        ),
        ConfigKey(
            f"{_REGISTRY}use-id", default="globalId", doc="Which id is written.",
            validator=one_of("globalId", "contentId", case_sensitive=True),
        ),
        ConfigKey(
            f"{_REGISTRY}avro.encoding", default="BINARY", doc="The encoding of values.",
            validator=only("BINARY", because="use JsonConverter for JSON"),
        ),
        boolean(
            f"{_REGISTRY}dereference-schema", default=True,
            doc="Register each schema as a whole; with false, with references to the records "
            "inside.",
        ),
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
        SCHEMAS_KEPT,
        AVRO_ENUMERATIONS,
        CONNECT_PROPERTIES,
    ]
)  # fmt: skip


def options_of(config: Mapping[str, str]) -> dict[str, Any]:
    """Return the settings with those of version 1 in their place.

    :raises ConfigError: one is wrong.
    """
    options = CONFIG.parse(config)
    strategy = _ID_STRATEGIES.get(options[f"{_REGISTRY}global-id"] or "")
    if strategy:
        options[_REGISTRY + strategy] = True
    options["request.headers"] = settings_below(config, f"{_REGISTRY}request.headers.")
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
