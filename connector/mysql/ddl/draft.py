"""A table while a statement changes it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from connector.capture.tables import Column, Table, TableId
from connector.errors import DdlError
from connector.mysql.ddl.definitions import ColumnPosition, KeyDefinition
from connector.mysql.ddl.generated_key import may_be_generated_key
from connector.mysql.ddl.tokens import Dialect
from connector.mysql.ddl.type_names import CHARACTER_TYPES


@dataclass(slots=True, eq=False)
class Slot:
    """A column in a draft; ``original`` is its name before the statement."""

    column: Column
    original: str | None = None

    @property
    def name_before(self) -> str:
        """The name before the statement, or the one by which the statement adds the column."""
        return self.original or self.column.name.lower()


@dataclass(slots=True)
class KeyPart:
    """A column of the key: its name, which a MODIFY that only changes case leaves as it was.

    ``original`` is its name before the statement, None in a new key.
    """

    name: str
    slot: Slot | None
    original: str | None = None


class TableDraft:
    """The columns and the key of a table, to be edited and then made into a `Table`.

    The clauses of one ALTER TABLE name the columns that exist before it, so that
    ``RENAME COLUMN a TO b, RENAME COLUMN b TO a`` swaps two names; only AFTER and new keys mean
    the new names. `Alteration` applies them in the order that this needs.
    """

    def __init__(self, table_id: TableId) -> None:
        self.id = table_id
        self.default_charset: str | None = None
        self.comment: str | None = None
        self.slots: list[Slot] = []
        self.key: list[KeyPart] = []
        self.keeps_generated_key_first = False

    @classmethod
    def of(cls, table: Table, dialect: Dialect = "mysql") -> TableDraft:
        """Begin with a table as it is."""
        draft = cls(table.id)
        draft.keeps_generated_key_first = dialect == "mysql"
        draft.default_charset, draft.comment = table.default_charset, table.comment
        draft.slots = [Slot(column, column.name.lower()) for column in table.columns]
        draft.key = [KeyPart(name, draft.find(name), name.lower()) for name in table.primary_key]
        return draft

    def find(self, name: str) -> Slot | None:
        """Return the column that has this name now, doubled quotes or not."""
        return self._search(name, lambda slot: slot.column.name.lower())

    def original(self, name: str) -> Slot | None:
        """Return the column that had this name before the statement."""
        return self._search(name, lambda slot: slot.original)

    def existing(self, name: str) -> Slot:
        """Return the column of `original`.

        :raises DdlError: when there is none.
        """
        return self._require(self.original(name), name)

    def altered(self, name: str, new_name: str) -> Slot:
        """Return the column of `original`, or else the one that is added as ``new_name``.

        :raises DdlError: when there is none.
        """
        added = self._search(new_name, lambda slot: None if slot.original else slot.name_before)
        return self._require(self.original(name) or added, name)

    def _search(self, name: str, name_of: Callable[[Slot], str | None]) -> Slot | None:
        for spelling in _spellings(name):
            for slot in self.slots:
                if name_of(slot) == spelling:
                    return slot
        return None

    def _require(self, slot: Slot | None, name: str) -> Slot:
        if slot is None:
            raise DdlError(f"Table {self.id} has no column [{name}].")
        return slot

    def append(self, column: Column) -> Slot:
        """Add a column of a new name at the end."""
        slot = Slot(column)
        self.slots.append(slot)
        return slot

    def add(self, column: Column, position: ColumnPosition | None = None) -> Slot:
        """Add a column at the end or at ``position``; one of the same name is replaced."""
        slot = self.find(column.name)
        if slot is None:
            slot = self.append(column)
        else:
            slot.column = column
        self.move(slot, position)
        return slot

    def rename(self, slot: Slot, name: str) -> None:
        """Give a column another name, in the key too."""
        for part in self.key:
            if part.slot is slot:
                part.name = name
        slot.column = replace(slot.column, name=name)

    def move(self, slot: Slot, position: ColumnPosition | None) -> None:
        """Put a column first or after another one.

        :raises DdlError: when there is no such other column.
        """
        if position is None:
            return
        self.slots.remove(slot)
        index = int(self._begins_with_generated_key())
        if position.after is not None:
            before = self._require(self.find(position.after), position.after)
            index = self.slots.index(before) + 1
        self.slots.insert(index, slot)

    def _begins_with_generated_key(self) -> bool:
        """Return whether the first column is a generated key, which MySQL leaves in front."""
        if not (self.keeps_generated_key_first and self.slots):
            return False
        first = self.slots[0]
        return may_be_generated_key(first.column) and [part.slot for part in self.key] == [first]

    def move_last(self, slot: Slot) -> None:
        """Put a column behind all others."""
        self.slots.remove(slot)
        self.slots.append(slot)

    def drop(self, slot: Slot) -> None:
        """Remove a column; `resolve_key` removes it from the key."""
        self.slots.remove(slot)

    def resolve_key(self) -> None:
        """Find the columns of the old key among those that there are now.

        As in the server, the first one counts that had the name before or is added with it: in
        ``DROP COLUMN id, ADD COLUMN id INT`` the new one.
        """
        kept = []
        for part in self.key:
            slot = next((slot for slot in self.slots if slot.name_before == part.original), None)
            if slot is not None and slot is not part.slot:
                kept.append(KeyPart(slot.column.name, slot, part.original))
            elif slot is not None or part.original is None:
                kept.append(part)
        self.key = kept

    def set_key(self, names: tuple[str, ...]) -> None:
        """Make these columns the key."""
        self.key = [KeyPart(name, self.find(name)) for name in names]

    def add_key(self, key: KeyDefinition) -> None:
        """Take a primary key, or a unique one if there is no key and no column may be NULL."""
        slots = [self.find(name) for name in key.columns if name is not None]
        if key.primary:
            for slot in slots:
                if slot is not None:
                    slot.column = _make_required(slot.column)
            names = [name for name in key.columns if name is not None]
            self.key = [
                KeyPart(slot.column.name if slot else name, slot)
                for name, slot in zip(names, slots, strict=True)
            ]
        elif not self.key and len(slots) == len(key.columns):
            found = [slot for slot in slots if slot is not None and not slot.column.optional]
            if len(found) == len(slots):
                self.key = [KeyPart(slot.column.name, slot) for slot in found]

    def table(self) -> Table:
        """Return the finished table: positions from 1 on, charsets filled in."""
        columns = tuple(
            _finish(slot.column, position, self.default_charset)
            for position, slot in enumerate(self.slots, 1)
        )
        key = tuple(part.name for part in self.key if self.find(part.name) is not None)
        return Table(self.id, columns, key, self.default_charset, self.comment)


def _spellings(name: str) -> tuple[str, ...]:
    lowered = name.lower()
    return lowered, lowered.replace("``", "`"), lowered.replace('""', '"')


def _make_required(column: Column) -> Column:
    """Return a column of a primary key: it takes no NULL, so no default of NULL either."""
    if not column.optional:
        return column
    has_default = column.has_default and column.default is not None
    return replace(column, optional=False, has_default=has_default)


def _finish(column: Column, position: int, default_charset: str | None) -> Column:
    """Return a column as it stands in its table; NULL is the default where there is no other."""
    charset = column.charset
    if column.jdbc_type in CHARACTER_TYPES and (charset is None or charset.lower() == "default"):
        charset = default_charset
    has_default = column.has_default or column.optional
    if (column.position, column.charset, column.has_default) == (position, charset, has_default):
        return column
    return replace(column, position=position, charset=charset, has_default=has_default)
