-- server: mysql
-- phase: before
CREATE DATABASE json_values;
CREATE TABLE json_values.t (id INT PRIMARY KEY AUTO_INCREMENT, j JSON);
INSERT INTO json_values.t (j) VALUES ('{}'),('[]'),('null'),('true'),('false'),('0'),('-0'),('1'),('-1'),('32767'),('32768'),('-32769'),('2147483648'),('4294967296'),('9223372036854775807'),('9223372036854775808'),('18446744073709551615'),('18446744073709551616'),('-9223372036854775808'),('-9223372036854775809'),('1.0'),('1.5'),('-1.5'),('1e10'),('1E+2'),('1e-10'),('0.1'),('1e308'),('-1e308'),('1.7976931348623157e308'),('5e-324'),('123456789.123456789'),('0.00001'),('1e7'),('12345678.9'),('1e21'),('1e22'),('""'),('"a"'),('"ü"'),('"😀"'),('"\\u0000"'),('"\\u001f"'),('"\\b\\f\\n\\r\\t"'),('"\\""'),('"\\\\"'),('"/"'),('"\\/"'),('"\\u2028"'),('"\\u007f"'),('"<>&\'"'),('[1,2,3]'),('[[],[[]],{}]'),('{"b":1,"a":2,"aa":3,"":4}'),('{"a":{"b":{"c":{"d":[1,{"e":null}]}}}}'),('{"dup":1,"dup":2}'),(NULL);
INSERT INTO json_values.t (j) SELECT CAST(CAST(v AS DECIMAL(65,30)) AS JSON) FROM (SELECT '1.5' v UNION ALL SELECT '-0.000000000000000000000000000001' UNION ALL SELECT '12345678901234567890123456789012345' UNION ALL SELECT '0') x;
INSERT INTO json_values.t (j) VALUES (CAST(CAST(12.50 AS DECIMAL(5,2)) AS JSON)),(CAST(CAST('2024-02-29' AS DATE) AS JSON)),(CAST(CAST('0001-01-01' AS DATE) AS JSON)),(CAST(CAST('12:34:56' AS TIME) AS JSON)),(CAST(CAST('12:34:56.789' AS TIME(3)) AS JSON)),(CAST(CAST('-12:34:56.5' AS TIME(6)) AS JSON)),(CAST(CAST('838:59:59' AS TIME) AS JSON)),(CAST(CAST('2024-02-29 12:34:56' AS DATETIME) AS JSON)),(CAST(CAST('2024-02-29 12:34:56.123456' AS DATETIME(6)) AS JSON)),(CAST(CAST('2024-02-29 12:34:56.100000' AS DATETIME(6)) AS JSON)),(CAST(X'00FF10' AS JSON)),(CAST(CAST('bin' AS BINARY) AS JSON)),(CAST(b'1010' AS JSON)),(JSON_OBJECT('t', CAST('2024-01-01 00:00:00' AS DATETIME), 'u', TIMESTAMP('2020-01-01 01:02:03'), 'y', CAST(2024 AS YEAR))),(CAST(ST_GeomFromText('POINT(1 2)') AS JSON)),(JSON_ARRAY(1.10, 1e0, CAST(1.1 AS FLOAT), 3.14159265358979, 100000000000000000000)),(JSON_QUOTE('x')),(JSON_OBJECT('key with space', 1, 'ключ', 2, 'a"b', 3));
SET SESSION group_concat_max_len = 100000;
INSERT INTO json_values.t (j) VALUES (CONCAT('{', (WITH RECURSIVE n AS (SELECT 1 i UNION ALL SELECT i+1 FROM n WHERE i < 500) SELECT GROUP_CONCAT(CONCAT('"k', i, '":', i * 1000) SEPARATOR ',') FROM n), '}'));
INSERT INTO json_values.t (j) VALUES (JSON_OBJECT('s127', REPEAT('x',127), 's128', REPEAT('y',128), 's16384', REPEAT('z',16384))), (JSON_ARRAY(REPEAT('é',40000), 1));
CREATE TABLE json_values.d (id INT PRIMARY KEY, a JSON NOT NULL, b JSON DEFAULT (JSON_OBJECT('a', 1)), c JSON DEFAULT NULL, d JSON DEFAULT ('[]'));
INSERT INTO json_values.d (id, a) VALUES (1, '{}');
-- phase: streaming
INSERT INTO json_values.t (j) SELECT j FROM json_values.t ORDER BY id;
INSERT INTO json_values.d (id, a) VALUES (2, '1');
UPDATE json_values.t SET j = JSON_SET(j, '$.x', 1) WHERE id = 1;
UPDATE json_values.t SET j = NULL WHERE id = 2;
