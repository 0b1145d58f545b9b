-- Statements that Debezium cannot read, and passes over if it is told to: none changes a table.
-- server: mysql
-- config: schema.history.internal.skip.unparseable.ddl=true
-- config: time.precision.mode=nanoseconds
-- phase: before
CREATE DATABASE unreadable;
CREATE TABLE unreadable.t (id INT PRIMARY KEY, v INT);
-- phase: streaming
INSERT INTO unreadable.t VALUES (1, 1);
CREATE LIBRARY unreadable.l LANGUAGE JAVASCRIPT AS $$ function f() { return 1; } $$;
CREATE OR REPLACE SPATIAL REFERENCE SYSTEM 4120 NAME 'Greek' ORGANIZATION 'EPSG' IDENTIFIED BY 4120 DEFINITION 'GEOGCS["Greek",DATUM["Greek",SPHEROID["Bessel 1841",6377397.155,299.1528128,AUTHORITY["EPSG","7004"]],AUTHORITY["EPSG","6120"]],PRIMEM["Greenwich",0,AUTHORITY["EPSG","8901"]],UNIT["degree",0.017453292519943278,AUTHORITY["EPSG","9122"]],AXIS["Lat",NORTH],AXIS["Lon",EAST],AUTHORITY["EPSG","4120"]]';
CREATE JSON DUALITY VIEW unreadable.v AS SELECT JSON_DUALITY_OBJECT('_id': id, 'v': v) FROM unreadable.t;
USE unreadable;
CREATE OR REPLACE JSON RELATIONAL DUALITY VIEW w AS SELECT JSON_DUALITY_OBJECT('_id': id, 'v': v) FROM t;
ALTER JSON DUALITY VIEW w AS SELECT JSON_DUALITY_OBJECT('_id': id, 'w': v) FROM t;
DROP VIEW unreadable.v;
ALTER LIBRARY l COMMENT 'x';
DROP LIBRARY unreadable.l;
INSERT INTO unreadable.t VALUES (2, 2);
-- phase: offline
INSERT INTO unreadable.t VALUES (4, 4);
ALTER TABLE unreadable.t ADD w INT;
INSERT INTO unreadable.t VALUES (5, 4, 5);
