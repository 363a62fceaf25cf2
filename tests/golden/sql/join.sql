-- catalog: orders(id INT, name STRING, price DECIMAL, at TIMESTAMP, note STRING, supplier INT), suppliers(id INT, name STRING, country STRING), lines(order_id INT, sku STRING, count INT, tags)
-- dialect: spark

-- case: an inner join
SELECT o.name, s.country FROM orders o JOIN suppliers s ON o.supplier = s.id;
--> reads orders, suppliers
--> (result).name STRING = orders.name IDENTITY
--> (result).country STRING = suppliers.country IDENTITY
--> (result) rows: orders.supplier JOIN, suppliers.id JOIN

-- case: unqualified columns that only one table has
SELECT price, country FROM orders JOIN suppliers ON supplier = suppliers.id;
--> reads orders, suppliers
--> (result).price DECIMAL = orders.price IDENTITY
--> (result).country STRING = suppliers.country IDENTITY
--> (result) rows: orders.supplier JOIN, suppliers.id JOIN

-- case: an expression in the condition
SELECT o.id FROM orders o LEFT JOIN suppliers s ON upper(o.name) = s.name AND o.price > 1;
--> reads orders, suppliers
--> (result).id INT = orders.id IDENTITY
--> (result) rows: orders.name JOIN, orders.price JOIN, suppliers.name JOIN

-- case: using
SELECT id, price, country FROM orders JOIN suppliers USING (id);
--> reads orders, suppliers
--> (result).id INT = orders.id IDENTITY
--> (result).price DECIMAL = orders.price IDENTITY
--> (result).country STRING = suppliers.country IDENTITY
--> (result) rows: orders.id JOIN, suppliers.id JOIN

-- case: using, right and full
SELECT a.price, id FROM orders a RIGHT JOIN suppliers b USING (id);
--> reads orders, suppliers
--> (result).price DECIMAL = orders.price IDENTITY
--> (result).id INT = suppliers.id IDENTITY
--> (result) rows: orders.id JOIN, suppliers.id JOIN

-- case: full outer using is either
SELECT id FROM orders FULL OUTER JOIN suppliers USING (id);
--> reads orders, suppliers
--> (result).id INT = orders.id TRANSFORMATION CONDITIONAL, suppliers.id TRANSFORMATION CONDITIONAL
--> (result) rows: orders.id JOIN, suppliers.id JOIN

-- case: natural
SELECT price, country FROM orders NATURAL JOIN suppliers;
--> reads orders, suppliers
--> (result).price DECIMAL = orders.price IDENTITY
--> (result).country STRING = suppliers.country IDENTITY
--> (result) rows: orders.id JOIN, orders.name JOIN, suppliers.id JOIN, suppliers.name JOIN

-- case: a semi join
SELECT name FROM orders LEFT SEMI JOIN suppliers ON orders.supplier = suppliers.id;
--> reads orders, suppliers
--> (result).name STRING = orders.name IDENTITY
--> (result) rows: orders.supplier JOIN, suppliers.id JOIN

-- case: an anti join
SELECT orders.name FROM orders LEFT ANTI JOIN suppliers ON orders.supplier = suppliers.id;
--> reads orders, suppliers
--> (result).name STRING = orders.name IDENTITY
--> (result) rows: orders.supplier JOIN, suppliers.id JOIN

-- case: a cross join has no condition
SELECT o.id, s.id AS s_id FROM orders o CROSS JOIN suppliers s;
--> reads orders, suppliers
--> (result).id INT = orders.id IDENTITY
--> (result).s_id INT = suppliers.id IDENTITY

-- case: joins in parentheses
SELECT o.id, l.sku FROM (orders o JOIN lines l ON o.id = l.order_id);
--> reads orders, lines
--> (result).id INT = orders.id IDENTITY
--> (result).sku STRING = lines.sku IDENTITY
--> (result) rows: lines.order_id JOIN, orders.id JOIN

-- case: three tables
SELECT l.sku, s.country FROM orders o JOIN lines l ON o.id = l.order_id JOIN suppliers s ON s.id = o.supplier;
--> reads orders, lines, suppliers
--> (result).sku STRING = lines.sku IDENTITY
--> (result).country STRING = suppliers.country IDENTITY
--> (result) rows: lines.order_id JOIN, orders.id JOIN, orders.supplier JOIN, suppliers.id JOIN

-- case: a join of a subquery
SELECT o.id, t.n FROM orders o JOIN (SELECT order_id, sum(count) AS n FROM lines GROUP BY order_id) t ON t.order_id = o.id;
--> reads orders, lines
--> (result).id INT = orders.id IDENTITY
--> (result).n = lines.count AGGREGATION
--> (result) rows: lines.order_id GROUP_BY JOIN, orders.id JOIN
