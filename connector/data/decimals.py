"""Unscaled decimals as bytes: the shortest two's complement, big-endian."""

from __future__ import annotations

from typing import Self

from connector.errors import ConversionError


class ScaledDecimal(int):
    """An unscaled decimal that has a scale of its own, in place of that of its schema.

    MaskField makes such decimals. Texts and numbers keep the scale; bytes cannot, so they fail.
    """

    scale: int
    schema_scale: int

    def __new__(cls, unscaled: int, scale: int, schema_scale: int) -> Self:
        """Return a decimal of a scale, for a schema of another."""
        made = super().__new__(cls, unscaled)
        made.scale, made.schema_scale = scale, schema_scale
        return made


def scale_of(value: int, scale: int) -> int:
    """Return the scale of an unscaled decimal whose schema has this scale."""
    return value.scale if isinstance(value, ScaledDecimal) else scale


def unscaled_size(value: int) -> int:
    """Return the number of bytes of an unscaled decimal."""
    return ((value if value >= 0 else ~value).bit_length() >> 3) + 1


def unscaled_bytes(value: int) -> bytes:
    """Return the bytes of an unscaled decimal.

    :raises ConversionError: its scale is not that of its schema.
    """
    if isinstance(value, ScaledDecimal):
        raise ConversionError(
            "Decimal value has mismatching scale for given Decimal schema. Schema has scale "
            f"{value.schema_scale}, value has scale {value.scale}."
        )
    return value.to_bytes(unscaled_size(value), "big", signed=True)
