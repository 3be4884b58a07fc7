// Folds a recorded journal by today's rules: what the owner of its partition sends, and what is in the store then.

import { createHash } from "node:crypto";
import { topics } from "@sluice/contracts";
import { rulesVersion } from "@sluice/domain";
import type { OutgoingRecord, Producer, ReceivedRecord } from "@sluice/messaging";
import type { TransactionDocument } from "@sluice/store";
import { toRecordEntry, toSnapshotEntry } from "@sluice/testkit";
import { openTestWorker } from "../partition/open-worker.fixture.ts";
import { SchedulerEnvironment, type SchedulerEnvironmentOptions } from "../scheduler.fixture.ts";

const utf8 = new TextDecoder();

export interface FoldedJournal {
  /** One line of JSON for each record that is sent, and for each document. */
  readonly text: string;
  /** SHA-256 of what the rules decided: bodies are left out. */
  readonly decisions: string;
}

export async function foldJournal(records: readonly ReceivedRecord[], options: SchedulerEnvironmentOptions): Promise<FoldedJournal> {
  const environment = new SchedulerEnvironment(options);
  const sent: OutgoingRecord[] = [];
  const producer: Producer = {
    send(outgoing) {
      sent.push(...outgoing);
      return Promise.resolve([]);
    },
    close: () => Promise.resolve(),
  };
  const context = await environment.partitionContext({ producer, analystRecordsMax: 0 });
  const worker = await environment.settle(openTestWorker(context, 0, { logStart: 0n, logEnd: BigInt(records.length) }));
  // What waits for the position is sent before the next batch, so that each batch has its own.
  await environment.settle(worker.handle(records));
  await environment.settle(worker.flush?.() ?? Promise.resolve());
  const uetrs = [...new Set(records.map(({ key }) => utf8.decode(key ?? undefined)))].toSorted();
  const documents = await environment.settle(environment.store.transactions.load(uetrs));
  const stored = uetrs.flatMap((uetr) => documents.get(uetr) ?? []);
  const outputs = sent.map((record) => describeSent(record, environment));
  return {
    text: toLines([...outputs, ...stored.map(describeStored)]),
    decisions: createHash("sha256")
      .update(toLines([...outputs.filter(isDecision).map(withoutBody), ...stored.map(withoutBytes)]))
      .digest("hex"),
  };
}

function toLines(outputs: readonly unknown[]): string {
  return outputs
    .map((output) => `${JSON.stringify(output, (_, value: unknown) => (typeof value === "bigint" ? String(value) : value))}\n`)
    .join("");
}

/** What a snapshot said when the journals were recorded: the quarantine came later. */
function describeStored(document: TransactionDocument) {
  const { isQuarantined: _, ...entry } = toSnapshotEntry(document);
  return entry;
}

type DescribedRecord = ReturnType<typeof describeSent>;

/** A record that is sent, without the place and time that the broker gives it. */
function describeSent(record: OutgoingRecord, { serde }: SchedulerEnvironment) {
  const { topic, partition, key, type, value } = toRecordEntry({ ...record, offset: 0n, appendedAtMs: 0 }, serde);
  return { topic, partition, key, type, headers: record.headers, value };
}

function withoutBody({ value, ...record }: DescribedRecord): unknown {
  return { ...record, value: { ...withoutAdded(record.type, value), body: null } };
}

/** Members that a record got after version 2. No rule decides otherwise because a record has one that is null. */
const addedMembers: Readonly<Record<string, readonly string[]>> = { DispatchChange: ["stoppedBy", "confirmedBy"] };

function withoutAdded(type: string, value: object): object {
  const added = addedMembers[type] ?? [];
  return Object.fromEntries(Object.entries(value).filter(([name, given]) => given !== null || !added.includes(name)));
}

/** What analysts read decides nothing: its columns may change without another version of the rules. */
const readByAnalysts: ReadonlySet<string> = new Set([topics.stateEvents, topics.items, topics.days]);

function isDecision({ topic }: DescribedRecord): boolean {
  return !readByAnalysts.has(topic);
}

/** Every member counts, because a process that does not know a member loses it when it writes the document. */
function withoutBytes({ transaction, search }: TransactionDocument): unknown {
  return { transaction, search };
}

/** Which version of the rules gave which decisions, by the name of the journal. */
export type RulesRecord = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** Adds what today's rules decide where the record does not say it yet; what it says is never changed. */
export function addDecisions(recorded: RulesRecord, today: Readonly<Record<string, string>>): RulesRecord {
  return { ...recorded, [rulesVersion]: { ...today, ...recorded[rulesVersion] } };
}
