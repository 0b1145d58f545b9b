"""A column definition made into a column of a table."""

from __future__ import annotations

from dataclasses import dataclass

from connector.capture.tables import Column
from connector.mysql.ddl.definitions import ColumnDefinition
from connector.mysql.ddl.tokens import Dialect
from connector.mysql.ddl.type_names import CHARACTER_TYPES


@dataclass(frozen=True, slots=True)
class ColumnBuilder:
    """Builds columns; ``comments``: keep their comments."""

    dialect: Dialect
    comments: bool = False

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
        column_type = definition.type
        automatic = definition.automatic or definition.serial
        automatic = automatic or (old is not None and old.auto_incremented)
        optional = self._optional(definition)
        return Column(
            name=definition.name,
            type_name=column_type.name,
            jdbc_type=column_type.jdbc,
            type_expression=column_type.name,
            charset=self._charset(definition, default_charset),
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

    @staticmethod
    def _optional(definition: ColumnDefinition) -> bool:
        if definition.primary:
            return False
        return not definition.serial if definition.nullable is None else definition.nullable

    def _charset(self, definition: ColumnDefinition, default_charset: str | None) -> str | None:
        charset = definition.type.charset
        if charset is None and definition.collation is not None and self.dialect == "mysql":
            prefix, underscore, _ = definition.collation.partition("_")
            charset = prefix if underscore and prefix else None
        uses_charset = definition.type.jdbc in CHARACTER_TYPES
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
        )
        return self.build(bare)
