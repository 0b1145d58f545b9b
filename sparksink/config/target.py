"""Where the tables lie, and in which format: the section ``target`` of a configuration."""

from __future__ import annotations

import re
from typing import Any, Final, Literal, Self

from pydantic import Field, model_validator

from sparksink.config.partitioning import Partitioning, partitioning
from sparksink.config.sections import Section

ILLEGAL: Final = " ,;{}()\n\t="
"""Characters that Parquet's own readers, and Hive's, refuse in names of columns."""

_REPLACED: Final = str.maketrans(dict.fromkeys(ILLEGAL, "_"))


class Catalog(Section):
    """The Iceberg catalog; all other keys are the catalog's own, as ``type``, ``uri``."""

    name: str = Field(default="lake", pattern=r"^\w+$")
    namespace: str = Field(default="default", pattern=r"^\w+(\.\w+)*$")
    properties: dict[str, str] = Field(default_factory=dict, repr=False)

    @model_validator(mode="before")
    @classmethod
    def _gather(cls, value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        known = {key: text for key, text in value.items() if key in cls.model_fields}
        own = {key: str(text) for key, text in value.items() if key not in cls.model_fields}
        return {**known, "properties": {**own, **known.get("properties", {})}}


class Jdbc(Section):
    """The database that serves the mirrors."""

    url: str = Field(repr=False)
    user: str
    password: str = Field(default="", repr=False)

    @model_validator(mode="after")
    def _check_url(self) -> Self:
        if not re.match(r"jdbc:(mariadb|postgresql)://[^/]+/\w+", self.url):
            raise ValueError("url is jdbc:mariadb://HOST:PORT/DATABASE or jdbc:postgresql://…")
        return self


class Placement(Section):
    """How the rows of mirrors lie in their files."""

    partition_by: list[str] = Field(default_factory=list)
    cluster_by: list[str] = Field(default_factory=list)

    @property
    def partitioning(self) -> Partitioning:
        """Both, as tables are made with."""
        return partitioning(self.partition_by, self.cluster_by)


class TableTarget(Placement):
    """How the tables of one of the source lie, and what they are called."""

    name: str | None = None
    history_name: str | None = None

    @model_validator(mode="after")
    def _check_templates(self) -> Self:
        for template in filter(None, (self.name, self.history_name)):
            if not re.fullmatch(r"\w+", _fill_template(template)):
                raise ValueError(f"{template}: a name has letters, digits, _, {{db}} and {{table}}")
        return self


class Target(Placement):
    """Where and how the tables lie; ``path`` is any path that Hadoop knows."""

    format: Literal["delta", "iceberg", "jdbc", "parquet"] = "delta"
    path: str
    catalog: Catalog = Catalog()
    jdbc: Jdbc | None = None
    table_name: str = "{db}__{table}"
    history_name: str = "{db}__{table}__history"
    name_case: Literal["preserve", "lower"] = "preserve"
    illegal_chars: Literal["map", "replace"] = "map"
    table_properties: dict[str, str] = Field(default_factory=dict)

    def column(self, name: str) -> str:
        """Return what a column of the source is called here; a name of this target stays."""
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
        if not re.match(r"/|[A-Za-z][\w+.-]*:/", self.path):  # Delta knows no others as paths
            raise ValueError("path is absolute or a URI, as /data/lake or s3a://bucket/lake")
        if self.format == "parquet" and (self.partition_by or self.cluster_by):
            raise ValueError("format: parquet has histories alone: set history.partition.by")
        if self.format != "iceberg" and "catalog" in self.model_fields_set:
            raise ValueError("catalog needs format: iceberg")
        if (self.format == "jdbc") != (self.jdbc is not None):
            raise ValueError("format: jdbc needs jdbc.url, and jdbc.url needs format: jdbc")
        return self


def _fill_template(template: str) -> str:
    """Return a name of a table that a template makes."""
    try:
        return template.format(db="d", table="t")
    except (KeyError, IndexError, ValueError) as error:
        raise ValueError(f"{template}: only {{db}} and {{table}} are known") from error
