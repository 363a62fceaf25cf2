-- catalog: orders(id INT, name STRING, price DECIMAL, at TIMESTAMP, note STRING, supplier INT), suppliers(id INT, name STRING, country STRING), lines(order_id INT, sku STRING, count INT, tags)
-- dialect: postgres

-- case: a median by an ordered set
SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY price) AS median FROM orders;
--> reads orders
--> (result).median = orders.price AGGREGATION

-- case: a list in an order
SELECT string_agg(name, ',' ORDER BY at) AS names FROM orders;
--> reads orders
--> (result).names = orders.name AGGREGATION, orders.at SORT

-- case: an array in an order
SELECT array_agg(name ORDER BY at DESC) AS names FROM orders;
--> reads orders
--> (result).names = orders.name AGGREGATION, orders.at SORT
