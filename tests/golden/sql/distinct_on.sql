-- catalog: orders(id INT, name STRING, price DECIMAL, at TIMESTAMP, note STRING, supplier INT), suppliers(id INT, name STRING, country STRING), lines(order_id INT, sku STRING, count INT, tags)
-- dialect: postgres

-- case: distinct on keys
SELECT DISTINCT ON (name) name, price FROM orders ORDER BY name, at DESC;
--> reads orders
--> (result).name STRING = orders.name IDENTITY
--> (result).price DECIMAL = orders.price IDENTITY
--> (result) rows: orders.at SORT, orders.name GROUP_BY SORT

-- case: by ordinal with an aggregate
SELECT name, avg(price) FROM orders GROUP BY 1;
--> reads orders
--> (result).name STRING = orders.name IDENTITY
--> (result).AVG(price) = orders.price AGGREGATION
--> (result) rows: orders.name GROUP_BY
