-- catalog: orders(id INT, name STRING, price DECIMAL, at TIMESTAMP, note STRING, supplier INT), suppliers(id INT, name STRING, country STRING), lines(order_id INT, sku STRING, count INT, tags)
-- dialect: spark

-- case: by a column
SELECT name, sum(price) AS total FROM orders GROUP BY name;
--> reads orders
--> (result).name STRING = orders.name IDENTITY
--> (result).total = orders.price AGGREGATION
--> (result) rows: orders.name GROUP_BY

-- case: by a column that is not selected
SELECT sum(price) AS total FROM orders GROUP BY name;
--> reads orders
--> (result).total = orders.price AGGREGATION
--> (result) rows: orders.name GROUP_BY

-- case: by place
SELECT name, supplier, count(*) AS n FROM orders GROUP BY 1, 2;
--> reads orders
--> (result).name STRING = orders.name IDENTITY
--> (result).supplier INT = orders.supplier IDENTITY
--> (result).n BIGINT = nothing
--> (result) rows: orders.name GROUP_BY, orders.supplier GROUP_BY

-- case: by an alias
SELECT upper(name) AS n, sum(price) AS total FROM orders GROUP BY n;
--> reads orders
--> (result).n STRING = orders.name TRANSFORMATION
--> (result).total = orders.price AGGREGATION
--> (result) rows: orders.name GROUP_BY

-- case: by an expression
SELECT date_trunc('day', at) AS d, sum(price) AS total FROM orders GROUP BY date_trunc('day', at);
--> reads orders
--> (result).d = orders.at TRANSFORMATION
--> (result).total = orders.price AGGREGATION
--> (result) rows: orders.at GROUP_BY

-- case: having
SELECT name, sum(price) AS total FROM orders GROUP BY name HAVING sum(price) > 3;
--> reads orders
--> (result).name STRING = orders.name IDENTITY
--> (result).total = orders.price AGGREGATION
--> (result) rows: orders.name GROUP_BY, orders.price FILTER

-- case: having by an alias
SELECT name, sum(price) AS total FROM orders GROUP BY name HAVING total > 3;
--> reads orders
--> (result).name STRING = orders.name IDENTITY
--> (result).total = orders.price AGGREGATION
--> (result) rows: orders.name GROUP_BY, orders.price FILTER

-- case: rollup
SELECT name, id, sum(price) AS total FROM orders GROUP BY ROLLUP (name, id);
--> reads orders
--> (result).name STRING = orders.name IDENTITY
--> (result).id INT = orders.id IDENTITY
--> (result).total = orders.price AGGREGATION
--> (result) rows: orders.id GROUP_BY, orders.name GROUP_BY

-- case: grouping sets
SELECT name, id, sum(price) AS total FROM orders GROUP BY GROUPING SETS ((name), (name, id), ());
--> reads orders
--> (result).name STRING = orders.name IDENTITY
--> (result).id INT = orders.id IDENTITY
--> (result).total = orders.price AGGREGATION
--> (result) rows: orders.id GROUP_BY, orders.name GROUP_BY

-- case: cube
SELECT name, supplier, sum(price) AS total FROM orders GROUP BY CUBE (name, supplier);
--> reads orders
--> (result).name STRING = orders.name IDENTITY
--> (result).supplier INT = orders.supplier IDENTITY
--> (result).total = orders.price AGGREGATION
--> (result) rows: orders.name GROUP_BY, orders.supplier GROUP_BY

-- case: distinct rows
SELECT DISTINCT name FROM orders;
--> reads orders
--> (result).name STRING = orders.name IDENTITY
--> (result) rows: orders.name GROUP_BY

-- case: distinct in a subquery
SELECT n FROM (SELECT DISTINCT name AS n, price FROM orders) t;
--> reads orders
--> (result).n STRING = orders.name IDENTITY
--> (result) rows: orders.name GROUP_BY, orders.price GROUP_BY
