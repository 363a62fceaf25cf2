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

-- case: deleted rows into another table
DELETE o OUTPUT deleted.id, deleted.price * 2 INTO dbo.archive (id, twice) FROM orders AS o WHERE o.price < 0;
--> reads orders
--> DELETE orders
--> orders rows: orders.price FILTER
--> INSERT dbo.archive
--> dbo.archive.id INT = orders.id IDENTITY
--> dbo.archive.twice = orders.price TRANSFORMATION
--> dbo.archive rows: orders.price FILTER

-- case: deleted rows, before WHERE
DELETE TOP (10) FROM orders OUTPUT deleted.* INTO [my db].dbo.archive WHERE price < 0;
--> reads orders
--> DELETE orders
--> orders rows: orders.price FILTER
--> INSERT my db.dbo.archive
--> my db.dbo.archive.id INT = orders.id IDENTITY
--> my db.dbo.archive.name STRING = orders.name IDENTITY
--> my db.dbo.archive.price DECIMAL = orders.price IDENTITY
--> my db.dbo.archive.at TIMESTAMP = orders.at IDENTITY
--> my db.dbo.archive.note STRING = orders.note IDENTITY
--> my db.dbo.archive.supplier INT = orders.supplier IDENTITY
--> my db.dbo.archive rows: orders.price FILTER

-- case: old and new values
UPDATE orders SET name = s.name OUTPUT deleted.name, inserted.name, inserted.note, s.country INTO names (old, new, note, country) FROM orders JOIN suppliers s ON s.id = orders.supplier;
--> reads suppliers, orders
--> UPDATE orders
--> orders.name STRING = suppliers.name IDENTITY
--> orders rows: orders.supplier JOIN, suppliers.id JOIN
--> INSERT names
--> names.old STRING = orders.name IDENTITY
--> names.new = suppliers.name IDENTITY
--> names.note STRING = orders.note IDENTITY
--> names.country STRING = suppliers.country IDENTITY
--> names rows: orders.supplier JOIN, suppliers.id JOIN

-- case: inserted rows
INSERT INTO suppliers (id, name) OUTPUT inserted.id, 'new' INTO log (id, what) SELECT supplier, upper(note) FROM orders;
--> reads orders
--> INSERT suppliers
--> suppliers.id INT = orders.supplier IDENTITY
--> suppliers.name STRING = orders.note TRANSFORMATION
--> INSERT log
--> log.id INT = orders.supplier IDENTITY
--> log.what VARCHAR(MAX) = nothing

-- case: what a merge did
MERGE INTO suppliers USING orders o ON suppliers.id = o.supplier WHEN MATCHED THEN UPDATE SET name = o.name WHEN NOT MATCHED THEN INSERT (id, name) VALUES (o.supplier, o.note)
OUTPUT $action, inserted.name, deleted.country INTO log (what, name, country);
--> reads orders, suppliers
--> MERGE suppliers
--> suppliers.name STRING = orders.name IDENTITY, orders.note IDENTITY
--> suppliers.id INT = orders.supplier IDENTITY
--> suppliers rows: orders.supplier JOIN, suppliers.id JOIN
--> INSERT log
--> log.what = nothing
--> log.name = orders.name IDENTITY, orders.note IDENTITY
--> log.country STRING = suppliers.country IDENTITY
--> log rows: orders.supplier JOIN, suppliers.id JOIN
