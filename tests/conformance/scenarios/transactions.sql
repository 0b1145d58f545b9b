-- config: provide.transaction.metadata=true
-- config: skipped.operations=none
-- config: tombstones.on.delete=false
-- phase: before
CREATE DATABASE tx;
CREATE TABLE tx.a (id INT PRIMARY KEY AUTO_INCREMENT, v INT);
CREATE TABLE tx.b (id INT PRIMARY KEY AUTO_INCREMENT, v INT);
INSERT INTO tx.a (v) VALUES (1),(2);
-- phase: streaming
BEGIN;
INSERT INTO tx.a (v) VALUES (3),(4);
INSERT INTO tx.b (v) VALUES (3);
UPDATE tx.a SET v = v + 10;
DELETE FROM tx.a WHERE id = 1;
COMMIT;
BEGIN;
INSERT INTO tx.a (v) VALUES (99);
ROLLBACK;
BEGIN;
INSERT INTO tx.a (v) VALUES (5);
SAVEPOINT s;
INSERT INTO tx.b (v) VALUES (6);
ROLLBACK TO s;
INSERT INTO tx.b (v) VALUES (7);
COMMIT;
UPDATE tx.a SET id = 50 WHERE id = 2;
CREATE TABLE tx.c (id INT PRIMARY KEY) ENGINE=MyISAM;
INSERT INTO tx.c VALUES (1), (2);
XA START 'x1';
INSERT INTO tx.a (v) VALUES (71);
XA END 'x1';
XA PREPARE 'x1';
XA COMMIT 'x1';
DELETE FROM tx.b;
