import { describe, expect, it } from "vitest";
import { SluiceEnvironment } from "./index.ts";
import { serverVariables } from "./servers.ts";

const servers = { kafkaBrokers: "kafka:9092", schemaRegistryUrl: "http://registry:8080", mongoUrl: "mongodb://mongo:27017" };

describe("an environment that cannot be", () => {
  it.each<[string, SluiceEnvironment, RegExp]>([
    ["another clock on real servers", new SluiceEnvironment().withServers(servers).withClock("2026-11-20T06:00:00Z"), /machine's time/],
    [
      "another clock on servers that are started",
      new SluiceEnvironment().withStartedServers().withClock("2026-11-20T06:00:00Z"),
      /machine's time/,
    ],
    ["servers that are given and started", new SluiceEnvironment().withServers(servers).withStartedServers(), /exclude each other/],
    ["real servers that are used again", new SluiceEnvironment().withServers(servers).withReuse(), /without servers/],
  ])("is refused at its start: %s", async (_, environment, reason) => {
    await expect(environment.start()).rejects.toThrow(reason);
  });

  it("is refused at its start: a process that is kept for another run", async () => {
    const failure: unknown = await new SluiceEnvironment()
      .withSource("nowhere")
      .withReuse()
      .start()
      .catch((error: unknown) => error);
    expect(String(failure)).toBe("Error: Sluice did not start");
    expect(String(failure instanceof Error ? failure.cause : null)).toMatch(/needs a container/);
  });
});

describe("the variables of real servers", () => {
  it("are the addresses, a database of its own for each start, and what else is given", () => {
    const first = serverVariables({ ...servers, settings: { KAFKA_TLS: "on" } });
    expect(first).toMatchObject({ KAFKA_BROKERS: "kafka:9092", SCHEMA_REGISTRY_URL: "http://registry:8080", KAFKA_TLS: "on" });
    expect(first["SLUICE_DATABASE"]).toMatch(/^sluice_test_[0-9a-f]{12}$/);
    expect(serverVariables(servers)["SLUICE_DATABASE"]).not.toBe(first["SLUICE_DATABASE"]);
    expect(serverVariables({ ...servers, database: "mine" })["SLUICE_DATABASE"]).toBe("mine");
  });
});
