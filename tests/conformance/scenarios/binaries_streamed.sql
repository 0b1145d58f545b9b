-- server: mysql
-- phase: before
CREATE DATABASE binaries_s;
-- phase: streaming
CREATE TABLE binaries_s.born (id INT PRIMARY KEY, a BINARY(3) DEFAULT 'ab', b BINARY(3) NOT NULL DEFAULT 'abc', c VARBINARY(10) DEFAULT 'var', d VARBINARY(10) DEFAULT X'4142', e BINARY(4) DEFAULT X'00FF', f VARBINARY(4) NOT NULL DEFAULT '', l VARBINARY(9) DEFAULT 0x61, m LONG VARBINARY, n CHAR BYTE, o BINARY);
INSERT INTO binaries_s.born (id) VALUES (1);
INSERT INTO binaries_s.born VALUES (2,'x','y','z','','\0','','','long','c','b');
