-- config: snapshot.mode=configuration_based
-- config: snapshot.mode.configuration.based.snapshot.schema=true
-- config: snapshot.mode.configuration.based.snapshot.data=true
-- config: snapshot.mode.configuration.based.start.stream=true
-- config: include.schema.changes=false
-- config: snapshot.include.collection.list=confbased\.[ab]
-- config: snapshot.select.statement.overrides=confbased.b
-- config: snapshot.select.statement.overrides.confbased.b=SELECT v, id FROM confbased.b WHERE id > 1 ORDER BY id DESC
-- config: database.initial.statements=SET SESSION wait_timeout=2000;SET SESSION sort_buffer_size=300000
-- config: guardrail.collections.max=1
-- config: guardrail.collections.limit.action=warn
-- phase: before
CREATE DATABASE confbased;
CREATE TABLE confbased.a (id INT PRIMARY KEY, v INT);
CREATE TABLE confbased.b (id INT PRIMARY KEY, v INT);
CREATE TABLE confbased.c (id INT PRIMARY KEY, v INT);
INSERT INTO confbased.a VALUES (1, 1), (2, 2);
INSERT INTO confbased.b VALUES (1, 1), (2, 2), (3, 3);
INSERT INTO confbased.c VALUES (1, 1);
-- phase: streaming
INSERT INTO confbased.c VALUES (2, 2);
UPDATE confbased.b SET v = 7;
ALTER TABLE confbased.a ADD COLUMN w INT;
INSERT INTO confbased.a VALUES (3, 3, 3);
-- phase: offline
INSERT INTO confbased.a VALUES (4, 4, 4);
