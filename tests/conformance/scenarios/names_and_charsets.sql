-- only: json
-- phase: before
CREATE DATABASE names_é CHARACTER SET utf8mb4;
CREATE TABLE names_é.`tåble $1` (`ключ` INT PRIMARY KEY, `col with space` VARCHAR(20), `quote"d` VARCHAR(20), `back\slash` INT, `漢字` TEXT);
INSERT INTO names_é.`tåble $1` VALUES (1, 'a "quoted" text', 'line\nbreak\ttab', 3, '漢字 😀 €');
CREATE TABLE names_é.`CamelCase` (Id INT PRIMARY KEY, `MiXed` INT);
INSERT INTO names_é.`CamelCase` VALUES (1, 1);
CREATE TABLE names_é.charsets (id INT PRIMARY KEY, a VARCHAR(20) CHARACTER SET latin1, b VARCHAR(20) CHARACTER SET latin2, c VARCHAR(20) CHARACTER SET cp1251, d VARCHAR(20) CHARACTER SET koi8r, e VARCHAR(20) CHARACTER SET gbk, f VARCHAR(20) CHARACTER SET big5, g VARCHAR(20) CHARACTER SET sjis, h VARCHAR(20) CHARACTER SET ujis, i VARCHAR(20) CHARACTER SET utf16, j VARCHAR(20) CHARACTER SET utf32, k VARCHAR(20) CHARACTER SET ucs2, l VARCHAR(20) CHARACTER SET greek, m VARCHAR(20) CHARACTER SET ascii, n CHAR(4) CHARACTER SET utf8mb3, o ENUM('é','ü') CHARACTER SET latin1, p SET('é','ü') CHARACTER SET utf8mb4);
INSERT INTO names_é.charsets VALUES (1, 'é€', 'žš', 'Привет', 'Привет', '汉字', '漢字', '日本', '日本', '😀a', '😀a', '日本', 'αβγ', 'ascii', 'äöüß', 'ü', 'é,ü');
-- phase: streaming
INSERT INTO names_é.`tåble $1` SELECT `ключ`+1, `col with space`, `quote"d`, `back\slash`, `漢字` FROM names_é.`tåble $1`;
UPDATE names_é.`CamelCase` SET `MiXed` = 2;
INSERT INTO names_é.charsets SELECT id+1, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p FROM names_é.charsets;
ALTER TABLE names_é.`CamelCase` ADD COLUMN `日` INT DEFAULT 1;
INSERT INTO names_é.`CamelCase` VALUES (2, 2, 2);
