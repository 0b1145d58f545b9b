-- config: topic.delimiter=_
-- config: topic.key.enforce.uniqueness=false
-- config: provide.transaction.metadata=true
-- config: unavailable.value.placeholder=not-there
-- config: snapshot.locking.mode=none
-- config: snapshot.fetch.size=3
-- config: max.batch.size=2
-- config: max.queue.size=8
-- phase: before
CREATE DATABASE delimited;
CREATE TABLE delimited.a_b (id INT PRIMARY KEY, v VARCHAR(10));
CREATE TABLE delimited.`c.d` (id INT, v TEXT);
INSERT INTO delimited.a_b VALUES (1,'a'), (2,'b'), (3,'c'), (4,'d'), (5,NULL);
INSERT INTO delimited.`c.d` VALUES (1,'x');
-- phase: streaming
UPDATE delimited.a_b SET v = CONCAT(v, '!') WHERE id < 4;
UPDATE delimited.a_b SET id = id + 10 ORDER BY id DESC;
DELETE FROM delimited.`c.d`;
BEGIN;
INSERT INTO delimited.a_b VALUES (100,'p');
REPLACE INTO delimited.a_b VALUES (100,'q'), (101,'r');
INSERT INTO delimited.a_b VALUES (101,'s') ON DUPLICATE KEY UPDATE v = 't';
SAVEPOINT one;
DELETE FROM delimited.a_b WHERE id = 100;
ROLLBACK TO SAVEPOINT one;
COMMIT;
CREATE TABLE delimited.`e-f` (id INT PRIMARY KEY);
INSERT INTO delimited.`e-f` VALUES (1);
TRUNCATE TABLE delimited.a_b;
