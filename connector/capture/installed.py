"""Extensions of the capture in installed packages: entry points, found by group and name."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import entry_points
from typing import Any

from connector.config import invalid
from connector.errors import ConfigError


def installed_names(group: str) -> list[str]:
    """Return the names of all entry points of a group."""
    return sorted({point.name for point in entry_points(group=group)})


def build_installed(group: str, key: str, name: str, config: Mapping[str, str]) -> Any:
    """Build an extension, which gets the configuration of the connector.

    :param key: the configuration key that names it.
    :raises ConfigError: it is not installed, or refuses the configuration.
    """
    points = entry_points(group=group, name=name)
    for point in points:
        try:
            return point.load()(config)
        except ConfigError:
            raise
        except Exception as error:  # foreign code: whatever it raises refuses the configuration
            raise invalid(
                key, name, f"it cannot be built: {type(error).__name__}: {error}"
            ) from error
    there = ", ".join(installed_names(group)) or "none"
    raise invalid(
        key,
        name,
        f"no installed package has it as an entry point of the group {group}, where there are: "
        f"{there}",
    )
