import { expect, test } from "vitest";
import { addressVariable, integerVariable, listVariable, choiceVariable, readEnvironment, textVariable } from "./environment.ts";

const settings = {
  brokers: listVariable("KAFKA_BROKERS"),
  registry: addressVariable("SCHEMA_REGISTRY_URL", ["http", "https"]),
  database: textVariable("SLUICE_DATABASE", "sluice"),
  port: integerVariable("SLUICE_HTTP_PORT", { min: 0, max: 65_535, fallback: 8080 }),
  level: choiceVariable("SLUICE_LOG_LEVEL", ["info", "warn"], "info"),
};

test("values are read and defaults filled in; an empty variable counts as not set", () => {
  const environment = {
    KAFKA_BROKERS: "a:1, b:2",
    SCHEMA_REGISTRY_URL: "http://127.0.0.1:8081/apis/",
    SLUICE_DATABASE: "",
    SLUICE_HTTP_PORT: "0",
  };
  expect(readEnvironment(environment, settings)).toEqual({
    brokers: ["a:1", "b:2"],
    registry: "http://127.0.0.1:8081/apis",
    database: "sluice",
    port: 0,
    level: "info",
  });
});

test("all errors are reported at once, and none repeats a value", () => {
  const environment = { SCHEMA_REGISTRY_URL: "secret-1", SLUICE_HTTP_PORT: "secret-2", SLUICE_LOG_LEVEL: "secret-3" };
  const message = catchMessage(() => readEnvironment(environment, settings));
  for (const name of ["KAFKA_BROKERS is not set", "SCHEMA_REGISTRY_URL must", "SLUICE_HTTP_PORT must", "SLUICE_LOG_LEVEL must"]) {
    expect(message).toContain(name);
  }
  expect(message).not.toContain("secret");
});

test.each(["-1", "1.5", "65536", "0x10", "1e3"])("%s is not accepted as a port", (value) => {
  expect(catchMessage(() => readEnvironment({ SLUICE_HTTP_PORT: value }, { port: settings.port }))).toContain("SLUICE_HTTP_PORT must");
});

function catchMessage(action: () => unknown): string {
  try {
    action();
  } catch (error) {
    return error instanceof Error ? error.message : "";
  }
  return "nothing thrown";
}
