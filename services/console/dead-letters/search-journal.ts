// Finds the dead-lettered records of a transaction in the journal, where their dead letters are gone: letters have a
// retention limit, and the journal has none.
//
// #1 A record belongs to a quarantine by the scheduler's own rule: it cannot be read, or it is a message or a verdict.
//    A record that only an operator's decision dead-lettered has no other trace than its letter.
// #2 The offsets that the transaction still names are read first. Then the journal is read in order.
// #3 One call reads a bounded number of records. What it found and where it ended are kept, so that the same call goes
//    on there. A call that fails changes nothing of that.
// #4 A batch that an operator skipped cannot be read: its letters alone have its records.

import { type Serde, topics } from "@sluice/contracts";
import { createOperatorSkips, type DoneSkips, type Messaging, readAroundSkips, type ReceivedRecord } from "@sluice/messaging";
import type { Time } from "@sluice/kernel";
import { checkReadability } from "./read-dead-letters.ts";

export interface JournalSearchPorts {
  readonly time: Time;
  readonly messaging: Pick<Messaging, "ends" | "identity" | "read">;
  readonly serde: Pick<Serde, "decode" | "learn">;
}

interface JournalQuestion {
  readonly uetr: string;
  readonly partition: number;
  /** First offset, and the one behind the last. */
  readonly from: bigint;
  readonly to: bigint;
  /** Number of records that are looked for. */
  readonly wanted: number;
  /** Offsets of the records that are there already. */
  readonly known: ReadonlySet<bigint>;
  /** Offsets at which the records may be. */
  readonly likely: readonly bigint[];
}

interface JournalFinding {
  /** At most as many as are wanted, in the order of their offsets. */
  readonly records: readonly ReceivedRecord[];
  /** Offset at which the search ended before the range did; null: all of the range was searched, or all was found. */
  readonly endedAt: bigint | null;
}

export interface JournalSearch {
  find(question: JournalQuestion): Promise<JournalFinding>;
}

const searchedRecordsMax = 200_000;
const searchMaxMs = 4_000;
/** Searches that ended early and are remembered; the oldest one starts at the beginning again. */
const searchesKeptMax = 100;

/** The records that follow earlier ones into the dead letters (`on-dead-letters.ts` of the domain). */
const followingNames: ReadonlySet<string> = new Set([
  "DirectDebitReceived",
  "CreditTransferReceived",
  "StatusReportReceived",
  "AccountVerified",
]);

interface Progress {
  next: bigint;
  readonly found: Set<bigint>;
}

export function createJournalSearch(ports: JournalSearchPorts): JournalSearch {
  const kept = new Map<string, Progress>();
  const skips = createOperatorSkips({ ...ports, service: "scheduler" });

  return {
    async find(question) {
      const { uetr, partition, wanted, known } = question;
      const name = `${uetr}@${question.from}`;
      const [ends] = await ports.messaging.ends([{ topic: topics.journal, partition }]);
      if (ends === undefined) return { records: [], endedAt: null };
      const from = question.from > ends.logStart ? question.from : ends.logStart;
      const range = { ...question, from, to: question.to < ends.logEnd ? question.to : ends.logEnd };
      const reader = { ports, range, done: await skips.listDone(topics.journal, partition) };
      const progress = kept.get(name) ?? { next: from, found: new Set<bigint>() };
      const records = new Map<bigint, ReceivedRecord>();
      for (const offset of [range.from, ...range.likely, ...progress.found]) await readOne(reader, offset, records);
      const endedAt = records.size < wanted ? await readOn(reader, progress, records) : null;
      kept.delete(name);
      if (endedAt !== null) keep(kept, name, { next: endedAt, found: new Set(records.keys()) });
      const found = [...records.values()].filter(({ offset }) => !known.has(offset));
      return { records: found.toSorted((a, b) => (a.offset < b.offset ? -1 : 1)), endedAt };
    },
  };
}

interface JournalReader {
  readonly ports: JournalSearchPorts;
  readonly range: JournalQuestion;
  readonly done: DoneSkips;
}

/** #2 */
async function readOne(reader: JournalReader, offset: bigint, records: Map<bigint, ReceivedRecord>): Promise<void> {
  const { from, to } = reader.range;
  if (offset < from || offset >= to) return;
  for await (const record of read(reader, offset, offset + 1n)) await take(reader, record, records);
}

/** #3 Answers where it ended; null: all of the range was searched, or all was found. */
async function readOn(reader: JournalReader, progress: Progress, records: Map<bigint, ReceivedRecord>): Promise<bigint | null> {
  const { time } = reader.ports;
  const { to, wanted } = reader.range;
  const most = progress.next + BigInt(searchedRecordsMax);
  const until = to < most ? to : most;
  const untilMs = time.monotonicMs() + searchMaxMs;
  if (progress.next >= until) return null;
  for await (const record of read(reader, progress.next, until)) {
    await take(reader, record, records);
    if (records.size >= wanted) return null;
    if (time.monotonicMs() >= untilMs) return record.offset + 1n;
  }
  return until < to ? until : null;
}

function read({ ports, range, done }: JournalReader, from: bigint, to: bigint): AsyncIterable<ReceivedRecord> {
  const place = { topic: topics.journal, partition: range.partition };
  return readAroundSkips(ports.messaging, done, place, { from, to, nowMs: ports.time.nowMs() });
}

/** #1, #4 */
async function take({ ports, range }: JournalReader, record: ReceivedRecord, records: Map<bigint, ReceivedRecord>): Promise<void> {
  const { key, value, offset } = record;
  if (record.skip !== undefined || range.known.has(offset) || key === null || Buffer.from(key).toString("latin1") !== range.uetr) return;
  const { as } = await checkReadability({ value, headers: {} }, ports.serde);
  if (as === null || followingNames.has(as)) records.set(offset, record);
}

function keep(kept: Map<string, Progress>, name: string, progress: Progress): void {
  kept.set(name, progress);
  const [oldest] = kept.keys();
  if (kept.size > searchesKeptMax && oldest !== undefined) kept.delete(oldest);
}
