// A debit whose schema no registry has, on real servers: it stops its lane, is put aside by hand for both services that it stops, the lane goes on,
// and it is replayed once the schema is registered.

import { randomUUID } from "node:crypto";
import { headers, lanesDefault, outgoingRecord, partitionOf, schemaVersions, topics } from "@sluice/contracts";
import type { Records } from "@sluice/contracts";
import type { Appended, OutgoingRecord } from "@sluice/messaging";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createCast } from "./cast.ts";
import { transactionOf, until, untilState, type Body } from "./evidence.ts";
import { decideOnce, look, rowsOf } from "./people.ts";
import { openWorld, type World } from "./world.ts";

const banks = [{ id: "karoo", branch: "250655" }];
const opened = new AsyncDisposableStack();
let world: World;
const { caseOf, take } = createCast(() => world, banks);

beforeAll(async () => {
  world = opened.use(await openWorld(banks, "bank", { operators: [{ id: "thandi", roles: ["read", "act"] }] }));
});
afterAll(() => opened.disposeAsync());

test("a record of an unknown schema stops its lane, is put aside by hand, and comes back when the schema is registered", async () => {
  const [model, behind] = [caseOf("on-us", "model"), caseOf("on-us", "behind")];
  await take(model);
  await untilState(world, model.uetr, "HELD");
  const partition = partitionOf(behind.uetr, lanesDefault);
  const uetr = uetrIn(partition);
  const unknownId = (await registered("probe")) + 1;
  const { offset } = await appended(await likeOf(model.uetr, uetr, unknownId));
  await take(behind);

  const body = { reason: "written by a trial version", topic: topics.journal, partition, offset: String(offset) };
  const put = (service: string) => decided("/put-aside", `put-${service}`, { ...body, service });
  await until(async () => expect((await put("scheduler")).status).toBe(202));
  await until(async () => expect((await put("validator")).status).toBe(202));
  expect((await put("scheduler")).answer["letter"]).toBe((await put("scheduler")).answer["letter"]);
  await untilState(world, behind.uetr, "HELD");
  expect((await transactionOf(world, uetr)).parked).toMatchObject({ offset, records: 1 });
  await until(async () => {
    const rows = rowsOf(await look(world, "thandi", `/dead-letters?key=${uetr}`));
    expect(rows.map((row) => String(row["service"])).toSorted()).toEqual(["scheduler", "scheduler", "validator", "validator"]);
  });

  const replay = (id: string) => decided(`/transactions/${uetr}/replay`, id, { reason: "registered now" });
  expect(await replay("too-early")).toMatchObject({ status: 409, answer: { detail: expect.stringContaining("not-readable-yet") } });
  expect(await registered("later")).toBe(unknownId);
  expect(await replay("replay-1")).toMatchObject({ status: 202, answer: { key: uetr, rows: [{ outcome: "replayed", isReadable: true }] } });
  expect((await untilState(world, uetr, "HELD")).parked).toBeNull();
  expect(await replay("replay-2")).toMatchObject({ status: 409, answer: { detail: expect.stringContaining("nothing-parked") } });
  expect(world.services.lost()).toEqual([]);
});

function uetrIn(partition: number): string {
  for (;;) {
    const uetr = randomUUID();
    if (partitionOf(uetr, lanesDefault) === partition) return uetr;
  }
}

/** Id of a schema of DirectDebitReceived that is new by these words; ids are given one after the other. */
async function registered(words: string): Promise<number> {
  const schema = JSON.stringify({ ...JSON.parse(schemaVersions.DirectDebitReceived.at(-1) ?? ""), doc: words });
  const address = world.services.environment["SCHEMA_REGISTRY_URL"] ?? "";
  const sent = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ schema }) };
  const answer = await fetch(`${address}/subjects/dead-letters-sluice.DirectDebitReceived/versions`, sent);
  const body: Body = JSON.parse(await answer.text());
  return Number(body["id"]);
}

/** The debit of `model` under another UETR, written with a schema of that id. */
async function likeOf(model: string, uetr: string, schemaId: number): Promise<OutgoingRecord> {
  const value = await receivedOf(model);
  const debit = { ...value.debit, transactionIdentifiers: { ...value.debit.transactionIdentifiers, uetr } };
  const decoded = { name: "DirectDebitReceived", value: { ...value, debit } } as const;
  const record = outgoingRecord(world.serde, topics.journal, uetr, decoded, { lanes: lanesDefault });
  if (record.value !== null) Buffer.from(record.value.buffer).writeInt32BE(schemaId, record.value.byteOffset + 1);
  return record;
}

async function receivedOf(uetr: string): Promise<Records["DirectDebitReceived"]> {
  const place = { topic: topics.journal, partition: partitionOf(uetr, lanesDefault) };
  const [ends] = await world.messaging.ends([place]);
  for await (const record of world.messaging.read(place, 0n, ends?.logEnd ?? 0n)) {
    const isIts = record.headers[headers.type] === "DirectDebitReceived" && new TextDecoder().decode(record.key ?? undefined) === uetr;
    const decoded = isIts && record.value !== null ? world.serde.decode(record.value) : null;
    if (decoded?.name === "DirectDebitReceived") return decoded.value;
  }
  throw new Error(`${uetr} is not in the journal`);
}

async function appended(record: OutgoingRecord): Promise<Appended> {
  const producer = await world.messaging.producer("e2e-newer-writer");
  const [at] = await producer.send([record]);
  if (at === undefined) throw new Error("it is appended");
  return at;
}

async function decided(path: string, id: string, body: object): Promise<{ readonly status: number; readonly answer: Body }> {
  const { status, text } = await decideOnce(world, "thandi", { path, id, body: { ...body } });
  return { status, answer: JSON.parse(text) };
}
