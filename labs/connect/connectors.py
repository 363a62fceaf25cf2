"""The configurations of the guide, and what has to differ where its connectors cannot be had.

The guide is Factor House's on lineage of Kafka Connect. Its generator, its S3 sink and its Avro
converter are in no public Maven repository, nor is Tabular's Iceberg sink.
"""

from typing import NamedTuple

Config = dict[str, str]

BROKER = "kafka-1:19092"
_GENERATOR = "com.amazonaws.mskdatagen.GeneratorSourceConnector"
_S3_SINK = "io.confluent.connect.s3.S3SinkConnector"
_ICEBERG_SINK = "io.tabular.iceberg.connect.IcebergSinkConnector"
_KAFKAS = "org.apache.kafka.connect.transforms."
_SUPPLIER = "#{regexify '(Alice|Bob|Carol|Alex|Joe|James|Jane|Jack)'}"

_CONVERTERS = {
    "key.converter": "org.apache.kafka.connect.storage.StringConverter",
    "value.converter": "io.confluent.connect.avro.AvroConverter",
    "value.converter.schema.registry.url": "http://schema:8081",
    "value.converter.basic.auth.credentials.source": "USER_INFO",
    "value.converter.basic.auth.user.info": "admin:admin",
}
_GENERATED = {
    "orders": {
        "order_id": "#{Internet.uuid}",
        "bid_time": "#{date.past '5','SECONDS'}",
        "price": "#{number.random_double '2','1','150'}",
        "item": "#{Commerce.productName}",
        "supplier": _SUPPLIER,
    },
    "bids": {
        "order_id": "#{Internet.uuid}",
        "bid_time": "#{date.past '5','SECONDS'}",
        "price": "#{number.random_double '2','1','150'}",
        "supplier": _SUPPLIER,
    },
}


class Place(NamedTuple):
    """Where things are that the guide has in containers."""

    registry: str
    compatible: str
    s3: str
    catalog: str


def seed_configs(prefix: str, topics: tuple[str, ...]) -> dict[str, Config]:
    """The guide's source and its two sinks, of one topic or of several, by name."""
    return {
        f"{prefix}-source": _source(f"{prefix}-source", topics),
        f"{prefix}-s3-sink": _s3_sink(f"{prefix}-s3-sink", topics),
        f"{prefix}-iceberg-sink": _iceberg_sink(f"{prefix}-iceberg-sink", topics),
    }


def deployed(seed: Config, place: Place) -> Config:
    """A configuration of the guide as it is deployed here."""
    config = dict(seed)
    config["value.converter"] = "io.apicurio.registry.utils.converter.AvroConverter"
    config["value.converter.apicurio.registry.url"] = place.registry
    config["value.converter.apicurio.registry.auto-register"] = "true"
    # As Confluent's clients write it: the schema's number in the value.
    config["value.converter.apicurio.registry.headers.enabled"] = "false"
    del config["value.converter.schema.registry.url"]
    config["transforms.openlineage.value.converter.schema.registry.url"] = place.compatible
    if seed["connector.class"] == _S3_SINK:
        _deploy_s3(config, place)
    if seed["connector.class"] == _ICEBERG_SINK:
        _deploy_iceberg(config, place)
    return config


def differences(seed: Config, config: Config) -> list[tuple[str, str, str]]:
    """Each key that differs: its value in the guide, and here; `-` for none."""
    keys = sorted(seed.keys() | config.keys())
    found = [(key, seed.get(key, "-"), config.get(key, "-")) for key in keys]
    return [(key, before, after) for key, before, after in found if before != after]


def debezium(port: int, place: Place) -> Config:
    """Changes of a PostgreSQL database, in Avro; the guide has none."""
    avro = {
        f"{part}.converter{key}": value
        for part in ("key", "value")
        for key, value in {
            "": "io.apicurio.registry.utils.converter.AvroConverter",
            ".apicurio.registry.url": place.registry,
            ".apicurio.registry.auto-register": "true",
            ".apicurio.registry.headers.enabled": "false",
        }.items()
    }
    return {
        "connector.class": "io.debezium.connector.postgresql.PostgresConnector",
        "tasks.max": "1",
        "database.hostname": "127.0.0.1",
        "database.port": str(port),
        "database.user": "postgres",
        "database.password": "any",
        "database.dbname": "shop",
        "topic.prefix": "shop",
        "plugin.name": "pgoutput",
        "publication.autocreate.mode": "filtered",
        "table.include.list": "public.suppliers",
        "topic.creation.default.replication.factor": "1",
        "topic.creation.default.partitions": "1",
        **avro,
        "transforms": "unwrap,openlineage",
        "transforms.unwrap.type": "io.debezium.transforms.ExtractNewRecordState",
        "transforms.openlineage.type": "io.headwater.connect.HeadwaterTransform",
    }


def _source(name: str, topics: tuple[str, ...]) -> Config:
    fields = {
        f"genv.{topic}.{field}.with": how
        for topic in topics
        for field, how in _GENERATED[topic].items()
    }
    return {
        "connector.class": _GENERATOR,
        "tasks.max": "1",
        **_CONVERTERS,
        "key.converter.schemas.enable": "false",
        "value.converter.schemas.enable": "true",
        **fields,
        "transforms": "openlineage,unwrapUnion,extractKey,flattenKey,convertBidTime",
        **_lineage(name, _GENERATOR, topics),
        "transforms.unwrapUnion.type": "io.factorhouse.smt.UnwrapUnionTransform",
        "transforms.extractKey.type": f"{_KAFKAS}ValueToKey",
        "transforms.extractKey.fields": "order_id",
        "transforms.flattenKey.type": f"{_KAFKAS}ExtractField$Key",
        "transforms.flattenKey.field": "order_id",
        "transforms.convertBidTime.type": f"{_KAFKAS}TimestampConverter$Value",
        "transforms.convertBidTime.field": "bid_time",
        "transforms.convertBidTime.target.type": "Timestamp",
        "transforms.convertBidTime.format": "EEE MMM dd HH:mm:ss zzz yyyy",
        "global.throttle.ms": "1000",
        "global.history.records.max": "1000",
    }


