"""Configured transforms as functions, applied in order."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from connector.data.record import Record
from connector.plugin import TransformStep


def chain(steps: Sequence[TransformStep]) -> list[Callable[[Record], Record | None]]:
    """Return the functions that records go through, in order."""
    return [_function(step) for step in steps]


def _function(step: TransformStep) -> Callable[[Record], Record | None]:
    apply = step.transform.apply
    if step.predicate is None:
        return apply
    test, negate = step.predicate.test, step.negate
    return lambda record: apply(record) if test(record) is not negate else record
