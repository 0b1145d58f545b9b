"""A database behind JDBC: transactions from the driver, frames from wherever their rows are."""

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
"""How the SQL state of a fault of the connection begins."""

_ROWS_AT_ONCE: Final = 1000
"""Rows of an answer in memory; without it drivers take all of them at once."""

_PAUSES: Final = (1, 2, 4, 8)
"""Seconds between attempts to connect."""

_MARIADB: Final = "jdbc:mariadb:"


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement of SQL, with the values of its question marks."""

    sql: str
    values: tuple[str, ...] = ()


class Database:
    """One database, MariaDB, MySQL or PostgreSQL; each call has a connection of its own."""

    def __init__(self, spark: SparkSession, settings: Jdbc) -> None:
        self._spark = spark
        self._shown = settings.url.partition("?")[0]
        self._words = PostgreSql.words
        self._url = settings.url
        if settings.url.startswith(_MARIADB):
            # Spark knows by this scheme how names are quoted; the driver takes it if told so.
            self._words = MariaDb.words
            url = settings.url.replace(_MARIADB, "jdbc:mysql:", 1)
            self._url = f"{url}{'&' if '?' in url else '?'}permitMysqlScheme"
        account = {"user": settings.user, "password": settings.password}
        self._properties = {**self._words.settings, **account}

    @cached_property
    def sql(self) -> Dialect:
        """The SQL that it speaks."""
        if self._words is PostgreSql.words:
            return PostgreSql()
        return MariaDb(str(self.query("SELECT VERSION()")[0][0]))

    def query(self, sql: str, *values: str) -> list[tuple[str | None, ...]]:
        """Return rows as texts."""
        with self._connected() as connection, self._prepared(connection, sql, values) as prepared:
            rows = prepared.executeQuery()
            width = range(1, rows.getMetaData().getColumnCount() + 1)
            found = []
            while rows.next():
                found.append(tuple(rows.getString(column) for column in width))
            return found

    def run(self, statements: Iterable[Statement]) -> None:
        """Run statements in one transaction; definitions of tables end one."""
        with self._connected() as connection:
            connection.setAutoCommit(False)
            for statement in statements:
                with self._prepared(connection, statement.sql, statement.values) as prepared:
                    prepared.execute()
            connection.commit()

    def load(self, rows: DataFrame, table: str) -> None:
        """Add rows to a table; each of Spark's tasks writes its part of them."""
        (
            rows.write.format("jdbc")
            .options(**self._options())
            .option("dbtable", table)
            .mode("append")
            .save()
        )

    def read(self, sql: str) -> DataFrame:
        """Return what a query finds."""
        options = {**self._options(), "query": sql, "fetchsize": str(_ROWS_AT_ONCE)}
        return self._spark.read.format("jdbc").options(**options).load()

    def _options(self) -> dict[str, str]:
        return {"url": self._url, "driver": self._words.driver, **self._properties}

    @contextmanager
    def _connected(self) -> Iterator[Any]:
        jvm: Any = self._spark._jvm  # noqa: SLF001 - a Python driver would be one more to ship
        properties = jvm.java.util.Properties()
        for name, value in self._properties.items():
            properties.setProperty(name, value)
        driver = reduce(getattr, self._words.driver.split("."), jvm)()
        with closing(self._opened(driver, properties)) as connection:
            yield connection  # what was not committed is undone when it closes

    def _opened(self, driver: Any, properties: Any) -> Any:
        """Connect; a server that is not there may be starting.

        :raises SinkError: the server does not let us in, or is not there for long.
        """
        for pause in (*_PAUSES, None):
            try:
                return driver.connect(self._url, properties)
            except Py4JJavaError as error:
                state = error.java_exception.getSQLState() or ""
                if pause is None or not state.startswith(_UNREACHABLE):
                    told = str(error.java_exception.getMessage()).partition("\n")[0]
                    raise SinkError(f"{self._shown} cannot be used: {told}") from None
            time.sleep(pause)
        raise AssertionError("unreachable")

    @contextmanager
    def _prepared(self, connection: Any, sql: str, values: Iterable[str]) -> Iterator[Any]:
        with closing(connection.prepareStatement(sql)) as prepared:
            for number, value in enumerate(values, 1):
                prepared.setString(number, value)
            yield prepared
