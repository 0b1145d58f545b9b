-- phase: before
CREATE DATABASE xa;
CREATE TABLE xa.a (id INT PRIMARY KEY, v INT);
INSERT INTO xa.a VALUES (1, 1);
-- phase: streaming
XA START 'committed';
INSERT INTO xa.a VALUES (2, 2), (3, 3);
UPDATE xa.a SET v = v + 1;
XA END 'committed';
XA PREPARE 'committed';
XA COMMIT 'committed';
INSERT INTO xa.a VALUES (4, 4);
XA START 'one phase', 'branch', 7;
DELETE FROM xa.a WHERE id = 3;
XA END 'one phase', 'branch', 7;
XA COMMIT 'one phase', 'branch', 7 ONE PHASE;
XA START 'rolled back';
INSERT INTO xa.a VALUES (5, 5);
XA END 'rolled back';
XA PREPARE 'rolled back';
XA ROLLBACK 'rolled back';
XA START 'never prepared';
INSERT INTO xa.a VALUES (6, 6);
XA END 'never prepared';
XA ROLLBACK 'never prepared';
XA START 'empty';
XA END 'empty';
XA PREPARE 'empty';
XA COMMIT 'empty';
UPDATE xa.a SET v = 0 WHERE id = 1;
-- phase: offline
XA START 'offline';
INSERT INTO xa.a VALUES (7, 7);
XA END 'offline';
XA PREPARE 'offline';
XA COMMIT 'offline';
INSERT INTO xa.a VALUES (8, 8);
