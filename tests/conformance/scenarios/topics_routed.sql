-- config: topic.naming.strategy=io.debezium.schema.DefaultRegexTopicNamingStrategy
-- config: topic.regex=(.*)\.routed\.(orders|lines)_(\d+)
-- config: topic.replacement=$1.routed.all_$2
-- config: topic.key.field.name=shard
-- config: topic.key.field.regex=.*_(\d+)
-- config: topic.key.field.replacement=shard-$1
-- config: topic.transaction=marks
-- config: provide.transaction.metadata=true
-- phase: before
CREATE DATABASE routed;
CREATE TABLE routed.orders_1 (id INT PRIMARY KEY, v INT);
CREATE TABLE routed.orders_2 (id INT PRIMARY KEY, v INT);
CREATE TABLE routed.lines_1 (v INT);
CREATE TABLE routed.other (id INT PRIMARY KEY, v INT);
INSERT INTO routed.orders_1 VALUES (1,1);
INSERT INTO routed.orders_2 VALUES (1,2);
INSERT INTO routed.lines_1 VALUES (1);
INSERT INTO routed.other VALUES (1,1);
-- phase: streaming
UPDATE routed.orders_1 SET v = 5;
UPDATE routed.orders_2 SET id = 6;
DELETE FROM routed.orders_1;
INSERT INTO routed.lines_1 VALUES (2);
INSERT INTO routed.other VALUES (2,2);
CREATE TABLE routed.orders_3 (a VARCHAR(5), b INT, PRIMARY KEY (a, b));
INSERT INTO routed.orders_3 VALUES ('x',1);
