-- config: signal.data.collection=incst.signals
-- config: incremental.snapshot.chunk.size=2
-- config: notification.enabled.channels=sink
-- config: notification.sink.topic.name=PFX.notifications
-- phase: before
CREATE DATABASE incst;
CREATE TABLE incst.signals (id VARCHAR(42) PRIMARY KEY, type VARCHAR(32) NOT NULL, data VARCHAR(2048) NULL);
CREATE TABLE incst.a (id INT PRIMARY KEY, v INT);
INSERT INTO incst.a VALUES (1, 1), (2, 2), (3, 3), (4, 4), (5, 5);
CREATE TABLE incst.b (id INT PRIMARY KEY, v INT);
INSERT INTO incst.b VALUES (1, 1), (2, 2), (3, 3);
CREATE TABLE incst.c (id INT PRIMARY KEY, v INT);
INSERT INTO incst.c VALUES (1, 1), (2, 2), (3, 3);
CREATE TABLE incst.d (id INT PRIMARY KEY, v INT);
-- phase: streaming
INSERT INTO incst.signals VALUES ('paused at once', 'execute-snapshot', '{"data-collections": ["incst.a", "incst.b"]}'), ('p', 'pause-snapshot', '{}'), ('again', 'pause-snapshot', '{}');
DO SLEEP(3);
INSERT INTO incst.d VALUES (6, 6);
INSERT INTO incst.signals VALUES ('r', 'resume-snapshot', '{}');
DO SLEEP(5);
INSERT INTO incst.signals VALUES ('no snapshot', 'stop-snapshot', '{}'), ('none', 'pause-snapshot', '{}'), ('nothing', 'resume-snapshot', '{}');
INSERT INTO incst.signals VALUES ('stopped', 'execute-snapshot', '{"data-collections": ["incst.a", "incst.b", "incst.c"]}'), ('s', 'stop-snapshot', '{"data-collections": ["incst.b"], "type": "incremental"}');
DO SLEEP(5);
INSERT INTO incst.signals VALUES ('stopped first', 'execute-snapshot', '{"data-collections": ["incst.c", "incst.b"]}'), ('t', 'stop-snapshot', '{"data-collections": ["incst.c"], "type": "incremental"}');
DO SLEEP(5);
INSERT INTO incst.signals VALUES ('all stopped', 'execute-snapshot', '{"data-collections": ["incst.c", "incst.b"]}'), ('u', 'stop-snapshot', '{}');
DO SLEEP(3);
INSERT INTO incst.a VALUES (7, 7);
