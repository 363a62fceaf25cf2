-- catalog: orders(id INT, name STRING, price DECIMAL, at TIMESTAMP, note STRING, supplier INT), suppliers(id INT, name STRING, country STRING), lines(order_id INT, sku STRING, count INT, tags)
-- dialect: spark

-- case: one broken statement breaks no other
SELECT id FROM orders; SELECT FROM WHERE; SELECT name FROM suppliers;
--> reads orders
--> (result).id INT = orders.id IDENTITY
--> problem 1:36 syntax: Expected table name but got 'WHERE', near 'WHERE'.
--> reads suppliers
--> (result).name STRING = suppliers.name IDENTITY

-- case: a column that no table has
SELECT o.nothing FROM (SELECT id FROM orders) o;
--> reads orders
--> (result).nothing = nothing
--> problem 1:10 column: There is no column nothing in o.

-- case: a column that the catalog does not list
SELECT o.newer FROM orders o;
--> reads orders
--> (result).newer = orders.newer IDENTITY
--> problem 1:10 column: The catalog lists no column newer in orders.

-- case: an ambiguous column of listed tables
SELECT name FROM orders JOIN suppliers ON supplier = suppliers.id;
--> reads orders, suppliers
--> (result).name = orders.name? IDENTITY, suppliers.name? IDENTITY
--> (result) rows: orders.supplier JOIN, suppliers.id JOIN
--> problem 1:8 ambiguous: The column name may be of orders or suppliers.

-- case: an ambiguous column of unknown tables
SELECT a FROM t1 JOIN t2 ON t1.id = t2.id;
--> reads t1, t2
--> (result).a = t1.a? IDENTITY, t2.a? IDENTITY
--> (result) rows: t1.id JOIN, t2.id JOIN
--> problem 1:8 ambiguous: The column a may be of t1 or t2.

-- case: an ambiguous filter
SELECT t1.b FROM t1, t2 WHERE a = 1;
--> reads t1, t2
--> (result).b = t1.b IDENTITY
--> (result) rows: t1.a? FILTER, t2.a? FILTER
--> problem 1:31 ambiguous: The column a may be of t1 or t2.

-- case: a quote that is not closed
SELECT id FROM orders; SELECT 'x FROM orders;
--> reads orders
--> (result).id INT = orders.id IDENTITY
--> problem 1:24 syntax: A quote or a comment is not closed.

-- case: no statement
hello world;
--> problem 1:7 syntax: This is no statement.

-- case: a column of one known and one unknown table
SELECT price, other FROM orders JOIN unknown_table u ON u.id = orders.id;
--> reads orders, unknown_table
--> (result).price DECIMAL = orders.price IDENTITY
--> (result).other = unknown_table.other IDENTITY
--> (result) rows: orders.id JOIN, unknown_table.id JOIN
