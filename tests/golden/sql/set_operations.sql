-- catalog: orders(id INT, name STRING, price DECIMAL, at TIMESTAMP, note STRING, supplier INT), suppliers(id INT, name STRING, country STRING), lines(order_id INT, sku STRING, count INT, tags)
-- dialect: spark

-- case: union all
SELECT id AS i, name AS n FROM orders WHERE price > 1 UNION ALL SELECT id, name FROM suppliers;
--> reads orders, suppliers
--> (result).i INT = orders.id IDENTITY, suppliers.id IDENTITY
--> (result).n STRING = orders.name IDENTITY, suppliers.name IDENTITY
--> (result) rows: orders.price FILTER

-- case: union removes duplicates
SELECT name FROM orders UNION SELECT name FROM suppliers;
--> reads orders, suppliers
--> (result).name STRING = orders.name IDENTITY, suppliers.name IDENTITY
--> (result) rows: orders.name GROUP_BY, suppliers.name GROUP_BY

-- case: except
SELECT id FROM orders EXCEPT SELECT id FROM suppliers;
--> reads orders, suppliers
--> (result).id INT = orders.id IDENTITY
--> (result) rows: orders.id FILTER, suppliers.id FILTER

-- case: intersect
SELECT name FROM orders INTERSECT SELECT name FROM suppliers;
--> reads orders, suppliers
--> (result).name STRING = orders.name IDENTITY
--> (result) rows: orders.name FILTER, suppliers.name FILTER

-- case: three
SELECT id FROM orders UNION ALL SELECT id FROM suppliers UNION ALL SELECT order_id FROM lines;
--> reads orders, suppliers, lines
--> (result).id INT = orders.id IDENTITY, suppliers.id IDENTITY, lines.order_id IDENTITY

-- case: a union in a subquery
SELECT upper(n) AS u FROM (SELECT name AS n FROM orders UNION ALL SELECT name FROM suppliers) t;
--> reads orders, suppliers
--> (result).u STRING = orders.name TRANSFORMATION, suppliers.name TRANSFORMATION

-- case: a union and an aggregate
SELECT n, count(*) AS c FROM (SELECT name AS n FROM orders UNION ALL SELECT name FROM suppliers) t GROUP BY n;
--> reads orders, suppliers
--> (result).n STRING = orders.name IDENTITY, suppliers.name IDENTITY
--> (result).c BIGINT = nothing
--> (result) rows: orders.name GROUP_BY, suppliers.name GROUP_BY
