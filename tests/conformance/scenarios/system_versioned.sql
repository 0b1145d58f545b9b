-- MariaDB's tables that keep their past, in columns that have names.
-- server: mariadb
-- phase: before
CREATE DATABASE versioned;
CREATE TABLE versioned.explicit (id INT PRIMARY KEY, v VARCHAR(10), began TIMESTAMP(6) GENERATED ALWAYS AS ROW START, ended TIMESTAMP(6) GENERATED ALWAYS AS ROW END, PERIOD FOR SYSTEM_TIME (began, ended)) WITH SYSTEM VERSIONING;
-- phase: streaming
INSERT INTO versioned.explicit (id, v) VALUES (3, 'd'), (4, 'e');
UPDATE versioned.explicit SET v = 'f' WHERE id = 3;
DELETE FROM versioned.explicit WHERE id = 4;
