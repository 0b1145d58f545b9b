"""Configuration definitions in Kafka Connect's terms: typed keys, validation, defaults.

A `ConfigDef` is a list of `ConfigKey`. `ConfigDef.parse` turns a map of strings into typed
values or raises `ConfigError`; `ConfigDef.check` reports on each key for the REST API.
The message texts are those of Kafka's ConfigException, which clients show to their users.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeVar

from connector.data.java import BLANKS, double_text
from connector.data.java_numbers import parse_float
from connector.data.java_regex import compile_java
from connector.errors import ConfigError

ConfigType = Literal[
    "BOOLEAN", "STRING", "INT", "SHORT", "LONG", "DOUBLE", "LIST", "CLASS", "PASSWORD"
]
Importance = Literal["HIGH", "MEDIUM", "LOW"]
Width = Literal["NONE", "SHORT", "MEDIUM", "LONG"]
Validator = Callable[[str, Any], str | None]
Value = TypeVar("Value")

HIDDEN: Final = "[hidden]"
REQUIRED: Final = object()  # marks a key without a default

_RANGES: Final = {"SHORT": 15, "INT": 31, "LONG": 63}
_INTEGER: Final = re.compile(r"[+-]?\d{1,30}")
_COMMA: Final = re.compile(r"\s*,\s*", re.ASCII)


@dataclass(frozen=True, slots=True)
class ConfigKey:
    """One configuration key. ``validator(name, value)`` returns an error text or None."""

    name: str
    type: ConfigType = "STRING"
    default: Any = None
    importance: Importance = "MEDIUM"
    doc: str = ""
    group: str | None = None
    order: int = -1
    width: Width = "NONE"
    display_name: str | None = None
    validator: Validator | None = None
    recommended: tuple[str, ...] = ()
    dependents: tuple[str, ...] = ()
    internal: bool = False

    @property
    def required(self) -> bool:
        """Whether the key has no default."""
        return self.default is REQUIRED


@dataclass(slots=True)
class ConfigValue:
    """What validation says about one key: its value as text and the faults found."""

    name: str
    value: str | None = None
    errors: list[str] = field(default_factory=list)
    recommended: tuple[str, ...] = ()
    visible: bool = True


class ConfigDef:
    """An ordered set of keys."""

    def __init__(self, keys: Iterable[ConfigKey] = ()) -> None:
        self._keys = {key.name: key for key in keys}

    def __iter__(self) -> Iterator[ConfigKey]:
        return iter(self._keys.values())

    def __contains__(self, name: object) -> bool:
        return name in self._keys

    def __getitem__(self, name: str) -> ConfigKey:
        return self._keys[name]

    def __add__(self, other: ConfigDef) -> ConfigDef:
        return ConfigDef([*self, *(key for key in other if key.name not in self)])

    def parse(self, config: Mapping[str, str | None]) -> dict[str, Any]:
        """Return a typed value for every key; raise `ConfigError` for the first fault."""
        values: dict[str, Any] = {}
        for key in self:
            value, error = resolve(key, config.get(key.name))
            if error:
                raise ConfigError(error)
            values[key.name] = value
        return values

    def check(self, config: Mapping[str, str | None]) -> dict[str, ConfigValue]:
        """Report on every key: value as text, faults, recommended values."""
        report = {}
        for key in self:
            value, error = resolve(key, config.get(key.name))
            text = render(key.type, value)
            faults = [error] if error else []
            report[key.name] = ConfigValue(key.name, text, faults, key.recommended)
        return report


def resolve(key: ConfigKey, text: str | None) -> tuple[Any, str | None]:
    """Return ``(value, error text)`` for one key.

    A text that cannot be read as the key's type has no value; one that the key's validator
    refuses has both, and clients are shown both.
    """
    if text is None:
        if key.required:
            return None, f'Missing required configuration "{key.name}" which has no default value.'
        value = key.default
    else:
        try:
            value = convert(key.name, key.type, text)
        except ConfigError as error:
            return None, str(error)
    fault = key.validator(key.name, value) if key.validator else None
    if fault and value and key.type == "PASSWORD":
        fault = fault.replace(value, HIDDEN)
    return value, fault


def convert(name: str, kind: ConfigType, text: str) -> Any:
    """Turn the text of a value into its type, as Kafka's ``ConfigDef.parseType`` does.

    :raises ConfigError: in Kafka's words, naming key and value.
    """
    trimmed = text.strip(BLANKS)
    if kind == "BOOLEAN":
        if trimmed.lower() not in ("true", "false"):
            raise invalid(name, text, "Expected value to be either true or false")
        return trimmed.lower() == "true"
    if kind in _RANGES:
        return _integer(name, kind, trimmed)
    if kind == "DOUBLE":
        try:
            return parse_float(trimmed)
        except ValueError:
            raise invalid(name, text, "Not a number of type DOUBLE") from None
    if kind == "LIST":
        return _COMMA.split(trimmed) if trimmed else []
    return text if kind == "PASSWORD" else trimmed


def _integer(name: str, kind: str, text: str) -> int:
    limit = 1 << _RANGES[kind]
    if not _INTEGER.fullmatch(text) or not -limit <= int(text) < limit:
        raise invalid(name, text, f"Not a number of type {kind}")
    return int(text)


def invalid(name: str, value: object, reason: str) -> ConfigError:
    """Build the error for a bad value, worded as Kafka words it."""
    return ConfigError(f"Invalid value {value} for configuration {name}: {reason}")


def render(kind: ConfigType, value: Any) -> str | None:
    """Return the text of a value as the REST API shows it; secrets are hidden."""
    if value is None or value is REQUIRED:
        return None
    if kind == "PASSWORD":
        return HIDDEN
    if kind == "LIST":
        return ",".join(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    return double_text(value) if kind == "DOUBLE" else str(value)


def one_of(*allowed: str, case_sensitive: bool = False) -> Validator:
    """Accept only the given values; None passes."""
    accepted = {item if case_sensitive else item.lower() for item in allowed}

    def check(name: str, value: Any) -> str | None:
        if value is None or (value if case_sensitive else str(value).lower()) in accepted:
            return None
        choices = ", ".join(allowed)
        return str(invalid(name, value, f"String must be one of: {choices}"))

    return check


def at_least(minimum: float) -> Validator:
    """Accept numbers from ``minimum`` on; None passes."""

    def check(name: str, value: Any) -> str | None:
        if value is None or value >= minimum:
            return None
        return str(invalid(name, value, f"Value must be at least {minimum}"))

    return check


def non_empty(name: str, value: Any) -> str | None:
    """Refuse an empty string."""
    if value is None or value:
        return None
    return str(invalid(name, "", "String must be non-empty"))


def only(*supported: Any, because: str) -> Validator:
    """Accept only values that work here; others are refused with the reason."""

    def check(name: str, value: Any) -> str | None:
        if value is None or value in supported:
            return None
        return str(invalid(name, value, f"not supported: {because}"))

    return check


def settings_below(config: Mapping[str, Value], prefix: str) -> dict[str, Value]:
    """Return the settings whose keys begin with a prefix, without the prefix."""
    return {
        key.removeprefix(prefix): value for key, value in config.items() if key.startswith(prefix)
    }


def pairs(items: list[str] | None) -> dict[str, str]:
    """Read ``name=value`` items.

    :raises ValueError: one has another form.
    """
    found = {}
    for item in items or ():
        name, equals, value = (part.strip() for part in item.partition("="))
        if not (name and equals and value) or "=" in value:
            raise ValueError(f"{item} is not of the form name=value")
        found[name] = value
    return found


def compile_regex(key: str, text: str, flags: int = 0) -> re.Pattern[str]:
    """Compile a regular expression of Java.

    :param flags: `re.IGNORECASE` or none.
    :raises ConfigError: naming the key and the text; its cause says what is wrong.
    """
    try:
        return compile_java(text, flags)
    except re.error as error:
        raise invalid(key, text, f"not a regular expression: {error}") from error


def regular_expressions(name: str, value: Any) -> str | None:
    """Accept comma-separated regular expressions."""
    text = ",".join(value) if isinstance(value, list) else value
    for part in re.split(r"(?<!\\),", text or ""):
        try:
            compile_regex(name, part.strip().replace("\\,", ","))
        except ConfigError as error:
            return str(error)
    return None
