-- server: mysql
-- phase: before
CREATE DATABASE xap;
CREATE TABLE xap.a (id INT PRIMARY KEY, v INT);
INSERT INTO xap.a VALUES (1, 1);
XA START 'before the snapshot';
INSERT INTO xap.a VALUES (2, 2);
XA END 'before the snapshot';
XA PREPARE 'before the snapshot';
-- phase: streaming
INSERT INTO xap.a VALUES (3, 3);
XA COMMIT 'before the snapshot';
XA START 'late';
INSERT INTO xap.a VALUES (4, 4);
XA END 'late';
XA PREPARE 'late';
INSERT INTO xap.a VALUES (5, 5);
-- phase: offline
XA COMMIT 'late';
INSERT INTO xap.a VALUES (6, 6);
