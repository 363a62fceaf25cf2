-- catalog: orders(id INT, name STRING, price DECIMAL, at TIMESTAMP, note STRING, supplier INT), suppliers(id INT, name STRING, country STRING), lines(order_id INT, sku STRING, count INT, tags)
-- dialect: spark

-- case: a scalar subquery
SELECT id, (SELECT max(country) FROM suppliers) AS c FROM orders;
--> reads orders, suppliers
--> (result).id INT = orders.id IDENTITY
--> (result).c = suppliers.country AGGREGATION

-- case: a correlated one
SELECT id, (SELECT max(country) FROM suppliers s WHERE s.id = o.supplier) AS c FROM orders o;
--> reads orders, suppliers
--> (result).id INT = orders.id IDENTITY
--> (result).c = suppliers.country AGGREGATION, orders.supplier FILTER, suppliers.id FILTER

-- case: a name of the outer query
SELECT id FROM orders o WHERE EXISTS (SELECT 1 FROM suppliers s WHERE s.name = note);
--> reads orders, suppliers
--> (result).id INT = orders.id IDENTITY
--> (result) rows: orders.note FILTER, suppliers.name FILTER

-- case: lateral
SELECT o.id, t.c FROM orders o, LATERAL (SELECT country AS c FROM suppliers s WHERE s.id = o.supplier) t;
--> reads orders, suppliers
--> (result).id INT = orders.id IDENTITY
--> (result).c STRING = suppliers.country IDENTITY
--> (result) rows: orders.supplier FILTER, suppliers.id FILTER

-- case: values
SELECT a, b FROM (VALUES (1, 'x'), (2, 'y')) AS t (a, b);
--> (result).a = nothing
--> (result).b = nothing

-- case: names for columns
SELECT a, b FROM (SELECT id, name FROM orders) AS t (a, b);
--> reads orders
--> (result).a INT = orders.id IDENTITY
--> (result).b STRING = orders.name IDENTITY

-- case: a subquery in a list
SELECT id, name IN (SELECT name FROM suppliers) AS is_supplier FROM orders;
--> reads orders, suppliers
--> (result).id INT = orders.id IDENTITY
--> (result).is_supplier BOOLEAN = orders.name TRANSFORMATION, suppliers.name TRANSFORMATION
