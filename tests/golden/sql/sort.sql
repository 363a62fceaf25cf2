-- catalog: orders(id INT, name STRING, price DECIMAL, at TIMESTAMP, note STRING, supplier INT), suppliers(id INT, name STRING, country STRING), lines(order_id INT, sku STRING, count INT, tags)
-- dialect: spark

-- case: by a column
SELECT id FROM orders ORDER BY at;
--> reads orders
--> (result).id INT = orders.id IDENTITY
--> (result) rows: orders.at SORT

-- case: by an alias
SELECT price * 2 AS p FROM orders ORDER BY p;
--> reads orders
--> (result).p = orders.price TRANSFORMATION
--> (result) rows: orders.price SORT

-- case: by place
SELECT name, price FROM orders ORDER BY 2 DESC, 1;
--> reads orders
--> (result).name STRING = orders.name IDENTITY
--> (result).price DECIMAL = orders.price IDENTITY
--> (result) rows: orders.name SORT, orders.price SORT

-- case: by an expression
SELECT id FROM orders ORDER BY upper(name), price DESC;
--> reads orders
--> (result).id INT = orders.id IDENTITY
--> (result) rows: orders.name SORT, orders.price SORT

-- case: by an aggregate
SELECT name, sum(price) AS total FROM orders GROUP BY name ORDER BY sum(price);
--> reads orders
--> (result).name STRING = orders.name IDENTITY
--> (result).total = orders.price AGGREGATION
--> (result) rows: orders.name GROUP_BY, orders.price SORT

-- case: in a subquery with a limit
SELECT id FROM (SELECT id FROM orders ORDER BY price LIMIT 5) t;
--> reads orders
--> (result).id INT = orders.id IDENTITY
--> (result) rows: orders.price SORT

-- case: sort by and cluster by
SELECT id FROM orders SORT BY name;
--> reads orders
--> (result).id INT = orders.id IDENTITY
--> (result) rows: orders.name SORT

-- case: a union in order
SELECT id FROM orders UNION ALL SELECT id FROM suppliers ORDER BY id;
--> reads orders, suppliers
--> (result).id INT = orders.id IDENTITY, suppliers.id IDENTITY
--> (result) rows: orders.id SORT, suppliers.id SORT
