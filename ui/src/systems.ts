/** What each system looks like: a colour and a simple drawing of our own, on a 16 by 16 grid. */

export interface Look {
  label: string;
  /** Hue of its colour; lightness follows the theme. */
  hue: number;
  /** Strokes of the icon, as an SVG path. */
  icon: string;
}

const ICONS = {
  log: "M2 4h12M2 8h12M2 12h12M5 2v4M10 6v4M7 10v4",
  plug: "M6 2v4M10 2v4M4 6h8v2a4 4 0 0 1-8 0zM8 12v3",
  spark: "M8 1.5l1.8 4.3 4.6.4-3.5 3 1.1 4.6L8 11.300l-4 2.500 1.100-4.600-3.500-3 4.600-.4z",
  wave: "M1.500 6c2.200-3 4.300-3 6.500 0s4.300 3 6.500 0M1.500 11c2.200-3 4.300-3 6.500 0s4.300 3 6.500 0",
  ice: "M8 1.500l5 5-5 8-5-8zM3 6.500h10M8 1.500v5",
  cylinder:
    "M3 4c0-1.400 2.200-2.500 5-2.500S13 2.600 13 4v8c0 1.400-2.200 2.500-5 2.500S3 13.400 3 12zM3 4c0 1.400 2.200 2.500 5 2.500S13 5.400 13 4M3 8c0 1.400 2.200 2.500 5 2.500S13 9.400 13 8",
  flake:
    "M8 1.500v13M2.400 4.700l11.200 6.600M13.600 4.700L2.400 11.300M6 2.500l2 1.600 2-1.600M6 13.500l2-1.600 2 1.600",
  model: "M2 5l6-3.500L14 5 8 8.500zM2 5v6l6 3.500 6-3.500V5M8 8.500v6",
  bucket: "M2.500 4h11l-1.500 10H4zM2.500 4c0-1.400 2.400-2.500 5.500-2.500s5.500 1.100 5.500 2.500",
  chart: "M2 14V2M2 14h12M5 11V8M8.500 11V5M12 11V7",
  file: "M4 1.500h5l3.500 3.500v9.500H4zM9 1.500V5h3.500",
  clock: "M8 1.500a6.500 6.500 0 1 1 0 13 6.500 6.500 0 0 1 0-13zM8 4.500V8l2.500 2",
  box: "M3 3h10v10H3z",
};

const LOOKS: Record<string, Look> = {
  kafka: { label: "Kafka", hue: 265, icon: ICONS.log },
  kinesis: { label: "Kinesis", hue: 285, icon: ICONS.log },
  pulsar: { label: "Pulsar", hue: 215, icon: ICONS.log },
  kafka_connect: { label: "Kafka Connect", hue: 245, icon: ICONS.plug },
  "kafka-connect": { label: "Kafka Connect", hue: 245, icon: ICONS.plug },
  debezium: { label: "Debezium", hue: 150, icon: ICONS.plug },
  spark: { label: "Spark", hue: 20, icon: ICONS.spark },
  databricks: { label: "Databricks", hue: 8, icon: ICONS.spark },
  flink: { label: "Flink", hue: 340, icon: ICONS.wave },
  ksqldb: { label: "ksqlDB", hue: 325, icon: ICONS.wave },
  iceberg: { label: "Iceberg", hue: 195, icon: ICONS.ice },
  delta: { label: "Delta", hue: 190, icon: ICONS.ice },
  hive: { label: "Hive", hue: 48, icon: ICONS.cylinder },
  postgres: { label: "PostgreSQL", hue: 212, icon: ICONS.cylinder },
  mysql: { label: "MySQL", hue: 200, icon: ICONS.cylinder },
  mssql: { label: "SQL Server", hue: 0, icon: ICONS.cylinder },
  oracle: { label: "Oracle", hue: 5, icon: ICONS.cylinder },
  redshift: { label: "Redshift", hue: 230, icon: ICONS.cylinder },
  bigquery: { label: "BigQuery", hue: 220, icon: ICONS.cylinder },
  snowflake: { label: "Snowflake", hue: 190, icon: ICONS.flake },
  dbt: { label: "dbt", hue: 15, icon: ICONS.model },
  airflow: { label: "Airflow", hue: 170, icon: ICONS.clock },
  dagster: { label: "Dagster", hue: 255, icon: ICONS.clock },
  s3: { label: "S3", hue: 110, icon: ICONS.bucket },
  gcs: { label: "Google Storage", hue: 130, icon: ICONS.bucket },
  azure: { label: "Azure Storage", hue: 205, icon: ICONS.bucket },
  hdfs: { label: "HDFS", hue: 60, icon: ICONS.bucket },
  file: { label: "Files", hue: 90, icon: ICONS.file },
  superset: { label: "Superset", hue: 180, icon: ICONS.chart },
  tableau: { label: "Tableau", hue: 30, icon: ICONS.chart },
  looker: { label: "Looker", hue: 260, icon: ICONS.chart },
  powerbi: { label: "Power BI", hue: 45, icon: ICONS.chart },
  metabase: { label: "Metabase", hue: 210, icon: ICONS.chart },
  grafana: { label: "Grafana", hue: 25, icon: ICONS.chart },
};

const UNKNOWN = "unknown";

export function lookOf(system: string): Look {
  return LOOKS[system] ?? { label: system || "other", hue: hueOf(system), icon: ICONS.box };
}

/** Schemes that are another name of a system, as the server has them. */
const SAME: Record<string, string> = {
  s3a: "s3",
  s3n: "s3",
  postgresql: "postgres",
  gs: "gcs",
  abfss: "azure",
  abfs: "azure",
  wasbs: "azure",
  sqlserver: "mssql",
  dbfs: "databricks",
};

/** The scheme of a namespace, by which a dataset's system is known; a word alone may be anything. */
export function systemOfNamespace(namespace: string): string {
  const scheme = (namespace.split("://")[0] ?? "").split(":")[0]!.toLowerCase();
  const system = SAME[scheme] ?? scheme;
  return namespace.includes(":") || system in LOOKS ? system : UNKNOWN;
}

/** The system of a job that is known by its namespace alone: only where it has a scheme, as on the server. */
export function systemOfJob(namespace: string): string {
  return namespace.includes("://") ? systemOfNamespace(namespace) : UNKNOWN;
}

/** A hue for a system that nobody drew: always the same for the same name. */
function hueOf(name: string): number {
  let sum = 0;
  for (const letter of name) sum = (sum * 31 + letter.codePointAt(0)!) % 360;
  return sum;
}
