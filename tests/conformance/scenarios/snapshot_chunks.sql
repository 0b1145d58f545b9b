-- config: snapshot.max.threads.multiplier=3
-- config: snapshot.max.threads.multiplier.chnk.b_pairs=4
-- config: snapshot.max.threads.multiplier.chnk.i_whole=1
-- config: snapshot.select.statement.overrides=chnk.h_selected
-- config: snapshot.select.statement.overrides.chnk.h_selected=SELECT * FROM chnk.h_selected WHERE id > 2
-- config: notification.enabled.channels=sink
-- config: notification.sink.topic.name=PFX.notifications
-- phase: before
CREATE DATABASE chnk;
CREATE TABLE chnk.a (id INT PRIMARY KEY, v VARCHAR(9));
INSERT INTO chnk.a VALUES (1, 'a'), (2, 'b'), (30, 'c'), (4, 'd'), (-5, 'e'), (6, 'f'), (7, 'g'), (8, 'h');
CREATE TABLE chnk.b_pairs (x INT, y VARCHAR(9), v INT, PRIMARY KEY (x, y));
INSERT INTO chnk.b_pairs VALUES (1, 'a', 1), (1, 'B', 2), (1, 'c', 3), (2, 'a', 4), (2, 'b', 5), (3, '', 6), (3, 'z', 7);
CREATE TABLE chnk.c_empty (id INT PRIMARY KEY);
CREATE TABLE chnk.d_keyless (id INT);
INSERT INTO chnk.d_keyless VALUES (1), (2), (3), (4);
CREATE TABLE chnk.e_one (id BIGINT UNSIGNED PRIMARY KEY);
INSERT INTO chnk.e_one VALUES (9223372036854775807);
CREATE TABLE chnk.f_two (id DECIMAL(10,2) PRIMARY KEY);
INSERT INTO chnk.f_two VALUES (1.5), (-2.25);
CREATE TABLE chnk.g_times (at DATETIME(3) PRIMARY KEY, v VARBINARY(5));
INSERT INTO chnk.g_times VALUES ('2026-01-01 00:00:00.001', 'a'), ('2026-01-01 00:00:00.002', x'00ff'), ('2025-01-01 00:00:00', ''), ('2027-01-01 00:00:00', NULL);
CREATE TABLE chnk.h_selected (id INT PRIMARY KEY);
INSERT INTO chnk.h_selected VALUES (1), (2), (3), (4), (5);
CREATE TABLE chnk.i_whole (id INT PRIMARY KEY);
INSERT INTO chnk.i_whole VALUES (1), (2), (3), (4), (5);
-- phase: streaming
INSERT INTO chnk.a VALUES (9, 'i');
