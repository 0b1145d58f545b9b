"""EventRouter: values that hold the payload and columns beside it."""

from __future__ import annotations

from connector.data.schema import OPTIONAL_STRING, Schema, struct
from connector.transforms.outbox_values import EnvelopeSchemas

ROW = struct("srv.shop.outbox.Value", ("type", OPTIONAL_STRING), ("payload", OPTIONAL_STRING))


def test_equal_schemas_of_payloads_share_the_schema_of_the_value() -> None:
    schemas = EnvelopeSchemas([], ignores_missing=False)
    first = schemas.of(Schema("string", optional=True), ROW, "Order")
    assert schemas.of(Schema("string", optional=True), ROW, "Customer") is first
    assert first.name == "srv.shop.outbox.Order.Value"
    assert schemas.of(Schema("string"), ROW, "Customer").name == "srv.shop.outbox.Customer.Value"
