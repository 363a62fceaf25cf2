SET 'pipeline.name' = 'supplier-stats';

CREATE TABLE orders (
  order_id STRING, item STRING, price DECIMAL(10, 2), supplier STRING, bid_time TIMESTAMP(3),
  WATERMARK FOR bid_time AS bid_time
) WITH (
  'connector' = 'kafka', 'topic' = 'orders', 'properties.bootstrap.servers' = 'BOOTSTRAP',
  'scan.startup.mode' = 'earliest-offset', 'format' = 'json'
);

CREATE TABLE supplier_stats (
  window_start TIMESTAMP(3), window_end TIMESTAMP(3), supplier STRING,
  total_price DECIMAL(38, 2), `count` BIGINT
) WITH (
  'connector' = 'kafka', 'topic' = 'supplier-stats', 'properties.bootstrap.servers' = 'BOOTSTRAP',
  'format' = 'json'
);

INSERT INTO supplier_stats
SELECT window_start, window_end, supplier, SUM(price), COUNT(*)
FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(bid_time), INTERVAL '5' SECOND))
GROUP BY window_start, window_end, supplier;
