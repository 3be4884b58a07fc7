// Handles a debit with an unregistered schema on real servers. It stops its partition, an operator skips it for both
// services that it stops, the partition continues, and the debit is replayed after its schema is registered.

import { randomUUID } from "node:crypto";
import { headers, outgoingRecord, partitionCountDefault, partitionFor, type Records, schemaVersions, topics } from "@sluice/contracts";
import type { AppendResult, OutgoingRecord } from "@sluice/messaging";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createCases } from "./parties/cases.ts";
import { loadTransaction, untilHolds, untilState, type JsonBody } from "./recorded/evidence.ts";
import { decideOnce, askControl, readRows } from "./parties/operators.ts";
import { openE2eEnvironment, type E2eEnvironment } from "./environment/environment.ts";

const banks = [{ id: "karoo", branch: "250655" }];
const opened = new AsyncDisposableStack();
let environment: E2eEnvironment;
const { caseFor, submit } = createCases(() => environment, banks);

beforeAll(async () => {
  environment = opened.use(await openE2eEnvironment(banks, "bank", { operators: [{ id: "thandi", roles: ["read", "act"] }] }));
});
afterAll(() => opened.disposeAsync());

test("a record of an unknown schema stops its partition until an operator skips it, and is replayed once the schema is registered", async () => {
  const [model, behind] = [caseFor("on-us", "model"), caseFor("on-us", "behind")];
  await submit(model);
  await untilState(environment, model.uetr, "HELD");
  const partition = partitionFor(behind.uetr, partitionCountDefault);
  const uetr = uetrIn(partition);
  const unknownId = (await registerSchema("probe")) + 1;
  const { offset } = await appendRecord(await copyDebit(model.uetr, uetr, unknownId));
  await submit(behind);

  const body = { reason: "written by a trial version", topic: topics.journal, partition, offset: String(offset) };
  const put = (service: string) => postDecision("/skip", `put-${service}`, { ...body, service });
  await untilHolds(async () => expect((await put("scheduler")).status).toBe(202));
  await untilHolds(async () => expect((await put("validator")).status).toBe(202));
  expect((await put("scheduler")).answer["letter"]).toBe((await put("scheduler")).answer["letter"]);
  await untilState(environment, behind.uetr, "HELD");
  expect((await loadTransaction(environment, uetr)).quarantined).toMatchObject({ offset, records: 1 });
  await untilHolds(async () => {
    const rows = readRows(await askControl(environment, "thandi", `/dead-letters?key=${uetr}`));
    expect(rows.map((row) => String(row["service"])).toSorted()).toEqual(["scheduler", "scheduler", "validator", "validator"]);
  });

  const replay = (id: string) => postDecision(`/transactions/${uetr}/replay`, id, { reason: "registered now" });
  expect(await replay("too-early")).toMatchObject({ status: 409, answer: { detail: expect.stringContaining("not-readable-yet") } });
  expect(await registerSchema("later")).toBe(unknownId);
  expect(await replay("replay-1")).toMatchObject({ status: 202, answer: { key: uetr, rows: [{ outcome: "replayed", isReadable: true }] } });
  expect((await untilState(environment, uetr, "HELD")).quarantined).toBeNull();
  expect(await replay("replay-2")).toMatchObject({ status: 409, answer: { detail: expect.stringContaining("not-quarantined") } });
  expect(environment.services.lost()).toEqual([]);
});

function uetrIn(partition: number): string {
  for (;;) {
    const uetr = randomUUID();
    if (partitionFor(uetr, partitionCountDefault) === partition) return uetr;
  }
}

/** Registers a schema of DirectDebitReceived that differs by these words. Returns its id; ids are consecutive. */
async function registerSchema(words: string): Promise<number> {
  const schema = JSON.stringify({ ...JSON.parse(schemaVersions.DirectDebitReceived.at(-1) ?? ""), doc: words });
  const address = environment.services.environment["SCHEMA_REGISTRY_URL"] ?? "";
  const sent = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ schema }) };
  const answer = await fetch(`${address}/subjects/dead-letters-sluice.DirectDebitReceived/versions`, sent);
  const body: JsonBody = JSON.parse(await answer.text());
  return Number(body["id"]);
}

/** Copies the debit of `model` with another UETR, encoded under this schema id. */
async function copyDebit(model: string, uetr: string, schemaId: number): Promise<OutgoingRecord> {
  const value = await readDebit(model);
  const debit = { ...value.debit, transactionIdentifiers: { ...value.debit.transactionIdentifiers, uetr } };
  const decoded = { name: "DirectDebitReceived", value: { ...value, debit } } as const;
  const record = outgoingRecord(environment.serde, topics.journal, uetr, decoded, { partitionCount: partitionCountDefault });
  if (record.value !== null) Buffer.from(record.value.buffer).writeInt32BE(schemaId, record.value.byteOffset + 1);
  return record;
}

async function readDebit(uetr: string): Promise<Records["DirectDebitReceived"]> {
  const place = { topic: topics.journal, partition: partitionFor(uetr, partitionCountDefault) };
  const [ends] = await environment.messaging.ends([place]);
  for await (const record of environment.messaging.read(place, 0n, ends?.logEnd ?? 0n)) {
    const isIts = record.headers[headers.type] === "DirectDebitReceived" && new TextDecoder().decode(record.key ?? undefined) === uetr;
    const decoded = isIts && record.value !== null ? environment.serde.decode(record.value) : null;
    if (decoded?.name === "DirectDebitReceived") return decoded.value;
  }
  throw new Error(`${uetr} is not in the journal`);
}

async function appendRecord(record: OutgoingRecord): Promise<AppendResult> {
  const producer = await environment.messaging.producer("e2e-newer-writer");
  const [at] = await producer.send([record]);
  if (at === undefined) throw new Error("the record was not appended");
  return at;
}

async function postDecision(path: string, id: string, body: object): Promise<{ readonly status: number; readonly answer: JsonBody }> {
  const { status, text } = await decideOnce(environment, "thandi", { path, id, body: { ...body } });
  return { status, answer: JSON.parse(text) };
}
