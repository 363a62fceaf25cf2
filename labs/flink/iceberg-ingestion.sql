SET 'pipeline.name' = 'iceberg-ingestion';

CREATE TABLE orders (
  order_id STRING, item STRING, price DECIMAL(10, 2), supplier STRING, bid_time TIMESTAMP(3)
) WITH (
  'connector' = 'kafka', 'topic' = 'orders', 'properties.bootstrap.servers' = 'BOOTSTRAP',
  'scan.startup.mode' = 'earliest-offset', 'format' = 'json'
);

CREATE CATALOG lake WITH (
  'type' = 'iceberg', 'catalog-type' = 'hadoop', 'warehouse' = 'WAREHOUSE'
);
CREATE DATABASE IF NOT EXISTS lake.db;
CREATE TABLE IF NOT EXISTS lake.db.orders (
  order_id STRING, item STRING, price DECIMAL(10, 2), supplier STRING, bid_time TIMESTAMP(6)
);

INSERT INTO lake.db.orders
SELECT order_id, item, price, UPPER(supplier), bid_time FROM orders;
