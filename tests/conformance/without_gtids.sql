-- Transactions of a server without GTIDs, some of them compressed.
-- phase: before
CREATE DATABASE plain_log;
CREATE TABLE plain_log.t (id INT PRIMARY KEY AUTO_INCREMENT, v TEXT);
-- phase: streaming
SET SESSION binlog_transaction_compression = ON;
BEGIN;
INSERT INTO plain_log.t (v) VALUES (REPEAT('compress me ', 500)), ('other');
DO SLEEP(2);
UPDATE plain_log.t SET v = 'short' WHERE id = 1;
DO SLEEP(2);
COMMIT;
SET SESSION binlog_transaction_compression = OFF;
BEGIN;
INSERT INTO plain_log.t (v) VALUES ('plain');
DO SLEEP(2);
UPDATE plain_log.t SET v = 'also plain' WHERE id = 1;
COMMIT;
ALTER TABLE plain_log.t ADD w INT;
INSERT INTO plain_log.t (w) VALUES (1);
-- phase: offline
INSERT INTO plain_log.t (w) VALUES (2);
DELETE FROM plain_log.t WHERE w = 1;
