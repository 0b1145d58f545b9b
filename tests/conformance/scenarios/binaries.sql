-- phase: before
CREATE DATABASE binaries;
CREATE TABLE binaries.t (id INT PRIMARY KEY, a BINARY, b BINARY(5), c BINARY(255), d VARBINARY(1), e VARBINARY(300), f TINYBLOB, g BLOB, h MEDIUMBLOB, i LONGBLOB, j CHAR BYTE, k VARCHAR(10) CHARACTER SET binary, l TEXT CHARACTER SET binary, m BLOB(10));
INSERT INTO binaries.t VALUES (1,X'00',X'00',X'00',X'00',X'00',X'00',X'00',X'00',X'00',X'00',X'00',X'00',X'00'),(2,'','','','','','','','','','','','',''),(3,X'FF',X'0102030405',REPEAT(X'AB',255),X'FF',REPEAT(X'CD',300),REPEAT(X'01',255),REPEAT(X'02',65535),REPEAT(X'03',70000),REPEAT(X'04',100),X'80',X'FFFE',X'FFFE',X'00FF'),(4,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL),(5,'a','ab\0\0','text','?','>>>???','~~~','a+b/c','==','\0','b','c','é','d'),(6,'a',X'0100000000',X'00','\0',X'0000',X'0000',X'0000',X'0000',X'0000',X'20','  ',' ',' ');
CREATE TABLE binaries.defs (id INT PRIMARY KEY, a BINARY(3) DEFAULT 'ab', b BINARY(3) NOT NULL DEFAULT 'abc', c VARBINARY(10) DEFAULT 'var', d VARBINARY(10) DEFAULT X'4142', e BINARY(4) DEFAULT X'00FF', f VARBINARY(4) NOT NULL DEFAULT '', g BINARY(2) DEFAULT NULL, h VARBINARY(5) NOT NULL, i BLOB DEFAULT ('b'), k VARBINARY(5) DEFAULT b'01000001', l VARBINARY(9) DEFAULT 0x61);
INSERT INTO binaries.defs (id, h) VALUES (1, 'h');
-- phase: streaming
INSERT INTO binaries.t SELECT id+10,a,b,c,d,e,f,g,h,i,j,k,l,m FROM binaries.t;
INSERT INTO binaries.defs (id, h) VALUES (2, 'h');
INSERT INTO binaries.defs (id,a,b,c,d,e,f,g,h,i) VALUES (3,NULL,'x',NULL,NULL,NULL,'x',NULL,'x',NULL);
CREATE TABLE binaries.keyed (k BINARY(6), v VARBINARY(4), n INT, PRIMARY KEY (k, v));
INSERT INTO binaries.keyed VALUES ('ab','c',1),(X'0001',X'',2);
UPDATE binaries.keyed SET k = 'ac' WHERE n = 1;
DELETE FROM binaries.keyed WHERE n = 2;
