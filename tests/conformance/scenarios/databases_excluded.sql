-- config: database.exclude.list=dx_hid.*,dx_none
-- config: schema.history.internal.store.only.captured.databases.ddl=true
-- config: table.exclude.list=dx_open\.secret.*
-- config: snapshot.query.mode=select_all
-- config: column.exclude.list=dx_open\.(a|b)\.v[0-9]
-- phase: before
CREATE DATABASE dx_open;
CREATE DATABASE dx_hidden;
CREATE TABLE dx_open.a (id INT PRIMARY KEY, v INT, v1 INT, v2 INT);
CREATE TABLE dx_open.secret_1 (id INT PRIMARY KEY);
CREATE TABLE dx_hidden.t (id INT PRIMARY KEY);
INSERT INTO dx_open.a VALUES (1,2,3,4);
INSERT INTO dx_open.secret_1 VALUES (1);
INSERT INTO dx_hidden.t VALUES (1);
-- phase: streaming
INSERT INTO dx_open.a VALUES (2,3,4,5);
UPDATE dx_open.a SET v1 = 9;
UPDATE dx_open.a SET v = 9;
INSERT INTO dx_hidden.t VALUES (2);
ALTER TABLE dx_hidden.t ADD COLUMN x INT;
INSERT INTO dx_open.secret_1 VALUES (2);
ALTER TABLE dx_open.secret_1 ADD COLUMN x INT;
CREATE TABLE dx_open.b LIKE dx_open.a;
INSERT INTO dx_open.b VALUES (1,2,3,4);
RENAME TABLE dx_open.secret_1 TO dx_open.public_1;
INSERT INTO dx_open.public_1 VALUES (5,6);
RENAME TABLE dx_open.a TO dx_hidden.a;
INSERT INTO dx_hidden.a VALUES (6,6,6,6);
CREATE DATABASE dx_new;
CREATE TABLE dx_new.t (id INT PRIMARY KEY);
INSERT INTO dx_new.t VALUES (1);
ALTER DATABASE dx_new CHARACTER SET latin1;
CREATE TABLE dx_new.u (id INT PRIMARY KEY, v VARCHAR(5));
INSERT INTO dx_new.u VALUES (1,'ä');
-- phase: offline
DROP DATABASE dx_hidden;
INSERT INTO dx_open.b VALUES (2,2,3,4);
ALTER TABLE dx_open.b ADD COLUMN v3 INT, ADD COLUMN w INT;
INSERT INTO dx_open.b VALUES (3,2,3,4,5,6);
DROP DATABASE dx_new;
