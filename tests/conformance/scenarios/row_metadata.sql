-- phase: before
CREATE DATABASE meta_full;
CREATE TABLE meta_full.t (id INT PRIMARY KEY, i INT, u TINYINT UNSIGNED, su SMALLINT UNSIGNED, iu INT UNSIGNED, bu BIGINT UNSIGNED, f FLOAT, d DOUBLE, n DECIMAL(10,2), da DATE, ti TIME(3), dt DATETIME(6), ts TIMESTAMP NULL, y YEAR, v VARCHAR(20) CHARACTER SET latin1, x TEXT, b BINARY(4), bl BLOB, e ENUM('a','b'), s SET('x','y'), bi BIT(5), g GEOMETRY, j JSON);
-- phase: streaming
SET GLOBAL binlog_row_metadata = FULL;

INSERT INTO meta_full.t VALUES (1,-1,200,65535,4294967295,18446744073709551615,1.5,-2.25,12345.67,'2024-02-29','-12:34:56.789','2024-02-29 12:34:56.789123','2024-02-29 12:34:56',2024,'ünï','text',X'00FF',X'01','b','x,y',b'101',ST_GeomFromText('POINT(1 2)'),'{"a": 1}');
UPDATE meta_full.t SET i = i + 1, v = NULL, x = REPEAT('long ', 300) WHERE id = 1;
DELETE FROM meta_full.t WHERE id = 1;
CREATE TABLE meta_full.keyed (a VARCHAR(5), b INT, PRIMARY KEY (b, a));
INSERT INTO meta_full.keyed VALUES ('x', 1);
ALTER TABLE meta_full.t ADD COLUMN z INT FIRST, DROP COLUMN u;
INSERT INTO meta_full.t (z, id) VALUES (1, 5);
SET GLOBAL binlog_row_metadata = MINIMAL;
INSERT INTO meta_full.t (z, id) VALUES (2, 6);
