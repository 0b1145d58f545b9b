"""Where the tables lie, and in which format: the section ``target`` of a configuration."""

from __future__ import annotations

import re
from typing import Any, Literal, Self

from pydantic import Field, model_validator

from sparksink.config.sections import Section


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
    def _known(self) -> Self:
        if not re.match(r"jdbc:(mariadb|postgresql)://[^/]+/\w+", self.url):
            raise ValueError("url is jdbc:mariadb://HOST:PORT/DATABASE or jdbc:postgresql://…")
        return self


class Target(Section):
    """Where and how the tables lie; ``path`` is any path that Hadoop knows."""

    format: Literal["delta", "iceberg", "jdbc"] = "delta"
    path: str
    catalog: Catalog = Catalog()
    jdbc: Jdbc | None = None
    table_name: str = "{db}__{table}"
    history_name: str = "{db}__{table}__history"
    name_case: Literal["preserve", "lower"] = "preserve"
    table_properties: dict[str, str] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _names(self) -> Self:
        for template in (self.table_name, self.history_name):
            try:
                name = template.format(db="d", table="t")
            except (KeyError, IndexError, ValueError) as error:
                raise ValueError(f"{template}: only {{db}} and {{table}} are known") from error
            if "{table}" not in template or not re.fullmatch(r"\w+", name):
                raise ValueError(f"{template}: a name has {{table}}, letters, digits and _")
        if self.table_name == self.history_name:
            raise ValueError("table.name and history.name must differ")
        return self

    @model_validator(mode="after")
    def _sections(self) -> Self:
        if not re.match(r"/|[A-Za-z][\w+.-]*:/", self.path):  # Delta knows no others as paths
            raise ValueError("path is absolute or a URI, as /data/lake or s3a://bucket/lake")
        if self.format != "iceberg" and "catalog" in self.model_fields_set:
            raise ValueError("catalog needs format: iceberg")
        if (self.format == "jdbc") != (self.jdbc is not None):
            raise ValueError("format: jdbc needs jdbc.url, and jdbc.url needs format: jdbc")
        return self
