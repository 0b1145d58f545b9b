"""Pipelines with a chain of transforms, compiled or not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from connector.converters.simple_header import SimpleHeaderConverter
from connector.debezium.encoder import DebeziumEncoder
from connector.debezium.events import EventOptions
from connector.plugin import TaskConverters, TransformStep
from connector.task.pipeline import Pipeline
from connector.task.transform_chain import chain

UNWRAP = {"type": "io.debezium.transforms.ExtractNewRecordState", "add.fields": "op,source.ts_ms"}


def pipeline_of(
    compiles: bool,
    options: EventOptions,
    converters: tuple[Any, Any],
    steps: Sequence[TransformStep],
    *,
    begun: bool = False,
) -> tuple[Pipeline, list[str]]:
    """Return a pipeline, and the list to which it adds what it skips."""
    skipped: list[str] = []

    def skip(stage: str, error: Exception, topic: str) -> bool:
        skipped.append(f"{stage} {topic} {type(error).__name__} {error}")
        return True

    kinds = TaskConverters(*converters, SimpleHeaderConverter())
    encoder = DebeziumEncoder(options)
    if begun:
        encoder.transaction.begin("a:1")
    return Pipeline(encoder, kinds, chain(steps), skip, compilable=compiles), skipped
