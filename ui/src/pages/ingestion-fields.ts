/** The form of an ingestion: its keys, and the way between what is typed and what is stored. */
import type { IngestionAnswer } from "../api/schema";

export type Source = "kafka" | "kinesis" | "files";
type Json = Record<string, unknown>;
export type Values = Record<string, string | boolean>;

export interface Field {
  /** Where it is in the configuration: `brokerConfig` is left out before a broker's keys. */
  path: string;
  kind: "text" | "number" | "check" | "choice" | "patterns" | "date";
  section: "broker" | "options" | "schedule" | "names";
  source?: Source;
  choices?: string[];
  isRequired?: boolean;
  standard?: string | boolean;
}

const kafka = (path: string, more: Partial<Field> = {}): Field => ({
  path,
  kind: "text",
  section: "broker",
  source: "kafka",
  ...more,
});
const kinesis = (path: string, more: Partial<Field> = {}): Field => ({ ...kafka(path, more), source: "kinesis" });
const option = (path: string, kind: Field["kind"], standard?: string | boolean): Field => ({
  path,
  kind,
  section: "options",
  standard,
});

export const INTERVALS = ["hourly", "daily", "weekly", "cron", "manual", "continuous"];

export const FIELDS: Field[] = [
  { path: "displayName", kind: "text", section: "names" },
  { path: "description", kind: "text", section: "names" },
  kafka("brokersUrl", { isRequired: true }),
  kafka("topicName", { isRequired: true }),
  kafka("consumerGroupName"),
  kafka("consumerOffsets", { kind: "choice", choices: ["earliest", "latest"], standard: "earliest" }),
  kafka("securityProtocol", {
    kind: "choice",
    choices: ["PLAINTEXT", "SASL_PLAINTEXT", "SSL", "SASL_SSL"],
    standard: "PLAINTEXT",
  }),
  kafka("sslConfig.caCertificate"),
  kafka("sslConfig.sslCertificate"),
  kafka("sslConfig.sslKey"),
  kafka("saslConfig.saslMechanism", {
    kind: "choice",
    choices: ["", "PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"],
    standard: "",
  }),
  kafka("saslConfig.saslUsername"),
  kafka("saslConfig.saslPassword"),
  kinesis("streamName", { isRequired: true }),
  kinesis("awsConfig.awsRegion", { isRequired: true }),
  kinesis("awsConfig.awsAccessKeyId"),
  kinesis("awsConfig.awsSecretAccessKey"),
  kinesis("awsConfig.awsSessionToken"),
  kinesis("awsConfig.endPointURL"),
  kinesis("consumerOffsets", { kind: "choice", choices: ["TRIM_HORIZON", "LATEST"], standard: "TRIM_HORIZON" }),
  { path: "place", kind: "text", section: "broker", source: "files", isRequired: true },
  { path: "poolTimeout", kind: "number", section: "broker" },
  { path: "sessionTimeout", kind: "number", section: "broker" },
  option("pipelineFilterPattern.includes", "patterns"),
  option("pipelineFilterPattern.excludes", "patterns"),
  option("includeLineage", "check", true),
  option("includeOwners", "check", true),
  option("includeTags", "check", true),
  option("markDeletedPipelines", "check", false),
  option("markDeletedAfter", "text", "30d"),
  option("markDeletedExclude", "patterns"),
  option("enableDebugLog", "check", false),
  { path: "interval", kind: "choice", section: "schedule", choices: INTERVALS, standard: "hourly" },
  { path: "cron", kind: "text", section: "schedule" },
  { path: "startDate", kind: "date", section: "schedule" },
  { path: "endDate", kind: "date", section: "schedule" },
];

/** Two sources have a key of the same name. */
export const keyOf = ({ path, source }: Field): string => (source ? `${source}.${path}` : path);

export const fieldsOf = (section: Field["section"], source: Source): Field[] =>
  FIELDS.filter((field) => field.section === section && (!field.source || field.source === source));

