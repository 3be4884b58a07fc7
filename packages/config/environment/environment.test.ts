import { expect, test } from "vitest";
import { readEnvironment, variables } from "./environment.ts";

test("values are read and defaults filled in; an empty variable counts as not set", () => {
  const environment = {
    KAFKA_BROKERS: "a:1, b:2",
    SCHEMA_REGISTRY_URL: "http://127.0.0.1:8081/apis/",
    SLUICE_DATABASE: "",
    SLUICE_HTTP_PORT: "0",
    SLUICE_CONSOLE_PORT: "8080",
  };
  const names = [
    "KAFKA_BROKERS",
    "SCHEMA_REGISTRY_URL",
    "SLUICE_DATABASE",
    "SLUICE_HTTP_PORT",
    "SLUICE_CONSOLE_PORT",
    "SLUICE_LOG_LEVEL",
  ] as const;
  expect(readEnvironment(environment, names)).toEqual({
    KAFKA_BROKERS: ["a:1", "b:2"],
    SCHEMA_REGISTRY_URL: "http://127.0.0.1:8081/apis",
    SLUICE_DATABASE: "sluice",
    SLUICE_HTTP_PORT: 0,
    SLUICE_CONSOLE_PORT: 8080,
    SLUICE_LOG_LEVEL: "info",
  });
});

test("a variable begins with SLUICE_, and one about a server with the server's name [D1.4] [D1.9]", () => {
  const others = Object.keys(variables).filter((name) => !name.startsWith("SLUICE_"));
  expect(others.filter((name) => !/^(?:KAFKA|SCHEMA_REGISTRY|MONGO)_/.test(name))).toEqual([]);
  expect(others).toEqual(expect.arrayContaining(["KAFKA_BROKERS", "SCHEMA_REGISTRY_URL", "MONGO_URL"]));
});

test("all errors are reported at once, as those of the configuration file are, and none repeats a value", () => {
  const environment = {
    KAFKA_BROKERS: " , ",
    SCHEMA_REGISTRY_URL: "secret-1",
    MONGO_URL: "mongodb+srv://secret-2:secret-3@[",
    SLUICE_HTTP_PORT: "secret-4",
    SLUICE_LOG_LEVEL: "secret-5",
  };
  const names = ["SLUICE_LOG_LEVEL", "KAFKA_BROKERS", "SCHEMA_REGISTRY_URL", "MONGO_URL", "SLUICE_CONFIG", "SLUICE_HTTP_PORT"] as const;
  expect(catchMessage(() => readEnvironment(environment, names))).toBe(
    [
      "environment: SLUICE_LOG_LEVEL: must be one of debug, info, warn, error",
      "KAFKA_BROKERS: must name at least one, separated by commas",
      "SCHEMA_REGISTRY_URL: must be an address that starts with http:// or https://",
      "MONGO_URL: must be an address that starts with mongodb:// or mongodb+srv://",
      "SLUICE_CONFIG: is not set",
      "SLUICE_HTTP_PORT: must be a whole number from 0 to 65535",
    ].join("; "),
  );
});

test("a variable that is not asked for is not read", () => {
  expect(readEnvironment({ MONGO_URL: "wrong" }, ["SLUICE_OPS_PORT"])).toEqual({ SLUICE_OPS_PORT: 0 });
});

test.each(["-1", "1.5", "65536", "0x10", "1e3"])("%s is not accepted as a port", (value) => {
  expect(catchMessage(() => readEnvironment({ SLUICE_HTTP_PORT: value }, ["SLUICE_HTTP_PORT"]))).toContain("SLUICE_HTTP_PORT: must");
});

function catchMessage(action: () => unknown): string {
  try {
    action();
  } catch (error) {
    return error instanceof Error ? error.message : "";
  }
  return "nothing thrown";
}
