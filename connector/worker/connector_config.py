"""The keys that every source connector has (Kafka Connect 4.3, SourceConnectorConfig)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Final

from connector.config import (
    REQUIRED,
    ConfigDef,
    ConfigKey,
    Validator,
    at_least,
    convert,
    invalid,
    non_empty,
    one_of,
)
from connector.errors import ConfigError
from connector.plugin import PluginKind, Plugins
from connector.worker.plugin_classes import is_plugin, meets_version, names, plugin_of

Below = Callable[[str], Mapping[str, str]]

CONVERTERS: Final[dict[str, PluginKind]] = {
    "key.converter": "converter",
    "value.converter": "converter",
    "header.converter": "header_converter",
}


def _name(key: str, value: Any) -> str | None:
    """Refuse names that are empty or hold control characters, which no URL can carry."""
    if not value:
        return str(invalid(key, "", "String may not be empty"))
    controls = [str(ord(char)) for char in value if ord(char) < 32]
    if not controls:
        return None
    reason = "String may not contain control sequences but had the following ASCII chars: "
    return str(invalid(key, value, reason + ", ".join(controls)))


def list_names(key: str, text: str | None) -> list[str]:
    """Return the names of a list, each once: no more than it may have.

    The answer to a validation describes several keys for each name. Without a limit, a small
    request could fill the memory.
    """
    return list(dict.fromkeys(convert(key, "LIST", text or "")))[:_MOST_NAMES]


def _distinct(key: str, value: Any) -> str | None:
    if len(value) > _MOST_NAMES:
        return f"Configuration '{key}' has {len(value)} names; at most {_MOST_NAMES} are allowed."
    if len(set(value)) == len(value):
        return None
    return str(invalid(key, f"[{', '.join(value)}]", "Duplicate alias provided."))


def any_case(*allowed: str) -> Validator:
    """Accept the given values in any case, with the text Kafka has for that."""

    def check(key: str, value: Any) -> str | None:
        if str(value).upper() in allowed:
            return None
        reason = f"String must be one of (case insensitive): {', '.join(allowed)}"
        return str(invalid(key, value, reason))

    return check


_MOST_NAMES: Final = 1000
_common = partial(ConfigKey, group="Common")
_errors = partial(ConfigKey, group="Error Handling")

_FIXED: Final = [
    _common(
        "name", "STRING", REQUIRED, "HIGH", "Name of the connector, unique in this worker.",
        order=1, width="MEDIUM", display_name="Connector name", validator=_name,
    ),
    _common(
        "connector.class", "STRING", REQUIRED, "HIGH",
        "Class of the connector: its full name, its simple name, or that without 'Connector'.",
        order=2, width="LONG", display_name="Connector class",
    ),
    _common(
        "tasks.max", "INT", 1, "HIGH", "Kept for compatibility: these connectors run one task.",
        order=4, width="SHORT", display_name="Tasks max", validator=at_least(1),
    ),
    _common(
        "tasks.max.enforce", "BOOLEAN", True, "LOW",
        "Kept for compatibility: there is never more than one task.",
        order=5, width="SHORT", display_name="Enforce tasks max",
    ),
    ConfigKey(
        "transforms", "LIST", [], "LOW", "Names of the transforms, in the order they are applied.",
        "Transforms", 12, "LONG", "Transforms", _distinct,
    ),
    ConfigKey(
        "predicates", "LIST", [], "LOW", "Names of the predicates that transforms refer to.",
        "Predicates", 13, "LONG", "Predicates", _distinct,
    ),
    _common(
        "config.action.reload", "STRING", "restart", "LOW",
        "Kept for compatibility: the config providers here announce no expiry of values.",
        order=14, width="MEDIUM", display_name="Reload Action",
        validator=one_of("none", "restart", case_sensitive=True),
    ),
    _errors(
        "errors.retry.timeout", "LONG", 0, "MEDIUM",
        "Kept for compatibility: transforms and converters have no transient errors.",
        order=1, width="MEDIUM", display_name="Retry Timeout for Errors",
    ),
    _errors(
        "errors.retry.delay.max.ms", "LONG", 60_000, "MEDIUM",
        "Kept for compatibility: transforms and converters have no transient errors.",
        order=2, width="MEDIUM", display_name="Maximum Delay Between Retries for Errors",
    ),
    _errors(
        "errors.tolerance", "STRING", "none", "MEDIUM",
        "none: a record that cannot be converted fails the task; all: it is skipped.",
        order=3, width="SHORT", display_name="Error Tolerance",
        validator=one_of("none", "all", case_sensitive=True),
    ),
    _errors(
        "errors.log.enable", "BOOLEAN", False, "MEDIUM", "Whether tolerated errors are logged.",
        order=4, width="SHORT", display_name="Log Errors",
    ),
    _errors(
        "errors.log.include.messages", "BOOLEAN", False, "MEDIUM",
        "Whether the log names the record at fault.",
        order=5, width="SHORT", display_name="Log Error Details",
    ),
    ConfigKey(
        "topic.creation.groups", "LIST", [], "LOW",
        "Names of the groups of topic settings, the first that matches a topic counts.",
        "Topic Creation", 1, "LONG", "Topic Creation Groups", _distinct,
    ),
    ConfigKey(
        "exactly.once.support", "STRING", "requested", "MEDIUM",
        "Whether exactly-once delivery is required; it is not available here.",
        "Exactly Once Support", 2, "SHORT", "Exactly once support",
        any_case("REQUIRED", "REQUESTED"),
    ),
    ConfigKey(
        "transaction.boundary", "STRING", "poll", "MEDIUM",
        "Kept for compatibility: there is no exactly-once delivery whose transactions could end.",
        "Exactly Once Support", 3, "SHORT", "Transaction Boundary",
        any_case("INTERVAL", "POLL", "CONNECTOR"),
    ),
    ConfigKey(
        "transaction.boundary.interval.ms", "LONG", None, "LOW",
        "Kept for compatibility: there is no exactly-once delivery whose transactions could end.",
        "Exactly Once Support", 4, "SHORT", "Transaction boundary interval", at_least(0),
    ),
    ConfigKey(
        "offsets.storage.topic", "STRING", None, "LOW",
        "A topic for the offsets of this connector alone, beside the worker's.",
        "offsets.topic", 1, "LONG", "Offsets topic", non_empty,
    ),
]  # fmt: skip


def source_config(
    config: Mapping[str, str | None], worker: Mapping[str, Any], plugins: Plugins
) -> ConfigDef:
    """Return the base keys for one configuration: defaults depend on the classes it names."""
    keys = [*_FIXED, _version("connector", config.get("connector.class"), "source", 3, plugins)]
    for number, (role, kind) in enumerate(CONVERTERS.items()):
        label = role.partition(".")[0].capitalize()
        own = config.get(role)
        class_name = worker[role] if own is None else own
        keys += [
            _common(
                role, "CLASS", worker[role], "LOW",
                f"{label} converter of this connector; without it the worker's is used.",
                order=6 + 2 * number, width="SHORT", display_name=f"{label} converter class",
                validator=is_plugin(plugins, kind), recommended=names(plugins, kind),
            ),
            _version(role, class_name, kind, 7 + 2 * number, plugins, is_own=own is not None),
        ]  # fmt: skip
    return ConfigDef(sorted(keys, key=_sort_key))


_GROUPS: Final = ("Common", "Transforms", "Predicates")


def _sort_key(key: ConfigKey) -> tuple[bool, int]:
    """Order keys as Connect lists them: the first three groups by number, then as written."""
    first = key.group in _GROUPS
    return not first, key.order if first else 0


def _version(
    role: str,
    class_name: str | None,
    kind: PluginKind,
    order: int,
    plugins: Plugins,
    *,
    is_own: bool = True,
) -> ConfigKey:
    """Return the key of a version, which concerns no class that the worker chose."""
    plugin = plugin_of(plugins, class_name, kind)
    version = plugin.version if plugin else None
    label = role.partition(".")[0].capitalize() + (" converter" if role != "connector" else "")
    return _common(
        f"{role}.plugin.version", "STRING", version, "MEDIUM" if role == "connector" else "LOW",
        f"Version of the {label.lower()} to use; there is one version of each.",
        order=order, width="MEDIUM" if role == "connector" else "SHORT",
        display_name=f"{label} version",
        validator=meets_version(plugin if is_own else None),
        recommended=(version,) if version else (),
    )  # fmt: skip


def prefix_key(key: ConfigKey, prefix: str, **changes: Any) -> ConfigKey:
    """Return a key of a nested plugin under the name it has in the connector's configuration."""
    shown = key.display_name or key.name
    return replace(key, name=prefix + key.name, display_name=shown, **changes)


def check_converters(worker: Mapping[str, Any], below: Below, plugins: Plugins) -> None:
    """Refuse a worker file with a converter that is not here, or has bad settings.

    ``below(prefix)`` gives the file's settings under a prefix.

    :raises ConfigError: naming key, value and what there is.
    """
    for role, kind in CONVERTERS.items():
        fault = is_plugin(plugins, kind)(role, worker[role])
        if fault:
            raise ConfigError(fault)
        try:
            plugins.component(worker[role], kind).config_def.parse(below(role + "."))
        except ConfigError as error:
            raise ConfigError(f"{role}: {error}") from None
