-- config: skip.messages.without.change=true
-- config: column.exclude.list=unch\.t\.(secret|k2)
-- config: include.query=true
-- config: provide.transaction.metadata=true
-- config: tombstones.on.delete=false
-- config: snapshot.max.threads=3
-- config: table.exclude.list=kept\.x.*
-- config: schema.history.internal.store.only.captured.tables.ddl=true
-- config: schema.history.internal.skip.unparseable.ddl=true
-- config: inconsistent.schema.handling.mode=skip
-- config: event.processing.failure.handling.mode=warn
-- phase: before
CREATE DATABASE kept;
CREATE TABLE kept.t (id INT PRIMARY KEY, v INT);
CREATE TABLE kept.x (id INT PRIMARY KEY, v INT);
-- phase: streaming
INSERT INTO kept.t VALUES (2, 2);
INSERT INTO kept.x VALUES (2, 2);
ALTER TABLE kept.x ADD w INT;
INSERT INTO kept.x VALUES (3, 2, 3);
CREATE TABLE kept.x2 (id INT PRIMARY KEY);
CREATE TABLE kept.late LIKE kept.t;
INSERT INTO kept.late VALUES (1, 1);
ALTER TABLE kept.late ADD w INT;
RENAME TABLE kept.late TO kept.x_late;
INSERT INTO kept.x_late VALUES (9, 9, 9);
CREATE INDEX v ON kept.t (v);
DROP TABLE kept.x2, kept.x_late;
