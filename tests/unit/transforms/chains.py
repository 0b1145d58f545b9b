"""Builds the transforms of a configuration."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from connector.config import settings_below
from connector.data.record import Record
from connector.plugin import Plugins, TransformStep
from connector.task.transform_chain import chain
from connector.worker.nested_plugins import aliases


def build(config: Mapping[str, str], plugins: Plugins) -> list[Callable[[Record], Record | None]]:
    return chain([_step(alias, config, plugins) for alias in aliases(config, "transforms")])


def _step(alias: str, config: Mapping[str, str], plugins: Plugins) -> TransformStep:
    settings = settings_below(config, f"transforms.{alias}.")
    transform: Any = plugins.component(settings["type"], "transformation")(settings)
    predicate: Any = None
    if "predicate" in settings:
        own = settings_below(config, f"predicates.{settings['predicate']}.")
        predicate = plugins.component(own["type"], "predicate")(own)
    return TransformStep(alias, transform, predicate, settings.get("negate") == "true")
