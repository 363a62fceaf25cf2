-- catalog: orders(id INT, name STRING, price DECIMAL, at TIMESTAMP, note STRING, supplier INT), suppliers(id INT, name STRING, country STRING), lines(order_id INT, sku STRING, count INT, tags)
-- dialect: tsql

-- case: update by the alias of FROM
UPDATE t SET t.name = s.name FROM orders t JOIN suppliers s ON t.supplier = s.id;
--> reads suppliers
--> UPDATE orders
--> orders.name STRING = suppliers.name IDENTITY
--> orders rows: orders.supplier JOIN, suppliers.id JOIN

-- case: cross apply
SELECT o.id, t.c FROM orders o CROSS APPLY (SELECT s.country AS c FROM suppliers s WHERE s.id = o.supplier) t;
--> reads orders, suppliers
--> (result).id INT = orders.id IDENTITY
--> (result).c STRING = suppliers.country IDENTITY
--> (result) rows: orders.supplier FILTER, suppliers.id FILTER

-- case: a temporary table
SELECT id, name INTO #t FROM orders;
INSERT INTO archive SELECT name FROM #t;
--> reads orders
--> CREATE #t (temporary)
--> #t.id INT = orders.id IDENTITY
--> #t.name STRING = orders.name IDENTITY
--> reads orders
--> INSERT archive
--> archive.name STRING = orders.name IDENTITY

-- case: a procedure's statements, as if they ran
CREATE PROCEDURE p AS BEGIN INSERT INTO archive SELECT id FROM orders; END
--> reads orders
--> INSERT archive
--> archive.id INT = orders.id IDENTITY

-- case: quoted names
SELECT [o].[name] AS [n] FROM [orders] AS [o];
--> reads orders
--> (result).n STRING = orders.name IDENTITY
