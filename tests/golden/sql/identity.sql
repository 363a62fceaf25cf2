-- catalog: orders(id INT, name STRING, price DECIMAL, at TIMESTAMP, note STRING, supplier INT), suppliers(id INT, name STRING, country STRING), lines(order_id INT, sku STRING, count INT, tags)
-- dialect: spark

-- case: a column as it is
SELECT id FROM orders;
--> reads orders
--> (result).id INT = orders.id IDENTITY

-- case: a column under another name
SELECT price AS amount FROM orders;
--> reads orders
--> (result).amount DECIMAL = orders.price IDENTITY

-- case: qualified by an alias
SELECT o.id, o.name FROM orders AS o;
--> reads orders
--> (result).id INT = orders.id IDENTITY
--> (result).name STRING = orders.name IDENTITY

-- case: qualified by the table
SELECT orders.id FROM orders;
--> reads orders
--> (result).id INT = orders.id IDENTITY

-- case: parentheses change nothing
SELECT ((price)) AS price FROM orders;
--> reads orders
--> (result).price DECIMAL = orders.price IDENTITY

-- case: through a subquery
SELECT x FROM (SELECT price AS x FROM orders) t;
--> reads orders
--> (result).x DECIMAL = orders.price IDENTITY

-- case: through two subqueries
SELECT z FROM (SELECT y AS z FROM (SELECT price AS y FROM orders) a) b;
--> reads orders
--> (result).z DECIMAL = orders.price IDENTITY

-- case: a constant comes from nothing
SELECT 1 AS one, 'x' AS text, NULL AS none, id FROM orders;
--> reads orders
--> (result).one INT = nothing
--> (result).text STRING = nothing
--> (result).none = nothing
--> (result).id INT = orders.id IDENTITY

-- case: the greatest of two is one of them
SELECT greatest(id, supplier) AS g, least(id, supplier) AS l FROM orders;
--> reads orders
--> (result).g = orders.id IDENTITY, orders.supplier IDENTITY
--> (result).l = orders.id IDENTITY, orders.supplier IDENTITY

-- case: the same table twice
SELECT a.name AS one, b.name AS other FROM orders a, orders b;
--> reads orders
--> (result).one STRING = orders.name IDENTITY
--> (result).other STRING = orders.name IDENTITY
