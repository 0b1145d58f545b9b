"""DATE and YEAR."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from connector.capture.tables import Column
from connector.codegen import Expression
from connector.data.schema import Schema
from connector.data.semantic import CONNECT_DATE, DATE, ISO_DATE, YEAR
from connector.mysql.types import fields
from connector.mysql.types.calendar import LogDay, adjust_year, civil, day_of_log, epoch_day
from connector.mysql.types.family import ColumnType
from connector.mysql.types.fields import Fixed, FromLog, LogField, Wire, mismatch
from connector.mysql.types.result_cache import ResultCache
from connector.mysql.types.temporal_literals import read_date
from connector.mysql.types.type_options import TypeOptions

_NEWDATE = 14


def date(column: Column, options: TypeOptions) -> ColumnType:
    """Describe a DATE: days since the epoch, or ISO text."""
    adjust = adjust_year if options.adjust_years else int
    days_of_text = _from_text(adjust)
    finish: Callable[[int | None], object] = _same
    schema: Schema = DATE
    fallback: object = 0
    if options.time_precision == "isostring":
        finish, schema, fallback = _iso, ISO_DATE, "1970-01-01Z"
    elif options.time_precision == "connect":
        schema = CONNECT_DATE
    native = ("iso-day" if finish is _iso else "day",)
    known = ResultCache[bytes, object](lambda data: finish(days_of_text(data)))
    return ColumnType(
        schema,
        Expression("@days[{}]", {"days": known}, native),
        _from_log(day_of_log(adjust, exact=options.exact), finish, native),
        lambda literal: finish(_literal(literal, column, days_of_text)),
        fallback,
        may_be_absent=True,
    )


def year(column: Column, options: TypeOptions) -> ColumnType:  # noqa: ARG001 - a family
    """Describe a YEAR. The row image holds the years since 1900, with 0 for the year 0000.

    Debezium takes that to be 2000 in a snapshot, and 1900 in the log.
    """
    if options.exact:
        text = Expression("@f({})", {"f": _whole_year}, ("year",))
        return ColumnType(YEAR, text, _exact_year_field, _whole_year, 0)
    return ColumnType(
        YEAR,
        Expression("@f(int({}))", {"f": adjust_year}, ("year",)),
        _year_field,
        lambda literal: adjust_year(int(literal)),
        0,
    )


def _year_field(wire: Wire) -> LogField:
    if wire.type != fields.YEAR:
        raise mismatch("YEAR", wire)
    return Fixed("B", Expression("(1900 + {})", native=("year",)))


def _exact_year_field(wire: Wire) -> LogField:
    convert = Expression("({} and {} + 1900)", native=("year-or-zero",))
    return replace(_year_field(wire), convert=convert)


def _whole_year(text: bytes | str) -> int:
    """Read a year of four digits; those of the old YEAR(2) have two."""
    return int(text) if len(text) == 4 else adjust_year(int(text))


def _same(days: int | None) -> int | None:
    return days


def _iso(days: int | None) -> str | None:
    if days is None:
        return None
    year, number, day = civil(days)
    return f"{year:04d}-{number:02d}-{day:02d}Z"


def _from_text(adjust: Callable[[int], int]) -> Callable[[bytes | str], int | None]:
    def convert(data: bytes | str) -> int | None:
        # a zero year is no fault in the text: Debezium reads it as a two-digit year
        return epoch_day(adjust(int(data[:4])), int(data[5:7]), int(data[8:10]))

    return convert


def _from_log(
    log_day: LogDay, finish: Callable[[int | None], object], native: tuple[str]
) -> FromLog:
    def days(data: bytes) -> object:
        packed = int.from_bytes(data, "little")
        return finish(log_day(packed >> 9, packed >> 5 & 15, packed & 31))

    def field(wire: Wire) -> LogField:
        if wire.type not in (fields.DATE, _NEWDATE):
            raise mismatch("DATE", wire)
        return Fixed("3s", Expression("@days[{}]", {"days": ResultCache(days)}, native))

    return field


def _literal(
    literal: str, column: Column, convert: Callable[[bytes | str], int | None]
) -> int | None:
    """Read a default; a zero date is the epoch in a column that cannot be null."""
    if literal == "0" or "-00" in literal or literal.startswith("0000"):
        return None if column.optional else 0
    return convert(read_date(literal))
