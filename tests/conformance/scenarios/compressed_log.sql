-- server: mysql
-- phase: before
CREATE DATABASE compressed;
CREATE TABLE compressed.t (id INT PRIMARY KEY AUTO_INCREMENT, v TEXT);
-- phase: streaming
SET SESSION binlog_transaction_compression = ON;
BEGIN;
INSERT INTO compressed.t (v) VALUES (REPEAT('compress me ', 500)), (REPEAT('compress me ', 500));
UPDATE compressed.t SET v = 'short';
DELETE FROM compressed.t WHERE id = 1;
COMMIT;
INSERT INTO compressed.t (v) VALUES (REPEAT('again ', 5000));
SET SESSION binlog_transaction_compression = OFF;
INSERT INTO compressed.t (v) VALUES ('plain');
