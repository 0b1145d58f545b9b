"""Source that writes the messages of a row, from records with symbols in place of values.

For the rows that a chain of unwrap and RegexRouter makes of a table with two columns, where a
field ``__ts_ms`` was added, it is::

    def bind_event(source, ts_ms, ts_us, ts_ns):
        def write_row(before, after, number, block, next_block, position, add):
            add(new(Message, (n0, None, join((n1, n2((after[0],)), n3)),
                join((n4, n5((*after[0:2], ts_ms)), n6)), None, None)))
        return write_row

`bind_event` runs once for an event of the log and encodes what all its rows share.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, Protocol

from connector.codegen import compile_function
from connector.data.fragments import Encode, Fragments, Wrap
from connector.data.record import EncodeHeader, Header, Message, Record
from connector.data.schema import Schema
from connector.data.symbolic import CONSTANT, EVENT, ROW, NotCompilableError, Symbol, scope_of
from connector.debezium.row_slices import merge_slices
from connector.debezium.symbolic_events import EVENT_ARGUMENTS, ROW_ARGUMENTS, ROW_NUMBER

_KNOWN_NUMBERS: Final = 4096

WriteRow = Callable[..., None]
BindEvent = Callable[..., WriteRow]
Piece = tuple[int, Any]
"""Some bytes: their scope, and the bytes if they are constant, else their source."""


class PartConverter(Protocol):
    """Writes keys or values."""

    def from_connect(self, topic: str, schema: Schema | None, value: Any, /) -> bytes | None:
        """Return the bytes; None is a null."""


class MessageCode:
    """Composes the functions that write the messages of one kind of rows."""

    def __init__(
        self, value: PartConverter, key: PartConverter, encode_header: EncodeHeader
    ) -> None:
        self._value = value
        self._key = key
        self._encode_header = encode_header
        self._names: dict[str, Any] = {"join": b"".join, "new": tuple.__new__, "Message": Message}
        self._event_lines: list[str] = []
        self._row_lines: list[str] = []
        self._written: dict[int, Symbol] = {}  # by their ids, which live as long as they do

    def add(self, record: Record, timestamp: int | None) -> None:
        """Write this record.

        :raises NotCompilableError: its topic or partition depends on the row.
        """
        topic = record.topic
        if any(isinstance(part, Symbol) for part in (topic, record.partition, timestamp)):
            raise NotCompilableError("the topic or the partition depends on a value")
        key = self._bytes(self._key, topic, record.key_schema, record.key)
        value = self._bytes(self._value, topic, record.value_schema, record.value)
        fields = (
            self.bound(topic), repr(record.partition), key, value,
            self.headers(record.headers), repr(timestamp),
        )  # fmt: skip
        self._row_lines.append(f"add(new(Message, ({', '.join(fields)})))")

    def add_calls(self, calls: Sequence[Symbol]) -> bool:
        """Call what the messages leave out, as that may fail, too; return whether there is any."""
        left_out = False
        for symbol in reversed(calls):  # one of them may be a part of a later one
            if id(symbol) not in self._written:
                left_out = True
                self._row_lines.append(self._hoisted(symbol.scope, self.source(symbol)))
        return left_out

    def compile(self) -> BindEvent:
        """Return the function for an event of the log; it returns that for a row."""
        lines = [
            f"def bind_event({', '.join(EVENT_ARGUMENTS)}):",
            *(f"    {line}" for line in self._event_lines),
            f"    def write_row({', '.join(ROW_ARGUMENTS)}, add):",
            *(f"        {line}" for line in self._row_lines or ["pass"]),
            "    return write_row",
        ]
        return compile_function(lines, self._names)

    @property
    def depends_on_events(self) -> bool:
        """Whether something that was composed differs between events of the log."""
        return bool(self._event_lines)

    def compile_event(self, results: Sequence[str]) -> Callable[..., tuple[Any, ...]]:
        """Return the function for an event of the log that returns what these sources give."""
        lines = [
            f"def bind_event({', '.join(EVENT_ARGUMENTS)}):",
            *(f"    {line}" for line in self._event_lines),
            f"    return ({', '.join(results)},)",
        ]
        return compile_function(lines, self._names)

    def _bytes(
        self, converter: PartConverter, topic: str, schema: Schema | None, value: Any
    ) -> str:
        """Return the source of a key or value."""
        scope = scope_of(value)
        if scope == CONSTANT:
            return self.bound(converter.from_connect(topic, schema, value))
        if isinstance(converter, Fragments) and _is_struct(schema, value):
            assert schema is not None
            start, end = converter.frame(schema, topic)
            struct = StructCode(self, converter)
            return self.joined([(CONSTANT, start), *struct.pieces(schema, value), (CONSTANT, end)])
        convert = self.bound(converter.from_connect)
        source = f"{convert}({self.bound(topic)}, {self.bound(schema)}, {self.source(value)})"
        return self._hoisted(scope, source)

    def joined(self, pieces: Sequence[Piece]) -> str:
        """Return the source of pieces; neighbors that do not differ between rows become one."""
        members: list[str] = []
        shared: list[Piece] = []
        for piece in [*pieces, (ROW, None)]:
            if piece[0] != ROW:
                shared.append(piece)
                continue
            members += self._shared(shared)
            shared = []
            if piece[1] is not None:
                members.append(piece[1])
        return members[0] if len(members) == 1 else f"join(({', '.join(members)}))"

    def _shared(self, pieces: Sequence[Piece]) -> list[str]:
        """Return the sources of pieces that do not differ between rows: one, or none."""
        if all(scope == CONSTANT for scope, _ in pieces):
            data = b"".join(data for _, data in pieces)
            return [self.bound(data)] if data else []
        written = [(scope, piece) for scope, piece in pieces if piece]
        sources = [self.bound(piece) if scope == CONSTANT else piece for scope, piece in written]
        return [self._hoisted(EVENT, f"join(({', '.join(sources)},))")]

    def headers(self, headers: Sequence[Header]) -> str:
        """Return the source of the list of headers."""
        scopes = [scope_of(header.value) for header in headers]
        if not headers:
            return "None"
        if max(scopes) == CONSTANT:
            return self.bound([self._encode_header(header) for header in headers])
        members = [self._header(*pair) for pair in zip(headers, scopes, strict=True)]
        return self._hoisted(max(scopes), f"[{', '.join(members)}]")

    def _header(self, header: Header, scope: int) -> str:
        if scope == CONSTANT:
            return self.bound(self._encode_header(header))
        encode, name, schema = self._encode_header, header.name, header.schema
        write = self.bound(lambda value: encode(Header(name, schema, value)))
        return self._hoisted(scope, f"{write}({self.source(header.value)})")

    def source(self, value: Any) -> str:
        """Return the source of a value."""
        if isinstance(value, Symbol):
            self._mark(value)
            return value.expression.source("", f"s{len(self._names)}", self._names)
        if isinstance(value, dict) and scope_of(value):
            members = (f"{name!r}: {self.source(member)}" for name, member in value.items())
            return f"{{{', '.join(members)}}}"
        return "None" if value is None else self.bound(value)

    def _mark(self, symbol: Symbol | None) -> None:
        while symbol is not None and id(symbol) not in self._written:
            self._written[id(symbol)] = symbol
            symbol = symbol.inner

    def bound(self, thing: Any) -> str:
        """Return a name for an object."""
        if thing is None:
            return "None"
        name = f"n{len(self._names)}"
        self._names[name] = thing
        return name

    def _hoisted(self, scope: int, source: str) -> str:
        """Return the source, or a name for what is computed once for an event."""
        if scope == ROW:
            return source
        name = f"e{len(self._event_lines)}"
        self._event_lines.append(f"{name} = {source}")
        return name


class StructCode:
    """Splits structs into pieces."""

    def __init__(self, code: MessageCode, fragments: Fragments) -> None:
        self._code = code
        self._fragments = fragments

    def pieces(self, schema: Schema, struct: Any) -> list[Piece]:
        """Return the pieces of a struct."""
        values = [struct.get(field.name) for field in schema.fields]
        for field, value in zip(schema.fields, values, strict=True):
            if value is None and not field.schema.optional:
                raise NotCompilableError(f"the required field {field.name} has no value")
        present = (CONSTANT, self._fragments.present(schema))
        if self._is_row(schema, values):
            return [present, (ROW, self._row(schema, values))]
        pieces = [present]
        start = 0
        while start < len(values):
            if _is_struct(schema.fields[start].schema, values[start]):
                stop = start + 1
                pieces.append((CONSTANT, self._fragments.label(schema, start)))
                inner = self.pieces(schema.fields[start].schema, values[start])
                pieces += self._wrapped(self._fragments.nested(schema, start), inner)
            else:
                stop = _end_of_run(schema, values, start)
                pieces.append(self.part(schema, values, start, stop))
            start = stop
        return [*pieces, (CONSTANT, self._fragments.close(schema))]

    def _wrapped(self, wrap: Wrap | None, pieces: list[Piece]) -> list[Piece]:
        """Return the pieces of a struct in another one."""
        if wrap is None:
            return pieces
        scope = max(scope for scope, _ in pieces)
        if scope == CONSTANT:
            return [(CONSTANT, wrap(b"".join(data for _, data in pieces)))]
        return [(scope, f"{self._code.bound(wrap)}({self._code.joined(pieces)})")]

    @staticmethod
    def _is_row(schema: Schema, values: Sequence[Any]) -> bool:
        """Return whether a struct is written at once: most of it differs between rows."""
        if any(_is_struct(f.schema, v) for f, v in zip(schema.fields, values, strict=True)):
            return False
        scopes = [scope_of(value) for value in values]
        return 2 * scopes.count(ROW) >= len(scopes)

    def _row(self, schema: Schema, values: Sequence[Any]) -> str:
        write = self._code.bound(self._fragments.row(schema))
        sources = merge_slices([self._code.source(value) for value in values])
        for row in ("before", "after"):
            whole = [f"*{row}[0:{len(values)}]"] if len(values) > 1 else [f"{row}[0]"]
            if sources == whole:
                return f"{write}({row})"
        return f"{write}(({', '.join(sources)}{',' if sources else ''}))"

    def part(self, schema: Schema, values: Sequence[Any], start: int, stop: int) -> Piece:
        """Return the piece for some fields, with their labels."""
        write = self._fragments.part(schema, start, stop)
        run = values[start:stop]
        scope = max(scope_of(value) for value in run)
        padding = (None,) * start
        if scope == CONSTANT:
            return CONSTANT, write((*padding, *run))
        sources = [self._code.source(value) for value in run]
        if sources == [ROW_NUMBER]:
            numbers = _NumberPieces(write, padding)
            return ROW, f"{self._code.bound(numbers)}[{ROW_NUMBER}]"
        before = f"*{self._code.bound(padding)}, " if padding else ""
        return scope, f"{self._code.bound(write)}(({before}{', '.join(sources)},))"


class _NumberPieces(dict[int, bytes]):
    """The pieces that hold the number of a row, each encoded once."""

    def __init__(self, write: Encode, padding: tuple[None, ...]) -> None:
        super().__init__()
        self._write = write
        self._padding = padding

    def __missing__(self, number: int) -> bytes:
        piece = self._write((*self._padding, number))
        if len(self) < _KNOWN_NUMBERS:
            self[number] = piece
        return piece


def _end_of_run(schema: Schema, values: Sequence[Any], start: int) -> int:
    """Return the end of the fields that are written together."""
    differs = scope_of(values[start]) == ROW
    stop = start + 1
    while (
        stop < len(values)
        and (scope_of(values[stop]) == ROW) == differs
        and not _is_struct(schema.fields[stop].schema, values[stop])
    ):
        stop += 1
    return stop


def _is_struct(schema: Schema | None, value: Any) -> bool:
    """Return whether a value is a struct whose members are known one by one."""
    return schema is not None and schema.type == "struct" and isinstance(value, dict)
