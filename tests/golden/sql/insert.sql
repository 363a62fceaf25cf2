-- catalog: orders(id INT, name STRING, price DECIMAL, at TIMESTAMP, note STRING, supplier INT), suppliers(id INT, name STRING, country STRING), lines(order_id INT, sku STRING, count INT, tags)
-- dialect: spark

-- case: by position, as the table has its columns
INSERT INTO suppliers SELECT supplier, note, name FROM orders;
--> reads orders
--> INSERT suppliers
--> suppliers.id INT = orders.supplier IDENTITY
--> suppliers.name STRING = orders.note IDENTITY
--> suppliers.country STRING = orders.name IDENTITY

-- case: into listed columns
INSERT INTO suppliers (country, id) SELECT note, supplier FROM orders;
--> reads orders
--> INSERT suppliers
--> suppliers.country STRING = orders.note IDENTITY
--> suppliers.id INT = orders.supplier IDENTITY

-- case: into a table that nobody has listed
INSERT INTO archive SELECT id, price * 2 AS p FROM orders;
--> reads orders
--> INSERT archive
--> archive.id INT = orders.id IDENTITY
--> archive.p = orders.price TRANSFORMATION

-- case: overwrite
INSERT OVERWRITE TABLE archive SELECT id FROM orders;
--> reads orders
--> OVERWRITE archive
--> archive.id INT = orders.id IDENTITY

-- case: into a static partition
INSERT OVERWRITE TABLE suppliers PARTITION (country = 'NZ') SELECT supplier, note FROM orders;
--> reads orders
--> OVERWRITE suppliers
--> suppliers.id INT = orders.supplier IDENTITY
--> suppliers.name STRING = orders.note IDENTITY

-- case: into a dynamic partition
INSERT INTO suppliers PARTITION (country) SELECT supplier, name, note FROM orders;
--> reads orders
--> INSERT suppliers
--> suppliers.id INT = orders.supplier IDENTITY
--> suppliers.name STRING = orders.name IDENTITY
--> suppliers.country STRING = orders.note IDENTITY

-- case: values
INSERT INTO suppliers VALUES (1, 'a', 'NZ');
--> INSERT suppliers
--> suppliers.id INT = nothing
--> suppliers.name STRING = nothing
--> suppliers.country STRING = nothing

-- case: with a common table expression
WITH t AS (SELECT id, name FROM orders) INSERT INTO archive SELECT id, name FROM t;
--> reads orders
--> INSERT archive
--> archive.id INT = orders.id IDENTITY
--> archive.name STRING = orders.name IDENTITY

-- case: a star that is not expanded, into listed columns
INSERT INTO archive (a, b) SELECT * FROM unknown_table;
--> reads unknown_table
--> INSERT archive
--> archive.a = unknown_table.* IDENTITY
--> archive.b = unknown_table.* IDENTITY
--> problem 1:1 star: The columns of unknown_table are not known: `*` is not expanded.

-- case: several tables from one
FROM orders INSERT INTO a SELECT id, name WHERE price > 1 INSERT OVERWRITE TABLE b SELECT note;
--> reads orders
--> INSERT a
--> a.id INT = orders.id IDENTITY
--> a.name STRING = orders.name IDENTITY
--> a rows: orders.price FILTER
--> OVERWRITE b
--> b.note STRING = orders.note IDENTITY

-- case: into a folder
INSERT OVERWRITE DIRECTORY '/tmp/out' SELECT id FROM orders;
--> reads orders
--> OVERWRITE /tmp/out
--> /tmp/out.id INT = orders.id IDENTITY

-- case: too many values
INSERT INTO suppliers SELECT id, name, note, price FROM orders;
--> reads orders
--> INSERT suppliers
--> suppliers.id INT = orders.id IDENTITY
--> suppliers.name STRING = orders.name IDENTITY
--> suppliers.country STRING = orders.note IDENTITY
--> suppliers.price DECIMAL = orders.price IDENTITY
--> problem 1:13 columns: 4 values for 3 columns of suppliers.

-- case: a group by with masked values
INSERT INTO archive SELECT sha2(name, 256) AS who, count(id) AS n FROM orders GROUP BY name;
--> reads orders
--> INSERT archive
--> archive.who STRING = orders.name TRANSFORMATION masked
--> archive.n BIGINT = orders.id AGGREGATION masked
--> archive rows: orders.name GROUP_BY
