-- config: gtid.ignore.on.recovery=true
-- config: converters=bool,sink,zero
-- config: bool.type=io.debezium.connector.mysql.converters.TinyIntOneToBooleanConverter
-- config: bool.selector=convs.flags.(?!plain).*
-- config: sink.type=io.debezium.connector.binlog.converters.JdbcSinkDataTypesConverter
-- config: sink.selector.boolean=convs.sink.b.*
-- config: sink.selector.real=convs.sink.r.*
-- config: sink.selector.string=convs.sink.s.*,convs.sink_choices.s.*
-- config: zero.type=io.debezium.connector.binlog.converters.ZeroDateFallbackConverter
-- config: zero.selector=convs.zero.*
-- config: zero.fallback.date=1970-01-01
-- config: zero.fallback.datetime=2000-01-02 03:04:05
-- config: zero.fallback.timestamp=1999-12-31T23:59:59Z
-- config: zero.column.convs.zero.d3.fallback=NULL
-- server: mysql
-- phase: before
CREATE DATABASE convs;
SET SESSION sql_mode='';
CREATE TABLE convs.flags (id INT PRIMARY KEY, a TINYINT(1), b TINYINT(1) NOT NULL DEFAULT 1, c TINYINT(1) UNSIGNED, d TINYINT, e BOOL NOT NULL, plain TINYINT(1), f TINYINT(1) DEFAULT 0, g TINYINT(1) DEFAULT NULL);
INSERT INTO convs.flags VALUES (1,1,0,1,1,1,1,1,1),(2,0,1,0,0,0,0,0,0),(3,NULL,1,NULL,NULL,1,NULL,NULL,NULL),(4,-1,5,200,-1,127,-1,2,3);
CREATE TABLE convs.sink (id INT PRIMARY KEY, b1 TINYINT(1), b2 INT, r1 REAL, r2 FLOAT NOT NULL, r3 DOUBLE, s1 VARCHAR(20), s2 TEXT NOT NULL, s3 VARCHAR(20) CHARACTER SET latin1);
CREATE TABLE convs.sink_choices (id INT PRIMARY KEY, s_e ENUM('a','b'), s_s SET('x','y','z'));
INSERT INTO convs.sink_choices VALUES (1,'b','x,z'),(2,NULL,NULL);
INSERT INTO convs.sink VALUES (1,1,5,1.5,2.5,3.5,'a','b','c'),(2,NULL,NULL,NULL,0,NULL,NULL,'',NULL),(3,0,-1,-1,1e10,0.1,'ü','😀','x');
CREATE TABLE convs.zero (id INT PRIMARY KEY, d DATE, d2 DATE NOT NULL, d3 DATE NOT NULL, dt DATETIME, dt2 DATETIME(6) NOT NULL, dt3 DATETIME(3), ts TIMESTAMP(3) NOT NULL, y YEAR);
INSERT INTO convs.zero VALUES (0,NULL,'2024-01-01','2024-01-01',NULL,'2024-01-01','0000-00-00','2024-01-01',NULL),(1,'2024-01-01','2024-01-01','2024-01-01','2024-01-01','2024-01-01 01:02:03.123456','2024-01-01 01:02:03.123','2024-01-01 01:02:03.12',2024),(2,'0000-00-00','0000-00-00','0000-00-00','0000-00-00','0000-00-00','0000-00-00','0000-00-00',0),(3,'2024-01-01','2024-01-01','2024-01-01',NULL,'2024-01-01','2024-01-01','2024-01-01',NULL);
SET SESSION sql_mode = DEFAULT;
-- phase: streaming
SET SESSION sql_mode='';
INSERT INTO convs.flags SELECT id+10,a,b,c,d,e,plain,f,g FROM convs.flags;
INSERT INTO convs.sink SELECT id+10,b1,b2,r1,r2,r3,s1,s2,s3 FROM convs.sink;
INSERT INTO convs.sink_choices SELECT id+10,s_e,s_s FROM convs.sink_choices;
UPDATE convs.sink_choices SET s_e='a', s_s='y';
INSERT INTO convs.zero SELECT id+10,d,d2,d3,dt,dt2,dt3,ts,y FROM convs.zero;
SET SESSION sql_mode=DEFAULT;
