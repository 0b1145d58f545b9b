-- Defaults of MariaDB that are expressions without parentheses.
-- server: mariadb
-- phase: before
CREATE DATABASE expressions;
CREATE TABLE expressions.read_first (id INT PRIMARY KEY, a VARCHAR(9), v VARCHAR(9) DEFAULT a, w VARCHAR(9) NOT NULL DEFAULT `a`, x INT DEFAULT CASE WHEN a = 'END' THEN 1 ELSE CASE a WHEN 1 THEN 2 END END);
INSERT INTO expressions.read_first VALUES (1, 'x', 'y', 'z', 5), (2, NULL, NULL, 'z', NULL);
-- phase: streaming
USE expressions;
INSERT INTO read_first VALUES (3, 'x', 'y', 'z', 5), (4, NULL, NULL, 'z', NULL);
CREATE TABLE texts (id INT PRIMARY KEY, a VARCHAR(9), v VARCHAR(9) DEFAULT `a`);
INSERT INTO texts VALUES (1, 'x', 'y'), (2, NULL, NULL);
CREATE TABLE numbers (id INT PRIMARY KEY, a INT, v INT DEFAULT `a`, w INT DEFAULT CASE WHEN a THEN CASE a WHEN 1 THEN 2 END ELSE 3 END, x VARCHAR(9) DEFAULT CASE a WHEN 1 THEN 'END' ELSE ')' END COMMENT 'c');
INSERT INTO numbers VALUES (1, 2, 3, 4, 'x'), (2, NULL, NULL, NULL, NULL);
ALTER TABLE texts ADD w VARCHAR(9) DEFAULT `a` AFTER id, ADD x INT DEFAULT CASE 1 WHEN 1 THEN 3 END;
INSERT INTO texts VALUES (3, 'w', 'a', NULL, 3);
ALTER TABLE texts ALTER w DROP DEFAULT;
ALTER TABLE texts ALTER w SET DEFAULT `a`;
INSERT INTO texts VALUES (4, 'w', 'a', NULL, 3);
ALTER TABLE texts ALTER w SET DEFAULT CASE 1 WHEN 1 THEN 3 END, MODIFY v VARCHAR(9) DEFAULT a;
INSERT INTO texts VALUES (5, 'w', 'a', NULL, 3);
