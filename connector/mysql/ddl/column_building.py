"""A column definition made into a column of a table."""

from __future__ import annotations

from dataclasses import dataclass

from connector.capture.tables import Column, Table
from connector.mysql.ddl.binary_types import with_binary_types
from connector.mysql.ddl.charsets import server_charset_of
from connector.mysql.ddl.definitions import ColumnDefinition, DataType
from connector.mysql.ddl.tokens import Dialect
from connector.mysql.ddl.type_names import CHARACTER_TYPES


@dataclass(frozen=True, slots=True)
class ColumnBuilder:
    """Builds columns; ``comments``: keep their comments.

    ``exact``: types and character sets are those of the server, also where Debezium reads others.
    """

    dialect: Dialect
    comments: bool = False
    exact: bool = False

    def build(
        self,
        definition: ColumnDefinition,
        position: int = 0,
        default_charset: str | None = None,
        old: Column | None = None,
    ) -> Column:
        """Return the column that a definition makes.

        :param old: the column that CHANGE redefines; what the new definition does not mention
            (comment, automatic values, values of an ENUM) stays, as it does in the oracle.
        """
        column_type = self._type(definition)
        automatic = definition.automatic or definition.serial
        automatic = automatic or (old is not None and old.auto_incremented)
        optional = self._optional(definition)
        return Column(
            name=definition.name,
            type_name=column_type.name,
            jdbc_type=column_type.jdbc,
            type_expression=column_type.name,
            charset=self._charset(definition, column_type, default_charset),
            length=column_type.length,
            scale=column_type.scale,
            position=position,
            optional=optional,
            auto_incremented=automatic,
            generated=automatic,
            comment=self._comment(definition, old),
            has_default=definition.has_default,
            default=definition.default,
            enum_values=column_type.values or (old.enum_values if old else ()),
        )

    def finish(self, table: Table) -> Table:
        """Return a table whose columns are complete."""
        return with_binary_types(table) if self.exact else table

    def named_charset(self, charset: str | None, collation: str | None) -> str | None:
        """Return the charset that the options of a table or a database name, None if none.

        Debezium reads no collations there.
        """
        if charset is not None and charset.lower() != "default":
            return charset or None
        return server_charset_of(collation) if self.exact else None

    def _type(self, definition: ColumnDefinition) -> DataType:
        on_server = definition.type.on_server if self.exact else None
        return on_server or definition.type

    @staticmethod
    def _optional(definition: ColumnDefinition) -> bool:
        if definition.primary:
            return False
        return not definition.serial if definition.nullable is None else definition.nullable

    def _charset(
        self, definition: ColumnDefinition, column_type: DataType, default_charset: str | None
    ) -> str | None:
        charset = column_type.charset
        uses_charset = column_type.jdbc in CHARACTER_TYPES
        if charset is None and self.exact:
            charset = server_charset_of(definition.server_collation) if uses_charset else None
        elif charset is None and definition.collation is not None and self.dialect == "mysql":
            prefix, underscore, _ = definition.collation.partition("_")
            charset = prefix if underscore and prefix else None
        if uses_charset and (charset is None or charset.lower() == "default"):
            return default_charset
        return charset

    def _comment(self, definition: ColumnDefinition, old: Column | None) -> str | None:
        if self.comments and definition.comment is not None:
            return definition.comment
        return old.comment if old else None

    def build_bare(self, definition: ColumnDefinition) -> Column:
        """Return a column with nothing but type, nullability and default.

        MySQL's oracle reads no more than that of the columns in ALTER TABLE … ADD (a …, b …).
        """
        bare = ColumnDefinition(
            definition.name,
            definition.type,
            definition.nullable,
            definition.has_default,
            definition.default,
            serial=definition.type.serial,
            server_collation=definition.server_collation,
        )
        return self.build(bare)
