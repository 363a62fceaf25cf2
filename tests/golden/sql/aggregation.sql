-- catalog: orders(id INT, name STRING, price DECIMAL, at TIMESTAMP, note STRING, supplier INT), suppliers(id INT, name STRING, country STRING), lines(order_id INT, sku STRING, count INT, tags)
-- dialect: spark

-- case: a sum
SELECT sum(price) AS total FROM orders;
--> reads orders
--> (result).total = orders.price AGGREGATION

-- case: twice a sum is still an aggregate
SELECT 2 * sum(price) AS total FROM orders;
--> reads orders
--> (result).total = orders.price AGGREGATION

-- case: a sum of a product
SELECT sum(price * id) AS total FROM orders;
--> reads orders
--> (result).total = orders.price AGGREGATION, orders.id AGGREGATION

-- case: several aggregates
SELECT min(price) AS a, max(price) AS b, avg(price) AS c FROM orders;
--> reads orders
--> (result).a DECIMAL = orders.price AGGREGATION
--> (result).b DECIMAL = orders.price AGGREGATION
--> (result).c = orders.price AGGREGATION

-- case: an aggregate in a subquery
SELECT t.total + 1 AS more FROM (SELECT sum(price) AS total FROM orders) t;
--> reads orders
--> (result).more = orders.price AGGREGATION

-- case: an aggregate of distinct values
SELECT sum(DISTINCT price) AS total FROM orders;
--> reads orders
--> (result).total = orders.price AGGREGATION

-- case: count of rows has no source
SELECT count(*) AS n, count(1) AS m FROM orders;
--> reads orders
--> (result).n BIGINT = nothing
--> (result).m BIGINT = nothing

-- case: collected values
SELECT collect_list(name) AS names, array_agg(id) AS ids FROM orders;
--> reads orders
--> (result).names = orders.name AGGREGATION
--> (result).ids = orders.id AGGREGATION

-- case: a running sum is an aggregate over a window
SELECT sum(price) OVER (PARTITION BY name ORDER BY at) AS running FROM orders;
--> reads orders
--> (result).running = orders.price AGGREGATION, orders.at WINDOW, orders.name WINDOW

-- case: an aggregate of some rows
SELECT sum(price) FILTER (WHERE id > 1) AS total FROM orders;
--> reads orders
--> (result).total = orders.price AGGREGATION, orders.id CONDITIONAL

-- case: the value with the greatest key
SELECT max_by(name, price) AS dearest FROM orders;
--> reads orders
--> (result).dearest = orders.name AGGREGATION, orders.price AGGREGATION
