-- config: notification.enabled.channels=sink,log
-- config: notification.sink.topic.name=PFX.notifications
-- config: table.include.list=notif\.z.*,notif\.[a-y].*
-- phase: before
CREATE DATABASE notif;
CREATE TABLE notif.a (id INT PRIMARY KEY, v INT);
CREATE TABLE notif.b_empty (id INT PRIMARY KEY, v INT);
CREATE TABLE notif.z_last (id INT PRIMARY KEY, v INT);
CREATE TABLE notif.customers (id INT PRIMARY KEY);
CREATE TABLE notif.keyless (id INT);
CREATE TABLE notif.orders (id INT PRIMARY KEY);
CREATE TABLE notif.products (id INT PRIMARY KEY);
INSERT INTO notif.a VALUES (1, 1), (2, 2), (3, 3);
INSERT INTO notif.z_last VALUES (1, 1);
INSERT INTO notif.keyless VALUES (1), (1);
-- phase: streaming
INSERT INTO notif.a VALUES (4, 4);
-- phase: offline
INSERT INTO notif.a VALUES (5, 5);
