"""Transforms and predicates inside a connector's configuration.

Each brings keys of its own under a prefix such as ``transforms.<alias>.``.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from connector.config import REQUIRED, ConfigDef, ConfigKey, ConfigValue, Validator
from connector.errors import ConfigError, NotFoundError
from connector.plugin import Component, PluginKind, Plugins
from connector.worker.connector_config import list_names, prefix_key
from connector.worker.plugin_classes import is_known, is_plugin, meets_version, names, plugin_of

_KINDS: Final[dict[str, tuple[PluginKind, str, str]]] = {
    "transforms": ("transformation", "Transforms", "Transformation"),
    "predicates": ("predicate", "Predicates", "Predicate"),
}

_IMPORTANCES: Final = ("HIGH", "MEDIUM", "LOW")

KeyReports = dict[str, ConfigValue]
Value = TypeVar("Value")
Groups = dict[str, dict[str, Value]]


def aliases(config: Mapping[str, str], what: str) -> list[str]:
    """Return the names listed under ``transforms`` or ``predicates``, each once."""
    return list_names(what, config.get(what))


def group_by_alias(values: Mapping[str, Value], what: str, names: Collection[str]) -> Groups[Value]:
    """Return the values below ``<what>.<alias>.`` for each alias, all read once.

    An alias may hold dots: ``transforms.a.b.type`` is below ``a`` and below ``a.b``.
    """
    found: Groups[Value] = {name: {} for name in names}
    lengths = {len(name) for name in found}
    longest, start = max(lengths, default=0), len(what) + 1
    for key, value in values.items():
        if not key.startswith(f"{what}."):
            continue
        dot = key.find(".", start)
        while 0 <= dot - start <= longest:
            if dot - start in lengths and (group := found.get(key[start:dot])) is not None:
                group[key[dot + 1 :]] = value
            dot = key.find(".", dot + 1)
    return found


def component_of(plugins: Plugins, name: str | None, kind: PluginKind) -> type[Component] | None:
    """Return the class of a nested plugin, None when it does not exist."""
    try:
        return plugins.component(name or "", kind)
    except (ConfigError, NotFoundError):
        return None


def chain_keys(config: Mapping[str, str], plugins: Plugins) -> ConfigDef:
    """Return the keys of all transforms and predicates of a configuration."""
    return ConfigDef(key for what in _KINDS for key in _kind_keys(what, config, plugins))


def _kind_keys(what: str, config: Mapping[str, str], plugins: Plugins) -> Iterator[ConfigKey]:
    kind, *_ = _KINDS[what]
    role = _Role(what, plugins, is_plugin(plugins, kind), names(plugins, kind))
    predicates = frozenset(aliases(config, "predicates"))
    for alias in aliases(config, what):
        prefix = f"{what}.{alias}."
        settings = {key: config.get(prefix + key) for key in ("type", "plugin.version")}
        yield from _alias_keys(role, alias, settings, predicates)


@dataclass(frozen=True, slots=True)
class _Role:
    """What all transforms, or all predicates, of a configuration share."""

    what: str
    plugins: Plugins
    validator: Validator
    recommended: tuple[str, ...]

    def class_validator(self, version_fault: str | None) -> Validator:
        """Return the checks of one class, whose version counts, too."""
        return lambda key, value: self.validator(key, value) or (value and version_fault)


def _alias_keys(
    role: _Role, alias: str, settings: Mapping[str, str | None], predicates: Collection[str]
) -> Iterator[ConfigKey]:
    kind, title, noun = _KINDS[role.what]
    prefix, group = f"{role.what}.{alias}.", f"{title}: {alias}"
    plugin = plugin_of(role.plugins, settings["type"], kind)
    version = plugin.version if plugin else None
    check_version = meets_version(plugin)
    fault = check_version("", settings["plugin.version"])
    yield ConfigKey(
        prefix + "type", "CLASS", REQUIRED, "HIGH", f"Class of the {noun.lower()} {alias}.",
        group, 0, "LONG", f"{noun} type for {alias}",
        role.class_validator(fault if plugin else None), role.recommended,
    )  # fmt: skip
    yield ConfigKey(
        prefix + "plugin.version", "STRING", version, "HIGH", f"Version of {alias}.",
        group, 1, "LONG", f"{noun} version for {alias}", check_version,
        recommended=(version,) if version else (),
    )  # fmt: skip
    component = component_of(role.plugins, settings["type"], kind)
    if component is not None and fault is None:
        conditions = _condition_keys(prefix, predicates) if role.what == "transforms" else ()
        own = [*component.config_def, *conditions]
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


def _condition_keys(prefix: str, predicates: Collection[str]) -> Iterator[ConfigKey]:
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
        names = aliases(config, what)
        faulty = {key: value for key, value in report.items() if value.errors}
        faults = group_by_alias(faulty, what, names)
        for alias, settings in group_by_alias(config, what, names).items():
            prefix = f"{what}.{alias}."
            named, class_name = report[prefix + "type"], settings.get("type")
            known = class_name is not None and (
                not named.errors or is_known(plugins, class_name, kind)
            )
            if not known:
                named.value = None
            if what == "transforms" and "negate" in settings and "predicate" not in settings:
                # Kafka looks for this before it looks at the class, if it has found that.
                named.errors = [*([] if known else named.errors), _nothing_to_negate(prefix)]
            elif not faults[alias]:
                named.errors += _faults_of(component_of(plugins, class_name, kind), settings)


def _nothing_to_negate(prefix: str) -> str:
    return (
        f"Config '{prefix}negate' was provided but there is no config '{prefix}predicate' "
        "defining a predicate to be negated."
    )


def _faults_of(component: type[Component] | None, settings: Mapping[str, str]) -> list[str]:
    """Build a transform without errors so far: it may check more than each key by itself."""
    try:
        if component is not None:
            component(settings)
    except ConfigError as error:
        return [str(error)]
    return []
