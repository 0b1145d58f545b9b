-- phase: before
CREATE DATABASE generated_;
CREATE TABLE generated_.t (id INT PRIMARY KEY, a INT, v INT GENERATED ALWAYS AS (a * 2) VIRTUAL, s INT GENERATED ALWAYS AS (a * 3) STORED, t VARCHAR(30) AS (CONCAT('x', a)), u DECIMAL(10,2) AS (a / 3) STORED, w DATETIME AS ('2020-01-01 00:00:00') VIRTUAL);
INSERT INTO generated_.t (id, a) VALUES (1, 5), (2, NULL), (3, -1);
CREATE TABLE generated_.inv (id INT PRIMARY KEY, a INT INVISIBLE DEFAULT 9, b VARCHAR(10));
INSERT INTO generated_.inv (id, b) VALUES (1, 'x');
INSERT INTO generated_.inv (id, a, b) VALUES (2, 1, 'y');
-- phase: streaming
INSERT INTO generated_.t (id, a) VALUES (11, 6), (12, NULL);
UPDATE generated_.t SET a = 7 WHERE id = 1;
DELETE FROM generated_.t WHERE id = 2;
INSERT INTO generated_.inv (id, b) VALUES (11, 'x');
ALTER TABLE generated_.t ADD COLUMN nn INT GENERATED ALWAYS AS (a + 1) VIRTUAL;
INSERT INTO generated_.t (id, a) VALUES (20, 8);
ALTER TABLE generated_.inv ADD COLUMN c INT INVISIBLE;
INSERT INTO generated_.inv (id, b, c) VALUES (20, 'z', 5);
