-- config: include.schema.changes=false
-- config: snapshot.include.collection.list=alw\.[ab]
-- config: snapshot.select.statement.overrides=alw.b
-- config: snapshot.select.statement.overrides.alw.b=SELECT v, id FROM alw.b WHERE id > 1 ORDER BY id DESC
-- config: database.initial.statements=SET SESSION wait_timeout=2000;SET SESSION sort_buffer_size=300000
-- config: snapshot.tables.order.by.row.count=ascending
-- config: snapshot.fetch.size=2
-- config: guardrail.collections.max=1
-- config: guardrail.collections.limit.action=warn
-- phase: before
CREATE DATABASE alw;
CREATE TABLE alw.a (id INT PRIMARY KEY, v INT);
CREATE TABLE alw.b (id INT PRIMARY KEY, v INT);
CREATE TABLE alw.c (id INT PRIMARY KEY, v INT);
INSERT INTO alw.a VALUES (1, 1), (2, 2);
INSERT INTO alw.b VALUES (1, 1), (2, 2), (3, 3);
INSERT INTO alw.c VALUES (1, 1);
ANALYZE TABLE alw.a, alw.b, alw.c;
-- phase: streaming
INSERT INTO alw.c VALUES (2, 2);
UPDATE alw.b SET v = 7;
ALTER TABLE alw.a ADD COLUMN w INT;
INSERT INTO alw.a VALUES (3, 3, 3);
-- phase: offline
INSERT INTO alw.a VALUES (4, 4, 4);
