"""Settings that the converters of several schema registries share."""

from __future__ import annotations

from functools import partial
from typing import Final

from connector.config import ConfigKey, at_least

boolean: Final = partial(ConfigKey, type="BOOLEAN")

SCHEMAS_KEPT: Final = ConfigKey(
    "schemas.cache.config", "INT", 1000, "LOW",
    "How many schemas are kept ready for use.", validator=at_least(1),
)  # fmt: skip
AVRO_ENUMERATIONS: Final = boolean(
    "enhanced.avro.schema.support", default=False,
    doc="Kept for compatibility: no schema of the connectors here holds Avro enumerations.",
)  # fmt: skip
CONNECT_PROPERTIES: Final = boolean(
    "connect.meta.data", default=True, importance="LOW",
    doc="Write the properties connect.name, connect.version and others into schemas.",
)  # fmt: skip


def tls_keys(prefix: str, *, store_type: str | None = None) -> list[ConfigKey]:
    """Return the keys of key stores for HTTPS; ``store_type`` is the default of their type."""
    keys = []
    for store in ("truststore", "keystore"):
        name = f"{prefix}ssl.{store}."
        keys += [
            ConfigKey(name + "location", doc=f"The {store} for HTTPS, in PEM or PKCS#12."),
            ConfigKey(name + "password", "PASSWORD", doc=f"The password of the {store}."),
            ConfigKey(
                name + "type",
                default=store_type,
                doc="Kept for compatibility: the content of the store shows its type.",
            ),
        ]
    doc = "The password of the key."
    return [*keys, ConfigKey(f"{prefix}ssl.key.password", "PASSWORD", doc=doc)]
