"""Post-processors: ``post.processors`` names them, each with a type and settings of its own.

The one that Debezium ships for databases is `Reselect`: what the log does not tell of a row is
read from its table.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from connector.capture.selection import Matches, any_of
from connector.config import invalid
from connector.errors import ConfigError

KEY: Final = "post.processors"
_RESELECT: Final = "io.debezium.processors.reselect.ReselectColumnsPostProcessor"
_COLUMNS: Final = "reselect.columns."


@dataclass(frozen=True, slots=True)
class Reselect:
    """Settings of one ReselectColumnsPostProcessor.

    ``wants`` tells of which columns, as ``database.table:column``. ``unavailable``: those whose
    value is not in the log; ``nulls``: those that are NULL in it. ``event_key``: rows are found
    by the key of their event in place of the primary key. ``fails``: a row that cannot be read
    is an error in place of a warning.
    """

    wants: Matches
    unavailable: bool = True
    nulls: bool = True
    event_key: bool = False
    fails: bool = False


def post_processors(config: Mapping[str, str]) -> list[Reselect]:
    """Return the post-processors of a configuration in the order in which they are applied.

    :raises ConfigError: a type is missing or not known, or a setting cannot be used.
    """
    names = filter(None, map(str.strip, config.get(KEY, "").split(",")))
    return [_reselect(*_settings(name, config)) for name in names]


def faults(config: Mapping[str, str]) -> dict[str, str]:
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
        settings = {
            key.removeprefix(prefix): value
            for key, value in config.items()
            if key.startswith(prefix)
        }
        if settings:
            return prefix, settings
    return f"{KEY}.{name}.", {}


def _reselect(prefix: str, settings: Mapping[str, str]) -> Reselect:
    kind = settings.get("type", "").strip()
    if not kind:
        raise ConfigError(f"The '{prefix}type' value is invalid: A value is required")
    if kind != _RESELECT:
        raise invalid(
            f"{prefix}type", kind, f"not supported: the only post-processor is {_RESELECT}"
        )
    for key in sorted(settings.keys() - {"type", *_known()}):
        raise invalid(prefix + key, settings[key], f"{_RESELECT} has no such setting")
    modes = {"warn": False, "fail": True}
    return Reselect(
        _wanted(prefix, settings),
        unavailable=_choice(prefix, settings, "reselect.unavailable.values", _TRUTH, "true"),
        nulls=_choice(prefix, settings, "reselect.null.values", _TRUTH, "true"),
        event_key=_choice(prefix, settings, "reselect.use.event.key", _TRUTH, "false"),
        fails=_choice(prefix, settings, "reselect.error.handling.mode", modes, "warn"),
    )


_TRUTH: Final = {"true": True, "false": False}


def _known() -> Iterator[str]:
    yield from (f"{_COLUMNS}include.list", f"{_COLUMNS}exclude.list")
    yield from ("reselect.unavailable.values", "reselect.null.values", "reselect.use.event.key")
    yield "reselect.error.handling.mode"


def _wanted(prefix: str, settings: Mapping[str, str]) -> Matches:
    """Read the lists; with both the one of what is included counts, as in Debezium."""
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
