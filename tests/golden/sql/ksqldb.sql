-- catalog: orders(id INT, name STRING, price DECIMAL, at TIMESTAMP, note STRING, supplier INT), suppliers(id INT, name STRING, country STRING), lines(order_id INT, sku STRING, count INT, tags)
-- dialect: ksqldb

-- case: a stream, and a table of it
CREATE STREAM views (user VARCHAR KEY, page VARCHAR, seconds BIGINT) WITH (KAFKA_TOPIC = 'views', VALUE_FORMAT = 'JSON');
CREATE TABLE per_user AS SELECT user, SUM(seconds) AS total, COUNT(*) AS n FROM views WINDOW TUMBLING (SIZE 1 HOUR) WHERE page LIKE 'x%' GROUP BY user EMIT CHANGES;
--> CREATE views
--> reads views
--> CREATE TABLE per_user
--> per_user.user VARCHAR = views.user IDENTITY
--> per_user.total = views.seconds AGGREGATION
--> per_user.n BIGINT = nothing
--> per_user rows: views.page FILTER, views.user GROUP_BY

-- case: the latest value
CREATE TABLE latest AS SELECT name, LATEST_BY_OFFSET(price) AS price FROM orders GROUP BY name EMIT CHANGES;
--> reads orders
--> CREATE TABLE latest
--> latest.name STRING = orders.name IDENTITY
--> latest.price = orders.price AGGREGATION
--> latest rows: orders.name GROUP_BY

-- case: a join within a time
CREATE STREAM joined AS SELECT o.id AS id, l.sku FROM orders o JOIN lines l WITHIN 1 HOUR ON o.id = l.order_id EMIT CHANGES;
--> reads orders, lines
--> CREATE STREAM joined
--> joined.id INT = orders.id IDENTITY
--> joined.sku STRING = lines.sku IDENTITY
--> joined rows: lines.order_id JOIN, orders.id JOIN

-- case: a field of a structure
SELECT note->city AS city FROM orders EMIT CHANGES;
--> reads orders
--> (result).city = orders.note.city IDENTITY

-- case: a stream into another
INSERT INTO archive SELECT id, name FROM orders EMIT CHANGES;
--> reads orders
--> INSERT archive
--> archive.id INT = orders.id IDENTITY
--> archive.name STRING = orders.name IDENTITY

-- case: a new key
CREATE STREAM keyed AS SELECT id, name FROM orders PARTITION BY id EMIT CHANGES;
--> reads orders
--> CREATE STREAM keyed
--> keyed.id INT = orders.id IDENTITY
--> keyed.name STRING = orders.name IDENTITY

-- case: variables that the script defines
DEFINE topic = 'clicks';
DEFINE col = 'user_id';
CREATE STREAM c (user_id VARCHAR) WITH (KAFKA_TOPIC = '${topic}', VALUE_FORMAT = 'JSON');
CREATE STREAM d AS SELECT ${col} FROM c EMIT CHANGES;
--> CREATE c
--> reads c
--> CREATE STREAM d
--> d.user_id VARCHAR = c.user_id IDENTITY

-- case: counts of different values are masked, a copy of a key is itself
SELECT AS_VALUE(name) AS n, COUNT_DISTINCT(id) AS c FROM orders GROUP BY name EMIT CHANGES;
--> reads orders
--> (result).n = orders.name IDENTITY
--> (result).c = orders.id AGGREGATION masked
--> (result) rows: orders.name GROUP_BY
