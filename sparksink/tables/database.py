"""A database behind JDBC: transactions run on the driver, frames are read and loaded by Spark."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import Any, Final

from py4j.protocol import Py4JJavaError  # type: ignore[import-untyped] # it has no types
from pyspark.sql import DataFrame, SparkSession

from sparksink.config.target import Jdbc
from sparksink.errors import SinkError
from sparksink.tables.dialects import Dialect
from sparksink.tables.mariadb import MariaDb
from sparksink.tables.postgresql import PostgreSql

_UNREACHABLE: Final = "08"
"""Class of SQL states for connection errors."""

_ROWS_AT_ONCE: Final = 1000
"""Rows of a result in memory; without it drivers fetch all of them at once."""

_PAUSES: Final = (1, 2, 4, 8)
"""Seconds between attempts to connect."""

_MARIADB: Final = "jdbc:mariadb:"


@dataclass(frozen=True, slots=True)
class Statement:
    """An SQL statement with the values of its placeholders."""

    sql: str
    values: tuple[str, ...] = ()


class Database:
    """A MariaDB, MySQL or PostgreSQL database; each call opens its own connection."""

    def __init__(self, spark: SparkSession, settings: Jdbc) -> None:
        self._spark = spark
        self._safe_url = settings.url.partition("?")[0]
        self._dialect = PostgreSql.settings
        self._url = settings.url
        if settings.url.startswith(_MARIADB):
            # Spark quotes names by this scheme; the driver accepts it with the parameter.
            self._dialect = MariaDb.settings
            url = settings.url.replace(_MARIADB, "jdbc:mysql:", 1)
            self._url = f"{url}{'&' if '?' in url else '?'}permitMysqlScheme"
        account = {"user": settings.user, "password": settings.password}
        self._properties = {**self._dialect.connection, **account}

    @cached_property
    def sql(self) -> Dialect:
        """The SQL dialect of the server."""
        if self._dialect is PostgreSql.settings:
            return PostgreSql()
        return MariaDb(str(self.query("SELECT VERSION()")[0][0]))

    def query(self, sql: str, *values: str) -> list[tuple[str | None, ...]]:
        """Return rows with values as strings."""
        with self._connection() as connection, self._prepare(connection, sql, values) as prepared:
            rows = prepared.executeQuery()
            width = range(1, rows.getMetaData().getColumnCount() + 1)
            found = []
            while rows.next():
                found.append(tuple(rows.getString(column) for column in width))
            return found

    def run(self, statements: Iterable[Statement]) -> None:
        """Run statements in one transaction, which DDL statements commit implicitly."""
        with self._connection() as connection:
            connection.setAutoCommit(False)
            for statement in statements:
                with self._prepare(connection, statement.sql, statement.values) as prepared:
                    prepared.execute()
            connection.commit()

    def load(self, rows: DataFrame, table: str) -> None:
        """Append rows to a table; each task of Spark writes its part."""
        (
            rows.write.format("jdbc")
            .options(**self._options())
            .option("dbtable", table)
            .mode("append")
            .save()
        )

    def read(self, sql: str) -> DataFrame:
        """Return the result of a query as a frame."""
        options = {**self._options(), "query": sql, "fetchsize": str(_ROWS_AT_ONCE)}
        return self._spark.read.format("jdbc").options(**options).load()

    def _options(self) -> dict[str, str]:
        return {"url": self._url, "driver": self._dialect.driver, **self._properties}

    @contextmanager
    def _connection(self) -> Iterator[Any]:
        jvm: Any = self._spark._jvm  # noqa: SLF001 - a Python driver would be one more to ship
        properties = jvm.java.util.Properties()
        for name, value in self._properties.items():
            properties.setProperty(name, value)
        driver = reduce(getattr, self._dialect.driver.split("."), jvm)()
        with closing(self._connect(driver, properties)) as connection:
            yield connection  # closing it rolls back

    def _connect(self, driver: Any, properties: Any) -> Any:
        """Connect; an unreachable server may be starting.

        :raises SinkError: the server refuses the connection, or stays unreachable.
        """
        for pause in (*_PAUSES, None):
            try:
                return driver.connect(self._url, properties)
            except Py4JJavaError as error:
                state = error.java_exception.getSQLState() or ""
                if pause is None or not state.startswith(_UNREACHABLE):
                    message = str(error.java_exception.getMessage()).partition("\n")[0]
                    raise SinkError(f"{self._safe_url}: cannot connect: {message}") from None
            time.sleep(pause)
        raise AssertionError("unreachable")

    @contextmanager
    def _prepare(self, connection: Any, sql: str, values: Iterable[str]) -> Iterator[Any]:
        with closing(connection.prepareStatement(sql)) as prepared:
            for number, value in enumerate(values, 1):
                prepared.setString(number, value)
            yield prepared
