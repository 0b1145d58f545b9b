"""Offsets of a connector (KIP-875)."""

from typing import Any

from fastapi import APIRouter

from connector.worker.herder import Herder
from restapi.body import ConnectRoute, is_finite
from restapi.errors import BadRequestError
from restapi.models import ConnectorOffset, ConnectorOffsets, MessageResponse, Name


def offsets(herder: Herder) -> APIRouter:
    """Return the routes of offsets."""
    router = APIRouter(prefix="/connectors/{name}/offsets", route_class=ConnectRoute)

    @router.get("")
    def get(name: Name) -> dict[str, list[dict[str, Any]]]:
        found = herder.offsets(name)
        return {"offsets": [{"partition": part, "offset": offset} for part, offset in found]}

    @router.patch("")
    def alter(name: Name, body: ConnectorOffsets) -> MessageResponse:
        if not body.offsets:
            raise BadRequestError(
                "Partitions / offsets need to be provided for an alter offsets request"
            )
        pairs = [_pair(item) for item in body.offsets]
        return MessageResponse(message=herder.alter_offsets(name, pairs))

    @router.delete("")
    def reset(name: Name) -> MessageResponse:
        return MessageResponse(message=herder.reset_offsets(name))

    return router


def _pair(item: ConnectorOffset) -> tuple[dict[str, Any], dict[str, Any] | None]:
    if not item.partition:
        raise BadRequestError("The partition for a source connector offset is missing")
    for key, value in [*item.partition.items(), *(item.offset or {}).items()]:
        if isinstance(value, dict | list):
            raise BadRequestError(
                "Offsets may only contain primitive types as values, but field "
                f"{key} contains {'MAP' if isinstance(value, dict) else 'ARRAY'}"
            )
        if not is_finite(value):
            raise BadRequestError(f"The number of the field {key} is too large")
    return item.partition, item.offset
