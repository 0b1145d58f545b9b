-- config: signal.data.collection=scsi.signals
-- config: table.include.list=scsi\.[ab]
-- phase: before
CREATE DATABASE scsi;
CREATE TABLE scsi.signals (id VARCHAR(42) PRIMARY KEY, type VARCHAR(32) NOT NULL, data TEXT NULL);
CREATE TABLE scsi.a (id INT PRIMARY KEY, v VARCHAR(9));
CREATE TABLE scsi.b (id INT PRIMARY KEY);
CREATE TABLE scsi.other (id INT PRIMARY KEY);
INSERT INTO scsi.a VALUES (1, 'a');
-- phase: streaming
INSERT INTO scsi.a VALUES (2, 'b');
INSERT INTO scsi.signals VALUES ('alter', 'schema-changes', '{"database": "scsi", "schema": null, "changes": [{"type": "ALTER", "id": "\\"scsi\\".\\"a\\"", "table": {"defaultCharsetName": "utf8mb4", "primaryKeyColumnNames": ["id"], "comment": "by a signal", "columns": [{"name": "id", "jdbcType": 4, "typeName": "INT", "typeExpression": "INT", "position": 1, "optional": false, "autoIncremented": false, "generated": false}, {"name": "renamed", "jdbcType": 12, "typeName": "VARCHAR", "typeExpression": "VARCHAR", "charsetName": "utf8mb4", "length": 9, "position": 2, "optional": true, "autoIncremented": false, "generated": false, "hasDefaultValue": true, "defaultValueExpression": "x", "comment": "c"}], "attributes": []}}]}');
INSERT INTO scsi.a VALUES (3, 'c');
START TRANSACTION;
INSERT INTO scsi.a VALUES (4, 'd');
INSERT INTO scsi.signals VALUES ('log', 'log', '{"message": "m"}'), ('inside', 'schema-changes', '{"database": "scsi", "changes": [{"type": "CREATE", "id": "scsi.a", "table": {"defaultCharsetName": "utf8mb4", "primaryKeyColumnNames": ["id"], "columns": [{"name": "id", "jdbcType": 4, "typeName": "INT", "typeExpression": "INT", "position": 1, "optional": false, "autoIncremented": false, "generated": false}, {"name": "inside", "jdbcType": 12, "typeName": "VARCHAR", "typeExpression": "VARCHAR", "charsetName": "utf8mb4", "length": 9, "position": 2, "optional": true, "autoIncremented": false, "generated": false, "enumValues": []}]}}, {"type": "DROP", "id": "\\"scsi\\".\\"b\\""}]}'), ('none', 'schema-changes', '{}');
INSERT INTO scsi.a VALUES (5, 'e');
COMMIT;
INSERT INTO scsi.signals VALUES ('database', 'schema-changes', '{"changes": [{"type": "DROP", "id": "scsi.a"}]}');
INSERT INTO scsi.signals VALUES ('empty', 'schema-changes', '{"database": "scsi", "changes": []}');
INSERT INTO scsi.signals VALUES ('kind', 'schema-changes', '{"database": "scsi", "changes": [{"type": "NONE", "id": "scsi.a"}]}');
INSERT INTO scsi.signals VALUES ('lacking', 'schema-changes', '{"database": "scsi", "changes": [{"type": "ALTER", "id": "scsi.a", "table": {"columns": [{"name": "id"}]}}]}');
INSERT INTO scsi.signals VALUES ('text', 'schema-changes', '{"database": "scsi", "changes": "all"}');
INSERT INTO scsi.signals VALUES ('other', 'schema-changes', '{"database": "elsewhere", "schema": "s", "changes": [{"type": "CREATE", "id": "\\"scsi\\".\\"other\\"", "table": {"primaryKeyColumnNames": [], "columns": [{"name": "n", "jdbcType": 4, "typeName": "INT", "typeExpression": "INT", "position": 1, "optional": true, "autoIncremented": false, "generated": false}]}}]}');
INSERT INTO scsi.signals VALUES ('unknown', 'schema-changes', '{"database": "scsi", "changes": [{"type": "DROP", "id": "scsi.nothing"}, {"type": "ALTER", "id": "scsi.a", "previousId": "scsi.old", "table": {"primaryKeyColumnNames": ["id"], "columns": [{"name": "id", "jdbcType": 4, "typeName": "INT", "typeExpression": "INT", "position": 1, "optional": false, "autoIncremented": false, "generated": false}, {"name": "last", "jdbcType": 12, "typeName": "VARCHAR", "typeExpression": "VARCHAR", "charsetName": "utf8mb4", "length": 9, "position": 2, "optional": true, "autoIncremented": false, "generated": false}]}}]}');
INSERT INTO scsi.a VALUES (6, 'f');
-- phase: offline
INSERT INTO scsi.a VALUES (7, 'g');
