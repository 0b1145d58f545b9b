-- The server's own databases, and columns that are named.
-- config: table.ignore.builtin=false
-- config: database.include.list=mysql,included
-- config: table.include.list=mysql[.](time_zone|plugin),included[.].*
-- config: column.include.list=mysql[.].*,included[.]t[.](id|v.*|price),included[.]only[.](id|v),included[.]u[.]id,[^.]*[.]late[.].*
-- config: gtid.source.excludes=00000000-0000-0000-0000-000000000000
-- phase: before
CREATE DATABASE included;
CREATE TABLE included.t (id INT PRIMARY KEY, value INT, name VARCHAR(9) DEFAULT 'n', V2 TEXT, price DECIMAL(5,2));
CREATE TABLE included.only (id INT PRIMARY KEY, v INT, w INT);
CREATE TABLE included.none (id INT, v INT);
CREATE TABLE included.u (id INT, v INT, UNIQUE KEY (id, v));
INSERT INTO included.t VALUES (1, 2, 'a', 'b', 1.5);
INSERT INTO included.only VALUES (1, 2, 3);
INSERT INTO included.none VALUES (1, 2);
INSERT INTO included.u VALUES (1, 2);
REPLACE INTO mysql.time_zone VALUES (7777, 'N');
-- phase: streaming
INSERT INTO included.t VALUES (2, 3, 'a', 'b', 2.5);
INSERT INTO included.none VALUES (3, 4);
UPDATE included.none SET v = 5;
DELETE FROM included.none WHERE v = 5;
UPDATE included.t SET name = 'c' WHERE id = 2;
INSERT INTO included.only VALUES (2, 3, 4);
UPDATE included.only SET id = 5 WHERE id = 2;
INSERT INTO included.u VALUES (3, 4);
DELETE FROM included.t WHERE id = 2;
INSERT INTO mysql.time_zone VALUES (8888, 'Y');
DELETE FROM mysql.time_zone WHERE Time_zone_id IN (7777, 8888);
ALTER TABLE included.t ADD vlate INT FIRST, ADD late INT, CHANGE V2 w2 TEXT;
INSERT INTO included.t VALUES (9, 4, 5, 'a', 'b', 3.5, 7);
CREATE TABLE included.late (a INT PRIMARY KEY, b INT);
INSERT INTO included.late VALUES (1, 2);
RENAME TABLE included.late TO included.t2, included.only TO included.late;
INSERT INTO included.late VALUES (7, 8, 9);
