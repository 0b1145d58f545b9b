-- config: snapshot.mode=no_data
-- config: include.query=true
-- config: include.schema.comments=true
-- config: skipped.operations=d
-- config: post.processors=again
-- config: post.processors.again.type=io.debezium.processors.reselect.ReselectColumnsPostProcessor
-- config: post.processors.again.reselect.columns.include.list=again\..*:(?!left_).*
-- phase: before
CREATE DATABASE nodata;
CREATE TABLE nodata.t (id INT PRIMARY KEY COMMENT 'the key', v INT COMMENT 'a "value"') COMMENT 'a table';
CREATE TABLE nodata.u (id INT PRIMARY KEY);
INSERT INTO nodata.t VALUES (1, 1);
-- phase: streaming
INSERT INTO nodata.t VALUES (2, 2);
UPDATE nodata.t SET v = 3 WHERE id = 1;
DELETE FROM nodata.t WHERE id = 1;
ALTER TABLE nodata.t ADD COLUMN w INT COMMENT 'später';
INSERT INTO nodata.t VALUES (3, 3, 3);
-- phase: offline
INSERT INTO nodata.u VALUES (1);
