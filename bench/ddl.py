"""How long DDL takes: parsing statements, and recovery from a long schema history.

Usage: ``python -m bench.ddl``. The statements are applied one after the other by the parser of
the connector; the history is a file of 100,000 records about 5,000 tables, recovered in a
process of its own, so that its memory can be measured.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from connector.capture.history import HistoryRecord, recover
from connector.capture.history.file import FileHistory
from connector.capture.tables import Tables
from connector.mysql.ddl.apply_text import apply_text
from connector.mysql.ddl.catalog import Catalog
from connector.mysql.position.binlog_position import BinlogPosition
from connector.mysql.position.recorded_positions import recorded_before
from connector.mysql.schema.database_schema import DatabaseSchema
from connector.mysql.schema.schema_rules import SchemaRules

STATEMENTS, TABLES, RECORDS = 10_000, 5_000, 100_000
SOURCE = {"server": "bench"}
COLUMNS = """id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT, `name` VARCHAR(80) CHARACTER SET utf8mb4
    COLLATE utf8mb4_bin NOT NULL DEFAULT '' COMMENT 'shown, as it is', price DECIMAL(12,4) DEFAULT
    '0.0000', state ENUM('new','paid','it''s sent') NOT NULL DEFAULT 'new', flags SET('a','b'),
    born DATETIME(3) DEFAULT CURRENT_TIMESTAMP(3) ON UPDATE CURRENT_TIMESTAMP(3), doc JSON,
    total DECIMAL(14,4) AS (price * (1 + 0.2)) STORED, note TEXT /*!50100 COMMENT 'x' */,
    PRIMARY KEY (id), UNIQUE KEY by_name (`name`(20)), KEY (state, born)"""
KINDS = (
    f"CREATE TABLE `t{{0}}` ({COLUMNS}) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COMMENT='n {{0}}'",
    "ALTER TABLE t{0} ADD COLUMN extra{1} INT NULL AFTER id, ADD INDEX i{1} (extra{1}), LOCK=NONE",
    "ALTER TABLE `d`.t{0} MODIFY price DECIMAL(16,6) NOT NULL, CHANGE note remark LONGTEXT",
    "CREATE INDEX by_state{1} ON t{0} (state) USING BTREE",
    "RENAME TABLE t{0} TO t{0}_old, t{0}_old TO t{0}",
)


def statement(number: int, tables: int) -> str:
    """Return a statement: each table is made first, then changed over and over."""
    round_, table = divmod(number, tables)
    kind = KINDS[0 if round_ == 0 else 1 + (round_ - 1) % (len(KINDS) - 1)]
    if "CHANGE note" in kind and round_ > len(KINDS):
        kind = KINDS[1]
    return kind.format(table, round_)


def parse() -> float:
    """Return the processor seconds that parsing and applying the statements takes."""
    catalog = Catalog(Tables(), "mysql")
    texts = [statement(number, STATEMENTS // 5) for number in range(STATEMENTS)]
    begun = time.process_time()
    for text in texts:
        apply_text(catalog, text, "d")
    return time.process_time() - begun


def write(path: Path) -> None:
    """Write the history."""
    schema = DatabaseSchema(SchemaRules(), Tables())
    store = FileHistory(path)
    store.prepare()
    with store.buffering():
        for number in range(RECORDS):
            position = {"file": "binlog.000001", "pos": number, "ts_sec": 1_700_000_000}
            for change in schema.apply(statement(number, TABLES), "d"):
                database, ddl, changes = change.database, change.ddl, change.changes
                store.append(HistoryRecord.of(SOURCE, position, database, ddl, changes, number))
    store.close()


def measure_recovery(path: Path) -> None:
    """Recover from the history and print what that took."""
    schema = DatabaseSchema(SchemaRules(), Tables())
    reached = recorded_before(BinlogPosition("binlog.000001", RECORDS), None, is_mariadb=False)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    begun = time.process_time()
    found = recover(FileHistory(path).records(), SOURCE, schema.tables, schema.replay, reached)
    seconds = time.process_time() - begun
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(
        f"recovery of {found.changes:,} records: {seconds:.1f} s, {len(schema.tables):,} tables, "
        f"peak {after // 1024} MB ({(after - before) // 1024} MB of it in the recovery)"
    )


def main() -> None:
    """Measure and print."""
    print(f"{STATEMENTS:,} statements: {parse():.1f} s")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "history"
        write(path)
        print(f"history of {path.stat().st_size >> 20} MB")
        subprocess.run([sys.executable, "-m", "bench.ddl", str(path)], check=True)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        measure_recovery(Path(sys.argv[1]))
    else:
        main()
