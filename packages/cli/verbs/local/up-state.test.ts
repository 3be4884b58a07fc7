import { expect, test } from "vitest";
import { describeUp, type UpState } from "./up-state.ts";

const state: UpState = {
  kafkaBrokers: "127.0.0.1:9092",
  schemaRegistryUrl: "http://127.0.0.1:8081",
  mongoUrl: "mongodb://sluice:s3cret@store.example:27017",
  connections: {},
  database: "sluice",
  configurationFile: "sluice.yaml",
  partitionCount: 12,
  ingressUrl: "http://127.0.0.1:8080",
  consoleUrl: "http://127.0.0.1:8081",
  controlUrl: "http://127.0.0.1:8082",
  operations: {},
};

test("what is up is described without the password of an address", () => {
  expect(describeUp(state)).toContain("MongoDB          mongodb://store.example:27017/sluice");
  expect(describeUp(state)).not.toContain("s3cret");
});
