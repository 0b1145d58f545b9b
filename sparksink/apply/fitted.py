"""How the messages of a batch are read and who writes them, and which of them do not fit."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from sparksink.apply.batch import Writer
from sparksink.decode.layouts import Layout
from sparksink.decode.reading import Reading
from sparksink.errors import TableError

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Fitted:
    """Layouts with their readings, and the writers; ``refused`` are marks with the reasons."""

    layouts: Sequence[Layout]
    readings: Sequence[Reading]
    writers: Sequence[Writer]
    refused: Mapping[str, str]


class MarkError(TableError):
    """Messages of one mark cannot go into the tables."""

    def __init__(self, mark: str, error: TableError) -> None:
        super().__init__(error.args[0], error.remedy)
        self.mark = mark


def of_mark(mark: str, work: Callable[[], T]) -> T:
    """Do something with messages of a mark.

    :raises MarkError: a table cannot take them.
    """
    try:
        return work()
    except TableError as error:
        raise MarkError(mark, error) from error