export function sourceOf(answer?: IngestionAnswer): Source {
  const broker = brokerOf(answer);
  if ("streamName" in broker) return "kinesis";
  return "place" in broker ? "files" : "kafka";
}

/** What the form begins with. */
export function valuesOf(answer?: IngestionAnswer): Values {
  const source = sourceOf(answer);
  const schedule = scheduleOf(answer);
  const parts: Record<Field["section"], Json> = {
    names: (answer ?? {}) as unknown as Json,
    broker: brokerOf(answer),
    options: inner(answer?.sourceConfig),
    schedule,
  };
  const values: Values = {};
  for (const field of FIELDS) {
    const isOthers = field.source !== undefined && field.source !== source;
    const found = isOthers ? undefined : get(parts[field.section], field.path);
    values[keyOf(field)] = asValue(found, field);
  }
  return values;
}

/** What is stored: keys that the form does not have stay as they are. */
export function bodyOf(values: Values, source: Source, answer?: IngestionAnswer): Json {
  const known = answer && sourceOf(answer) === source ? brokerOf(answer) : {};
  const broker = fill(known, fieldsOf("broker", source), values);
  const config = { ...inner(answer?.connection), brokerConfig: broker };
  const options = fill(inner(answer?.sourceConfig), fieldsOf("options", source), values);
  const schedule: Json = { interval: values.interval === "cron" ? values.cron : values.interval };
  for (const key of ["startDate", "endDate"]) if (values[key]) schedule[key] = values[key];
  const names = fill({}, fieldsOf("names", source), values);
  // The older form has the broker's keys beside the others.
  if (!("brokerConfig" in inner(answer?.connection)))
    for (const key of Object.keys(known)) delete (config as Json)[key];
  const level = answer?.loggerLevel ? { loggerLevel: answer.loggerLevel } : {};
  return { ...names, connection: { config }, sourceConfig: { config: options }, schedule, ...level };
}

function fill(base: Json, fields: Field[], values: Values): Json {
  const filled = structuredClone(base);
  for (const field of fields) {
    const value = values[keyOf(field)];
    if (field.kind === "check") put(filled, field.path, value === true);
    else if (value === "" || value === undefined) put(filled, field.path, undefined);
    else put(filled, field.path, field.kind === "number" ? Number(value) : value);
  }
  return filled;
}

function asValue(found: unknown, { kind, standard }: Field): string | boolean {
  if (kind === "check") return typeof found === "boolean" ? found : standard === true;
  if (Array.isArray(found)) return found.join(", ");
  return found === undefined || found === null ? String(standard ?? "") : String(found);
}

function get(from: Json, path: string): unknown {
  return path.split(".").reduce<unknown>((at, key) => (at as Json | undefined)?.[key], from);
}

function put(into: Json, path: string, value: unknown): void {
  const [key, ...rest] = path.split(".");
  if (key === undefined) return;
  if (rest.length === 0) {
    if (value === undefined) delete into[key];
    else into[key] = value;
    return;
  }
  const next = { ...(into[key] as Json | undefined) };
  put(next, rest.join("."), value);
  if (Object.keys(next).length === 0) delete into[key];
  else into[key] = next;
}

function inner(found: unknown): Json {
  const given = (found ?? {}) as Json;
  return (given.config ?? given) as Json;
}

function brokerOf(answer?: IngestionAnswer): Json {
  const config = inner(answer?.connection);
  return (config.brokerConfig ?? config) as Json;
}

/** A schedule as the form shows it: what is none of the named intervals is a cron expression. */
function scheduleOf(answer?: IngestionAnswer): Json {
  if (!answer) return {};
  const given = answer.schedule ?? "manual";
  const schedule = typeof given === "string" ? { interval: given } : (given as Json);
  const interval = String(schedule.interval ?? schedule.scheduleInterval ?? "manual");
  return INTERVALS.includes(interval) ? { ...schedule, interval } : { ...schedule, interval: "cron", cron: interval };
}
