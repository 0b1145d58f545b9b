-- phase: before
CREATE DATABASE keys_;
CREATE TABLE keys_.single (id INT PRIMARY KEY AUTO_INCREMENT, name VARCHAR(40));
CREATE TABLE keys_.composite (b VARCHAR(10), a INT, v INT, PRIMARY KEY (b, a));
CREATE TABLE keys_.none (a INT, b TEXT);
CREATE TABLE keys_.uniq (a INT NOT NULL, b INT NOT NULL, v INT, UNIQUE KEY u1 (b), UNIQUE KEY u2 (a, b));
CREATE TABLE keys_.late_key (a INT NOT NULL, v INT);
CREATE TABLE keys_.typed (d DATE, t TIMESTAMP(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6), n DECIMAL(10,2), e ENUM('x','y'), b BINARY(4), v INT, PRIMARY KEY (d, t, n, e, b));
CREATE TABLE keys_.empty_table (id INT PRIMARY KEY);
INSERT INTO keys_.single (name) VALUES ('one'),('two'),('three');
INSERT INTO keys_.composite VALUES ('a',1,10),('a',2,20),('b',1,30);
INSERT INTO keys_.none VALUES (1,'p'),(2,NULL),(2,NULL);
INSERT INTO keys_.uniq VALUES (1,2,3);
INSERT INTO keys_.typed VALUES ('2026-01-31','2026-01-31 10:11:12.123456',12.5,'y','ab',1);
-- phase: streaming
UPDATE keys_.single SET id = 30 WHERE id = 3;
UPDATE keys_.single SET id = id + 100, name = 'moved';
UPDATE keys_.composite SET a = 9 WHERE b = 'a' AND a = 1;
UPDATE keys_.composite SET b = 'c', v = 0;
DELETE FROM keys_.composite WHERE v = 0;
UPDATE keys_.none SET b = 'q' WHERE a = 2;
DELETE FROM keys_.none LIMIT 1;
UPDATE keys_.uniq SET b = 7;
DELETE FROM keys_.uniq;
REPLACE INTO keys_.single VALUES (130, 'replaced'), (131, 'new');
INSERT INTO keys_.single VALUES (131, 'x') ON DUPLICATE KEY UPDATE name = 'on duplicate';
UPDATE keys_.typed SET n = 13, e = 'x', b = 'ab\0\0';
UPDATE keys_.typed SET v = 2, d = '2026-02-01';
ALTER TABLE keys_.late_key ADD PRIMARY KEY (a);
INSERT INTO keys_.late_key VALUES (1, 1);
UPDATE keys_.late_key SET a = 2;
ALTER TABLE keys_.late_key DROP PRIMARY KEY;
INSERT INTO keys_.late_key VALUES (3, 3);
INSERT INTO keys_.empty_table VALUES (1);
-- phase: offline
UPDATE keys_.single SET id = 1 WHERE id = 101;
DELETE FROM keys_.single WHERE id = 102;
