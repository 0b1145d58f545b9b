"""Expressions about records in CEL, the Common Expression Language: safe, without side effects."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from connector.data.java_numbers import decimal_float
from connector.data.record import Record
from connector.data.schema import Schema
from connector.data.schema_cache import SchemaCache
from connector.data.symbolic import NotCompilableError, Symbol, or_default
from connector.errors import ConfigError, TransformError
from connector.names import CONNECT_DECIMAL
from connector.transforms.part import Convert
from connector.transforms.script_comparisons import UNDEFINED_VALUE

VARIABLES: Final = frozenset(
    ("key", "value", "keySchema", "valueSchema", "topic", "headers", "header")
)
_SIZE: Final = "_size"
_FUNCTIONS: Final = frozenset(
    f"{_SIZE} length startsWith endsWith contains matches int uint double string bytes timestamp "
    "duration type dyn getFullYear getMonth getDate getDayOfMonth getDayOfWeek getDayOfYear "
    "getHours getMinutes getSeconds".split()
)
_TYPES: Final = frozenset(
    ("bool", "int", "uint", "double", "string", "bytes", "list", "map", "null_type", "type")
)
_FAILURES: Final = (
    ArithmeticError, AttributeError, LookupError, NotCompilableError, RuntimeError, TypeError,
    ValueError,
)  # fmt: skip
# Texts as CEL writes them, raw ones first: what looks like a call in them is none.
_RAW: Final = r"""[rR][bB]?(?:'[^'\n]*'|"[^"\n]*")"""
_QUOTED: Final = r"""'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*\""""
_SIZE_CALL: Final = re.compile(rf"{_RAW}|{_QUOTED}|\bsize(?=\s*\()")
_TEXT: Final = re.compile(_QUOTED)
_MATCHES_CALL: Final = re.compile(
    rf"{_RAW}|{_QUOTED}|\bmatches\s*\(\s*(?P<pattern>{_RAW}|{_QUOTED})\s*\)"
)
_OPERATOR: Final = re.compile(r"[-+*/%<>=!&|?.(\[]|\bin\b")
# Each operator may take a level of the stack, whose end would be that of the worker.
_MAX_OPERATORS: Final = 3_000
_MEMBER: Final = re.compile(r"\.\s*([A-Za-z_]\w*)(?!\w|\s*\()|\[\s*'(\w+)'\s*\]")


class CelExpression:
    """An expression that is evaluated for records.

    Its variables are those of Debezium's scripts: key, value, topic, headers and schemas. A field
    that does not exist fails it, or with ``has_undefined`` is undefined, which is null as
    the result.
    """

    def __init__(self, text: str, *, has_undefined: bool = False) -> None:
        import cel  # noqa: PLC0415 - it takes 27 MB, which only those pay who use it

        if len(_OPERATOR.findall(_TEXT.sub("", text))) > _MAX_OPERATORS:
            raise ConfigError(f"The expression {text[:40]}… is too long: write lists with in.")
        try:
            self._program = cel.compile(_SIZE_CALL.sub(_own_size, text))
        except ValueError as error:
            # The message repeats the expression in a picture; its first sentence says it all.
            reason = str(error).partition("ERROR: ")[2].splitlines() or [str(error)]
            raise ConfigError(f"{text} is not an expression in CEL: {reason[0]}") from None
        for match in _MATCHES_CALL.finditer(text):
            if match["pattern"]:
                _check_pattern(cel, match["pattern"])
        self._text = text
        used = set(self._program.variables())
        unknown = {
            name for name in used - VARIABLES - _TYPES if not re.search(rf"\(\s*{name}\s*,", text)
        }
        if unknown:
            known = ", ".join(sorted(VARIABLES))
            raise ConfigError(f"Unknown variable {min(unknown)}; available: {known}.")
        called = set(filter(str.isidentifier, self._program.functions()))
        missing = called - _FUNCTIONS
        if missing:
            raise ConfigError(f"CEL has no function {min(missing)}.")
        self._used = used & VARIABLES
        self._counts = {name: count for name, count in _COUNTS.items() if name in called}
        self._members = {name: _members(text, name) for name in ("key", "value")}
        names = map("".join, _MEMBER.findall(text)) if has_undefined else ()
        self._absent: dict[str, Any] = dict.fromkeys(names, UNDEFINED_VALUE)
        self._has_undefined = has_undefined
        self._native = SchemaCache(lambda schema: _native(schema, self._absent))

    def evaluate(self, record: Record) -> Any:
        """Return the result for a record.

        :raises TransformError: there is none; the message holds no values.
        """
        variables: dict[str, Any] = {**self._counts}
        try:
            variables |= {name: self._variable(name, record) for name in self._used}
            result = self._program.execute(variables)
        except _FAILURES as error:
            if any(map(_holds_symbol, (record.key, record.value, *_values(record)))):
                raise NotCompilableError("an expression depends on a value") from None
            raise TransformError(f"The expression {self._text} failed: {_reason(error)}") from None
        return None if self._has_undefined and result == UNDEFINED_VALUE else result

    def _variable(self, name: str, record: Record) -> Any:
        if name == "value":
            return self._part(name, record.value_schema, record.value)
        if name == "key":
            return self._part(name, record.key_schema, record.key)
        if name == "topic":
            return record.topic
        if name in ("headers", "header"):
            return {
                header.name: {
                    "value": self._convert(header.schema, header.value),
                    "schema": _described(header.schema),
                }
                for header in record.headers
            }
        return _described(record.value_schema if name == "valueSchema" else record.key_schema)

    def _part(self, name: str, schema: Schema | None, value: Any) -> Any:
        """Return a key or value: only the members that the expression names, if it names them."""
        members = self._members[name]
        if members is None or not isinstance(value, dict):
            return self._convert(schema, value)
        absent = {name: value for name, value in self._absent.items() if name in members}
        if schema is None:
            return absent | {member: value[member] for member in members if member in value}
        fields = ((member, schema.field(member)) for member in members)
        return absent | {
            member: self._convert(field.schema, or_default(value.get(member), field.schema.default))
            for member, field in fields
            if field is not None
        }

    def _convert(self, schema: Schema | None, value: Any) -> Any:
        if schema is None or value is None:
            return value
        native = self._native.of(schema)
        return value if native is None else native(value)


