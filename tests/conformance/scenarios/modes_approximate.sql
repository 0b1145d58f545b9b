-- config: decimal.handling.mode=double
-- config: binary.handling.mode=hex
-- config: time.precision.mode=nanoseconds
-- config: key.converter=org.apache.kafka.connect.storage.StringConverter
-- config: value.converter.schemas.enable=false
-- config: extended.headers.enabled=false
-- phase: before
CREATE DATABASE modes_a;
CREATE TABLE modes_a.t (id INT PRIMARY KEY, a DECIMAL(10,2) DEFAULT 1.5, b DECIMAL(65,30), e BINARY(5), f BLOB, h TIME(6), i DATETIME(3) DEFAULT '2001-02-03 04:05:06.789', j TIMESTAMP(6) NULL, k DATETIME(6), m BIGINT UNSIGNED);
INSERT INTO modes_a.t VALUES (1, 12345678.91, -0.000000000000000000000000000001, 'a', X'00FF', '-12:34:56.789012', '2024-02-29 12:34:56.789', '2024-02-29 12:34:56.789123', '1969-12-31 23:59:59.999999', 18446744073709551615), (2, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
CREATE TABLE modes_a.two (a INT, b VARCHAR(10), v DOUBLE, PRIMARY KEY (a, b));
INSERT INTO modes_a.two VALUES (1, 'x', 1e20), (2, 'y "z"', -0.5);
CREATE TABLE modes_a.none (v FLOAT);
INSERT INTO modes_a.none VALUES (1.1), (NULL);
-- phase: streaming
INSERT INTO modes_a.t SELECT id+10, a, b, e, f, h, i, j, k, m FROM modes_a.t;
UPDATE modes_a.two SET a = 5 WHERE a = 1;
DELETE FROM modes_a.two WHERE a = 2;
INSERT INTO modes_a.none VALUES (3.4e38);
