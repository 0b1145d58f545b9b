"""Compiles fields of structs to one function, for formats whose pieces are joined bytes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from struct import error as StructError  # noqa: N812 - a class in lower case
from typing import Any, Final

from connector.codegen import compile_function
from connector.data.fragments import Encode
from connector.data.schema import Schema
from connector.errors import ConversionError

UNFIT: Final = (
    AttributeError,
    ConversionError,
    KeyError,
    OverflowError,
    StructError,
    TypeError,
    UnicodeEncodeError,
)
"""What a function raises for a value that does not fit its type."""


def compile_fields(
    parts: Sequence[str],
    names: dict[str, Any],
    explain: Callable[[Sequence[Any]], ConversionError],
) -> Encode:
    """Compile the sources of some fields, which read ``row`` and use ``names``.

    Only a failure looks at the fields one by one: ``explain`` returns its error.
    """
    names |= {"join": b"".join, "unfit": UNFIT, "explain": explain}
    lines = [
        "def encode(row):",
        "    try:",
        f"        return join(({', '.join(parts)}{',' if parts else ''}))",
        "    except unfit:",
        "        raise explain(row) from None",
    ]
    return compile_function(lines, names)


def field_error(
    format_name: str,
    schema: Schema,
    fields: range,
    row: Sequence[Any],
    write: Callable[[int, Any], object],
) -> ConversionError:
    """Return the error for the first value that ``write`` cannot write; it shows no value."""
    for index in fields:
        field = schema.fields[index]
        try:
            write(index, row[index])
        except ConversionError as error:
            reason = str(error)
        except UNFIT as error:
            reason = f"{type(error).__name__} for type {field.schema.type}"
        except IndexError:
            reason = "no value"
        else:
            continue
        where = f" of {schema.name}" if schema.name else ""
        return ConversionError(
            f"Field {field.name}{where} cannot be written as {format_name}: {reason}"
        )
    return ConversionError(f"A value cannot be written as {format_name}")
