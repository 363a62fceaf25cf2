-- catalog: orders(id INT, name STRING, price DECIMAL, at TIMESTAMP, note STRING, supplier INT), suppliers(id INT, name STRING, country STRING), lines(order_id INT, sku STRING, count INT, tags)
-- dialect: snowflake

-- case: qualify
SELECT name, price FROM orders QUALIFY row_number() OVER (PARTITION BY name ORDER BY at DESC) = 1;
--> reads orders
--> (result).name STRING = orders.name IDENTITY
--> (result).price DECIMAL = orders.price IDENTITY
--> (result) rows: orders.at WINDOW, orders.name WINDOW

-- case: qualify by an alias
SELECT name, row_number() OVER (ORDER BY price) AS n FROM orders QUALIFY n = 1;
--> reads orders
--> (result).name STRING = orders.name IDENTITY
--> (result).n BIGINT = orders.price WINDOW
--> (result) rows: orders.price WINDOW

-- case: an alias of the same select list
SELECT price * 2 AS p, p + 1 AS q FROM orders;
--> reads orders
--> (result).p = orders.price TRANSFORMATION
--> (result).q = orders.price TRANSFORMATION

-- case: a table that nobody has listed, by its alias
SELECT a * 2 AS p, p + 1 AS q FROM unknown_table;
--> reads unknown_table
--> (result).p = unknown_table.a TRANSFORMATION
--> (result).q = unknown_table.a TRANSFORMATION

-- case: excluded and renamed columns
SELECT * EXCLUDE (note, at) RENAME (price AS amount) FROM orders;
--> reads orders
--> (result).id INT = orders.id IDENTITY
--> (result).name STRING = orders.name IDENTITY
--> (result).amount DECIMAL = orders.price IDENTITY
--> (result).supplier INT = orders.supplier IDENTITY

-- case: flattened
SELECT l.sku, f.value AS tag FROM lines l, LATERAL FLATTEN(input => l.tags) f;
--> reads lines
--> (result).sku STRING = lines.sku IDENTITY
--> (result).tag = lines.tags TRANSFORMATION

-- case: a path into a variant
SELECT note:customer.name::string AS customer FROM orders;
--> reads orders
--> (result).customer VARCHAR = orders.note TRANSFORMATION

-- case: swapped tables
ALTER TABLE orders SWAP WITH suppliers;
--> reads suppliers, orders
--> SWAP orders
--> orders.id INT = suppliers.id IDENTITY
--> orders.name STRING = suppliers.name IDENTITY
--> orders.country STRING = suppliers.country IDENTITY
--> SWAP suppliers
--> suppliers.id INT = orders.id IDENTITY
--> suppliers.name STRING = orders.name IDENTITY
--> suppliers.price DECIMAL = orders.price IDENTITY
--> suppliers.at TIMESTAMP = orders.at IDENTITY
--> suppliers.note STRING = orders.note IDENTITY
--> suppliers.supplier INT = orders.supplier IDENTITY

-- case: conditional inserts
INSERT ALL WHEN price > 1 THEN INTO dear (id) VALUES (id) ELSE INTO cheap VALUES (id, price) SELECT id, price FROM orders;
--> reads orders
--> INSERT dear
--> dear.id = orders.id IDENTITY
--> dear rows: orders.price FILTER
--> INSERT cheap
--> cheap.id = orders.id IDENTITY
--> cheap.price = orders.price IDENTITY
--> cheap rows: orders.price FILTER

-- case: copied from a stage
COPY INTO orders FROM 's3://bucket/path';
--> reads s3://bucket/path
--> COPY orders

-- case: sorted by place
SELECT name, sum(price) AS total FROM orders GROUP BY ALL ORDER BY 2 DESC;
--> reads orders
--> (result).name STRING = orders.name IDENTITY
--> (result).total = orders.price AGGREGATION
--> (result) rows: orders.name GROUP_BY, orders.price SORT

-- case: columns by a pattern
SELECT * ILIKE '%am%' FROM orders;
--> reads orders
--> (result).name STRING = orders.name IDENTITY

-- case: a table by its name in quotes
SELECT id FROM IDENTIFIER('orders');
--> reads orders
--> (result).id INT = orders.id IDENTITY

-- case: flattened by a function
SELECT id, value, index FROM orders, TABLE(FLATTEN(note)) f;
--> reads orders
--> (result).id INT = orders.id IDENTITY
--> (result).value = orders.note TRANSFORMATION
--> (result).index = orders.note TRANSFORMATION
