-- config: snapshot.mode=no_data
-- config: include.query=true
-- config: include.schema.comments=true
-- config: skipped.operations=d
-- config: post.processors=again
-- config: post.processors.again.type=io.debezium.processors.reselect.ReselectColumnsPostProcessor
-- config: post.processors.again.reselect.columns.include.list=again\..*:(?!left_).*
-- phase: before
CREATE DATABASE again;
CREATE TABLE again.t (id INT PRIMARY KEY, n INT, big BIGINT, v VARCHAR(50), left_out VARCHAR(9), m DECIMAL(10,2), f DOUBLE, t TEXT, b BLOB, bin VARBINARY(9), d DATE, dt DATETIME, dt3 DATETIME(3), dt6 DATETIME(6), ts TIMESTAMP NULL, ts3 TIMESTAMP(3) NULL, j JSON, e ENUM('a','b'), s SET('a','b'), y YEAR, c CHAR(3), bits BIT(12), one TINYINT(1), left_tm TIME, left_tm6 TIME(6), def INT DEFAULT 5);
INSERT INTO again.t (id, def) VALUES (1, NULL);
CREATE TABLE again.`k ey` (a INT, c VARCHAR(9), `v v` INT, PRIMARY KEY (a, c));
CREATE TABLE again.nokey (id INT, v INT);
CREATE TABLE again.gone (id INT PRIMARY KEY, v INT);
CREATE TABLE again.mark (id INT PRIMARY KEY, v TEXT, w BLOB, n INT);
-- phase: streaming
UPDATE again.t SET n = 0 WHERE id = 1;
-- phase: offline
BEGIN;
INSERT INTO again.t (id, def) VALUES (2, NULL);
UPDATE again.t SET n = 1, big = -2, v = 'ü', left_out = 'out', m = -12.3, f = 0.1, t = 'text', b = x'00ff', bin = 'bin', d = '2026-11-21', dt = '2026-11-21 20:57:00', dt3 = '2026-11-21 20:57:00.123', dt6 = '2026-11-21 20:57:00.123456', ts = '2026-11-21 20:57:00', ts3 = '2026-11-21 20:57:00.120', j = '{"a": [1, 2.5, null]}', e = 'b', s = 'a,b', y = 2026, c = 'c', bits = b'101', one = 1, left_tm = '20:57:01', left_tm6 = '20:57:01.000123', def = 7;
COMMIT;
BEGIN;
INSERT INTO again.`k ey` VALUES (1, 'it''s', NULL), (2, 'b', NULL), (1, 'c', NULL);
UPDATE again.`k ey` SET `v v` = a * 10;
UPDATE again.`k ey` SET a = 5, `v v` = NULL WHERE c = 'c';
UPDATE again.`k ey` SET `v v` = 50 WHERE a = 5;
DELETE FROM again.`k ey` WHERE a = 2;
COMMIT;
BEGIN;
INSERT INTO again.nokey VALUES (1, NULL);
UPDATE again.nokey SET v = 1;
COMMIT;
BEGIN;
INSERT INTO again.gone VALUES (1, NULL);
DELETE FROM again.gone;
COMMIT;
BEGIN;
INSERT INTO again.mark VALUES (1, '__debezium_unavailable_value', '__debezium_unavailable_value', 0);
UPDATE again.mark SET v = 'v', w = 'w', n = NULL;
UPDATE again.mark SET n = 8;
COMMIT;
