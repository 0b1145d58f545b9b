-- phase: before
CREATE DATABASE chains;
CREATE TABLE chains.types (
  id INT PRIMARY KEY,
  tiny TINYINT,
  small SMALLINT,
  big BIGINT,
  amount DECIMAL(10, 2),
  whole DECIMAL(12, 0),
  ratio DOUBLE,
  rate FLOAT,
  flag BOOLEAN,
  name VARCHAR(40),
  note VARCHAR(40) DEFAULT 'none',
  level INT NOT NULL DEFAULT 5,
  maybe INT DEFAULT 7,
  price DECIMAL(6, 2) DEFAULT 1.50,
  day DATE,
  at DATETIME(3),
  micro DATETIME(6),
  seen TIMESTAMP(3) NULL,
  clock TIME(6),
  raw VARBINARY(8),
  color ENUM('red', 'green'),
  doc JSON,
  mask BIT(8),
  digits VARCHAR(20),
  topic VARCHAR(40),
  stamp VARCHAR(40)
);
CREATE TABLE chains.pairs (a INT, b VARCHAR(10), v VARCHAR(20) DEFAULT 'v', w INT NOT NULL, PRIMARY KEY (a, b));
CREATE TABLE chains.nokey (x INT, y VARCHAR(10));
CREATE TABLE chains.shard_1 (id INT PRIMARY KEY, v VARCHAR(10) DEFAULT 'd');
CREATE TABLE chains.shard_2 (id INT PRIMARY KEY, v VARCHAR(10) DEFAULT 'd');
CREATE TABLE chains.plain (id INT PRIMARY KEY, n INT, at DATETIME(3), zoned TIMESTAMP(3) NULL, stamp VARCHAR(40));
CREATE TABLE chains.outbox (id VARCHAR(36) PRIMARY KEY, aggregatetype VARCHAR(40) NOT NULL, aggregateid VARCHAR(40), type VARCHAR(40), payload JSON, text TEXT, raw VARBINARY(20), at DATETIME(3), micro DATETIME(6), stamp VARCHAR(30), version INT, part INT);
CREATE TABLE chains.vectors (id INT PRIMARY KEY, v VECTOR(3));
INSERT INTO chains.vectors VALUES (1, STRING_TO_VECTOR('[1,2.5,-3e10]')), (2, NULL);
CREATE TABLE chains.shapes (id INT PRIMARY KEY, g GEOMETRY, p POINT, w GEOMETRY SRID 4326, n INT DEFAULT 3);
INSERT INTO chains.shapes VALUES (1, ST_GeomFromText('POINT(1 2)', 4326), ST_GeomFromText('POINT(3 4)', 4326), ST_GeomFromText('POLYGON((0 0, 0 5, 5 5, 5 0, 0 0), (1 1, 1 2, 2 2, 2 1, 1 1))', 4326), NULL), (2, NULL, NULL, NULL, 1);
INSERT INTO chains.shapes VALUES (3, ST_GeomFromText('LINESTRING(1 2, 3 4, 5 6)', 3857), NULL, ST_GeomFromText('GEOMETRYCOLLECTION(POINT(1 2), LINESTRING(0 0, 1 2), GEOMETRYCOLLECTION(POINT(7 8)))', 4326), 1);
CREATE TABLE chains.texts (id INT PRIMARY KEY, short VARCHAR(20) DEFAULT 'of the table', body LONGTEXT, raw LONGBLOB, doc JSON);
INSERT INTO chains.texts VALUES (0, 'zero', REPEAT('z', 4000), NULL, NULL), (1, 'one', REPEAT('a', 3000), REPEAT('b', 500), '{"a": "bcdefghijklmn"}'), (2, NULL, NULL, NULL, NULL), (3, 'three', REPEAT('aé😀', 400), REPEAT('b', 70000), NULL);
CREATE TABLE chains.changing (id VARCHAR(36) PRIMARY KEY, aggregatetype VARCHAR(40) NOT NULL, aggregateid VARCHAR(40), payload VARCHAR(100));
INSERT INTO chains.outbox VALUES ('e1', 'Order', 'o1', 'created', '{"id": 1, "name": "x", "price": 1.5, "big": 5000000000, "none": null, "ok": true, "list": [1, 2], "empty": [], "inner": {"a": "b", "c": {"d": 1}}, "items": [{"n": 1}, {"n": 2, "m": "x"}]}', 'text', x'0102', '2024-01-02 03:04:05.678', '2024-01-02 03:04:05.678901', 's', 1, 2);
INSERT INTO chains.changing VALUES ('c1', 'Order', 'o1', '{"a": 1}');
INSERT INTO chains.types VALUES (1, 1, 300, 5000000000, 12.34, 77, 1.5, 2.25, TRUE, 'one', 'a note', 3, 4, 9.99, '2024-02-29', '2024-02-29 12:34:56.789', '2024-02-29 12:34:56.789012', '2024-02-29 12:34:56.789', '12:34:56.789012', x'0102ff', 'red', '{"a": 1}', b'101', '42', 'alpha', '2024-02-29 12:34:56');
INSERT INTO chains.types (id) VALUES (2);
INSERT INTO chains.types (id, note, maybe, price) VALUES (3, NULL, NULL, NULL);
INSERT INTO chains.pairs VALUES (1, 'x', 'one', 1), (2, 'y', NULL, 2);
INSERT INTO chains.nokey VALUES (1, 'a'), (NULL, NULL);
INSERT INTO chains.shard_1 VALUES (1, 'a'), (2, NULL);
INSERT INTO chains.shard_2 VALUES (1, 'b');
INSERT INTO chains.plain VALUES (1, 1, '2024-02-29 12:34:56.789', '2024-07-29 12:34:56.789', '2024-02-29 12:34:56');
-- phase: streaming
INSERT INTO chains.types VALUES (10, -128, -32768, -9223372036854775808, -0.05, -1, -1e300, 1e30, FALSE, '', '', -1, 0, 0.00, '1969-12-31', '1969-12-31 23:59:59.999', '1500-01-01 00:00:00.000001', '1999-12-31 23:59:59.001', '-01:00:00', x'', 'green', '[]', b'0', '-7', '', '1999-12-31 23:59:59');
INSERT INTO chains.types VALUES (11, 127, 32767, 9223372036854775807, 99999999.99, 999999999999, 0.1, 0.1, TRUE, 'zwölf', 'x', 300, 70000, 100.10, '9999-12-31', '9999-12-31 23:59:59.999', '2024-12-31 23:59:59.999999', '2038-01-01 00:00:00', '838:59:59', x'00112233', NULL, '"t"', b'11111111', '300', 'beta', '2024-13-45 25:61:61');
UPDATE chains.types SET name = 'changed', amount = 1.00, maybe = NULL WHERE id = 1;
UPDATE chains.types SET note = NULL, topic = 'gamma' WHERE id = 2;
UPDATE chains.types SET id = 20 WHERE id = 2;
DELETE FROM chains.types WHERE id = 3;
INSERT INTO chains.pairs VALUES (3, 'z', 'three', 3);
UPDATE chains.pairs SET v = NULL WHERE a = 1;
UPDATE chains.pairs SET b = 'moved' WHERE a = 2;
DELETE FROM chains.pairs WHERE a = 3;
UPDATE chains.nokey SET y = 'b' WHERE x = 1;
DELETE FROM chains.nokey WHERE x IS NULL;
INSERT INTO chains.shard_1 VALUES (3, 'c');
UPDATE chains.shard_2 SET v = NULL WHERE id = 1;
DELETE FROM chains.shard_1 WHERE id = 2;
INSERT INTO chains.vectors VALUES (3, STRING_TO_VECTOR('[0.1,1e-7,100000000]'));
DELETE FROM chains.vectors WHERE id = 1;
INSERT INTO chains.shapes VALUES (4, ST_GeomFromText('MULTIPOINT(1 2, 3 4)', 3857), NULL, ST_GeomFromText('MULTILINESTRING((1 2, 3 4), (5 6, 7 8))', 4326), 0);
UPDATE chains.shapes SET w = ST_GeomFromText('MULTIPOLYGON(((0 0, 0 5, 5 5, 5 0, 0 0)), ((10 10, 10 15, 15 15, 10 10)))', 4326) WHERE id = 1;
INSERT INTO chains.texts VALUES (4, 'four', REPEAT('é', 30000), NULL, '[]');
UPDATE chains.texts SET body = REPEAT('c', 900) WHERE id = 1;
DELETE FROM chains.texts WHERE id = 3;
INSERT INTO chains.plain VALUES (2, NULL, NULL, NULL, NULL);
UPDATE chains.plain SET n = 5 WHERE id = 1;
DELETE FROM chains.plain WHERE id = 2;
INSERT INTO chains.outbox VALUES ('e2', 'Order', NULL, NULL, NULL, ' ', NULL, '2001-01-01 00:00:00', '2001-01-01 00:00:00', NULL, 2, 0);
INSERT INTO chains.outbox VALUES ('e3', 'Customer', 'c1', 'renamed', '{"id": 2, "tags": ["a", "b"], "pairs": [[1, 2], [3]], "objects": [{"a": 1, "b": {"c": 1.25}}]}', '[1', x'', '1970-01-02 23:59:59.999', '1970-01-01 00:00:00.001999', 't', 2, 1);
DELETE FROM chains.outbox WHERE id = 'e1';
UPDATE chains.changing SET aggregateid = 'o2' WHERE id = 'c1';
INSERT INTO chains.changing VALUES ('c2', 'Order', 'o1', 'no json');
ALTER TABLE chains.pairs ADD COLUMN added INT DEFAULT 4;
INSERT INTO chains.pairs VALUES (9, 'last', 'nine', 9, NULL);
CREATE TABLE chains.later (id INT PRIMARY KEY);
TRUNCATE TABLE chains.nokey;
DROP TABLE chains.later;
