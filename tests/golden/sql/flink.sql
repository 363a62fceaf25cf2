-- catalog: orders(id INT, name STRING, price DECIMAL, at TIMESTAMP, note STRING, supplier INT), suppliers(id INT, name STRING, country STRING), lines(order_id INT, sku STRING, count INT, tags)
-- dialect: flink

-- case: a topic, a window and a sink
CREATE TABLE clicks (user_id STRING, url STRING, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND) WITH ('connector' = 'kafka', 'topic' = 'clicks', 'properties.bootstrap.servers' = 'broker:9092', 'format' = 'json');
CREATE TABLE counts (start_at TIMESTAMP(3), url STRING, n BIGINT) WITH ('connector' = 'filesystem', 'path' = 's3://bucket/counts', 'format' = 'parquet');
INSERT INTO counts SELECT window_start, url, COUNT(user_id) FROM TABLE(TUMBLE(TABLE clicks, DESCRIPTOR(ts), INTERVAL '1' MINUTE)) GROUP BY window_start, window_end, url;
--> CREATE clicks as kafka://broker:9092 clicks
--> CREATE counts as s3://bucket counts
--> reads clicks
--> INSERT counts as s3://bucket counts
--> counts.start_at TIMESTAMP(3) = clicks.ts TRANSFORMATION
--> counts.url STRING = clicks.url IDENTITY
--> counts.n BIGINT = clicks.user_id AGGREGATION masked
--> counts rows: clicks.ts GROUP_BY, clicks.url GROUP_BY

-- case: a hopping window by named arguments
SELECT window_end, SUM(price) AS total FROM TABLE(HOP(DATA => TABLE orders, TIMECOL => DESCRIPTOR(at), SLIDE => INTERVAL '5' MINUTES, SIZE => INTERVAL '10' MINUTES)) GROUP BY window_start, window_end;
--> reads orders
--> (result).window_end = orders.at TRANSFORMATION
--> (result).total = orders.price AGGREGATION
--> (result) rows: orders.at GROUP_BY

-- case: a temporal join
SELECT o.id, o.price * r.rate AS amount FROM orders AS o JOIN rates FOR SYSTEM_TIME AS OF o.at AS r ON o.name = r.currency;
--> reads orders, rates
--> (result).id INT = orders.id IDENTITY
--> (result).amount = orders.price TRANSFORMATION, rates.rate TRANSFORMATION
--> (result) rows: orders.at JOIN, orders.name JOIN, rates.currency JOIN

-- case: a statement set
EXECUTE STATEMENT SET BEGIN
INSERT INTO a SELECT id FROM orders WHERE price > 1;
INSERT INTO b SELECT name FROM suppliers;
END;
--> reads orders
--> INSERT a
--> a.id INT = orders.id IDENTITY
--> a rows: orders.price FILTER
--> reads suppliers
--> INSERT b
--> b.name STRING = suppliers.name IDENTITY

-- case: a pattern
SELECT * FROM orders MATCH_RECOGNIZE (PARTITION BY name ORDER BY at MEASURES A.price AS first_price, LAST(B.price) AS last_price ONE ROW PER MATCH AFTER MATCH SKIP PAST LAST ROW PATTERN (A B+) DEFINE B AS B.price < A.price) AS t;
--> reads orders
--> (result).name = orders.name IDENTITY
--> (result).first_price = orders.price AGGREGATION, orders.at WINDOW, orders.name WINDOW
--> (result).last_price = orders.price AGGREGATION, orders.at WINDOW, orders.name WINDOW
--> (result) rows: orders.price FILTER

-- case: a table function
SELECT id, w.word FROM orders, LATERAL TABLE(split(note)) AS w(word);
--> reads orders
--> (result).id INT = orders.id IDENTITY
--> (result).word = orders.note TRANSFORMATION

-- case: unnest
SELECT sku, tag FROM lines CROSS JOIN UNNEST(tags) AS t (tag);
--> reads lines
--> (result).sku STRING = lines.sku IDENTITY
--> (result).tag = lines.tags TRANSFORMATION

-- case: the newest row of each key
SELECT id, name FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY id ORDER BY at DESC) AS n FROM orders) WHERE n = 1;
--> reads orders
--> (result).id INT = orders.id IDENTITY
--> (result).name STRING = orders.name IDENTITY
--> (result) rows: orders.at WINDOW, orders.id WINDOW

-- case: an interval join
SELECT o.id, l.sku FROM orders o, lines l WHERE o.id = l.order_id AND o.at BETWEEN o.at - INTERVAL '4' HOUR AND o.at;
--> reads orders, lines
--> (result).id INT = orders.id IDENTITY
--> (result).sku STRING = lines.sku IDENTITY
--> (result) rows: lines.order_id FILTER, orders.at FILTER, orders.id FILTER
