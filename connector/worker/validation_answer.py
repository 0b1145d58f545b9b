"""Builds the REST answer to a validation, in Connect's order and rendering."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from connector.config import HIDDEN, ConfigDef, ConfigKey, ConfigValue, render
from connector.errors import ConfigError, NotFoundError
from connector.plugin import Plugins
from connector.worker.config_providers import REFERENCE
from connector.worker.rest_entities import ConfigInfo, ConfigInfos, ConfigKeyInfo, ConfigValueInfo


def config_infos(
    class_name: str,
    sections: Sequence[tuple[ConfigDef, Mapping[str, ConfigValue]]],
    plugins: Plugins,
) -> ConfigInfos:
    """Join the sections: unknown keys first, then all keys as defined.

    Internal keys are left out, except those with errors.
    """
    undefined: list[ConfigInfo] = []
    defined: list[ConfigInfo] = []
    groups: dict[str, None] = {}
    seen: set[str] = set()
    for keys, report in sections:
        for name, value in report.items():
            if name not in keys:
                undefined.append(ConfigInfo(None, _value_info(value, None, plugins)))
        for key in keys:
            value = report.get(key.name) or ConfigValue(key.name)
            if key.name in seen or (key.internal and not value.errors):
                continue
            seen.add(key.name)
            defined.append(ConfigInfo(key_info(key), _value_info(value, key, plugins)))
            if key.group is not None:
                groups[key.group] = None
    infos = undefined + defined
    count = sum(len(info.value.errors) for info in infos)
    return ConfigInfos(class_name, count, list(groups), infos)


def key_info(key: ConfigKey) -> ConfigKeyInfo:
    """Describe one key."""
    return ConfigKeyInfo(
        name=key.name,
        type=key.type,
        required=key.required,
        default_value=render(key.type, key.default),
        importance=key.importance,
        documentation=key.doc,
        group=key.group,
        order_in_group=key.order,
        order=key.order,
        width=key.width,
        display_name=key.display_name or key.name,
        dependents=list(key.dependents),
    )


def _value_info(value: ConfigValue, key: ConfigKey | None, plugins: Plugins) -> ConfigValueInfo:
    text = value.value
    if key is not None and text is not None:
        if key.type == "PASSWORD" and not REFERENCE.search(text):
            text = HIDDEN
        elif key.type == "CLASS":
            text = _full_name(text, plugins)
    return ConfigValueInfo(
        value.name, text, list(value.recommended), list(value.errors), value.visible
    )


def _full_name(name: str, plugins: Plugins) -> str:
    """Return the class of an alias; a name of no plugin stays as it is."""
    try:
        return plugins.info(name).class_name
    except (ConfigError, NotFoundError):
        return name
