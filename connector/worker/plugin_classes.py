"""Names and versions of plugin classes in a configuration: what there is, and what is wrong.

The faults are those of Kafka's ``ConfigDef.parseType`` and ``ConnectorConfig.EnrichablePlugin``;
where a class is not found, they also say what there is.
"""

from __future__ import annotations

from typing import Any, Final

from connector.config import Validator, invalid
from connector.errors import ConfigError, NotFoundError
from connector.plugin import PluginInfo, PluginKind, Plugins
from connector.worker.plugin_versions import VersionError, version_fault

_INTERFACES: Final[dict[PluginKind, str]] = {
    "converter": "Converter",
    "header_converter": "HeaderConverter",
    "transformation": "Transformation",
    "predicate": "Predicate",
    "source": "Connector",
}


def names(plugins: Plugins, kind: PluginKind) -> tuple[str, ...]:
    """Return the class names of a kind of plugins."""
    return tuple(plugin.class_name for plugin in plugins.all() if plugin.kind == kind)


def plugin_of(
    plugins: Plugins, class_name: str | None, kind: PluginKind | None = None
) -> PluginInfo | None:
    """Return a plugin, None when there is no such plugin."""
    try:
        return plugins.info(class_name or "", kind)
    except (NotFoundError, ConfigError):
        return None


def is_plugin(plugins: Plugins, kind: PluginKind) -> Validator:
    """Accept the names of plugins of one kind, and say what there is otherwise."""

    def check(key: str, value: Any) -> str | None:
        if value is None:
            return None
        try:
            plugins.info(value, kind)
        except ConfigError as error:
            return str(error)
        except NotFoundError:
            return _other_kind(plugins, value, kind) or _not_found(plugins, key, value, kind)
        return None

    return check


def is_known(plugins: Plugins, class_name: str, kind: PluginKind) -> bool:
    """Return whether Java would find a class, whatever it is for."""
    return plugin_of(plugins, class_name) is not None or bool(_below(plugins, class_name, kind))


def _below(plugins: Plugins, class_name: str, kind: PluginKind) -> list[str]:
    """Return the classes of which one in Java is the abstract base, such as ``Cast$Key``."""
    return [name for name in names(plugins, kind) if name.startswith(class_name.strip() + "$")]


def _other_kind(plugins: Plugins, class_name: str, kind: PluginKind) -> str | None:
    below = _below(plugins, class_name, kind)
    if below:
        meant = ", ".join(below)
        return f"This class is abstract and cannot be created. Did you mean {meant}?"
    found = plugin_of(plugins, class_name)
    if found is None:
        return None
    return f"Class class {found.class_name} does not implement the {_INTERFACES[kind]} interface"


def _not_found(plugins: Plugins, key: str, class_name: str, kind: PluginKind) -> str:
    there = ", ".join(names(plugins, kind)) or "none"
    reason = f"Class {class_name} could not be found. Available here: {there}."
    return str(invalid(key, class_name, reason))


def meets_version(plugin: PluginInfo | None) -> Validator:
    """Accept the requirements that the version of a plugin meets; without one all that are read."""
    class_name, version = (plugin.class_name, plugin.version) if plugin else ("", None)

    def check(_: str, value: Any) -> str | None:
        try:
            return None if value is None else version_fault(class_name, version, value)
        except VersionError as error:
            return str(error)

    return check


def can_be_read(required: str) -> bool:
    """Return whether a requirement of a version is one."""
    return meets_version(None)("", required) is None
