-- server: mysql
-- config: binlog.buffer.size=12
-- config: provide.transaction.metadata=true
-- phase: before
CREATE DATABASE buffered;
CREATE TABLE buffered.a (id INT PRIMARY KEY, v VARCHAR(20));
CREATE TABLE buffered.b (id INT PRIMARY KEY, v VARCHAR(20));
INSERT INTO buffered.a VALUES (1, 'one');
-- phase: streaming
INSERT INTO buffered.a VALUES (2, 'two');
BEGIN;
INSERT INTO buffered.a VALUES (3, 'three');
UPDATE buffered.a SET v = 'THREE' WHERE id = 3;
DELETE FROM buffered.a WHERE id = 1;
COMMIT;
BEGIN;
INSERT INTO buffered.a VALUES (4, 'kept');
SAVEPOINT one;
INSERT INTO buffered.b VALUES (4, 'undone');
ROLLBACK TO SAVEPOINT one;
INSERT INTO buffered.b VALUES (5, 'kept');
COMMIT;
BEGIN;
INSERT INTO buffered.a VALUES (6, 'undone');
ROLLBACK;
BEGIN;
INSERT INTO buffered.a VALUES (10, 'several');
INSERT INTO buffered.b VALUES (10, 'several');
COMMIT;
ALTER TABLE buffered.a ADD COLUMN w INT DEFAULT 7;
INSERT INTO buffered.a VALUES (20, 'after', 1);
BEGIN;
UPDATE buffered.a SET w = 8;
COMMIT;
TRUNCATE TABLE buffered.b;
INSERT INTO buffered.b VALUES (1, 'last');
