-- phase: before
CREATE DATABASE enum_commas;
CREATE TABLE enum_commas.t (id INT PRIMARY KEY, a ENUM('a,b','c','d,e,f'), b ENUM('x\\y','z'), c ENUM('a\nb','t\tt'), d ENUM('back\\,comma','p'), e ENUM('a,b','c') DEFAULT 'a,b', f ENUM('per%cent','under_score','semi;colon','(paren)','[b]'));
INSERT INTO enum_commas.t VALUES (1,'a,b','z','a\nb','back\\,comma','a,b','per%cent'),(2,'d,e,f','x\\y','t\tt','p','c','(paren)'),(3,'c',NULL,NULL,NULL,NULL,'semi;colon');
-- phase: streaming
INSERT INTO enum_commas.t SELECT id+10,a,b,c,d,e,f FROM enum_commas.t;
CREATE TABLE enum_commas.born (id INT PRIMARY KEY, a ENUM('a,b','c','d,e,f'), b ENUM('x\\y','z'), c ENUM('a\nb','t\tt'), d ENUM('back\\,comma','p'));
INSERT INTO enum_commas.born SELECT id,a,b,c,d FROM enum_commas.t;
