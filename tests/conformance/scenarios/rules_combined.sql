-- server: mysql
-- config: database.include.list=comb , combb
-- config: table.include.list=comb.(a|b), combb\.[x-z].*,COMB\.Upper
-- config: column.exclude.list= comb.a.hid , .*\.secret
-- config: message.key.columns=comb.a:b;combb.(.*):v,w
-- config: snapshot.tables.order.by.row.count=descending
-- config: snapshot.max.threads=2
-- config: include.query=true
-- config: include.schema.comments=true
-- config: provide.transaction.metadata=true
-- config: schema.history.internal.store.only.captured.databases.ddl=true
-- config: time.precision.mode=connect
-- config: decimal.handling.mode=string
-- config: event.converting.failure.handling.mode=warn
-- config: datatype.propagate.source.type=.*\.VARCHAR,.+\.ENUM,.+\.TINYINT
-- config: skipped.operations=none
-- config: topic.creation.default.partitions=2
-- config: topic.creation.default.replication.factor=1
-- config: topic.creation.groups=g
-- config: topic.creation.g.include=.*combb.*
-- config: topic.creation.g.partitions=3
-- config: topic.creation.g.cleanup.policy=compact
-- phase: before
CREATE DATABASE comb;
CREATE DATABASE combb;
CREATE DATABASE combc;
CREATE TABLE comb.a (id INT PRIMARY KEY, b VARCHAR(10) NOT NULL, hid INT, secret INT, t TIME(3), u TIME, e ENUM('x','y'), ti TINYINT(1));
CREATE TABLE comb.b (id INT PRIMARY KEY, v INT);
CREATE TABLE comb.Upper (id INT PRIMARY KEY, v INT);
CREATE TABLE comb.c (id INT PRIMARY KEY, v INT);
CREATE TABLE combb.x1 (v INT, w VARCHAR(5), secret INT);
CREATE TABLE combb.y (id INT PRIMARY KEY, v INT, w INT, KEY (w));
CREATE TABLE combb.nov (id INT PRIMARY KEY);
CREATE TABLE combc.x (id INT PRIMARY KEY);
INSERT INTO comb.a VALUES (1, 'b', 1, 1, '-10:00:00.5', '100:00:00', 'x', 1), (2, 'c', 1, 1, '10:00:00.5', '00:00:00', 'y', -1);
INSERT INTO comb.b VALUES (1, 1), (2, 1), (3, 1), (4, 4), (5, 5);
INSERT INTO combb.x1 VALUES (1, 'w', 1), (NULL, NULL, NULL);
INSERT INTO combb.y VALUES (1, 1, 1), (2, 2, 2), (3, 3, 3);
INSERT INTO comb.Upper VALUES (1, 1);
ANALYZE TABLE comb.a, comb.b, combb.x1, combb.y, comb.Upper;
-- phase: streaming
SET SESSION binlog_rows_query_log_events = ON;
INSERT INTO comb.a VALUES (3, 'b', 1, 1, '-10:00:00.5', '100:00:00', 'x', 1), (4, 'c', 1, 1, '10:00:00.5', '23:59:59', 'y', -1);
UPDATE comb.a SET secret = 5;
UPDATE comb.a SET b = CONCAT(b, 'z');
UPDATE comb.a SET id = id + 10 ORDER BY id DESC;
BEGIN;
INSERT INTO combb.x1 VALUES (2, 'w', 1);
/* a leading comment */ UPDATE combb.x1 SET v = NULL WHERE v = 2;
DELETE FROM combb.x1;
INSERT INTO comb.c VALUES (1, 1);
INSERT INTO comb.b VALUES (9, 1);
INSERT INTO combc.x VALUES (1);
COMMIT;
INSERT INTO comb.Upper VALUES (2, 1);
UPDATE combb.y SET w = 9 WHERE id = 1;
UPDATE combb.y SET id = 9 WHERE id = 2;
DELETE FROM combb.y WHERE id = 9;
TRUNCATE TABLE combb.y;
TRUNCATE comb.c;
TRUNCATE combc.x;
ALTER TABLE combb.y DROP COLUMN w;
INSERT INTO combb.y VALUES (20, 20);
ALTER TABLE comb.a DROP COLUMN b;
INSERT INTO comb.a VALUES (50, 1, 1, '10:00', '10:00', 'x', 1);
CREATE TABLE combb.z (w VARCHAR(5) COMMENT 'w', v INT COMMENT 'v', x INT) COMMENT 'z';
INSERT INTO combb.z VALUES ('w', 1, 2);
CREATE TABLE combc.y (id INT);
ALTER TABLE comb.c ADD w INT;
RENAME TABLE comb.c TO combb.zc;
INSERT INTO combb.zc VALUES (3, 4, 5);
RENAME TABLE combb.zc TO comb.c2;
INSERT INTO comb.c2 VALUES (4, 4, 5);
RENAME TABLE combb.z TO combc.z;
INSERT INTO combc.z VALUES ('w', 1, 2);
RENAME TABLE combc.z TO combb.z;
INSERT INTO combb.z VALUES ('w', 1, 2);
DROP TABLE combb.z, comb.c2, combc.x;
-- phase: offline
INSERT INTO combb.y VALUES (30, 30);
TRUNCATE combb.y;
INSERT INTO comb.a VALUES (51, 1, 1, '10:00', '10:00', 'x', 1);
