-- catalog: orders(id INT, name STRING, price DECIMAL, at TIMESTAMP, note STRING, supplier INT), suppliers(id INT, name STRING, country STRING), lines(order_id INT, sku STRING, count INT, tags)
-- dialect: databricks

-- case: every column by its name
MERGE INTO suppliers t USING (SELECT supplier AS id, name, note AS country FROM orders) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *;
--> reads orders
--> MERGE suppliers
--> suppliers.id INT = orders.supplier IDENTITY
--> suppliers.name STRING = orders.name IDENTITY
--> suppliers.country STRING = orders.note IDENTITY
--> suppliers rows: orders.supplier JOIN, suppliers.id JOIN

-- case: a clone
CREATE TABLE copy CLONE suppliers;
--> reads suppliers
--> CREATE TABLE copy
--> copy.id INT = suppliers.id IDENTITY
--> copy.name STRING = suppliers.name IDENTITY
--> copy.country STRING = suppliers.country IDENTITY

-- case: changes are applied
-- dialect: databricks
APPLY CHANGES INTO live.people FROM STREAM(suppliers) KEYS (id) APPLY AS DELETE WHEN country = 'none' SEQUENCE BY name COLUMNS * EXCEPT (country) STORED AS SCD TYPE 2;
--> reads suppliers
--> MERGE people
--> people.id INT = suppliers.id IDENTITY
--> people.name STRING = suppliers.name IDENTITY
--> people rows: people.id JOIN, suppliers.country FILTER, suppliers.id JOIN, suppliers.name SORT

-- case: changes are applied by a flow
-- dialect: databricks
CREATE FLOW f AS AUTO CDC INTO people FROM STREAM suppliers KEYS (id, name) SEQUENCE BY country COLUMNS (id, name);
--> reads suppliers
--> MERGE people
--> people.id INT = suppliers.id IDENTITY
--> people.name STRING = suppliers.name IDENTITY
--> people rows: people.id JOIN, people.name JOIN, suppliers.country SORT, suppliers.id JOIN, suppliers.name JOIN
