import { machineTime, type Time } from "@sluice/kernel";
import { expect, test } from "vitest";
import { schemaVersions } from "../generated/records.ts";
import { type FakeRegistry, startFakeRegistry } from "./registry.fixture.ts";
import { createRegistrySerde, registerSchemas, subjects } from "./serde-registry.ts";

const release = { scheme: "ZA_EFT", businessDate: "2026-11-20", windowNumber: 1, bank: "first" };

/** Whether a request is about another record than the first one, which is asked for alone. */
function isOfOthers(request: string): boolean {
  const firstRecord = subjects()[0]?.record;
  return !subjects().some(({ subject, record }) => record === firstRecord && request.includes(encodeURIComponent(subject)));
}

async function startProvisionedRegistry(): Promise<FakeRegistry> {
  const registry = await startFakeRegistry();
  await registerSchemas({ url: registry.url, time: machineTime });
  return registry;
}

/** A clock whose waits end at once; it records each wait. */
function hurried(): Time & { readonly waitsMs: readonly number[] } {
  const waitsMs: number[] = [];
  return {
    ...machineTime,
    waitsMs,
    after(delayMs, action) {
      if (delayMs >= 5_000) return machineTime.after(delayMs, action);
      waitsMs.push(delayMs);
      return machineTime.after(0, action);
    },
  };
}

test("every record is registered under its topic and name, what analysts read under its topic alone too [D10.70]", async () => {
  await using registry = await startProvisionedRegistry();
  const serde = await createRegistrySerde({ url: registry.url, time: machineTime });
  expect([...registry.levels.keys()].toSorted()).toEqual(
    subjects()
      .map(({ subject }) => subject)
      .toSorted(),
  );
  expect(registry.levels.has("sluice.journal.v1-sluice.DirectDebitReceived")).toBe(true);
  const byTopic = [...registry.levels.keys()].filter((subject) => subject.endsWith("-value"));
  const ofAnalysts = ["days", "items", "receipts", "state-events", "transactions"].map((topic) => `sluice.${topic}.v1-value`);
  expect(byTopic.toSorted()).toEqual(ofAnalysts);
  expect(new Set(registry.levels.values())).toEqual(new Set(["FULL_TRANSITIVE"]));
  expect(serde.decode(serde.encode("Release", release)).value).toEqual(release);
});

test("provisioning asks once for each subject's level and once for each version, for several records at once", async () => {
  await using registry = await startProvisionedRegistry();
  const before = registry.requests.length;
  registry.holdUntil(4, isOfOthers);
  await registerSchemas({ url: registry.url, time: machineTime });
  const asked = registry.requests.slice(before);
  const versions = subjects().flatMap(({ record }) => schemaVersions[record]);
  expect(asked.filter((request) => request.startsWith("GET /config/"))).toHaveLength(subjects().length);
  expect(asked.filter((request) => request.startsWith("POST "))).toHaveLength(versions.length);
  expect(asked).toHaveLength(subjects().length + versions.length);
});

test("a start only reads: it asks once for the id of each version, for several records at once", async () => {
  await using registry = await startProvisionedRegistry();
  const before = registry.requests.length;
  registry.holdUntil(4, isOfOthers);
  await createRegistrySerde({ url: registry.url, time: machineTime });
  const asked = registry.requests.slice(before);
  expect(asked).toHaveLength(subjects().flatMap(({ record }) => schemaVersions[record]).length);
  expect(asked.filter((request) => !/^POST \/subjects\/[^/]+$/.test(request))).toEqual([]);
});

test("a start that misses a schema says which at once, and registers nothing", async () => {
  await using registry = await startFakeRegistry();
  const time = hurried();
  const [first = ""] = subjects().map(({ subject }) => subject);
  await expect(createRegistrySerde({ url: registry.url, time })).rejects.toMatchObject({
    code: "contracts.schema-missing",
    isRetryable: true,
    message: `${first}: version 1 is not registered yet, which ./sluice provision does`,
  });
  expect([registry.levels.size, registry.requests.length, time.waitsMs]).toEqual([0, 1, []]);
});

test("a start may ask for the first record once only, so that the reason of a wait is known soon", async () => {
  await using registry = await startProvisionedRegistry();
  const before = registry.requests.length;
  const options = { url: registry.url, time: hurried(), attemptsMax: 2, firstAttemptsMax: 1 };
  registry.intervene(() => true, 503, {});
  await expect(createRegistrySerde(options)).rejects.toMatchObject({ code: "contracts.registry-unavailable" });
  expect([registry.requests.length - before, options.time.waitsMs]).toEqual([1, []]);
  registry.intervene(isOfOthers, 503, {});
  await createRegistrySerde(options);
  expect(options.time.waitsMs).toEqual([250]);
});

test("once a schema is refused, no further record is begun", async () => {
  await using registry = await startFakeRegistry();
  const [first, ...others] = [...Map.groupBy(subjects(), ({ record }) => record).values()];
  const refused = encodeURIComponent(others[0]?.[0]?.subject ?? "");
  registry.intervene((request) => request.startsWith("POST") && request.includes(refused), 409, { message: "Incompatible artifact" });
  await expect(registerSchemas({ url: registry.url, time: machineTime })).rejects.toMatchObject({ code: "contracts.registry-refused" });
  expect(registry.levels.has(first?.[0]?.subject ?? "")).toBe(true);
  expect(registry.levels.size).toBeLessThan(subjects().length / 2);
});

