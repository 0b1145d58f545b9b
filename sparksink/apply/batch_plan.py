"""The plan of a batch: how messages are read, the table writers, and refused formats."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from sparksink.apply.batch import TableWriter
from sparksink.decode.message_schema import MessageSchema
from sparksink.decode.reading import TableReading
from sparksink.errors import TableError

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class BatchPlan:
    """Schemas with their readings, and the writers; ``refused`` are formats with the reasons."""

    layouts: Sequence[MessageSchema]
    readings: Sequence[TableReading]
    writers: Sequence[TableWriter]
    refused: Mapping[str, str]


class MessageFormatError(TableError):
    """Messages of one format cannot be written to the tables."""

    def __init__(self, mark: str, error: TableError) -> None:
        super().__init__(error.args[0], error.remedy)
        self.mark = mark


def name_format_in_errors(mark: str, work: Callable[[], T]) -> T:
    """Run work for messages of one format, and add the format to errors.

    :raises MessageFormatError: a table cannot take them.
    """
    try:
        return work()
    except TableError as error:
        raise MessageFormatError(mark, error) from error
