-- catalog: orders(id INT, name STRING, price DECIMAL, at TIMESTAMP, note STRING, supplier INT), suppliers(id INT, name STRING, country STRING), lines(order_id INT, sku STRING, count INT, tags)
-- dialect: spark

-- case: a place in an order
SELECT row_number() OVER (ORDER BY price DESC) AS place FROM orders;
--> reads orders
--> (result).place BIGINT = orders.price WINDOW

-- case: a rank within a group
SELECT name, rank() OVER (PARTITION BY name ORDER BY price) AS r FROM orders;
--> reads orders
--> (result).name STRING = orders.name IDENTITY
--> (result).r BIGINT = orders.name WINDOW, orders.price WINDOW

-- case: a running sum
SELECT sum(price) OVER (PARTITION BY name ORDER BY at) AS running FROM orders;
--> reads orders
--> (result).running = orders.price AGGREGATION, orders.at WINDOW, orders.name WINDOW

-- case: a named window
SELECT avg(price) OVER w AS a, max(id) OVER w AS m FROM orders WINDOW w AS (PARTITION BY name ORDER BY at);
--> reads orders
--> (result).a = orders.price AGGREGATION, orders.at WINDOW, orders.name WINDOW
--> (result).m INT = orders.id AGGREGATION, orders.at WINDOW, orders.name WINDOW

-- case: the first value
SELECT first_value(price) OVER (PARTITION BY name ORDER BY at) AS f FROM orders;
--> reads orders
--> (result).f DECIMAL = orders.price AGGREGATION, orders.at WINDOW, orders.name WINDOW

-- case: lead with a default
SELECT lead(price, 1, 0) OVER (ORDER BY at) AS next FROM orders;
--> reads orders
--> (result).next DECIMAL = orders.price TRANSFORMATION, orders.at WINDOW

-- case: a frame
SELECT avg(price) OVER (ORDER BY at ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) AS a FROM orders;
--> reads orders
--> (result).a = orders.price AGGREGATION, orders.at WINDOW

-- case: a window decides about a filter
SELECT name FROM (SELECT name, row_number() OVER (PARTITION BY supplier ORDER BY at) AS n FROM orders) t WHERE n = 1;
--> reads orders
--> (result).name STRING = orders.name IDENTITY
--> (result) rows: orders.at WINDOW, orders.supplier WINDOW

-- case: an expression with a window
SELECT price - avg(price) OVER (PARTITION BY name) AS difference FROM orders;
--> reads orders
--> (result).difference = orders.price AGGREGATION, orders.name WINDOW

-- case: count over a window is masked
SELECT count(id) OVER (PARTITION BY name) AS n FROM orders;
--> reads orders
--> (result).n BIGINT = orders.id AGGREGATION masked, orders.name WINDOW