def _s3_sink(name: str, topics: tuple[str, ...]) -> Config:
    return {
        "connector.class": _S3_SINK,
        "tasks.max": "1",
        "topics": ",".join(topics),
        "storage.class": "io.confluent.connect.s3.storage.S3Storage",
        "format.class": "io.confluent.connect.s3.format.json.JsonFormat",
        "partitioner.class": "io.confluent.connect.storage.partitioner.DefaultPartitioner",
        **_CONVERTERS,
        "key.converter.schemas.enable": "false",
        "value.converter.schemas.enable": "true",
        "s3.bucket.name": "fh-dev-bucket",
        "s3.region": "us-east-1",
        "store.url": "http://minio:9000",
        "s3.path.style.access": "true",
        "s3.part.size": "5242880",
        "aws.access.key.id": "admin",
        "aws.secret.access.key": "password",
        "transforms": "openlineage",
        **_lineage(name, _S3_SINK, topics),
        "transforms.openlineage.dataset.namespace": "s3://fh-dev-bucket",
        "flush.size": "100",
        "rotate.schedule.interval.ms": "60000",
        "timezone": "UTC",
        "errors.log.enable": "true",
        "errors.log.include.messages": "true",
    }


def _iceberg_sink(name: str, topics: tuple[str, ...]) -> Config:
    return {
        "connector.class": _ICEBERG_SINK,
        "tasks.max": "1",
        "topics": ",".join(topics),
        **_CONVERTERS,
        "iceberg.catalog": "demo_ib",
        "iceberg.catalog.type": "hive",
        "iceberg.catalog.uri": "thrift://hive-metastore:9083",
        "iceberg.catalog.warehouse": "s3://warehouse",
        "iceberg.catalog.io-impl": "org.apache.iceberg.aws.s3.S3FileIO",
        "iceberg.catalog.s3.endpoint": "http://minio:9000",
        "iceberg.catalog.s3.region": "us-east-1",
        "iceberg.catalog.s3.access-key-id": "admin",
        "iceberg.catalog.s3.secret-access-key": "password",
        "iceberg.catalog.s3.path-style-access": "true",
        "iceberg.catalog.client.connect-timeout-ms": "10000",
        "iceberg.catalog.client.read-timeout-ms": "60000",
        "iceberg.tables": ",".join(f"default.{topic}" for topic in topics),
        "iceberg.control.commit.interval-ms": "10000",
        "transforms": "openlineage",
        **_lineage(name, _ICEBERG_SINK, topics),
        "transforms.openlineage.dataset.namespace": "s3://warehouse",
        "transforms.openlineage.dataset.names": ",".join(topics),
    }


def _lineage(name: str, kind: str, topics: tuple[str, ...]) -> Config:
    registry = {
        "schema.registry.url": "http://schema:8081",
        "basic.auth.credentials.source": "USER_INFO",
        "basic.auth.user.info": "admin:admin",
    }
    own = {
        "type": "io.factorhouse.smt.OpenLineageLifecycleSmt",
        "connector.name": name,
        "connector.class": kind,
        "topics": ",".join(topics),
        "key.converter.schema.read": "false",
        "value.converter.schema.read": "true",
        **{f"value.converter.{key}": value for key, value in registry.items()},
    }
    return {f"transforms.openlineage.{key}": value for key, value in own.items()}


def _deploy_s3(config: Config, place: Place) -> None:
    """Camel's sink has one URL for the store; what writes JSON is a transform there."""
    keys = "accessKey=admin&secretKey=password&region=us-east-1"
    here = f"overrideEndpoint=true&uriEndpointOverride={place.s3}"
    config["connector.class"] = "org.apache.camel.kafkaconnector.CamelSinkConnector"
    url = f"aws2-s3://fh-dev-bucket?{keys}&{here}"
    config["camel.sink.url"] = f"{url}&keyName=topics/${{exchangeId}}.json"
    config["transforms"] = "openlineage,json"
    json_type = "org.apache.camel.kafkaconnector.transforms.SchemaAndStructToJsonTransform"
    config["transforms.json.type"] = json_type
    config["transforms.json.converter.type"] = "value"
    for key in ("store.url", "aws.access.key.id", "aws.secret.access.key"):
        del config[key]


def _deploy_iceberg(config: Config, place: Place) -> None:
    """Apache's sink is Tabular's under another name; the catalog is a file instead of Hive's."""
    config["connector.class"] = "org.apache.iceberg.connect.IcebergSinkConnector"
    del config["iceberg.catalog.type"]
    config["iceberg.catalog.catalog-impl"] = "org.apache.iceberg.jdbc.JdbcCatalog"
    config["iceberg.catalog.uri"] = place.catalog
    config["iceberg.catalog.s3.endpoint"] = place.s3
    # Its settings say the region to Iceberg alone, and Amazon's client wants to be told too.
    config["iceberg.catalog.client.region"] = "us-east-1"
    config["iceberg.catalog.http-client.type"] = "urlconnection"
