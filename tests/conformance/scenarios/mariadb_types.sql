-- server: mariadb
-- phase: before
CREATE DATABASE mdb_types;
CREATE TABLE mdb_types.u (id INT PRIMARY KEY, u UUID, n UUID NOT NULL, d UUID DEFAULT UUID());
INSERT INTO mdb_types.u VALUES (1,'123e4567-e89b-12d3-a456-426655440000','00000000-0000-0000-0000-000000000000',NULL),(2,NULL,'ffffffff-ffff-ffff-ffff-ffffffffffff','123e4567-e89b-12d3-a456-426655440000'),(3,'123e4567-e89b-42d3-a456-426655440000','6ba7b810-9dad-11d1-80b4-00c04fd430c8',NULL);
CREATE TABLE mdb_types.js (id INT PRIMARY KEY, j JSON, k LONGTEXT CHECK (JSON_VALID(k)));
INSERT INTO mdb_types.js VALUES (1,'{"a": [1, 2.50], "ü": null}','{"x":1}'),(2,NULL,NULL);
-- phase: streaming
INSERT INTO mdb_types.u SELECT id+10,u,n,d FROM mdb_types.u;
INSERT INTO mdb_types.js SELECT id+10,j,k FROM mdb_types.js;
UPDATE mdb_types.u SET u = '00112233-4455-6677-8899-aabbccddee00' WHERE id = 2;
CREATE TABLE mdb_types.born (id INT PRIMARY KEY, u UUID);
INSERT INTO mdb_types.born VALUES (1,'123e4567-e89b-12d3-a456-426655440000'),(2,NULL);
