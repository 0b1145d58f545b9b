"""Plugins inside a connector's configuration: transforms, predicates and converters.

Each brings keys of its own under a prefix, ``transforms.<alias>.`` or ``key.converter.``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from connector.config import (
    REQUIRED,
    ConfigDef,
    ConfigKey,
    ConfigValue,
    Validator,
    convert,
    settings_below,
)
from connector.errors import ConfigError, NotFoundError
from connector.plugin import Component, PluginKind, Plugins
from connector.worker.connector_config import (
    CONVERTERS,
    is_plugin,
    names,
    prefix_key,
    version_of,
)

CONVERTER_TYPE: Final = ConfigKey(
    "converter.type", "STRING", REQUIRED, "LOW", "What the converter is for: key, value or header."
)
_KINDS: Final[dict[str, tuple[PluginKind, str, str]]] = {
    "transforms": ("transformation", "Transforms", "Transformation"),
    "predicates": ("predicate", "Predicates", "Predicate"),
}

_IMPORTANCES: Final = ("HIGH", "MEDIUM", "LOW")

KeyReports = dict[str, ConfigValue]


def aliases(config: Mapping[str, str], what: str) -> list[str]:
    """Return the names listed under ``transforms`` or ``predicates``, each once."""
    return list(dict.fromkeys(convert(what, "LIST", config.get(what) or "")))


def component_of(plugins: Plugins, name: str | None, kind: PluginKind) -> type[Component] | None:
    """Return the class of a nested plugin, None when it does not exist."""
    try:
        return plugins.component(name or "", kind)
    except (ConfigError, NotFoundError):
        return None


def chain_keys(config: Mapping[str, str], plugins: Plugins) -> ConfigDef:
    """Return the keys of all transforms and predicates of a configuration."""
    return ConfigDef(
        key
        for what in _KINDS
        for alias in aliases(config, what)
        for key in _alias_keys(what, alias, config, plugins)
    )


def _alias_keys(
    what: str, alias: str, config: Mapping[str, str], plugins: Plugins
) -> Iterator[ConfigKey]:
    kind, title, noun = _KINDS[what]
    prefix, group = f"{what}.{alias}.", f"{title}: {alias}"
    class_name = config.get(prefix + "type")
    component = component_of(plugins, class_name, kind)
    version = version_of(plugins, class_name, kind)
    yield ConfigKey(
        prefix + "type", "CLASS", REQUIRED, "HIGH", f"Class of the {noun.lower()} {alias}.",
        group, 0, "LONG", f"{noun} type for {alias}", is_plugin(plugins, kind),
        names(plugins, kind),
    )  # fmt: skip
    yield ConfigKey(
        prefix + "plugin.version", "STRING", version, "HIGH", f"Version of {alias}.",
        group, 1, "LONG", f"{noun} version for {alias}",
        recommended=(version,) if version else (),
    )  # fmt: skip
    if component is not None:
        conditions = _condition_keys(prefix, aliases(config, "predicates"))
        own = [*component.config_def, *(conditions if what == "transforms" else ())]
        for order, key in enumerate(_sort_keys(own), start=2):
            nested = f"{group}: {key.group}" if key.group else group
            yield prefix_key(
                key, prefix, group=nested, order=order, validator=_nested_validator(key)
            )


def _sort_keys(keys: Sequence[ConfigKey]) -> list[ConfigKey]:
    """Sort keys as Kafka does: by group, order, those required first, importance and name."""
    groups = list(dict.fromkeys([None, *(key.group for key in keys)]))
    return sorted(
        keys,
        key=lambda key: (
            key.internal,  # behind the others, which are numbered as if there were none
            groups.index(key.group),
            key.order,
            not key.required,
            _IMPORTANCES.index(key.importance),
            key.name,
        ),
    )


def _nested_validator(key: ConfigKey) -> Validator | None:
    """Return the validator of a nested key; Kafka's errors name the key without prefix."""
    validator = key.validator
    return None if validator is None else lambda _, value: validator(key.name, value)


def _condition_keys(prefix: str, predicates: list[str]) -> Iterator[ConfigKey]:
    def exists(_: str, value: Any) -> str | None:
        if value is None or value in predicates:
            return None
        name = f"{prefix}predicate"
        return f"Config '{name}' refers to a predicate '{value}' that 'predicates' does not list."

    yield ConfigKey(
        "negate", "BOOLEAN", False, "MEDIUM",
        "Whether the transform runs where its predicate does not hold.",
    )  # fmt: skip
    yield ConfigKey(
        "predicate", "STRING", None, "MEDIUM",
        "Name of the predicate that selects the records of the transform.", validator=exists,
    )  # fmt: skip


def check_chain(config: Mapping[str, str], plugins: Plugins, report: KeyReports) -> None:
    """Add the errors that concern several keys: conditions, and plugins that refuse."""
    for what, (kind, *_) in _KINDS.items():
        for alias in aliases(config, what):
            prefix = f"{what}.{alias}."
            if prefix + "negate" in config and prefix + "predicate" not in config:
                report[prefix + "type"].errors.append(
                    f"Config '{prefix}negate' was provided but there is no config "
                    f"'{prefix}predicate' defining a predicate to be negated."
                )
            _try_to_build(
                config, prefix, component_of(plugins, config.get(prefix + "type"), kind), report
            )


def _try_to_build(
    config: Mapping[str, str], prefix: str, component: type[Component] | None, report: KeyReports
) -> None:
    """Build a transform without errors so far: it may check more than each key by itself."""
    faulty = any(value.errors for key, value in report.items() if key.startswith(prefix))
    if component is None or faulty:
        return
    try:
        component(settings_below(config, prefix))
    except ConfigError as error:
        report[prefix + "type"].errors.append(str(error))


def check_converters(config: Mapping[str, str], plugins: Plugins, report: KeyReports) -> None:
    """Add the errors of converters that refuse settings of which each by itself is right."""
    for prefix, keys, settings in converter_keys(config, plugins):
        role = prefix.removesuffix(".")
        component = component_of(plugins, config[role], CONVERTERS[role])
        if component is None or any(value.errors for value in keys.check(settings).values()):
            continue
        try:
            component(settings)
        except ConfigError as error:
            report[role].errors.append(str(error))


def converter_keys(
    config: Mapping[str, str], plugins: Plugins
) -> Iterator[tuple[str, ConfigDef, dict[str, str]]]:
    """Yield ``(prefix, keys, settings)`` of each converter that the connector sets itself."""
    for role in sorted(CONVERTERS):
        component = component_of(plugins, config.get(role), CONVERTERS[role])
        if component is not None:
            settings = {
                **settings_below(config, role + "."),
                "converter.type": role.partition(".")[0],
            }
            yield role + ".", ConfigDef([CONVERTER_TYPE]) + component.config_def, settings


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
