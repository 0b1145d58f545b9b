"""Converters inside a connector's configuration, each with keys such as ``key.converter.x``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from connector.config import REQUIRED, ConfigDef, ConfigKey, one_of, settings_below
from connector.data.java import hash_order
from connector.errors import ConfigError
from connector.plugin import Component, Converter, Plugins
from connector.worker.connector_config import CONVERTERS
from connector.worker.nested_plugins import KeyReports, component_of
from connector.worker.plugin_classes import can_be_read, is_known, meets_version, plugin_of

_TYPE: Final = ConfigKey(
    "converter.type", "STRING", REQUIRED, "LOW", "What the converter is for: key, value or header.",
    validator=one_of("key", "value", "header", case_sensitive=True),
)  # fmt: skip


def converter_def(component: type[Component]) -> ConfigDef:
    """Return the keys of a converter, of which one says what it is for.

    A class that writes headers alone does not need to know that.
    """
    types = [_TYPE] if issubclass(component, Converter) else []
    return ConfigDef(types) + component.config_def


def check_converters(config: Mapping[str, str], plugins: Plugins, report: KeyReports) -> None:
    """Add the errors of converters that refuse settings of which each by itself is right."""
    for role, kind in CONVERTERS.items():
        if role in config and not is_known(plugins, config[role], kind):
            report[role].value = None
            report[f"{role}.plugin.version"].visible = False
        fault = _version_fault(config, plugins, role)
        if fault and can_be_read(config[f"{role}.plugin.version"]):
            report[role].errors.append(fault)
    for prefix, keys, settings in converter_keys(config, plugins):
        role = prefix.removesuffix(".")
        component = component_of(plugins, config[role], CONVERTERS[role])
        if component is None or any(value.errors for value in keys.check(settings).values()):
            continue
        try:
            component({**settings, **_purpose(role)})
        except ConfigError as error:
            report[role].errors.append(str(error))


def _version_fault(config: Mapping[str, str], plugins: Plugins, role: str) -> str | None:
    """Return what is wrong with the version of a converter that the connector sets itself."""
    plugin = plugin_of(plugins, config.get(role), CONVERTERS[role])
    required = config.get(f"{role}.plugin.version")
    return meets_version(plugin)("", required) if plugin else None


def _purpose(role: str) -> dict[str, str]:
    return {_TYPE.name: role.partition(".")[0]}


def converter_keys(
    config: Mapping[str, str], plugins: Plugins
) -> Iterator[tuple[str, ConfigDef, dict[str, str]]]:
    """Yield ``(prefix, keys, settings)`` of each converter that the connector sets itself.

    The keys have the order in which Kafka lists them, that of a HashMap.
    """
    for role in sorted(CONVERTERS):
        component = component_of(plugins, config.get(role), CONVERTERS[role])
        if component is not None and _version_fault(config, plugins, role) is None:
            keys = converter_def(component)
            ordered = ConfigDef(keys[name] for name in hash_order(key.name for key in keys))
            yield role + ".", ordered, {**_purpose(role), **settings_below(config, role + ".")}


def known_converter_keys(
    config: Mapping[str, str], plugins: Plugins
) -> tuple[frozenset[str], tuple[str, ...]]:
    """Return the keys of the converters that the connector sets itself.

    The second value holds the prefixes of settings that they pass on.
    """
    names = [
        prefix + key.name for prefix, keys, _ in converter_keys(config, plugins) for key in keys
    ]
    prefixes = [
        f"{role}.{prefix}"
        for role, kind in CONVERTERS.items()
        for prefix in getattr(component_of(plugins, config.get(role), kind), "passed_on", ())
    ]
    return frozenset(names), tuple(prefixes)
