-- config: schema.name.adjustment.mode=avro
-- config: field.name.adjustment.mode=avro
-- config: topic.heartbeat.prefix=beats
-- config: heartbeat.interval.ms=60000
-- config: column.propagate.source.type=.*
-- phase: before
CREATE DATABASE avro_names;
CREATE TABLE avro_names.`1st-table` (`1id` INT PRIMARY KEY, `a-b` INT, `c d` VARCHAR(5), `é` INT, `_x` INT, `dot.ted` INT, `日本` INT, `UPPER` INT, `a$` INT);
INSERT INTO avro_names.`1st-table` VALUES (1,2,'c',3,4,5,6,7,8);
CREATE TABLE avro_names.`tåble` (`k.1` INT, `k-2` INT, v INT, PRIMARY KEY (`k.1`, `k-2`));
INSERT INTO avro_names.`tåble` VALUES (1,2,3);
-- phase: streaming
UPDATE avro_names.`1st-table` SET `a-b` = 7, `1id` = 2;
INSERT INTO avro_names.`tåble` VALUES (2,2,3);
UPDATE avro_names.`tåble` SET `k-2` = 9;
ALTER TABLE avro_names.`tåble` ADD COLUMN `new-one` INT;
INSERT INTO avro_names.`tåble` VALUES (5,2,3,4);
