"""Reads the options of the engine from a connector's configuration."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from connector.capture.backoff import Backoff
from connector.capture.custom_snapshots import custom_mode
from connector.capture.engine import EngineOptions
from connector.capture.notifications import Notifications
from connector.capture.snapshot_plan import Mode, ModeOf


def engine_options(values: Mapping[str, Any], config: Mapping[str, str]) -> EngineOptions:
    """Read what is started when, and what is done about faults."""
    return EngineOptions(
        values["snapshot.mode"].lower(),
        values["snapshot.delay.ms"] / 1000,
        values["streaming.delay.ms"] / 1000,
        Backoff(
            longest=values["retriable.restart.connector.wait.ms"] / 1000,
            attempts=values["errors.max.retries"],
        ),
        custom_mode(config) or _configured_mode(values),
        values["internal.log.position.check.enable"],
        Notifications(values["topic.prefix"], tuple(values["notification.enabled.channels"] or ())),
        values["millrace.snapshot.resumable"],
    )


def _configured_mode(values: Mapping[str, Any]) -> ModeOf:
    """Read what ``snapshot.mode=configuration_based`` stands for."""
    prefix = "snapshot.mode.configuration.based"
    mode = Mode(
        schema=values[f"{prefix}.snapshot.schema"],
        data=values[f"{prefix}.snapshot.data"],
        stream=values[f"{prefix}.start.stream"],
        always=True,
        on_lost_position=values[f"{prefix}.snapshot.on.data.error"],
        on_lost_history=values[f"{prefix}.snapshot.on.schema.error"],
    )
    return lambda _has_offset, _in_snapshot: mode
