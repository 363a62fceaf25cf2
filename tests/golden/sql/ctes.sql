-- catalog: orders(id INT, name STRING, price DECIMAL, at TIMESTAMP, note STRING, supplier INT), suppliers(id INT, name STRING, country STRING), lines(order_id INT, sku STRING, count INT, tags)
-- dialect: spark

-- case: one
WITH t AS (SELECT id, price FROM orders) SELECT price FROM t;
--> reads orders
--> (result).price DECIMAL = orders.price IDENTITY

-- case: a chain
WITH t AS (SELECT id AS i, price FROM orders WHERE at IS NOT NULL), u AS (SELECT i, price * 2 AS p FROM t) SELECT a.p, b.price FROM u a JOIN t b ON a.i = b.i;
--> reads orders
--> (result).p = orders.price TRANSFORMATION
--> (result).price DECIMAL = orders.price IDENTITY
--> (result) rows: orders.at FILTER, orders.id JOIN

-- case: named columns
WITH t (a, b) AS (SELECT id, name FROM orders) SELECT b FROM t;
--> reads orders
--> (result).b STRING = orders.name IDENTITY

-- case: one that nobody uses is read all the same
WITH t AS (SELECT id FROM orders), u AS (SELECT id FROM suppliers) SELECT id FROM t;
--> reads orders, suppliers
--> (result).id INT = orders.id IDENTITY

-- case: inside a subquery
SELECT x FROM (WITH t AS (SELECT id AS x FROM orders) SELECT x FROM t) s;
--> reads orders
--> (result).x INT = orders.id IDENTITY

-- case: recursive
WITH RECURSIVE t (n, name) AS (SELECT id, name FROM orders WHERE id = 1 UNION ALL SELECT t.n + 1, o.name FROM t JOIN orders o ON o.supplier = t.n) SELECT n, name FROM t;
--> reads orders
--> (result).n INT = orders.id TRANSFORMATION
--> (result).name STRING = orders.name IDENTITY
--> (result) rows: orders.id FILTER JOIN, orders.supplier JOIN

-- case: one of a table's name hides it
WITH orders AS (SELECT id AS x FROM suppliers) SELECT x FROM orders;
--> reads suppliers
--> (result).x INT = suppliers.id IDENTITY

-- case: one of the same name as the one before
WITH t AS (SELECT id FROM orders), t AS (SELECT id FROM t) SELECT id FROM t;
--> reads orders
--> (result).id INT = orders.id IDENTITY

-- case: of nothing but itself
WITH RECURSIVE r AS (SELECT * FROM r) SELECT * FROM r;
--> problem 1:29 recursive: r is made of itself alone.
