"""The shop: three tables, and customers who never rest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import chain, count, cycle
from typing import Any, Final

from tools.stack import DatabaseServer

DATABASE: Final = "inventory"
TABLES: Final = ("customers", "products", "orders")

_DEFINITIONS: Final = (
    f"CREATE DATABASE {DATABASE}",
    f"USE {DATABASE}",
    """CREATE TABLE customers (
        id INT AUTO_INCREMENT PRIMARY KEY,
        name VARCHAR(60) NOT NULL,
        email VARCHAR(120) NOT NULL UNIQUE)""",
    """CREATE TABLE products (
        id INT AUTO_INCREMENT PRIMARY KEY,
        name VARCHAR(60) NOT NULL,
        price DECIMAL(8,2) NOT NULL,
        stock INT NOT NULL)""",
    """CREATE TABLE orders (
        id INT AUTO_INCREMENT PRIMARY KEY,
        customer_id INT NOT NULL,
        product_id INT NOT NULL,
        quantity INT NOT NULL,
        ordered DATE NOT NULL,
        status ENUM('open', 'paid', 'shipped') NOT NULL DEFAULT 'open',
        FOREIGN KEY (customer_id) REFERENCES customers (id),
        FOREIGN KEY (product_id) REFERENCES products (id))""",
)
_NAMES: Final = ("Ada", "Björn", "Chidi", "Dolores", "Émile", "Fatima", "Grete", "Haruki")
_PRODUCTS: Final = (("teapot", "24.90"), ("kettle", "39.00"), ("cup", "6.50"), ("whisk", "18.20"))
_CUSTOMERS_AT_FIRST: Final = 3


class Shop:
    """Writes changes and counts them.

    ``written`` says which events must arrive, as (table, kind) → count: ``read`` for rows that
    are there before the connector, then one ``insert``, ``update`` or ``delete`` for each row
    that a statement changed, and one ``alter`` for each table that got another shape.
    """

    def __init__(self, server: DatabaseServer) -> None:
        self.written: Counter[tuple[str, str]] = Counter()
        self._connection = server.connect(autocommit=False)
        self._numbers = count(1)
        always = (
            self._order,
            self._pay,
            self._join,
            self._order,
            self._move,
            self._reprice,
            self._order,
            self._ship,
            self._cancel,
        )
        self._not_done = len(always) + 1
        self._steps: Iterator[Callable[[], None]] = chain(
            always, [self._ask_for_phones], cycle(always)
        )

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def open(self) -> None:
        """Make the database, with a few rows for the snapshot."""
        with self._connection.cursor() as cursor:
            for statement in _DEFINITIONS:
                cursor.execute(statement)
        with self._transaction():
            for _ in range(_CUSTOMERS_AT_FIRST):
                self._new_customer("read")
            for product in _PRODUCTS:
                sql = "INSERT INTO products (name, price, stock) VALUES (%s, %s, 500)"
                self._write("products", "read", sql, *product)

    def step(self) -> None:
        """Do the next piece of business: one transaction, or one change of a table's shape."""
        next(self._steps)()
        self._not_done -= 1

    @property
    def did_all(self) -> bool:
        """Whether each kind of business was done once."""
        return self._not_done <= 0

    def rows(self, table: str) -> list[dict[str, Any]]:
        """Return the rows of a table as they are now: column → value."""
        with self._connection.cursor() as cursor:
            cursor.execute(f"SELECT * FROM {table}")  # noqa: S608 - one of TABLES
            columns = [column[0] for column in cursor.description or ()]
            found = [dict(zip(columns, row, strict=True)) for row in cursor.fetchall()]
        self._connection.commit()
        return found

    def _order(self) -> None:
        number = next(self._numbers)
        with self._transaction():
            self._write(
                "orders",
                "insert",
                "INSERT INTO orders (customer_id, product_id, quantity, ordered) "
                "SELECT 1 + %s %% COUNT(*), 1 + %s %% 4, 1 + %s %% 3, CURRENT_DATE FROM customers",
                *(number, number, number),
            )
            self._write(
                "products",
                "update",
                "UPDATE products SET stock = stock - 1 WHERE id = 1 + %s %% 4",
                number,
            )

    def _pay(self) -> None:
        self._advance("open", "paid")

    def _ship(self) -> None:
        self._advance("paid", "shipped")

    def _advance(self, before: str, after: str) -> None:
        sql = "UPDATE orders SET status = %s WHERE status = %s ORDER BY id LIMIT 1"
        with self._transaction():
            self._write("orders", "update", sql, after, before)

    def _cancel(self) -> None:
        sql = "DELETE FROM orders WHERE status = 'open' ORDER BY id LIMIT 1"
        with self._transaction():
            self._write("orders", "delete", sql)

    def _join(self) -> None:
        with self._transaction():
            self._new_customer("insert")

    def _move(self) -> None:
        sql = "UPDATE customers SET email = CONCAT('new.', email) ORDER BY id DESC LIMIT 1"
        with self._transaction():
            self._write("customers", "update", sql)

    def _reprice(self) -> None:
        sql = "UPDATE products SET price = price + 0.10 WHERE id = 1 + %s %% 4"
        with self._transaction():
            self._write("products", "update", sql, next(self._numbers))

    def _ask_for_phones(self) -> None:
        """Add a column and use it: the events change their shape while they flow."""
        with self._transaction():
            self._write("customers", "alter", "ALTER TABLE customers ADD COLUMN phone VARCHAR(20)")
            self.written["customers", "alter"] += 1  # the statement itself affects no rows
            sql = "UPDATE customers SET phone = CONCAT('030 555 ', id) ORDER BY id DESC LIMIT 2"
            self._write("customers", "update", sql)

    def _new_customer(self, kind: str) -> None:
        number = next(self._numbers)
        name = _NAMES[number % len(_NAMES)]
        sql = "INSERT INTO customers (name, email) VALUES (%s, %s)"
        self._write("customers", kind, sql, name, f"customer{number}@example.org")

    def _write(self, table: str, kind: str, sql: str, *arguments: object) -> None:
        with self._connection.cursor() as cursor:
            self.written[table, kind] += cursor.execute(sql, arguments or None)

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        yield
        self._connection.commit()
