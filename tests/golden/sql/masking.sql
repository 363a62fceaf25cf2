-- catalog: orders(id INT, name STRING, price DECIMAL, at TIMESTAMP, note STRING, supplier INT), suppliers(id INT, name STRING, country STRING), lines(order_id INT, sku STRING, count INT, tags)
-- dialect: spark

-- case: hashes
SELECT sha2(name, 256) AS a, md5(name) AS b, sha1(name) AS c, xxhash64(name) AS d FROM orders;
--> reads orders
--> (result).a STRING = orders.name TRANSFORMATION masked
--> (result).b STRING = orders.name TRANSFORMATION masked
--> (result).c = orders.name TRANSFORMATION masked
--> (result).d = orders.name TRANSFORMATION masked

-- case: count tells how many, not which
SELECT count(name) AS n, count(DISTINCT name) AS d FROM orders;
--> reads orders
--> (result).n BIGINT = orders.name AGGREGATION masked
--> (result).d BIGINT = orders.name AGGREGATION masked

-- case: what is masked stays masked
SELECT concat(md5(name), note) AS c FROM orders;
--> reads orders
--> (result).c STRING = orders.name TRANSFORMATION masked, orders.note TRANSFORMATION

-- case: masked in a subquery
SELECT upper(h) AS u FROM (SELECT sha2(name, 256) AS h, id FROM orders) t;
--> reads orders
--> (result).u STRING = orders.name TRANSFORMATION masked

-- case: mask
SELECT mask(name) AS m, crc32(note) AS c FROM orders;
--> reads orders
--> (result).m = orders.name TRANSFORMATION masked
--> (result).c = orders.note TRANSFORMATION masked

-- case: an encrypted value
SELECT aes_encrypt(name, 'key') AS e FROM orders;
--> reads orders
--> (result).e = orders.name TRANSFORMATION masked

-- case: masked and plain is masked
SELECT concat(name, md5(name)) AS both FROM orders;
--> reads orders
--> (result).both STRING = orders.name TRANSFORMATION masked
