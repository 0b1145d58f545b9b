"""The native row core, if it is built: the only door to the extension.

It finds transactions in the binlog, reads their row images and writes them as messages, from
programs that the packages above compose. Without the extension, or with ``MILLRACE_NATIVE=0``,
everything takes the path in Python, which defines what the core does
(docs/decisions/0019-native-core.md).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeGuard, TypeVar
from zlib import crc32

NativeOperation = tuple[Any, ...]
"""An operation of the core by its name, with parameters: see ``src/ops.rs``."""
NativeColumn = tuple[bool, int, str, NativeOperation | None, int | None, Callable[[Any], Any]]
"""A column of row images: whether its length stands before it, bytes of it or of that length,
its format for `struct`, the operation, the slot of the row, Python's conversion."""
NativeField = tuple[bytes, str | None, int, Callable[[Any], bytes], Any, Any]
"""A field of a key or value: its label, how the core writes it, the slot, Python's writing of it
with the label, what stands for NULL and for a value that is not in the log."""
NativeStruct = tuple[bytes, Sequence[NativeField], bytes]
NativePairs = list[tuple[Any, Any]]
NativeEvent = tuple[int, "Rows", tuple[Any, ...]]
"""The number of its kind, its rows, and the values of its source block."""
DescribedKind = tuple[
    tuple["RowWriter", "EventFrame"],
    tuple[bytes, bytes | None, bytes],
    str,
    Sequence[bytes],
    tuple[str, Sequence[tuple[str, bytes | None]], Sequence[tuple[str, bytes | None]] | None],
]
ArrangedKind = tuple["RowWriter", str, Callable[..., tuple[Any, ...]], tuple[int, int, int], bool]
"""How the rows of one operation and table are written: see ``src/batch.rs``."""
RowT = TypeVar("RowT")
WritePart = Callable[[Sequence[Any]], bytes]
Decode = Callable[[str, bytes, int, int], NativePairs]

if TYPE_CHECKING:
    from connector.data.record import Message
    from connector.native._native import EventFrame as EventFrame
    from connector.native._native import Producer as Producer
    from connector.native._native import Reports as Reports
    from connector.native._native import RowProgram as RowProgram
    from connector.native._native import Rows as Rows
    from connector.native._native import RowWriter as RowWriter
    from connector.native._native import Transaction as Transaction
    from connector.native._native import TransactionScanner as TransactionScanner
    from connector.native._native import TransactionTranslator as TransactionTranslator
else:
    EventFrame = Producer = Reports = RowProgram = Any  # for annotations
    RowWriter = Rows = Transaction = TransactionScanner = TransactionTranslator = Any


class NativeColumns(NamedTuple):
    """How many columns of a table's values the core reads and writes, and how many Python does.

    ``context`` is snapshot or streaming.
    """

    table: str
    context: str
    native: int
    python: int


MAX_BUFFER = 1 << 20
"""The bytes from which the core reads rows at most; Python reads the rows of larger buffers.

Rows keep the whole buffer until their messages are written, and the core writes a value into a
buffer of its own before it becomes a message: copies that a row of many megabytes cannot afford.
Buffers are reads of 64 KiB, up to 576 KiB with a transaction whose rest was awaited, and larger
only where a row is: what Python costs is then little beside copying the row."""

_INTERFACE = 16  # of `src/lib.rs`


def _load() -> Any:
    """Return the extension; None if there is none, or one that was built from other sources."""
    if os.environ.get("MILLRACE_NATIVE") == "0":
        return None
    try:
        from connector.native import _native  # noqa: PLC0415 - only if it is not switched off
    except ImportError:
        return None
    if getattr(_native, "INTERFACE", None) != _INTERFACE:
        return None
    sources = _checksum(Path(__file__).parent)
    return _native if sources in (None, getattr(_native, "SOURCES", None)) else None


def _checksum(folder: Path) -> int | None:
    """Return the checksum that `build.rs` gives an extension; None where there are no sources."""
    checksum = None
    with suppress(OSError):
        for file in [folder / "Cargo.toml", *sorted((folder / "src").glob("*.rs"))]:
            checksum = crc32(file.read_bytes(), checksum or 0)
    return checksum


_core = _load()
AVAILABLE = _core is not None
"""Whether the core is built and not switched off."""


def row_program(
    columns: Sequence[NativeColumn],
    slots: int,
    decode: Decode,
    *,
    is_text: bool = False,
    is_checked: bool = False,
) -> RowProgram | None:
    """Return the program that reads rows of such columns; None if Python reads them.

    :param decode: decodes the same rows in Python.
    :param is_text: they are not row images, but rows of a text result set.
    :param is_checked: a value that Python refuses is found when the rows are read.
    """
    if _core is None or not columns:
        return None
    program: RowProgram = _core.RowProgram(columns, slots, decode, is_text, is_checked)
    return program


