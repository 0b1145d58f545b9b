-- config: signal.data.collection=blok.signals
-- config: notification.enabled.channels=sink
-- config: notification.sink.topic.name=PFX.notifications
-- config: table.include.list=blok\.[a-e].*
-- phase: before
CREATE DATABASE blok;
CREATE TABLE blok.signals (id VARCHAR(42) PRIMARY KEY, type VARCHAR(32) NOT NULL, data VARCHAR(2048) NULL);
CREATE TABLE blok.a (id INT PRIMARY KEY, v VARCHAR(9));
INSERT INTO blok.a VALUES (1, 'a'), (2, 'b'), (3, 'c'), (5, 'e'), (4, 'd');
CREATE TABLE blok.b (x INT, y VARCHAR(9), v INT, PRIMARY KEY (x, y));
INSERT INTO blok.b VALUES (1, 'a', 1), (1, 'b', 2), (1, 'c', 3), (2, 'a', 4), (2, 'b', 5);
CREATE TABLE blok.c_empty (id INT PRIMARY KEY);
CREATE TABLE blok.d_keyless (id INT);
INSERT INTO blok.d_keyless VALUES (1), (2);
CREATE TABLE blok.other (id INT PRIMARY KEY);
INSERT INTO blok.other VALUES (1);
-- phase: streaming
INSERT INTO blok.a VALUES (6, 'f');
INSERT INTO blok.signals VALUES ('one', 'execute-snapshot', '{"data-collections": ["blok.a"], "type": "blocking"}');
DO SLEEP(4);
INSERT INTO blok.a VALUES (7, 'g');
INSERT INTO blok.signals VALUES ('some', 'execute-snapshot', '{"data-collections": ["blok.b", "blok.d_keyless", "blok.c_empty", "blok.none", "blok.other"], "type": "BLOCKING"}');
DO SLEEP(4);
INSERT INTO blok.signals VALUES ('filtered', 'execute-snapshot', '{"data-collections": ["blok.a", "blok.b"], "type": "blocking", "additional-conditions": [{"data-collection": "blok.a", "filter": "SELECT * FROM blok.a WHERE id > 4"}]}');
DO SLEEP(4);
INSERT INTO blok.signals VALUES ('regex', 'execute-snapshot', '{"data-collections": ["blok\\\\.[ab]"], "type": "blocking"}');
DO SLEEP(4);
INSERT INTO blok.signals VALUES ('nothing', 'execute-snapshot', '{"data-collections": ["blok.c_empty"], "type": "blocking"}');
DO SLEEP(4);
INSERT INTO blok.signals VALUES ('unknown', 'execute-snapshot', '{"data-collections": ["blok.none"], "type": "blocking"}');
DO SLEEP(4);
INSERT INTO blok.a VALUES (8, 'h');
UPDATE blok.a SET v = 'hh' WHERE id = 8;
