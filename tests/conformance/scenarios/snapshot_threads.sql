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
CREATE DATABASE threads;
CREATE TABLE threads.a (id INT PRIMARY KEY, v VARCHAR(9));
INSERT INTO threads.a VALUES (1, 'a'), (2, 'b'), (3, 'c');
CREATE TABLE threads.b_empty (id INT PRIMARY KEY);
CREATE TABLE threads.c_one (id INT PRIMARY KEY, v DATETIME);
INSERT INTO threads.c_one VALUES (1, '2026-11-21 20:57:00');
CREATE TABLE threads.d_keyless (id INT, v TEXT);
INSERT INTO threads.d_keyless VALUES (1, 'x'), (1, 'x'), (2, NULL), (3, 'y'), (4, 'z'), (1, '');
CREATE TABLE threads.e (id INT PRIMARY KEY, v INT);
INSERT INTO threads.e VALUES (1, 1), (2, 2), (3, 3);
CREATE TABLE threads.z (id INT PRIMARY KEY, v INT);
INSERT INTO threads.z VALUES (1, 1), (2, 2);
-- phase: streaming
INSERT INTO threads.a VALUES (4, 'd');
UPDATE threads.b_empty SET id = 1;
INSERT INTO threads.b_empty VALUES (1);
DELETE FROM threads.z WHERE id = 1;
