-- catalog: orders(id INT, name STRING, price DECIMAL, at TIMESTAMP, note STRING, supplier INT), suppliers(id INT, name STRING, country STRING), lines(order_id INT, sku STRING, count INT, tags)
-- dialect: spark

-- case: arithmetic
SELECT price * 2 + id AS p FROM orders;
--> reads orders
--> (result).p = orders.price TRANSFORMATION, orders.id TRANSFORMATION

-- case: a function
SELECT upper(name) AS n FROM orders;
--> reads orders
--> (result).n STRING = orders.name TRANSFORMATION

-- case: a cast
SELECT CAST(id AS string) AS i, try_cast(price AS int) AS p FROM orders;
--> reads orders
--> (result).i STRING = orders.id TRANSFORMATION
--> (result).p INT = orders.price TRANSFORMATION

-- case: concatenation
SELECT name || '-' || note AS t, concat(name, note) AS c FROM orders;
--> reads orders
--> (result).t STRING = orders.name TRANSFORMATION, orders.note TRANSFORMATION
--> (result).c STRING = orders.name TRANSFORMATION, orders.note TRANSFORMATION

-- case: a comparison is a value
SELECT price > 1 AS is_dear, name LIKE 'a%' AS is_a FROM orders;
--> reads orders
--> (result).is_dear BOOLEAN = orders.price TRANSFORMATION
--> (result).is_a BOOLEAN = orders.name TRANSFORMATION

-- case: a function that nobody knows
SELECT my_function(name, id) AS f FROM orders;
--> reads orders
--> (result).f = orders.name TRANSFORMATION, orders.id TRANSFORMATION

-- case: a lambda over an array
SELECT transform(tags, t -> concat(t, sku)) AS t FROM lines;
--> reads lines
--> (result).t = lines.tags TRANSFORMATION, lines.sku TRANSFORMATION

-- case: a filter over an array
SELECT filter(tags, t -> t <> sku) AS t FROM lines;
--> reads lines
--> (result).t = lines.tags TRANSFORMATION CONDITIONAL, lines.sku CONDITIONAL

-- case: an element of an array
SELECT tags[0] AS first FROM lines;
--> reads lines
--> (result).first = lines.tags TRANSFORMATION

-- case: a value out of JSON
SELECT get_json_object(note, '$.a') AS a FROM orders;
--> reads orders
--> (result).a = orders.note TRANSFORMATION

-- case: the lag of another row
SELECT lag(price) OVER (ORDER BY at) AS before FROM orders;
--> reads orders
--> (result).before DECIMAL = orders.price TRANSFORMATION, orders.at WINDOW

-- case: a date part
SELECT extract(year FROM at) AS y, date_trunc('day', at) AS d FROM orders;
--> reads orders
--> (result).y = orders.at TRANSFORMATION
--> (result).d = orders.at TRANSFORMATION
