-- Statements that change no table, some of which Debezium cannot read.
-- server: mariadb
-- config: schema.history.internal.skip.unparseable.ddl=true
-- config: time.precision.mode=nanoseconds
-- phase: before
CREATE DATABASE unreadable;
CREATE TABLE unreadable.t (id INT PRIMARY KEY, v INT);
-- phase: streaming
INSERT INTO unreadable.t VALUES (1, 1);
CREATE SEQUENCE unreadable.s;
USE unreadable;
SET sql_mode = 'ORACLE';
CREATE PACKAGE p AS FUNCTION f RETURN INT; END;
CREATE PACKAGE BODY p AS FUNCTION f RETURN INT AS BEGIN RETURN 10; END; END;
CREATE OR REPLACE PROCEDURE q (a IN OUT INT) AS BEGIN a := 1; END;
CREATE OR REPLACE TRIGGER g BEFORE INSERT ON t FOR EACH ROW BEGIN :NEW.v := 5; END;
DROP PACKAGE p;
DROP TRIGGER g;
SET sql_mode = DEFAULT;
ALTER SEQUENCE s RESTART 5;
DROP SEQUENCE s;
CREATE PROCEDURE r(IN a ROW TYPE OF t) BEGIN FOR i IN 1..3 DO SELECT 1; END FOR; END;
DROP PROCEDURE r;
CREATE OR REPLACE SERVER x FOREIGN DATA WRAPPER mysql OPTIONS (HOST '1.1.1.1');
DROP SERVER x;
ALTER TABLE t ADD INDEX i (v) IGNORED;
CREATE INDEX IF NOT EXISTS j ON t (v) IGNORED;
DROP INDEX IF EXISTS j ON t WAIT 5;
INSERT INTO t VALUES (2, 2);
-- phase: offline
INSERT INTO unreadable.t VALUES (4, 4);
ALTER TABLE unreadable.t ADD w INT;
INSERT INTO unreadable.t VALUES (5, 4, 5);
