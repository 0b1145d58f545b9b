-- server: mariadb
-- config: signal.data.collection=incr_queries.signals
-- config: include.query=true
-- phase: before
CREATE DATABASE incr_queries;
CREATE TABLE incr_queries.signals (id VARCHAR(42) PRIMARY KEY, type VARCHAR(32) NOT NULL, data VARCHAR(2048) NULL);
CREATE TABLE incr_queries.a (id INT PRIMARY KEY, v VARCHAR(9));
INSERT INTO incr_queries.a VALUES (1, 'a'), (2, 'b'), (3, 'c');
-- phase: streaming
INSERT INTO incr_queries.a VALUES (6, 'f');
INSERT INTO `incr_queries`.`signals` VALUES ('all', 'execute-snapshot', '{"data-collections": ["incr_queries.a"]}');
DO SLEEP(6);
INSERT INTO incr_queries.a VALUES (7, 'g');
