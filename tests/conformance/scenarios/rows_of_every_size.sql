-- phase: before
CREATE DATABASE sizes;
CREATE TABLE sizes.t (id INT PRIMARY KEY, v LONGTEXT, b LONGBLOB);
CREATE TABLE sizes.many (id INT PRIMARY KEY, v INT);
INSERT INTO sizes.t VALUES (1, REPEAT('x', 250), REPEAT('y', 251)), (2, REPEAT('x', 252), ''), (3, REPEAT('é', 40000), REPEAT('\0', 70000)), (4, '', NULL);
INSERT INTO sizes.many WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 900) SELECT i, i * 7 FROM n;
-- phase: streaming
INSERT INTO sizes.t SELECT id + 10, v, b FROM sizes.t;
UPDATE sizes.t SET v = CONCAT(v, 'end');
UPDATE sizes.many SET v = v + 1;
DELETE FROM sizes.many WHERE id % 3 = 0;
