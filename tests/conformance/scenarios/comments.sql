-- config: binary.handling.mode=base64-url-safe
-- config: time.precision.mode=microseconds
-- config: include.schema.comments=true
-- phase: before
CREATE DATABASE comments;
CREATE TABLE comments.t (id INT PRIMARY KEY COMMENT 'the key', v VARCHAR(10) COMMENT 'it''s "quoted"', e ENUM('a') COMMENT '', n INT NOT NULL DEFAULT 1 COMMENT 'ünï') COMMENT='table''s';
INSERT INTO comments.t (id, v) VALUES (1, 'v');
-- phase: streaming
INSERT INTO comments.t (id, v) VALUES (2, 'v');
ALTER TABLE comments.t MODIFY v VARCHAR(20) COMMENT 'new', ADD COLUMN w INT COMMENT 'w''w', COMMENT 'other';
INSERT INTO comments.t (id, v) VALUES (3, 'v');
ALTER TABLE comments.t COMMENT = '', ALTER COLUMN n SET DEFAULT 5;
INSERT INTO comments.t (id, v) VALUES (4, 'v');
CREATE TABLE comments.born (id INT PRIMARY KEY COMMENT 'k', v INT COMMENT 'v') COMMENT 'born';
INSERT INTO comments.born VALUES (1, 1);
