-- server: mysql
-- phase: before
CREATE DATABASE geometries_srid;
CREATE TABLE geometries_srid.t (id INT PRIMARY KEY, p POINT SRID 4326, g GEOMETRY SRID 0, c GEOMCOLLECTION, q POINT NOT NULL SRID 3857, SPATIAL INDEX (q));
INSERT INTO geometries_srid.t VALUES (1,ST_GeomFromText('POINT(10 20)',4326),ST_GeomFromText('POINT(1 2)'),ST_GeomFromText('GEOMETRYCOLLECTION(POINT(1 1))'),ST_GeomFromText('POINT(1 2)',3857)),(2,NULL,NULL,NULL,ST_GeomFromText('POINT(-1 -2)',3857));
-- phase: streaming
INSERT INTO geometries_srid.t SELECT id+10,p,g,c,q FROM geometries_srid.t;
CREATE TABLE geometries_srid.born (id INT PRIMARY KEY, p POINT SRID 4326, c GEOMCOLLECTION, d GEOMETRYCOLLECTION NOT NULL);
INSERT INTO geometries_srid.born VALUES (1,ST_GeomFromText('POINT(10 20)',4326),NULL,ST_GeomFromText('GEOMETRYCOLLECTION(POINT(1 1))'));
