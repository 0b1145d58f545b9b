-- server: mariadb
-- phase: before
CREATE DATABASE types_m;
CREATE TABLE types_m.js (id INT PRIMARY KEY, j JSON, k JSON NOT NULL);
INSERT INTO types_m.js VALUES (1,'{"b":1,"a":[1,2.5,-3,1e100,1e-7,true,false,null,"s","ü","\\u0001\\n\\"\\\\"],"ccc":{"x":{}},"":[]}','"s"'),(2,NULL,'[]'),(3,'{}','0'),(4,'12345678901','1.0'),(5,'-1.5','18446744073709551615'),(6,'"2024-01-01"','true'),(7,'{}','{}'),(8,'{}','1.50'),(9,JSON_OBJECT('d',CAST(123.450 AS DECIMAL(10,3)),'t','-02:03:04'),'"x"'),(10,JSON_ARRAY(32767,32768,-32768,-32769,65535,65536,2147483647,2147483648,-2147483648,-2147483649,9223372036854775807,-9223372036854775808,1000.0,123456789.123,0.1,1e7,1e6,0.0001),'[[1,[2,[3]]]]');
CREATE TABLE types_m.big (id INT PRIMARY KEY, j JSON);
INSERT INTO types_m.big VALUES (1, CONCAT('[', REPEAT('"0123456789abcdef",', 6000), '1]'));
CREATE TABLE types_m.geo (id INT PRIMARY KEY, g GEOMETRY, p POINT, l LINESTRING, y POLYGON, mp MULTIPOINT, gc GEOMETRYCOLLECTION, q POINT);
INSERT INTO types_m.geo VALUES (1,ST_GeomFromText('POINT(1 2)'),ST_GeomFromText('POINT(3.5 -4.25)'),ST_GeomFromText('LINESTRING(0 0,1 1,2 2)'),ST_GeomFromText('POLYGON((0 0,1 0,1 1,0 0))'),ST_GeomFromText('MULTIPOINT(1 1,2 2)'),ST_GeomFromText('GEOMETRYCOLLECTION(POINT(1 1),LINESTRING(0 0,1 1))'),ST_GeomFromText('POINT(10 20)',4326)),(2,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
CREATE TABLE types_m.vec (id INT PRIMARY KEY, v VARCHAR(3));
INSERT INTO types_m.vec VALUES (1, 'v'),(2,NULL);
CREATE TABLE types_m.zero (id INT PRIMARY KEY, a DATE, b DATE NOT NULL, c DATETIME, d DATETIME NOT NULL, e TIMESTAMP NULL, f YEAR);
SET SESSION sql_mode='';
INSERT INTO types_m.zero VALUES (1,'0000-00-00','0000-00-00','0000-00-00 00:00:00','0000-00-00 00:00:00','0000-00-00 00:00:00','2000'),(2,'2024-00-15','2024-05-00','2024-00-15 01:02:03','2024-05-00 01:02:03',NULL,'70');
CREATE TABLE types_m.gen (id INT PRIMARY KEY, a INT, b INT GENERATED ALWAYS AS (a*2) VIRTUAL, c INT GENERATED ALWAYS AS (a*3) STORED, d VARCHAR(20) DEFAULT (uuid()), e INT INVISIBLE DEFAULT 9);
INSERT INTO types_m.gen (id,a,d) VALUES (1,5,'x'),(2,NULL,'y');
SET SESSION sql_mode = DEFAULT;
-- phase: streaming
SET SESSION sql_mode='';
INSERT INTO types_m.js SELECT id+100,j,k FROM types_m.js;
INSERT INTO types_m.big SELECT id+100,j FROM types_m.big;
INSERT INTO types_m.geo SELECT id+100,g,p,l,y,mp,gc,q FROM types_m.geo;
INSERT INTO types_m.vec SELECT id+100,v FROM types_m.vec;
INSERT INTO types_m.zero SELECT id+100,a,b,c,d,e,f FROM types_m.zero;
INSERT INTO types_m.gen (id,a,d,e) VALUES (3,7,'z',1);
UPDATE types_m.js SET j=JSON_SET(j,'$.zz',1) WHERE id=1;
SET SESSION sql_mode = DEFAULT;
