"""Configured transforms as functions, applied in order."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence

from connector.data.record import Record
from connector.plugin import TransformStep

log = logging.getLogger(__name__)


def chain(steps: Sequence[TransformStep]) -> list[Callable[[Record], Record | None]]:
    """Return the functions that records go through, in order."""
    return [_function(step) for step in steps]


def _function(step: TransformStep) -> Callable[[Record], Record | None]:
    apply = step.transform.apply
    if step.predicate is None:
        return apply
    test, negate = step.predicate.test, step.negate
    return lambda record: apply(record) if test(record) is not negate else record


def compilable(steps: Sequence[TransformStep]) -> bool:
    """Return whether all steps can be compiled; log which cannot."""
    refusing = [
        step.alias
        for step in steps
        if not all(getattr(part, "compilable", part is None) for part in _parts(step))
    ]
    if refusing:
        log.info(
            "Rows take the generic path, which is slower: transforms that cannot be compiled: %s",
            ", ".join(refusing),
        )
    return not refusing


def _parts(step: TransformStep) -> tuple[object, object]:
    return step.transform, step.predicate
