-- server: mariadb
-- config: binlog.buffer.size=12
-- phase: before
CREATE DATABASE engines;
CREATE TABLE engines.a (id INT PRIMARY KEY, v VARCHAR(20)) ENGINE=InnoDB;
CREATE TABLE engines.m (id INT PRIMARY KEY, v VARCHAR(20)) ENGINE=MyISAM;
-- phase: streaming
INSERT INTO engines.m VALUES (1, 'one');
BEGIN;
INSERT INTO engines.a VALUES (1, 'undone');
INSERT INTO engines.m VALUES (2, 'stays');
INSERT INTO engines.a VALUES (2, 'undone');
ROLLBACK;
BEGIN;
INSERT INTO engines.a VALUES (6, 'undone');
INSERT INTO engines.m VALUES (6, 'stays');
INSERT INTO engines.a VALUES (7, 'undone'), (8, 'undone'), (9, 'undone'), (10, 'undone'), (11, 'undone');
UPDATE engines.a SET v = 'undone';
ROLLBACK;
INSERT INTO engines.a VALUES (100, 'last');
