"""Single message transforms and predicates, and how they are chained."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from connector.data.record import Record


class Step(Protocol):
    """One configured transform with the predicate that it depends on."""

    @property
    def transform(self) -> Any:
        """The transform; ``apply(record)`` returns a record or None."""

    @property
    def predicate(self) -> Any | None:
        """The predicate; ``test(record)`` tells whether the transform applies."""

    @property
    def negate(self) -> bool:
        """Whether the transform applies where the predicate does not hold."""


def chain(steps: Sequence[Step]) -> list[Callable[[Record], Record | None]]:
    """Return the functions that records go through, in order."""
    return [_function(step) for step in steps]


def _function(step: Step) -> Callable[[Record], Record | None]:
    apply: Callable[[Record], Record | None] = step.transform.apply
    if step.predicate is None:
        return apply
    test: Callable[[Record], bool] = step.predicate.test
    negate = step.negate
    return lambda record: apply(record) if test(record) is not negate else record
