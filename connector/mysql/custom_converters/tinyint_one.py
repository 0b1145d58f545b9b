"""Debezium's TinyIntOneToBooleanConverter: TINYINT(1) as a boolean."""

from __future__ import annotations

from collections.abc import Mapping

from connector.capture.columns import ColumnCodec
from connector.capture.tables import Column, TableId
from connector.codegen import Expression
from connector.data.schema import BOOLEAN
from connector.mysql.custom_converters.selecting import build_codec, flag, selector
from connector.mysql.types import codec_of
from connector.mysql.types.fields import TINY, Fixed, LogField, Wire, mismatch
from connector.mysql.types.type_options import TypeOptions

_NAMES = ("TINYINT", "TINYINT UNSIGNED")
_SYNONYMS = ("BOOL", "BOOLEAN")  # of TINYINT(1), in statements of the log alone


class TinyIntOneToBoolean:
    """Settings: ``selector``; ``length.checker=false`` takes TINYINT of any length."""

    def __init__(self, settings: Mapping[str, str], options: TypeOptions) -> None:
        self._options = options
        self._selects = selector(settings, "selector", default=True)
        self._checks_length = flag(settings, "length.checker", default=True)
        # Debezium takes a negative number to be false, and reads the log as signed
        self._true = "{} != 0" if options.exact else "{} > 0"

    def codec(self, table: TableId, column: Column) -> ColumnCodec | None:
        """Return how the column is read if it is such a TINYINT."""
        name = column.type_name.upper()
        is_synonym = self._options.exact and name in _SYNONYMS
        if not (is_synonym or name in _NAMES) or not self._selects(table, column):
            return None
        if self._checks_length and column.length != 1 and not is_synonym:
            return None
        plain = codec_of(column, self._options)
        default = (
            None if plain is None or plain.schema.default is None else plain.schema.default > 0
        )
        text = Expression(self._true.replace("{}", "int({})"))
        return build_codec(column, BOOLEAN, text, self._field, default, fallback=False)

    def _field(self, wire: Wire) -> LogField:
        if wire.type != TINY:
            raise mismatch("TINYINT", wire)
        return Fixed("b", Expression(self._true))
