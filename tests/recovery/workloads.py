"""Statements that a capture is stopped and started in."""

from __future__ import annotations

from typing import Final

LAST: Final = 999  # the key of the row that ends a workload
BEFORE: Final = (
    "CREATE TABLE a (id INT PRIMARY KEY, v VARCHAR(2000))",
    "CREATE TABLE b (x INT, y INT, n INT, PRIMARY KEY (x, y))",
    "CREATE TABLE loose (what VARCHAR(20), n INT)",
    "CREATE TABLE filler (id INT PRIMARY KEY AUTO_INCREMENT, v MEDIUMTEXT)",
    "INSERT INTO a VALUES (1, 'one')",
)
# Larger than one read from the log: a task has a position, and can stop, before and behind it.
FILLER: Final = "INSERT INTO filler (v) VALUES (REPEAT('x', 70000))"
WORKLOAD: Final = (
    "BEGIN",
    "INSERT INTO a VALUES (2, 'two'), (3, 'three'), (4, 'four')",
    FILLER,
    "INSERT INTO b VALUES (1, 1, 1), (1, 2, 2)",
    FILLER,
    "UPDATE a SET v = CONCAT(v, '!')",
    "DELETE FROM b WHERE y = 2",
    FILLER,
    "COMMIT",
    "INSERT INTO loose VALUES ('same', 1), ('same', 1)",
    FILLER,
    "ALTER TABLE a ADD COLUMN w INT DEFAULT 7",
    FILLER,
    "UPDATE a SET id = id + 100 WHERE id < 3",  # two keys change in one event
    "UPDATE loose SET n = n + 1 LIMIT 1",
    FILLER,
    "TRUNCATE TABLE b",
    FILLER,
    "INSERT INTO b VALUES (5, 5, 5)",
    "DELETE FROM loose",
    "CREATE TABLE late (id INT PRIMARY KEY AUTO_INCREMENT, v INT)",
    "INSERT INTO late (v) VALUES (10), (20)",
    FILLER,
    "ALTER TABLE late RENAME TO later",
    "BEGIN",
    FILLER,
    # more than fits a row event (8 KB): the statement's rows come in several of them
    "INSERT INTO a (id, v) VALUES " + ", ".join(f"({n}, REPEAT('x', 1500))" for n in range(20, 36)),
    FILLER,
    "INSERT INTO later (v) VALUES (30)",
    "UPDATE a SET w = 8 WHERE id >= 20 AND id < 30",
    FILLER,
    "COMMIT",
    "DELETE FROM a WHERE id >= 20",
    FILLER,
    "DROP TABLE later",
    FILLER,
    "XA START 'x'",
    "INSERT INTO b VALUES (7, 7, 7), (7, 8, 8)",
    FILLER,
    "UPDATE b SET n = n + 1",
    FILLER,
    "DELETE FROM b WHERE y = 8",
    "XA END 'x'",
    "XA PREPARE 'x'",
    "XA COMMIT 'x'",
    FILLER,
    # statements that undo themselves when they are applied twice
    "ALTER TABLE b RENAME COLUMN y TO n, RENAME COLUMN n TO y",
    FILLER,
    "INSERT INTO b VALUES (9, 1, 2)",
    "ALTER TABLE b MODIFY x INT FIRST, MODIFY n INT AFTER x",
    "RENAME TABLE b TO c, loose TO b, c TO loose",
    FILLER,
    "INSERT INTO loose VALUES (10, 3, 4)",
    "INSERT INTO b VALUES ('other', 5)",
    FILLER,
    "INSERT INTO a (id, v) VALUES (999, 'the end')",
)
COMPRESSED: Final = (
    "SET SESSION binlog_transaction_compression = ON",
    *WORKLOAD,
    "SET SESSION binlog_transaction_compression = OFF",
)
# As large as a batch of events: MariaDB's transactions have positions before and behind it.
_BATCH: Final = "INSERT INTO filler (v) VALUES (REPEAT('x', 4 << 20))"
STATEMENTS: Final = (
    "BEGIN",
    "INSERT INTO a VALUES (2, 'two'), (3, 'three')",
    _BATCH,
    "UPDATE a SET v = CONCAT(v, '!')",
    "DELETE FROM a WHERE id = 3",
    _BATCH,
    "INSERT INTO a VALUES (4, 'four')",
    "COMMIT",
    "INSERT INTO a (id, v) VALUES (999, 'the end')",
)
ROLLBACKS: Final = (
    "BEGIN",
    "INSERT INTO a VALUES (2, 'kept')",
    "SAVEPOINT s",
    "INSERT INTO a VALUES (3, 'taken back')",
    FILLER,
    "CREATE TEMPORARY TABLE hidden (n INT)",
    "ROLLBACK TO s",
    "INSERT INTO a VALUES (4, 'kept, too')",
    "COMMIT",
    "BEGIN",
    "INSERT INTO a VALUES (5, 'taken back')",
    FILLER,
    "DROP TEMPORARY TABLE hidden",
    "ROLLBACK",
    "INSERT INTO a VALUES (6, 'kept')",
    FILLER,
    "INSERT INTO a (id, v) VALUES (999, 'the end')",
)
