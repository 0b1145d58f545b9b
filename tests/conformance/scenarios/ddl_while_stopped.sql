-- phase: before
CREATE DATABASE ddl_o;
CREATE TABLE ddl_o.p (id INT PRIMARY KEY, name VARCHAR(40));
INSERT INTO ddl_o.p VALUES (1, 'one');
CREATE TABLE ddl_o.commented (id INT PRIMARY KEY, v INT COMMENT 'a column') COMMENT = 'a table';
-- phase: streaming
ALTER TABLE ddl_o.p ADD COLUMN a INT DEFAULT 1;
INSERT INTO ddl_o.p VALUES (2, 'two', 2);
-- phase: offline
INSERT INTO ddl_o.p VALUES (3, 'three', 3);
ALTER TABLE ddl_o.commented ADD COLUMN w INT;
ALTER TABLE ddl_o.p ADD COLUMN b VARCHAR(10) NOT NULL DEFAULT 'b' AFTER id;
INSERT INTO ddl_o.p VALUES (4, 'bb', 'four', 4);
CREATE TABLE ddl_o.late (k VARCHAR(10), v INT, PRIMARY KEY (k, v));
INSERT INTO ddl_o.late VALUES ('a', 1);
DROP TABLE ddl_o.p;
CREATE TABLE ddl_o.p (other INT PRIMARY KEY);
INSERT INTO ddl_o.p VALUES (1);
