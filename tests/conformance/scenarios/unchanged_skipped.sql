-- config: skip.messages.without.change=true
-- config: column.exclude.list=unch\.t\.(secret|k2)
-- config: include.query=true
-- config: provide.transaction.metadata=true
-- config: tombstones.on.delete=false
-- config: snapshot.max.threads=3
-- config: table.exclude.list=kept\.x.*
-- config: schema.history.internal.store.only.captured.tables.ddl=true
-- config: schema.history.internal.skip.unparseable.ddl=true
-- config: inconsistent.schema.handling.mode=skip
-- config: event.processing.failure.handling.mode=warn
-- phase: before
CREATE DATABASE unch;
CREATE TABLE unch.t (id INT PRIMARY KEY, v INT, secret INT, k2 INT);
INSERT INTO unch.t VALUES (1,1,1,1),(2,2,2,2),(3,3,3,3);
-- phase: streaming
UPDATE unch.t SET secret = secret + 1;
UPDATE unch.t SET secret = secret + 1, v = IF(id = 2, 9, v);
UPDATE unch.t SET v = 5;
BEGIN;
UPDATE unch.t SET secret = 0;
INSERT INTO unch.t VALUES (4,4,4,4);
UPDATE unch.t SET secret = 7 WHERE id = 4;
COMMIT;
DELETE FROM unch.t WHERE id = 3;
