-- config: topic.naming.strategy=io.debezium.schema.DefaultUnicodeTopicNamingStrategy
-- config: schema.name.adjustment.mode=avro_unicode
-- config: field.name.adjustment.mode=avro_unicode
-- config: column.propagate.source.type=.*
-- phase: before
CREATE DATABASE avrouninames;
CREATE TABLE avrouninames.`1st-table` (`1id` INT PRIMARY KEY, `a-b` INT, `c d` VARCHAR(5), `é` INT, `_x` INT, `dot.ted` INT, `日本` INT, `UPPER` INT, `a$` INT);
INSERT INTO avrouninames.`1st-table` VALUES (1,2,'c',3,4,5,6,7,8);
CREATE TABLE avrouninames.`tåble` (`k.1` INT, `k-2` INT, v INT, PRIMARY KEY (`k.1`, `k-2`));
INSERT INTO avrouninames.`tåble` VALUES (1,2,3);
-- phase: streaming
UPDATE avrouninames.`1st-table` SET `a-b` = 7, `1id` = 2;
INSERT INTO avrouninames.`tåble` VALUES (2,2,3);
UPDATE avrouninames.`tåble` SET `k-2` = 9;
ALTER TABLE avrouninames.`tåble` ADD COLUMN `new-one` INT;
INSERT INTO avrouninames.`tåble` VALUES (5,2,3,4);
