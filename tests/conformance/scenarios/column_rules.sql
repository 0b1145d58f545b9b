-- config: column.truncate.to.3.chars=rules\.cut\..*,rules\.keyed\.t
-- config: column.truncate.to.0.chars=rules\.none\.s
-- config: column.mask.with.5.chars=rules\.mask\.(?!id).*,rules\.keyed\.k
-- config: column.mask.with.0.chars=rules\.none\.z
-- config: column.mask.hash.SHA-256.with.salt.CzQMA0cB5K=rules\.hash\.a.*
-- config: column.mask.hash.v2.MD5.with.salt.pepper=rules\.hash\.b.*,rules\.keyed\.h
-- config: column.propagate.source.type=rules\.told\..*
-- config: datatype.propagate.source.type=rules\.types\.VARCHAR,rules\.types\.decimal,.*\.INT UNSIGNED
-- config: include.schema.comments=true
-- phase: before
CREATE DATABASE rules;
CREATE TABLE rules.cut (id INT PRIMARY KEY, a VARCHAR(10), b VARCHAR(3), c TEXT, d CHAR(5) NOT NULL DEFAULT 'abcde', e BLOB, f VARBINARY(10), g JSON, h ENUM('first','second'), i DATE, j TIMESTAMP NULL, k DECIMAL(10,2), l BIT(20), m SET('aa','bb'));
INSERT INTO rules.cut VALUES (1,'abcdef','abc','äöüß','fghij',X'0102030405',X'01020304','{"a": 1}','second','2024-01-01','2024-01-01',12345.67,b'1010','aa,bb'),(2,NULL,NULL,NULL,'',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL),(3,'ab','a','','ab','','','[]','first',NULL,NULL,0,NULL,'');
CREATE TABLE rules.mask (id INT PRIMARY KEY, a VARCHAR(10), b CHAR(3) NOT NULL, c TEXT, d INT, e BLOB, g JSON, h ENUM('x','y'), i SET('p','q'), j VARCHAR(20) DEFAULT 'default', k DATETIME);
INSERT INTO rules.mask VALUES (1,'secret','abc','long secret',5,'blob','{"a": 1}','x','p,q','j','2024-01-01'),(2,NULL,'',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
CREATE TABLE rules.none (id INT PRIMARY KEY, s VARCHAR(10), z VARCHAR(10));
INSERT INTO rules.none VALUES (1,'s','z'),(2,NULL,NULL);
CREATE TABLE rules.hash (id INT PRIMARY KEY, a VARCHAR(100), a2 VARCHAR(10), a3 LONGTEXT CHARACTER SET utf8mb4, a4 ENUM('x','y'), a5 INT, a6 JSON, b VARCHAR(100), b2 CHAR(6), b3 LONGTEXT CHARACTER SET utf8mb4, b4 BLOB, b5 VARCHAR(40) NOT NULL);
INSERT INTO rules.hash VALUES (1,'secret','secret','ünï 😀','x',5,'{}','secret','abc','ünï 😀','blob','x'),(2,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,''),(3,'','','','y',0,'1','','','','','y'),(4,CONCAT('a',CHAR(0),'b'),'a',REPEAT('long ',20000),'x',0,'1','','',REPEAT('long ',20000),'','y');
CREATE TABLE rules.told (id INT PRIMARY KEY COMMENT 'the key', a VARCHAR(10) COMMENT 'a ''comment''', b DECIMAL(10,2), c INT UNSIGNED, d TEXT, e ENUM('x','yy'), f BIT(5), g DATETIME(3), h DOUBLE, i FLOAT(7,3), j BLOB, k JSON, l POINT, m TINYINT(1), n SET('a','b'), o TIMESTAMP(6) NULL, p BIGINT UNSIGNED, q CHAR(3) NOT NULL DEFAULT 'x') COMMENT 'told';
INSERT INTO rules.told (id) VALUES (1);
CREATE TABLE rules.types (id INT UNSIGNED PRIMARY KEY, a VARCHAR(10), b DECIMAL(10,2), c INT UNSIGNED, d INT, e VARCHAR(5) NOT NULL);
INSERT INTO rules.types VALUES (1,'a',1,1,1,'e');
CREATE TABLE rules.keyed (k VARCHAR(20), h VARCHAR(40), t VARCHAR(10), v INT, PRIMARY KEY (k, h, t));
INSERT INTO rules.keyed VALUES ('plain','hashed','truncated',1);
-- phase: streaming
INSERT INTO rules.cut SELECT id+10,a,b,c,d,e,f,g,h,i,j,k,l,m FROM rules.cut;
INSERT INTO rules.mask SELECT id+10,a,b,c,d,e,g,h,i,j,k FROM rules.mask;
UPDATE rules.mask SET a = 'other', c = NULL WHERE id = 1;
INSERT INTO rules.none SELECT id+10,s,z FROM rules.none;
INSERT INTO rules.hash SELECT id+10,a,a2,a3,a4,a5,a6,b,b2,b3,b4,b5 FROM rules.hash;
INSERT INTO rules.told (id, a, b, c) VALUES (2,'a',1,1);
INSERT INTO rules.types SELECT id+10,a,b,c,d,e FROM rules.types;
INSERT INTO rules.keyed VALUES ('p2','h2','truncated',2);
UPDATE rules.keyed SET h = 'h3' WHERE v = 2;
UPDATE rules.keyed SET v = 3;
DELETE FROM rules.keyed;
ALTER TABLE rules.told ADD COLUMN z VARCHAR(7) COMMENT 'new';
INSERT INTO rules.told (id, z) VALUES (3,'z');
