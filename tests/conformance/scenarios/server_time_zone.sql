-- config: snapshot.delay.ms=1
-- phase: before
CREATE DATABASE server_zone;
SET GLOBAL time_zone = '-07:00';
SET SESSION time_zone = '-07:00';
CREATE TABLE server_zone.t (id INT PRIMARY KEY, a TIMESTAMP NULL, b TIMESTAMP(6) NULL, c DATETIME, d DATETIME(6), e TIME, f DATE, g TIMESTAMP NOT NULL DEFAULT '2001-02-03 04:05:06', h YEAR);
INSERT INTO server_zone.t (id, a, b, c, d, e, f, h) VALUES (1, '2024-07-01 12:00:00', '2024-01-01 00:00:00.123456', '2024-03-10 02:30:00', '2024-07-01 23:59:59.9', '23:00:00', '2024-07-01', 2024);
-- phase: streaming
INSERT INTO server_zone.t SELECT id+10, a, b, c, d, e, f, g, h FROM server_zone.t;
SET GLOBAL time_zone = '+00:00';
SET SESSION time_zone = DEFAULT;
