"""Format and location of the tables: the section ``target`` of a configuration."""

from __future__ import annotations

import re
from typing import Any, Final, Literal, Self

from pydantic import Field, model_validator

from sparksink.config.partitioning import Partitioning, partitioning
from sparksink.config.sections import Section

ILLEGAL: Final = " ,;{}()\n\t="
"""Characters that readers of Parquet and Hive refuse in column names."""

_REPLACED: Final = str.maketrans(dict.fromkeys(ILLEGAL, "_"))


class Catalog(Section):
    """The Iceberg catalog; other keys (``type``, ``uri`` …) are passed to the catalog."""

    name: str = Field(default="lake", pattern=r"^\w+$")
    """With Iceberg: the catalog in which Spark finds the tables, `lake.default.db__table`."""
    namespace: str = Field(default="default", pattern=r"^\w+(\.\w+)*$")
    """With Iceberg: the namespace of the tables in the catalog."""
    properties: dict[str, str] = Field(default_factory=dict, repr=False)
    """Settings of the Iceberg catalog, such as `type`, `uri`, `credential`, `catalog-impl`; by
    default `type: hadoop`.
    """

    @model_validator(mode="before")
    @classmethod
    def _gather(cls, value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        known = {key: text for key, text in value.items() if key in cls.model_fields}
        own = {key: str(text) for key, text in value.items() if key not in cls.model_fields}
        return {**known, "properties": {**own, **known.get("properties", {})}}


class Jdbc(Section):
    """A database behind JDBC."""

    url: str = Field(repr=False)
    """`jdbc:mariadb://HOST:PORT/DATABASE`, for MySQL too (without TLS add
    `?allowPublicKeyRetrieval=true`); for `target.jdbc` also `jdbc:postgresql://…`.
    """
    user: str
    """The account."""
    password: str = Field(default="", repr=False)
    """Its password."""

    @model_validator(mode="after")
    def _check_url(self) -> Self:
        if not re.match(r"jdbc:(mariadb|postgresql)://[^/]+/\w+", self.url):
            raise ValueError("url is jdbc:mariadb://HOST:PORT/DATABASE or jdbc:postgresql://…")
        return self


class Placement(Section):
    """The layout of the files of mirrors."""

    partition_by: list[str] = Field(default_factory=list)
    """Columns by which mirrors are partitioned; with Iceberg also `years`, `months`, `days` or
    `hours(column)`, `bucket(16, column)`, `truncate(4, column)`. An existing table does not change;
    `rebuild` applies it.
    """
    cluster_by: list[str] = Field(default_factory=list)
    """Columns by which rows of mirrors are clustered: Delta's liquid clustering (not with
    `partition.by`); with Iceberg the sort order, which `compact` applies.
    """

    @property
    def partitioning(self) -> Partitioning:
        """Both settings, parsed."""
        return partitioning(self.partition_by, self.cluster_by)


class TableTarget(Placement):
    """Names and layout of the tables of one source table."""

    name: str | None = None
    history_name: str | None = None

    @model_validator(mode="after")
    def _check_templates(self) -> Self:
        for template in filter(None, (self.name, self.history_name)):
            if not re.fullmatch(r"\w+", _fill_template(template)):
                raise ValueError(f"{template}: a name has letters, digits, _, {{db}} and {{table}}")
        return self


class Target(Placement):
    """Format, location and names of the tables; ``path`` is any Hadoop path."""

    format: Literal["delta", "iceberg", "jdbc", "parquet"] = "delta"
    """`iceberg`, `jdbc`, or `parquet` for histories only."""
    path: str
    """Folder of the tables, an absolute path or URI; with Iceberg the catalog's `warehouse`; with a
    database only of the sink's own tables.
    """
    catalog: Catalog = Catalog()
    jdbc: Jdbc | None = None
    """With `format: jdbc`."""
    table_name: str = "{db}__{table}"
    """Name of a mirror."""
    history_name: str = "{db}__{table}__history"
    """Name of a history."""
    name_case: Literal["preserve", "lower"] = "preserve"
    """`lower`: names of tables in lower case."""
    illegal_chars: Literal["map", "replace"] = "map"
    """`map`: columns keep names with spaces and similar; Delta maps those that Parquet rejects.
    `replace`: [such characters become
    `_`](../sink/configure.md#column-names-that-older-readers-reject).
    """
    table_properties: dict[str, str] = Field(default_factory=dict)
    """Table properties of new tables."""

    def column(self, name: str) -> str:
        """Return the name in the target of a column of the source."""
        return name if self.illegal_chars == "map" else name.translate(_REPLACED)

    @model_validator(mode="after")
    def _check_names(self) -> Self:
        for template in (self.table_name, self.history_name):
            name = _fill_template(template)
            if "{table}" not in template or not re.fullmatch(r"\w+", name):
                raise ValueError(f"{template}: a name has {{table}}, letters, digits and _")
        if self.table_name == self.history_name:
            raise ValueError("table.name and history.name must differ")
        return self

    @model_validator(mode="after")
    def _check_sections(self) -> Self:
        if not re.match(r"/|[A-Za-z][\w+.-]*:/", self.path):  # Delta accepts no other paths
            raise ValueError("path is absolute or a URI: /data/lake or s3a://bucket/lake")
        if self.format == "parquet" and (self.partition_by or self.cluster_by):
            raise ValueError("format: parquet supports histories only: set history.partition.by")
        if self.format != "iceberg" and "catalog" in self.model_fields_set:
            raise ValueError("catalog needs format: iceberg")
        if (self.format == "jdbc") != (self.jdbc is not None):
            raise ValueError("format: jdbc needs jdbc.url, and jdbc.url needs format: jdbc")
        return self


def _fill_template(template: str) -> str:
    """Return an example of a table name from a template."""
    try:
        return template.format(db="d", table="t")
    except (KeyError, IndexError, ValueError) as error:
        raise ValueError(f"{template}: only {{db}} and {{table}} are available") from error
