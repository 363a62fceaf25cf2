-- dialect: clickhouse

-- case: a topic by settings, a view that fills a table from it
CREATE TABLE queue (id UInt64, name String) ENGINE = Kafka
SETTINGS kafka_broker_list = 'k1:9092,k2:9092', kafka_topic_list = 'orders', kafka_group_name = 'g', kafka_format = 'JSONEachRow';
CREATE TABLE orders (id UInt64, name String) ENGINE = MergeTree ORDER BY id;
CREATE MATERIALIZED VIEW filling TO orders AS SELECT id, upper(name) AS name FROM queue WHERE id > 0;
--> CREATE queue as kafka://k1:9092 orders
--> CREATE orders
--> reads queue
--> INSERT orders
--> orders.id UInt64 = queue.id IDENTITY
--> orders.name String = queue.name TRANSFORMATION
--> orders rows: queue.id FILTER

-- case: a topic by arguments
CREATE TABLE queue (id UInt64) ENGINE = Kafka('k1:9092', 'orders', 'g', 'JSONEachRow') SETTINGS kafka_num_consumers = 4;
INSERT INTO queue SELECT id FROM orders;
--> CREATE queue as kafka://k1:9092 orders
--> reads orders
--> INSERT queue as kafka://k1:9092 orders
--> queue.id UInt64 = orders.id IDENTITY

-- case: several topics are no single dataset
CREATE TABLE queue (id UInt64) ENGINE = Kafka('k1:9092', 'a,b', 'g', 'JSONEachRow');
--> CREATE queue
--> problem 1:14 table: The table stands for several datasets: kafka://k1:9092 a, kafka://k1:9092 b.

-- case: a named collection
CREATE TABLE queue (id UInt64) ENGINE = Kafka(cluster, kafka_topic_list = 'a');
--> CREATE queue
--> problem 1:14 table: What the engine Kafka stands for is not known.

-- case: tables of other databases
CREATE TABLE a (id UInt64) ENGINE = MySQL('db:3306', 'shop', 'orders', 'u', 'secret');
CREATE TABLE b (id UInt64) ENGINE = PostgreSQL('db:5432', 'shop', 'orders', 'u', 'secret', 'sales');
CREATE TABLE c (id UInt64) ENGINE = MongoDB('db:27017', 'shop', 'orders', 'u', 'secret');
--> CREATE a as mysql://db:3306 shop.orders
--> CREATE b as postgres://db:5432 shop.sales.orders
--> CREATE c as mongodb://db:27017 shop.orders

-- case: files
CREATE TABLE f (id UInt64) ENGINE = S3('s3://lake/orders/', 'Parquet');
--> CREATE f as s3://lake orders

-- case: an engine that nobody knows
CREATE TABLE r (id UInt64) ENGINE = RabbitMQ SETTINGS rabbitmq_host_port = 'r:5672';
--> CREATE r
--> problem 1:14 table: What the engine RabbitMQ stands for is not known.
