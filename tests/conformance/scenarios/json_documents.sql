-- server: mysql
-- phase: before
CREATE DATABASE jsons;
CREATE TABLE jsons.t (id INT PRIMARY KEY AUTO_INCREMENT, j JSON);
INSERT INTO jsons.t (j) VALUES ('{"a": [1, 2.5, null, true], "z": "ü😀", "nested": {"deep": [[], {}]}}'), ('"text"'), ('12345678901234567890'), ('-1'), ('1e100'), ('null'), (NULL), ('[]'), ('{}'), (CAST(CAST('2024-02-29 12:34:56.789' AS DATETIME(6)) AS JSON)), (CAST(CAST('2024-02-29' AS DATE) AS JSON)), (CAST(CAST('12:34:56.5' AS TIME(3)) AS JSON)), (CAST(CAST(12.50 AS DECIMAL(10,2)) AS JSON)), (JSON_OBJECT('k', 18446744073709551615)), (CONCAT('["', REPEAT('long ', 9000), '"]'));
-- phase: streaming
INSERT INTO jsons.t (j) SELECT j FROM jsons.t ORDER BY id;
UPDATE jsons.t SET j = JSON_SET(j, '$.a[1]', 'replaced', '$.new', 7) WHERE id = 1;
UPDATE jsons.t SET j = JSON_REMOVE(j, '$.z') WHERE id = 1;
UPDATE jsons.t SET j = JSON_REPLACE(j, '$.nested.deep', 'short') WHERE id = 1;