test("registering again changes nothing, may be done several times at once, and every start has the same ids", async () => {
  await using registry = await startFakeRegistry();
  const options = { url: registry.url, time: hurried() };
  await Promise.all([1, 2, 3].map(() => registerSchemas(options)));
  const one = await createRegistrySerde(options);
  await registerSchemas(options);
  const serdes = [one, await createRegistrySerde(options)];
  expect(new Set(serdes.map((serde) => Buffer.from(serde.encode("Release", release)).toString("hex"))).size).toBe(1);
  expect(new Set(registry.levels.values())).toEqual(new Set(["FULL_TRANSITIVE"]));
});

test("a subject left at the registry's default is repaired, one with another level is left unchanged", async () => {
  const [first = "", second = ""] = subjects().map(({ subject }) => subject);
  await using repaired = await startFakeRegistry(new Map([[first, "NONE"]]));
  await registerSchemas({ url: repaired.url, time: hurried() });
  expect(repaired.levels.get(first)).toBe("FULL_TRANSITIVE");
  await using refused = await startFakeRegistry(new Map([[second, "BACKWARD"]]));
  await expect(registerSchemas({ url: refused.url, time: hurried() })).rejects.toMatchObject({
    code: "contracts.registry-refused",
    isRetryable: false,
  });
  expect(refused.levels.get(second)).toBe("BACKWARD");
});

test("registry faults are retried with growing waits, and a faster process causes no fault", async () => {
  await using registry = await startFakeRegistry();
  for (const status of [500, 503, 429]) registry.intervene((request) => request.startsWith("POST"), status, { message: "busy" });
  registry.intervene((request) => request.startsWith("PUT"), 409, { message: "A rule named 'COMPATIBILITY' already exists." });
  const time = hurried();
  await registerSchemas({ url: registry.url, time });
  expect(time.waitsMs.slice(0, 3)).toEqual([250, 500, 1000]);
});

test("an incompatible schema is not retried", async () => {
  await using registry = await startFakeRegistry();
  registry.intervene((request) => request.startsWith("POST"), 409, { message: "Incompatible artifact" });
  const time = hurried();
  await expect(registerSchemas({ url: registry.url, time })).rejects.toMatchObject({ code: "contracts.registry-refused" });
  expect(time.waitsMs).toEqual([]);
});

test("a registry that cannot be reached ends in a retryable Fault after the given attempts", async () => {
  const registry = await startFakeRegistry();
  await registry[Symbol.asyncDispose]();
  const time = hurried();
  await expect(registerSchemas({ url: registry.url, time, attemptsMax: 4 })).rejects.toMatchObject({
    code: "contracts.registry-unavailable",
    isRetryable: true,
  });
  expect(time.waitsMs).toEqual([250, 500, 1000]);
});

test("a registry that accepts the connection and never answers times out", async () => {
  await using registry = await startFakeRegistry();
  const silent: Time = { ...machineTime, after: (_delayMs, action) => machineTime.after(0, action) };
  await expect(registerSchemas({ url: registry.url, time: silent, attemptsMax: 1 })).rejects.toMatchObject({
    code: "contracts.registry-unavailable",
  });
});

test("an unknown id is asked of the registry once; one that the registry does not know stays a retryable Fault", async () => {
  await using registry = await startProvisionedRegistry();
  const one = await createRegistrySerde({ url: registry.url, time: machineTime });
  const bytes = one.encode("Release", release);
  const schema: { readonly schema: string } = JSON.parse(
    await (await fetch(`${registry.url}/schemas/ids/${new DataView(bytes.buffer).getInt32(1)}`)).text(),
  );
  const older = JSON.stringify({ ...JSON.parse(schema.schema), doc: "Before." });
  const answer = await fetch(`${registry.url}/subjects/x/versions`, { method: "POST", body: JSON.stringify({ schema: older }) });
  const { id }: { readonly id: number } = JSON.parse(await answer.text());
  const later = bytes.slice();
  new DataView(later.buffer).setInt32(1, id);
  expect(() => one.decode(later)).toThrow(expect.objectContaining({ code: "contracts.unknown-schema", isRetryable: true }));
  await one.learn(later);
  expect(one.decode(later).value).toEqual(release);
  const unknown = later.slice();
  new DataView(unknown.buffer).setInt32(1, 99_999);
  await expect(one.learn(unknown)).rejects.toMatchObject({ code: "contracts.unknown-schema", isRetryable: true });
  registry.intervene((request) => request.startsWith("GET /schemas"), 500, { message: "down" });
  await expect(one.learn(unknown)).rejects.toMatchObject({ code: "contracts.registry-unavailable", isRetryable: true });
});

test("records with known ids are encoded and decoded while the registry is down", async () => {
  const registry = await startProvisionedRegistry();
  const serde = await createRegistrySerde({ url: registry.url, time: machineTime });
  await registry[Symbol.asyncDispose]();
  expect(serde.decode(serde.encode("Release", release)).value).toEqual(release);
});
