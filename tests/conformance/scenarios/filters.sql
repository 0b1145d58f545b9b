-- config: database.include.list=flt_.*
-- config: table.include.list=flt_a\.t[12],flt_b\..*,.*\.keyed
-- config: column.exclude.list=flt_a\.t1\.secret
-- config: message.key.columns=flt_a.t2:v,w;(.*).keyed:id,name
-- phase: before
CREATE DATABASE flt_a;
CREATE DATABASE flt_b;
CREATE TABLE flt_a.t1 (id INT PRIMARY KEY, secret VARCHAR(20), v INT);
CREATE TABLE flt_a.t2 (id INT PRIMARY KEY, v INT, w VARCHAR(5));
CREATE TABLE flt_a.t3 (id INT PRIMARY KEY, v INT);
CREATE TABLE flt_a.keyed (id INT PRIMARY KEY, name VARCHAR(20), v INT);
CREATE TABLE flt_b.t9 (id INT PRIMARY KEY, v INT);
INSERT INTO flt_a.t1 VALUES (1, 'hidden', 1);
INSERT INTO flt_a.t2 VALUES (1, 1, 'w');
INSERT INTO flt_a.t3 VALUES (1, 1);
INSERT INTO flt_a.keyed VALUES (1, 'n', 1);
INSERT INTO flt_b.t9 VALUES (1, 1);
-- phase: streaming
UPDATE flt_a.t1 SET secret = 'other';
UPDATE flt_a.t1 SET v = 2;
UPDATE flt_a.t2 SET v = 2;
UPDATE flt_a.t3 SET v = 2;
UPDATE flt_a.keyed SET name = 'm';
UPDATE flt_a.keyed SET id = 2;
DELETE FROM flt_a.keyed;
ALTER TABLE flt_a.t3 ADD COLUMN w INT;
ALTER TABLE flt_a.t1 ADD COLUMN w INT;
INSERT INTO flt_a.t1 VALUES (2, 'hidden', 1, 1);
CREATE TABLE flt_a.t4 (id INT PRIMARY KEY);
INSERT INTO flt_a.t4 VALUES (1);
CREATE TABLE flt_b.born (id INT PRIMARY KEY);
INSERT INTO flt_b.born VALUES (1);
RENAME TABLE flt_a.t4 TO flt_b.t4;
INSERT INTO flt_b.t4 VALUES (2);
