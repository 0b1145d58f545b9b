"""Reading, altering and resetting a connector's offsets on request (KIP-875)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from connector.errors import ConflictError
from connector.plugin import Offset, OffsetStore, Partition

_CHANGED: Final = (
    "The Connect framework-managed offsets for this connector have been {verb} successfully. "
    "However, if this connector manages offsets externally, they will need to be manually {verb} "
    "in the system that the connector uses."
)
_NOT_STOPPED: Final = (
    "Connectors must be in the STOPPED state before their offsets can be modified. This can be "
    "done for the specified connector by issuing a 'PUT' request to the '/connectors/{name}/stop' "
    "endpoint"
)


def refuse_unless_stopped(name: str, *, stopped: bool) -> None:
    """Raise ConflictError, in Connect's words, for a connector that is not stopped."""
    if not stopped:
        raise ConflictError(_NOT_STOPPED.format(name=name))


def alter(store: OffsetStore, name: str, offsets: Sequence[tuple[Partition, Offset | None]]) -> str:
    """Replace the given offsets, None removing one; return the message for the user."""
    store.save_all(name, offsets)
    return _CHANGED.format(verb="altered")


def reset(store: OffsetStore, name: str) -> str:
    """Remove all offsets of a connector; return the message for the user."""
    store.reset(name)
    return _CHANGED.format(verb="reset")
