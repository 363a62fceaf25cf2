"""SQL dialects of streaming engines, for sqlglot: importing this package registers them.

`flink` is Flink SQL (Apache's and Confluent's), `ksqldb` is ksqlDB's SQL. Their trees consist of
sqlglot's own nodes, and of those in `nodes.py`, where it has none.
"""

from headwater.sql.dialects.flink import Flink
from headwater.sql.dialects.ksqldb import KsqlDB
from headwater.sql.dialects.options import create_options, external_engine

__all__ = ["Flink", "KsqlDB", "create_options", "external_engine"]
