-- phase: before
CREATE DATABASE many_statements;
CREATE TABLE many_statements.a (id INT PRIMARY KEY, v VARCHAR(20), d DECIMAL(10, 2));
CREATE TABLE many_statements.b (id INT PRIMARY KEY, a INT);
CREATE TABLE many_statements.no_key (id INT, v VARCHAR(20));
DELIMITER //
CREATE PROCEDURE many_statements.fill(first INT, past INT)
BEGIN
  DECLARE i INT DEFAULT first;
  START TRANSACTION;
  WHILE i < past DO
    INSERT INTO many_statements.a VALUES (i, CONCAT('row ', i), i / 4);
    INSERT INTO many_statements.b VALUES (i, i % 7), (i + 1000000, NULL);
    IF i % 5 = 0 THEN
      UPDATE many_statements.a SET v = CONCAT(v, '!'), d = NULL WHERE id = i;
    END IF;
    IF i % 7 = 0 THEN
      DELETE FROM many_statements.b WHERE a = 3;
    END IF;
    IF i % 11 = 0 THEN
      UPDATE many_statements.a SET id = id + 500000 WHERE id = i;
    END IF;
    IF i % 13 = 0 THEN
      UPDATE many_statements.a, many_statements.b SET v = 'both', b.a = 9 WHERE a.id = i AND b.id = i;
    END IF;
    IF i % 17 = 0 THEN
      INSERT INTO many_statements.no_key SELECT id, v FROM many_statements.a WHERE id > i - 40;
    END IF;
    SET i = i + 1;
  END WHILE;
  COMMIT;
END//
DELIMITER ;
-- phase: streaming
CALL many_statements.fill(1, 3);
CALL many_statements.fill(3, 40);
CALL many_statements.fill(40, 400);
INSERT INTO many_statements.no_key VALUES (-1, 'between');
CALL many_statements.fill(400, 1000);
DELETE FROM many_statements.b;
