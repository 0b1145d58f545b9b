"""How the messages of a batch are read and who writes them, and which of them do not fit."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from sparksink.apply.batch import TableWriter
from sparksink.decode.message_schemas import MessageSchema
from sparksink.decode.reading import TableReading
from sparksink.errors import TableError

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class BatchPlan:
    """Layouts with their readings, and the writers; ``refused`` are marks with the reasons."""

    layouts: Sequence[MessageSchema]
    readings: Sequence[TableReading]
    writers: Sequence[TableWriter]
    refused: Mapping[str, str]


class MessageFormatError(TableError):
    """Messages of one mark cannot go into the tables."""

    def __init__(self, mark: str, error: TableError) -> None:
        super().__init__(error.args[0], error.remedy)
        self.mark = mark


def name_format_in_errors(mark: str, work: Callable[[], T]) -> T:
    """Do something with messages of a mark.

    :raises MarkError: a table cannot take them.
    """
    try:
        return work()
    except TableError as error:
        raise MessageFormatError(mark, error) from error
