SET 'pipeline.name' = 'order-stats';
CREATE TABLE orders (
  order_id STRING, price DECIMAL(10, 2), currency STRING, bid_time TIMESTAMP(3),
  WATERMARK FOR bid_time AS bid_time
) WITH (
  'connector' = 'kafka', 'topic' = 'orders', 'properties.bootstrap.servers' = 'BOOTSTRAP',
  'scan.startup.mode' = 'earliest-offset', 'format' = 'json'
);
CREATE TABLE rates (
  currency STRING, rate DECIMAL(10, 4), `at` TIMESTAMP(3), WATERMARK FOR `at` AS `at`,
  PRIMARY KEY (currency) NOT ENFORCED
) WITH (
  'connector' = 'upsert-kafka', 'topic' = 'rates', 'properties.bootstrap.servers' = 'BOOTSTRAP',
  'key.format' = 'json', 'value.format' = 'json'
);
CREATE TABLE enriched (order_id STRING, amount DECIMAL(20, 6), bid_time TIMESTAMP(3)) WITH (
  'connector' = 'kafka', 'topic' = 'enriched', 'properties.bootstrap.servers' = 'BOOTSTRAP',
  'format' = 'json'
);
CREATE TABLE stats (
  window_start TIMESTAMP(3), window_end TIMESTAMP(3), currency STRING, total DECIMAL(38, 2),
  orders BIGINT
) WITH (
  'connector' = 'kafka', 'topic' = 'stats', 'properties.bootstrap.servers' = 'BOOTSTRAP',
  'format' = 'json'
);
EXECUTE STATEMENT SET BEGIN
INSERT INTO enriched
SELECT o.order_id, o.price * r.rate, o.bid_time
FROM orders AS o
JOIN rates FOR SYSTEM_TIME AS OF o.bid_time AS r ON o.currency = r.currency;
INSERT INTO stats
SELECT window_start, window_end, currency, SUM(price), COUNT(*)
FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(bid_time), INTERVAL '5' SECOND))
GROUP BY window_start, window_end, currency;
END;
