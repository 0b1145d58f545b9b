-- server: mysql
-- config: read.only=true
-- config: signal.data.collection=incro.signals
-- config: incremental.snapshot.chunk.size=2
-- config: notification.enabled.channels=sink
-- config: notification.sink.topic.name=PFX.notifications
-- config: table.include.list=incro\.[a-e].*
-- phase: before
CREATE DATABASE incro;
CREATE TABLE incro.signals (id VARCHAR(42) PRIMARY KEY, type VARCHAR(32) NOT NULL, data VARCHAR(2048) NULL);
CREATE TABLE incro.ticks (id INT PRIMARY KEY AUTO_INCREMENT);
DELIMITER ;;
CREATE PROCEDURE incro.tick(count INT) BEGIN
  WHILE count > 0 DO
    INSERT INTO incro.ticks VALUES (NULL);
    DO SLEEP(0.5);
    SET count = count - 1;
  END WHILE;
END;;
DELIMITER ;
CREATE TABLE incro.a (id INT PRIMARY KEY, v VARCHAR(9));
INSERT INTO incro.a VALUES (1, 'a'), (2, 'b'), (3, 'c'), (5, 'e'), (4, 'd');
CREATE TABLE incro.b (x INT, y VARCHAR(9), v INT, PRIMARY KEY (x, y));
INSERT INTO incro.b VALUES (1, 'a', 1), (1, 'b', 2), (1, 'c', 3), (2, 'a', 4), (2, 'b', 5);
CREATE TABLE incro.c_empty (id INT PRIMARY KEY);
CREATE TABLE incro.e_even (id BIGINT PRIMARY KEY, q INT NULL);
INSERT INTO incro.e_even VALUES (1, 4), (2, 3), (3, 2), (4, 1);
-- phase: streaming
INSERT INTO incro.a VALUES (6, 'f');
INSERT INTO incro.signals VALUES ('all', 'execute-snapshot', '{"data-collections": ["incro.a", "incro.b", "incro.c_empty", "incro.e_even"], "type": "incremental"}');
CALL incro.tick(30);
INSERT INTO incro.signals VALUES ('some', 'execute-snapshot', '{"data-collections": ["incro.a", "incro.e_even"], "additional-conditions": [{"data-collection": "incro.a", "filter": "id > 2 OR v = ''a''"}]}');
CALL incro.tick(20);
INSERT INTO incro.a VALUES (7, 'g');
