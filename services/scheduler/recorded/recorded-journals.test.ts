// Recorded journals, folded by today's rules. What they once gave is in `golden/`, record for record: a change of the
// rules that changes what a journal means is a diff there. `vitest run --project pure services/scheduler/recorded -u`
// writes the outputs of today; the journals stay as they are.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { OutgoingRecord, Producer, ReceivedRecord } from "@sluice/messaging";
import { toRecordEntry, toSnapshotEntry } from "@sluice/testkit";
import { expect, test } from "vitest";
import { openPartitionWorker } from "../partition/worker.ts";
import { SchedulerEnvironment } from "../scheduler.fixture.ts";
import { formatJournal, parseJournal } from "./journal-file.fixture.ts";
import { recordedFolder, recordedOptions, recordedScenarios } from "./record-journals.fixture.ts";

const utf8 = new TextDecoder();

function readRecorded(name: string): string {
  return readFileSync(join(recordedFolder, `${name}.journal.jsonl`), "utf8");
}

/** Folds the records as the owner of their partition, and lists what it sends and what is in the store then. */
async function fold(records: readonly ReceivedRecord[]): Promise<readonly unknown[]> {
  const environment = new SchedulerEnvironment(recordedOptions);
  const sent: OutgoingRecord[] = [];
  const producer: Producer = {
    send(outgoing) {
      sent.push(...outgoing);
      return Promise.resolve([]);
    },
    close: () => Promise.resolve(),
  };
  const context = await environment.partitionContext({ producer });
  const worker = await environment.settle(openPartitionWorker(context, 0, { logStart: 0n, logEnd: BigInt(records.length) }));
  await environment.settle(worker.handle(records));
  const uetrs = [...new Set(records.map(({ key }) => utf8.decode(key ?? undefined)))].toSorted();
  const documents = await environment.settle(environment.store.transactions.load(uetrs));
  const stored = uetrs.flatMap((uetr) => documents.get(uetr) ?? []).map((document) => toSnapshotEntry(document));
  return [...sent.map((record) => describeSent(record, environment)), ...stored];
}

/** A record that is sent, without the place and time that the broker gives it. */
function describeSent(record: OutgoingRecord, { serde }: SchedulerEnvironment): unknown {
  const { topic, partition, key, type, value } = toRecordEntry({ ...record, offset: 0n, appendedAtMs: 0 }, serde);
  return { topic, partition, key, type, headers: record.headers, value };
}

test("I3: a recorded journal gives the same outputs and the same states as it once gave", async () => {
  for (const name of Object.keys(recordedScenarios)) {
    const outputs = await fold(parseJournal(readRecorded(name)));
    expect(outputs.length).toBeGreaterThan(10);
    const text = outputs.map((output) => `${JSON.stringify(output)}\n`).join("");
    await expect(text).toMatchFileSnapshot(join(recordedFolder, `${name}.outputs.jsonl`));
  }
});

test("every recorded journal is folded, and is read as it was written", () => {
  const recorded = readdirSync(recordedFolder).filter((file) => file.endsWith(".journal.jsonl"));
  expect(recorded.toSorted()).toEqual(
    Object.keys(recordedScenarios)
      .map((name) => `${name}.journal.jsonl`)
      .toSorted(),
  );
  for (const name of Object.keys(recordedScenarios)) expect(formatJournal(parseJournal(readRecorded(name)))).toBe(readRecorded(name));
});

test("the recorded journals have each flow, an operator's decision, a debit that is carried over, and a close", () => {
  const texts = Object.keys(recordedScenarios).map((name) => readFileSync(join(recordedFolder, `${name}.outputs.jsonl`), "utf8"));
  const all = texts.join("");
  for (const flow of ["on-us", "off-us", "credit"]) expect(all).toContain(`"flow":"${flow}"`);
  for (const state of ["COMPLETED", "UNPAID", "REJECTED", "RECONCILIATION", "CREDIT_AUTH_RECONCILIATION"])
    expect(all).toContain(`"${state}"`);
  expect(all).toContain('"kind":"WithdrawalRequested"');
  expect(all).toContain('"businessDate":"2026-11-21"');
  expect(all).toContain('"type":"DayReconciled"');
});
