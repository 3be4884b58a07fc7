// The behaviour of a real registry: `SCHEMA_REGISTRY_URL` is its Confluent API (`./sluice test` sets it).

import { machineTime } from "@sluice/kernel";
import { beforeAll, expect, test } from "vitest";
import { schemaVersions } from "../generated/records.ts";
import { createRegistrySerde, registerSchemas, subjects } from "./serde-registry.ts";

const url = process.env["SCHEMA_REGISTRY_URL"];
if (url === undefined) throw new Error("SCHEMA_REGISTRY_URL is not set: these tests need a schema registry. ./sluice test starts one.");
const address = url.replace(/\/$/, "");
const headers = { "content-type": "application/vnd.schemaregistry.v1+json" };
const release = { scheme: "ZA_EFT", businessDate: "2026-11-20", windowNumber: 1, bank: "first" };
const own = `test-${Date.now()}-sluice.Release`;

async function ask(
  method: string,
  path: string,
  body?: object,
): Promise<{ readonly status: number; readonly body: Record<string, unknown> }> {
  const init = body === undefined ? { method, headers } : { method, headers, body: JSON.stringify(body) };
  const answer = await fetch(`${address}${path}`, init);
  return { status: answer.status, body: JSON.parse(await answer.text()) };
}

async function levels(): Promise<ReadonlySet<unknown>> {
  const answers = await Promise.all(subjects().map(({ subject }) => ask("GET", `/config/${subject}`)));
  return new Set(answers.map(({ body }) => body["compatibilityLevel"]));
}

beforeAll(async () => {
  // Several provision at once for the first time, on a registry that may be empty.
  await Promise.all([1, 2, 3, 4, 5].map(() => registerSchemas({ url: address, time: machineTime })));
});

test("five that provision at once leave every subject with FULL_TRANSITIVE", async () => {
  expect(await levels()).toEqual(new Set(["FULL_TRANSITIVE"]));
});

test("two starts write with the same id and read each other's records", async () => {
  const [one, other] = [
    await createRegistrySerde({ url: address, time: machineTime }),
    await createRegistrySerde({ url: address, time: machineTime }),
  ];
  const bytes = one.encode("Release", release);
  expect(other.encode("Release", release)).toEqual(bytes);
  expect(other.decode(bytes)).toEqual({ name: "Release", value: release });
});

test("a subject left at NONE is repaired by the next provisioning", async () => {
  await ask("PUT", "/config/sluice.journal.v1-sluice.Release", { compatibility: "NONE" });
  await registerSchemas({ url: address, time: machineTime });
  expect(await levels()).toEqual(new Set(["FULL_TRANSITIVE"]));
});

test("a schema that appears later is learnt by its id; an id that nobody knows is a retryable Fault", async () => {
  const serde = await createRegistrySerde({ url: address, time: machineTime });
  const later = JSON.stringify({ ...JSON.parse(schemaVersions.Release.at(-1) ?? ""), doc: `Later, ${own}.` });
  const { body } = await ask("POST", `/subjects/${own}/versions`, { schema: later });
  const bytes = serde.encode("Release", release);
  new DataView(bytes.buffer).setInt32(1, Number(body["id"]));
  expect(() => serde.decode(bytes)).toThrow(expect.objectContaining({ code: "contracts.unknown-schema" }));
  await serde.learn(bytes);
  expect(serde.decode(bytes).value).toEqual(release);
  new DataView(bytes.buffer).setInt32(1, 2 ** 31 - 1);
  await expect(serde.learn(bytes)).rejects.toMatchObject({ code: "contracts.unknown-schema", isRetryable: true });
});

test("with the level set, the registry refuses an incompatible schema, but not a changed decimal scale", async () => {
  await ask("POST", `/subjects/${own}/versions`, { schema: schemaVersions.Release.at(-1) });
  await ask("PUT", `/config/${own}`, { compatibility: "FULL_TRANSITIVE" });
  const broken = JSON.parse(schemaVersions.Release.at(-1) ?? "");
  broken.fields.push({ name: "more", type: "string", doc: "More." });
  expect((await ask("POST", `/subjects/${own}/versions`, { schema: JSON.stringify(broken) })).status).toBe(409);
  const scaled = own.replace("Release", "Amount");
  const amount = (scale: number) => ({
    schema: JSON.stringify({
      type: "record",
      name: "Amount",
      namespace: "sluice",
      fields: [{ name: "value", type: { type: "bytes", logicalType: "decimal", precision: 22, scale } }],
    }),
  });
  await ask("POST", `/subjects/${scaled}/versions`, amount(4));
  await ask("PUT", `/config/${scaled}`, { compatibility: "FULL_TRANSITIVE" });
  // This is why Sluice has its own compatibility check. When this line fails, the registry has learnt to refuse it.
  expect((await ask("POST", `/subjects/${scaled}/versions`, amount(2))).status).toBe(200);
});
