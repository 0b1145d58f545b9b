"""Post-processors: ``post.processors`` names them, each with a type and settings of its own.

The only one that Debezium has for databases is ReselectColumnsPostProcessor: it reads values that
the log lacks from the table.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from connector.capture.selection import Matches, any_of
from connector.config import invalid, settings_below
from connector.errors import ConfigError

KEY: Final = "post.processors"
_RESELECT: Final = "io.debezium.processors.reselect.ReselectColumnsPostProcessor"
_COLUMNS: Final = "reselect.columns."


@dataclass(frozen=True, slots=True)
class ReselectOptions:
    """Settings of one ReselectColumnsPostProcessor.

    ``includes`` selects columns by ``database.table:column``. ``unavailable``: those whose value
    is not in the log; ``nulls``: those that are NULL in it. ``event_key``: rows are found by the
    key of their event instead of the primary key. ``fails``: a row that cannot be read is an error
    instead of a warning.
    """

    includes: Matches
    unavailable: bool = True
    nulls: bool = True
    event_key: bool = False
    fails: bool = False


def post_processors(config: Mapping[str, str]) -> list[ReselectOptions]:
    """Return the post-processors of a configuration in the order in which they are applied.

    :raises ConfigError: a type is missing or not known, or a setting cannot be used.
    """
    names = filter(None, map(str.strip, config.get(KEY, "").split(",")))
    return [_reselect(*_settings(name, config)) for name in names]


def post_processor_faults(config: Mapping[str, str]) -> dict[str, str]:
    """Return what is wrong with the post-processors."""
    try:
        post_processors(config)
    except ConfigError as error:
        return {KEY: str(error)}
    return {}


def _settings(name: str, config: Mapping[str, str]) -> tuple[str, dict[str, str]]:
    """Return the prefix of a processor's keys and its settings.

    They are called ``post.processors.<name>.…``; ``<name>.…`` is the older form.
    """
    for prefix in (f"{KEY}.{name}.", f"{name}."):
        settings = settings_below(config, prefix)
        if settings:
            return prefix, settings
    return f"{KEY}.{name}.", {}


def _reselect(prefix: str, settings: Mapping[str, str]) -> ReselectOptions:
    kind = settings.get("type", "").strip()
    if not kind:
        raise ConfigError(f"The '{prefix}type' value is invalid: A value is required")
    if kind != _RESELECT:
        raise invalid(
            f"{prefix}type", kind, f"not supported: the only post-processor is {_RESELECT}"
        )
    for key in sorted(settings.keys() - {"type", *_setting_names()}):
        raise invalid(prefix + key, settings[key], f"{_RESELECT} has no such setting")
    modes = {"warn": False, "fail": True}
    return ReselectOptions(
        _column_filter(prefix, settings),
        unavailable=_choice(prefix, settings, "reselect.unavailable.values", _TRUTH, "true"),
        nulls=_choice(prefix, settings, "reselect.null.values", _TRUTH, "true"),
        event_key=_choice(prefix, settings, "reselect.use.event.key", _TRUTH, "false"),
        fails=_choice(prefix, settings, "reselect.error.handling.mode", modes, "warn"),
    )


_TRUTH: Final = {"true": True, "false": False}


def _setting_names() -> Iterator[str]:
    yield from (f"{_COLUMNS}include.list", f"{_COLUMNS}exclude.list")
    yield from ("reselect.unavailable.values", "reselect.null.values", "reselect.use.event.key")
    yield "reselect.error.handling.mode"


def _column_filter(prefix: str, settings: Mapping[str, str]) -> Matches:
    """Read the lists; if both are set, the include list counts, as in Debezium."""
    include, exclude = (f"{_COLUMNS}{kind}.list" for kind in ("include", "exclude"))
    if settings.get(include, "").strip():
        return any_of(prefix + include, settings[include])
    if settings.get(exclude, "").strip():
        excluded = any_of(prefix + exclude, settings[exclude])
        return lambda name: not excluded(name)
    return lambda _: True


def _choice(
    prefix: str, settings: Mapping[str, str], key: str, choices: Mapping[str, bool], default: str
) -> bool:
    text = settings.get(key, default).strip().lower()
    if text not in choices:
        reason = f"String must be one of: {', '.join(choices)}"
        raise invalid(prefix + key, settings[key], reason)
    return choices[text]
