"""A PySpark program: makes the Iceberg tables that the sinks write to, by the guide's DDL."""

import argparse

from headwater.config import SparkSettings
from headwater.pipeline.spark.packages import ICEBERG
from headwater.pipeline.spark.session import session
from testing.services.jars import SERVICES, gathered_jars

_COLUMNS = {
    "orders": "order_id STRING, item STRING, price DECIMAL(10, 2), supplier STRING",
    "bids": "order_id STRING, price DECIMAL(10, 2), supplier STRING",
}
_TABLE = """
CREATE TABLE demo_ib.`default`.{name} ({columns}, bid_time TIMESTAMP)
USING iceberg
PARTITIONED BY (DAY(bid_time))
{location}
TBLPROPERTIES (
    'format-version' = '2',
    'write.format.default' = 'parquet',
    'write.target-file-size-bytes' = '134217728',
    'write.parquet.compression-codec' = 'snappy',
    'write.metadata.delete-after-commit.enabled' = 'true',
    'write.metadata.previous-versions-max' = '3',
    'write.delete.mode' = 'copy-on-write',
    'write.update.mode' = 'copy-on-write'
)"""
# Hive's default database is the root of its warehouse; that of another catalog is not.
_LOCATION = "LOCATION 's3://warehouse/{name}'"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--catalog", required=True, help="JDBC URL of the catalog")
    parser.add_argument("--s3", required=True, help="URL of the S3 endpoint")
    options = parser.parse_args()
    with session(
        SparkSettings(master="local[1]", conf=_conf(options)), "tables", [ICEBERG]
    ) as spark:
        spark.sql("CREATE NAMESPACE IF NOT EXISTS demo_ib.`default`")
        for name, columns in _COLUMNS.items():
            location = _LOCATION.format(name=name)
            spark.sql(_TABLE.format(name=name, columns=columns, location=location))
            rows = spark.sql(f"DESCRIBE demo_ib.`default`.{name}").collect()
            words = (f"{row.col_name} {row.data_type}".strip() for row in rows if row.data_type)
            print(f"   demo_ib.default.{name}: {', '.join(words)}", flush=True)


def _conf(options: argparse.Namespace) -> dict[str, str]:
    classes = "org.apache.iceberg"
    aws = gathered_jars(SERVICES / "connect-iceberg-aws" / "pom.xml")
    sqlite = gathered_jars(SERVICES / "connect-iceberg" / "pom.xml")
    # Iceberg itself comes with Spark's own runtime of it.
    patterns = ((aws, "iceberg-aws-bundle-*"), (aws, "url-connection-*"), (sqlite, "sqlite-jdbc-*"))
    jars = [str(jar) for folder, pattern in patterns for jar in folder.glob(pattern)]
    catalog = {
        "": f"{classes}.spark.SparkCatalog",
        ".catalog-impl": f"{classes}.jdbc.JdbcCatalog",
        ".uri": options.catalog,
        ".warehouse": "s3://warehouse",
        ".io-impl": f"{classes}.aws.s3.S3FileIO",
        ".s3.endpoint": options.s3,
        ".s3.access-key-id": "admin",
        ".s3.secret-access-key": "password",
        ".s3.path-style-access": "true",
        ".client.region": "us-east-1",
        ".http-client.type": "urlconnection",
    }
    return {
        "spark.sql.extensions": f"{classes}.spark.extensions.IcebergSparkSessionExtensions",
        "spark.jars": ",".join(jars),
        **{f"spark.sql.catalog.demo_ib{key}": value for key, value in catalog.items()},
    }


if __name__ == "__main__":
    main()
