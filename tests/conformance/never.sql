-- config: snapshot.mode=never
-- config: notification.enabled.channels=sink
-- config: notification.sink.topic.name=PFX.notifications
-- config: table.exclude.list=nevr.hidden
-- phase: before
CREATE DATABASE nevr;
CREATE TABLE nevr.t (id INT PRIMARY KEY, v VARCHAR(9));
INSERT INTO nevr.t VALUES (1, 'a'), (2, 'b');
ALTER TABLE nevr.t ADD COLUMN w INT DEFAULT 7;
CREATE TABLE nevr.hidden (id INT PRIMARY KEY);
INSERT INTO nevr.hidden VALUES (1);
UPDATE nevr.t SET v = 'c' WHERE id = 2;
FLUSH BINARY LOGS;
DELETE FROM nevr.t WHERE id = 1;
CREATE TABLE nevr.gone (id INT);
INSERT INTO nevr.gone VALUES (1);
DROP TABLE nevr.gone;
-- phase: streaming
INSERT INTO nevr.t VALUES (3, 'd', 8);
CREATE TABLE nevr.u (id INT PRIMARY KEY);
INSERT INTO nevr.u VALUES (1);
-- phase: offline
INSERT INTO nevr.u VALUES (2);
ALTER TABLE nevr.u ADD COLUMN v INT;
INSERT INTO nevr.u VALUES (3, 3);
