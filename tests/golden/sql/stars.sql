-- catalog: orders(id INT, name STRING, price DECIMAL, at TIMESTAMP, note STRING, supplier INT), suppliers(id INT, name STRING, country STRING), lines(order_id INT, sku STRING, count INT, tags)
-- dialect: bigquery

-- case: all columns
SELECT * FROM suppliers;
--> reads suppliers
--> (result).id INT = suppliers.id IDENTITY
--> (result).name STRING = suppliers.name IDENTITY
--> (result).country STRING = suppliers.country IDENTITY

-- case: of one table of two
SELECT s.*, o.price FROM orders o JOIN suppliers s ON s.id = o.supplier;
--> reads orders, suppliers
--> (result).id INT = suppliers.id IDENTITY
--> (result).name STRING = suppliers.name IDENTITY
--> (result).country STRING = suppliers.country IDENTITY
--> (result).price DECIMAL = orders.price IDENTITY
--> (result) rows: orders.supplier JOIN, suppliers.id JOIN

-- case: except
SELECT * EXCEPT (country) FROM suppliers;
--> reads suppliers
--> (result).id INT = suppliers.id IDENTITY
--> (result).name STRING = suppliers.name IDENTITY

-- case: replace
SELECT * REPLACE (lower(name) AS name) FROM suppliers;
--> reads suppliers
--> (result).id INT = suppliers.id IDENTITY
--> (result).name = suppliers.name TRANSFORMATION
--> (result).country STRING = suppliers.country IDENTITY

-- case: of a subquery
SELECT * FROM (SELECT id, upper(name) AS n FROM suppliers);
--> reads suppliers
--> (result).id INT = suppliers.id IDENTITY
--> (result).n STRING = suppliers.name TRANSFORMATION

-- case: of a table that nobody has listed
SELECT * FROM unknown_table;
--> reads unknown_table
--> (result).* = unknown_table.* IDENTITY
--> problem 1:1 star: The columns of unknown_table are not known: `*` is not expanded.

-- case: a column through a star that is not expanded
SELECT a, b + 1 AS c FROM (SELECT * FROM unknown_table);
--> reads unknown_table
--> (result).a = unknown_table.a IDENTITY
--> (result).c = unknown_table.b TRANSFORMATION

-- case: two tables of which nobody has listed the columns
SELECT a.* FROM t1 a JOIN t2 b ON a.id = b.id;
--> reads t1, t2
--> (result).* = t1.* IDENTITY
--> (result) rows: t1.id JOIN, t2.id JOIN
--> problem 1:1 star: The columns of t1 are not known: `*` is not expanded.

-- case: a structure's fields
SELECT STRUCT(id AS a, name AS b).b AS x FROM suppliers;
--> reads suppliers
--> (result).x = suppliers.name IDENTITY

-- case: elements of an array
SELECT sku, tag FROM lines, UNNEST(tags) AS tag;
--> reads lines
--> (result).sku STRING = lines.sku IDENTITY
--> (result).tag = lines.tags TRANSFORMATION

-- case: elements with their places
SELECT tag, place FROM lines, UNNEST(tags) AS tag WITH OFFSET AS place;
--> reads lines
--> (result).tag = lines.tags TRANSFORMATION
--> (result).place = nothing

-- case: an array from a query
SELECT ARRAY(SELECT name FROM suppliers) AS names;
--> reads suppliers
--> (result).names = suppliers.name TRANSFORMATION

-- case: a field of a column
SELECT o.details.customer.name AS customer FROM unknown_orders o;
--> reads unknown_orders
--> (result).customer = unknown_orders.details.customer.name IDENTITY
