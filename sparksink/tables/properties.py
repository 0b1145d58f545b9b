"""Table properties: read from Spark's catalogs, as SQL, and the facts that are stored in them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from pyspark.sql import SparkSession

from sparksink.sql import string_literal

_FACT: Final = "millrace."


def read_properties(
    spark: SparkSession, catalog: str, namespace: Sequence[str], name: str
) -> dict[str, str]:
    """Return the properties of a table.

    SHOW TBLPROPERTIES does not: Spark redacts values that look like secrets or URLs by their key or
    their text, such as ``["token"]``, the key of a table.
    """
    gateway: Any = spark.sparkContext._gateway  # noqa: SLF001 - catalogs have no Python interface
    session: Any = spark._jsparkSession  # noqa: SLF001 - as above
    sql = gateway.jvm.org.apache.spark.sql
    sql.SparkSession.setActiveSession(session)  # of this thread: Delta's catalog uses it
    parts = gateway.new_array(gateway.jvm.java.lang.String, len(namespace))
    for number, part in enumerate(namespace):
        parts[number] = part
    identifier = sql.connector.catalog.Identifier.of(parts, name)
    catalogs = session.sessionState().catalogManager()
    return dict(catalogs.catalog(catalog).loadTable(identifier).properties())


def facts_to_properties(facts: Mapping[str, str]) -> dict[str, str]:
    """Return facts as table properties."""
    return {_FACT + name: value for name, value in facts.items()}


def properties_to_facts(properties: Mapping[str, str]) -> dict[str, str]:
    """Return the facts among table properties."""
    return {
        key.removeprefix(_FACT): value for key, value in properties.items() if key.startswith(_FACT)
    }


def properties_sql(properties: Mapping[str, str]) -> str:
    """Return the contents of a ``TBLPROPERTIES`` clause."""
    return ", ".join(
        f"{string_literal(key)} = {string_literal(value)}" for key, value in properties.items()
    )
