-- config: signal.data.collection=incr.signals
-- config: incremental.snapshot.chunk.size=2
-- config: notification.enabled.channels=sink
-- config: notification.sink.topic.name=PFX.notifications
-- config: table.include.list=incr\.[a-e].*
-- phase: before
CREATE DATABASE incr;
CREATE TABLE incr.signals (id VARCHAR(42) PRIMARY KEY, type VARCHAR(32) NOT NULL, data VARCHAR(2048) NULL);
CREATE TABLE incr.a (id INT PRIMARY KEY, v VARCHAR(9));
INSERT INTO incr.a VALUES (1, 'a'), (2, 'b'), (3, 'c'), (5, 'e'), (4, 'd');
CREATE TABLE incr.b (x INT, y VARCHAR(9), v INT, PRIMARY KEY (x, y));
INSERT INTO incr.b VALUES (1, 'a', 1), (1, 'b', 2), (1, 'c', 3), (2, 'a', 4), (2, 'b', 5);
CREATE TABLE incr.c_empty (id INT PRIMARY KEY);
CREATE TABLE incr.d_keyless (id INT);
INSERT INTO incr.d_keyless VALUES (1), (2);
CREATE TABLE incr.e_even (id BIGINT PRIMARY KEY, q INT NULL);
INSERT INTO incr.e_even VALUES (1, 4), (2, 3), (3, 2), (4, 1);
-- phase: streaming
INSERT INTO incr.a VALUES (6, 'f');
INSERT INTO incr.signals VALUES ('all', 'execute-snapshot', '{"data-collections": ["incr.a", "incr.b", "incr.c_empty", "incr.d_keyless", "incr.e_even", "incr.none"], "type": "incremental"}');
DO SLEEP(6);
INSERT INTO incr.signals VALUES ('some', 'execute-snapshot', '{"data-collections": ["incr.a", "incr.e_even"], "additional-conditions": [{"data-collection": "incr.a", "filter": "id > 2 OR v = ''a''"}]}');
DO SLEEP(3);
INSERT INTO incr.signals VALUES ('by q', 'execute-snapshot', '{"data-collections": ["incr.e_even"], "surrogate-key": "q"}');
DO SLEEP(3);
INSERT INTO incr.signals VALUES ('wrong', 'execute-snapshot', '{"data-collections": ["incr.a"], "additional-conditions": [{"data-collection": "incr.a", "filter": "nothing = 1"}]}');
DO SLEEP(24);
INSERT INTO incr.signals VALUES ('regex', 'execute-snapshot', '{"data-collections": ["incr\\\\.[ab]"]}');
DO SLEEP(4);
INSERT INTO incr.signals VALUES ('broken', 'execute-snapshot', '{"data-collections": ');
INSERT INTO incr.signals VALUES ('unknown', 'no-such-type', '{}');
INSERT INTO incr.signals VALUES ('logged', 'log', '{"message": "Signal at {}"}');
INSERT INTO incr.a VALUES (7, 'g');
