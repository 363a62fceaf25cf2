-- catalog: orders(id INT, name STRING, price DECIMAL, at TIMESTAMP, note STRING, supplier INT), suppliers(id INT, name STRING, country STRING), lines(order_id INT, sku STRING, count INT, tags)
-- dialect: postgres

-- case: update
UPDATE orders SET price = price * 2, note = 'x' WHERE name = 'a';
--> reads orders
--> UPDATE orders
--> orders.price DECIMAL = orders.price TRANSFORMATION
--> orders.note STRING = nothing
--> orders rows: orders.name FILTER

-- case: update from another table
UPDATE orders AS o SET name = s.name FROM suppliers s WHERE s.id = o.supplier;
--> reads suppliers
--> UPDATE orders
--> orders.name STRING = suppliers.name IDENTITY
--> orders rows: orders.supplier FILTER, suppliers.id FILTER

-- case: update with a subquery
UPDATE orders SET name = (SELECT max(name) FROM suppliers) WHERE id = 1;
--> reads suppliers
--> UPDATE orders
--> orders.name STRING = suppliers.name AGGREGATION
--> orders rows: orders.id FILTER

-- case: update several at once
UPDATE orders SET (name, note) = (SELECT name, country FROM suppliers LIMIT 1);
--> reads suppliers
--> UPDATE orders
--> orders.name STRING = suppliers.name IDENTITY
--> orders.note STRING = suppliers.country IDENTITY

-- case: delete
DELETE FROM orders WHERE price > 1;
--> DELETE orders
--> orders rows: orders.price FILTER

-- case: delete using another table
DELETE FROM orders USING suppliers s WHERE s.id = orders.supplier;
--> reads suppliers
--> DELETE orders
--> orders rows: orders.supplier FILTER, suppliers.id FILTER

-- case: merge, clause by clause
MERGE INTO suppliers t USING orders s ON t.id = s.supplier WHEN MATCHED AND s.price > 1 THEN UPDATE SET name = s.name WHEN NOT MATCHED THEN INSERT (id, country) VALUES (s.supplier, s.note);
--> reads orders
--> MERGE suppliers
--> suppliers.name STRING = orders.name IDENTITY
--> suppliers.id INT = orders.supplier IDENTITY
--> suppliers.country STRING = orders.note IDENTITY
--> suppliers rows: orders.price FILTER, orders.supplier JOIN, suppliers.id JOIN

-- case: merge of a query
MERGE INTO suppliers t USING (SELECT supplier, max(name) AS n FROM orders GROUP BY supplier) s ON t.id = s.supplier WHEN MATCHED THEN UPDATE SET name = s.n;
--> reads orders
--> MERGE suppliers
--> suppliers.name STRING = orders.name AGGREGATION
--> suppliers rows: orders.supplier GROUP_BY JOIN, suppliers.id JOIN

-- case: merge that deletes
MERGE INTO suppliers t USING orders s ON t.id = s.supplier WHEN MATCHED THEN DELETE;
--> reads orders
--> MERGE suppliers
--> suppliers rows: orders.supplier JOIN, suppliers.id JOIN

-- case: truncate
TRUNCATE TABLE orders;
--> TRUNCATE orders

-- case: insert in a common table expression
WITH moved AS (DELETE FROM orders WHERE price > 1 RETURNING id, name) INSERT INTO archive SELECT id, name FROM moved;
--> reads orders
--> DELETE orders
--> orders rows: orders.price FILTER
--> INSERT archive
--> archive.id INT = orders.id IDENTITY
--> archive.name STRING = orders.name IDENTITY
--> archive rows: orders.price FILTER

-- case: select into
SELECT id, name INTO archive FROM orders;
--> reads orders
--> CREATE archive
--> archive.id INT = orders.id IDENTITY
--> archive.name STRING = orders.name IDENTITY

-- case: copy from a file
COPY orders FROM '/tmp/x.csv';
--> reads /tmp/x.csv
--> COPY orders

-- case: copy of a query to a file
COPY (SELECT id FROM orders) TO '/tmp/x.csv';
--> reads orders
--> COPY /tmp/x.csv
--> /tmp/x.csv.id INT = orders.id IDENTITY

-- case: update of a query's columns
-- dialect: oracle
UPDATE (SELECT o.name AS n, s.country FROM orders o JOIN suppliers s ON s.id = o.supplier) SET n = upper(country);
--> reads suppliers
--> UPDATE orders
--> orders.name STRING = suppliers.country TRANSFORMATION
--> orders rows: orders.supplier JOIN, suppliers.id JOIN

-- case: update through a common table expression of two tables
-- dialect: tsql
WITH q AS (SELECT o.name, s.country FROM orders o JOIN suppliers s ON s.id = o.supplier) UPDATE q SET name = country;
--> reads suppliers
--> UPDATE orders
--> orders.name STRING = suppliers.country IDENTITY
--> orders rows: orders.supplier JOIN, suppliers.id JOIN
