-- catalog: orders(id INT, name STRING, price DECIMAL, at TIMESTAMP, note STRING, supplier INT), suppliers(id INT, name STRING, country STRING), lines(order_id INT, sku STRING, count INT, tags)
-- dialect: spark

-- case: a condition
SELECT id FROM orders WHERE price > 1;
--> reads orders
--> (result).id INT = orders.id IDENTITY
--> (result) rows: orders.price FILTER

-- case: several columns
SELECT id FROM orders WHERE price > 1 AND name LIKE 'a%' OR note IS NULL;
--> reads orders
--> (result).id INT = orders.id IDENTITY
--> (result) rows: orders.name FILTER, orders.note FILTER, orders.price FILTER

-- case: in a list
SELECT id FROM orders WHERE name IN ('a', 'b');
--> reads orders
--> (result).id INT = orders.id IDENTITY
--> (result) rows: orders.name FILTER

-- case: in a subquery
SELECT name FROM orders WHERE supplier IN (SELECT id FROM suppliers WHERE country = 'NZ');
--> reads orders, suppliers
--> (result).name STRING = orders.name IDENTITY
--> (result) rows: orders.supplier FILTER, suppliers.country FILTER, suppliers.id FILTER

-- case: exists
SELECT name FROM orders o WHERE EXISTS (SELECT 1 FROM suppliers s WHERE s.id = o.supplier);
--> reads orders, suppliers
--> (result).name STRING = orders.name IDENTITY
--> (result) rows: orders.supplier FILTER, suppliers.id FILTER

-- case: not exists
SELECT name FROM orders o WHERE NOT EXISTS (SELECT 1 FROM suppliers s WHERE s.id = o.supplier);
--> reads orders, suppliers
--> (result).name STRING = orders.name IDENTITY
--> (result) rows: orders.supplier FILTER, suppliers.id FILTER

-- case: a scalar subquery
SELECT name FROM orders WHERE price > (SELECT avg(price) FROM orders);
--> reads orders
--> (result).name STRING = orders.name IDENTITY
--> (result) rows: orders.price FILTER

-- case: between
SELECT name FROM orders WHERE price BETWEEN id AND supplier;
--> reads orders
--> (result).name STRING = orders.name IDENTITY
--> (result) rows: orders.id FILTER, orders.price FILTER, orders.supplier FILTER

-- case: a filter in a subquery decides about all
SELECT x FROM (SELECT name AS x FROM orders WHERE price > 1) t;
--> reads orders
--> (result).x STRING = orders.name IDENTITY
--> (result) rows: orders.price FILTER

-- case: a filter on a computed column
SELECT name FROM (SELECT name, price * id AS p FROM orders) t WHERE p > 1;
--> reads orders
--> (result).name STRING = orders.name IDENTITY
--> (result) rows: orders.id FILTER, orders.price FILTER
