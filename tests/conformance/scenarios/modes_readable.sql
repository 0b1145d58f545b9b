-- config: decimal.handling.mode=string
-- config: bigint.unsigned.handling.mode=precise
-- config: binary.handling.mode=base64
-- config: time.precision.mode=connect
-- phase: before
CREATE DATABASE modes_r;
CREATE TABLE modes_r.t (id INT PRIMARY KEY, a DECIMAL(10,2) DEFAULT 1.5, b DECIMAL(65,30), c NUMERIC(5), d BIGINT UNSIGNED DEFAULT 18446744073709551615, e BINARY(5) DEFAULT 'ab', f BLOB, g DATE DEFAULT '2020-02-29', h TIME(6), i DATETIME(3), j TIMESTAMP(6) NULL, k DATETIME(6), l TIME, m YEAR, n BIT(10));
INSERT INTO modes_r.t VALUES (1, 12345678.91, -0.000000000000000000000000000001, 7, 18446744073709551615, 'a', X'00FF', '2024-02-29', '-12:34:56.789012', '2024-02-29 12:34:56.789', '2024-02-29 12:34:56.789123', '1969-12-31 23:59:59.999999', '23:59:59', 2024, b'1010101010'), (2, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL), (3, -0.01, 0, -1, 0, '', '', '1000-01-01', '00:00:00', '1000-01-01', '1970-01-01 00:00:01', '9999-12-31 23:59:59.999999', '00:00:01', 1901, b'0');
-- phase: streaming
INSERT INTO modes_r.t SELECT id+10, a, b, c, d, e, f, g, h, i, j, k, l, m, n FROM modes_r.t;
UPDATE modes_r.t SET a = a + 1, d = 5 WHERE id = 11;
INSERT INTO modes_r.t (id) VALUES (20);
