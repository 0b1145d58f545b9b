-- config: signal.data.collection=incdel.signals
-- config: incremental.snapshot.chunk.size=3
-- config: incremental.snapshot.watermarking.strategy=insert_delete
-- config: provide.transaction.metadata=true
-- config: include.schema.changes=false
-- phase: before
CREATE DATABASE incdel;
CREATE TABLE incdel.signals (id VARCHAR(42) PRIMARY KEY, type VARCHAR(32) NOT NULL, data VARCHAR(2048) NULL);
CREATE TABLE incdel.numbers (id DECIMAL(9,2) PRIMARY KEY, v INT);
INSERT INTO incdel.numbers VALUES (-1.5, 1), (0, 2), (2.25, 3), (10, 4), (9, 5);
CREATE TABLE incdel.texts (id VARCHAR(20) PRIMARY KEY, b VARBINARY(9)) CHARACTER SET utf8mb4;
INSERT INTO incdel.texts VALUES ('a', 'x'), ('B', 'y'), ('it''s', 'z'), ('ü\\n', NULL), ('日本', 0x00FF);
CREATE TABLE incdel.bytes (id VARBINARY(9) PRIMARY KEY, v INT);
INSERT INTO incdel.bytes VALUES (0x00, 1), (0x27, 2), (0xFF00, 3), (0x5C, 4);
CREATE TABLE incdel.large (id BIGINT PRIMARY KEY, v INT);
INSERT INTO incdel.large VALUES (1, 1), (9223372036854775807, 2), (-9223372036854775808, 3), (0, 4);
-- phase: streaming
INSERT INTO incdel.signals VALUES ('all', 'execute-snapshot', '{"data-collections": ["incdel.numbers", "incdel.texts", "incdel.bytes", "incdel.large"]}');
DO SLEEP(8);
INSERT INTO incdel.numbers VALUES (11, 6);
