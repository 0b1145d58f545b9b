from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Self, TypeAlias, overload

from connector.data.record import Message
from connector.native import (
    Decode,
    NativeColumn,
    NativeEvent,
    NativePairs,
    NativeStruct,
    WritePart,
)

Failure: TypeAlias = tuple[Callable[[Any, Any], None], int, str, bytes | None, bytes | None]
Errors: TypeAlias = list[tuple[int, str, bool]]
Reports: TypeAlias = tuple[list[Failure], Errors, list[tuple[int, str, str]]]

class RowProgram:
    def __new__(
        cls,
        columns: Sequence[NativeColumn],
        slots: int,
        decode: Decode,
        is_text: bool,
        is_checked: bool,
    ) -> Self: ...
    def rows(self, data: bytes, start: int, end: int, kind: str) -> Rows | None: ...
    def text_rows(self, data: bytes, start: int) -> tuple[Rows, int]: ...

class Rows(Sequence[tuple[Any, Any]]):
    kind: str
    def part(self, start: int, stop: int) -> Rows: ...
    def values(self, slot: int) -> list[Any] | None: ...
    def __len__(self) -> int: ...
    @overload
    def __getitem__(self, index: int) -> tuple[Any, Any]: ...
    @overload
    def __getitem__(self, index: slice) -> NativePairs: ...
    def __iter__(self) -> Iterator[tuple[Any, Any]]: ...

class RowWriter:
    native_columns: tuple[int | None, int | None]
    def __new__(
        cls,
        key: NativeStruct | None,
        value: NativeStruct,
        new_message: Callable[..., Any],
        message_type: type[Any],
    ) -> Self: ...
    def messages(
        self,
        rows: Rows,
        frame: tuple[bytes, bytes | None, bytes, Sequence[bytes] | None, bytes],
        topic: str,
        headers: Sequence[tuple[str, bytes | None]],
        tombstones: Sequence[tuple[str, bytes | None]] | None,
    ) -> Messages | None: ...

class Messages(Sequence[Message]):
    def __len__(self) -> int: ...
    @overload
    def __getitem__(self, index: int) -> Message: ...
    @overload
    def __getitem__(self, index: slice) -> list[Message]: ...
    def __iter__(self) -> Iterator[Message]: ...

class MessageIterator(Iterator[Message]):
    def __new__(cls, parts: Sequence[Iterable[Message]]) -> Self: ...
    def __iter__(self) -> Self: ...
    def __next__(self) -> Message: ...

class Producer:
    name: str
    def __new__(cls, library: str, settings: Sequence[tuple[str, str]]) -> Self: ...
    def send(
        self, messages: Iterator[Message], partitions: dict[str, int], receipt: object
    ) -> tuple[int, int, Message | None, int, BaseException | None]: ...
    def send_first(self, message: Message, partition: int, receipt: object) -> int: ...
    def poll(self, seconds: float) -> Reports | None: ...
    def flush(self, seconds: float) -> Reports | None: ...
    def purge(self) -> None: ...
    def close(self) -> None: ...
    def __len__(self) -> int: ...

class TransactionScanner:
    def __new__(
        cls,
        known: dict[bytes, Any],
        tables: dict[int, Any],
        rows_type: type[Any],
        parser: object,
    ) -> Self: ...
    def scan(self, data: bytes, start: int, trailer: int) -> tuple[list[Transaction], int, int]: ...

class Transaction:
    header: tuple[int, int, int, int]
    size: int
    packets: tuple[bytes, int, int, int]
    parser: Any
    def fields(self) -> tuple[Any, ...]: ...

class TransactionTranslator:
    def __new__(cls, constants: tuple[str, str, str], reads_clock: bool, skipped: str) -> Self: ...
    def learn(
        self,
        described: object,
        captured: tuple[object, str, str] | None = None,
        present: bytes | None = None,
        program: RowProgram | None = None,
    ) -> None: ...
    def forget(self) -> None: ...
    def translate(
        self, transactions: list[Transaction], start: int, place: tuple[Any, ...]
    ) -> tuple[
        int, list[tuple[list[tuple[Any, Any, int, int]], list[NativeEvent]]], int, tuple[Any, ...]
    ]: ...

class EventFrame:
    def __new__(
        cls,
        source: tuple[bytes, WritePart, WritePart, bytes],
        operation: WritePart,
        before: int,
        end: bytes,
    ) -> Self: ...
    def __call__(self, op: str, source: tuple[Any, ...], now: int) -> tuple[bytes, bytes]: ...
