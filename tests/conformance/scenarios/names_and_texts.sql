-- only: json
-- phase: before
CREATE DATABASE names_t CHARACTER SET utf8mb4;
USE names_t;
CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(30) DEFAULT 'a"b' COMMENT 'back`tick; semi', w VARCHAR(30) DEFAULT '`x`', u TEXT) COMMENT '-- not /* a */ comment #';
INSERT INTO t VALUES (1, '\0\n\r\b\Z\\\'\"', '𝒳 \u0041 %s', 'line1\nline2');
CREATE TABLE `a``b"c'd` (`1` INT PRIMARY KEY, `a b.c` INT, `sélect` INT);
INSERT INTO `a``b"c'd` VALUES (1, 2, 3);
CREATE TABLE `UPPER.dot` (`Id` INT PRIMARY KEY);
INSERT INTO `UPPER.dot` VALUES (1);
CREATE TABLE `名前` (`キー` INT PRIMARY KEY, `値` VARCHAR(10));
INSERT INTO `名前` VALUES (1, '値');
CREATE TABLE `-` (`-` INT PRIMARY KEY);
INSERT INTO `-` VALUES (1);
CREATE TABLE `a-b` (id INT PRIMARY KEY);
CREATE TABLE `a.b` (id INT PRIMARY KEY);
INSERT INTO `a-b` VALUES (1);
INSERT INTO `a.b` VALUES (1);
-- phase: streaming
USE names_t;
INSERT INTO t VALUES (2, '\0\n\r\b\Z\\\'\"', '𝒳 \u0041 %s', 'line1\nline2');
UPDATE t SET u = CONCAT('tab\t', CHAR(1), CHAR(31), CHAR(127), _utf8mb4 0xE280A8, _utf8mb4 0xC285, '</script>');
INSERT INTO `a``b"c'd` VALUES (2, 2, 3);
ALTER TABLE `a``b"c'd` ADD COLUMN `q'"z` INT COMMENT 'it''s "q" `b` \\ \n x';
INSERT INTO `a``b"c'd` VALUES (3, 2, 3, 4);
RENAME TABLE `a``b"c'd` TO `x.y z`;
INSERT INTO `x.y z` VALUES (4, 2, 3, 4);
ALTER TABLE `x.y z` RENAME `e"f`;
INSERT INTO `e"f` VALUES (5, 2, 3, 4);
DROP TABLE `e"f`;
INSERT INTO `UPPER.dot` VALUES (2);
INSERT INTO `名前` VALUES (2, '𠮷');
ALTER TABLE `名前` ADD COLUMN `追加` INT DEFAULT 3 COMMENT 'コメント';
INSERT INTO `名前` (`キー`) VALUES (3);
INSERT INTO `-` VALUES (2);
INSERT INTO `a-b` VALUES (2);
INSERT INTO `a.b` VALUES (2);
ALTER TABLE `a-b` ADD v INT;
UPDATE `a-b` SET v = 1;
TRUNCATE TABLE `a.b`;
DROP TABLE `a-b`, `a.b`, `UPPER.dot`;
CREATE TABLE t2 (
  id INT NOT NULL,		-- tab and comment
  v VARCHAR(20) DEFAULT 'multi
line',
  PRIMARY KEY (id)
) COMMENT='multi
line';
INSERT INTO t2 (id) VALUES (1);
ALTER TABLE t2
	ADD COLUMN w INT
	,ADD COLUMN x INT;
INSERT INTO t2 (id) VALUES (2);
-- phase: offline
INSERT INTO names_t.t2 (id) VALUES (3);
DROP TABLE names_t.`名前`;
CREATE TABLE names_t.`名前` (id INT);
INSERT INTO names_t.`名前` VALUES (3);
