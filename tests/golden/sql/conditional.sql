-- catalog: orders(id INT, name STRING, price DECIMAL, at TIMESTAMP, note STRING, supplier INT), suppliers(id INT, name STRING, country STRING), lines(order_id INT, sku STRING, count INT, tags)
-- dialect: spark

-- case: cases
SELECT CASE WHEN price > 1 THEN name WHEN id = 2 THEN note ELSE 'x' END AS c FROM orders;
--> reads orders
--> (result).c = orders.name IDENTITY, orders.note IDENTITY, orders.id CONDITIONAL, orders.price CONDITIONAL

-- case: a case of one value
SELECT CASE name WHEN 'a' THEN price ELSE id END AS c FROM orders;
--> reads orders
--> (result).c = orders.price IDENTITY, orders.id IDENTITY, orders.name CONDITIONAL

-- case: if
SELECT if(id > 1, name, note) AS i FROM orders;
--> reads orders
--> (result).i = orders.name IDENTITY, orders.note IDENTITY, orders.id CONDITIONAL

-- case: coalesce is a value and a condition
SELECT coalesce(name, note, 'x') AS c FROM orders;
--> reads orders
--> (result).c STRING = orders.name TRANSFORMATION CONDITIONAL, orders.note TRANSFORMATION CONDITIONAL

-- case: nvl and ifnull
SELECT nvl(name, note) AS a, ifnull(note, name) AS b FROM orders;
--> reads orders
--> (result).a STRING = orders.name TRANSFORMATION CONDITIONAL, orders.note TRANSFORMATION CONDITIONAL
--> (result).b STRING = orders.note TRANSFORMATION CONDITIONAL, orders.name TRANSFORMATION CONDITIONAL

-- case: nullif
SELECT nullif(name, note) AS n FROM orders;
--> reads orders
--> (result).n STRING = orders.name IDENTITY CONDITIONAL, orders.note CONDITIONAL

-- case: nvl2
SELECT nvl2(note, name, id) AS n FROM orders;
--> reads orders
--> (result).n = orders.name TRANSFORMATION, orders.id TRANSFORMATION, orders.note CONDITIONAL

-- case: decode
SELECT decode(id, 1, name, 2, note, 'x') AS d FROM orders;
--> reads orders
--> (result).d = orders.name TRANSFORMATION, orders.note TRANSFORMATION, orders.id CONDITIONAL

-- case: a condition in an aggregate
SELECT sum(CASE WHEN name = 'a' THEN price ELSE 0 END) AS total FROM orders;
--> reads orders
--> (result).total = orders.price AGGREGATION, orders.name CONDITIONAL

-- case: a case of constants has conditions alone
SELECT CASE WHEN price > 1 THEN 'dear' ELSE 'cheap' END AS level FROM orders;
--> reads orders
--> (result).level = orders.price CONDITIONAL

-- case: a nested case
SELECT CASE WHEN id > 1 THEN CASE WHEN price > 1 THEN name ELSE note END END AS c FROM orders;
--> reads orders
--> (result).c = orders.name IDENTITY, orders.note IDENTITY, orders.id CONDITIONAL, orders.price CONDITIONAL

-- case: a case with a subquery
SELECT CASE WHEN (SELECT max(id) FROM suppliers) > 1 THEN name END AS c FROM orders;
--> reads orders, suppliers
--> (result).c = orders.name IDENTITY, suppliers.id CONDITIONAL