def row_writer(
    key: NativeStruct | None, value: NativeStruct, message_type: type[Any]
) -> RowWriter | None:
    """Return the writer of messages for rows; None if Python writes them."""
    if _core is None:
        return None
    writer: RowWriter = _core.RowWriter(key, value, tuple.__new__, message_type)
    return writer


def event_frame(
    source: tuple[bytes, WritePart, WritePart, bytes],
    operation: WritePart,
    before: int,
    end: bytes,
) -> EventFrame:
    """Return what writes around the rows of events that a `row_writer` writes.

    :param source: the label of the source block, what writes its fields before and behind the
        number of the row, and what stands behind it.
    :param operation: writes the last fields of the envelope, of which ``before`` stand before.
    """
    assert _core is not None, "there is no writer of rows without the core"
    frame: EventFrame = _core.EventFrame(source, operation, before, end)
    return frame


def part_writer(
    start: int,
    fields: Sequence[tuple[bytes, str, bytes | None]],
    python: Callable[[Sequence[Any]], bytes],
) -> Callable[[Sequence[Any]], bytes]:
    """Return the function that writes fields from a number on: of integers, truth values, texts.

    :param fields: the label of each, how the core writes it, and null with its label; None where
        Python decides on a null.
    :param python: writes the same fields; the core leaves rare values to it.
    """
    if _core is None:
        return python
    write: Callable[[Sequence[Any]], bytes] = _core.PartWriter(start, fields, python)
    return write


def transaction_scanner(
    known: dict[bytes, Any],
    tables: dict[int, Any],
    rows_type: type[Any],
    parser: object,
    *,
    reads_queries: bool,
) -> TransactionScanner | None:
    """Return what finds whole transactions in packets of a dump connection; None without the core.

    :param known: the number and the description of a table, by the bodies of TABLE_MAP events.
    :param tables: gets the descriptions of the tables of each transaction by number.
    :param parser: what a transaction keeps to be parsed event by event.
    :param reads_queries: transactions with texts of statements are left out.
    """
    if _core is None:
        return None
    scanner: TransactionScanner = _core.TransactionScanner(
        known, tables, rows_type, parser, reads_queries
    )
    return scanner


def transaction_translator(
    constants: tuple[str, str, str], skipped: str, *, reads_clock: bool
) -> TransactionTranslator | None:
    """Return what translates whole transactions; None without the core.

    :param constants: the first fields of source blocks.
    :param skipped: the letters of operations that are left out.
    :param reads_clock: the times of changes are those of events, not of the transaction's id.
    """
    if _core is None:
        return None
    translator: TransactionTranslator = _core.TransactionTranslator(constants, reads_clock, skipped)
    return translator


def write_batch(
    kinds: Sequence[DescribedKind | ArrangedKind | None],
    events: Sequence[NativeEvent],
    start: int,
    rows: int,
    now: int,
) -> tuple[Sequence[Message], int]:
    """Return the messages of events from a number on, and the number of the first that is left.

    That one has a kind that is None, changes a key or cannot be written.

    :param rows: how many rows all events have.
    :param now: nanoseconds.
    """
    assert _core is not None, "there are no such events without the core"
    written: tuple[Sequence[Message], int] = _core.write_batch(kinds, events, start, rows, now)
    return written


def native_producer(library: str, settings: Sequence[tuple[str, str]]) -> Producer | None:
    """Return a producer of librdkafka; None where Python has to send.

    :param library: the file of librdkafka, or of what has loaded it.
    :param settings: names and values of librdkafka's settings.
    :raises ValueError: librdkafka refuses the settings; with the code of its error and a text.
    """
    if _core is None:
        return None
    try:
        producer: Producer = _core.Producer(library, settings)
    except RuntimeError:
        return None
    return producer


def joined(parts: Sequence[Iterable[Message]]) -> Iterator[Message]:
    """Return the messages of some sequences; the core sends those that it wrote as they are."""
    if _core is None:
        return chain.from_iterable(parts)
    messages: Iterator[Message] = _core.MessageIterator(parts)
    return messages


def part_of(rows: list[RowT] | Rows, start: int, stop: int) -> list[RowT] | Rows:
    """Return the rows from ``start`` to ``stop``, as a slice does."""
    return rows[start:stop] if isinstance(rows, list) else rows.part(start, stop)


def is_transaction(event: object) -> TypeGuard[Transaction]:
    """Whether something in a log is a whole transaction that the core found."""
    return _core is not None and type(event) is _core.Transaction


def is_native(rows: object) -> TypeGuard[Rows]:
    """Whether rows were read by the core."""
    return _core is not None and type(rows) is _core.Rows
