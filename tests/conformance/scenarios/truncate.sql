-- config: provide.transaction.metadata=true
-- config: skipped.operations=none
-- config: tombstones.on.delete=false
-- phase: before
CREATE DATABASE trunc;
CREATE TABLE trunc.keyed (id INT PRIMARY KEY, v INT);
CREATE TABLE trunc.keyless (v INT);
INSERT INTO trunc.keyed VALUES (1, 1);
-- phase: streaming
TRUNCATE TABLE trunc.keyed;
INSERT INTO trunc.keyless VALUES (1);
TRUNCATE trunc.keyless;
INSERT INTO trunc.keyed VALUES (2, 2);
DELETE FROM trunc.keyed;
