-- config: snapshot.locking.mode=none
-- config: snapshot.select.statement.overrides=orders
-- config: snapshot.select.statement.overrides.orders=SELECT * FROM unlocked.orders WHERE id > 100
-- phase: before
CREATE DATABASE unlocked;
CREATE TABLE unlocked.customers (id INT PRIMARY KEY, name VARCHAR(10));
CREATE TABLE unlocked.orders (id INT PRIMARY KEY, customer INT);
CREATE TABLE unlocked.addresses (id INT PRIMARY KEY);
CREATE TABLE unlocked.products (id INT PRIMARY KEY);
CREATE TABLE unlocked.products_on_hand (id INT PRIMARY KEY);
CREATE TABLE unlocked.`Geom` (id INT PRIMARY KEY);
INSERT INTO unlocked.customers VALUES (1, 'a');
INSERT INTO unlocked.orders VALUES (1, 1), (101, 1), (102, 1);
INSERT INTO unlocked.products VALUES (1);
CREATE DATABASE unlocked_too;
CREATE TABLE unlocked_too.b (id INT PRIMARY KEY);
CREATE TABLE unlocked_too.a (id INT PRIMARY KEY);
CREATE TABLE unlocked_too.c (id INT PRIMARY KEY);
-- phase: streaming
INSERT INTO unlocked.orders VALUES (2, 1);
INSERT INTO unlocked_too.a VALUES (1);