def _check_pattern(cel: Any, pattern: str) -> None:
    """Refuse a pattern in an expression that would fail with the first record."""
    try:
        cel.compile(f"''.matches({pattern})").execute({})
    except _FAILURES as error:
        reason = str(error).rpartition("error: ")[2].partition(". Check function")[0]
        raise ConfigError(f"{pattern} is no regular expression of CEL: {reason}.") from None


def _own_size(match: re.Match[str]) -> str:
    """Return the name of our function for CEL's: the package counts the bytes of a text."""
    return _SIZE if match[0] == "size" else match[0]


def _length(value: Any) -> int:
    """Return how long a text is in Java and JavaScript, which count UTF-16 units."""
    if value == UNDEFINED_VALUE:
        raise TypeError
    return len(value.encode("utf-16-le")) // 2 if isinstance(value, str) else len(value)


_COUNTS: Final = {_SIZE: len, "length": _length}


def _members(text: str, name: str) -> list[str] | None:
    """Return the members of a variable that an expression uses; None for all."""
    found: dict[str, None] = {}
    for match in re.finditer(rf"\b{name}\b", text):
        member = _MEMBER.match(text, match.end())
        if member is None:
            return None
        found[member[1] or member[2]] = None
    return list(found)


def _native(schema: Schema, absent: Mapping[str, Any]) -> Convert | None:
    """Return what makes values that CEL understands of those of a schema; None if they are.

    A member of a struct that is null has the default of its schema, as in Java's ``Struct.get``.
    Structs get the members ``absent`` that their schema does not have.
    """
    if schema.name == CONNECT_DECIMAL:
        scale = int((schema.parameters or {}).get("scale", "0"))
        return lambda value: decimal_float(value, scale)
    if schema.type == "struct":
        members = [(field.name, _member(field.schema, absent)) for field in schema.fields]
        changed = [(name, native) for name, native in members if native is not None]
        added = {name: value for name, value in absent.items() if schema.field(name) is None}
        return _struct(changed, added) if changed or added else None
    native = None if schema.items is None else _native(schema.items, absent)
    if native is None:
        return None
    if schema.type == "array":
        return lambda values: [None if item is None else native(item) for item in values]
    return lambda pairs: {
        key: None if item is None else native(item) for key, item in pairs.items()
    }


def _struct(changed: list[tuple[str, Convert]], added: dict[str, Any]) -> Convert:
    def convert(struct: dict[str, Any]) -> dict[str, Any]:
        converted = added | struct
        for name, native in changed:
            if name in converted:
                converted[name] = native(converted[name])
        return converted

    return convert


def _member(schema: Schema, absent: Mapping[str, Any]) -> Convert | None:
    """Return what makes values of a struct's member ones that CEL understands; None if they are."""
    native, default = _native(schema, absent), schema.default
    if native is None:
        return None if default is None else lambda value: or_default(value, default)

    def convert(value: Any) -> Any:
        value = or_default(value, default)
        return None if value is None else native(value)

    return convert


def _described(schema: Schema | None) -> dict[str, Any] | None:
    """Return what an expression can know of a schema."""
    if schema is None:
        return None
    fields = [field.name for field in schema.fields]
    return {
        "name": schema.name, "type": schema.type.upper(), "version": schema.version,
        "optional": schema.optional, "fields": fields,
    }  # fmt: skip


def _reason(error: Exception) -> str:
    """Return why an expression failed, without values."""
    if isinstance(error, KeyError):
        return "it names a field that does not exist"
    if isinstance(error, TypeError):
        return "an operation does not fit the types of its operands, one may be null"
    return type(error).__name__


def _values(record: Record) -> list[Any]:
    return [header.value for header in record.headers]


def _holds_symbol(value: Any) -> bool:
    if isinstance(value, dict):
        return any(map(_holds_symbol, value.values()))
    return isinstance(value, Symbol)
