-- config: notification.enabled.channels=sink
-- config: notification.sink.topic.name=PFX.notifications
-- config: snapshot.mode=no_data
-- phase: before
CREATE DATABASE notifno;
CREATE TABLE notifno.a (id INT PRIMARY KEY, v INT);
INSERT INTO notifno.a VALUES (1, 1), (2, 2), (3, 3);
-- phase: streaming
INSERT INTO notifno.a VALUES (4, 4);
