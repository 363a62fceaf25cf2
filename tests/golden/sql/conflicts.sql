-- catalog: orders(id INT, name STRING, price DECIMAL, at TIMESTAMP, note STRING, supplier INT), suppliers(id INT, name STRING, country STRING), lines(order_id INT, sku STRING, count INT, tags)
-- dialect: postgres

-- case: a row that is there is updated
INSERT INTO suppliers AS s (id, name) SELECT id, name FROM orders ON CONFLICT (id) DO UPDATE SET name = s.name || EXCLUDED.name, country = 'x' WHERE s.country <> EXCLUDED.name;
--> reads orders, suppliers
--> INSERT suppliers
--> suppliers.id INT = orders.id IDENTITY
--> suppliers.name STRING = orders.name TRANSFORMATION, suppliers.name TRANSFORMATION
--> suppliers.country STRING = nothing
--> suppliers rows: orders.name FILTER, suppliers.country FILTER

-- case: nothing is done
INSERT INTO suppliers (id) SELECT id FROM orders ON CONFLICT DO NOTHING;
--> reads orders
--> INSERT suppliers
--> suppliers.id INT = orders.id IDENTITY

-- case: a duplicate key
-- dialect: mysql
INSERT INTO lines (order_id, count) SELECT id, price FROM orders ON DUPLICATE KEY UPDATE count = lines.count + VALUES(count);
--> reads orders, lines
--> INSERT lines
--> lines.order_id INT = orders.id IDENTITY
--> lines.count INT = orders.price TRANSFORMATION, lines.count TRANSFORMATION

-- case: replaced
REPLACE INTO suppliers (id, name) SELECT id, name FROM orders;
--> reads orders
--> INSERT suppliers
--> suppliers.id INT = orders.id IDENTITY
--> suppliers.name STRING = orders.name IDENTITY

-- case: what was deleted is inserted
-- dialect: postgres
WITH gone AS (DELETE FROM orders WHERE price < 1 RETURNING *) INSERT INTO archive SELECT * FROM gone;
--> reads orders
--> DELETE orders
--> orders rows: orders.price FILTER
--> INSERT archive
--> archive.id INT = orders.id IDENTITY
--> archive.name STRING = orders.name IDENTITY
--> archive.price DECIMAL = orders.price IDENTITY
--> archive.at TIMESTAMP = orders.at IDENTITY
--> archive.note STRING = orders.note IDENTITY
--> archive.supplier INT = orders.supplier IDENTITY
--> archive rows: orders.price FILTER

-- case: through a common table expression
-- dialect: tsql
WITH d AS (SELECT *, ROW_NUMBER() OVER (PARTITION BY name ORDER BY at) AS n FROM orders) DELETE FROM d WHERE n > 1;
--> DELETE orders
--> orders rows: orders.at WINDOW, orders.name WINDOW

-- case: merge with conditions of its clauses
-- dialect: oracle
MERGE INTO suppliers t USING orders s ON (t.id = s.id) WHEN MATCHED THEN UPDATE SET t.name = s.name WHERE s.price > 1 DELETE WHERE t.country = 'x' WHEN NOT MATCHED THEN INSERT (t.id) VALUES (s.id);
--> reads orders
--> MERGE suppliers
--> suppliers.name STRING = orders.name IDENTITY
--> suppliers.id INT = orders.id IDENTITY
--> suppliers rows: orders.id JOIN, orders.price FILTER, suppliers.country FILTER, suppliers.id JOIN

-- case: merge with schema evolution
-- dialect: databricks
MERGE WITH SCHEMA EVOLUTION INTO suppliers t USING orders s ON t.id = s.id WHEN MATCHED THEN UPDATE SET t.name = s.name;
--> reads orders
--> MERGE suppliers
--> suppliers.name STRING = orders.name IDENTITY
--> suppliers rows: orders.id JOIN, suppliers.id JOIN
