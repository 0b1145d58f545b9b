-- What gh-ost and pt-online-schema-change write: helper tables, copies in chunks, atomic swaps.
-- phase: before
CREATE DATABASE migrated;
CREATE TABLE migrated.t (id INT PRIMARY KEY AUTO_INCREMENT, v VARCHAR(20), n INT UNSIGNED DEFAULT 3, KEY by_v (v));
INSERT INTO migrated.t (v) VALUES ('a'), ('b'), ('c'), ('d');
CREATE TABLE migrated.p (id INT PRIMARY KEY, v VARCHAR(20));
INSERT INTO migrated.p VALUES (1, 'a'), (2, 'b');
-- phase: streaming
create /* gh-ost */ table `migrated`.`_t_ghc` (
			id bigint unsigned auto_increment,
			last_update timestamp not null DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP,
			hint varchar(64) charset ascii not null,
			value varchar(4096) charset ascii not null,
			primary key(id),
			unique key hint_uidx(hint)
		) auto_increment=256 comment='{"id":1}';
create /* gh-ost */ table `migrated`.`_t_gho` like `migrated`.`t`;
alter /* gh-ost */ table `migrated`.`_t_gho` add column w DECIMAL(10,2) NOT NULL DEFAULT 1.5 AFTER id, modify v VARCHAR(40);
insert /* gh-ost */ into `migrated`.`_t_ghc` (id, hint, value) values (1, 'state', 'GhostTableMigrated') on duplicate key update value = values(value);
UPDATE migrated.t SET v = 'changed' WHERE id = 2;
insert /* gh-ost `migrated`.`t` */ ignore into `migrated`.`_t_gho` (`id`, `v`, `n`) (select `id`, `v`, `n` from `migrated`.`t` force index (`PRIMARY`) where (((`id` > 0)) and ((`id` < 3) or ((`id` = 3)))) lock in share mode);
DELETE FROM migrated.t WHERE id = 1;
delete /* gh-ost `migrated`.`_t_gho` */ from `migrated`.`_t_gho` where ((`id` = 1));
INSERT INTO migrated.t (v, n) VALUES ('e', 9);
replace /* gh-ost `migrated`.`_t_gho` */ into `migrated`.`_t_gho` (`id`, `v`, `n`) values (5, 'e', 9);
insert /* gh-ost `migrated`.`t` */ ignore into `migrated`.`_t_gho` (`id`, `v`, `n`) (select `id`, `v`, `n` from `migrated`.`t` where id > 3 lock in share mode);
create /* gh-ost */ table `migrated`.`_t_del` (
			id int auto_increment primary key
		) engine=InnoDB comment='ghost-cut-over-sentry';
drop /* gh-ost */ table if exists `migrated`.`_t_del`;
rename /* gh-ost */ table `migrated`.`t` to `migrated`.`_t_del`, `migrated`.`_t_gho` to `migrated`.`t`;
INSERT INTO migrated.t (v, n, w) VALUES ('new', 1, 2.25);
UPDATE migrated.t SET w = 3 WHERE id = 2;
DELETE FROM migrated.t WHERE id = 3;
INSERT INTO migrated._t_del (v) VALUES ('late');
drop /* gh-ost */ table if exists `migrated`.`_t_ghc`;
drop /* gh-ost */ table if exists `migrated`.`_t_del`;
CREATE TABLE `migrated`.`_p_new` (
  `id` int NOT NULL,
  `v` varchar(20) DEFAULT NULL,
  PRIMARY KEY (`id`)
);
ALTER TABLE `migrated`.`_p_new` ADD COLUMN w INT NOT NULL DEFAULT 7;
DELIMITER //
CREATE TRIGGER `migrated`.`pt_osc_migrated_p_upd` AFTER UPDATE ON `migrated`.`p` FOR EACH ROW BEGIN
  DELETE IGNORE FROM `migrated`.`_p_new` WHERE !(OLD.`id` <=> NEW.`id`) AND `migrated`.`_p_new`.`id` <=> OLD.`id`;
  REPLACE INTO `migrated`.`_p_new` (`id`, `v`) VALUES (NEW.`id`, NEW.`v`);
END //
DELIMITER ;
CREATE TRIGGER `migrated`.`pt_osc_migrated_p_ins` AFTER INSERT ON `migrated`.`p` FOR EACH ROW REPLACE INTO `migrated`.`_p_new` (`id`, `v`) VALUES (NEW.`id`, NEW.`v`);
UPDATE migrated.p SET v = 'B' WHERE id = 2;
INSERT LOW_PRIORITY IGNORE INTO `migrated`.`_p_new` (`id`, `v`) SELECT `id`, `v` FROM `migrated`.`p` LOCK IN SHARE MODE /*pt-online-schema-change 1 copy table*/;
INSERT INTO migrated.p VALUES (3, 'c');
UPDATE migrated.p SET id = 4 WHERE id = 1;
ANALYZE TABLE `migrated`.`_p_new` /* pt-online-schema-change */;
RENAME TABLE `migrated`.`p` TO `migrated`.`_p_old`, `migrated`.`_p_new` TO `migrated`.`p`;
DROP TABLE IF EXISTS `migrated`.`_p_old`;
DROP TRIGGER IF EXISTS `migrated`.`pt_osc_migrated_p_upd`;
DROP TRIGGER IF EXISTS `migrated`.`pt_osc_migrated_p_ins`;
INSERT INTO migrated.p VALUES (5, 'd', 8);
RENAME TABLE migrated.t TO migrated.third, migrated.p TO migrated.t, migrated.third TO migrated.p;
INSERT INTO migrated.t VALUES (6, 'was p', 9);
INSERT INTO migrated.p (v) VALUES ('was t');
-- phase: offline
INSERT INTO migrated.t VALUES (7, 'offline', 10);
RENAME TABLE migrated.t TO migrated.third, migrated.p TO migrated.t, migrated.third TO migrated.p;
INSERT INTO migrated.t (v) VALUES ('is t again');
INSERT INTO migrated.p VALUES (8, 'is p again', 11);
