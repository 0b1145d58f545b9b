-- server: mysql
-- phase: before
CREATE DATABASE strings_s CHARACTER SET utf8mb4;
-- phase: streaming
CREATE TABLE strings_s.born (id INT PRIMARY KEY, a VARCHAR(20) DEFAULT 'abc', b VARCHAR(20) NOT NULL DEFAULT '', c CHAR(5) DEFAULT 'ab ', d VARCHAR(20) DEFAULT 'it''s', e VARCHAR(20) DEFAULT "dq", f VARCHAR(20) DEFAULT 'back\\slash', g VARCHAR(20) DEFAULT 'nl\n', h VARCHAR(20) DEFAULT _utf8mb4'intro', j VARCHAR(20) DEFAULT 'NULL', k VARCHAR(20) DEFAULT '😀ü', m VARCHAR(36) DEFAULT (UUID()), o VARCHAR(20) DEFAULT '"', q VARCHAR(20) DEFAULT 1, r VARCHAR(20) CHARACTER SET latin1 DEFAULT 'é', v VARCHAR(20) DEFAULT '  sp  ', y TEXT DEFAULT ('t'), aa NCHAR(5), ab NVARCHAR(10), ac NATIONAL CHAR(3), ad CHARACTER VARYING(7), ae VARCHAR(10) BINARY, af LONG VARCHAR, ag TEXT(100), ah LONG, ai CHAR VARYING(5), aj NATIONAL VARCHAR(5), ak VARCHAR(5) CHARSET binary);
INSERT INTO strings_s.born (id, aa, ab, ac, ad, ae, af, ag, ah, ai, aj, ak) VALUES (1,'日','日','ä','l','m','o','p','q','r','s','t');
