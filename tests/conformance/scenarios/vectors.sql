-- server: mysql
-- phase: before
CREATE DATABASE vectors;
CREATE TABLE vectors.t (id INT PRIMARY KEY, v VECTOR(3), w VECTOR, n VECTOR(1) NOT NULL);
INSERT INTO vectors.t VALUES (1,TO_VECTOR('[1.5,-2.25,3e10]'),TO_VECTOR('[1]'),TO_VECTOR('[0]')),(2,NULL,NULL,TO_VECTOR('[-1e-30]')),(3,TO_VECTOR('[0.1,0.2,0.3]'),TO_VECTOR('[3e37,1e-30,0.333333,16777217]'),TO_VECTOR('[1]'));
-- phase: streaming
INSERT INTO vectors.t SELECT id+10,v,w,n FROM vectors.t;
CREATE TABLE vectors.big (id INT PRIMARY KEY, v VECTOR(2048));
INSERT INTO vectors.big VALUES (1, STRING_TO_VECTOR(CONCAT('[', REPEAT('0.5,', 2047), '1]')));
UPDATE vectors.t SET v = TO_VECTOR('[9,9]') WHERE id = 1;
