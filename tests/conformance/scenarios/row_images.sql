-- phase: before
CREATE DATABASE images;
CREATE TABLE images.t (id INT PRIMARY KEY, v INT, w VARCHAR(10));
INSERT INTO images.t VALUES (1, 1, 'a'), (2, 2, 'b');
-- phase: streaming
SET SESSION binlog_row_image = FULL;
UPDATE images.t SET v = 5 WHERE id = 1;
SET SESSION binlog_row_image = NOBLOB;
INSERT INTO images.t VALUES (3, 3, 'c');
UPDATE images.t SET v = 6;
DELETE FROM images.t WHERE id = 3;
SET SESSION binlog_row_image = FULL;
