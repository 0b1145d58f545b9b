-- phase: before
CREATE DATABASE strings CHARACTER SET utf8mb4;
CREATE TABLE strings.t (id INT PRIMARY KEY, a CHAR, b CHAR(255), c VARCHAR(1), d VARCHAR(1000), e TINYTEXT, f TEXT, g MEDIUMTEXT, h LONGTEXT, i NCHAR(5), j NVARCHAR(10), k NATIONAL CHAR(3), l CHARACTER VARYING(7), m VARCHAR(10) BINARY, n CHAR(0), o LONG VARCHAR, p TEXT(100), q VARCHAR(20) COLLATE utf8mb4_bin, r CHAR(4) ASCII, s CHAR(10) UNICODE);
INSERT INTO strings.t VALUES (1,'a','b','c','d','e','f','g','h','i','j','k','l','m','','o','p','q','r','s'),(2,'','','','','','','','','','','','','','','','','','',''),(3,'😀',REPEAT('😀',255),'é',REPEAT('é',1000),REPEAT('x',255),REPEAT('y',65535),REPEAT('z',70000),REPEAT('é',70000),'日本','日本','ä','ö','Ü','',REPEAT('q',66000),'p','Q','asci','日本'),(4,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL),(5,' ',' lead','	','tab	nl
cr','"quoted"','back\\slash','sl/ash','ctl \0\b\Z\r','\'','`','%','_','<>&','','  ','null','NULL','true','1');
CREATE TABLE strings.defs (id INT PRIMARY KEY, a VARCHAR(20) DEFAULT 'abc', b VARCHAR(20) NOT NULL DEFAULT '', c CHAR(5) DEFAULT 'ab ', d VARCHAR(20) DEFAULT 'it''s', e VARCHAR(20) DEFAULT "dq", f VARCHAR(20) DEFAULT 'back\\slash', g VARCHAR(20) DEFAULT 'nl\n', h VARCHAR(20) DEFAULT _utf8mb4'intro', i VARCHAR(20) DEFAULT NULL, j VARCHAR(20) DEFAULT 'NULL', k VARCHAR(20) DEFAULT '😀ü', l VARCHAR(20) DEFAULT X'4142', m VARCHAR(36) DEFAULT (UUID()), n VARCHAR(20) NOT NULL, o VARCHAR(20) DEFAULT '"', p VARCHAR(20) DEFAULT '1', q VARCHAR(20) DEFAULT 1, r VARCHAR(20) CHARACTER SET latin1 DEFAULT 'é', s CHAR(10) NOT NULL DEFAULT 'x', t VARCHAR(20) DEFAULT 'a,b', u VARCHAR(30) DEFAULT (CONCAT('a','b')), v VARCHAR(20) DEFAULT '  sp  ', x VARCHAR(20) DEFAULT 'CURRENT_TIMESTAMP', y TEXT DEFAULT ('t'), z VARCHAR(20) DEFAULT 'a' 'b');
INSERT INTO strings.defs (id, n) VALUES (1, 'n');
INSERT INTO strings.defs VALUES (2,NULL,'',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'',NULL,NULL,NULL,NULL,'',NULL,NULL,NULL,NULL,NULL,NULL);
-- phase: streaming
INSERT INTO strings.t SELECT id+10,a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q,r,s FROM strings.t;
INSERT INTO strings.defs (id, n) VALUES (3, 'n');
INSERT INTO strings.defs SELECT id+10,a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q,r,s,t,u,v,x,y,z FROM strings.defs WHERE id=2;
ALTER TABLE strings.defs ALTER a SET DEFAULT 'changed', ALTER d DROP DEFAULT, MODIFY c CHAR(6) DEFAULT 'new';

CREATE TABLE strings.conv (id INT PRIMARY KEY, a VARCHAR(10), d TEXT);
INSERT INTO strings.conv VALUES (1, 'é', 'ü€');
ALTER TABLE strings.conv CONVERT TO CHARACTER SET latin1;
INSERT INTO strings.conv VALUES (40, 'é', 'ü€');
INSERT INTO strings.defs (id, n, c, d) VALUES (30, 'n', 'c', 'd');
