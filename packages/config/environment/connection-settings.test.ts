import { expect, test } from "vitest";
import { kafkaSettings, registrySettings, settingNames, storeSettings } from "./connection-settings.ts";
import { readEnvironment } from "./environment.ts";

const tables = { kafka: settingNames(kafkaSettings), registry: settingNames(registrySettings), store: settingNames(storeSettings) };
const brokers = { KAFKA_BROKERS: "kafka.example:9093" };
const secured = { ...brokers, KAFKA_TLS: "on" };

function problems(kind: keyof typeof tables, given: Readonly<Record<string, string>>): readonly string[] {
  try {
    readEnvironment(given, tables[kind]);
    return [];
  } catch (error) {
    const text = error instanceof Error ? error.message : "";
    return text.replace("environment: ", "").split("; ");
  }
}

test("a connection needs nothing but its address", () => {
  expect(readEnvironment(brokers, tables.kafka)).toMatchObject({ KAFKA_TLS: false, KAFKA_SASL_MECHANISM: null, KAFKA_TLS_CA_FILE: null });
  expect(readEnvironment({ SCHEMA_REGISTRY_URL: "https://r" }, tables.registry)).toMatchObject({ SCHEMA_REGISTRY_USERNAME: null });
  expect(readEnvironment({ MONGO_URL: "mongodb://m" }, tables.store)).toMatchObject({ MONGO_URL: "mongodb://m", MONGO_URL_FILE: null });
});

test.for<readonly [string, Readonly<Record<string, string>>]>([
  ["scram", { KAFKA_SASL_MECHANISM: "scram-sha-512", KAFKA_SASL_USERNAME: "u", KAFKA_SASL_PASSWORD_FILE: "/p" }],
  ["plain", { KAFKA_SASL_MECHANISM: "plain", KAFKA_SASL_USERNAME: "u", KAFKA_SASL_PASSWORD_FILE: "/p" }],
  ["a token's file", { KAFKA_SASL_MECHANISM: "oauthbearer", KAFKA_SASL_TOKEN_FILE: "/t" }],
  [
    "a token's endpoint",
    {
      KAFKA_SASL_MECHANISM: "oauthbearer",
      KAFKA_SASL_TOKEN_URL: "https://i/token",
      KAFKA_SASL_CLIENT_ID: "sluice",
      KAFKA_SASL_CLIENT_SECRET_FILE: "/s",
    },
  ],
  ["a client certificate", { KAFKA_TLS_CERTIFICATE_FILE: "/c", KAFKA_TLS_KEY_FILE: "/k", KAFKA_TLS_CA_FILE: "/a" }],
])("Kafka is reached over TLS with %s", ([, given]) => {
  expect(problems("kafka", { ...secured, ...given })).toEqual([]);
});

test("half of a pair is a problem under the name of the other half", () => {
  expect(problems("kafka", { ...secured, KAFKA_TLS_KEY_FILE: "/k" })).toEqual([
    "KAFKA_TLS_CERTIFICATE_FILE: is not set, but KAFKA_TLS_KEY_FILE is",
  ]);
  expect(problems("store", { MONGO_URL: "mongodb://m", MONGO_USERNAME: "u" })).toEqual([
    "MONGO_PASSWORD_FILE: is not set, but MONGO_USERNAME is",
  ]);
  expect(problems("kafka", { ...secured, KAFKA_SASL_MECHANISM: "scram-sha-256" })).toEqual([
    "KAFKA_SASL_USERNAME: is not set, but KAFKA_SASL_MECHANISM is",
  ]);
});

test("a setting without effect is a problem, because somebody believes that it has one", () => {
  expect(problems("kafka", { ...brokers, KAFKA_TLS_CA_FILE: "/a" })).toEqual(["KAFKA_TLS_CA_FILE: has no effect: KAFKA_TLS is not on"]);
  expect(problems("kafka", { ...secured, KAFKA_SASL_TOKEN_FILE: "/t" })).toEqual([
    "KAFKA_SASL_TOKEN_FILE: has no effect: KAFKA_SASL_MECHANISM is not set",
  ]);
  expect(problems("registry", { SCHEMA_REGISTRY_URL: "http://r", SCHEMA_REGISTRY_TLS_CA_FILE: "/a" })).toEqual([
    "SCHEMA_REGISTRY_TLS_CA_FILE: has no effect: SCHEMA_REGISTRY_URL is not https",
  ]);
  expect(problems("store", { MONGO_URL: "mongodb://m", MONGO_URL_FILE: "/u" })).toEqual([
    "MONGO_URL_FILE: has no effect: MONGO_URL is set",
  ]);
});

test("a secret is sent without TLS to a loopback address alone [D10.22]", () => {
  const plain = { KAFKA_SASL_MECHANISM: "plain", KAFKA_SASL_USERNAME: "u", KAFKA_SASL_PASSWORD_FILE: "/p" };
  expect(problems("kafka", { ...brokers, ...plain })).toEqual(["KAFKA_TLS: must be on: plain sends the secret itself"]);
  expect(problems("kafka", { KAFKA_BROKERS: "127.0.0.1:9092, localhost:9093", ...plain })).toEqual([]);
  const login = { SCHEMA_REGISTRY_USERNAME: "u", SCHEMA_REGISTRY_PASSWORD_FILE: "/p" };
  expect(problems("registry", { SCHEMA_REGISTRY_URL: "http://r/apis", ...login })).toEqual([
    "SCHEMA_REGISTRY_URL: must be https: a secret is sent to it",
  ]);
  expect(problems("registry", { SCHEMA_REGISTRY_URL: "http://127.0.0.1:8081", ...login })).toEqual([]);
});

test("no problem repeats a value", () => {
  const given = { KAFKA_BROKERS: "s3cret", KAFKA_TLS: "s3cret", KAFKA_SASL_MECHANISM: "s3cret", KAFKA_SASL_TOKEN_URL: "s3cret" };
  const found = problems("kafka", given).filter((one) => !one.startsWith("KAFKA_SASL_USERNAME"));
  expect(found).toContain("KAFKA_TLS: must be on or off");
  expect(found.map((one) => one.split(": ")[0])).toContain("KAFKA_SASL_MECHANISM");
  expect(problems("registry", { SCHEMA_REGISTRY_URL: "https://u:s3cret@r" })).toEqual([
    "SCHEMA_REGISTRY_URL: must not hold a user: use SCHEMA_REGISTRY_USERNAME",
  ]);
});
