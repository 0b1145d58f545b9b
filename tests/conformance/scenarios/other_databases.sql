-- config: database.include.list=od_captured
-- phase: before
CREATE DATABASE od_captured;
CREATE DATABASE `od-b`;
CREATE DATABASE od_a CHARACTER SET latin1;
CREATE DATABASE OD_c;
CREATE DATABASE `od.d`;
CREATE DATABASE od_ab;
CREATE TABLE od_captured.z (id INT PRIMARY KEY);
CREATE TABLE od_captured.a (id INT PRIMARY KEY);
CREATE TABLE od_captured.B (id INT PRIMARY KEY);
INSERT INTO od_captured.z VALUES (1);
CREATE TABLE `od-b`.t (id INT);
CREATE TABLE od_a.z (id INT, v VARCHAR(10));
CREATE TABLE od_a.`a-b` (id INT);
CREATE TABLE od_a.a (id INT);
CREATE TABLE od_a.`a.b` (id INT);
CREATE TABLE od_a.A1 (id INT);
CREATE TABLE od_a.`ä` (id INT);
CREATE TABLE OD_c.t (id INT);
CREATE TABLE `od.d`.t (id INT);
CREATE TABLE od_ab.t (id INT);
-- phase: streaming
CREATE TABLE od_a.late (id INT PRIMARY KEY, v INT);
CREATE TABLE od_captured.late (id INT PRIMARY KEY, v INT);
INSERT INTO od_a.late VALUES (1, 1);
INSERT INTO od_captured.late VALUES (1, 1);
ALTER TABLE od_a.late ADD COLUMN w INT;
DROP TABLE od_a.z, od_captured.a, `od-b`.t, od_a.`ä`;
RENAME TABLE od_a.a TO od_ab.a, od_captured.B TO od_captured.C, od_ab.t TO od_captured.t;
INSERT INTO od_captured.C VALUES (5);
INSERT INTO od_captured.t VALUES (6);
CREATE DATABASE od_new;
CREATE TABLE od_new.t LIKE od_captured.z;
CREATE TABLE od_captured.x LIKE od_a.late;
INSERT INTO od_captured.x VALUES (7, 7, 7);
DROP DATABASE od_a;
DROP DATABASE od_ab;
INSERT INTO od_captured.z VALUES (2);
