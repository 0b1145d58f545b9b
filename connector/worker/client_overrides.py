"""Client settings of a connector: ``producer.override.*`` and its kin, and who may set them.

The policy is the worker's ``connector.client.config.override.policy`` (KIP-458, KIP-1188).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from connector.config import settings_below
from connector.errors import ConfigError
from connector.kafka.keys import KINDS, ClientKind, client_definitions

_PRINCIPAL_KEYS: Final = frozenset({"sasl.jaas.config", "sasl.mechanism", "security.protocol"})

_POLICIES: Final[dict[str, Callable[[str, frozenset[str]], bool]]] = {
    "All": lambda key, allowed: True,  # noqa: ARG005 — one form for all policies
    "None": lambda key, allowed: False,  # noqa: ARG005 — the same
    "Principal": lambda key, allowed: key in _PRINCIPAL_KEYS,  # noqa: ARG005 — the same
    "Allowlist": lambda key, allowed: key in allowed,
}
_JAVA_NAMES: Final = "ConnectorClientConfigOverridePolicy"


class OverridePolicy:
    """Decides which client settings connectors may override."""

    def __init__(self, name: str, allowed: frozenset[str] = frozenset()) -> None:
        """Take the policy's name as the worker file has it: short, or Java's class name.

        :raises ConfigError: no such policy.
        """
        short = name.rpartition(".")[2].removesuffix(_JAVA_NAMES)
        if short not in _POLICIES:
            raise ConfigError(
                f"Invalid value {name} for configuration connector.client.config.override.policy: "
                f"use one of {', '.join(_POLICIES)}."
            )
        self._name = short
        self._allowed = allowed

    def fault(self, key: str) -> str | None:
        """Return why a client setting must not be overridden, None when it may."""
        if _POLICIES[self._name](key, self._allowed):
            return None
        return (
            f"The '{self._name}' policy does not allow '{key}' to be overridden in the connector "
            "configuration."
        )


def create_policy(worker: Mapping[str, Any]) -> OverridePolicy:
    """Build the policy of a worker."""
    return OverridePolicy(
        worker["connector.client.config.override.policy"],
        frozenset(worker["connector.client.config.override.allowlist"]),
    )


def overrides(config: Mapping[str, str], kind: ClientKind) -> dict[str, str]:
    """Return what a connector overrides for one kind of client, in the Java client's names."""
    return settings_below(config, f"{kind}.override.")


DEFINITIONS: Final = {kind: client_definitions(kind) for kind in KINDS}
