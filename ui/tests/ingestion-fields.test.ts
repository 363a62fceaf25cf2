import { expect, test } from "vitest";

import type { IngestionAnswer } from "../src/api/schema";
import { bodyOf, sourceOf, valuesOf } from "../src/pages/ingestion-fields";

const answer = (config: unknown, more: object = {}) =>
  ({ name: "shop", displayName: "Shop", description: "", connection: { config }, ...more }) as IngestionAnswer;

const KAFKA = { brokersUrl: "a:9092", topicName: "x", securityProtocol: "PLAINTEXT", consumerOffsets: "latest" };

test("a new one is hourly and of Kafka", () => {
  const values = valuesOf();
  expect(values).toMatchObject({ interval: "hourly", includeLineage: true, markDeletedPipelines: false });
  expect(sourceOf()).toBe("kafka");
});

test("what the form does not have stays as it is", () => {
  const config = { brokerConfig: { ...KAFKA, poolTimeout: 3 }, namespaceToServiceMapping: { a: "b" } };
  const sourceConfig = { config: { threads: 2, pipelineFilterPattern: { includes: ["a", "b"] } } };
  const of = answer(config, { sourceConfig, schedule: "0 3 * * *", loggerLevel: "DEBUG" });
  const values = valuesOf(of);
  expect(values).toMatchObject({ interval: "cron", cron: "0 3 * * *", "pipelineFilterPattern.includes": "a, b" });
  expect(bodyOf(values, "kafka", of)).toMatchObject({
    connection: { config },
    sourceConfig: { config: { threads: 2, pipelineFilterPattern: { includes: "a, b" } } },
    schedule: { interval: "0 3 * * *" },
    loggerLevel: "DEBUG",
  });
});

test("an empty field takes its key away", () => {
  const sasl = { saslMechanism: "PLAIN", saslUsername: "ada" };
  const of = answer({ brokerConfig: { ...KAFKA, saslConfig: sasl } });
  const values = { ...valuesOf(of), "kafka.saslConfig.saslMechanism": "", "kafka.saslConfig.saslUsername": "" };
  const { config } = bodyOf(values, "kafka", of).connection as { config: { brokerConfig: object } };
  expect(config.brokerConfig).toEqual(KAFKA);
});

test("another source begins anew, and the older form becomes the newer", () => {
  const of = answer({ type: "OpenLineage", ...KAFKA });
  const moved = bodyOf({ ...valuesOf(of), place: "/events", "files.place": "/events" }, "files", of);
  expect(moved.connection).toEqual({ config: { brokerConfig: { place: "/events" }, type: "OpenLineage" } });
});
